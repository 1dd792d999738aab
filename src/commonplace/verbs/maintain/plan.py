"""The plan of one maintenance run: the book as loaded, changed by what the steps decided so far.

Each step plans on top of the steps before it, and nothing is written until all have planned. A dry
run therefore lists exactly what a real run does. A run that was killed is finished by the next one,
because changes that are already written are not planned again.
"""

from __future__ import annotations

from datetime import timedelta

from ...engine.branch_view import branch_view
from ...engine.change_set import ChangeSet
from ...engine.drafts import summarized
from ...model import identity
from ...model.codec import to_millisecond
from ...model.memory import LIVE, SENSITIVITIES, TRUSTS, Use
from ...model.scope import EVERYTHING
from ...model.value import Value
from ...ports.search_index import Where
from ...rules import lifecycle, proposals
from ...rules.anchors.anchor import joined_anchors
from ...rules.audit import CONTRADICTED
from ...rules.authority import is_persons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from ...engine.engine import Engine
    from ...model.memory import Memory, Problem
    from ...rules.parameters import Lifetimes


PAGE = 1_000
MOST_EVENTS = 10_000
REVERTING = ("reverted", "restored")
MILLISECOND = timedelta(milliseconds=1)
_UNUSED = Use()


class MaintenanceChange(Value):
    """One change of a maintenance run, as the report shows it before and after."""

    step: str
    action: str
    """archived, staled, revived, loaded, unloaded, retired, merged, reviewed or proposed."""
    memories: tuple[str, ...]
    words: str
    """The change and its reason, in a sentence."""


class Maintained(Value):
    """Result of one maintenance run."""

    changes: tuple[MaintenanceChange, ...] = ()
    dry_run: bool = False
    ran: bool = True
    """False if another run was going on; this one then did nothing."""
    passed_over: tuple[MaintenanceChange, ...] = ()
    """Planned changes of memories that others changed meanwhile; the next run plans them again."""
    waiting: int = 0
    """Entries in the inbox after the run."""
    problems: tuple[Problem, ...] = ()

    @property
    def steps(self) -> dict[str, int]:
        """The number of changes of each step."""
        counted: dict[str, int] = {}
        for change in self.changes:
            counted[change.step] = counted.get(change.step, 0) + 1
        return counted


class PlannedChange(Value):
    """A change for the report, and the records and events that make it."""

    change: MaintenanceChange
    changes: ChangeSet


