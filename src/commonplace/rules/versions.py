"""Which of two memories about the same thing holds."""

from __future__ import annotations

from ..model import TRUSTS, Memory
from ..ports import Put
from ..value import Value
from . import identity
from .codec import iso


def supersedes(new: Memory, old: Memory) -> bool:
    """Whether the newcomer wins: never from outside over verified, then confidence, then recency.

    A person's own word wins over what a machine concluded, however sure the machine is.
    """
    if new.trust == "external" and old.trust != "external":
        return False
    if new.trust == "user" or TRUSTS.index(new.trust) > TRUSTS.index(old.trust):
        return True
    return new.confidence >= old.confidence


def retired(old: Memory, new: Memory) -> Memory:
    """The old version once the new one has taken its place."""
    return old.but(
        status="superseded", superseded_by=new.id, updated=new.updated, always_load=False
    )


def refreshed(old: Memory, seen: Memory) -> Memory:
    """The same memory, said once more: its time, tags and tasks follow."""
    return old.but(
        updated=max(old.updated, seen.updated),
        tags=tuple(dict.fromkeys((*old.tags, *seen.tags))),
        source_tasks=tuple(dict.fromkeys((*old.source_tasks, *seen.source_tasks))),
        topic=old.topic or seen.topic,
        confidence=max(old.confidence, seen.confidence),
    )


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
    kept_id = identity.archived_id(old, at=iso(new.updated)) if _is_line(old) else old.id
    new = new.but(supersedes=kept_id, version=old.version + 1)
    if _is_line(old) and new.owner == "curated" and new.key == old.key:
        new = new.but(id=old.id)
        gone = retired(old, new).but(id=kept_id)
        return Replacement(new, gone, (Put(gone), Put(new, expect=old)))
    gone = retired(old, new)
    return Replacement(new, gone.but(id=kept_id), (Put(new), Put(gone, expect=old)))


def _is_line(memory: Memory) -> bool:
    return memory.kind == "fact" and memory.owner == "curated" and identity.is_derived(memory.id)
