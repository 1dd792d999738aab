"""Audit events of what changed no memory: a write that a gate refused, a contradiction found.

They say that it happened and why, never what the text was.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress

from ..errors import Busy, Damaged, Refused, Unavailable
from ..model import Event
from ..rules.actions import CONTRADICTED, REFUSED
from .commit import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ..model import Memory
    from .engine import Engine


@contextmanager
def refusals(engine: Engine) -> Generator[None]:
    """Leave an event behind whenever a gate refuses what is written in the block."""
    try:
        yield
    except Refused as error:
        # The refusal holds, whether or not it can be noted.
        with suppress(Unavailable, Busy, Damaged):
            engine.ledger.append([_refused(engine, error, one) for one in _each(error)])
        raise


def contradicted(
    engine: Engine, newer: Memory, older: Sequence[str], *, automatic: bool = True
) -> Event:
    """The event of memories that cannot both be true, whatever is then done about them."""
    return event(engine, CONTRADICTED, newer, related=older, automatic=automatic)


def _each(error: Refused) -> tuple[str, ...]:
    return tuple(dict.fromkeys(error.reasons))


def _refused(engine: Engine, error: Refused, reason: str) -> Event:
    told = {"reason": reason, "texts": str(error.reasons.count(reason))}
    return Event(
        id=engine.id(),
        at=engine.now(),
        action=REFUSED,
        # No memory came of it; a name of its own keeps events of different writes apart.
        memory=engine.id(),
        scope=str(engine.context.scope),
        by=engine.source,
        automatic=engine.automatic,
        before=json.dumps(told),
    )
