"""Requests of agents that need no decision any more, because what they ask for is so already."""

from __future__ import annotations

from ..model.errors import BadInput
from ..model.memory import LIVE
from ..rules import proposals
from .find import newest_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

_SO_ALREADY = {
    "edit": "the memory says so already",
    "correct": "the memory says so already",
    "forget": "it is forgotten already",
    "restore": "it is in use already",
    "rename": "it has this name already",
    "revert": "that change is undone already",
    proposals.FORGET_ABOUT: "they are forgotten already",
}


def why_settled(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> str:
    """Why nothing is left to decide about an agent's request; empty if a decision is."""
    action = proposals.action_of(proposal)
    if action not in _SO_ALREADY:
        return ""
    if not targets:
        return "Nothing is left to decide: what it is about is gone."
    if action == proposals.FORGET_ABOUT:
        so = all(one.status == "deleted" for one in targets)
    else:
        try:
            so = _is_so(engine, proposal, action, targets[0])
        except BadInput:
            return ""  # Its fields were edited so that they cannot be read; accepting says it.
    return f"Nothing is left to decide: {_SO_ALREADY[action]}." if so else ""


def _is_so(engine: Engine, proposal: Memory, action: str, target: Memory) -> bool:
    fields, text = proposals.changed_fields(proposal), proposals.changed_text(proposal)
    if action == "revert":
        # Imported here, because few requests are for an undo.
        from .undo import is_undone

        return is_undone(engine, str(fields.get("event", "")))
    if action == "forget":
        return target.status == "deleted"
    if action == "restore":
        return target.status in LIVE
    if action == "rename":
        return target.slug == fields.get("name")
    newest = newest_version(engine, target)
    said = text in (None, newest.content)
    return newest.status in LIVE and said and proposals.has_fields(newest, fields)
