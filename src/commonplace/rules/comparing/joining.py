"""Two memories that say nearly the same become one, and nothing that either said is lost."""

from __future__ import annotations

from ...ports.records import Put
from ...value import Value
from .. import identity
from ..sealing import is_sealed
from ..text import statements
from ..text.signatures import DOCUMENT_CHARACTERS
from . import duplicates
from .versions import retired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Memory
    from ...ports.reasoning import Merged
    from .duplicates import Compared, Scale

STATEMENTS = ("fact", "preference", "insight")
"""Kinds that say the same kind of thing, and are compared with each other."""
KEPT_APART = (
    "profile", "override", "proposal", "task-summary", "session-summary", "crystallized",
    "skill-pointer",
)  # fmt: skip
"""Kinds of which each memory stands for itself, however alike two of them are."""
JOINED_STATEMENTS, JOINED_CHARACTERS = 6, 1_000
"""A memory of so few statements is compared by each of them, too."""
VERDICTS = ("apart", "merge", "same")
MOST_STATEMENTS = 60
"""Of a longer text only the beginning is compared statement by statement."""


def family(memory: Memory) -> str:
    """What a memory is compared with; empty when with nothing.

    A turn of a conversation is kept word for word, and so is a document; a fact with a key is found
    by that, and what is sealed cannot be read.
    """
    if memory.episode is not None or memory.key is not None or is_sealed(memory):
        return ""
    if memory.kind in KEPT_APART or len(memory.content) > DOCUMENT_CHARACTERS:
        return ""
    return "statement" if memory.kind in STATEMENTS else memory.kind


def comparable(one: Memory, other: Memory) -> bool:
    """Whether two memories may turn out to be the same, or to contradict each other."""
    return (
        family(one) != ""
        and family(one) == family(other)
        and one.scope == other.scope
        and one.sensitivity == other.sensitivity
    )


def may_merge(new: Memory, old: Memory) -> bool:
    """Whether one memory may stand for both: of one owner, trusted alike, and true as long."""
    return comparable(new, old) and all(
        getattr(new, axis) == getattr(old, axis)
        for axis in ("owner", "trust", "valid_from", "valid_until", "expires")
    )


def compared(
    new: str,
    old: str,
    *,
    cosine: float | None = None,
    by: Scale = duplicates.UNMEASURED,
    same: float = duplicates.SAME,
    merge: float = duplicates.MERGE,
) -> Compared:
    """How a text stands to a memory: to all of it, or to one of the few statements it joins.

    Otherwise a memory that was merged once would no longer be recognized by what it is made of.
    """
    whole = duplicates.compared(new, old, cosine=cosine, by=by, same=same, merge=merge)
    parts = (
        statements.split(old) if whole.verdict == "apart" and len(old) < JOINED_CHARACTERS else ()
    )
    if not 1 < len(parts) <= JOINED_STATEMENTS or len(statements.split(new)) > 1:
        return whole
    each = [duplicates.compared(new, part.text, same=same, merge=merge) for part in parts]
    return max((whole, *each), key=lambda one: (VERDICTS.index(one.verdict), one.similarity))


def loses_nothing(merged: Merged, *texts: str) -> bool:
    """Whether every statement of these texts is in the merged one, or among its noted changes."""
    kept = {one.key for one in statements.split(merged.text)}
    whole = identity.normalized(merged.text)
    noted = [identity.normalized(change) for change in merged.changes]
    return all(
        one.key in kept or one.key in whole or any(one.key in change for change in noted)
        for text in texts
        for one in statements.split(text)
        if not one.heading
    )


class Joined(Value):
    """The records that let one memory stand for two, in the order to write them."""

    memory: Memory
    gone: tuple[Memory, ...]
    """Both memories as they are kept."""
    puts: tuple[Put, ...]


def joined(new: Memory, old: Memory, text: str, *, id: str, summary: str = "") -> Joined:
    """A memory of both: it takes the older one's place, and says what it was made from."""
    both = new.but(
        id=id,
        content=text,
        summary=summary,
        slug=identity.slug(new.title or old.title or text[:300], id),
        title=new.title or old.title,
        aliases=_union(old.aliases, new.aliases),
        tags=_union(old.tags, new.tags),
        source_tasks=_union(old.source_tasks, new.source_tasks),
        derived_from=(old.id, new.id),
        topic=new.topic or old.topic,
        tier=old.tier,
        always_load=old.always_load or new.always_load,
        confidence=min(old.confidence, new.confidence),
        supersedes=old.id,
        version=old.version + 1,
        created=new.updated,
    )
    kept, gone = retired(new, both), retired(old, both)
    return Joined(both, (gone, kept), (Put(both), Put(kept), Put(gone, expect=old)))


class Coverage(Value):
    """How much of a text another one says already."""

    share: float
    left: str
    """What it does not say."""


def coverage(new: str, old: str) -> Coverage:
    """Statement by statement, weighed by length; a single statement is covered whole or not."""
    said = [one for one in statements.split(new) if not one.heading][:MOST_STATEMENTS]
    known = [one for one in statements.split(old) if not one.heading][:MOST_STATEMENTS]
    keys = {one.key for one in known}
    left = [one for one in said if one.key not in keys and not _repeated(one.text, known)]
    total = sum(len(one.text) for one in said) or 1
    missing = sum(len(one.text) for one in left)
    return Coverage(1 - missing / total, " ".join(one.text for one in left))


def _repeated(text: str, known: Sequence[statements.Statement]) -> bool:
    return any(
        not one.block and duplicates.compared(text, one.text).verdict == "same" for one in known
    )


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
