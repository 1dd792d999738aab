"""Which of two memories about the same thing holds."""

from __future__ import annotations

from ...model import identity
from ...model.codec import iso
from ...model.memory import SENSITIVITIES, TRUSTS, Memory
from ...model.value import Value
from ...notes import facts
from ...notes.exchange import line
from ...ports.record_store import Put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


def supersedes(new: Memory, old: Memory) -> bool:
    """Whether the newcomer wins: never from outside over verified, then confidence, then recency.

    A person's own word wins over what a machine concluded, however sure the machine is.
    """
    if new.trust == "user" or old.trust == "user":
        return new.trust == "user"
    if new.trust == "external" and old.trust != "external":
        return False
    if TRUSTS.index(new.trust) > TRUSTS.index(old.trust):
        return True
    return new.confidence >= old.confidence


def retired(old: Memory, new: Memory) -> Memory:
    """The old version once the new one has taken its place."""
    return old.but(
        status="superseded", superseded_by=new.id, updated=new.updated, always_load=False
    )


def refreshed(old: Memory, seen: Memory) -> Memory:
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


def replacement(new: Memory, old: Memory) -> Replacement:
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
        gone = retired(old, new).but(id=kept_id, slug=slug)
        return Replacement(new, gone, (Put(gone), Put(new, expect=old)))
    gone = retired(old, new)
    return Replacement(new, gone.but(id=kept_id), (Put(new), Put(gone, expect=old)))


def _is_line(memory: Memory) -> bool:
    return memory.kind == "fact" and memory.owner == "curated" and identity.is_derived(memory.id)


# Whether two places hold the same record, and what a place may say of it in its own way.


_OWN_WAY = frozenset({"title", "slug", "aliases", "tags", "tier", "always_load"})
"""What a vault may say by a heading, a folder or a file's name."""
_OF_LINES = frozenset({"created", "updated", "source", "version", "supersedes"})
"""What a line of `facts.md` has no room for, and its file says for all of them."""


def record_fingerprint(memory: Memory, *, loosely: bool = False) -> str:
    """Equal for records that are equal in every field.

    `loosely` leaves out what a vault may say in its own way: equal then for records of which
    neither lost anything that the other says.
    """
    import hashlib

    text = line(memory, without=_excused(memory) if loosely else ())
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def differing_fields(here: Memory, there: Memory) -> list[str]:
    """The fields that two places do not say alike."""
    said = there.__dict__
    return [name for name, value in here.__dict__.items() if said[name] != value]


def lost_fields(here: Memory, there: Memory) -> list[str]:
    """What a place says otherwise that it has no way of its own to say."""
    excused = _excused(here)
    return [name for name in differing_fields(here, there) if name not in excused]


def _excused(memory: Memory) -> frozenset[str]:
    return _OWN_WAY | _OF_LINES if facts.has_line_id(memory) else _OWN_WAY
