"""Erase everything of one user, everywhere, and hand out a receipt that can be checked."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.commit import event, follow
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadInput, CommonplaceError
from ..model.identity import is_derived
from ..model.memory import Event, Problem
from ..model.scope import EVERYTHING, Scope, Tenant
from ..model.value import Value
from ..notes import display
from ..ports.search_index import Where
from ..rules import access, audit, proposals
from .backup import FullRead, opened
from .erasures import drop_tokens, note_done, on_this_device, purges_of
from .forget import attempted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.record_store import Document, Lease


SOME = 200


class Erased(Value):
    """The receipt of an erasure: counts and hashes, and nothing of what was erased."""

    book: str
    user: str
    org: str | None
    at: datetime
    event: str
    """The id of the audit event."""
    hash: str
    """The hash of that event in the audit chain, which covers everything before it."""
    memories: int
    ids: str
    """A hash of the ids of all erased memories."""
    tombstones: str
    """A hash of the keyed hashes by which their texts would be recognized."""
    copies: int = 0
    """How many of them were copies that the user had shared with others."""
    events: int = 0
    """How many audit events lost their words."""
    sessions: int = 0
    tokens: int = 0
    keys: int = 0
    """How many keys of sealed memories went, because nothing else was sealed with them."""
    derived: tuple[str, ...] = ()
    """What others have that was derived from it in other words; a person should look at these."""
    backups_told: bool = True
    """Whether the place of backups was told; if not, the next backup tells it."""


class _Found:
    """The records of the book that go, and those that a person should look at."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self._places: dict[str, tuple[Memory, ...]] = {}
        self._others: dict[str, tuple[Memory, ...]] = {}

    def take(self, document: Document) -> None:
        """Note what a place holds now, as far as it could matter."""
        mine = [one for one in document.memories if self._tenant.has(str(one.scope))]
        others = [one for one in document.memories if _origins(one) and one not in mine]
        for noted, memories in ((self._places, mine), (self._others, others)):
            noted.pop(document.locator, None)
            if memories:
                noted[document.locator] = tuple(memories)

    def doomed(self) -> tuple[list[Memory], list[Memory], list[str]]:
        """The user's own memories, copies of them elsewhere, and the ids of what they led to."""
        mine = [one for place in self._places.values() for one in place]
        texts = {identity.content_hash(one.content) for one in mine}
        led_to = self._led_to(one.id for one in mine)
        copies = [one for one in led_to if identity.content_hash(one.content) in texts]
        ids = {one.id for one in (*mine, *copies)}
        rest = [one for one in led_to if one.id not in ids]
        # A proposal about a memory repeats its words; one about what stays is no matter of theirs.
        copies += [
            one for one in rest if one.kind == proposals.KIND and not ids.isdisjoint(_origins(one))
        ]
        return mine, copies, [one.id for one in rest if one.kind != proposals.KIND]

    def _led_to(self, origins: Iterable[str]) -> list[Memory]:
        """What others made of these memories, and of that, however many steps away."""
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
    """What a memory was made from: others, or an earlier version of itself."""
    return (*memory.derived_from, *((memory.supersedes,) if memory.supersedes else ()))


def erase_user(engine: Engine, user: str, *, org: str | None = None) -> Erased:
    """Remove all that a user has here for good, leaving tombstones without content.

    One part that fails does not keep the others from being done, and erasing again, or `sync`,
    does the rest.
    """
    access.require_owner(engine.context)
    tenant = Tenant.of(Scope(tuple(p for p in (("org", org or ""), ("user", user)) if p[1])))
    if tenant.user is None:
        raise BadInput("Nobody is named.", hint="Say whose memories are to be erased.")
    # First, so that a server of sessions that is out of reach is told before anything is gone.
    sessions = on_this_device(engine, tenant)
    found = _Found(tenant)
    everything = FullRead(engine, found.take)
    everything.read()
    with engine.store.lease() as lease:
        everything.catch_up()
        mine, copies, derived = found.doomed()
        doomed = [*mine, *copies]
        erasure, purges = _events(engine, tenant, doomed)
        engine.ledger.append([erasure, *purges])
        told = _tell_backups(engine, erasure, purges)
        failures = _remove_records(engine, tenant, [one.id for one in doomed], lease)
    failures += _remove_traces(engine, doomed)
    emptied = engine.ledger.wipe(tenant, erasure=erasure)
    if failures:
        raise failures[0]
    sessions += on_this_device(engine, tenant)
    tokens = drop_tokens(engine, tenant, before=erasure.at)
    keys = _drop_keys(engine, doomed)
    note_done(engine, erasure)
    return Erased(
        book=engine.store.store_id,
        user=tenant.user,
        org=tenant.org,
        at=erasure.at,
        event=erasure.id,
        hash=_hash_of(engine, erasure),
        memories=len(doomed),
        ids=fold(one.memory for one in purges),
        tombstones=fold(one.digest for one in purges),
        copies=len(copies),
        events=emptied,
        sessions=sessions,
        tokens=tokens,
        keys=keys,
        derived=tuple(derived),
        backups_told=told,
    )


def fold(values: Iterable[str]) -> str:
    """One hash of many texts, in whatever order they come."""
    import hashlib

    return hashlib.blake2b("\n".join(sorted(values)).encode(), digest_size=16).hexdigest()


def _events(engine: Engine, tenant: Tenant, doomed: Sequence[Memory]) -> tuple[Event, list[Event]]:
    """The erasure, and a tombstone for each memory that names whose it was and no more."""
    own = str(tenant.scope)
    at = to_millisecond(engine.now())
    erasure = Event(engine.id(), at, audit.ERASED, memory="", scope=own, by=engine.source)
    purges = [event(engine, audit.PURGED, one, related=(erasure.id,)) for one in doomed]
    return erasure, [one.but(scope=own) if tenant.has(one.scope) else one for one in purges]


