"""The book as the steps of tidying see it: what is there, and what they have decided so far.

Every step plans on top of what the steps before it planned, and nothing is written until all have
planned. So a dry run lists exactly what a real one does, and a run that was killed goes on where
it was: what is done is no longer planned.
"""

from __future__ import annotations

from datetime import timedelta

from ...engine.drafts import summarized
from ...model import identity
from ...model.codec import to_millisecond
from ...model.memory import LIVE, TRUSTS, Use
from ...model.scope import EVERYTHING
from ...model.value import Value
from ...ports.record_store import Put
from ...ports.search_index import Where
from ...rules import lifecycle as ageing
from ...rules import proposals
from ...rules.relations import versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from ...engine.engine import Engine
    from ...model.memory import Memory, Problem
    from ...rules.parameters import Lifetimes


class MaintenanceChange(Value):
    """One thing that tidying does, in the same words before and after."""

    step: str
    action: str
    """archived, staled, revived, loaded, unloaded, retired, merged, reviewed or proposed."""
    memories: tuple[str, ...]
    words: str
    """What and why, for a person."""


class Maintained(Value):
    """What one run of tidying changed, in order."""

    changes: tuple[MaintenanceChange, ...] = ()
    dry_run: bool = False
    ran: bool = True
    """False when another run was at it, and this one left it alone."""
    passed_over: tuple[MaintenanceChange, ...] = ()
    """What somebody else changed in the meantime; the next run looks at it again."""
    waiting: int = 0
    """How many things wait in the inbox now."""
    problems: tuple[Problem, ...] = ()

    @property
    def steps(self) -> dict[str, int]:
        """How many changes each step made."""
        counted: dict[str, int] = {}
        for change in self.changes:
            counted[change.step] = counted.get(change.step, 0) + 1
        return counted


class Write(Value):
    """One record of a change, and what its audit event says."""

    put: Put
    action: str
    related: tuple[str, ...] = ()


class Planned(Value):
    """A change, and the records that make it."""

    change: MaintenanceChange
    writes: tuple[Write, ...]


# The book as the steps of tidying see it: what is there, and what they have decided so far.


PAGE = 1_000
MOST_EVENTS = 10_000
PUT_BACK = ("reverted", "restored")
TICK = timedelta(milliseconds=1)
_UNUSED = Use()


class MaintenancePlan:
    """What there is to tidy, and the plan so far."""

    def __init__(self, engine: Engine, *, tick: Callable[[], None] = lambda: None) -> None:
        self.engine = engine
        self.now = to_millisecond(engine.now())
        self.settings: Lifetimes = engine.settings.ageing
        self.planned: list[Planned] = []
        self.tick = tick
        """To be called now and then: it keeps the right to tidy."""
        self._records: dict[str, Memory] = {}
        conversations = Where(in_conversation=False)
        self._load(conversations.but(statuses=(*LIVE, "superseded", "staged")))
        self._load(Where(kinds=(proposals.KIND,)))
        self._asked: dict[tuple[str, str], list[Memory]] = {}
        for memory in self._records.values():
            self._remember_asking(memory)
        self._uses = engine.ledger.uses([one.id for one in self.live()])

    def live(self, *, curated: bool = True) -> list[Memory]:
        """Memories that something automatic may happen to, oldest first."""
        return [
            memory
            for memory in self._records.values()
            if memory.status in LIVE
            and not ageing.automatic_off(memory)
            and (curated or memory.owner == "agent")
        ]

    def of_status(self, status: str) -> list[Memory]:
        """Memories that are superseded, or staged."""
        return [
            memory
            for memory in self._records.values()
            if memory.status == status and memory.kind != proposals.KIND
        ]

    def open_proposals(self, action: str) -> list[Memory]:
        """What waits in the inbox."""
        return [
            memory
            for memory in self._records.values()
            if memory.kind == proposals.KIND
            and memory.status == "staged"
            and proposals.action_of(memory) == action
        ]

    def get(self, id: str) -> Memory | None:
        """A memory as it will be once the plan is carried out."""
        return self._records.get(id)

    def use(self, memory: Memory) -> Use:
        """How often it was recalled on this device."""
        return self._uses.get(memory.id, _UNUSED)

    def asked(self, action: str, memory: Memory) -> bool:
        """Whether a person was asked this about the memory since it last changed."""
        return any(
            one.created >= memory.updated for one in self._asked.get((action, memory.id), ())
        )

    def asked_together(self, action: str, one: Memory, other: Memory) -> bool:
        """Whether a person was ever asked this about the two of them."""
        return any(
            other.id in asked.derived_from for asked in self._asked.get((action, one.id), ())
        )

    def asked_ever(self, action: str, memory: Memory, text: str) -> bool:
        """Whether a person was asked this about the memory, in words that begin alike."""
        opening = text.split()[:3]
        return any(
            proposals.proposed_text(one).split()[:3] == opening
            for one in self._asked.get((action, memory.id), ())
        )

    def settled(self, memory: Memory) -> bool:
        """Whether a person has said to keep it, since it last changed."""
        return any(
            one.status == "deleted" and one.created >= memory.updated
            for one in self._asked.get(("archive", memory.id), ())
        )

    def not_put_back(self, memories: Sequence[Memory]) -> list[Memory]:
        """Those whose last change was not a person taking an automatic one back."""
        kept_by_hand: set[str] = set()
        for start in range(0, len(memories), 100):
            ids = [memory.id for memory in memories[start : start + 100]]
            last: dict[str, str] = {}
            for event in self.engine.ledger.events(
                visible=EVERYTHING, memories=ids, limit=MOST_EVENTS
            ):
                last.setdefault(event.memory, event.action)
            kept_by_hand |= {id for id, action in last.items() if action in PUT_BACK}
        return [memory for memory in memories if memory.id not in kept_by_hand]

    def change(
        self, step: str, action: str, words: str, writes: Sequence[Write], *about: str
    ) -> None:
        """Plan a change."""
        named = about or tuple(write.put.memory.id for write in writes)
        self.planned.append(Planned(MaintenanceChange(step, action, named, words), tuple(writes)))
        for write in writes:
            self._records[write.put.memory.id] = write.put.memory
            self._remember_asking(write.put.memory)

    def alter(self, step: str, action: str, memory: Memory, words: str, **fields: object) -> None:
        """Plan a change of some fields."""
        self.change(step, action, words, [altered(memory, action, **fields)])

    def propose(
        self,
        step: str,
        action: str,
        targets: Sequence[Memory],
        reason: str,
        *,
        text: str = "",
        kind: str = "",
        also: Sequence[Write] = (),
    ) -> None:
        """Plan to ask a person; `also` is what marks the memories until there is an answer."""
        id = proposals.proposal_id(action, targets)
        if id in self._records:
            return
        staged = proposals.proposal(
            action, targets, id=id, now=self.now, reason=reason, text=text, kind=kind
        )
        about = tuple(target.id for target in targets)
        writes = [Write(Put(staged), "staged", about), *also]
        self.change(step, "proposed", reason, writes, id, *about)

    def _remember_asking(self, memory: Memory) -> None:
        if memory.kind != proposals.KIND:
            return
        for target in memory.derived_from:
            known = self._asked.setdefault((proposals.action_of(memory), target), [])
            known[:] = [*(one for one in known if one.id != memory.id), memory]

    def _load(self, where: Where) -> None:
        for memory in self._pages(where):
            self._records[memory.id] = memory

    def _pages(self, where: Where) -> Iterator[Memory]:
        offset = 0
        while page := self._page(where, offset):
            yield from page
            offset += PAGE
            self.tick()

    def _page(self, where: Where, offset: int) -> Iterable[Memory]:
        return self.engine.index.select(
            where, visible=EVERYTHING, order="oldest", limit=PAGE, offset=offset
        )


