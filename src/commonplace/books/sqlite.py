"""Open `sqlite:` URLs: the whole book in one database file."""

from __future__ import annotations

import os

from .. import registry
from ..model.errors import BadInput, StoreUnavailable
from .parts import BookParts, known_id, new_place, state_folder, vector_engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings import Settings

_MAGIC = b"SQLite format 3\0"


def open_sqlite(address: str, settings: Settings, create: bool) -> BookParts:
    """One database file, with its index in the state folder."""
    from ..backends.sql.sqlite.index import SqliteIndex
    from ..backends.sql.sqlite.ledger import SqliteLedger
    from ..backends.sql.sqlite.store import SqliteStore

    path = registry.local_path(address)
    if not create and not _is_there(path):
        import shlex

        hint = f"Check the path, or make it: commonplace init {shlex.quote(f'sqlite:{path}')}"
        raise StoreUnavailable(f"There is no book at {path}.", hint=hint)
    if os.path.exists(path) and not os.path.isfile(path):
        raise (BadInput if create else StoreUnavailable)(
            f"{path} is {'a folder' if os.path.isdir(path) else 'a device'}, and an SQLite book is"
            " a file.",
            hint="Name a file, or a folder of notes: vault:~/notes",
        )
    if create and known_id(settings, path) is None and _is_other_file(path):
        raise BadInput(
            f"{path} is not a database.",
            hint="Name a new file; if it was your book, restore that from a backup.",
        )
    # An empty file where this device knows a book is a damaged one.
    begins = not _is_there(path) or (create and known_id(settings, path) is None)
    with new_place(path, "file"):
        store = SqliteStore(path, create=begins)
    state = state_folder(settings, store.store_id, path)
    ledger = SqliteLedger(path, state=state, keep=settings.retrieval_log)
    index = SqliteIndex(os.path.join(state, "index.db"), vector_engine(settings, state))
    return BookParts(store, index, ledger, state)


def _is_other_file(path: str) -> bool:
    """Whether a file with content is there that is no SQLite database."""
    try:
        with open(path, "rb") as file:
            begins = file.read(len(_MAGIC))
    except OSError:
        return False  # It is not there, or opening the database says why it cannot be read.
    return begins not in (b"", _MAGIC)


def _is_there(path: str) -> bool:
    """Whether there is a file; raises for one in a folder that may not be entered."""
    try:
        os.stat(path)
    except PermissionError as error:
        raise StoreUnavailable(
            f"The book at {path} cannot be read.", hint="Check the permissions of its folder."
        ) from error
    except OSError:
        return False
    return True
