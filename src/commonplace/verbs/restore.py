"""Bring a book back as it was at a moment that was backed up, without what was erased since."""

from __future__ import annotations

from ..engine.catch_up import catch_up, find_buried
from ..model.errors import Conflict, Damaged, NotFound, Refused
from ..model.memory import Problem
from ..model.scope import EVERYTHING, Scope, Tenant
from ..model.value import Value
from ..ports.record_store import Put
from ..rules import access, audit
from ..rules.access import require_owner
from ..rules.audit import ERASED, TOMBSTONES
from ..rules.relations.versions import record_fingerprint
from .backup import all_memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory
    from ..ports.backups import Backups, Snapshot
    from ..ports.ledger import Ledger


def make_room(target: Engine, book: str) -> bool:
    """Let an empty place become that book; True when it must be opened again for it.

    Raises Conflict when something is there already.
    """
    require_owner(target.context)
    if target.store.store_id == book:
        return False
    if next(target.ledger.lines(), None) is not None:
        raise another_book(target)
    target.store.adopt(book)
    return True


def another_book(target: Engine) -> Conflict:
    """What to say of a place that is taken."""
    return Conflict(
        f"There is another book at {target.store.url}.", hint="Name a new place, or an empty one."
    )


# Bring a book back as it was at a moment that was backed up, without what was erased since.


BATCH = 500


class BackupChecked(Value):
    """What reading a whole moment back found."""

    moment: Snapshot
    where: str
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether all of it is as it was written."""
        return not self.problems


class RestoredBook(Value):
    """A book that is there again."""

    moment: Snapshot
    url: str
    records: int
    left_out: int = 0
    """Records that were purged or erased after that moment, and stay gone."""
    asked: bool = True
    """Whether the book it came from could be asked what was purged after the last backup."""
    adapted: int = 0
    """Records of a database that a vault tells in its own way: by a heading, a folder, a name, or
    for a line of `facts.md` the date of its file."""
    differences: tuple[str, ...] = ()
    """Ids of records that do not read back there as they were; empty when all is well."""


def chosen(backups: Backups, at: datetime | None = None) -> Snapshot:
    """The newest moment, or the last one up to a time."""
    moments = backups.moments()
    if not moments:
        raise NotFound(
            f"There is no backup in {backups.where}.", hint="Make one: commonplace backup now."
        )
    found = next((one for one in moments if at is None or one.at <= at), None)
    if found is None:
        raise NotFound(
            f"The first backup in {backups.where} is from {moments[-1].at:%Y-%m-%d %H:%M} UTC.",
            hint="See `commonplace backup list`.",
        )
    return found


def check(backups: Backups, moment: Snapshot) -> BackupChecked:
    """Read everything of a moment back and compare it with its hashes; nothing is written."""
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


def gone_since(backups: Backups, moment: Snapshot, source: Ledger | None) -> list[Event]:
    """Every purge and erasure that newer moments, the place or the book itself know of."""
    found = {event.id: event for event in backups.buried()}
    lines = [*_newest_lines(backups, moment), *(source.lines() if source else ())]
    for _, line in lines:
        if event := _tombstone(line):
            found.setdefault(event.id, event)
    return sorted(found.values(), key=lambda event: (event.at, event.id))


def make_room_for(engine: Engine, moment: Snapshot) -> bool:
    """Let an empty book become the one that is restored; True when it must be opened anew."""
    try:
        return make_room(engine, moment.book)
    except Conflict as error:
        raise _holds_something(engine) from error


def bring_back(
    engine: Engine,
    backups: Backups,
    moment: Snapshot,
    *,
    gone: Sequence[Event],
    progress: Callable[[int], object] = lambda _: None,
) -> RestoredBook:
    """Write a moment into a book that is empty, or that holds a part of it already.

    The events come with the records: nothing of this is a change that anybody made now.
    """
    access.require_owner(engine.context)
    _refuse_other(engine, backups, moment)
    lines = list(backups.lines(moment))
    engine.ledger.take_over(lines, {})
    before = {event.id for _, line in lines if (event := _tombstone(line))}
    newer = [event for event in gone if event.id not in before]
    engine.ledger.append(_unknown(engine, newer))
    erasures = [event for event in newer if event.action == ERASED]
    walls = [Tenant.of(Scope.parse(event.scope)) for event in erasures]
    kept: set[str] = set()
    for batch in _batches(backups.records(moment)):
        kept |= _write(engine, batch, walls)
        progress(len(kept))
    uses = {id: use for id, use in backups.uses(moment).items() if id in kept}
    engine.ledger.take_over((), uses)
    for wall, erasure in zip(walls, erasures, strict=True):
        engine.ledger.wipe(wall, erasure=erasure)
    catch_up(engine)
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
    """Write those of some records that may be there; says which they are."""
    buried = find_buried(engine, batch)
    wanted = [
        one
        for one in batch
        if one.id not in buried and not any(wall.has(str(one.scope)) for wall in walls)
    ]
    ids = [one.id for one in wanted]
    there = engine.store.read(ids, visible=EVERYTHING)
    with engine.store.lease() as lease:
        puts = [Put(one) for one in wanted if one.id not in there]
        if puts:
            engine.store.write(puts, lease=lease)
    return set(ids)


def _refuse_other(engine: Engine, backups: Backups, moment: Snapshot) -> None:
    """A restore that was interrupted goes on; anything else in the target is not ours to touch."""
    if engine.store.store_id != moment.book:
        raise _holds_something(engine)
    there = {
        one.id: record_fingerprint(one, loosely=True)
        for batch in all_memories(engine)
        for one in batch
    }
    if not there:
        return
    due = {one.id: record_fingerprint(one, loosely=True) for one in backups.records(moment)}
    if any(due.get(id) != print for id, print in there.items()):
        raise _holds_something(engine)


def _compare(
    engine: Engine, backups: Backups, moment: Snapshot, kept: set[str]
) -> tuple[list[str], list[str]]:
    """Which records a vault tells in its own way, and which are not there as they were."""
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
    """The events of the newest moment after this one that reads as it was written."""
    for newer in backups.moments():
        if newer.at <= moment.at:
            break
        try:
            return list(backups.lines(newer))
        except Damaged:
            continue
    return []


def _tombstone(line: str) -> Event | None:
    if not any(mark in line for mark in audit.marks(TOMBSTONES)):
        return None
    try:
        return audit.from_line(line).event
    except ValueError:
        return None  # Spoilt before it was backed up; `audit verify` tells of it.


def _unknown(engine: Engine, events: Sequence[Event]) -> list[Event]:
    """Those events that the target does not have, as after a restore that was interrupted."""
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


def _holds_something(engine: Engine) -> Refused:
    return Refused(
        f"{engine.store.url} holds something else already, and nothing was changed there.",
        hint="Restore into a new place, look at it, then use that one.",
    )
