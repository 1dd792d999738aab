"""Decide whether a memory replaces another, and make the records that replace it.

These rules decide for a save (`engine.gates`). Other places that decide a replacement:

- `verbs.promote`: a promoted fact meets another value in the target scope;
- `verbs.maintain.relations`: maintenance finds a contradiction between two stored memories;
- `verbs.inbox`: a person accepts a staged memory, or says which of two holds;
- `verbs.correct`: a caller corrects a memory and its copies.

`replaces` says which memories readers treat as superseded.
"""

from __future__ import annotations

from ...model import identity
from ...model.codec import iso
from ...model.memory import BASES, LIVE, SENSITIVITIES, TRUSTS, Memory
from ...model.value import Value
from ...ports.record_store import Put
from ..anchors.anchor import denied_for, renewed_anchors
from ..authority import is_persons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..parameters import GateThresholds

OUTCOMES = SUPERSEDE, STAGE, REVIEW, ASK = "supersede", "stage", "review", "ask"


def conflict_outcome(new: Memory, old: Memory, *, sure: float, settings: GateThresholds) -> str:
    """Decide about two memories that contradict each other; `sure` is the judge's confidence.

    The new one supersedes the old if the judge is sure, it is at most `confidence_gap` less
    confident and no less trusted. Otherwise both stay until a person decides (REVIEW), or the new
    one waits in the inbox because it is much weaker or older (STAGE). External text never replaces
    trusted text. A memory that a person curates changes by that person's word only: the new one is
    marked and the person asked (ASK), as it is if a file says what the old one says of it.
    """
    gap = confidence_gap(new, old)
    trust = TRUSTS.index(new.trust) - TRUSTS.index(old.trust)
    if new.trust == "external" and trust < 0:
        return STAGE
    if sure < settings.sure:
        return ASK if _protected(new, old) else REVIEW
    if _protected(new, old):
        # An agent's ordinary word against a person's or a file's is a question; a weaker one waits.
        return ASK if new.confidence >= BASES["inferred"] else STAGE
    if gap < -settings.confidence_gap:
        return STAGE if trust <= 0 else REVIEW
    if trust == 0 and gap < settings.confidence_gap and new.created < old.created:
        # The new memory was said earlier and only saved later, as by an import.
        return STAGE
    return SUPERSEDE if trust >= 0 else REVIEW


def confidence_gap(new: Memory, old: Memory) -> float:
    """How much surer the new memory is, free of what floats add: 1.0 is 0.2 more than 0.8."""
    return round(new.confidence - old.confidence, 6)


def _protected(new: Memory, old: Memory) -> bool:
    """Whether only a person may end the old one: it is theirs, or its file says so, too."""
    if new.trust == "user":
        return False
    return old.owner != "agent" or is_persons(old) or denied_for(new.anchors, old.anchors)


def supersedes(new: Memory, old: Memory) -> bool:
    """Whether a new fact replaces the old one of the same key; the first rule that fits decides.

    1. A fact with the trust `user` replaces any other, and only such a fact replaces it.
    2. An external fact never replaces one that is not external.
    3. A more trusted fact replaces a less trusted one.
    4. Otherwise the new fact needs at least the confidence of the old one.
    """
    if new.trust == "user" or old.trust == "user":
        return new.trust == "user"
    if new.trust == "external" and old.trust != "external":
        return False
    if TRUSTS.index(new.trust) > TRUSTS.index(old.trust):
        return True
    return new.confidence >= old.confidence


def replaces(new: Memory, old: Memory) -> bool:
    """Whether readers take the old memory for superseded because of the new one.

    Only within one scope, and a person's memory only by a person's: nobody hides another's memory
    by claiming to supersede it. If the old memory was restored, it has replaced the new one in
    turn, and is not superseded.
    """
    may_replace = new.trust == "user" or not is_persons(old)
    return may_replace and (
        new.supersedes == old.id
        and new.id != old.id
        and new.scope == old.scope
        and new.status in (*LIVE, "superseded")
        and new.superseded_by != old.id
        and old.supersedes != new.id
    )


def retired_version(old: Memory, new: Memory) -> Memory:
    """The old memory, marked as superseded by the new one."""
    return old.but(
        status="superseded", superseded_by=new.id, updated=new.updated, always_load=False
    )


def is_copy(one: Memory, other: Memory) -> bool:
    """Whether two memories with the same text are one statement, so that a correction is for both.

    One was made from the other, or holds where the other does: two projects that happen to say
    the same are independent. So is a fact of another scope, whose value is often the same.
    """
    if one.id in other.derived_from or other.id in one.derived_from:
        return True
    if one.value is not None:
        return False
    own, others = set(one.scope.pairs), set(other.scope.pairs)
    return (
        own <= others or others <= own or not set(one.derived_from).isdisjoint(other.derived_from)
    )


