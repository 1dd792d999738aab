"""Finds notes that a sync tool has left in several files, and the order in which they count.

Two files are sides of one conflict if they claim the same id and the tool named the weaker one, or
left it where the note lay before a device moved it to a shelf; or if a name that only a tool gives
says so. A note that a person has moved on one device and edited on another is in two files as well;
`verbs.converge` tells it from a copy that a person made. A copy beside the note, whose name tells
that it is one, is left alone.
"""

from __future__ import annotations

import os
import time

from ...model.identity import SHORT_ID_CHARACTERS, is_derived
from ...model.memory import LIVE
from ...model.scope import Tenant
from ...model.value import Value
from ...notes.conflict_copies import original_name, possible_originals
from ...notes.layout import FACTS, MAP, SHELVES
from ...notes.note import own_touches
from ...notes.places import file_name, path_for, place_at, scope_folder
from ...ports.record_store import SyncConflict, SyncConflicts
from ...rules.convergence import leading_side
from .read_notes import parse_file, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...model.memory import Memory
    from .files import Files
    from .manifest import Manifest


REPEATED_S = 24 * 3600.0
"""A copy with the very bytes of a note without an id, or of a file of facts, goes after so long.

Where a tool made the copy, another text won, and may be on its way to this device. It will take the
place of ours, and then the copy alone has our text. A note with an id is safe without waiting: the
one in place gets a newer state, which no tool overwrites.
"""


class Side(Value):
    """A file of a conflict, and the memories in it as if it had its proper name."""

    path: str
    crc: int
    memories: tuple[Memory, ...]
    touches: tuple[str, ...]


class ConflictFinder:
    """Finds conflicts by the manifest, which is up to date."""

    def __init__(self, files: Files, manifest: Manifest) -> None:
        self._files = files
        self._manifest = manifest

    def find(self, *, quiet_s: float) -> SyncConflicts:
        """The conflicts whose files have all been quiet for so long."""
        twice = map(self._of_id, self._manifest.claimed_twice().values())
        groups = [group for group in twice if group is not None]
        groups += self._by_name({path for _, paths in groups for path in paths})
        found: list[SyncConflict] = []
        arriving = 0
        for place, paths in groups:
            if self._is_arriving(paths, quiet_s):
                arriving += 1
            elif (conflict := self._conflict(place, paths)) is not None:
                if _is_repeated(conflict) and self._is_arriving(paths, REPEATED_S):
                    arriving += 1
                else:
                    found.append(conflict)
        return SyncConflicts(tuple(found), arriving)

    def _of_id(self, paths: list[str]) -> tuple[str, list[str]] | None:
        """The place of the note that has an id, and the files with it that a tool left."""
        first, *others = paths
        winner = self._side(first, first)
        if winner is None or len(winner.memories) != 1 or is_facts_file(first):
            return None
        left = [path for path in others if self._is_side(path, first, winner.memories[0])]
        if not left:
            return None
        paths = [first, *left]
        sides = [side.memories[0] for path in paths if (side := self._side(path, path)) is not None]
        leading = leading_side(sides)
        paths.insert(0, paths.pop(leading))
        return self._proper_place(paths[0], sides[leading], paths[1:]), paths

    def _is_side(self, path: str, first: str, winner: Memory) -> bool:
        """Whether a weaker file of an id may be another side of the note that has it."""
        side = self._side(path, path)
        if side is None or len(side.memories) != 1 or is_facts_file(path):
            return False
        memory = side.memories[0]
        return self._was_left(path, memory, first, winner) or _was_moved(
            path, memory, first, winner
        )

    def _was_left(self, path: str, memory: Memory, first: str, winner: Memory) -> bool:
        """Whether a sync tool, and no person, put a weaker file of an id where it is."""
        if (memory.scope, memory.owner) != (winner.scope, winner.owner):
            return False
        here, there = path.rpartition("/")[0], first.rpartition("/")[0]
        if here != there:
            shelves = {here.rpartition("/")[2], there.rpartition("/")[2]} & {*SHELVES}
            # A person may write a new note where one was that lies in the archive by now: an id
            # made from the place is no sign that both are one.
            if not shelves or is_derived(memory.id):
                return False
        elif _tools_name(first, winner, (path,)) == path.rpartition("/")[2]:
            return True
        return _tools_name(path, memory, (first,)) is not None or _own_name(path, memory)

    def _proper_place(self, path: str, memory: Memory, others: Sequence[str]) -> str:
        """The path that a note has without what a tool added to its name."""
        name = _tools_name(path, memory, others)
        if name is None:
            return path
        folder = path.rpartition("/")[0]
        for candidate in (name, f"{name.removesuffix('.md')}-{memory.id}.md"):
            place = f"{folder}/{candidate}" if folder else candidate
            if place in others or not os.path.lexists(self._files.path(place)):
                return place
        return path

    def _by_name(self, known: set[str]) -> list[tuple[str, list[str]]]:
        """The files that have a name which only a tool gives, with the file that they copy."""
        groups: dict[str, list[str]] = {}
        alone: list[tuple[str, list[str]]] = []
        for path in self._manifest.paths_like("%conflict%"):
            folder, _, name = path.rpartition("/")
            original = original_name(name)
            if path in known or original is None or original == MAP:
                continue
            place = f"{folder}/{original}" if folder else original
            side = self._side(path, place)
            lines = is_facts_file(place)
            if side is None or not (side.memories or lines):
                continue
            if lines or is_derived(side.memories[0].id):
                groups.setdefault(place, []).append(path)
            elif (proper := self._proper_place(path, side.memories[0], ())) != path:
                # The only file of its id: the tool, or a person, removed the original.
                alone.append((proper, [path]))
        for place, copies in groups.items():
            there = [place] if os.path.lexists(self._files.path(place)) else []
            alone.append((place, [*there, *copies]))
        return alone

    def _conflict(self, place: str, paths: list[str]) -> SyncConflict | None:
        sides = [self._side(path, place if _has_no_id(path, place) else path) for path in paths]
        # A file that is read in part, or not at all, is a person's to mend first.
        if any(side is None for side in sides):
            return None
        read = [side for side in sides if side is not None]
        files = tuple((side.path, side.crc) for side in read)
        if is_facts_file(place):
            return SyncConflict(place, files, rivals=tuple(_rival_values(read)))
        if any(len(side.memories) != 1 for side in read):
            return None
        memories = tuple(side.memories[0] for side in read)
        moved = any(
            not self._was_left(side.path, memory, paths[0], memories[0])
            for side, memory in list(zip(read, memories, strict=True))[1:]
        )
        if not moved or any(one.status not in LIVE for one in memories):
            return SyncConflict(place, files, memories)
        at_home = tuple(map(_is_at_home, (side.path for side in read), memories))
        touches = tuple(side.touches for side in read)
        return SyncConflict(place, files, memories, at_home=at_home, touches=touches)

    def _side(self, path: str, place: str) -> Side | None:
        """A file's memories as if it were at another place; None if it cannot be read whole."""
        content = self._files.read_or_none(path)
        if content is None or place_at(place) is None:
            return None
        found = parse_file(place, content, lambda at: read_text(self._files, at))
        if found.problem and not is_facts_file(place):
            return None
        touches = own_touches(content.data.decode(errors="replace"))
        return Side(path, content.crc, found.memories, touches)

    def _is_arriving(self, paths: Iterable[str], quiet_s: float) -> bool:
        """Whether one of the files changed so lately that more of it may be on its way."""
        now = time.time()
        for path in paths:
            try:
                # The time of the change on this disk: a tool sets the other one as it likes.
                age_s = now - os.lstat(self._files.path(path)).st_ctime
            except FileNotFoundError:
                return True
            if 0 <= age_s < quiet_s:
                return True
        return False


