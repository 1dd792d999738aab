"""The records and audit events that one commit will write, collected before anything is written.

Saves, corrections, inbox decisions, undos and maintenance steps fill a ChangeSet; `commit` writes
it. Until then the ChangeSet answers how a memory will look.
"""

from __future__ import annotations

from ..model import identity
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.record_store import Put
from ..rules import proposals
from ..rules.relations import replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ..model.memory import Memory
    from ..model.scope import Scope
    from ..rules.relations.replacement import Replacement


class PlannedEvent(Value):
    """An audit event to write; `commit` adds its id, time and author."""

    action: str
    memory: Memory
    """The memory after the change."""
    before: Memory | None = None
    related: tuple[str, ...] = ()
    automatic: bool = False


class ChangeSet:
    """Records to put and events to write, and the memories as they will be afterwards."""

    def __init__(self) -> None:
        self.puts: dict[str, Put] = {}
        """Records by memory id, in the order to write them."""
        self.events: list[PlannedEvent] = []
        self._ids_by_key: dict[tuple[object, ...], str] = {}

    @property
    def scopes(self) -> set[Scope]:
        """Where the records are to be, and where they are now."""
        versions = [one for put in self.puts.values() for one in (put.memory, put.expect)]
        return {one.scope for one in versions if one is not None}

    def get(self, id: str) -> Memory | None:
        """A memory as changed so far; None if nothing here changes it."""
        put = self.puts.get(id)
        return put.memory if put else None

    def with_key(self, key: tuple[object, ...]) -> Memory | None:
        """The live memory here with that `text_key` or `fact_key`."""
        id = self._ids_by_key.get(key)
        return self.puts[id].memory if id else None

    def put(self, *puts: Put) -> None:
        """Write these records; a second put of a memory takes the place of the first."""
        for put in puts:
            memory, earlier = put.memory, self.puts.get(put.memory.id)
            self.puts[memory.id] = Put(memory, earlier.expect) if earlier else put
            if memory.status in LIVE:
                self._ids_by_key[text_key(memory)] = memory.id
                if memory.key is not None:
                    self._ids_by_key[fact_key(memory)] = memory.id

    def record(
        self,
        action: str,
        memory: Memory,
        *,
        before: Memory | None = None,
        related: Sequence[str] = (),
        automatic: bool = False,
    ) -> None:
        """Write an event; `before` keeps the old metadata in it, so that it can be undone."""
        self.events.append(PlannedEvent(action, memory, before, tuple(related), automatic))

    def change(
        self,
        action: str,
        memory: Memory,
        *,
        before: Memory | None = None,
        related: Sequence[str] = (),
        automatic: bool = False,
    ) -> None:
        """Write a record and its event; without `before` the record is new."""
        self.put(Put(memory, expect=before))
        self.record(action, memory, before=before, related=related, automatic=automatic)

    def change_together(
        self, action: str, puts: Sequence[Put], *, cause: str = "", also: Sequence[str] = ()
    ) -> None:
        """Write records whose events name each other, so that one undo takes all of them back."""
        ids = [*(put.memory.id for put in puts), *also]
        for put in puts:
            others = [id for id in ids if id != put.memory.id]
            related = [cause, *others] if cause else others
            self.change(action, put.memory, before=put.expect, related=related)

    def extend(self, other: ChangeSet) -> None:
        """Write everything of another change set as well, after this one's."""
        self.put(*other.puts.values())
        self.events += other.events

    def refresh(
        self,
        known: Memory,
        repeated: Memory,
        *,
        related: Sequence[str] = (),
        automatic: bool = False,
    ) -> None:
        """Let a known memory take the time, tags and confidence of its repetition."""
        fresh = replacement.refreshed_memory(known, repeated)
        if known.id not in self.puts:
            self.record("deduplicated", fresh, before=known, related=related, automatic=automatic)
        self.put(Put(fresh, expect=known))

    def replace(
        self,
        new: Memory,
        old: Memory,
        *,
        action: str = "created",
        also_retired: Sequence[Memory] = (),
        related: Sequence[str] = (),
        automatic: bool = False,
    ) -> Replacement:
        """Put a new version in the place of an old one, which is retired and kept.

        `automatic` is said of the retirements alone: undoing those lets both memories stand.
        """
        made = replacement.replace_memory(new, old)
        self.put(*made.puts)
        retired = [
            (old, made.gone),
            *((one, replacement.retired_version(one, made.new)) for one in also_retired),
        ]
        self.put(*(Put(after, expect=before) for before, after in retired[1:]))
        ids = [after.id for _, after in retired]
        self.record(action, made.new, related=[*ids, *related])
        for before, after in retired:
            self.record(
                "superseded", after, before=before, related=(made.new.id,), automatic=automatic
            )
        return made

    def merge(self, merged: Memory, parts: Sequence[Memory]) -> None:
        """Put one memory in the place of several, which are retired and kept."""
        self.change("merged", merged, related=[part.id for part in parts])
        for part in parts:
            after = replacement.retired_version(part, merged)
            self.change("superseded", after, before=part, related=(merged.id,))

    def mark_for_review(self, memories: Sequence[Memory], *, because_of: Memory) -> None:
        """Mark memories that another one contradicts; they stay in use until a person decides."""
        for old in memories:
            if old.status != "review":
                marked = old.but(status="review", updated=max(old.updated, because_of.updated))
                related = (because_of.id,)
                self.change("reviewed", marked, before=old, related=related, automatic=True)

    def propose(
        self,
        action: str,
        targets: Sequence[Memory],
        reason: str,
        *,
        now: datetime,
        text: str = "",
        kind: str = "",
    ) -> Memory:
        """Put a question to a person into the inbox."""
        id = proposals.proposal_id(action, targets)
        staged = proposals.make_proposal(
            action, targets, id=id, now=now, reason=reason, text=text, kind=kind
        )
        self.stage(staged)
        return staged

    def ask_which_holds(self, new: Memory, others: Sequence[Memory], *, now: datetime) -> Memory:
        """Put the question which of several memories holds into the inbox."""
        sides = (new, *others)
        listed = "\n".join(f"- [[{one.slug or one.id}]]" for one in sides)
        question = proposals.which_holds(new, others)
        return self.propose("contradiction", sides, question, now=now, text=listed)

    def stage(self, proposal: Memory) -> None:
        """Put a proposal into the inbox."""
        self.change("staged", proposal, related=proposal.derived_from, automatic=True)


def text_key(memory: Memory) -> tuple[object, ...]:
    """Equal for memories of one scope with the same text."""
    return ("text", memory.scope, *identity.wording(memory))


def fact_key(memory: Memory) -> tuple[object, ...]:
    """Equal for values of the same fact."""
    return ("key", memory.scope, memory.namespace, memory.key)
