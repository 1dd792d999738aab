"""Settle a memory that several devices have written differently.

Every device decides alike: the decision follows from the texts that have arrived and from the log
alone, never from the clock, from chance or from the device. What is asked has an id made from both
texts, so that two devices ask the same question in the same file.
"""

from __future__ import annotations

from datetime import timedelta

from ..model import identity
from ..model.memory import LIVE, SENSITIVITIES, Memory
from ..model.value import Value
from ..notes.note import first_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

LISTS = ("tags", "aliases")
"""Fields that people edit in a note, of which every item of every side stays."""
SINGLES = (
    "title", "summary", "topic", "kind", "tier", "importance", "valid_from", "valid_until",
    "expires",
)  # fmt: skip
"""Fields that people edit in a note and that have one value; another one is asked about."""
_ONE_STEP = timedelta(milliseconds=1)


class SettledConflict(Value):
    """The memory that stays in place, and the texts that a person is asked about."""

    kept: Memory | None
    """None for a file of facts, whose lines are settled one by one."""
    asked: tuple[Memory, ...] = ()


def leading_side(sides: Sequence[Memory]) -> int:
    """Which side has the state that counts, of sides that begin with the newest one.

    Accepting an entry of the inbox makes it a later version and retires another memory. Turned
    down or edited on another device, it stays accepted: else neither of both would be left.
    """
    first = sides[0]
    later = (
        place
        for place, side in enumerate(sides)
        if side.status in LIVE and side.version > first.version
    )
    return 0 if first.status in LIVE else next(later, 0)


def settle_sides(
    sides: Sequence[Memory],
    *,
    is_unedited: Callable[[Memory], bool] = lambda _: False,
    is_earlier: Callable[[Memory, str], bool] = lambda side, name: False,
) -> SettledConflict:
    """Decide between the sides of a conflict; the first one is in the newest state.

    The first stays. If nobody edited its text and somebody edited another's, that text takes its
    place: only one side changed it. Each further text that somebody edited is asked about.

    Nobody knows the fields before both edits, so an empty one counts as unchanged, and so does a
    value of which `is_earlier` says that a later change replaced it. Items of lists come together.
    Of other values the one beside the text stays, and each further one is asked about.
    """
    first = sides[0]
    edited = [one for one in sides if not is_unedited(one)]
    words = first
    if first.status in LIVE and is_unedited(first):
        # A file in an agent's folder never takes the place of a curated text.
        words = next((one for one in edited if one.owner == first.owner), first)
    fields = _Fields([words, *(one for one in sides if one is not words)], is_earlier)
    kept = first.but(content=words.content, value=words.value, **fields.merged())
    asked: dict[str, Memory] = {}
    for side in edited:
        if not same_text(side, kept):
            question = other_side(side.but(**{name: fields.union(name) for name in LISTS}), kept)
            # If one text has two states, the newer one counts, which comes first.
            asked.setdefault(question.id, question)
    for side in sides if kept.status in LIVE else ():
        if same_text(side, kept) or is_unedited(side):
            others = fields.that_differ(side, kept)
            if others:
                question = other_side(kept.but(owner=side.owner, **others), kept)
                asked.setdefault(question.id, question)
    return SettledConflict(kept, tuple(asked.values()))


class _Fields:
    """The fields of the sides of a conflict, of which the first has the text that stays."""

    def __init__(self, sides: Sequence[Memory], is_earlier: Callable[[Memory, str], bool]) -> None:
        self._sides = sides
        self._is_earlier = is_earlier

    def merged(self) -> dict[str, Any]:
        """The fields that the memory in place gets."""
        words = self._sides[0]
        found: dict[str, Any] = {name: self.union(name) for name in LISTS}
        for name in SINGLES:
            ours = (one for one in self._sides if one.owner == words.owner)
            chosen = next((one for one in ours if self._is_changed(one, name)), words)
            found[name] = getattr(chosen, name)
        # Nobody sees a text because one of two devices has not heard that it is sensitive.
        found["sensitivity"] = max((s.sensitivity for s in self._sides), key=SENSITIVITIES.index)
        return found

    def union(self, name: str) -> tuple[str, ...]:
        """The items of a list on any side, those of the first side first."""
        lists = [getattr(one, name) for one in self._sides if not self._is_earlier(one, name)]
        return tuple(dict.fromkeys(item for items in lists for item in items))

    def that_differ(self, side: Memory, kept: Memory) -> dict[str, Any]:
        """The values that somebody gave to one side and that are not in place."""
        return {
            name: getattr(side, name)
            for name in SINGLES
            if self._is_changed(side, name) and _said(side, name) != _said(kept, name)
        }

    def _is_changed(self, side: Memory, name: str) -> bool:
        if name == "summary" and not same_text(side, self._sides[0]):
            return False  # It sums up another text.
        # The kind is in every note, so that the usual one is a value like any other.
        unset = name != "kind" and _said(side, name) == Memory.__defaults__[name]
        return not unset and not self._is_earlier(side, name)


def _said(memory: Memory, name: str) -> Any:
    """The value of a field; a title that only repeats the heading of the text is none."""
    value = getattr(memory, name)
    return "" if name == "title" and value == first_heading(memory.content) else value


def same_text(one: Memory, other: Memory) -> bool:
    """Whether two memories have the same text, however their lines end."""
    return one.content == other.content or _plain(one.content) == _plain(other.content)


def reads_otherwise(one: Memory, other: Memory) -> bool:
    """Whether the texts of two memories differ in more than what nobody sees of them."""
    return _seen(one.content) != _seen(other.content)


