"""The name of this device in a book: random, made once, kept in the state folder."""

from __future__ import annotations

import os

from ..errors import LedgerUnavailable
from ..rules.identity import ALPHABET
from ..sqlite import in_words

CHARACTERS = 12


def is_name(text: str) -> bool:
    """Whether a device could be called so."""
    return len(text) == CHARACTERS and not text.strip(ALPHABET)


def device(state: str) -> str:
    """This device's name; two processes that ask first at the same time get the same one."""
    path = os.path.join(state, "device")
    try:
        return _read(path) or _make(path)
    except OSError as error:
        raise in_words(error, LedgerUnavailable, "The state folder") from error


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            name = file.read().strip()
    except FileNotFoundError:
        return None
    return name if is_name(name) else None


def _make(path: str) -> str:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    name = "".join(ALPHABET[byte & 31] for byte in os.urandom(CHARACTERS))
    draft = f"{path}.{name}.tmp"
    with open(draft, "x", encoding="ascii") as file:
        file.write(f"{name}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # A link, because unlike a rename it fails when another process was first.
        os.link(draft, path)
    except FileExistsError:
        if (theirs := _read(path)) is not None:
            return theirs
        os.replace(draft, path)
    except OSError:
        # Not every file system has links.
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)
    return name