def _is_repeated(conflict: SyncConflict) -> bool:
    checksums = {checksum for _, checksum in conflict.files}
    without_id = all(is_derived(side.id) for side in conflict.sides)
    return without_id and len(conflict.files) > 1 and len(checksums) == 1


def is_facts_file(path: str) -> bool:
    """Whether a file holds a fact a line."""
    return path.rpartition("/")[2] == FACTS


def _has_no_id(path: str, place: str) -> bool:
    """Whether a file is read under the name of the file that it copies."""
    return path.rpartition("/")[0] == place.rpartition("/")[0]


def _tools_name(path: str, memory: Memory, others: Sequence[str]) -> str | None:
    """The name of a note without what a tool added to it; None if no tool did."""
    folder, _, name = path.rpartition("/")
    own = file_name(memory.slug) if memory.slug else ""
    # A name that a person may choose counts only if the rest is the note's own name, or that of
    # a file beside it with the same id.
    beside = [other.rpartition("/")[2] for other in others if other.rpartition("/")[0] == folder]
    possible = possible_originals(name)
    return next((one for one in (own, *beside) if one in possible), original_name(name))


def _was_moved(path: str, memory: Memory, first: str, winner: Memory) -> bool:
    """Whether a person may have moved or renamed a note, so that a tool has both files now."""
    if is_derived(memory.id) or Tenant.of(memory.scope) != Tenant.of(winner.scope):
        return False
    places = [place_at(path), place_at(first)]
    if any(place is None or place.form != "note" for place in places):
        return False
    if path.rpartition("/")[0] != first.rpartition("/")[0]:
        return True
    own = _stem(f"/{file_name(winner.slug)}", memory.id) if winner.slug else ""
    one, other = _stem(path, memory.id), _stem(first, memory.id)
    # Programs name a copy after the note: `note copy.md`, `Copy of note.md`.
    if own in (one, other):
        return one == other or own not in (other if one == own else one)
    return one not in other and other not in one


def _stem(path: str, id: str) -> str:
    """The name of a file, without the id that the program adds where the name is taken."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    for end in (id, id[-SHORT_ID_CHARACTERS:]):
        stem = stem.removesuffix(f"-{end}")
    return stem


def _is_at_home(path: str, memory: Memory) -> bool:
    """Whether a file is where the fields of its note say, in whichever scope."""
    tail = path_for(memory)[len(scope_folder(memory.scope)) :]
    return path.endswith(tail)


def _own_name(path: str, memory: Memory) -> bool:
    return bool(memory.slug) and path.rpartition("/")[2] == file_name(memory.slug)


def _rival_values(sides: list[Side]) -> Iterable[tuple[Memory, Memory]]:
    """Each value of a file of facts, and every other value that a copy has for its key."""
    values: dict[str, Memory] = {}
    for side in sides:
        for memory in side.memories:
            kept = values.setdefault(memory.id, memory)
            if kept.value != memory.value:
                yield kept, memory
