"""Compare what memories speak of with the files as they are.

A prompt is a new process, and most files are as they were at the last one. What was unchanged is
remembered by the file's time and size in the state folder, so that neither the file is read nor the
patterns for its language are made.
"""

from __future__ import annotations

import os
from time import time

from ..rules.anchors.anchor import (
    CALL,
    CHANGED,
    GONE,
    HASH_DIGITS,
    MOST_VALUE_CHARACTERS,
    MOVED,
    UNCHANGED,
    UNKNOWN,
    CheckedAnchor,
    read_anchor,
    span_hash,
)
from ..work_tree import TimeLimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..ports.checkout import Checkout
    from ..rules.anchors.anchor import Anchor
    from ..rules.anchors.definitions import Definition
    from ..work_tree import WorkTree

FILE = "unchanged-anchors"
"""File in the state folder with hashes of what was unchanged."""
MOST_BYTES = 256 * 1024
SETTLED_S = 2.0
"""A file that was written later may be written again without another time or size."""


class UnchangedAnchors:
    """Remembers which anchors were unchanged, as hashes that say nothing of them."""

    def __init__(self, state: str) -> None:
        self._path = os.path.join(state, FILE)
        self._known: set[str] | None = None
        self._new: list[str] = []

    def has(self, key: tuple[object, ...]) -> bool:
        """Whether an anchor was unchanged in that state of its file."""
        if self._known is None:
            self._known = set(self._read().split())
        return _digest(key) in self._known

    def add(self, key: tuple[object, ...]) -> None:
        """Remember an unchanged anchor, once `write` is called."""
        self._new.append(_digest(key))

    def write(self) -> None:
        """Write what is new; without it files are read again."""
        if not self._new:
            return
        lines = "".join(f"{one}\n" for one in self._new)
        self._new = []
        try:
            if os.path.exists(self._path) and os.path.getsize(self._path) > MOST_BYTES:
                os.remove(self._path)
            with open(self._path, "a", encoding="ascii") as file:
                file.write(lines)
        except OSError:
            return

    def _read(self) -> str:
        try:
            with open(self._path, encoding="ascii", errors="replace") as file:
                return file.read(2 * MOST_BYTES)
        except OSError:
            return ""


def _key(stamp: tuple[str, int, int] | None, anchor: Anchor) -> tuple[object, ...]:
    return (stamp, anchor.name, anchor.value, anchor.hash)


def _is_settled(stamp: tuple[str, int, int]) -> bool:
    return time() - stamp[1] / 1e9 > SETTLED_S


def _digest(key: tuple[object, ...]) -> str:
    return span_hash("\0".join(map(str, key)))


_STATES: dict[tuple[object, ...], tuple[str, str]] = {}
"""States by file, time, size and anchor: a process that stays reads a file when it was written."""
MOST_STATES = 20_000


