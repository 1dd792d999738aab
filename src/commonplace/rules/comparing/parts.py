"""What of a text another one contradicts, statement by statement: the rest must not go with it."""

from __future__ import annotations

from ...value import Value
from ..text import statements
from . import joining
from .contradiction import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ports.reasoning import Merged
    from ..text.statements import Statement


class Parts(Value):
    """The statements of a text that another one contradicts, and the others."""

    gone: tuple[Statement, ...] = ()
    left: tuple[Statement, ...] = ()
    """Empty when the text says nothing else, but perhaps in a heading."""


def parted(newer: str, older: str) -> Parts:
    """What of the older text can no longer be so, and what else it says."""
    said = statements.split(older)
    if sum(not one.heading for one in said) <= 1:
        return Parts(gone=said)
    gone = tuple(one for one in said if judge(newer, one.text).relation == "contradicts")
    left = tuple(one for one in said if one not in gone)
    return Parts(gone) if all(one.heading for one in left) else Parts(gone, left)


def joined(newer: str, older: str, merge: Callable[[str, str], Merged]) -> Merged | None:
    """Both texts as one, without what is no longer so; None where nothing else would be in it.

    None as well where it is not clear what has changed, or something else would be lost.
    """
    found = parted(newer, older)
    if not found.left:
        return None
    rest = older if len(found.gone) == 1 else statements.together(found.left)
    merged = merge(newer, rest)
    changed = merged.changes or len(found.gone) > 1
    return merged if changed and joining.loses_nothing(merged, newer, rest) else None


def put_right(newer: str, older: str) -> str:
    """The older text, saying what the newer one says where the two contradict each other.

    Empty when nothing else is in it, or nothing that the rules could tell.
    """
    found = parted(newer, older)
    if not found.gone or not found.left:
        return ""
    text, gone = older, list(found.gone)
    for said in statements.sentences(newer):
        denied = [one for one in gone if judge(said, one.text).relation == "contradicts"]
        text = statements.exchanged(text, denied, said)
        gone = [one for one in gone if one not in denied]
    return statements.exchanged(text, gone, "")
