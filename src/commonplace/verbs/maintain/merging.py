"""Several memories that belong together become one; the others stay readable behind it."""

from __future__ import annotations

from ...model import TRUSTS
from ...ports.records import Put
from ...rules import identity
from ...rules.comparing import versions
from ..gates.drafting import summarized
from .report import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ...model import Memory
    from .desk import Desk

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


def join(given: Desk, newer: Memory, older: Memory, text: str) -> list[Write]:
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
