"""Decide what becomes of each memory of a save: new, known, a replacement, merged or staged.

`WriteGates.decide` asks the cheap questions first: does the caller name what is replaced, is the
text known, is the fact's key known, and only then how the most similar memories relate. Whether a
save replaces a memory is decided in this file, by the rules in `rules/relations/replacement`.
Decisions go into a ChangeSet; nothing is written here.

In a book that stays open a save does not wait for the models: before the answer the judge reads at
most the pair that words make most likely, and `WriteGates.review` decides about the rest when the
book is idle (`engine/review.py`).
"""

from __future__ import annotations

from ..model import identity
from ..model.errors import Refused
from ..model.memory import LIVE
from ..model.scope import EVERYTHING, subsets
from ..model.value import Value
from ..notes.layout import WORK
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import authority, proposals, write_policy
from ..rules.audit import CONTRADICTED
from ..rules.relations import merge, replacement
from ..rules.relations.contradiction import judge
from ..rules.relations.replacement import ASK, OUTCOMES, REVIEW, STAGE, SUPERSEDE, conflict_outcome
from .change_set import ChangeSet
from .drafts import summarized
from .neighbours import ExistingMemories, Neighbours, worth_judging

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.memory import Draft, Memory
    from ..model.scope import Scope
    from ..ports.reasoner import Judged, Merged
    from .engine import Engine
    from .neighbours import ComparedNeighbour
    from .reasoner_cache import ReasonerCache


MOST_FORGOTTEN = 1_000
"""Forgotten memories with the texts of one batch that are read."""
FORGOTTEN, REJECTED = "forgotten", "rejected"
LIKELY = 0.5
"""From this similarity of words on the judge reads the nearest pair before a save is answered."""


class DraftOutcome(Value):
    """The result of one draft once the changes are written."""

    action: str
    """created, staged, deduplicated, superseded or merged."""
    id: str
    replaced: str | None = None
    why: str = ""
    """Why it waits for a person, if the text itself is the reason."""


