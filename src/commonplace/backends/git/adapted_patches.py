"""Compare a branch with a commit that has its work, but not its patch to the letter.

Somebody may have changed lines near by before the branch was squashed, and a squash may have a
review's changes in it. Lines are compared where they belong: a change is there if the commit
changed the same lines of the same file and added all that the branch added, with or without more.
Some of that may have been there before: by an earlier squash, a rebase or a pick.
A review that changed a line of the branch makes it another work.
"""

from __future__ import annotations

from collections import Counter

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence


class Hunk(Value):
    """Lines that a change removes, from a line of the old file on, and those that it adds."""

    start: int
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The first line after those that are removed."""
        return self.start + len(self.removed)


def read_hunks(lines: Iterable[str]) -> dict[str, list[Hunk]]:
    """The hunks of each file in a patch without context; a binary file has one with its ids."""
    found: dict[str, list[tuple[int, list[str], list[str]]]] = {}
    file, index, in_hunk = "", "", False
    for line in lines:
        if line.startswith("diff --git "):
            file, in_hunk = line, False
            found[file] = []
        elif line.startswith("@@ "):
            found[file].append((_first_line(line), [], []))
            in_hunk = True
        elif in_hunk and line[0] in "-+":
            _, removed, added = found[file][-1]
            (removed if line[0] == "-" else added).append("".join(line[1:].split()))
        elif line.startswith("index "):
            index = line
        elif line.startswith("Binary files"):
            found[file].append((0, [], [index]))
    return {
        name: [Hunk(start, tuple(removed), tuple(added)) for start, removed, added in hunks]
        for name, hunks in found.items()
    }


def _first_line(header: str) -> int:
    """How many lines of the old file stand before a hunk."""
    start, _, count = header.split()[1][1:].partition(",")
    # One without old lines is named by the line before it.
    return int(start) if count == "0" else int(start) - 1


def has_lines(
    change: Mapping[str, Sequence[Hunk]],
    meanwhile: Mapping[str, Sequence[Hunk]],
    commit: Mapping[str, Sequence[Hunk]],
    *,
    alone: bool = False,
) -> bool:
    """Whether a commit has a change; `meanwhile` leads from its base to the commit's parent.

    Some of the change may have come meanwhile, but not all, since a squash leaves out what is there
    already. With `alone` the commit may have no other change in the same lines. Lines without a
    letter or digit say nothing, such as braces: a change of such lines alone is not found.
    """
    found = False
    for file, hunks in change.items():
        theirs = _Additions(commit.get(file, ()), alone=alone)
        earlier = _Additions(meanwhile.get(file, ()), alone=alone)
        for hunk in hunks:
            if not any(map(_says_something, (*hunk.added, *hunk.removed))):
                continue
            if theirs.take(hunk, _moved(hunk, meanwhile.get(file, ()))):
                found = True
            elif not earlier.take(hunk, {hunk.start}):
                return False
    return found


class _Additions:
    """The hunks of a commit in one file; each added line stands for one line of a branch."""

    def __init__(self, hunks: Sequence[Hunk], *, alone: bool) -> None:
        self._hunks = hunks
        self._alone = alone
        self._left = [Counter(hunk.added) for hunk in hunks]

    def take(self, hunk: Hunk, places: Collection[int]) -> bool:
        """Whether the commit has a branch's hunk at one of these places; if so, use its lines."""
        added = Counter(filter(_says_something, hunk.added))
        for other, left in zip(self._hunks, self._left, strict=True):
            if _covers(other, hunk, places, alone=self._alone):
                if not added <= left:
                    return False
                left.subtract(added)
                return True
        return False


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


def _moved(hunk: Hunk, meanwhile: Iterable[Hunk]) -> set[int]:
    """Where a hunk begins after other changes to the file; nowhere if one has touched its lines.

    Where others inserted lines at the same place, it may come before or after them.
    """
    places = {hunk.start}
    for other in meanwhile:
        shift = len(other.added) - len(other.removed)
        if other.start == other.end == hunk.start == hunk.end:
            places |= {place + shift for place in places}
        elif other.end <= hunk.start:
            places = {place + shift for place in places}
        elif other.start < hunk.end:
            return set()
    return places


def _covers(other: Hunk, hunk: Hunk, places: Collection[int], *, alone: bool) -> bool:
    """Whether a hunk of a commit changes the lines that another one changes."""
    # A commit that rewrote a whole passage did not take over a branch that removes a line of it.
    if alone or not any(map(_says_something, hunk.added)):
        return other == hunk.but(start=other.start) and other.start in places
    size = len(hunk.removed)
    return any(other.start <= place and place + size <= other.end for place in places)