def _remove_records(
    engine: Engine, tenant: Tenant, ids: Sequence[str], lease: Lease
) -> list[CommonplaceError]:
    """Take the records out of the store; returns what went wrong."""
    return attempted(
        lambda: engine.store.erase(ids, lease=lease),
        lambda: engine.store.wipe(tenant, lease=lease),
        lambda: follow(engine),
    )


def _remove_traces(engine: Engine, doomed: Sequence[Memory]) -> list[CommonplaceError]:
    """Take their words out of the index and of what others asked; returns what went wrong.

    Some at a time: each text is looked for in each question, and the log is held meanwhile.
    """

    def scrub() -> None:
        for start in range(0, len(doomed), SOME):
            some = doomed[start : start + SOME]
            texts = [text for one in some for text in (one.content, one.value, one.summary) if text]
            engine.ledger.scrub([one.id for one in some], texts)

    return attempted(scrub, lambda: engine.index.forget([one.id for one in doomed]))


def _drop_keys(engine: Engine, doomed: Collection[Memory]) -> int:
    """Drop the keys that only erased memories were sealed with: copies of them are noise then."""
    theirs = {_key(one) for one in doomed if display.is_sealed(one)} - {""}
    if not theirs or not (keys := engine.cipher.keys()).keeps:
        return 0
    needed: set[str] = set()

    def take(document: Document) -> None:
        needed.update(_key(one) for one in document.memories if display.is_sealed(one))

    FullRead(engine, take).catch_up()
    idle = [id for id in keys.ids if id in theirs - needed]
    if idle:
        engine.cipher.drop_keys(idle)
    return len(idle)


def _key(memory: Memory) -> str:
    parts = display.parts(display.sealed_text(memory) or "")
    return parts[0] if parts else ""


def _tell_backups(engine: Engine, erasure: Event, purges: Sequence[Event]) -> bool:
    """Let the place of backups know at once: the book itself may be lost before the next one."""
    if not engine.settings.backup.place:
        return True
    try:
        opened(engine).bury(erasure, purges)
    except CommonplaceError:
        return False
    return True


def _hash_of(engine: Engine, erasure: Event) -> str:
    for _, line in engine.ledger.lines():
        if f'"id":"{erasure.id}"' in line:
            return audit.from_line(line).hash
    return ""


# Check a receipt of an erasure against the book: was it done, and is it still so.


PAGE = 500
_HINT = "Erase the user again, and keep the new receipt."


class ErasureChecked(Value):
    """What comparing a receipt with the book found."""

    receipt: Erased
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether the receipt is this book's and everything it says is so."""
        return not self.problems


def verify_erasure(engine: Engine, receipt: Erased) -> ErasureChecked:
    """Compare a receipt with the audit chain, the tombstones, the store and the index."""
    access.require_owner(engine.context)
    if receipt.book != engine.store.store_id:
        what = f"The receipt is from the book {receipt.book}, and this is another."
        return ErasureChecked(receipt, (Problem("receipt", what, "Open that book.", "error"),))
    found = [*_chain(engine, receipt), *_tombstones(engine, receipt), *_left(engine, receipt)]
    return ErasureChecked(receipt, tuple(found))


def _chain(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    own = str(Tenant(receipt.org, receipt.user).scope)
    events = engine.ledger.events(visible=EVERYTHING, ids=[receipt.event])
    told = [one for one in events if (one.action, one.scope) == (audit.ERASED, own)]
    if not told:
        yield Problem("audit", "The audit log tells of no such erasure.", _HINT, "error")
    elif not any(_is_that(line, receipt) for _, line in engine.ledger.lines()):
        # A move to another kind of book links the events anew; the event itself is there.
        what = "The event of the erasure has another hash than the receipt says."
        yield Problem("audit", what, "That is so after moving to another kind of book.")
    yield from engine.ledger.verify().problems


def _is_that(line: str, receipt: Erased) -> bool:
    return receipt.event in line and receipt.hash in line and receipt.hash == _hash(line)


def _hash(line: str) -> str:
    try:
        return audit.from_line(line).hash
    except ValueError:
        return ""


def _tombstones(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    purges = purges_of(engine, receipt.event)
    told = (fold(one.memory for one in purges), fold(one.digest for one in purges))
    if told != (receipt.ids, receipt.tombstones):
        what = "The tombstones are not those that the receipt counts."
        yield Problem("audit", what, _HINT, "error")


def _left(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    """What is there although it was erased; whatever the user saved since is none of it."""
    tenant = Tenant(receipt.org, receipt.user)
    # The id of a hand-written place follows from the place, where something new may be now.
    told = (one.memory for one in purges_of(engine, receipt.event))
    purged = {id for id in told if not is_derived(id)}
    left: set[str] = set()

    def take(document: Document) -> None:
        for one in document.memories:
            old = tenant.has(str(one.scope)) and one.updated <= receipt.at
            if old or one.id in purged:
                left.add(one.id)

    FullRead(engine, take).catch_up()
    for id in sorted(left):
        yield Problem(id, "This memory is still there.", _HINT, "error")
    ids = sorted(purged)
    for start in range(0, len(ids), PAGE):
        where = Where(ids=tuple(ids[start : start + PAGE]))
        for one in with_index(engine, lambda where=where: _indexed(engine, where)):
            yield Problem(one, "The search index still knows this memory.", _HINT, "error")


def _indexed(engine: Engine, where: Where) -> list[str]:
    found = engine.index.select(where, visible=EVERYTHING, limit=PAGE)
    return [one.id for one in found]
