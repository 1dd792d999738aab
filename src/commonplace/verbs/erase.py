"""Erase a user's data everywhere, and verify the receipt later."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.commit import event, index_changes
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadInput, CommonplaceError
from ..model.identity import is_derived
from ..model.memory import Event, Problem
from ..model.scope import EVERYTHING, Scope, Tenant
from ..model.value import Value
from ..notes import display
from ..ports.search_index import Where
from ..rules import access, audit, authority, proposals
from .backup import FullRead, open_backups
from .erasures import erase_device_data, erasure_purges, mark_erasure_done, revoke_tokens
from .forget import run_all
from .seal import sealing_key
from .waiting_turns import remove_bisected_digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.record_store import Document, Lease


SCRUB_BATCH = 200


class Erased(Value):
    """Receipt of an erasure: counts and hashes, without any erased content."""

    book: str
    user: str
    org: str | None
    at: datetime
    event: str
    """The id of the audit event."""
    hash: str
    """Hash of that event in the audit chain, which covers all events before it."""
    memories: int
    ids: str
    """Hash of the ids of all erased memories."""
    tombstones: str
    """Hash of the keyed hashes that recognize their texts."""
    copies: int = 0
    """Erased copies that the user had shared with others."""
    events: int = 0
    """Audit events whose text was removed."""
    sessions: int = 0
    tokens: int = 0
    keys: int = 0
    """Keys dropped because only erased memories were sealed with them."""
    derived: tuple[str, ...] = ()
    """Ids of memories derived from it in other words, for a person to review."""
    backups_told: bool = True
    """Whether the backups know of the erasure; if not, the next backup adds it."""


class _ErasureScan:
    """Collects the memories of a user, their copies, and the memories derived from them."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._places: dict[str, tuple[Memory, ...]] = {}
        self._others: dict[str, tuple[Memory, ...]] = {}

    def take(self, document: Document) -> None:
        """Collect the relevant memories of a document, in place of its earlier ones."""
        mine = [one for one in document.memories if self._tenant.has(str(one.scope))]
        others = [one for one in document.memories if _origins(one) and one not in mine]
        for noted, memories in ((self._places, mine), (self._others, others)):
            noted.pop(document.locator, None)
            if memories:
                noted[document.locator] = tuple(memories)

    def select(self) -> tuple[list[Memory], list[Memory], list[str]]:
        """The user's memories, their copies elsewhere, and ids of other derived memories."""
        mine = [one for place in self._places.values() for one in place]
        texts = {identity.content_hash(one.content) for one in mine}
        derived = self._derived(one.id for one in mine)
        copies = [one for one in derived if identity.content_hash(one.content) in texts]
        ids = {one.id for one in (*mine, *copies)}
        rest = [one for one in derived if one.id not in ids]
        # A proposal about an erased memory repeats its words, so it goes, too.
        copies += [
            one
            for one in rest
            if one.kind == proposals.PROPOSAL_KIND and not ids.isdisjoint(_origins(one))
        ]
        return mine, copies, [one.id for one in rest if one.kind != proposals.PROPOSAL_KIND]

    def _derived(self, origins: Iterable[str]) -> list[Memory]:
        """Other users' memories derived from these, over any number of steps."""
        made: dict[str, list[Memory]] = {}
        for one in (one for place in self._others.values() for one in place):
            for origin in _origins(one):
                made.setdefault(origin, []).append(one)
        found: dict[str, Memory] = {}
        edge = list(origins)
        while edge:
            new = [one for one in made.get(edge.pop(), ()) if one.id not in found]
            found |= {one.id: one for one in new}
            edge += [one.id for one in new]
        return list(found.values())


def _origins(memory: Memory) -> tuple[str, ...]:
    """Ids of the memories that this one was derived from or supersedes."""
    return (*memory.derived_from, *((memory.supersedes,) if memory.supersedes else ()))