def refreshed_memory(old: Memory, seen: Memory) -> Memory:
    """The same memory, said once more: its time, tags and tasks follow.

    It gets the stricter sensitivity and the later end of the two. A repetition that is less
    trusted than the memory changes neither its end nor its owner. A person's memory is not changed
    by what others repeat, and what a person repeats becomes that person's, as they said it.
    """
    if is_persons(old) and seen.trust != "user":
        return old
    if seen.trust == "user" and old.trust != "user":
        return _taken_over(old, seen)
    seen_is_less_trusted = TRUSTS.index(seen.trust) < TRUSTS.index(old.trust)
    deciding = old if seen_is_less_trusted else seen
    # An agent that repeats text from outside does not make it more trusted.
    more_trusted = (
        old
        if old.trust == "external"
        else max(old, seen, key=lambda memory: TRUSTS.index(memory.trust))
    )
    return old.but(
        owner=deciding.owner if old.owner == "agent" else old.owner,
        sensitivity=max(old.sensitivity, seen.sensitivity, key=SENSITIVITIES.index),
        expires=_later(old.expires, deciding.expires),
        valid_until=_later(old.valid_until, deciding.valid_until),
        # A time wins over none here: without one, the memory's category sets the review.
        review_after=_later(
            old.review_after or deciding.review_after, deciding.review_after or old.review_after
        ),
        trust=more_trusted.trust,
        source=more_trusted.source,
        always_load=old.always_load or seen.always_load,
        updated=max(old.updated, seen.updated),
        tags=tuple(dict.fromkeys((*old.tags, *seen.tags))),
        source_tasks=tuple(dict.fromkeys((*old.source_tasks, *seen.source_tasks))),
        # Said again, it holds for the files as they are now.
        anchors=renewed_anchors(old.anchors, seen.anchors or old.anchors, seen.content),
        topic=old.topic or seen.topic,
        confidence=max(old.confidence, seen.confidence),
        importance=greater_importance(old, seen),
    )


def greater_importance(one: Memory, other: Memory) -> float | None:
    """The greater of two importances; None if nobody has set one."""
    given = [own for own in (one.importance, other.importance) if own is not None]
    return max(given, default=None)


def _taken_over(old: Memory, seen: Memory) -> Memory:
    """The memory of the person who repeats what an agent wrote, with the agent's history.

    Its time is the person's: what stands in which order must not depend on what agents wrote.
    """
    return seen.but(
        id=old.id,
        slug=old.slug,
        version=old.version,
        supersedes=old.supersedes,
        derived_from=tuple(dict.fromkeys((*old.derived_from, *seen.derived_from))),
        source_tasks=tuple(dict.fromkeys((*old.source_tasks, *seen.source_tasks))),
        imported_id=old.imported_id,
        anchors=renewed_anchors(old.anchors, seen.anchors, seen.content),
        updated=max(old.updated, seen.updated),
    )


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two ends; None means no end and is later than any."""
    return None if one is None or other is None else max(one, other)


class Replacement(Value):
    """The records that put a new version in an old one's place, in the order to write them."""

    new: Memory
    gone: Memory
    puts: tuple[Put, ...]


def replace_memory(new: Memory, old: Memory) -> Replacement:
    """Link a new version to the old one, which is retired and kept.

    The new record is written first: a crash in between leaves both, and readers already take the
    old one for superseded. A retired line of `facts.md` becomes a note with an id of its own.
    """
    if _takes_the_place(new, old):
        return _replace_in_place(new, old)
    old_id = _archived_id(old, new) if is_line(old) else old.id
    new = new.but(supersedes=old_id, version=old.version + 1)
    gone = retired_version(old, new).but(id=old_id)
    return Replacement(new, gone, (Put(new), Put(gone, expect=old)))


def _replace_in_place(new: Memory, old: Memory) -> Replacement:
    """Give the new version the old one's id and place.

    The old text is copied to the archive first: a crash in between leaves the copy beside the old
    text, which is still in its place.
    """
    archived_id = _archived_id(old, new)
    new = new.but(id=old.id, slug=old.slug, supersedes=archived_id, version=old.version + 1)
    slug = f"{old.slug or old.kind}-{archived_id[-6:]}"
    gone = retired_version(old, new).but(id=archived_id, slug=slug)
    return Replacement(new, gone, (Put(gone), Put(new, expect=old)))


def _takes_the_place(new: Memory, old: Memory) -> bool:
    """Whether a curated version replaces a line of `facts.md`, a profile or an override."""
    has_fixed_place = is_line(old) or old.kind in ("profile", "override")
    same_place = new.owner == "curated" and (new.kind, new.key) == (old.kind, old.key)
    return has_fixed_place and same_place


def _archived_id(old: Memory, new: Memory) -> str:
    return identity.archived_id(old, at=iso(new.updated))


def is_line(memory: Memory) -> bool:
    """Whether a memory is a line of `facts.md`."""
    return memory.kind == "fact" and memory.owner == "curated" and identity.is_derived(memory.id)