def _seen(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().lstrip("\r\n").split("\n")]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\r")


def other_side(side: Memory, kept: Memory) -> Memory:
    """A text that lost its place to another one, or a field that did, as an entry of the inbox.

    Accepting it replaces the one in place.
    """
    # The time of a note without an id is that of its file, which not every tool keeps.
    by_hand = identity.is_derived(kept.id)
    at_ms = 0 if by_hand else int(side.created.timestamp() * 1000)
    fields = _stated(side) if same_text(side, kept) else ()
    id = identity.computed_id(at_ms, "conflict", kept.id, _plain(side.content), *fields)
    return side.but(
        id=id,
        slug=identity.slug(side.title or side.key or side.content[:300], id),
        scope=kept.scope,
        status="staged",
        supersedes=_in_place(kept),
        superseded_by=None,
        deleted_at=None,
        always_load=False,
        # A file in an agent's folder only claims that a person wrote it.
        trust="agent" if side.owner == "agent" and side.trust == "user" else side.trust,
    )


def _in_place(kept: Memory) -> str:
    """The id of the memory that an entry of the inbox would replace."""
    if kept.status in LIVE:
        return kept.id
    # An entry that itself waits, or was turned down, never took the place of another one.
    asked = kept.supersedes if kept.status in ("staged", "deleted") else None
    return kept.superseded_by or asked or kept.id


def _stated(memory: Memory) -> tuple[str, ...]:
    values = ((name, _said(memory, name)) for name in SINGLES)
    return tuple(f"{name}={value}" for name, value in values if value != Memory.__defaults__[name])


def is_other_side(memory: Memory, kept: Memory) -> bool:
    """Whether an entry of the inbox asks about a text, or fields, that are in place by now."""
    if not same_text(memory, kept):
        return False
    at_ms = 0 if identity.is_derived(kept.id) else int(memory.created.timestamp() * 1000)
    text = _plain(memory.content)
    if memory.id == identity.computed_id(at_ms, "conflict", kept.id, text):
        return True
    return _stated(memory) == _stated(kept) and memory.id == other_side(memory, kept).id


def circles(successors: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Memories that replaced each other in a circle, by the ids of their successors."""
    found: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for id in sorted(successors):
        way: dict[str, None] = {}
        while id in successors and id not in seen:
            seen.add(id)
            way[id] = None
            id = successors[id]  # noqa: PLW2901 (the next step of the way)
        if id in way:
            ids = list(way)
            found.append(tuple(sorted(ids[ids.index(id) :])))
    return found


# A note that a person has moved


def place_of_moved(files: Sequence[tuple[str, Memory, int]]) -> str:
    """Which of several places a note gets that was moved on one device and changed on another.

    Each place comes with the memory there, and how long ago the note lay there: 0 for never. One
    that a person chose comes first; a curated one never gives way to an agent's folder.
    """
    order = sorted(files, key=lambda one: (one[1].owner == "agent", one[2], len(one[0]), one[0]))
    return order[0][0]


def may_be_own_copies(
    sides: Sequence[tuple[Memory, int]], *, is_unedited: Callable[[Memory], bool]
) -> bool:
    """Whether files with one id in several places may be a person's copies, or still arriving.

    Each side comes with whether the note lay there before. So it looks if that one is as it was:
    a copy has another text by now, or a moved note has come before the old one has gone. One that
    the program has changed since, whatever it was, is newer. If the note lay in all of them, it
    has moved on from all but one.
    """
    homes = [side for side, at_home in sides if at_home]
    moved = [side for side, at_home in sides if not at_home]
    return bool(homes and moved) and all(
        is_unedited(home)
        and home.updated <= other.updated
        and not same_text(home, other)
        and not _says_more(home, other)
        for home in homes
        for other in moved
    )


def settle_moved(
    settled: SettledConflict, sides: Sequence[Memory], there: Memory
) -> SettledConflict:
    """The kept memory at the place of one of the sides, as a state that is newer than each.

    A tool that is still to remove that file, because it was moved from there, leaves one that has
    changed. So two devices that choose different places for lack of news lose neither.
    """
    settled = renewed(settled, sides)
    if settled.kept is None:
        return settled
    kept = settled.kept.but(scope=there.scope, owner=there.owner)
    asked = tuple(one.but(scope=there.scope) for one in settled.asked)
    return SettledConflict(kept, asked)


def renewed(settled: SettledConflict, sides: Sequence[Memory]) -> SettledConflict:
    """The kept memory in a state that is newer than each side.

    A tool takes the file in place for changed here: it brings another text beside it, not over it.
    """
    if settled.kept is None:
        return settled
    updated = max(side.updated for side in sides) + _ONE_STEP
    return SettledConflict(settled.kept.but(updated=updated), settled.asked)


def _says_more(one: Memory, other: Memory) -> bool:
    """Whether somebody gave one of two memories a field, or an item, that the other has not."""
    if any(set(getattr(one, name)) - set(getattr(other, name)) for name in LISTS):
        return True
    return any(
        _said(one, name) not in (Memory.__defaults__[name], _said(other, name)) for name in SINGLES
    )


def rival_question_id(one: Memory, other: Memory) -> str:
    """The id of the question which of two versions of one memory holds; it is asked once."""
    first, second = sorted((one, other), key=lambda memory: memory.id)
    at_ms = int(max(one.created, other.created).timestamp() * 1000)
    return identity.computed_id(at_ms, "rivals", first.id, second.id)
