"""Whether a memory is new, known, a part of a known one, or contradicts one."""

from __future__ import annotations

from functools import lru_cache

from ..model import identity
from ..model.errors import Conflict, NotFound, Refused
from ..model.memory import LIVE
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import access, write_policy
from ..rules.relations import merge, versions
from . import neighbours, resolve
from .change_set import ChangeSet, fact_key, text_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model.memory import Draft, Memory
    from ..model.scope import Scope
    from ..ports.reasoner import Judged
    from ..rules.relations.duplicates import Compared
    from .change_set import DraftPlan
    from .engine import Engine
    from .neighbours import ReasonerCache


MOST_ALIKE = 10_000


class ExistingMemories:
    """The cheap look-ups of one batch, aware of what the batch itself plans."""

    def __init__(self, engine: Engine, new: Sequence[Memory], page: ChangeSet) -> None:
        self._engine = engine
        self._page = page
        self._of_hash = _alike(engine, new)

    def now(self, memory: Memory) -> Memory | None:
        """A neighbour as it is: planned in this batch, or in the store; None if it changed.

        The index proposes; the store decides, because a person may just have edited it.
        """
        if memory.id in self._page.puts:
            now = self._page.puts[memory.id].memory
        else:
            now = self._engine.store.read([memory.id], visible=EVERYTHING).get(memory.id)
        same = now is not None and now.status in LIVE and now.content == memory.content
        return now if same else None

    def named(self, ref: str, new: Memory) -> Memory:
        """The memory that a draft names as superseded; raises when that may not be."""
        found = self._engine.store.read([ref], visible=self._engine.visible).get(ref)
        if found is None:
            raise NotFound(f"No memory has the id {ref}.", hint="Look it up with `recall`.")
        access.require_writable(self._engine.context, found.scope)
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

    def same_text(self, new: Memory) -> Memory | None:
        """The memory with the same text."""
        hashed = identity.content_hash(new.content)
        return self._live(text_key(new), self._of_hash.get(hashed, ()), text_key)

    def same_key(self, new: Memory) -> Memory | None:
        """The fact with the same key."""
        where = Where(
            scopes=(str(new.scope),), statuses=LIVE, key=new.key, valid_at=self._engine.now()
        )
        found = self._engine.index.select(where, visible=EVERYTHING, limit=MOST_ALIKE)
        return self._live(fact_key(new), found, fact_key)

    def _live(
        self,
        key: tuple[object, ...],
        proposed: Sequence[Memory],
        key_of: Callable[[Memory], tuple[object, ...]],
    ) -> Memory | None:
        """The live memory with that key: planned in this batch, or proposed by the index."""
        if planned := self._page.planned(key):
            return planned
        for memory in proposed:
            if key_of(memory) != key:
                continue
            now = self._engine.store.read([memory.id], visible=EVERYTHING).get(memory.id)
            if now is not None and now.status in LIVE and key_of(now) == key:
                return now
        return None


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


# Whether a memory is new, known, a part of a known one, or contradicts one.


MOST_JUDGED = 5
"""How many neighbours of one memory are asked whether they contradict it."""


class _Near(Value):
    """A neighbour as the store has it now, and how the new memory stands to it."""

    memory: Memory
    compared: Compared
    holds: float
    """The share of the new memory's words that it has."""


