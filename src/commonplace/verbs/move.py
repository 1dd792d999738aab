"""Move the whole book to another store, and compare both at the end.

The target becomes the same book, with the same id, memories, versions, audit events, tombstones
and counters; the source stays as it was. Moving again continues an interrupted move and copies
later changes. A target with content that the source lacks is refused.
"""

from __future__ import annotations

import json

from ..engine.catch_up import catch_up_or_rebuild, find_purged
from ..model.errors import Conflict, Damaged, Refused
from ..model.memory import Event
from ..model.results import Moved
from ..model.scope import EVERYTHING
from ..notes.exchange import differing_fields, lost_fields, record_fingerprint
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import audit
from ..rules.access import require_owner
from ..rules.audit import MOVED
from .backup import all_memories
from .find import is_listed
from .restore import store_taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.ledger import Ledger
    from ..ports.record_store import Lease

    Progress = Callable[[str, int, int], object]

MOST_LOGGED = 1_000_000


def move(
    source: Engine,
    target: Engine,
    *,
    anyway: bool = False,
    progress: Progress = lambda step, done, of: None,
) -> Moved:
    """Copy everything that the target lacks, then compare both and raise Damaged if they differ.

    A source with unreadable notes is refused; `anyway` moves the rest.
    """
    for engine in (source, target):
        require_owner(engine.context)
    require_other_place(source, target)
    if not anyway:
        require_no_problems(source)
    with source.store.lease() as kept, target.store.lease() as lease:
        transfer = Transfer(source, target, kept, lease, progress)
        transfer.require_behind()
        transfer.copy_ledger()
        transfer.copy_memories()
        transfer.erase_purged()
        moved = transfer.compare()
    target.store.refresh_map()
    progress("Indexing", 0, moved.records)
    catch_up_or_rebuild(target, progress=lambda done: progress("Indexing", done, moved.records))
    return moved


def require_other_place(source: Engine, target: Engine) -> None:
    """Raise Conflict unless the target is another place of the same book."""
    if source.store.url == target.store.url:
        raise Conflict(f"The book is at {source.store.url} already.", hint="Name another place.")
    if source.store.store_id != target.store.store_id:
        raise store_taken(target)


def require_no_problems(source: Engine) -> None:
    """Refuse to move a book with unreadable notes or a broken audit chain."""
    url = source.store.url
    whole_book = (url, url.partition(":")[2])
    found = [*source.ledger.verify().problems]
    found += [
        one for one in source.store.problems()
        if one.severity == "error" or one.where not in whole_book
    ]  # fmt: skip
    if found:
        raise Refused(
            f"The book has {len(found)} {'problem' if len(found) == 1 else 'problems'}; the first:"
            f" {found[0].where}: {found[0].what}",
            hint="Fix it (`commonplace doctor`), or move the rest with --anyway.",
        )


def target_diverged(target: Engine, what: str) -> Conflict:
    """The error for a target with content that the source lacks."""
    return Conflict(
        f"{target.store.url} has something that the book lacks: {what}.",
        hint="Nothing was changed. Name a new place, or move from there instead.",
    )


