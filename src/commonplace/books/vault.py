"""Open `vault:` URLs: a folder of markdown notes."""

from __future__ import annotations

import os

from .. import registry
from ..locations import LARGE
from ..model.errors import BadInput, StoreUnavailable
from .parts import BookParts, known_id, new_place, state_folder, vector_engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings import Settings


def open_vault(address: str, settings: Settings, create: bool) -> BookParts:
    """A folder of markdown notes, with its index and counters in the state folder."""
    from ..backends.sql.sqlite.index import SqliteIndex
    from ..backends.vault.identity import identify
    from ..backends.vault.ledger import VaultLedger
    from ..backends.vault.store import VaultStore

    root = registry.local_path(address)
    _refuse_file(root, create=create)
    with new_place(root, "folder"):
        id = identify(root, create=create, known=lambda: known_id(settings, root))
    state = state_folder(settings, id, root)
    mark = os.path.join(state, LARGE)
    store = VaultStore(root, state=state, personal_root=settings.personal, large_mark=mark)
    ledger = VaultLedger(root, state=state, keep=settings.retrieval_log)
    index = SqliteIndex(os.path.join(state, "index.db"), vector_engine(settings, state))
    return BookParts(store, index, ledger, state)


def _refuse_file(root: str, *, create: bool) -> None:
    """Raise an error if a file stands where the folder, or one above it, should be."""
    above = root
    while not os.path.lexists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        unmade = f"No folder can be made at {root}: " if create and above != root else ""
        raise (BadInput if create else StoreUnavailable)(
            f"{unmade}{above} is a file, and a vault is a folder.",
            hint="Name a folder, or a book in one file: sqlite:memory.db",
        )
