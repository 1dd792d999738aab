"""Back the book up while it is being written: everything as of one moment."""

from __future__ import annotations

import os
from datetime import timedelta

from ...errors import BadInput, Busy
from ...model import Problem
from ...ports.backups import Snapshot
from ...rules import keeping, scoping
from ...rules.codec import to_millisecond
from ...value import Value
from .everything import Everything

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ports.backups import Backups
    from ..engine import Engine

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
    scoping.require_owner(engine.context)
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
    return keeping.is_due(last, engine.now(), hours=engine.settings.backup.hours)


def _backed_up(
    engine: Engine, backups: Backups, progress: Callable[[int], object] = lambda _: None
) -> BackedUp:
    moment = _gather(engine, backups, progress)
    moments = backups.moments()
    wanted = keeping.kept((one.at for one in moments), engine.settings.backup)
    left = [one for one in moments if one.at in wanted]
    freed = backups.keep(left) if len(left) < len(moments) else 0
    return BackedUp(moment, backups.where, len(left), freed)


def _gather(engine: Engine, backups: Backups, progress: Callable[[int], object]) -> Snapshot:
    """Read everything while others write, then what they changed meanwhile while they wait."""
    with backups.stage() as stage:
        everything = Everything(engine, stage.replace)

        def add_events() -> None:
            stage.add_lines(engine.ledger.lines(stage.heads()))

        everything.read(also=add_events, progress=progress)
        with engine.store.lease():
            everything.catch_up()
            add_events()
            at = to_millisecond(engine.now())
        moment = Snapshot(at, engine.store.store_id, engine.store.url)
        return stage.finish(moment, engine.ledger.all_uses())
