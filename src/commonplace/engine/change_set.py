"""What a batch of drafts will change: the records to write and their events, not yet written."""

from __future__ import annotations

from ..model import identity
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.record_store import Put
from ..rules import proposals
from ..rules.relations import merge, versions
from .commit import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.memory import Event, Memory
    from .engine import Engine


class DraftPlan(Value):
    """What one draft will become, decided while the lease is held."""

    action: str
    id: str
    replaced: str | None = None


class ChangeSet:
    """The plan so far, aware of what earlier drafts of the same batch already plan."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[tuple[object, ...], str] = {}
        self.puts: dict[str, Put] = {}
        """What will be written, by memory id, in order."""
        self.events: list[Event] = []

    def planned(self, key: tuple[object, ...]) -> Memory | None:
        """The memory with that key of text or fact, if this batch plans one."""
        id = self._known.get(key)
        return self.puts[id].memory if id else None

    def create(self, new: Memory) -> DraftPlan:
        """A memory of its own."""
        self._put(Put(new))
        self.events.append(event(self._engine, "created", new))
        return DraftPlan("created", new.id)

    def stage(self, new: Memory, stronger: Sequence[Memory]) -> DraftPlan:
        """A memory that waits in the inbox, because others outweigh it."""
        staged = new.but(status="staged", always_load=False)
        self._put(Put(staged))
        related = [one.id for one in stronger]
        self.events.append(event(self._engine, "staged", staged, related=related))
        return DraftPlan("staged", new.id)

    def refresh(self, known: Memory, new: Memory, *, automatic: bool = False) -> DraftPlan:
        """The same thing said once more."""
        fresh = versions.refreshed(known, new)
        if known.id not in self.puts:
            told = event(self._engine, "deduplicated", fresh, before=known, automatic=automatic)
            self.events.append(told)
        self._put(Put(fresh, expect=known))
        return DraftPlan("deduplicated", fresh.id)

    def replace(
        self, new: Memory, olds: Sequence[Memory], *, action: str = "superseded", automatic: bool
    ) -> DraftPlan:
        """A new version in the place of an old one; others that it outdates retire with that.

        Undoing what was automatic about it lets all of them stand.
        """
        replaced = versions.replacement(new, olds[0])
        new, gone = replaced.new, replaced.gone
        for put in replaced.puts:
            self._put(put)
        retired = [(old, versions.retired(old, new)) for old in olds[1:]]
        for old, other in retired:
            self._put(Put(other, expect=old))
        all_gone = [(olds[0], gone), *retired]
        self.events.append(
            event(self._engine, "created", new, related=[one.id for _, one in all_gone])
        )
        self._retire(all_gone, new, automatic=automatic)
        return DraftPlan(action, new.id, gone.id)

    def join(self, new: Memory, old: Memory, text: str, *, summary: str) -> DraftPlan:
        """One memory of both; each of them is kept, and stands again when that is undone."""
        made = merge.merge_memories(new, old, text, id=self._engine.id(), summary=summary)
        gone, kept = made.gone
        for put in made.puts:
            self._put(put)
        self.events += [
            event(self._engine, "created", new),
            event(self._engine, "merged", made.memory, related=(old.id, new.id), automatic=True),
        ]
        self._retire([(old, gone), (new, kept)], made.memory, automatic=True)
        return DraftPlan("merged", made.memory.id, old.id)

    def doubt(self, olds: Sequence[Memory], *, by: Memory) -> None:
        """Mark what contradicts a new memory as in need of a person's look; it stays in use."""
        for old in olds:
            if old.status == "review":
                continue
            doubted = old.but(status="review", updated=max(old.updated, by.updated))
            self._put(Put(doubted, expect=old))
            self.events.append(
                event(
                    self._engine, "reviewed", doubted, before=old, related=(by.id,), automatic=True
                )
            )

    def propose(self, new: Memory, olds: Sequence[Memory], words: str) -> None:
        """Ask a person which of several memories holds."""
        staged = proposals.proposal(
            "contradiction",
            [new, *olds],
            id=proposals.proposal_id("contradiction", [new, *olds]),
            now=new.updated,
            reason=words,
        )
        self._put(Put(staged))
        self.events.append(
            event(
                self._engine,
                "staged",
                staged,
                related=[new.id, *(old.id for old in olds)],
                automatic=True,
            )
        )

    def _retire(
        self, gone: Sequence[tuple[Memory, Memory]], by: Memory, *, automatic: bool
    ) -> None:
        self.events += [
            event(
                self._engine, "superseded", after, before=old, related=(by.id,), automatic=automatic
            )
            for old, after in gone
        ]

    def _put(self, put: Put) -> None:
        """Plan a write; a second one to the same memory takes the place of the first."""
        earlier = self.puts.get(put.memory.id)
        self.puts[put.memory.id] = Put(put.memory, earlier.expect if earlier else put.expect)
        if put.memory.status in LIVE:
            self._known[text_key(put.memory)] = put.memory.id
            if put.memory.key is not None:
                self._known[fact_key(put.memory)] = put.memory.id


def text_key(memory: Memory) -> tuple[object, ...]:
    """Memories with one key say one thing."""
    return ("text", memory.scope, *identity.wording(memory))


def fact_key(memory: Memory) -> tuple[object, ...]:
    """Facts with one key are values of one thing."""
    return ("key", memory.scope, memory.namespace, memory.key)
