"""A LangGraph store over a book: items are memories, and search is recall.

    store = BookStore(book)
    graph = builder.compile(store=store)

An item is one memory with its value as JSON, in the scope that the book was opened with. Each
level of its namespace is a tag, so that a prefix is looked up by index.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from ...model.errors import BadInput, Conflict, NotFound
from .conversations import Documents, require_extra
from .langgraph_items import (
    UNSEARCHED,
    dumped,
    filtered,
    inside,
    key_of,
    labels,
    loaded,
    minutes,
    name,
    namespace_of,
    others,
)

with require_extra("langgraph-checkpoint", extra="langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        validate_op_namespace,
    )

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...book import Commonplace
    from ...model.memory import Draft, Memory
    from .langgraph_items import Namespace

    Scored = tuple[Memory, float | None]

KIND = "store-item"
MOST_RECALLED = 200
TRIES = 10
"""Attempts of a put while other processes put the same item."""
REFRESH_SHARE = 0.05
"""A read renews the TTL only after this share of it, so that not every read writes."""


class BookStore(BaseStore):
    """Items of the book's own scope; expired ones are never returned."""

    supports_ttl = True

    def __init__(
        self,
        book: Commonplace,
        *,
        ttl: TTLConfig | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.ttl_config = ttl
        self._items = Documents(book, KIND)
        self._now = now
        # Threads of one program wait for each other instead of retrying.
        self._lock = threading.Lock()

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations, with results in their order; reads see the state before the batch."""
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in asked:
            if isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(list(self._search(op)))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            else:
                puts[op.namespace, op.key] = op
                results.append(None)
        if puts:
            with self._lock:
                self._put(list(puts.values()))
        return results

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        memory = self._find(op.namespace, op.key)
        if memory is None:
            return None
        if op.refresh_ttl:
            self._refresh(memory)
        return Item(
            value=loaded(memory.content),
            key=op.key,
            namespace=op.namespace,
            created_at=memory.created,
            updated_at=memory.updated,
        )

    def _search(self, op: SearchOp) -> Iterator[SearchItem]:
        asking = bool((op.query or "").strip())
        matching = self._matching(op, self._recalled(op) if asking else self._newest(op))
        wanted = op.offset + op.limit
        if asking and op.filter and len(matching) < wanted:
            matching += self._more_matches(op, matching)
        for memory, score in matching[op.offset : wanted]:
            if op.refresh_ttl:
                self._refresh(memory)
            yield SearchItem(
                namespace=namespace_of(memory),
                key=key_of(memory),
                value=loaded(memory.content),
                created_at=memory.created,
                updated_at=memory.updated,
                score=score,
            )

    def _matching(self, op: SearchOp, found: Iterable[Scored]) -> list[Scored]:
        return [
            (memory, score)
            for memory, score in found
            if inside(namespace_of(memory), op.namespace_prefix)
            and not self._expired(memory)
            and filtered(loaded(memory.content), op.filter or {})
        ]

    def _recalled(self, op: SearchOp, ids: Sequence[str] | None = None) -> Iterator[Scored]:
        hits = self._items.book.recall(
            op.query or "",
            kinds=[KIND],
            scope=self._items.home,
            tags=labels(op.namespace_prefix)[-1:] or None,
            ids=ids,
            limit=MOST_RECALLED,
        )
        return ((hit.memory, hit.score) for hit in hits if UNSEARCHED not in hit.memory.tags)

    def _more_matches(self, op: SearchOp, found: Sequence[Scored]) -> Sequence[Scored]:
        """Matching items beyond the best that recall returned, most of which did not match.

        Recall returns equal texts once; here each is an item of its own.
        """
        known = {memory.id for memory, _ in found}
        every = (pair for pair in self._newest(op) if UNSEARCHED not in pair[0].tags)
        left = [one for one, _ in self._matching(op, every) if one.id not in known]
        scores = {memory.content: score or 0.0 for memory, score in found}
        for start in range(0, len(left), MOST_RECALLED):
            ids = [one.id for one in left[start : start + MOST_RECALLED]]
            for memory, score in self._recalled(op, ids):
                scores[memory.content] = score or 0.0
        more = [(one, scores[one.content]) for one in left if one.content in scores]
        return sorted(more, key=lambda pair: pair[1], reverse=True)

    def _newest(self, op: SearchOp) -> Iterator[Scored]:
        found = self._items.every(tags=labels(op.namespace_prefix)[-1:] or None)
        return ((one, None) for one in sorted(found, key=lambda one: one.updated, reverse=True))

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        known = {namespace_of(one) for one in self._items.every() if not self._expired(one)}
        wanted = op.match_conditions or ()
        found = {one for one in known if all(_matches(condition, one) for condition in wanted)}
        if op.max_depth is not None:
            found = {one[: op.max_depth] for one in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _put(self, ops: list[PutOp]) -> None:
        for attempt in range(1, TRIES + 1):
            try:
                drafts = [draft for op in ops if (draft := self._change(op)) is not None]
                if drafts:
                    self._items.book.save_many(drafts)
                return
            except (Conflict, NotFound):  # Another process was faster: read again, and retry.
                if attempt == TRIES:
                    raise

    def _change(self, op: PutOp) -> Draft | None:
        """Delete an item, or renew an equal one; else return the draft of the new one."""
        known = self._find(op.namespace, op.key)
        if op.value is None:
            if known is not None:
                self._items.book.forget(known.id)
            return None
        content = dumped(op.value)
        expires = None if op.ttl is None else self._after(op.ttl)
        tags = labels(op.namespace, unsearched=op.index is False, minutes=op.ttl)
        if known is not None and known.content == content:
            self._items.book.edit(known.id, tags=[*tags, *others(known)], expires=expires)
            return None
        return self._items.draft(
            content,
            known,
            key=name(op.key),
            namespace=name(*op.namespace),
            tags=tuple(tags),
            expires=expires,
        )

    def _find(self, namespace: Namespace, key: str) -> Memory | None:
        found = self._items.find(name(key), name(*namespace))
        return None if found is None or self._expired(found) else found

    def _expired(self, memory: Memory) -> bool:
        return memory.expires is not None and memory.expires <= self._now()

    def _after(self, minutes: float) -> datetime:
        try:
            return self._now() + timedelta(minutes=minutes)
        except (OverflowError, ValueError) as error:
            raise BadInput(
                f"An item cannot live for {minutes} minutes.", hint="Leave ttl out for no end."
            ) from error

    def _refresh(self, memory: Memory) -> None:
        """Renew the TTL of an item that was read."""
        whole = minutes(memory)
        if whole is None or memory.expires is None:
            return
        expires = self._after(whole)
        if expires - memory.expires > timedelta(minutes=whole) * REFRESH_SHARE:
            with suppress(Conflict, NotFound):  # Changed or deleted since; nothing to renew.
                self._items.book.edit(memory.id, expires=expires)


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path: tuple[Any, ...] = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=False))
