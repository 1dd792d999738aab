"""Know what a user asked not to keep: `Don't save this: …`, `Forget what I just said`.

Such a turn is left out with the answer to it, before anything reads the conversation. Where turns
are stored until their session ends, a mark stands in the place of each.
"""

from __future__ import annotations

from ...language.vocabulary import off_record as vocabulary
from ...model.lazy_pattern import lazy
from ...model.quick_decorators import lru_cache
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from ...ports.reasoner import Turn
    from .forget_wishes import ForgetWish

NOT_KEPT = "[not kept, as the user asked]"
NOR_NEXT = "[not kept, as the user asked, nor the next turn]"
NOR_OTHERS = "[not kept, as the user asked, nor the rest of the session]"
"""Stand in the place of a user's turn that asked for this."""
MOST_CHARACTERS = 8_000
"""Characters read at the beginning and at the end of a turn; pasted text stands between them."""


_EVERY = (
    *vocabulary.THIS_TURN, *vocabulary.STORED, *vocabulary.TAKES_BACK, *vocabulary.WHOLE_TALK,
    *vocabulary.NEXT_TURN,
)  # fmt: skip


class KeepOut(Value):
    """The parts of a conversation that a turn asks not to keep."""

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
    """Read from a user's turn which parts of the conversation not to keep; mostly none."""
    if text in _MARKED:
        return _MARKED[text]
    text = _without_middle(text)
    # The lines, and all of them as one, are looked at first: what tells sentences and quotes apart
    # takes a cold start longer than its answer, and hardly a prompt needs it.
    asks = _finds(_EVERY, _plain([*text.splitlines(), text]))
    wish = _wish_on_own_words(text)
    if not asks and wish is None:
        return KEEPS
    from ...language.statements import sentences
    from .lessons import own_words

    read = _read(_plain(sentences(own_words(text)))) if asks else KEEPS
    return read if wish is None else _with_matter(read, wish)


def _wish_on_own_words(text: str) -> ForgetWish | None:
    """The wish of a turn to forget what the user said about a matter."""
    low = text.lower()
    if not _has(low, vocabulary.SPEECH_PIECES) or not _has(low, vocabulary.MATTER_PIECES):
        return None
    from .forget_wishes import named_wish

    return named_wish(text, of_speech=True)


def _with_matter(read: KeepOut, wish: ForgetWish) -> KeepOut:
    """Add a wish to forget the user's words on a matter to what a turn asks not to keep."""
    from .forget_wishes import matter_terms

    bare = _says_nothing(wish.rest)
    before = read.before and _read(_plain([wish.rest])).before
    about = read.about | matter_terms(wish.about)
    return read.but(this=read.this or bare, before=before, about=about)


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
        if wish.before and number and not _only_forgets(turns[users[number - 1]].text):
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


def _only_forgets(text: str) -> bool:
    """Whether a turn is nothing but a wish to forget a matter, which is obeyed at the end as well.

    Without the turn, what was told of the matter before it would be kept.
    """
    wish = wish_to_forget(text)
    return wish is not None and _says_nothing(wish.rest)


def wish_to_forget(text: str) -> ForgetWish | None:
    """The wish of a turn that names a matter to forget, whenever it was spoken of."""
    text = _without_middle(text)
    if not _has(text.lower(), vocabulary.MATTER_PIECES):
        return None
    from .forget_wishes import named_wish

    return named_wish(text)


def without_forgotten(turns: Sequence[Turn], wishes: Mapping[int, ForgetWish]) -> list[Turn]:
    """The turns without wishes to forget a matter, given by turn, and without what named it before.

    What is told of the matter after the wish and its answer is newer, and stays.
    """
    made = list(turns)
    for number, wish in wishes.items():
        users = (at for at in range(number + 1, len(made)) if made[at].speaker == "user")
        answered = next(users, len(made))
        if made[number].text:
            made[number] = made[number].but(text=wish.rest)
        if _says_nothing(wish.rest):
            made[number:answered] = [one.but(text="") for one in made[number:answered]]
        made[:answered] = [one.but(text=_unnamed(one.text, wish)) for one in made[:answered]]
    return made


def _unnamed(text: str, wish: ForgetWish) -> str:
    """A text without the statements that name the matter of a wish."""
    from ...language.statements import join_statements, split
    from ..longer_names import without_longer_names
    from .forget_wishes import matter_terms

    named = matter_terms(wish.about)
    said = split(text)
    kept = [one for one in said if not named <= without_longer_names(named, one.text)]
    return text if len(kept) == len(said) else join_statements(kept).strip()