class MaintenancePlan:
    """The memories that maintenance looks at, and the changes planned so far."""

    def __init__(
        self,
        engine: Engine,
        *,
        tick: Callable[[], None] = lambda: None,
        dry_run: bool = False,
    ) -> None:
        self.engine = engine
        self.dry_run = dry_run
        self.now = to_millisecond(engine.now())
        self.settings: Lifetimes = engine.settings.ageing
        self.planned: list[PlannedChange] = []
        self.touched: set[str] = set()
        """Memories that a planned change is about."""
        self.tick = tick
        """Keeps the lease of the run; long steps call it now and then."""
        self._records: dict[str, Memory] = {}
        self._load(Where(in_conversation=False, statuses=(*LIVE, "superseded", "staged")))
        self._load(Where(kinds=(proposals.PROPOSAL_KIND,)))
        self._proposals: dict[tuple[str, str], list[Memory]] = {}
        """Open and decided proposals, by action and target."""
        for memory in self._records.values():
            self._note_proposal(memory)
        self._uses = engine.ledger.uses([one.id for one in self.live()])

    def live(self, *, curated: bool = True) -> list[Memory]:
        """Live memories that maintenance may change, oldest first."""
        return [
            memory
            for memory in self._records.values()
            if memory.status in LIVE
            and not lifecycle.is_protected(memory)
            and (curated or may_maintain(memory))
        ]

    def with_status(self, status: str) -> list[Memory]:
        """Memories with a status, without proposals."""
        return [
            memory
            for memory in self._records.values()
            if memory.status == status and memory.kind != proposals.PROPOSAL_KIND
        ]

    def open_proposals(self, action: str) -> list[Memory]:
        """Proposals of that action in the inbox."""
        return [
            memory
            for memory in self._records.values()
            if memory.kind == proposals.PROPOSAL_KIND
            and memory.status == "staged"
            and proposals.action_of(memory) == action
        ]

    def get(self, id: str) -> Memory | None:
        """A memory as changed so far."""
        return self._records.get(id)

    def use(self, memory: Memory) -> Use:
        """How often and when a memory was recalled on this device."""
        return self._uses.get(memory.id, _UNUSED)

    def proposed(self, action: str, memory: Memory) -> bool:
        """Whether this was proposed for the memory since it last changed."""
        return any(
            one.created >= memory.updated for one in self._proposals.get((action, memory.id), ())
        )

    def proposed_for_both(self, action: str, one: Memory, other: Memory) -> bool:
        """Whether this was ever proposed for the two memories together."""
        return any(
            other.id in found.derived_from for found in self._proposals.get((action, one.id), ())
        )

    def proposed_with_text(self, action: str, memory: Memory, text: str) -> bool:
        """Whether a text with the same first words was ever proposed for the memory."""
        opening = text.split()[:3]
        return any(
            proposals.proposed_text(one).split()[:3] == opening
            for one in self._proposals.get((action, memory.id), ())
        )

    def archive_rejected(self, memory: Memory) -> bool:
        """Whether a person has rejected to archive the memory since it last changed."""
        return any(
            one.status == "deleted" and one.created >= memory.updated
            for one in self._proposals.get(("archive", memory.id), ())
        )

    def not_reverted(self, memories: Sequence[Memory]) -> list[Memory]:
        """The memories whose last change was no undo, which maintenance must not repeat."""
        reverted: set[str] = set()
        for start in range(0, len(memories), 100):
            ids = [memory.id for memory in memories[start : start + 100]]
            last: dict[str, str] = {}
            for event in self.engine.ledger.events(
                visible=EVERYTHING, memories=ids, limit=MOST_EVENTS
            ):
                last.setdefault(event.memory, event.action)
            reverted |= {id for id, action in last.items() if action in REVERTING}
        return [memory for memory in memories if memory.id not in reverted]

    def taken_apart(self, one: Memory, other: Memory) -> bool:
        """Whether an undo let both memories stand, after one of them had gone for the other."""
        pair = {one.id, other.id}
        events = self.engine.ledger.events(visible=EVERYTHING, memories=pair, limit=MOST_EVENTS)
        undos = [event for event in events if event.action in REVERTING and event.memory in pair]
        causes = {event.related[0] for event in undos if event.related}
        undone = (
            self.engine.ledger.events(visible=EVERYTHING, ids=causes, limit=len(causes))
            if causes
            else []
        )
        return any(pair <= {event.memory, *event.related} for event in (*undos, *undone))

    def on_other_branches(self, one: Memory, other: Memory) -> bool:
        """Whether two memories never hold at once, as long as a branch is not merged here."""
        view = branch_view(self.engine, (one, other))
        if view.hides(one) and view.hides(other):
            return one.branch != other.branch
        return view.hides(one) or view.hides(other)

    def add(self, step: str, action: str, words: str, changes: ChangeSet, *about: str) -> None:
        """Plan a change; `about` names its memories if those are not the changed ones."""
        named = about or tuple(changes.puts)
        self.planned.append(PlannedChange(MaintenanceChange(step, action, named, words), changes))
        self.touched |= {*named, *changes.puts}
        for put in changes.puts.values():
            self._records[put.memory.id] = put.memory
            self._note_proposal(put.memory)

    def alter(self, step: str, action: str, memory: Memory, words: str, **fields: object) -> None:
        """Plan a change of some fields of a memory."""
        changes = ChangeSet()
        changes.change(action, altered(memory, **fields), before=memory)
        self.add(step, action, words, changes)

    def add_proposal(
        self,
        step: str,
        action: str,
        targets: Sequence[Memory],
        reason: str,
        *,
        text: str = "",
        kind: str = "",
    ) -> None:
        """Plan a proposal, unless it was made before."""
        if proposals.proposal_id(action, targets) in self._records:
            return
        changes = ChangeSet()
        staged = changes.propose(action, targets, reason, now=self.now, text=text, kind=kind)
        self.add(step, "proposed", reason, changes, staged.id, *(one.id for one in targets))

    def ask_which_holds(
        self, step: str, newer: Memory, older: Memory, *, to_review: Sequence[Memory]
    ) -> None:
        """Plan a question, unless it was asked before; `to_review` is marked until then."""
        if proposals.proposal_id("contradiction", (newer, older)) in self._records:
            return
        changes = ChangeSet()
        staged = changes.ask_which_holds(newer, [older], now=self.now)
        changes.record(CONTRADICTED, staged, related=staged.derived_from)
        for memory in to_review:
            changes.change("reviewed", altered(memory, status="review"), before=memory)
        question = proposals.which_holds(newer, [older])
        self.add(step, "proposed", question, changes, staged.id, *staged.derived_from)

    def _note_proposal(self, memory: Memory) -> None:
        if memory.kind != proposals.PROPOSAL_KIND:
            return
        for target in memory.derived_from:
            known = self._proposals.setdefault((proposals.action_of(memory), target), [])
            known[:] = [*(one for one in known if one.id != memory.id), memory]

    def _load(self, where: Where) -> None:
        offset = 0
        while page := self.engine.index.select(
            where, visible=EVERYTHING, order="oldest", limit=PAGE, offset=offset
        ):
            self._records |= {memory.id: memory for memory in page}
            offset += PAGE
            self.tick()