def altered(memory: Memory, action: str, **fields: object) -> Write:
    """Some fields changed in place.

    The memory stays as old as it was: only what a person or an agent says makes it younger.
    """
    changed = memory.but(**{"updated": memory.updated + TICK, **fields})
    return Write(Put(changed, expect=memory), action)


def name(memory: Memory) -> str:
    """What a report calls a memory."""
    return memory.slug or memory.id


# Several memories that belong together become one; the others stay readable behind it.


_IN_ORDER = ("public", "private", "sensitive")


def merged(
    memories: Sequence[Memory], text: str, *, id: str, now: datetime
) -> tuple[Memory, list[Put]]:
    """The memory that takes the place of these, and the records to write, that one first.

    It is no more trusted and no more public than any of them, and names them all.
    """
    newest = max(memories, key=lambda one: (one.updated, one.id))
    others = [one for one in memories if one.id != newest.id]
    new = newest.but(
        id=id,
        content=text,
        summary="",
        slug=identity.slug(newest.title or text[:300], id),
        trust=min((one.trust for one in memories), key=TRUSTS.index),
        sensitivity=max((one.sensitivity for one in memories), key=_IN_ORDER.index),
        source="maintain",
        status="active",
        tags=_union(one.tags for one in (newest, *others)),
        aliases=_union(one.aliases for one in (newest, *others)),
        source_tasks=_union(one.source_tasks for one in (newest, *others)),
        always_load=any(one.always_load for one in memories),
        confidence=min(one.confidence for one in memories),
        derived_from=tuple(one.id for one in (newest, *others)),
        version=max(one.version for one in memories) + 1,
        supersedes=newest.id,
        created=now,
        updated=now,
    )
    gone = [Put(versions.retired(one, new), expect=one) for one in (newest, *others)]
    return new, [Put(new), *gone]


def join(given: MaintenancePlan, newer: Memory, older: Memory, text: str) -> list[Write]:
    """The writes by which one memory takes the place of two, that one first."""
    moment = int(newer.updated.timestamp() * 1000)
    # The same on every device, and in a dry run.
    id = identity.made_id(moment, "merge", newer.id, older.id)
    new, puts = merged((newer, older), text, id=id, now=given.now)
    return [
        Write(Put(summarized(given.engine, new)), "merged", (newer.id, older.id)),
        *(Write(put, "superseded", (new.id,)) for put in puts[1:]),
    ]


def _union(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for values in several for value in values))
