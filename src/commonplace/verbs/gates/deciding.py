"""Whether a memory is new, known, a part of a known one, or contradicts one."""

from __future__ import annotations

from functools import lru_cache

from ...errors import Refused
from ...model import LIVE
from ...ports.searching import Where
from ...rules.comparing import joining, versions
from ...rules.learning import policy, topics
from ...scope import EVERYTHING
from ...value import Value
from . import neighbours, settling
from .known import Known
from .plan import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Draft, Memory
    from ...ports.reasoning import Judged
    from ...rules.comparing.duplicates import Compared
    from ...scope import Scope
    from ..engine import Engine
    from .judgements import Asking
    from .plan import Plan

MOST_JUDGED = 5
"""How many neighbours of one memory are asked whether they contradict it."""


class _Near(Value):
    """A neighbour as the store has it now, and how the new memory stands to it."""

    memory: Memory
    compared: Compared
    holds: float
    """The share of the new memory's words that it has."""


class Gates:
    """The gates, in order of cost: key, hash, similarity, contradiction."""

    def __init__(
        self, engine: Engine, new: Sequence[Memory], asking: Asking, vector: bytes | None = None
    ) -> None:
        self._engine = engine
        self._asking = asking
        self._alone = len(new) == 1
        self._neighbours = neighbours.Neighbours(engine, new, vector)
        self._scale = neighbours.scale(engine)
        self._known_topics: dict[Scope, dict[str, int]] = {}
        self.page = Page(engine)
        self._book = Known(engine, new, self.page)

    def plan(self, draft: Draft, new: Memory) -> Plan:
        """Decide what becomes of one memory."""
        planned = self._decided(draft, new)
        self._neighbours.add(self.page.puts[planned.id].memory)
        return planned

    def _decided(self, draft: Draft, new: Memory) -> Plan:
        if new.topic is None and new.episode is None:
            new = new.but(topic=topics.infer(new.content, new.tags, self._topics(new.scope)))
        if draft.supersedes:
            return self.page.replace(
                new, [self._book.named(draft.supersedes, new)], automatic=False
            )
        if known := self._book.same_text(new):
            return self.page.refresh(known, new)
        if new.key is not None and (known := self._book.same_key(new)):
            return self._same_fact(known, new)
        return self._among(new, self._near(new))

    def _same_fact(self, known: Memory, new: Memory) -> Plan:
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
            compared = joining.compared(
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

    def _among(self, new: Memory, near: Sequence[_Near]) -> Plan:
        for one in near:
            if one.compared.verdict == "same" and (known := self._book.now(one.memory)):
                return self.page.refresh(known, new, automatic=True)
        if against := self._contradicted(new, near):
            return settling.settle(self._engine, self.page, self._asking, new, against)
        for one in near:
            if one.compared.verdict == "merge" and (merged := self._merge(new, one.memory)):
                return merged
        return self._covered(new, near) or self.page.create(new)

    def _merge(self, new: Memory, known: Memory) -> Plan | None:
        old = self._book.now(known)
        return (
            None if old is None else settling.merge(self._engine, self.page, self._asking, new, old)
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

    def _covered(self, new: Memory, near: Sequence[_Near]) -> Plan | None:
        """What is known whole is one memory; what is mostly known is not worth a second note."""
        gates = self._engine.settings.gates
        refuses = self._alone and gates.policy and policy.applies(new)
        for one in near:
            if one.holds < gates.covered:
                continue
            covered = joining.coverage(new.content, one.memory.content)
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
    from ...rules.claims import claims

    return frozenset((one.entity, one.attribute) for one in claims(text))