def altered(memory: Memory, **fields: object) -> Memory:
    """The memory with some fields changed; it stays as old as it was, but for a millisecond.

    Only what a person or an agent says makes a memory younger.
    """
    return memory.but(**{"updated": memory.updated + MILLISECOND, **fields})


def may_maintain(memory: Memory) -> bool:
    """Whether maintenance changes a memory by itself; a person decides about every other."""
    return memory.owner == "agent" and not is_persons(memory)


def display_name(memory: Memory) -> str:
    """The name of a memory in a report."""
    return memory.slug or memory.id


def merged_memory(memories: Sequence[Memory], text: str, *, id: str, now: datetime) -> Memory:
    """The memory that replaces several: no more trusted and no more public than any of them."""
    newest = max(memories, key=lambda one: (one.updated, one.id))
    others = [one for one in memories if one.id != newest.id]
    return newest.but(
        id=id,
        content=text,
        summary="",
        slug=identity.slug(newest.title or text[:300], id),
        trust=min((one.trust for one in memories), key=TRUSTS.index),
        sensitivity=max((one.sensitivity for one in memories), key=SENSITIVITIES.index),
        source="maintain",
        status="active",
        tags=_union(one.tags for one in (newest, *others)),
        aliases=_union(one.aliases for one in (newest, *others)),
        source_tasks=_union(one.source_tasks for one in (newest, *others)),
        anchors=joined_anchors((a for one in others for a in one.anchors), newest.anchors),
        always_load=any(one.always_load for one in memories),
        confidence=min(one.confidence for one in memories),
        derived_from=tuple(one.id for one in (newest, *others)),
        version=max(one.version for one in memories) + 1,
        supersedes=newest.id,
        created=now,
        updated=now,
    )


def merge_pair(
    plan: MaintenancePlan, changes: ChangeSet, newer: Memory, older: Memory, text: str
) -> Memory:
    """Put one memory in the place of two; returns it."""
    moment = int(newer.updated.timestamp() * 1000)
    # The same id on every device, and in a dry run.
    id = identity.computed_id(moment, "merge", newer.id, older.id)
    new = merged_memory((newer, older), text, id=id, now=plan.now)
    new = summarized(plan.engine, new)
    changes.merge(new, (newer, older))
    return new


def _union(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for values in several for value in values))
