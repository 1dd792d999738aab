"""Move house: the whole book to another place, compared at the end, and safe to interrupt.

The new place is the same book: it has the same id, memories, versions, audit events, tombstones
and counters. The old one is left as it was. A move that was cut short, or a book that went on
since, is continued by moving again; a place that knows something the book does not is refused.
"""

from __future__ import annotations

import json

from ..engine.catch_up import catch_up, find_buried
from ..model.errors import Conflict, Damaged, Refused
from ..model.memory import Event
from ..model.results import Moved
from ..model.scope import EVERYTHING
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import audit
from ..rules.access import require_owner
from ..rules.audit import MOVED
from ..rules.relations.versions import differing_fields, lost_fields, record_fingerprint
from .backup import all_memories
from .restore import another_book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.ledger import Ledger
    from ..ports.record_store import Lease

    Progress = Callable[[str, int, int], object]


def require_apart(source: Engine, target: Engine) -> None:
    """Raise Conflict unless the target is another place of the same book."""
    if source.store.url == target.store.url:
        raise Conflict(f"The book is at {source.store.url} already.", hint="Name another place.")
    if source.store.store_id != target.store.store_id:
        raise another_book(target)


def require_sound(source: Engine) -> None:
    """What does not read, or was tampered with, is a person's to look at before it is gone."""
    url = source.store.url
    about_the_whole = (url, url.partition(":")[2])
    found = [*source.ledger.verify().problems]
    found += [
        one for one in source.store.problems()
        if one.severity == "error" or one.where not in about_the_whole
    ]  # fmt: skip
    if found:
        raise Refused(
            f"The book has {len(found)} {'problem' if len(found) == 1 else 'problems'}; the first:"
            f" {found[0].where}: {found[0].what}",
            hint="Mend it (`commonplace doctor`), or move the rest with --anyway.",
        )


def diverged(target: Engine, what: str) -> Conflict:
    """What to say of a place that went its own way."""
    return Conflict(
        f"{target.store.url} holds something that the book does not: {what}.",
        hint="Nothing was changed. Name a new place, or move from there instead.",
    )


# Carrying a book over: its ledger, its memories, and the comparison at the end.


MOST_LOGGED = 1_000_000


