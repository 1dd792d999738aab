"""Which vault a folder is: `_meta/vault.json`, made once and copied with the notes."""

from __future__ import annotations

import json
import os

from ...errors import Damaged, StoreUnavailable
from ...rules.identity import ALPHABET
from .files import atomically, in_words, sync_folder

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
        raise in_words(error, root) from error
    return identify(root, create=False)


def rename(root: str, id: str) -> None:
    """Give a vault the id of another, whose notes will be put into it."""
    card = json.dumps({"id": id, "format": FORMAT}) + "\n"
    try:
        atomically(os.path.join(root, CARD), card.encode())
    except OSError as error:
        raise in_words(error, root) from error


def read_id(root: str) -> str | None:
    """The id in the folder, or None when it has none."""
    try:
        with open(os.path.join(root, CARD), encoding="utf-8") as file:
            card = json.load(file)
        id, version = str(card["id"]), int(card["format"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise in_words(error, root) from error
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
