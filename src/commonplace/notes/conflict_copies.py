"""The names that file sync tools give to the other side of a conflict.

Some names say what they are (`note.sync-conflict-20261117-101500-ABCDEFG.md`). Others a person may
have chosen (`note 2.md`): those count only where more than the name says so.
"""

from __future__ import annotations

from ..model.lazy_pattern import lazy

_CERTAIN = lazy(
    r"(?i)(?P<name>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}(?:-[a-z0-9]{1,64})?"  # Syncthing
    r"| \([^()]{0,80}conflicted copy[^()]{0,60}(?:\(\d+\)[^()]{0,20})?\)"  # Dropbox, Nextcloud
    r"|_conflict-\d{8}-\d{6}"  # ownCloud
    r"| \(SFConflict [^()]{1,120}\)"  # Seafile
    r"|_[\w-]{1,60}_[a-z]{3}-\d{2}-\d{6}-\d{4}_Conflict"  # Synology Drive
    r")"
)
_PERHAPS = lazy(
    r"(?P<name>.+?)(?:"
    r" (?:[2-9]|[1-9]\d)"  # iCloud
    r"| \(\d{1,2}\)"  # Google Drive
    r"|-(?:(?i:desktop|laptop|notebook|pc|mac|macbook|imac|surface|thinkpad|phone|iphone|ipad)"
    r"(?:-[A-Za-z0-9]{1,12})?|[A-Z0-9]{2,15}-[A-Z0-9]{2,15})"  # OneDrive: the computer's name
    r")"
)


def original_name(name: str) -> str | None:
    """The file that a conflict copy is of, by a name that only a sync tool gives; None if none."""
    stem, end = _parts(name)
    found = _CERTAIN.fullmatch(stem)
    if found is None:
        return None
    original = found["name"] + end
    # Tools make copies of copies as well.
    return original_name(original) or original


def possible_originals(name: str) -> list[str]:
    """The files that a file may be a conflict copy of, also by a name that a person may choose."""
    found: list[str] = []
    stem, end = _parts(name)
    while copied := _CERTAIN.fullmatch(stem) or _PERHAPS.fullmatch(stem):
        stem = copied["name"]
        found.append(stem + end)
    return found


def _parts(name: str) -> tuple[str, str]:
    stem, dot, end = name.rpartition(".")
    return (stem, dot + end) if dot else (name, "")