class Transfer:
    """One move under way; both places are held, so that nobody writes meanwhile."""

    def __init__(
        self, source: Engine, target: Engine, kept: Lease, lease: Lease, progress: Progress
    ) -> None:
        self._source = source
        self._target = target
        self._kept = kept
        self._lease = lease
        self._progress = progress
        self._held: dict[str, str] = {}
        """What the target had when we came: fingerprints by id."""
        self._gone: list[str] = []
        """What the target still has and the source has purged."""
        self._expected: dict[str, str] = {}
        """What the target must hold in the end: fingerprints by id."""
        self._adapted: dict[str, int] = {}
        self._copied = 0

    def require_behind(self) -> None:
        """Raise Conflict when the target knows something that the source does not."""
        known = {event.id for event in _events(self._source.ledger)}
        for event in _events(self._target.ledger):
            if event.id not in known and event.action != MOVED:
                raise diverged(self._target, f"the change {event.id}")
        for batch in all_memories(self._target):
            ours = self._source.store.read([one.id for one in batch], visible=EVERYTHING)
            buried = find_buried(self._source, batch)
            for one in batch:
                self._held[one.id] = record_fingerprint(one)
                if one.id in buried:
                    self._gone.append(one.id)
                elif one.id not in ours or not self._was_ours(one, ours[one.id]):
                    raise diverged(self._target, f"the memory {one.slug or one.id}")
            self._stay()

    def _was_ours(self, there: Memory, here: Memory) -> bool:
        """Whether the text that the target has is one that the source has or had."""
        if there.content == here.content:
            return True
        events = self._source.ledger.events(visible=EVERYTHING, memories=[here.id], limit=1_000)
        return self._source.digest(there) in {event.digest for event in events}

    def carry_ledger(self) -> None:
        """Events before records, as always; then counters, questions and what models cost."""
        here, there = self._source.ledger, self._target.ledger
        self._progress("Events", 0, 0)
        there.take_over(here.lines(), here.all_uses())
        known = {one.id for one in there.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)}
        for one in reversed(here.retrievals(visible=EVERYTHING, limit=MOST_LOGGED)):
            if one.id not in known:
                there.log(one)
        for spend in here.spends()[there.spent().asked :]:
            there.record_spend(spend)
        self._stay()

    def carry_memories(self) -> None:
        """Write what the target lacks or has otherwise, some at a time."""
        total = sum(self._source.index.count(Where(), visible=EVERYTHING, by="status").values())
        for batch in all_memories(self._source):
            buried = find_buried(self._source, batch)
            kept = [one for one in batch if one.id not in buried]
            self._expected |= {one.id: record_fingerprint(one) for one in kept}
            self._write(list(self._puts(kept)))
            self._stay()
            self._progress("Memories", len(self._expected), max(total, len(self._expected)))

    def _write(self, puts: Sequence[Put]) -> None:
        if puts:
            written = self._target.store.write(puts, lease=self._lease)
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
        """Take note of how the target says a memory; raise Damaged if it lost something."""
        if here == there:
            return
        if missing := lost_fields(here, there):
            raise Damaged(
                f"The memory {here.slug or here.id} would lose its {missing[0]} at the new place.",
                hint="The old place is as it was. Please report this.",
            )
        self._expected[here.id] = record_fingerprint(there)
        for name in differing_fields(here, there):
            self._adapted[name] = self._adapted.get(name, 0) + 1

    def erase_purged(self) -> None:
        """Remove what was purged here since an earlier move brought it there."""
        if self._gone:
            self._target.store.erase(self._gone, lease=self._lease)
            self._target.ledger.scrub(self._gone, ())

    def compare(self) -> Moved:
        """Read both places again; raise Damaged unless they hold the same."""
        found: dict[str, str] = {}
        for batch in all_memories(self._target):
            found |= {one.id: record_fingerprint(one) for one in batch}
            self._stay()
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
                f"The new place is not the same yet: {len(wrong)} memories and"
                f" {len(events - there)} events differ.",
                hint="The old place is as it was. Move again: what is the same stays.",
            )
        moved = self._told(found, len(events))
        if self._copied or not any(one.action == MOVED for one in _events(self._target.ledger)):
            self._target.ledger.append([_arrival(self._target, moved)])
        return moved

    def _told(self, found: dict[str, str], events: int) -> Moved:
        import hashlib

        whole = "".join(f"{id} {found[id]}\n" for id in sorted(found))
        return Moved(
            source=self._source.store.url,
            target=self._target.store.url,
            memories=len(found),
            events=events,
            digest=hashlib.blake2b(whole.encode(), digest_size=16).hexdigest(),
            copied=self._copied,
            erased=len(self._gone),
            adapted=tuple(sorted(self._adapted.items())),
        )

    def _stay(self) -> None:
        """Keep hold of both places."""
        self._kept.check()
        self._lease.check()


def _events(ledger: Ledger) -> Iterator[Event]:
    """Every event that reads as one; the others are the chain's own problem."""
    for _, line in ledger.lines():
        try:
            yield audit.from_line(line).event
        except ValueError:
            continue


def _arrival(target: Engine, moved: Moved) -> Event:
    told = {"memories": moved.memories, "events": moved.events, "digest": moved.digest}
    return Event(
        id=target.id(),
        at=target.now(),
        action=MOVED,
        # About no memory in particular; a name of its own keeps it apart from other events.
        memory=target.id(),
        scope="/",
        by=target.source,
        before=json.dumps(told),
    )


# Move house: the whole book to another place, compared at the end, and safe to interrupt.


def move(
    source: Engine,
    target: Engine,
    *,
    anyway: bool = False,
    progress: Progress = lambda step, done, of: None,
) -> Moved:
    """Copy everything that the target lacks, then compare both and raise Damaged if they differ.

    A source with problems is refused, since what cannot be read cannot be moved; `anyway` moves
    the rest.
    """
    for engine in (source, target):
        require_owner(engine.context)
    require_apart(source, target)
    if not anyway:
        require_sound(source)
    with source.store.lease() as kept, target.store.lease() as lease:
        removal = Transfer(source, target, kept, lease, progress)
        removal.require_behind()
        removal.carry_ledger()
        removal.carry_memories()
        removal.erase_purged()
        moved = removal.compare()
    target.store.refresh_map()
    progress("Indexing", 0, moved.memories)
    catch_up(target, progress=lambda done: progress("Indexing", done, moved.memories))
    return moved
