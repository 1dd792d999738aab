"""An anchor: the place in a project's files that a memory speaks of, and a hash of that place.

Notes keep anchors as one readable line each:

    src/app.py#load_config @1f3a9c0d2b4e          a definition
    src/app.py#load_config() @90ab12cd34ef        the names of its parameters
    src/app.py#load_config(…) @0c1d2e3f4a5b       its parameters with types and defaults
    pyproject.toml#tool.ruff.line-length = 100    a key and the value that the text names
    settings.toml#port = 5432 @8e1b77c0aa42       the same; the file had another, with this hash
    Makefile#test @5be2c11097aa                   a command and what it runs
    AGENTS.md#“Run the linter” @3c0f51a7d2e9      a statement of a page
    docs/guide.md @77aa01f2c3d4                   a file; the hash finds it again when it moves
    src/engine/                                   a folder
"""

from __future__ import annotations

from ...model.identity import blake2b
from ...model.lazy_pattern import lazy
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UNCHANGED, MOVED, CHANGED, GONE, UNKNOWN = "unchanged", "moved", "changed", "gone", "unknown"
"""States of an anchor; `unknown` is a file that cannot be read."""
STALE = (CHANGED, GONE)
NOT_CHECKED = "not checked against the files"
"""Words for a memory that nobody compared with its files."""
MOST_ANCHORS = 10
"""Anchors of one memory."""
MOST_CHARACTERS = 300
MOST_VALUE_CHARACTERS = 80
"""A longer value is compared by its hash alone."""
HASH_DIGITS = 12
CALL, FULL_CALL = "()", "(…)"
"""Ends of names of functions of which only the parameters count."""
_LINE = lazy(
    r"(?P<path>[^#\n]+?)(?:#(?P<name>[^\n]+?))?(?: = (?P<value>[^\n]*?))?"
    r"(?: @(?P<hash>[0-9a-f]{12}))?"
)


class Anchor(Value):
    """A file, and perhaps a definition or key in it."""

    path: str
    """Below the top of the work tree, with slashes; a folder ends with one."""
    name: str = ""
    """A definition such as Engine.close, a dotted key or a command; empty for the file itself."""
    value: str = ""
    """The value of a key, if the text names it."""
    hash: str = ""
    """Hash of the span, or of the whole file if there is no name, or of the value that a file had
    in place of the one that the text names."""

    def __str__(self) -> str:
        name = f"#{self.name}" if self.name else ""
        value = f" = {self.value}" if self.value else ""
        return f"{self.path}{name}{value}" + (f" @{self.hash}" if self.hash else "")

    @property
    def place(self) -> str:
        """The anchor without value and hash, for people."""
        return f"{self.path}#{self.name}" if self.name else self.path

    @property
    def defined(self) -> str:
        """The name, without the mark that only its parameters count."""
        return self.name.removesuffix(CALL).removesuffix(FULL_CALL)


class CheckedAnchor(Value):
    """An anchor compared with the files as they are."""

    anchor: Anchor
    state: str
    now: str = ""
    """The new path of what has moved, or the new value of a key."""

    @property
    def stale(self) -> bool:
        """Whether the claim should be checked before anybody relies on it."""
        return self.state in STALE

    @property
    def denied(self) -> bool:
        """Whether the file had its other value already when the claim was made."""
        noted = self.state == CHANGED and bool(self.anchor.value and self.anchor.hash)
        return noted and value_hash(self.now) == self.anchor.hash


def read_anchor(line: str) -> Anchor | None:
    """The anchor in a line of a note; None if a person wrote something else there."""
    found = _LINE.fullmatch(line) if len(line) <= MOST_CHARACTERS else None
    if found is None or not is_tree_path(found["path"]):
        return None
    return Anchor(found["path"], found["name"] or "", found["value"] or "", found["hash"] or "")


def is_tree_path(path: str) -> bool:
    """Whether a path leads from the top of a work tree to something below it."""
    parts = path.removesuffix("/").split("/")
    return (
        path.isprintable()
        and not any(c in path for c in '#\\:*?"<>|')
        and all(part and part not in (".", "..") for part in parts)
        and parts[0] != ".git"
        and len(path) < MOST_CHARACTERS // 2
    )