class WriteGates:
    """Decides for the memories of one batch, each aware of those before it."""

    def __init__(
        self,
        engine: Engine,
        new: Sequence[Memory],
        reasoner: ReasonerCache,
        vector: bytes | None = None,
        *,
        reviewed_later: bool = False,
    ) -> None:
        self.changes = ChangeSet()
        self._reviewed_later = reviewed_later
        self._engine = engine
        self._reasoner = reasoner
        self._single = len(new) == 1
        self._batch = new
        self._decisions: dict[str, str] | None = None
        self._existing = ExistingMemories(engine, new, self.changes)
        self._neighbours = Neighbours(engine, new, vector)
        self._known_topics: dict[Scope, dict[str, int]] = {}

    def decide(self, draft: Draft, new: Memory) -> DraftOutcome:
        """Decide what becomes of one memory."""
        outcome = self._decide(draft, new)
        made = self.changes.puts[outcome.id].memory
        if made.status in LIVE and authority.actor_of(self._engine.source) == authority.PERSON:
            self._settle_waiting(made, outcome.replaced)
        self._neighbours.add(made)
        return outcome

    def _settle_waiting(self, made: Memory, replaced: str | None) -> None:
        """Take out of the inbox what a person has now saved, or it would be remembered twice."""
        waiting = self._staged_before(made)
        if waiting is not None and waiting.key == made.key and waiting.namespace == made.namespace:
            told = replacement.retired_version(waiting, made)
            self.changes.change("superseded", told, before=waiting, related=[made.id])
        if replaced is None:
            return
        where = Where(statuses=("staged",), kinds=(proposals.PROPOSAL_KIND,), derived_from=replaced)
        for asked in self._engine.index.select(where, visible=EVERYTHING):
            if asked.id not in self.changes.puts and proposals.changed_text(asked) == made.content:
                told = replacement.retired_version(asked, made)
                self.changes.change("superseded", told, before=asked, related=[made.id])

    def _decide(self, draft: Draft, new: Memory) -> DraftOutcome:
        if new.topic is None and new.episode is None:
            new = new.but(topic=self._inferred_topic(new))
        if authority.must_be_confirmed(new) and not authority.asks_to_be_loaded(draft):
            new = new.but(tier="search", always_load=False)
        if not self._existing.same_text(new):
            self._refuse_rejected(new)
        if authority.must_be_confirmed(new) or self._waits_already(new):
            return self._stage(new, [])
        if draft.supersedes:
            return self._replace_named(new, self._existing.named(draft.supersedes, new))
        if known := self._existing.same_text(new):
            return self._taken_over(known, new) or self._refresh(known, new)
        if why := self._left_to_a_person(new):
            staged = self._stage(new, [])
            return staged.but(why=staged.why or why)
        if new.key is not None and (decided := self._decide_by_key(new)):
            return decided
        return self._decide_among(new, self._neighbours.compared(new))

    def _decide_by_key(self, new: Memory) -> DraftOutcome | None:
        """Decide by the fact with the same key here, or by a person's in a broader scope."""
        if known := self._existing.same_key(new):
            return self._decide_same_key(known, new)
        if hidden := self._persons_value_hidden_by(new):
            return self._stage(new, hidden)
        return None

    def _refuse_rejected(self, new: Memory) -> None:
        """Raise Refused if a person rejected this very text, here or in a broader scope."""
        if any(self._decided(one, new) == REJECTED for one in subsets(new.scope.pairs)):
            raise Refused(
                "A person has rejected this already.",
                hint="Ask the person before you save it again.",
            ).because("decided")

    def _decided(self, scope: Scope, new: Memory) -> str:
        """A person's decision against this text in a scope; of a batch with one query for all."""
        if authority.actor_of(self._engine.source) == authority.PERSON:
            return ""
        if not self._existing.text_is_known:
            return ""
        if self._decisions is None:
            hashes = {identity.content_hash(one.content) for one in self._batch}
            scopes = {str(near) for one in self._batch for near in subsets(one.scope.pairs)}
            where = Where(scopes=tuple(scopes), content_hashes=tuple(hashes), statuses=("deleted",))
            found = self._engine.index.select(where, visible=EVERYTHING, limit=MOST_FORGOTTEN)
            self._decisions = {_wording(one): self._persons_choice(one) for one in reversed(found)}
        return self._decisions.get(_wording(new.but(scope=scope)), "")

    def _persons_choice(self, gone: Memory) -> str:
        """Whether a person forgot or rejected a memory that is gone; empty if neither."""
        events = self._engine.ledger.events(visible=EVERYTHING, memories=[gone.id], limit=10)
        last = next((one for one in events if one.action in (FORGOTTEN, REJECTED)), None)
        decided = last is not None and authority.actor_of(last.by) == authority.PERSON
        return last.action if last is not None and decided else ""

    def _left_to_a_person(self, new: Memory) -> str:
        """Why a text waits: a person forgot it, a model knows it anyway, the repository says it."""
        if self._decided(new.scope, new) == FORGOTTEN:
            return authority.FORGOTTEN
        if not self._engine.settings.gates.policy:
            return ""
        # Imported here: the patterns take time to compile, and most commands save nothing.
        from ..rules.content_rule import waiting_reason

        return waiting_reason(new)

    def _replace_named(self, new: Memory, old: Memory) -> DraftOutcome:
        """Replace the memory that the caller names, or let a person decide about it."""
        if authority.verdict(self._engine.source, old) == authority.AT_ONCE:
            return self._replace(new, [old])
        return self._stage(new.but(supersedes=old.id), [old])

    def _persons_value_hidden_by(self, new: Memory) -> list[Memory]:
        """A person's other value of a fact, in a broader scope, that the new one would hide."""
        if new.trust == "user" or not new.scope.pairs:
            return []
        broader = tuple(str(one) for one in subsets(new.scope.pairs) if one != new.scope)
        where = Where(key=new.key, scopes=broader, statuses=LIVE, trusts=("user",))
        found = self._engine.index.select(where, visible=EVERYTHING)
        return [one for one in found if one.namespace == new.namespace and one.value != new.value]

    def _decide_same_key(self, known: Memory, new: Memory) -> DraftOutcome:
        # Without values a key is the name of a whole text, and here the texts differ.
        if known.value is not None and known.value == new.value:
            return self._refresh(known, new)
        if replacement.supersedes(new, known):
            return self._replace(new, [known])
        return self._stage(new, [known])

    def _decide_among(self, new: Memory, near: Sequence[ComparedNeighbour]) -> DraftOutcome:
        """Decide by the most similar memories: same, contradicted, mergeable or covered."""
        for one in near:
            if one.compared.verdict == "same" and (known := self._existing.unchanged(one.memory)):
                return self._refresh(known, new, automatic=True)
        judged = self._judged(new, near)
        if contradicted := [pair for pair in judged if pair[1].relation == "contradicts"]:
            return self._decide_contradiction(new, contradicted)
        for known, verdict in judged:
            if verdict.relation == "same":
                return self._refresh(known, new, automatic=True)
        for one in near:
            if one.compared.verdict == "merge" and (merged := self._merge_whole(new, one.memory)):
                return merged
        return self._covered(new, near) or self._create(new)

    def _taken_over(self, known: Memory, new: Memory) -> DraftOutcome | None:
        """End what a person's words end, if an agent had said them first; None if they end nothing.

        An agent's memory could not replace the person's own that it contradicts.
        """
        if new.trust != "user" or known.trust == "user":
            return None
        near = [one for one in self._neighbours.compared(new) if one.memory.id != known.id]
        judged = [pair for pair in self._judged(new, near) if pair[1].relation == "contradicts"]
        if not judged:
            return None
        done = self._decide_contradiction(new, judged)
        gone = replacement.retired_version(known, self.changes.puts[done.id].memory)
        self.changes.change("superseded", gone, before=known, related=[done.id], automatic=True)
        self._settle_questions(known, done.id)
        return done

    def _settle_questions(self, known: Memory, answer: str) -> None:
        """Take the question which of two holds out of the inbox, now that a third is said."""
        where = Where(statuses=("staged",), tags=("contradiction",), derived_from=known.id)
        for question in self._engine.index.select(where, visible=EVERYTHING):
            sides = (self.changes.puts.get(id) for id in question.derived_from)
            if all(side is not None and side.memory.status == "superseded" for side in sides):
                told = replacement.retired_version(question, self.changes.puts[answer].memory)
                self.changes.change("superseded", told, before=question, related=[answer])

    def _judged(
        self, new: Memory, near: Sequence[ComparedNeighbour]
    ) -> list[tuple[Memory, Judged]]:
        """The nearest neighbours as they are now that the new memory contradicts or repeats."""
        found: list[tuple[Memory, Judged]] = []
        for place, one in enumerate(worth_judging(new, near)):
            likely = place == 0 and one.compared.similarity >= LIKELY
            judged = self._judged_now(new.content, one.memory.content, likely=likely)
            # Most pairs are unrelated: only where something follows the store is read.
            if judged.relation not in ("contradicts", "same"):
                continue
            if (old := self._existing.unchanged(one.memory)) is None:
                continue
            doubtful = judged.sure < self._engine.settings.gates.sure
            if judged.relation == "contradicts" and doubtful and one.compared.verdict == "merge":
                continue  # No word keeps them apart, and the judge is not sure.
            found.append((old, judged))
        return found

    def _judged_now(self, newer: str, older: str, *, likely: bool) -> Judged:
        """By rules and the judge; of an unlikely pair the judge is asked later, where it can be."""
        if self._reviewed_later and not likely:
            by_rule = judge(newer, older)
            if by_rule.relation != "contradicts":
                return by_rule
        return self._judge(newer, older)

    def _judge(self, newer: str, older: str) -> Judged:
        # Reading takes milliseconds a pair: a batch is judged by rules, and read by `maintain`.
        return self._reasoner.judge(newer, older) if self._single else judge(newer, older)

    def review(self, stored: Memory) -> ChangeSet:
        """Decide again about a memory that was saved before the models were asked.

        Only older memories count: a newer one is compared with this one in a review of its own.
        """
        older = [
            one
            for one in self._neighbours.compared(stored)
            if (one.memory.updated, one.memory.id) < (stored.updated, stored.id)
        ]
        judged = self._judged(stored, older)
        self.changes.put(Put(stored, expect=stored))
        if contradicted := [pair for pair in judged if pair[1].relation == "contradicts"]:
            self._decide_contradiction(stored, contradicted)
        elif known := self._said_before(older, judged):
            self._fold(stored, known)
        else:
            for one in older:
                if one.compared.verdict == "merge" and self._merge_whole(stored, one.memory):
                    break
        return self._without_creation(stored)

    def _said_before(
        self, older: Sequence[ComparedNeighbour], judged: Sequence[tuple[Memory, Judged]]
    ) -> Memory | None:
        """The memory that says the same, by its words or by the judge."""
        by_words = [one.memory for one in older if one.compared.verdict == "same"]
        read = [old for old, verdict in judged if verdict.relation == "same"]
        return next(filter(None, map(self._existing.unchanged, [*by_words, *read])), None)

    def _fold(self, stored: Memory, known: Memory) -> None:
        """Keep the older of two memories that say the same."""
        self.changes.refresh(known, stored, related=[stored.id], automatic=True)
        gone = replacement.retired_version(stored, known).but(updated=stored.updated)
        self.changes.change("superseded", gone, before=stored, related=[known.id], automatic=True)

    def _without_creation(self, stored: Memory) -> ChangeSet:
        """The changes of a review, whose memory was created before."""
        changes, now = self.changes, self.changes.puts[stored.id].memory
        told = [one for one in changes.events if (one.action, one.memory.id) != ("created", now.id)]
        changes.events[:] = told
        if now.status == "review" != stored.status:
            changes.record("reviewed", now, before=stored, automatic=True)
        return changes

    def _decide_contradiction(
        self, new: Memory, contradicted: Sequence[tuple[Memory, Judged]]
    ) -> DraftOutcome:
        """Replace what the new memory contradicts, stage the new one, or ask a person."""
        outcomes: dict[str, list[Memory]] = {name: [] for name in OUTCOMES}
        for old, judged in contradicted:
            gates = self._engine.settings.gates
            outcome = conflict_outcome(new, old, sure=judged.sure, settings=gates)
            outcomes[outcome].append(old)
        stronger = outcomes[STAGE]
        if stronger and self._staged_before(new):
            return self._stage(new, stronger)  # Its contradiction was logged when it was staged.
        related = [old.id for old, _ in contradicted]
        self.changes.record(CONTRADICTED, new, related=related, automatic=True)
        if stronger:
            return self._stage(new, stronger)
        beaten = outcomes[SUPERSEDE]
        if len(contradicted) == 1 and beaten and (part := self._replace_part(new, beaten[0])):
            return part
        # A memory with other statements is not retired for the one that is no longer true.
        partly = [
            old
            for old in beaten
            if merge.contradicted_parts(new.content, old.content, self._judge).left
        ]
        beaten = [old for old in beaten if old not in partly]
        doubtful = outcomes[REVIEW] + partly
        unclear = doubtful + outcomes[ASK]
        if unclear:
            new = new.but(status="review", always_load=False)
        done = self._replace(new, beaten, automatic=True) if beaten else self._create(new)
        if unclear:
            self.changes.mark_for_review(doubtful, because_of=new)
            self.changes.ask_which_holds(new, unclear, now=new.updated)
        return done

    def _replace_part(self, new: Memory, old: Memory) -> DraftOutcome | None:
        """Both as one memory, without what is no longer so; None if the old one says no more."""
        if not merge.may_merge(new, old):
            return None
        merged = merge.join_parts(new.content, old.content, self._reasoner.merge, self._judge)
        return self._join(new, old, merged) if merged else None

    def _merge_whole(self, new: Memory, near: Memory) -> DraftOutcome | None:
        """Both as one memory; None if they may not be merged, or do not read like one text."""
        old = self._existing.unchanged(near)
        if old is None or not merge.may_merge(new, old):
            return None
        newer, older = sorted((new, old), key=lambda memory: memory.created, reverse=True)
        merged = self._reasoner.merge(newer.content, older.content)
        if not merge.is_sound(merged, newer.content, older.content):
            return None
        # Pairs of a batch are judged, too: few come so far, and no merge may join two values.
        if self._reasoner.judge(newer.content, older.content).relation == "contradicts":
            return None
        if identity.normalized(merged.text) == identity.normalized(old.content):
            return self._refresh(old, new, automatic=True)
        return self._join(new, old, merged)

    def _covered(self, new: Memory, near: Sequence[ComparedNeighbour]) -> DraftOutcome | None:
        """Refresh a memory that says all of the new one; refuse if it says most of it."""
        gates = self._engine.settings.gates
        refuses = self._single and gates.policy and write_policy.policy_applies(new)
        for one in near:
            if one.share < gates.covered:
                continue
            covered = merge.coverage(new.content, one.memory.content)
            if covered.share <= gates.covered:
                continue
            if (old := self._existing.unchanged(one.memory)) is None:
                continue
            if not covered.left:
                return self._refresh(old, new, automatic=True)
            if refuses:
                raise Refused(
                    f"{old.id} says {covered.share:.0%} of this already.",
                    hint=f"Save only what is new: {covered.left[:200]}",
                ).because("repeated")
        return None

    def _inferred_topic(self, new: Memory) -> str | None:
        """The known topic that a text speaks of, or else that of the task it was learned in."""
        known = self._topics(new.scope)
        found = write_policy.infer_topic(new.content, new.tags, known)
        if found or not write_policy.takes_topic_of_task(new):
            return found
        tasks = dict.fromkeys(filter(None, (self._engine.context.task, *new.source_tasks)))
        for task in tasks:
            where = Where(name=task, kinds=(WORK,), statuses=LIVE)
            for note in self._engine.index.select(where, visible=self._engine.visible, limit=1):
                said = f"{note.title}\n{note.content}"
                return note.topic or write_policy.infer_topic(said, note.tags, known)
        return None

    def _topics(self, scope: Scope) -> dict[str, int]:
        """How many memories the scope and those around it have of each topic."""
        if scope not in self._known_topics:
            scopes = tuple(map(str, subsets(scope.pairs)))
            where = Where(scopes=scopes, statuses=LIVE)
            self._known_topics[scope] = self._engine.index.count(
                where, visible=EVERYTHING, by="topic"
            )
        return self._known_topics[scope]

    def _create(self, new: Memory) -> DraftOutcome:
        self.changes.change("created", new)
        return DraftOutcome("created", new.id)

    def _stage(self, new: Memory, stronger: Sequence[Memory]) -> DraftOutcome:
        """Let the new memory wait in the inbox, because others outweigh it."""
        if known := self._staged_before(new):
            self.changes.put(Put(known, expect=known))
            return DraftOutcome("staged", known.id, why=authority.WAITS)
        staged = new.but(status="staged", always_load=False)
        self.changes.change("staged", staged, related=[one.id for one in stronger])
        return DraftOutcome("staged", new.id)

    def _waits_already(self, new: Memory) -> bool:
        """Whether a text to confirm is in the inbox."""
        return authority.awaits_confirmation(new) and self._staged_before(new) is not None

    def _staged_before(self, new: Memory) -> Memory | None:
        """The same text in the inbox."""
        if not self._existing.text_is_known:
            return None
        where = Where(
            scopes=(str(new.scope),),
            content_hashes=(identity.content_hash(new.content),),
            statuses=("staged",),
        )
        for one in self._engine.index.select(where, visible=EVERYTHING):
            if one.id not in self.changes.puts:
                return self._existing.unchanged(one) or one
        return None

    def _refresh(self, known: Memory, new: Memory, *, automatic: bool = False) -> DraftOutcome:
        self.changes.refresh(known, new, automatic=automatic)
        return DraftOutcome("deduplicated", known.id)

    def _replace(
        self,
        new: Memory,
        olds: Sequence[Memory],
        *,
        action: str = "superseded",
        automatic: bool = False,
    ) -> DraftOutcome:
        """Put the new memory in the place of the first old one, and retire the others with it."""
        done = self.changes.replace(new, olds[0], also_retired=olds[1:], automatic=automatic)
        return DraftOutcome(action, done.new.id, done.gone.id)

    def _join(self, new: Memory, old: Memory, merged: Merged) -> DraftOutcome:
        """Put one memory in the place of both; both are kept, and stand again after an undo."""
        both = summarized(self._engine, new.but(content=merged.text), self._reasoner)
        made = merge.merge_memories(
            new, old, merged.text, id=self._engine.id(), summary=both.summary
        )
        id, changes = made.memory.id, self.changes
        changes.put(*made.puts)
        changes.record("created", new)
        changes.record("merged", made.memory, related=(old.id, new.id), automatic=True)
        for before, after in zip((old, new), made.gone, strict=True):
            changes.record("superseded", after, before=before, related=(id,), automatic=True)
        return DraftOutcome("merged", id, old.id)


def _wording(memory: Memory) -> str:
    return f"{memory.scope} {identity.content_hash(memory.content)}"