def erase_user(engine: Engine, user: str, *, org: str | None = None) -> Erased:
    """Remove all data of a user for good, leaving tombstones without content.

    A part that fails does not stop the others; erasing again, or `sync`, completes it.
    """
    access.require_owner(engine.context)
    authority.require_person(engine.source, "erase a user")
    named = (("org", org or ""), ("user", user.strip()))
    tenant = Tenant.of(Scope(tuple(pair for pair in named if pair[1])))
    if tenant.user is None:
        raise BadInput("No user is named.", hint="Name the user to erase.")
    # First, so that an unreachable session server fails before anything is erased.
    sessions = erase_device_data(engine, tenant)
    scan = _ErasureScan(tenant)
    full_read = FullRead(engine, scan.take)
    full_read.read()
    with engine.store.lease() as lease:
        full_read.catch_up()
        mine, copies, derived = scan.select()
        doomed = [*mine, *copies]
        erasure, purges = _events(engine, tenant, doomed)
        engine.ledger.append([erasure, *purges])
        told = _bury_in_backups(engine, erasure, purges)
        failures = _remove_records(engine, tenant, [one.id for one in doomed], lease)
    failures += _remove_traces(engine, doomed)
    emptied = engine.ledger.wipe(tenant, erasure=erasure)
    if failures:
        raise failures[0]
    sessions += erase_device_data(engine, tenant)
    tokens = revoke_tokens(engine, tenant, before=erasure.at)
    keys = _drop_keys(engine, doomed)
    mark_erasure_done(engine, erasure)
    return Erased(
        book=engine.store.store_id,
        user=tenant.user,
        org=tenant.org,
        at=erasure.at,
        event=erasure.id,
        hash=_chain_hash(engine, erasure),
        memories=len(doomed),
        ids=combined_hash(one.memory for one in purges),
        tombstones=combined_hash(one.digest for one in purges),
        copies=len(copies),
        events=emptied,
        sessions=sessions,
        tokens=tokens,
        keys=keys,
        derived=tuple(derived),
        backups_told=told,
    )


def combined_hash(values: Iterable[str]) -> str:
    """One hash of many texts, independent of their order."""
    import hashlib

    return hashlib.blake2b("\n".join(sorted(values)).encode(), digest_size=16).hexdigest()


def _events(engine: Engine, tenant: Tenant, doomed: Sequence[Memory]) -> tuple[Event, list[Event]]:
    """The event of the erasure, and a tombstone without content for each memory."""
    own = str(tenant.scope)
    at = to_millisecond(engine.now())
    erasure = Event(engine.id(), at, audit.ERASED, memory="", scope=own, by=engine.source)
    purges = [event(engine, audit.PURGED, one, related=(erasure.id,)) for one in doomed]
    return erasure, [one.but(scope=own) if tenant.has(one.scope) else one for one in purges]


def _remove_records(
    engine: Engine, tenant: Tenant, ids: Sequence[str], lease: Lease
) -> list[CommonplaceError]:
    """Remove the records from the store; returns the failures."""
    return run_all(
        lambda: engine.store.erase(ids, lease=lease),
        lambda: engine.store.wipe(tenant, lease=lease),
        lambda: index_changes(engine),
    )


def _remove_traces(engine: Engine, doomed: Sequence[Memory]) -> list[CommonplaceError]:
    """Remove their texts from the index and the retrieval log; returns the failures.

    In batches, because the log is locked while each text is searched in each question.
    """

    def scrub() -> None:
        for start in range(0, len(doomed), SCRUB_BATCH):
            some = doomed[start : start + SCRUB_BATCH]
            texts = [text for one in some for text in (one.content, one.value, one.summary) if text]
            engine.ledger.scrub([one.id for one in some], texts)

    return run_all(
        scrub,
        lambda: engine.index.forget([one.id for one in doomed]),
        lambda: remove_bisected_digests(engine.state),
    )


def _drop_keys(engine: Engine, doomed: Collection[Memory]) -> int:
    """Drop the keys that only erased memories used, so that copies of them stay unreadable."""
    theirs = {sealing_key(one) for one in doomed if display.is_sealed(one)} - {None}
    if not theirs or not (keys := engine.cipher.keys()).keeps:
        return 0
    needed: set[str | None] = set()

    def take(document: Document) -> None:
        needed.update(sealing_key(one) for one in document.memories if display.is_sealed(one))

    FullRead(engine, take).catch_up()
    idle = [id for id in keys.ids if id in theirs - needed]
    if idle:
        engine.cipher.drop_keys(idle)
    return len(idle)