def joined_anchors(old: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    """The anchors of two memories; where both name one place, the newer one."""
    places = {anchor.place: line for line in (*old, *new) if (anchor := read_anchor(line))}
    return tuple(places.values())[:MOST_ANCHORS]


def renewed_anchors(old: Iterable[str], new: Iterable[str], text: str) -> tuple[str, ...]:
    """The anchors of a text that was said again: the new ones, and old values that it names.

    A text does not become true by being said again: the file may have another value since.
    """
    still = (line for line in old if (one := read_anchor(line)) and _has_word(text, one.value))
    return joined_anchors(new, still)


def denied_for(new: Iterable[str], old: Iterable[str]) -> bool:
    """Whether a file, when it was read for the new anchors, had the old ones' value, not theirs."""
    before = {one.place: value_hash(one.value) if one.value else one.hash for one in _read_all(old)}
    denied = (one for one in _read_all(new) if one.value and one.hash)
    return any(before.get(one.place) == one.hash for one in denied)


def existing_anchors(anchors: Iterable[str]) -> tuple[str, ...]:
    """The anchors without hashes: stale when their places are gone, or a value is another."""
    read = _read_all(anchors)
    return tuple(str(one.but(hash="") if one.name else one) for one in read)


def kept_anchors(anchors: Iterable[str], text: str) -> tuple[str, ...]:
    """The anchors whose names, and values, a new text still has."""
    read = ((line, read_anchor(line)) for line in anchors)
    return tuple(
        line
        for line, anchor in read
        if anchor and _last_name(anchor) in text and anchor.value in text
    )


def followed_anchors(anchors: Iterable[str], found: Iterable[str], text: str) -> tuple[str, ...]:
    """The anchors of a text that was edited by hand: those `found` for it, and old ones it names.

    An old one stays as it was noted, so that a change of its file since is not overlooked, unless
    the text has another value now, which the file has, too.
    """
    # When the text was edited, the file may have had the value.
    given = tuple(str(one.but(hash="")) if one.value else str(one) for one in _read_all(found))
    values = {one.place for line in given if (one := read_anchor(line)) and one.value}
    still = [
        line
        for line in anchors
        if (one := read_anchor(line))
        and is_named(one, text)
        and (one.value in text or one.place not in values)
    ]
    return joined_anchors(given, still)


def _read_all(lines: Iterable[str]) -> Iterable[Anchor]:
    return filter(None, map(read_anchor, lines))


def is_named(anchor: Anchor, text: str) -> bool:
    """Whether a text has the name of an anchor."""
    return _last_name(anchor) in text


def _last_name(anchor: Anchor) -> str:
    if anchor.name.startswith("“"):
        return anchor.name.strip("“”")
    if anchor.name:
        return anchor.defined.rpartition(".")[2]
    return anchor.path.rstrip("/").rpartition("/")[2]


def has_followed(checked: CheckedAnchor, text: str) -> bool:
    """Whether a note that was edited by hand names the file's new value instead of the old one."""
    old, now = checked.anchor.value, checked.now
    return checked.state == CHANGED and bool(old and now) and _names(text, now, but_not=old)


def _names(text: str, value: str, *, but_not: str) -> bool:
    """Whether one value stands in a text as a word of its own, and another one does not."""
    return _has_word(text, value) and not _has_word(text, but_not)


def _has_word(text: str, word: str) -> bool:
    at = text.find(word) if word else -1
    while at >= 0:
        around = (text[at - 1 : at], text[at + len(word) : at + len(word) + 1])
        if not any(beside.isalnum() or beside == "_" for beside in around):
            return True
        at = text.find(word, at + 1)
    return False


def file_says(checked: Iterable[CheckedAnchor]) -> str:
    """The value in a file where a text gives another one; empty if they agree."""
    other = (one for one in checked if one.state == CHANGED and one.anchor.value and one.now)
    first = next(other, None)
    return f"{first.anchor.path} says {first.now} ({first.anchor.name})" if first else ""


def stale_words(checked: Iterable[CheckedAnchor]) -> str:
    """Why a line is to be checked, or where its subject is now; empty if all is as it was."""
    by_state: dict[str, CheckedAnchor] = {}
    for one in checked:
        by_state.setdefault(one.state, one)
    if one := by_state.get(CHANGED):
        if one.denied:
            return f"the file says {one.now}; check before relying on it: {one.anchor.place}"
        now = f", now {one.now}" if one.now else ""
        return f"the file changed since; check before relying on it: {one.anchor.place}{now}"
    if one := by_state.get(GONE):
        what = "this is gone from its file" if one.anchor.name else "the file is gone"
        return f"{what}; check before relying on it: {one.anchor.place}"
    if one := by_state.get(MOVED):
        return f"{one.anchor.place} is now in {one.now}"
    if one := by_state.get(UNKNOWN):
        return f"{NOT_CHECKED}: {one.anchor.path} cannot be read"
    return ""


def value_hash(shown: str) -> str:
    """The hash of a value of a file as people are shown it."""
    return span_hash(shown[:MOST_VALUE_CHARACTERS])


def span_hash(text: str) -> str:
    """The hash of a span that was brought into its normal form."""
    return blake2b(text.encode("utf-8", "surrogatepass"), HASH_DIGITS // 2)
