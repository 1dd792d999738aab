"""Settle a memory that several devices have written differently.

Every device decides alike: the decision follows from the texts that have arrived and from the log
alone, never from the clock, from chance or from the device. What is asked has an id made from both
texts, so that two devices ask the same question in the same file.
"""

from __future__ import annotations

from ..model import identity
from ..model.memory import LIVE, Memory
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SettledConflict(Value):
    """The memory that stays in place, and the texts that a person is asked about."""

    kept: Memory | None
    """None for a file of facts, whose lines are settled one by one."""
    asked: tuple[Memory, ...] = ()


def settle_sides(
    sides: Sequence[Memory], *, is_unedited: Callable[[Memory], bool] = lambda _: False
) -> SettledConflict:
    """Decide between the sides of a conflict; the first one is in the newest state.

    The first stays. If nobody edited its text and somebody edited another's, that text takes its
    place: only one side changed it. Each further text that somebody edited is asked about.
    """
    kept = sides[0]
    edited = [one for one in sides if not is_unedited(one)]
    if edited and kept.status in LIVE and is_unedited(kept):
        words = edited[0]
        kept = kept.but(
            content=words.content, title=words.title, summary=words.summary, value=words.value
        )
    asked: dict[str, Memory] = {}
    for side in edited:
        if side.content != kept.content:
            question = other_side(side, kept)
            # Of one text in two states the newer one counts, which comes first.
            asked.setdefault(question.id, question)
    return SettledConflict(kept, tuple(asked.values()))


def other_side(side: Memory, kept: Memory) -> Memory:
    """A text that lost its place to another one, as an entry of the inbox.

    Accepting it replaces the one in place.
    """
    # The time of a note without an id is that of its file, which not every tool keeps.
    by_hand = identity.is_derived(kept.id)
    at_ms = 0 if by_hand else int(side.created.timestamp() * 1000)
    id = identity.computed_id(at_ms, "conflict", kept.id, side.content)
    in_place = kept.id if kept.status in LIVE else kept.superseded_by or kept.id
    return side.but(
        id=id,
        slug=identity.slug(side.title or side.key or side.content[:300], id),
        status="staged",
        supersedes=in_place,
        superseded_by=None,
        deleted_at=None,
        always_load=False,
        # A file in an agent's folder only claims that a person wrote it.
        trust="agent" if side.owner == "agent" and side.trust == "user" else side.trust,
    )


def is_other_side(memory: Memory, kept: Memory) -> bool:
    """Whether an entry of the inbox asks about a text that is in place by now."""
    if memory.content != kept.content:
        return False
    return memory.id == other_side(memory, kept).id


def rival_question_id(one: Memory, other: Memory) -> str:
    """The id of the question which of two versions of one memory holds; it is asked once."""
    first, second = sorted((one, other), key=lambda memory: memory.id)
    at_ms = int(max(one.created, other.created).timestamp() * 1000)
    return identity.computed_id(at_ms, "rivals", first.id, second.id)
