"""Know what a user asked not to keep: `Don't save this: …`, `Forget what I just said`.

Such a turn is left out with the answer to it, before anything reads the conversation. Where turns
are stored until their session ends, a mark stands in the place of each.
"""

from __future__ import annotations

from ..language.vocabulary import off_record as vocabulary
from ..model.lazy_pattern import lazy
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports.reasoner import Turn

NOT_KEPT = "[not kept, as the user asked]"
NOR_NEXT = "[not kept, as the user asked, nor the next turn]"
NOR_OTHERS = "[not kept, as the user asked, nor the rest of the session]"
"""Stand in the place of a user's turn that asked for this."""
MOST_CHARACTERS = 8_000
"""Characters read at the beginning and at the end of a turn; pasted text stands between them."""
_WISHES = (
    *vocabulary.THIS_TURN,
    *vocabulary.STORED,
    *vocabulary.TAKES_BACK,
    *vocabulary.WHOLE_TALK,
    *vocabulary.NEXT_TURN,
)


class KeepOut(Value):
    """What a turn asks not to keep."""

    this: bool = False
    before: bool = False
    """The user's turn before it, too."""
    after: bool = False
    """The user's next turn, too."""
    all: bool = False
    """The whole conversation."""
    about: frozenset[str] = frozenset()
    """Telling words of what earlier turns must not be kept about."""


KEEPS = KeepOut()
_MARKED = {
    NOT_KEPT: KeepOut(this=True),
    NOR_NEXT: KeepOut(this=True, after=True),
    NOR_OTHERS: KeepOut(this=True, all=True),
}


MARKS = frozenset(_MARKED)


def read_wish(text: str) -> KeepOut:
    """What a user's turn asks not to keep; most ask nothing."""
    if text in _MARKED:
        return _MARKED[text]
    said = _plain(text)
    if not any(piece in said for piece, _ in _WISHES):
        return KEEPS
    # Imported here, because most prompts need none of it.
    from .lessons import own_words

    return _read(_plain(own_words(_without_middle(text))))


def marks(turns: Sequence[Turn]) -> list[str]:
    """For each turn the mark that stands for it; empty if it may be kept."""
    wishes = [read_wish(turn.text) if turn.speaker == "user" else KEEPS for turn in turns]
    if all(wish is KEEPS for wish in wishes):
        return [""] * len(turns)
    users = [at for at, turn in enumerate(turns) if turn.speaker == "user"]
    gone: dict[int, str] = {}
    for number, at in enumerate(users):
        wish = wishes[at]
        if wish.all:
            gone = dict.fromkeys(range(len(turns)), NOT_KEPT)
            gone[at] = NOR_OTHERS
            return [gone[one] for one in range(len(turns))]
        if wish.this:
            gone[at] = NOR_NEXT if wish.after else NOT_KEPT
        if wish.before and number:
            gone.setdefault(users[number - 1], NOT_KEPT)
        if wish.after and number + 1 < len(users):
            gone.setdefault(users[number + 1], NOT_KEPT)
        if wish.about:
            gone |= {one: NOT_KEPT for one in users[:number] if _is_about(turns, one, wish.about)}
    found, of_turn = [""] * len(turns), ""
    for at, turn in enumerate(turns):
        if turn.speaker == "user":
            of_turn = found[at] = gone.get(at, "")
        elif of_turn:
            found[at] = NOT_KEPT  # An answer says what it answers.
    return found


def without_unrecorded(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, those without text that their user asked not to keep."""
    return [
        turn.but(text="") if mark else turn for turn, mark in zip(turns, marks(turns), strict=True)
    ]


def _read(said: str) -> KeepOut:
    if _first(vocabulary.WHOLE_TALK, said):
        return KeepOut(this=True, all=True)
    if _first(vocabulary.NEXT_TURN, said):
        return KeepOut(this=True, after=True)
    back = [span for one in vocabulary.TAKES_BACK if (span := _find(one, said))]
    kept_out = [span for one in vocabulary.THIS_TURN if (span := _find(one, said))]
    kept_out += [
        span
        for one in vocabulary.STORED
        if (span := _find(one, said)) and not _is_of_work(said, span)
    ]
    if not back and not kept_out:
        return KEEPS
    from ..language.words import telling_terms

    bare = not telling_terms(_without(said, [*back, *kept_out])) - telling_terms(
        vocabulary.SAYS_NOTHING
    )
    next_one = bare and any(piece in said for piece in vocabulary.COMES_NEXT)
    if back:
        about = _about(said)
        return KeepOut(this=bare or bool(about), before=not about, about=about)
    points_on = bare and " this" in f" {said}"
    return KeepOut(this=True, before=bare and not next_one, after=next_one or points_on)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _without_middle(text: str) -> str:
    if len(text) <= 2 * MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}\n{text[-MOST_CHARACTERS:]}"


def _first(wishes: Sequence[tuple[str, str]], said: str) -> tuple[int, int] | None:
    return next(filter(None, (_find(one, said) for one in wishes)), None)


def _find(wish: tuple[str, str], said: str) -> tuple[int, int] | None:
    piece, pattern = wish
    found = lazy(pattern).search(said) if piece in said else None
    return found.span() if found else None


def _without(said: str, spans: Sequence[tuple[int, int]]) -> str:
    gone = {at for start, end in spans for at in range(start, end)}
    return "".join(" " if at in gone else sign for at, sign in enumerate(said))


def _is_of_work(said: str, span: tuple[int, int]) -> bool:
    """Whether the clause beside an order is one, too: `Don't store it, stream it`."""
    from ..language.vocabulary.plans import HABITS

    before = lazy(r"[.!?;:]\s").split(said[: span[0]])[-1].split()
    after = said[span[1] :]
    then = after.lstrip(" ,").split() if after.startswith(",") else []
    leads = {"please", "just", "but", "can", "could", "you", "and", "instead"}
    for clause in (before, then):
        first = next((word for word in clause if word not in leads), "")
        if first.strip(",.") in HABITS | vocabulary.ORDERED:
            return True
    return False


def _about(said: str) -> frozenset[str]:
    from ..language.words import telling_terms

    for piece, pattern in vocabulary.TAKES_BACK:
        found = lazy(pattern).search(said) if piece in said and "about" in pattern else None
        if found and (thing := found.groupdict().get("about")):
            return telling_terms(thing)
    return frozenset()


def _is_about(turns: Sequence[Turn], at: int, about: frozenset[str]) -> bool:
    from ..language.words import telling_terms

    return not about.isdisjoint(telling_terms(turns[at].text))
