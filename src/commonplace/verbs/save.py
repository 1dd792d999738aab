"""Remember something: check, place, pass the duplicate gates, write, index."""

from __future__ import annotations

from ..errors import Conflict, NotFound, Refused
from ..model import LIVE, Saved
from ..ports import Put, Where
from ..rules import drafts, identity, scoping, topics, versions
from ..scope import EVERYTHING
from ..value import Value
from .catch_up import with_index
from .commit import commit, event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model import Draft, Event, Memory
    from ..scope import Scope
    from .engine import Engine

BATCH = 500
MOST_ALIKE = 10_000


class Plan(Value):
    """What one draft will become, decided while the lease is held."""

    action: str
    id: str
    replaced: str | None = None


def save(engine: Engine, draft: Draft) -> Saved:
    """Remember one thing."""
    return save_many(engine, [draft])[0]


def save_many(
    engine: Engine, given: Sequence[Draft], *, progress: Callable[[int], object] = lambda _: None
) -> list[Saved]:
    """Remember many things; every draft is checked before the first is written."""
    new = [_new_memory(engine, draft) for draft in given]
    refuse_purged(engine, new)
    saved: list[Saved] = []
    for start in range(0, len(new), BATCH):
        batch = list(zip(given[start : start + BATCH], new[start : start + BATCH], strict=True))
        saved += _save_batch(engine, batch)
        progress(len(saved))
    _embed(engine, saved)
    return saved


def _embed(engine: Engine, saved: Sequence[Saved]) -> None:
    if engine.embedder is None or not saved:
        return
    from .embed import embed_pending, embed_whole

    if len(saved) == 1 and saved[0].action != "deduplicated":
        embed_whole(engine, saved[0].memory)
    elif len(saved) > 1:
        embed_pending(engine, most=len(saved), switch=False)


def _new_memory(engine: Engine, draft: Draft) -> Memory:
    scope = scoping.home(engine.context, draft.scope)
    return drafts.memory(draft, id=engine.id(), scope=scope, source=engine.source, now=engine.now())


def refuse_purged(engine: Engine, memories: Sequence[Memory]) -> None:
    """Raise Refused when one of these texts was purged where it would be written."""
    if not engine.ledger.burials():
        return
    if engine.ledger.buried([engine.digest(memory) for memory in memories]):
        raise Refused(
            "This text was purged from the book and stays gone.",
            hint="Word it differently if it should be remembered after all.",
        )


def _save_batch(engine: Engine, batch: Sequence[tuple[Draft, Memory]]) -> list[Saved]:
    with engine.store.lease() as lease:
        gates, plans = with_index(engine, lambda: _planned(engine, batch), look=False)
        puts = list(gates.puts.values())
        committed = commit(engine, lease, puts, gates.events)
    written = {put.memory.id: done.memory for put, done in zip(puts, committed.stored, strict=True)}
    return [
        Saved(plan.action, written[plan.id], indexed=committed.indexed, replaced=plan.replaced)
        for plan in plans
    ]


def _planned(engine: Engine, batch: Sequence[tuple[Draft, Memory]]) -> tuple[_Gates, list[Plan]]:
    gates = _Gates(engine, [memory for _, memory in batch])
    return gates, [gates.plan(draft, memory) for draft, memory in batch]


