"""Which vault a folder is: `_meta/vault.json`, made once and copied with the notes."""

from __future__ import annotations

import json
import os

from ...model.errors import Damaged, LedgerUnavailable, StoreUnavailable
from ...model.identity import ALPHABET
from ..common.sqlite import sqlite_error
from .files import atomically, disk_error, sync_folder

FORMAT = 1
CARD = "_meta/vault.json"


def identify(root: str, *, create: bool = True) -> str:
    """The id of the vault at a folder; with `create` the folder becomes one if it is not."""
    if (found := read_id(root)) is not None:
        return found
    if not create:
        raise StoreUnavailable(f"There is no vault at {root}.", hint="Run `commonplace init`.")
    made = "".join(ALPHABET[byte & 31] for byte in os.urandom(16))
    try:
        os.makedirs(os.path.join(root, "_meta"), exist_ok=True)
        card = json.dumps({"id": made, "format": FORMAT}) + "\n"
        # Linked, not renamed: of several processes that open a new vault at once, one names it.
        atomically(os.path.join(root, CARD), card.encode(), replace=False)
        sync_folder(root)
    except FileExistsError:
        pass
    except OSError as error:
        raise disk_error(error, root) from error
    return identify(root, create=False)


def rename(root: str, id: str) -> None:
    """Give a vault the id of another, whose notes will be put into it."""
    card = json.dumps({"id": id, "format": FORMAT}) + "\n"
    try:
        atomically(os.path.join(root, CARD), card.encode())
    except OSError as error:
        raise disk_error(error, root) from error


def read_id(root: str) -> str | None:
    """The id in the folder, or None when it has none."""
    try:
        with open(os.path.join(root, CARD), encoding="utf-8") as file:
            card = json.load(file)
        id, version = str(card["id"]), int(card["format"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise disk_error(error, root) from error
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(
            f"{CARD} of the vault at {root} does not read as a vault's.",
            hint="Restore it from a copy of the vault; it holds the vault's id.",
        ) from error
    if version > FORMAT:
        raise StoreUnavailable(
            "The vault was made by a newer Commonplace.", hint="Upgrade Commonplace."
        )
    return id


# The name of this device in a book: random, made once, kept in the state folder.


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
        raise sqlite_error(error, LedgerUnavailable, "The state folder") from error


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