class WriteGates:
    """The gates, in order of cost: key, hash, similarity, contradiction."""

    def __init__(
        self,
        engine: Engine,
        new: Sequence[Memory],
        asking: ReasonerCache,
        vector: bytes | None = None,
    ) -> None:
        self._engine = engine
        self._asking = asking
        self._alone = len(new) == 1
        self._neighbours = neighbours.Neighbours(engine, new, vector)
        self._scale = neighbours.scale(engine)
        self._known_topics: dict[Scope, dict[str, int]] = {}
        self.page = ChangeSet(engine)
        self._book = ExistingMemories(engine, new, self.page)

    def plan(self, draft: Draft, new: Memory) -> DraftPlan:
        """Decide what becomes of one memory."""
        planned = self._decided(draft, new)
        self._neighbours.add(self.page.puts[planned.id].memory)
        return planned

    def _decided(self, draft: Draft, new: Memory) -> DraftPlan:
        if new.topic is None and new.episode is None:
            new = new.but(topic=write_policy.infer(new.content, new.tags, self._topics(new.scope)))
        if draft.supersedes:
            return self.page.replace(
                new, [self._book.named(draft.supersedes, new)], automatic=False
            )
        if known := self._book.same_text(new):
            return self.page.refresh(known, new)
        if new.key is not None and (known := self._book.same_key(new)):
            return self._same_fact(known, new)
        return self._among(new, self._near(new))

    def _same_fact(self, known: Memory, new: Memory) -> DraftPlan:
        # Without values a key is the name of a whole text, and here the texts differ.
        if known.value is not None and known.value == new.value:
            return self.page.refresh(known, new)
        if versions.supersedes(new, known):
            return self.page.replace(new, [known], automatic=False)
        return self.page.stage(new, [known])

    def _near(self, new: Memory) -> list[_Near]:
        """The neighbours of a memory that still are what the index says, the most alike first."""
        gates = self._engine.settings.gates
        found: list[_Near] = []
        for one in self._neighbours.of(new):
            compared = merge.compare_memories(
                new.content,
                one.memory.content,
                cosine=one.cosine,
                by=self._scale,
                same=gates.same,
                merge=gates.merge,
            )
            found.append(_Near(one.memory, compared, neighbours.held(new, one.memory)))
        found.sort(key=lambda near: (-near.compared.similarity, near.memory.id))
        return found

    def _among(self, new: Memory, near: Sequence[_Near]) -> DraftPlan:
        for one in near:
            if one.compared.verdict == "same" and (known := self._book.now(one.memory)):
                return self.page.refresh(known, new, automatic=True)
        if against := self._contradicted(new, near):
            return resolve.settle_conflicts(self._engine, self.page, self._asking, new, against)
        for one in near:
            if one.compared.verdict == "merge" and (merged := self._merge(new, one.memory)):
                return merged
        return self._covered(new, near) or self.page.create(new)

    def _merge(self, new: Memory, known: Memory) -> DraftPlan | None:
        old = self._book.now(known)
        return (
            None
            if old is None
            else resolve.merge_into(self._engine, self.page, self._asking, new, old)
        )

    def _contradicted(self, new: Memory, near: Sequence[_Near]) -> list[tuple[Memory, Judged]]:
        """The neighbours that cannot be true together with a memory."""
        asked = _worth_judging(new, near)[:MOST_JUDGED]
        found: list[tuple[Memory, Judged]] = []
        for one in asked:
            judged = self._asking.judge(new.content, one.memory.content)
            if judged.relation == "contradicts" and (old := self._book.now(one.memory)):
                found.append((old, judged))
        return found

    def _covered(self, new: Memory, near: Sequence[_Near]) -> DraftPlan | None:
        """What is known whole is one memory; what is mostly known is not worth a second note."""
        gates = self._engine.settings.gates
        refuses = self._alone and gates.policy and write_policy.applies(new)
        for one in near:
            if one.holds < gates.covered:
                continue
            covered = merge.coverage(new.content, one.memory.content)
            if covered.share <= gates.covered or (old := self._book.now(one.memory)) is None:
                continue
            if not covered.left:
                return self.page.refresh(old, new, automatic=True)
            if refuses:
                raise Refused(
                    f"{old.id} says {covered.share:.0%} of this already.",
                    hint=f"Save only what is new: {covered.left[:200]}",
                ).because("repeated")
        return None

    def _topics(self, scope: Scope) -> dict[str, int]:
        """The topics that the scope already has."""
        if scope not in self._known_topics:
            where = Where(scopes=(str(scope),), statuses=LIVE)
            self._known_topics[scope] = self._engine.index.count(
                where, visible=EVERYTHING, by="topic"
            )
        return self._known_topics[scope]


def _worth_judging(new: Memory, near: Sequence[_Near]) -> list[_Near]:
    """Neighbours about the same attribute of the same thing, or alike but for something telling."""
    own = _claimed(new.content) if near else frozenset[tuple[str, str]]()
    return [
        one
        for one in near
        if one.compared.difference
        or one.compared.verdict == "merge"
        or (own and not own.isdisjoint(_claimed(one.memory.content)))
    ]


@lru_cache(maxsize=2048)
def _claimed(text: str) -> frozenset[tuple[str, str]]:
    """Of which things a text says which attribute."""
    from ..rules.relations.claims import read_claims

    return frozenset((one.entity, one.attribute) for one in read_claims(text))
