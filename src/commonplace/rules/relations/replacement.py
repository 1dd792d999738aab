"""Decide whether a memory replaces another, and make the records that replace it."""

from __future__ import annotations

from ...model import identity
from ...model.codec import iso
from ...model.memory import SENSITIVITIES, TRUSTS, Memory
from ...model.value import Value
from ...ports.record_store import Put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..parameters import GateThresholds

OUTCOMES = SUPERSEDE, STAGE, REVIEW, ASK = "supersede", "stage", "review", "ask"


def conflict_outcome(new: Memory, old: Memory, *, sure: float, settings: GateThresholds) -> str:
    """What happens to two memories that contradict each other, `sure` being the judge's confidence.

    The new one supersedes the old, waits in the inbox (STAGE), or both stay until a person decides
    (REVIEW). External text never replaces trusted text. A memory that a person curates changes by
    that person's word only: the new one is marked and the person asked (ASK).
    """
    gap = new.confidence - old.confidence
    trust = TRUSTS.index(new.trust) - TRUSTS.index(old.trust)
    if new.trust == "external" and trust < 0:
        return STAGE
    if sure < settings.sure:
        return ASK if _protected(new, old) else REVIEW
    if gap <= -settings.confidence_gap and trust <= 0:
        return STAGE
    if _protected(new, old):
        return ASK
    clear = abs(gap) < settings.confidence_gap
    if clear and trust == 0 and new.created < old.created:
        # Said earlier, and only learned later: the newer statement stands.
        return STAGE
    wins = gap >= settings.confidence_gap or clear
    return SUPERSEDE if wins and trust >= 0 else REVIEW


def _protected(new: Memory, old: Memory) -> bool:
    return old.owner != "agent" and new.trust != "user"


def supersedes(new: Memory, old: Memory) -> bool:
    """Whether a new fact replaces the old one of the same key.

    A person's word wins over a machine's, external text never wins over trusted text; then trust
    decides, then confidence, then recency.
    """
    if new.trust == "user" or old.trust == "user":
        return new.trust == "user"
    if new.trust == "external" and old.trust != "external":
        return False
    if TRUSTS.index(new.trust) > TRUSTS.index(old.trust):
        return True
    return new.confidence >= old.confidence


def retired_version(old: Memory, new: Memory) -> Memory:
    """The old memory, marked as superseded by the new one."""
    return old.but(
        status="superseded", superseded_by=new.id, updated=new.updated, always_load=False
    )


def refreshed_memory(old: Memory, seen: Memory) -> Memory:
    """The same memory, said once more: its time, tags and tasks follow.

    It becomes as secret as either, and lasts as long as either, because losing what was said is
    worse than keeping it. How long it lasts and whose it is, only those say who are trusted no
    less: what a person lets end, no machine prolongs by repeating it.
    """
    vouched = max(old, seen, key=lambda memory: TRUSTS.index(memory.trust))
    heeded = old if TRUSTS.index(seen.trust) < TRUSTS.index(old.trust) else seen
    return old.but(
        owner=heeded.owner if old.owner == "agent" else old.owner,
        sensitivity=max(old.sensitivity, seen.sensitivity, key=SENSITIVITIES.index),
        expires=_later(old.expires, heeded.expires),
        valid_until=_later(old.valid_until, heeded.valid_until),
        # Nobody is asked too often by this; without one its category says when.
        review_after=_later(
            old.review_after or heeded.review_after, heeded.review_after or old.review_after
        ),
        trust=vouched.trust,
        source=vouched.source,
        always_load=old.always_load or seen.always_load,
        updated=max(old.updated, seen.updated),
        tags=tuple(dict.fromkeys((*old.tags, *seen.tags))),
        source_tasks=tuple(dict.fromkeys((*old.source_tasks, *seen.source_tasks))),
        topic=old.topic or seen.topic,
        confidence=max(old.confidence, seen.confidence),
    )


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two ends; none at all is later than any."""
    return None if one is None or other is None else max(one, other)


class Replacement(Value):
    """The records that put a new version in an old one's place, in the order to write them."""

    new: Memory
    gone: Memory
    puts: tuple[Put, ...]


def replace_memory(new: Memory, old: Memory) -> Replacement:
    """A new version links back to the old one, which is retired and kept.

    The new record is written first: a crash in between leaves both, and readers already take the
    old one for superseded. A line of `facts.md` keeps its place, so its old text is copied to the
    archive before the line changes.
    """
    stays = _is_line(old) or old.kind in ("profile", "override")
    in_place = stays and new.owner == "curated" and (new.kind, new.key) == (old.kind, old.key)
    moves = in_place or _is_line(old)
    kept_id = identity.archived_id(old, at=iso(new.updated)) if moves else old.id
    new = new.but(supersedes=kept_id, version=old.version + 1)
    if in_place:
        new = new.but(id=old.id, slug=old.slug)
        slug = f"{old.slug or old.kind}-{kept_id[-6:]}"
        gone = retired_version(old, new).but(id=kept_id, slug=slug)
        return Replacement(new, gone, (Put(gone), Put(new, expect=old)))
    gone = retired_version(old, new)
    return Replacement(new, gone.but(id=kept_id), (Put(new), Put(gone, expect=old)))


def _is_line(memory: Memory) -> bool:
    return memory.kind == "fact" and memory.owner == "curated" and identity.is_derived(memory.id)
