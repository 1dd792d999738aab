"""Restore a snapshot into an empty store, without memories purged or erased since."""

from __future__ import annotations

import shlex

from ..engine.catch_up import catch_up_or_rebuild, find_purged
from ..model.errors import Conflict, Damaged, NotFound, Refused
from ..model.memory import Problem
from ..model.scope import EVERYTHING, Scope, Tenant
from ..model.value import Value
from ..notes.exchange import record_fingerprint
from ..ports.record_store import Put
from ..rules import access, audit
from ..rules.access import require_owner
from ..rules.audit import ERASED, TOMBSTONES
from .backup import all_memories, require_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory
    from ..ports.backups import Backups, Snapshot
    from ..ports.ledger import Ledger

BATCH = 500


def claim_empty_store(target: Engine, book: str) -> bool:
    """Give an empty store the id of a book; True if the store must be reopened.

    Raises Conflict if the store holds another book.
    """
    require_owner(target.context)
    if target.store.store_id == book:
        return False
    if next(target.ledger.lines(), None) is not None:
        raise store_taken(target)
    target.store.adopt(book)
    return True


def store_taken(target: Engine) -> Conflict:
    """The error for a store that holds another book."""
    return Conflict(f"{target.store.url} holds another book.", hint="Name a new or an empty place.")


class BackupChecked(Value):
    """Result of checking a snapshot."""

    moment: Snapshot
    where: str
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether the snapshot is undamaged."""
        return not self.problems


class RestoredBook(Value):
    """Result of a restore."""

    moment: Snapshot
    url: str
    records: int
    left_out: int = 0
    """Records purged or erased after the snapshot, which are not restored."""
    asked: bool = True
    """Whether the original book could be read for purges after the last backup."""
    adapted: int = 0
    """Records that a vault stores differently from a database: by heading, folder or file name, or
    with the date of `facts.md`."""
    differences: tuple[str, ...] = ()
    """Ids of records that differ from the snapshot after the restore."""


def find_snapshot(backups: Backups, at: datetime | None = None) -> Snapshot:
    """The newest snapshot, or the newest one up to a time."""
    require_folder(backups)
    moments = backups.snapshots()
    if not moments:
        raise NotFound(
            f"There is no backup in {backups.where}.",
            hint=f"Make one: commonplace backup now {shlex.quote(backups.where)}",
        )
    found = next((one for one in moments if at is None or one.at <= at), None)
    if found is None:
        raise NotFound(
            f"The first backup in {backups.where} is from {moments[-1].at:%Y-%m-%d %H:%M} UTC.",
            hint="See `commonplace backup list`.",
        )
    return found


def check_snapshot(backups: Backups, moment: Snapshot) -> BackupChecked:
    """Read a snapshot and compare it with its hashes; nothing is written."""
    problems: list[Problem] = []
    parts: tuple[tuple[str, Callable[[Snapshot], Iterable[object]]], ...] = (
        ("records", backups.records),
        ("events", backups.lines),
        ("uses", backups.uses),
    )
    for name, read in parts:
        try:
            for _ in read(moment):
                pass
        except Damaged as error:
            problems.append(Problem(name, error.sentence, error.hint, "error"))
    return BackupChecked(moment, backups.where, tuple(problems))


def purges_since(backups: Backups, moment: Snapshot, source: Ledger | None) -> list[Event]:
    """Every purge and erasure known to newer snapshots, the backup folder or the book itself."""
    found = {event.id: event for event in backups.recorded_erasures()}
    lines = [*_newest_lines(backups, moment), *(source.lines() if source else ())]
    for _, line in lines:
        if event := _tombstone(line):
            found.setdefault(event.id, event)
    return sorted(found.values(), key=lambda event: (event.at, event.id))


def claim_for_restore(engine: Engine, moment: Snapshot) -> bool:
    """Give an empty store the id of the snapshot's book; True if it must be reopened."""
    try:
        return claim_empty_store(engine, moment.book)
    except Conflict as error:
        raise _store_not_empty(engine) from error