def _says_nothing(text: str) -> bool:
    from ...language.words import telling_terms

    return telling_terms(text) <= telling_terms(vocabulary.SAYS_NOTHING)


def _without_reason(named: str) -> str:
    """A thing without what follows it: `Piet because he retired`."""
    return lazy(vocabulary.GOES_ON).split(named)[0].strip()


def _read(said: str) -> KeepOut:
    if _finds(vocabulary.WHOLE_TALK, said):
        return KeepOut(this=True, all=True)
    if _finds(vocabulary.NEXT_TURN, said):
        return KeepOut(this=True, after=True)
    back = [
        found
        for one in vocabulary.TAKES_BACK
        if (found := _find(one, said)) and _is_asked(said, found.start())
    ]
    kept_out = [found.span() for one in vocabulary.THIS_TURN if (found := _find(one, said))]
    kept_out += [
        found.span()
        for one in vocabulary.STORED
        if (found := _find(one, said)) and not _is_of_work(said, found.span())
    ]
    if not back and not kept_out:
        return KEEPS
    asked = [*(one.span() for one in back), *kept_out]
    bare = _says_nothing(_without(said, asked))
    next_one = bare and any(piece in said for piece in vocabulary.COMES_NEXT)
    if back:
        from .forget_wishes import matter_terms

        things = (one.groupdict().get("about") or "" for one in back)
        about = frozenset[str]().union(*(matter_terms(_without_reason(one)) for one in things))
        # The rest of the turn is newer: `Forget what I said about Redis, we use Valkey now`.
        return KeepOut(this=bare or bool(kept_out), before=not about, about=about)
    points_on = bare and " this" in f" {said}"
    return KeepOut(this=True, before=bare and not next_one, after=next_one or points_on)


def _is_asked(said: str, start: int) -> bool:
    from .forget_wishes import is_asked

    return is_asked(said, start)


def _has(low: str, pieces: Iterable[str]) -> bool:
    return any(map(low.__contains__, pieces))


def _plain(sentences: Iterable[str]) -> str:
    """Sentences as the wishes are written: in lower case, with a line break between them."""
    plain = (" ".join(one.lower().replace("’", "'").split()) for one in sentences)
    return "\n".join(one for one in plain if one)


def _finds(wishes: Iterable[tuple[str, str]], said: str) -> bool:
    return any(_find(one, said) for one in wishes)


def _find(wish: tuple[str, str], said: str) -> re.Match[str] | None:
    """Where a turn asks in one way, which has the pieces of which every match has one."""
    pieces, shape = wish
    plain = said.replace("\n", " ")
    return _pattern(shape).search(said) if any(map(plain.__contains__, pieces.split("|"))) else None


@lru_cache(maxsize=200)
def _pattern(shape: str) -> re.Pattern[str]:
    return lazy(shape)


def _without_middle(text: str) -> str:
    if len(text) <= 2 * MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]}\n{text[-MOST_CHARACTERS:]}"


def _without(said: str, spans: Sequence[tuple[int, int]]) -> str:
    gone = {at for start, end in spans for at in range(start, end)}
    return "".join(" " if at in gone else sign for at, sign in enumerate(said))


def _is_of_work(said: str, span: tuple[int, int]) -> bool:
    """Whether an order is one among others, or follows from a condition: it is about the work."""
    from ...language.vocabulary.plans import HABITS

    sentence = lazy(r"[.!?;:]\s|\n|。").split(said[: span[0]])[-1].lstrip(" ,")
    if lazy(vocabulary.CONDITION).match(sentence):
        return True
    if lazy(vocabulary.CALLED_FOR).search(sentence + said[slice(*span)]):
        return True
    after = said[span[1] :]
    then = after.lstrip(" ,").split() if after.startswith(",") else []
    leads = {"please", "just", "but", "can", "could", "you", "and", "instead"}
    for clause in (sentence.split(), then):
        first = next((word for word in clause if word not in leads), "")
        if first.strip(",.") in HABITS | vocabulary.ORDERED:
            return True
    return False


def _is_about(turns: Sequence[Turn], at: int, about: frozenset[str]) -> bool:
    from ..longer_names import without_longer_names

    return bool(without_longer_names(about, turns[at].text))
