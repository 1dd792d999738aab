"""Back up the whole book as of one moment, while others go on writing."""

from __future__ import annotations

import os
import shlex
from datetime import timedelta

from ..engine.commit import index_changes
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Busy, CommonplaceError, NotFound
from ..model.memory import Problem
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.backups import Snapshot
from ..rules import access
from ..rules.backup_retention import backup_is_due, kept_backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.backups import Backups
    from ..ports.record_store import Document


ROUNDS = 5
FEW_PLACES = 500
"""The last read, under the lease, begins once a round finds no more changed places."""


def all_memories(engine: Engine) -> Iterator[list[Memory]]:
    """Every memory of the store, whatever its status, in batches."""
    for changes in engine.store.changes(0, visible=EVERYTHING):
        if batch := [one for document in changes.documents for one in document.memories]:
            yield batch


class FullRead:
    """Reads every document of the store, and again each one that changes meanwhile."""

    def __init__(self, engine: Engine, take: Callable[[Document], object]) -> None:
        self._engine = engine
        self._take = take
        self._since = 0

    def read(
        self,
        *,
        also: Callable[[], object] = lambda: None,
        progress: Callable[[int], object] = lambda _: None,
    ) -> None:
        """Read in rounds until few documents change; `also` runs in each round."""
        seen = 0
        for _ in range(ROUNDS):
            places = self.catch_up()
            also()
            seen += places
            progress(seen)
            if places <= FEW_PLACES:
                return

    def catch_up(self) -> int:
        """Read what changed since the last round; under the lease nothing is missing after it."""
        places = 0
        for changes in self._engine.store.changes(self._not_beyond_index(), visible=EVERYTHING):
            self._since = max(self._since, changes.revision)
            for document in changes.documents:
                self._take(document)
            places += len(changes.documents)
        return places

    def _not_beyond_index(self) -> int:
        """The last revision read, or an earlier one that the index has reached.

        A store may drop changes before the revision asked for, so the index must have them.
        Reading a document twice does no harm.
        """
        if not self._since:
            return 0
        try:
            index_changes(self._engine)
            return min(self._since, self._engine.index.revision())
        except CommonplaceError:
            return 0  # A broken index must not prevent a backup.


LEASE = "backup"


class BackedUp(Value):
    """Result of a backup."""

    moment: Snapshot
    where: str
    kept: int
    """Snapshots in the place now."""
    freed: int = 0
    """Bytes freed by removing older snapshots."""


def backup(
    engine: Engine, place: str = "", *, progress: Callable[[int], object] = lambda _: None
) -> BackedUp:
    """Add a snapshot to a place, and remove those that the plan does not keep."""
    access.require_owner(engine.context)
    backups = open_backups(engine, place)
    # One backup at a time over all processes and machines.
    with engine.store.lease(LEASE, wait_s=1.0):
        return _make_backup(engine, backups, progress)


def backup_if_due(engine: Engine) -> BackedUp | None:
    """Back up if the settings say so; None if no backup is due or no place is set."""
    if not engine.settings.backup.place:
        return None
    backups, mine = open_backups(engine), False
    if not _is_due(engine, backups):
        return None
    try:
        with engine.store.lease(LEASE, wait_s=1.0):
            mine = True
            # Check again: another server may just have done it.
            if _is_due(engine, backups):
                return _make_backup(engine, backups)
    except Busy:
        if mine:
            raise
    return None


def backup_problems(engine: Engine) -> list[Problem]:
    """Damaged or overdue backups."""
    plan = engine.settings.backup
    if not plan.place:
        return []
    backups = open_backups(engine)
    found = backups.problems()
    moments = backups.snapshots()
    late = timedelta(hours=2 * plan.hours)
    if plan.hours > 0 and not (moments and engine.now() - moments[0].at <= late):
        last = f"the last is of {moments[0].at:%Y-%m-%d %H:%M} UTC" if moments else "there is none"
        hint = "Run `commonplace backup now`, and see that the server runs."
        found.append(Problem(backups.where, f"A backup is overdue: {last}.", hint))
    return found


def list_backups(engine: Engine, place: str = "") -> list[Snapshot]:
    """The snapshots in a place, newest first; none in a place of the settings yet to be made."""
    access.require_owner(engine.context)
    backups = open_backups(engine, place)
    if place:
        require_folder(backups)
    return backups.snapshots()


def require_folder(backups: Backups) -> None:
    """Raise NotFound if the place of the backups is not there."""
    if not os.path.lexists(backups.where):
        raise NotFound(
            f"There is no folder {backups.where}.",
            hint=f"Make a backup there: commonplace backup now {shlex.quote(backups.where)}",
        )


def open_backups(engine: Engine, place: str = "") -> Backups:
    """The backups in a folder, by default in the one that the settings name."""
    where = place or engine.settings.backup.place
    if not where or engine.open_backups is None:
        raise BadInput(
            "No folder for backups is set.",
            hint="Name a folder, or set backup.place (COMMONPLACE_BACKUP_PLACE).",
        )
    if "files" in engine.store.capabilities and _is_inside(where, engine.store.url):
        raise BadInput(
            "Backups inside the vault would be lost with it.", hint="Name a folder beside it."
        )
    return engine.open_backups(where)


def _is_inside(place: str, url: str) -> bool:
    root = url.partition(":")[2]
    path = os.path.realpath(os.path.expanduser(place))
    return path == root or path.startswith(root + os.sep)


def _is_due(engine: Engine, backups: Backups) -> bool:
    moments = backups.snapshots()
    last = moments[0].at if moments else None
    return backup_is_due(last, engine.now(), hours=engine.settings.backup.hours)


def _make_backup(
    engine: Engine, backups: Backups, progress: Callable[[int], object] = lambda _: None
) -> BackedUp:
    moment = _take_snapshot(engine, backups, progress)
    moments = backups.snapshots()
    wanted = kept_backups((one.at for one in moments), engine.settings.backup)
    left = [one for one in moments if one.at in wanted]
    freed = backups.keep_only(left) if len(left) < len(moments) else 0
    return BackedUp(moment, backups.where, len(left), freed)


def _take_snapshot(engine: Engine, backups: Backups, progress: Callable[[int], object]) -> Snapshot:
    """Read everything while others write, then the rest under the lease."""
    with backups.new_snapshot() as stage:
        full_read = FullRead(engine, stage.replace)

        def add_events() -> None:
            stage.add_events(engine.ledger.lines(stage.heads()))

        full_read.read(also=add_events, progress=progress)
        with engine.store.lease():
            full_read.catch_up()
            add_events()
            at = to_millisecond(engine.now())
        moment = Snapshot(at, engine.store.store_id, engine.store.url)
        return stage.finish(moment, engine.ledger.all_uses())
