"""What the book already holds of a new memory: by name, by key, by the very text."""

from __future__ import annotations

from ...errors import Conflict, NotFound, Refused
from ...model import LIVE
from ...ports.searching import Where
from ...rules import identity, scoping
from ...scope import EVERYTHING
from .plan import fact_key, text_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...model import Memory
    from ..engine import Engine
    from .plan import Page

MOST_ALIKE = 10_000


class Known:
    """The cheap look-ups of one batch, aware of what the batch itself plans."""

    def __init__(self, engine: Engine, new: Sequence[Memory], page: Page) -> None:
        self._engine = engine
        self._page = page
        self._of_hash = _alike(engine, new)

    def now(self, memory: Memory) -> Memory | None:
        """A neighbour as it is: planned in this batch, or in the store; None if it changed.

        The index proposes; the store decides, because a person may just have edited it.
        """
        if memory.id in self._page.puts:
            now = self._page.puts[memory.id].memory
        else:
            now = self._engine.store.read([memory.id], visible=EVERYTHING).get(memory.id)
        same = now is not None and now.status in LIVE and now.content == memory.content
        return now if same else None

    def named(self, ref: str, new: Memory) -> Memory:
        """The memory that a draft names as superseded; raises when that may not be."""
        found = self._engine.store.read([ref], visible=self._engine.visible).get(ref)
        if found is None:
            raise NotFound(f"No memory has the id {ref}.", hint="Look it up with `recall`.")
        scoping.require_writable(self._engine.context, found.scope)
        if found.superseded_by or found.status not in LIVE:
            raise Conflict(
                f"{ref} is {found.status} and cannot be superseded again.",
                hint=f"Supersede {found.superseded_by}." if found.superseded_by else "Restore it.",
            )
        if new.trust == "external" and found.trust != "external":
            raise Refused(
                "Text from outside cannot replace a memory that was said here.",
                hint="Save it beside the other, or have a person correct it.",
            )
        return found

    def same_text(self, new: Memory) -> Memory | None:
        """The memory with the same text."""
        hashed = identity.content_hash(new.content)
        return self._live(text_key(new), self._of_hash.get(hashed, ()), text_key)

    def same_key(self, new: Memory) -> Memory | None:
        """The fact with the same key."""
        where = Where(
            scopes=(str(new.scope),), statuses=LIVE, key=new.key, valid_at=self._engine.now()
        )
        found = self._engine.index.select(where, visible=EVERYTHING, limit=MOST_ALIKE)
        return self._live(fact_key(new), found, fact_key)

    def _live(
        self,
        key: tuple[object, ...],
        proposed: Sequence[Memory],
        key_of: Callable[[Memory], tuple[object, ...]],
    ) -> Memory | None:
        """The live memory with that key: planned in this batch, or proposed by the index."""
        if planned := self._page.planned(key):
            return planned
        for memory in proposed:
            if key_of(memory) != key:
                continue
            now = self._engine.store.read([memory.id], visible=EVERYTHING).get(memory.id)
            if now is not None and now.status in LIVE and key_of(now) == key:
                return now
        return None


def _alike(engine: Engine, new: Sequence[Memory]) -> dict[str, list[Memory]]:
    """What the book holds of these texts, by hash: asked once for a whole batch."""
    where = Where(
        scopes=tuple({str(memory.scope) for memory in new}),
        statuses=LIVE,
        content_hashes=tuple({identity.content_hash(memory.content) for memory in new}),
        episodes=tuple({memory.episode for memory in new if memory.episode}) or None,
        valid_at=engine.now(),
    )
    wheres = [where]
    if any(memory.episode is None for memory in new):
        apart = where.but(episodes=None, in_conversation=False)
        wheres = [where, apart] if where.episodes else [apart]
    found: dict[str, list[Memory]] = {}
    for one in wheres:
        for memory in engine.index.select(one, visible=EVERYTHING, limit=MOST_ALIKE):
            found.setdefault(identity.content_hash(memory.content), []).append(memory)
    return found
