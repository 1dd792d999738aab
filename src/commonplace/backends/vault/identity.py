"""The id of a vault (`_meta/vault.json`, copied with the notes) and the name of this device."""

from __future__ import annotations

import os
import zlib

from ...model.errors import Damaged, LedgerUnavailable, StoreUnavailable
from ...model.identity import ALPHABET
from ...model.quick_json import parse_json, write_json
from ..common.sqlite import sqlite_error
from .files import disk_error, sync_folder, write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = 1
CARD = "_meta/vault.json"
EVENTS = "_meta/events"
"""Only a vault has this folder: without it, the vault's disk may not be connected."""


def identify(
    root: str, *, create: bool = True, known: Callable[[], str | None] = lambda: None
) -> str:
    """The id of the vault at a folder; with `create` the folder becomes a vault.

    A damaged or lost card is written again with the id under which this device has `known` it.
    """
    damage = None
    try:
        if (found := read_id(root)) is not None:
            return found
    except Damaged as error:
        damage = error
    if os.path.isdir(os.path.join(root, EVENTS)) and (id := known()):
        _set_card_aside(root)
        set_id(root, id)
        return id
    if damage:
        raise damage
    if not create:
        import shlex

        hint = f"Check the path, or make it: commonplace init {shlex.quote(f'vault:{root}')}"
        raise StoreUnavailable(f"There is no vault at {root}.", hint=hint)
    made = "".join(ALPHABET[byte & 31] for byte in os.urandom(16))
    try:
        os.makedirs(os.path.join(root, "_meta"), exist_ok=True)
        # Linked, not renamed: of several processes that open a new vault at once, one sets the id.
        write_atomically(os.path.join(root, CARD), _card(made), replace=False)
        sync_folder(root)
    except FileExistsError:
        pass
    except OSError as error:
        raise disk_error(error, root) from error
    return identify(root, create=False)


def _set_card_aside(root: str) -> None:
    from ..common.repair import set_aside

    try:
        set_aside(os.path.join(root, CARD))
    except OSError as error:
        raise disk_error(error, root) from error


def set_id(root: str, id: str) -> None:
    """Give a vault the id of another, whose notes will be put into it."""
    try:
        write_atomically(os.path.join(root, CARD), _card(id))
    except OSError as error:
        raise disk_error(error, root) from error


def _card(id: str) -> bytes:
    card = {"id": id, "format": FORMAT, "checksum": zlib.crc32(id.encode())}
    return f"{write_json(card)}\n".encode()


def read_id(root: str) -> str | None:
    """The id of the vault at a folder; None when the folder is no vault."""
    try:
        with open(os.path.join(root, CARD), encoding="utf-8") as file:
            card = parse_json(file.read())
        id, version = str(card["id"]), int(card["format"])
        # Cards of older versions have no checksum.
        if card.get("checksum") not in (None, zlib.crc32(id.encode())):
            raise ValueError("the id was changed")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise _damaged_card(root) from error
    except PermissionError as error:
        raise StoreUnavailable(
            f"{CARD} of the vault at {root} may not be read.",
            hint="Check the permissions of this file and of the vault's folders.",
        ) from error
    except OSError as error:
        raise disk_error(error, root) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged_card(root) from error
    if version > FORMAT:
        raise StoreUnavailable(
            "The vault was made by a newer Commonplace.", hint="Upgrade Commonplace."
        )
    return id


def _damaged_card(root: str) -> Damaged:
    return Damaged(
        f"{CARD} of the vault at {root} does not read as a vault's.",
        hint="Restore it from a copy of the vault; it holds the vault's id.",
    )


CHARACTERS = 12


def is_device_name(text: str) -> bool:
    """Whether a text has the form of a device's name."""
    return len(text) == CHARACTERS and not text.strip(ALPHABET)


def device_name(state: str) -> str:
    """This device's random name from the state folder; concurrent first calls get the same one."""
    path = os.path.join(state, "device")
    if os.path.isdir(path):
        from ..common.repair import set_aside

        set_aside(path)
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
    return name if is_device_name(name) else None


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