class AnchorChecker:
    """Compares anchors with the files of a work tree; each file is read once."""

    def __init__(
        self,
        tree: WorkTree,
        *,
        limit_s: float,
        unchanged: UnchangedAnchors | None = None,
        checkout: Checkout | None = None,
    ) -> None:
        self._tree = tree
        self._checkout = checkout
        """Asked which file a missing one has become."""
        self._renames: Sequence[tuple[str, str]] | None = None
        self._unchanged = unchanged
        self._limit_s = limit_s
        """Processor time to look for things that are no longer in their places, all together."""
        self._search: TimeLimit | None = None

    def check(self, lines: Iterable[str]) -> list[CheckedAnchor]:
        """The states of the anchors of one memory."""
        read = (read_anchor(line) for line in lines)
        checked = [self._checked(anchor) for anchor in read if anchor]
        if self._unchanged:
            self._unchanged.write()
        return checked

    def _checked(self, anchor: Anchor) -> CheckedAnchor:
        kind = self._tree.kind(anchor.path)
        if kind:
            state, now = self._state_in(anchor.path, anchor) if anchor.name else (UNCHANGED, "")
        else:
            state, now = GONE, ""
        if state == GONE and (place := self._relocated(anchor)):
            return CheckedAnchor(anchor, MOVED, place)
        if not kind and (place := self._renamed(anchor.path)):
            state, now = self._state_in(place, anchor) if anchor.name else (CHANGED, "")
            if state == UNCHANGED:
                return CheckedAnchor(anchor, MOVED, place)
            return CheckedAnchor(anchor, state, (now or place) if state == CHANGED else now)
        return CheckedAnchor(anchor, state, now)

    def _renamed(self, path: str) -> str:
        """The file that a missing one has become, as git tells, changed or not."""
        if self._checkout is None or self._search is None:
            return ""
        if self._renames is None:
            self._renames = self._checkout.renames(limit_s=self._search.clock_left_s())
        now = path
        for old, new in self._renames:
            now = new if old == now else now
        return now if now != path and self._tree.kind(now) else ""

    def _state_in(self, path: str, anchor: Anchor) -> tuple[str, str]:
        """The state of a definition or key if it were in a file, and the new value of a key."""
        stamp = self._tree.stamp(path)
        key = _key(stamp, anchor)
        if stamp is None or key not in _STATES:
            found = self._remembered_state(path, anchor, stamp)
            if len(_STATES) >= MOST_STATES:
                _STATES.clear()
            _STATES[key] = found
        return _STATES[key]

    def _remembered_state(
        self, path: str, anchor: Anchor, stamp: tuple[str, int, int] | None
    ) -> tuple[str, str]:
        """The state, without a look into a file that nobody wrote since it was unchanged."""
        known, key = self._unchanged, _key(stamp, anchor)
        if known is None or stamp is None:
            return self._read_state(path, anchor)
        if known.has(key):
            return UNCHANGED, ""
        found = self._read_state(path, anchor)
        if found[0] == UNCHANGED and _is_settled(stamp):
            known.add(key)
        return found

    def _read_state(self, path: str, anchor: Anchor) -> tuple[str, str]:
        text = self._tree.read(path)
        if text is None:
            return UNKNOWN, ""
        # Imported here: their patterns take longer than the rest of a look.
        from ..rules.anchors import definitions, documents, normal_form, settings_keys

        if documents.is_line(anchor):
            return documents.line_state(text, anchor), ""
        if settings_keys.is_settings_file(path):
            return _setting_state(text, path, anchor)
        found = definitions.find_definition(text, anchor.defined, path)
        if found is None:
            return GONE, ""
        if anchor.value:
            same = found.constant in (anchor.value, normal_form.plain_numbers(anchor.value))
        else:
            mark = anchor.name[len(anchor.defined) :]
            same = not anchor.hash or _is_same_definition(found, mark, anchor.hash)
        if same:
            return UNCHANGED, ""
        from ..rules.anchors.mentions import is_secret_key

        return CHANGED, "" if is_secret_key(anchor.name) else found.constant

    def _relocated(self, anchor: Anchor) -> str:
        """The file that now has what an anchor names: one of the same name, or the same code."""
        if self._search is None:
            self._search = TimeLimit(self._limit_s)
        paths = self._tree.walk(self._search).paths
        base = anchor.path.rpartition("/")[2]
        ending = base[base.rfind(".") :] if "." in base else base
        same_name = [path for path in paths if path.rpartition("/")[2] == base]
        if not anchor.name and len(same_name) == 1:
            return same_name[0]
        others = (path for path in paths if path.endswith(ending) and path not in same_name)
        for path in (*same_name, *(others if _tells_itself(anchor) else ())):
            if self._search.is_over():
                break
            if path != anchor.path and self._is_there(path, anchor):
                return path
        return ""

    def _is_there(self, path: str, anchor: Anchor) -> bool:
        if anchor.name:
            return self._state_in(path, anchor)[0] == UNCHANGED
        text = self._tree.read(path)
        return bool(text) and span_hash(text) == anchor.hash


def _tells_itself(anchor: Anchor) -> bool:
    """Whether a place is known again in any file: keys such as `port` are in many."""
    from ..rules.anchors.settings_keys import is_settings_file

    return not is_settings_file(anchor.path) if anchor.value else bool(anchor.hash)


_HALF = HASH_DIGITS // 2


def definition_hash(found: Definition, mark: str) -> str:
    """The hash of a definition, or of its parameters where a mark says so.

    Half of a definition's hash is of its letters, which are quickly compared, and half of what they
    say, for code that was only written in another way.
    """
    if mark == CALL:
        # A definition that is no function any more has no parameters, not even an empty list.
        return span_hash(" ".join(found.parameters or ())) if found.header else ""
    if mark:
        return span_hash(found.header)
    return _letters(found) + _meaning(found)


def _is_same_definition(found: Definition, mark: str, hash: str) -> bool:
    if mark:
        return definition_hash(found, mark) == hash
    return _letters(found) == hash[:_HALF] or _meaning(found) == hash[_HALF:]


def _letters(found: Definition) -> str:
    return span_hash("\n\n".join(found.spans))[:_HALF]


def _meaning(found: Definition) -> str:
    return span_hash(found.code)[_HALF:]


def _setting_state(text: str, path: str, anchor: Anchor) -> tuple[str, str]:
    from ..rules.anchors import settings_keys
    from ..rules.anchors.mentions import is_secret_key

    found = settings_keys.find_settings(text, anchor.name, path)
    exact = [one for one in found if one.name == anchor.name]
    if not exact:
        return GONE, ""
    if anchor.value:
        same = any(settings_keys.has_item(one.value, anchor.value) for one in exact)
    else:
        same = not anchor.hash or settings_keys.settings_hash(anchor.name, exact) == anchor.hash
    shown = len(exact) == 1 and bool(anchor.value) and not is_secret_key(anchor.name)
    now = settings_keys.shown_value(exact[0].value)[:MOST_VALUE_CHARACTERS] if shown else ""
    return (UNCHANGED, "") if same else (CHANGED, now)