class _Gates:
    """The duplicate gates, in order of cost, aware of what the same batch already plans."""

    def __init__(self, engine: Engine, new: Sequence[Memory]) -> None:
        self._engine = engine
        self._of_hash = _alike(engine, new)
        self._planned: dict[tuple[object, ...], str] = {}
        self._known_topics: dict[Scope, dict[str, int]] = {}
        self.puts: dict[str, Put] = {}
        """What will be written, by memory id, in order."""
        self.events: list[Event] = []

    def plan(self, draft: Draft, new: Memory) -> Plan:
        """Decide whether a memory is new, known, or a new version of a known one."""
        if new.topic is None and new.episode is None:
            new = new.but(topic=topics.infer(new.content, new.tags, self._topics(new.scope)))
        if draft.supersedes:
            return self._replace(new, self._named(draft.supersedes, new))
        if known := self._same_text(new):
            return self._refresh(known, new)
        if new.key is not None and (known := self._same_key(new)):
            return self._same_fact(known, new)
        return self._create(new)

    def _same_fact(self, known: Memory, new: Memory) -> Plan:
        if known.value == new.value:
            return self._refresh(known, new)
        if versions.supersedes(new, known):
            return self._replace(new, known)
        staged = new.but(status="staged", always_load=False)
        return self._create(staged, action="staged", related=(known.id,))

    def _create(self, new: Memory, action: str = "created", related: tuple[str, ...] = ()) -> Plan:
        self._put(Put(new))
        self.events.append(event(self._engine, action, new, related=related))
        return Plan(action, new.id)

    def _refresh(self, known: Memory, new: Memory) -> Plan:
        fresh = versions.refreshed(known, new)
        if known.id not in self.puts:
            self.events.append(event(self._engine, "deduplicated", fresh, before=known))
        self._put(Put(fresh, expect=known))
        return Plan("deduplicated", fresh.id)

    def _replace(self, new: Memory, old: Memory) -> Plan:
        replaced = versions.replacement(new, old)
        new, gone = replaced.new, replaced.gone
        for put in replaced.puts:
            self._put(put)
        self.events += [
            event(self._engine, "created", new, related=(gone.id,)),
            event(self._engine, "superseded", gone, before=old, related=(new.id,)),
        ]
        return Plan("superseded", new.id, gone.id)

    def _put(self, put: Put) -> None:
        """Plan a write; a second one to the same memory takes the place of the first."""
        earlier = self.puts.get(put.memory.id)
        self.puts[put.memory.id] = Put(put.memory, earlier.expect if earlier else put.expect)
        if put.memory.status in LIVE:
            self._planned[_text_key(put.memory)] = put.memory.id
            if put.memory.key is not None:
                self._planned[_fact_key(put.memory)] = put.memory.id

    def _named(self, ref: str, new: Memory) -> Memory:
        found = self._engine.store.read([ref], visible=self._engine.visible).get(ref)
        if found is None:
            raise NotFound(f"No memory has the id {ref}.", hint="Look it up with `recall`.")
        scoping.require_writable(self._engine.context, found.scope)
        if found.superseded_by or found.status not in LIVE:
            raise Conflict(
                f"{ref} is {found.status} and cannot be superseded again.",
                hint=f"Supersede {found.superseded_by}." if found.superseded_by else "Restore it.",
            )
        if new.trust == "external" and found.trust != "external":
            raise Refused(
                "Text from outside cannot replace a memory that was said here.",
                hint="Save it beside the other, or have a person correct it.",
            )
        return found

    def _same_text(self, new: Memory) -> Memory | None:
        key = _text_key(new)
        hashed = identity.content_hash(new.content)
        return self._known(key, self._of_hash.get(hashed, ()), _text_key)

    def _same_key(self, new: Memory) -> Memory | None:
        where = Where(
            scopes=(str(new.scope),), statuses=LIVE, key=new.key, valid_at=self._engine.now()
        )
        found = self._engine.index.select(where, visible=EVERYTHING, limit=MOST_ALIKE)
        return self._known(_fact_key(new), found, _fact_key)

    def _known(
        self,
        key: tuple[object, ...],
        proposed: Sequence[Memory],
        key_of: Callable[[Memory], tuple[object, ...]],
    ) -> Memory | None:
        """The live memory with that key: planned in this batch, or proposed by the index."""
        if planned := self._planned.get(key):
            return self.puts[planned].memory
        for memory in proposed:
            if key_of(memory) != key:
                continue
            # The index proposes; the store decides, because a person may just have edited it.
            now = self._engine.store.read([memory.id], visible=EVERYTHING).get(memory.id)
            if now is not None and now.status in LIVE and key_of(now) == key:
                return now
        return None

    def _topics(self, scope: Scope) -> dict[str, int]:
        """The topics that the scope already has."""
        if scope not in self._known_topics:
            where = Where(scopes=(str(scope),), statuses=LIVE)
            self._known_topics[scope] = self._engine.index.count(
                where, visible=EVERYTHING, by="topic"
            )
        return self._known_topics[scope]


def _alike(engine: Engine, new: Sequence[Memory]) -> dict[str, list[Memory]]:
    """What the book holds of these texts, by hash: asked once for a whole batch."""
    where = Where(
        scopes=tuple({str(memory.scope) for memory in new}),
        statuses=LIVE,
        content_hashes=tuple({identity.content_hash(memory.content) for memory in new}),
        episodes=tuple({memory.episode for memory in new if memory.episode}) or None,
        valid_at=engine.now(),
    )
    wheres = [where]
    if any(memory.episode is None for memory in new):
        apart = where.but(episodes=None, in_conversation=False)
        wheres = [where, apart] if where.episodes else [apart]
    found: dict[str, list[Memory]] = {}
    for one in wheres:
        for memory in engine.index.select(one, visible=EVERYTHING, limit=MOST_ALIKE):
            found.setdefault(identity.content_hash(memory.content), []).append(memory)
    return found


def _text_key(memory: Memory) -> tuple[object, ...]:
    """Memories with one key say one thing. What was said in a conversation is kept per turn."""
    said = (memory.episode, memory.position) if memory.episode else (memory.key, memory.namespace)
    return ("text", memory.scope, identity.content_hash(memory.content), *said)


def _fact_key(memory: Memory) -> tuple[object, ...]:
    return ("key", memory.scope, memory.namespace, memory.key)