def _bury_in_backups(engine: Engine, erasure: Event, purges: Sequence[Event]) -> bool:
    """Record the erasure in the backups now, because the book may be lost before the next one."""
    if not engine.settings.backup.place:
        return True
    try:
        open_backups(engine).record_erasure(erasure, purges)
    except CommonplaceError:
        return False
    return True


def _chain_hash(engine: Engine, erasure: Event) -> str:
    for _, line in engine.ledger.lines():
        if f'"id":"{erasure.id}"' in line:
            return audit.from_line(line).hash
    return ""


# Verify a receipt

PAGE = 500
_HINT = "Erase the user again, and keep the new receipt."


class ErasureChecked(Value):
    """Result of verifying a receipt."""

    receipt: Erased
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether the receipt matches the book."""
        return not self.problems


def verify_erasure(engine: Engine, receipt: Erased) -> ErasureChecked:
    """Compare a receipt with the audit chain, the tombstones, the store and the index."""
    access.require_owner(engine.context)
    if receipt.book != engine.store.store_id:
        what = f"The receipt is from another book, {receipt.book}."
        return ErasureChecked(receipt, (Problem("receipt", what, "Open that book.", "error"),))
    found = [*_chain(engine, receipt), *_tombstones(engine, receipt), *_leftovers(engine, receipt)]
    return ErasureChecked(receipt, tuple(found))


def _chain(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    own = str(Tenant(receipt.org, receipt.user).scope)
    events = engine.ledger.events(visible=EVERYTHING, ids=[receipt.event])
    told = [one for one in events if (one.action, one.scope) == (audit.ERASED, own)]
    if not told:
        yield Problem("audit", "The audit log has no such erasure.", _HINT, "error")
    elif not any(_is_receipt_line(line, receipt) for _, line in engine.ledger.lines()):
        # A move to another kind of store rebuilds the chain with the same events.
        what = "The event of the erasure has another hash than in the receipt."
        yield Problem("audit", what, "This is normal after a move to another kind of store.")
    yield from engine.ledger.verify().problems


def _is_receipt_line(line: str, receipt: Erased) -> bool:
    return receipt.event in line and receipt.hash in line and receipt.hash == _hash(line)


def _hash(line: str) -> str:
    try:
        return audit.from_line(line).hash
    except ValueError:
        return ""


def _tombstones(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    purges = erasure_purges(engine, receipt.event)
    told = (
        combined_hash(one.memory for one in purges),
        combined_hash(one.digest for one in purges),
    )
    if told != (receipt.ids, receipt.tombstones):
        what = "The tombstones differ from those in the receipt."
        yield Problem("audit", what, _HINT, "error")


def _leftovers(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    """Erased memories that are still there; those saved since do not count."""
    tenant = Tenant(receipt.org, receipt.user)
    # The id of a hand-written place follows from the place, where something new may be now.
    told = (one.memory for one in erasure_purges(engine, receipt.event))
    purged = {id for id in told if not is_derived(id)}
    left: set[str] = set()

    def take(document: Document) -> None:
        for one in document.memories:
            old = tenant.has(str(one.scope)) and one.updated <= receipt.at
            if old or one.id in purged:
                left.add(one.id)

    FullRead(engine, take).catch_up()
    for id in sorted(left):
        yield Problem(id, "This memory was not erased.", _HINT, "error")
    ids = sorted(purged)
    for start in range(0, len(ids), PAGE):
        where = Where(ids=tuple(ids[start : start + PAGE]))
        for one in with_index(engine, lambda where=where: _indexed(engine, where)):
            yield Problem(one, "The search index still has this memory.", _HINT, "error")


def _indexed(engine: Engine, where: Where) -> list[str]:
    found = engine.index.select(where, visible=EVERYTHING, limit=PAGE)
    return [one.id for one in found]