def restore_snapshot(
    engine: Engine,
    backups: Backups,
    moment: Snapshot,
    *,
    gone: Sequence[Event],
    progress: Callable[[int], object] = lambda _: None,
) -> RestoredBook:
    """Write a snapshot into a store that is empty, or continue an interrupted restore.

    Events are restored with the records; no new ones are made.
    """
    access.require_owner(engine.context)
    _require_empty_or_begun(engine, backups, moment)
    lines = list(backups.lines(moment))
    engine.ledger.import_history(lines, {})
    before = {event.id for _, line in lines if (event := _tombstone(line))}
    newer = [event for event in gone if event.id not in before]
    engine.ledger.append(_missing_events(engine, newer))
    erasures = [event for event in newer if event.action == ERASED]
    walls = [Tenant.of(Scope.parse(event.scope)) for event in erasures]
    kept: set[str] = set()
    for batch in _batches(backups.records(moment)):
        kept |= _write(engine, batch, walls)
        progress(len(kept))
    uses = {id: use for id, use in backups.uses(moment).items() if id in kept}
    engine.ledger.import_history((), uses)
    for wall, erasure in zip(walls, erasures, strict=True):
        engine.ledger.wipe(wall, erasure=erasure)
    catch_up_or_rebuild(engine)
    engine.store.refresh_map()
    adapted, differences = _compare(engine, backups, moment, kept)
    return RestoredBook(
        moment,
        engine.store.url,
        records=len(kept),
        left_out=moment.records - len(kept),
        adapted=len(adapted),
        differences=tuple(differences),
    )


def _write(engine: Engine, batch: Sequence[Memory], walls: Sequence[Tenant]) -> set[str]:
    """Write records that are neither purged nor erased; returns their ids."""
    purged = find_purged(engine, batch)
    wanted = [
        one
        for one in batch
        if one.id not in purged and not any(wall.has(str(one.scope)) for wall in walls)
    ]
    ids = [one.id for one in wanted]
    there = engine.store.read(ids, visible=EVERYTHING)
    with engine.store.lease() as lease:
        puts = [Put(one) for one in wanted if one.id not in there]
        if puts:
            engine.store.write(puts, lease=lease)
    return set(ids)


def _require_empty_or_begun(engine: Engine, backups: Backups, moment: Snapshot) -> None:
    """Refuse a store with other content than that of an interrupted restore."""
    if engine.store.store_id != moment.book:
        raise _store_not_empty(engine)
    there = {
        one.id: record_fingerprint(one, loosely=True)
        for batch in all_memories(engine)
        for one in batch
    }
    if not there:
        return
    due = {one.id: record_fingerprint(one, loosely=True) for one in backups.records(moment)}
    if any(due.get(id) != print for id, print in there.items()):
        raise _store_not_empty(engine)


def _compare(
    engine: Engine, backups: Backups, moment: Snapshot, kept: set[str]
) -> tuple[list[str], list[str]]:
    """Ids of adapted records, and ids of records that differ."""
    there = {
        one.id: (record_fingerprint(one), record_fingerprint(one, loosely=True))
        for batch in all_memories(engine)
        for one in batch
    }
    adapted: list[str] = []
    differences: list[str] = []
    for one in backups.records(moment):
        if one.id not in kept:
            continue
        exact, loose = there.pop(one.id, ("", ""))
        if exact == record_fingerprint(one):
            continue
        own_way = "files" in engine.store.capabilities and loose == record_fingerprint(
            one, loosely=True
        )
        (adapted if own_way else differences).append(one.id)
    return adapted, [*differences, *there]


def _newest_lines(backups: Backups, moment: Snapshot) -> list[tuple[str, str]]:
    """The events of the newest undamaged snapshot after this one."""
    for newer in backups.snapshots():
        if newer.at <= moment.at:
            break
        try:
            return list(backups.lines(newer))
        except Damaged:
            continue
    return []


def _tombstone(line: str) -> Event | None:
    if not any(mark in line for mark in audit.action_marks(TOMBSTONES)):
        return None
    try:
        return audit.from_line(line).event
    except ValueError:
        return None  # Damaged before it was backed up; `audit verify` reports it.


def _missing_events(engine: Engine, events: Sequence[Event]) -> list[Event]:
    """The events that the target lacks; an interrupted restore has written some."""
    ids = [event.id for event in events]
    found = engine.ledger.events(visible=EVERYTHING, ids=ids, limit=len(ids) + 1)
    known = {one.id for one in found}
    return [event for event in events if event.id not in known]


def _batches(records: Iterator[Memory]) -> Iterator[list[Memory]]:
    batch: list[Memory] = []
    for one in records:
        batch.append(one)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _store_not_empty(engine: Engine) -> Refused:
    return Refused(
        f"{engine.store.url} holds something else already, and nothing was changed there.",
        hint="Restore into a new place, check it, then use that one.",
    )
