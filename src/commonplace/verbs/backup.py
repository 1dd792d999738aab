"""Back the book up while it is being written: everything as of one moment."""

from __future__ import annotations

import os
from datetime import timedelta

from ..engine.commit import follow
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Busy, CommonplaceError
from ..model.memory import Problem
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.backups import Snapshot
from ..rules import access, limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.backups import Backups
    from ..ports.record_store import Document


ROUNDS = 5
FEW = 500
"""Once no more places than this changed during a look, the rest is read while nobody writes."""


def all_memories(engine: Engine) -> Iterator[list[Memory]]:
    """Every memory of the store, whatever its state, some at a time."""
    for changes in engine.store.changes(0, visible=EVERYTHING):
        if batch := [one for document in changes.documents for one in document.memories]:
            yield batch


class FullRead:
    """Every place of the store, told once and again when it changes."""

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
        """Read until little is left to read; each round does something beside it, too."""
        seen = 0
        for _ in range(ROUNDS):
            places = self.catch_up()
            also()
            seen += places
            progress(seen)
            if places <= FEW:
                return

    def catch_up(self) -> int:
        """Take what changed since the last look; whoever holds the lease has all of it then."""
        places = 0
        for changes in self._engine.store.changes(self._not_beyond_index(), visible=EVERYTHING):
            self._since = max(self._since, changes.revision)
            for document in changes.documents:
                self._take(document)
            places += len(changes.documents)
        return places

    def _not_beyond_index(self) -> int:
        """A revision that the index has reached, too.

        Whoever asks a store for what came after a revision tells it that the index knows the rest;
        taking the same place twice does no harm.
        """
        if not self._since:
            return 0
        try:
            follow(self._engine)
            return min(self._since, self._engine.index.revision())
        except CommonplaceError:
            return 0  # A broken index is no reason to go without.


# Back the book up while it is being written: everything as of one moment.


LEASE = "backup"


class BackedUp(Value):
    """A moment that is safe now, and what became of older ones."""

    moment: Snapshot
    where: str
    kept: int
    """How many moments there are."""
    freed: int = 0
    """How many bytes of older moments were let go."""


def backup(
    engine: Engine, place: str = "", *, progress: Callable[[int], object] = lambda _: None
) -> BackedUp:
    """Add this moment to the backups of a place, and let go of those that need not be kept."""
    access.require_owner(engine.context)
    backups = opened(engine, place)
    # One at a time, whichever process or machine begins: a second one waits, or says who is at it.
    with engine.store.lease(LEASE, wait_s=1.0):
        return _backed_up(engine, backups, progress)


def backup_if_due(engine: Engine) -> BackedUp | None:
    """Back up as the settings say; None when it is not time yet, or there is no place for it."""
    if not engine.settings.backup.place:
        return None
    backups, mine = opened(engine), False
    if not _is_due(engine, backups):
        return None
    try:
        with engine.store.lease(LEASE, wait_s=1.0):
            mine = True
            # Asked again: another server may just have done it.
            if _is_due(engine, backups):
                return _backed_up(engine, backups)
    except Busy:
        if mine:
            raise
    return None


def problems(engine: Engine) -> list[Problem]:
    """Backups that are damaged, or that should have been made by now."""
    plan = engine.settings.backup
    if not plan.place:
        return []
    backups = opened(engine)
    found = backups.problems()
    moments = backups.moments()
    late = timedelta(hours=2 * plan.hours)
    if plan.hours > 0 and not (moments and engine.now() - moments[0].at <= late):
        last = f"the last is of {moments[0].at:%Y-%m-%d %H:%M} UTC" if moments else "there is none"
        hint = "Run `commonplace backup now`, and see that the server runs."
        found.append(Problem(backups.where, f"A backup is overdue: {last}.", hint))
    return found


def opened(engine: Engine, place: str = "") -> Backups:
    """The backups in a place, or in the one that is set."""
    where = place or engine.settings.backup.place
    if not where or engine.open_backups is None:
        raise BadInput(
            "Nothing says where backups go.",
            hint="Name a folder, or set backup.place (COMMONPLACE_BACKUP_PLACE).",
        )
    if "files" in engine.store.capabilities and _is_inside(where, engine.store.url):
        raise BadInput(
            "Backups inside the vault would be lost with it.", hint="Name a folder beside it."
        )
    return engine.open_backups(where)


def _is_inside(place: str, url: str) -> bool:
    root = url.partition(":")[2]
    whole = os.path.realpath(os.path.expanduser(place))
    return whole == root or whole.startswith(root + os.sep)


def _is_due(engine: Engine, backups: Backups) -> bool:
    moments = backups.moments()
    last = moments[0].at if moments else None
    return limits.backup_is_due(last, engine.now(), hours=engine.settings.backup.hours)


def _backed_up(
    engine: Engine, backups: Backups, progress: Callable[[int], object] = lambda _: None
) -> BackedUp:
    moment = _gather(engine, backups, progress)
    moments = backups.moments()
    wanted = limits.kept_backups((one.at for one in moments), engine.settings.backup)
    left = [one for one in moments if one.at in wanted]
    freed = backups.keep(left) if len(left) < len(moments) else 0
    return BackedUp(moment, backups.where, len(left), freed)


def _gather(engine: Engine, backups: Backups, progress: Callable[[int], object]) -> Snapshot:
    """Read everything while others write, then what they changed meanwhile while they wait."""
    with backups.stage() as stage:
        everything = FullRead(engine, stage.replace)

        def add_events() -> None:
            stage.add_lines(engine.ledger.lines(stage.heads()))

        everything.read(also=add_events, progress=progress)
        with engine.store.lease():
            everything.catch_up()
            add_events()
            at = to_millisecond(engine.now())
        moment = Snapshot(at, engine.store.store_id, engine.store.url)
        return stage.finish(moment, engine.ledger.all_uses())
