"""Restore a book from its backups, and check a backup."""

from __future__ import annotations

from ..model.errors import CommonplaceError
from ..settings import load
from .open import engine_of, open_as_another, open_book
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
    moment = restore.chosen(backups, at)
    asked, gone = _purged_since(backups, moment, settings)
    with open_as_another(
        url, lambda book: restore.make_room_for(engine_of(book), moment), settings=settings
    ) as book:
        done = restore.bring_back(engine_of(book), backups, moment, gone=gone, progress=progress)
    return done.but(asked=asked)


def check_backup(place: str, at: datetime | None = None) -> BackupChecked:
    """Read a backup back and compare it with its hashes; nothing is written."""
    from ..verbs import restore

    backups = open_backups(place)
    return restore.check(backups, restore.chosen(backups, at))


def _purged_since(
    backups: Backups, moment: Snapshot, settings: Settings
) -> tuple[bool, list[Event]]:
    """Purges and erasures after a backup, and whether the book itself could be asked for them."""
    from ..verbs.restore import gone_since

    for url in dict.fromkeys(filter(None, (moment.url, settings.url))):
        try:
            with open_book(url, settings=settings, create=False, background=False) as book:
                if book.id == moment.book:
                    return True, gone_since(backups, moment, engine_of(book).ledger)
        except CommonplaceError:
            continue  # Lost with its disk, perhaps: that is what backups are for.
    return False, gone_since(backups, moment, None)