class Transfer:
    """One move; both stores are leased, so that nobody writes meanwhile."""

    def __init__(
        self,
        source: Engine,
        target: Engine,
        source_lease: Lease,
        target_lease: Lease,
        progress: Progress,
    ) -> None:
        self._source = source
        self._target = target
        self._source_lease = source_lease
        self._target_lease = target_lease
        self._progress = progress
        self._held: dict[str, str] = {}
        """Content of the target before the move: fingerprints by id."""
        self._gone: list[str] = []
        """Ids that the target has and the source has purged."""
        self._expected: dict[str, str] = {}
        """Content of the target after the move: fingerprints by id."""
        self._adapted: dict[str, int] = {}
        self._copied = 0

    def require_behind(self) -> None:
        """Raise Conflict if the target has content that the source lacks."""
        known = {event.id for event in _events(self._source.ledger)}
        for event in _events(self._target.ledger):
            if event.id not in known and event.action != MOVED:
                raise target_diverged(self._target, f"the change {event.id}")
        for batch in all_memories(self._target):
            ours = self._source.store.read([one.id for one in batch], visible=EVERYTHING)
            purged = find_purged(self._source, batch)
            for one in batch:
                self._held[one.id] = record_fingerprint(one)
                if one.id in purged:
                    self._gone.append(one.id)
                elif one.id not in ours or not self._had_text(one, ours[one.id]):
                    raise target_diverged(self._target, f"the memory {one.slug or one.id}")
            self._check_leases()

    def _had_text(self, there: Memory, here: Memory) -> bool:
        """Whether the source has or had the target's text."""
        if there.content == here.content:
            return True
        events = self._source.ledger.events(visible=EVERYTHING, memories=[here.id], limit=1_000)
        return self._source.content_fingerprint(there) in {event.digest for event in events}

    def copy_ledger(self) -> None:
        """Copy events, before any record, then counters, recalls, digests and model costs."""
        here, there = self._source.ledger, self._target.ledger
        self._progress("Events", 0, 0)
        there.import_history(here.lines(), here.all_uses())
        known = {one.id for one in there.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)}
        for one in reversed(here.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)):
            if one.id not in known:
                there.log(one)
        known = {one.id for one in there.digests(visible=EVERYTHING, limit=MOST_LOGGED)}
        for one in reversed(here.digests(visible=EVERYTHING, limit=MOST_LOGGED)):
            if one.id not in known:
                there.log_digest(one)
        for spend in here.spends()[there.spent().asked :]:
            there.record_spend(spend)
        self._check_leases()

    def copy_memories(self) -> None:
        """Copy new and changed memories, in batches."""
        total = sum(self._source.index.count(Where(), visible=EVERYTHING, by="status").values())
        for batch in all_memories(self._source):
            purged = find_purged(self._source, batch)
            kept = [one for one in batch if one.id not in purged]
            self._expected |= {one.id: record_fingerprint(one) for one in kept}
            self._write(list(self._puts(kept)))
            self._check_leases()
            self._progress("Memories", len(self._expected), max(total, len(self._expected)))

    def _write(self, puts: Sequence[Put]) -> None:
        if puts:
            written = self._target.store.write(puts, lease=self._target_lease)
            for put, stored in zip(puts, written, strict=True):
                self._accept(put.memory, stored.memory)
            self._copied += len(puts)

    def _puts(self, memories: Sequence[Memory]) -> Iterator[Put]:
        other = [
            one.id for one in memories if self._held.get(one.id, "") != record_fingerprint(one)
        ]
        there = self._target.store.read(
            [id for id in other if id in self._held], visible=EVERYTHING
        )
        for one in memories:
            if one.id in there and not lost_fields(one, there[one.id]):
                self._accept(one, there[one.id])
            elif one.id in other:
                yield Put(one, expect=there.get(one.id))

    def _accept(self, here: Memory, there: Memory) -> None:
        """Record how the target stores a memory; raise Damaged if a field is lost."""
        if here == there:
            return
        if missing := lost_fields(here, there):
            raise Damaged(
                f"The memory {here.slug or here.id} would lose its {missing[0]} in the new store.",
                hint="The old store is unchanged. Please report this.",
            )
        self._expected[here.id] = record_fingerprint(there)
        for name in differing_fields(here, there):
            self._adapted[name] = self._adapted.get(name, 0) + 1

    def erase_purged(self) -> None:
        """Erase from the target what the source has purged since an earlier move."""
        if self._gone:
            self._target.store.erase(self._gone, lease=self._target_lease)
            self._target.ledger.scrub(self._gone, ())

    def compare(self) -> Moved:
        """Read both stores again; raise Damaged unless they are equal."""
        found: dict[str, str] = {}
        in_use = 0
        for batch in all_memories(self._target):
            in_use += sum(map(is_listed, batch))
            found |= {one.id: record_fingerprint(one) for one in batch}
            self._check_leases()
            self._progress("Comparing", len(found), len(self._expected))
        events = {event.id for event in _events(self._source.ledger)}
        there = {event.id for event in _events(self._target.ledger)}
        verified = self._target.ledger.verify()
        wrong = {
            id for id in found.keys() | self._expected.keys()
            if found.get(id) != self._expected.get(id)
        }  # fmt: skip
        if wrong or events - there or not verified.sound:
            raise Damaged(
                f"The new store is not equal yet: {len(wrong)} memories and"
                f" {len(events - there)} events differ.",
                hint="The old store is unchanged. Move again to continue.",
            )
        moved = self._result(found, in_use, len(events))
        if self._copied or not any(one.action == MOVED for one in _events(self._target.ledger)):
            self._target.ledger.append([_arrival(self._target, moved)])
        return moved

    def _result(self, found: dict[str, str], in_use: int, events: int) -> Moved:
        import hashlib

        whole = "".join(f"{id} {found[id]}\n" for id in sorted(found))
        return Moved(
            source=self._source.store.url,
            target=self._target.store.url,
            memories=in_use,
            records=len(found),
            events=events,
            digest=hashlib.blake2b(whole.encode(), digest_size=16).hexdigest(),
            copied=self._copied,
            erased=len(self._gone),
            adapted=tuple(sorted(self._adapted.items())),
        )

    def _check_leases(self) -> None:
        """Raise if a lease was lost."""
        self._source_lease.check()
        self._target_lease.check()


def _events(ledger: Ledger) -> Iterator[Event]:
    """Every readable event; `verify` reports the others."""
    for _, line in ledger.lines():
        try:
            yield audit.from_line(line).event
        except ValueError:
            continue


def _arrival(target: Engine, moved: Moved) -> Event:
    told = {"memories": moved.records, "events": moved.events, "digest": moved.digest}
    return Event(
        id=target.id(),
        at=target.now(),
        action=MOVED,
        # It concerns no memory; an id of its own keeps it apart from other events.
        memory=target.id(),
        scope="/",
        by=target.source,
        before=json.dumps(told),
    )
