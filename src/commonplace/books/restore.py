"""Restore a book from its backups, and check a backup."""

from __future__ import annotations

from ..model.errors import CommonplaceError
from ..settings import load
from .open import get_engine, open_as_other_book, open_book
from .services import open_backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ..model.memory import Event
    from ..ports.backups import Backups, Snapshot
    from ..settings import Settings
    from ..verbs.restore import BackupChecked, RestoredBook


def restore_backup(
    place: str,
    url: str,
    *,
    at: datetime | None = None,
    settings: Settings | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> RestoredBook:
    """Restore a backup as a new book; memories purged since then stay purged."""
    from ..verbs import restore

    settings = settings or load()
    backups = open_backups(place)
    moment = restore.find_snapshot(backups, at)
    asked, gone = _purged_since(backups, moment, settings)
    with open_as_other_book(
        url, lambda book: restore.claim_for_restore(get_engine(book), moment), settings=settings
    ) as book:
        done = restore.restore_snapshot(
            get_engine(book), backups, moment, gone=gone, progress=progress
        )
    return done.but(asked=asked)


def check_backup(place: str, at: datetime | None = None) -> BackupChecked:
    """Read a backup back and compare it with its hashes; nothing is written."""
    from ..verbs import restore

    backups = open_backups(place)
    return restore.check_snapshot(backups, restore.find_snapshot(backups, at))


def _purged_since(
    backups: Backups, moment: Snapshot, settings: Settings
) -> tuple[bool, list[Event]]:
    """Purges and erasures after a backup, and whether the book itself could be asked for them."""
    from ..verbs.restore import purges_since

    for url in dict.fromkeys(filter(None, (moment.url, settings.url))):
        try:
            with open_book(url, settings=settings, create=False, background=False) as book:
                if book.id == moment.book:
                    return True, purges_since(backups, moment, get_engine(book).ledger)
        except CommonplaceError:
            continue  # The original book may be lost.
    return False, purges_since(backups, moment, None)
