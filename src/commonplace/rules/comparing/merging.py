"""Two texts as one: every distinct statement once, the newer first, changed values noted."""

from __future__ import annotations

import re

from ...ports.reasoning import Merged
from ..claims import NOTE, claims
from ..text import statements
from . import contradiction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..text.statements import Statement
    from .contradiction import Conflict

_STOP = re.compile(r"[.!?。！？…\s]*$")


def merge(newer: str, older: str) -> Merged:
    """Both texts as one. What the newer one says otherwise replaces what the older one said.

    Nothing else is lost: each statement of either text is in the merged one, or in its changes.
    """
    new, old = _distinct(statements.split(newer)), _distinct(statements.split(older))
    known = {_bare(one) for one in new}
    left = [one for one in old if _bare(one) not in known]
    new = _with_old_notes(new, old)
    replaced = _replaced(new, left)
    noted = [_noted(one, replaced[at][1]) if at in replaced else one for at, one in enumerate(new)]
    gone = {number for number, _ in replaced.values()}
    changes = tuple(
        f"{_said(new[at])} — was: {_said(left[number])}"
        for at, (number, _) in sorted(replaced.items())
    )
    kept = [one for number, one in enumerate(left) if number not in gone]
    return Merged(_joined(noted, kept), changes)


def _distinct(said: Iterable[Statement]) -> list[Statement]:
    """Each statement once, with its note if it has one somewhere.

    A heading stays, since it names another part each time.
    """
    places: dict[str, int] = {}
    found: list[Statement] = []
    for one in said:
        bare = _bare(one)
        if one.heading or bare not in places:
            places.setdefault(bare, len(found))
            found.append(one)
        elif one.key != bare:
            found[places[bare]] = found[places[bare]].but(text=one.text)
    return found


def _bare(one: Statement) -> str:
    """How a statement compares without a note of what it was before."""
    return one.key if one.block else one.but(text=NOTE.sub("", one.text)).key


def _with_old_notes(new: Sequence[Statement], old: Sequence[Statement]) -> list[Statement]:
    """The newer statements; one that the older text has with a note keeps that note."""
    noted = {_bare(one): one for one in old if _bare(one) != one.key}
    return [
        one.but(text=noted[one.key].text) if not one.block and one.key in noted else one
        for one in new
    ]


def _replaced(
    new: Sequence[Statement], old: Sequence[Statement]
) -> dict[int, tuple[int, Conflict | None]]:
    """Which newer statement takes which older one's place; one for one, so that none is lost."""
    found: dict[int, tuple[int, Conflict | None]] = {}
    topics = [contradiction.about(one.text) for one in new]
    for number, gone in enumerate(old):
        if gone.heading or gone.block:
            continue
        topic = contradiction.about(gone.text)
        for at, one in enumerate(new):
            if at in found or one.heading or one.block or topics[at].isdisjoint(topic):
                continue
            clash = contradiction.conflict(one.text, gone.text)
            if clash is not None or contradiction.denial(one.text, gone.text):
                found[at] = (number, clash)
                break
    return found


def _noted(one: Statement, clash: Conflict | None) -> Statement:
    """The statement with what it was before, in brackets before its full stop."""
    if clash is None or any(sign in clash.older.value for sign in "()"):
        return one
    named = clash.newer.but(value=clash.older.value, negated=True)
    if not clash.newer.negated and named in claims(one.text):
        return one  # As in: master, not main.
    was = f"not {clash.older.value}" if clash.older.negated else clash.older.value
    text = NOTE.sub("", one.text)
    end = _STOP.search(text)
    at = end.start() if end else len(text)
    return one.but(text=f"{text[:at]} (was {was}){text[at:]}")


def _said(one: Statement) -> str:
    return " ".join(one.text.split())


def _joined(new: Sequence[Statement], old: Sequence[Statement]) -> str:
    """The newer statements and what is left of the older, in the shape they had."""
    if new and old:
        lines = any("\n" in one.before for one in (*new, *old))
        mark = old[0].before.strip()
        open_end = not re.search(r"[.!?。！？…:]$", new[-1].text.rstrip())
        gap = "\n" if lines or open_end or mark else " "
        old = [old[0].but(before=f"{gap}{mark} " if mark else gap), *old[1:]]
    kept: list[Statement] = []
    for one in (*new, *old):
        kept.append(_apart(one, kept[-1]) if kept else one)
    return statements.together(kept)


def _apart(one: Statement, last: Statement) -> Statement:
    """The statement, set off from the one before it even if what stood between them is gone."""
    if (one.block or last.block) and one.before.count("\n") < 2:
        return one.but(before=f"\n\n{one.before.lstrip()}")
    if one.before.strip():
        return one
    # A small letter behind `80. ` would read as more of the sentence, as would one in a new line
    # behind a long one.
    count = len(statements.split(last.text)) + len(statements.split(one.text))
    gaps = (gap for gap in (one.before or " ", "\n") if len(_split(last, gap, one)) == count)
    return one.but(before=next(gaps, "\n\n"))


def _split(last: Statement, gap: str, one: Statement) -> list[Statement]:
    return list(statements.split(f"{last.text}{gap}{one.text}"))
