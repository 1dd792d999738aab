"""Count the memories that wait in the inbox for a person's decision."""

from __future__ import annotations

from ..model.memory import LIVE
from ..ports.search_index import Where
from ..rules.authority import awaits_confirmation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.scope import Visible

MOST = 1_000
STAGED = Where(statuses=("staged",))
PROFILE_LINES = Where(kinds=("profile",), statuses=LIVE, trusts=("agent", "system", "external"))
PREFERENCES = Where(kinds=("preference",), statuses=LIVE, trusts=("agent", "system"))
INSIGHTS = PREFERENCES.but(kinds=("insight",))
"""Conditions on what the inbox lists; all but the first only where `awaits_confirmation` agrees."""


def count_waiting(engine: Engine, visible: Visible, since: datetime | None = None) -> int:
    """The number of memories that the inbox lists, since a moment; the index is up to date."""
    index = engine.index
    listed = (one.but(created_from=since) for one in (STAGED, PROFILE_LINES))
    counts = (index.count(one, visible=visible, by="kind") for one in listed)
    said = [
        memory
        for one in (PREFERENCES, INSIGHTS)
        for memory in index.select(one.but(created_from=since), visible=visible, limit=MOST)
    ]
    return sum(sum(kinds.values()) for kinds in counts) + sum(map(awaits_confirmation, said))
