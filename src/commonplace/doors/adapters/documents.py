"""Texts that a framework names itself: each name is one memory, of which the newest version holds.

They stay in the very scope that the book was opened with. What the context could also read, such
as a broader scope's, is for recall; a framework's own names must not change with who looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model import LIVE, Draft, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...book import Commonplace

PAGE = 1_000


class Documents:
    """The named texts of one kind, in one scope of a book."""

    def __init__(self, book: Commonplace, kind: str) -> None:
        self.book = book
        self.kind = kind
        self.home = book.context.scope

    def find(self, key: str, namespace: str) -> Memory | None:
        """The text with that name, if there is one."""
        found = self.book.fact_recall(key, namespace=namespace)
        if found is None or self._is(found, key, namespace):
            return found
        # Another scope that is visible from here has a text of that name, too.
        return next((one for one in self.every() if self._is(one, key, namespace)), None)

    def every(
        self, *, tags: Sequence[str] | None = None, statuses: Sequence[str] = LIVE
    ) -> Iterator[Memory]:
        """All of them, or those with all of these tags; the newest first."""
        offset = 0
        while True:
            page = self.book.list(
                kinds=[self.kind],
                scope=self.home,
                tags=tags,
                statuses=statuses,
                limit=PAGE,
                offset=offset,
            )
            yield from page
            if len(page) < PAGE:
                return
            offset += PAGE

    def draft(self, content: str, known: Memory | None, **fields: Any) -> Draft:
        """What to save so that this text is the newest with its name, in the place of a known one.

        The program that keeps the text has asked for this very change, so it holds even over a
        version that a person has edited; that one stays in the history.
        """
        replaced = known.id if known is not None else None
        return Draft(content, scope=self.home, kind=self.kind, supersedes=replaced, **fields)

    def _is(self, memory: Memory, key: str, namespace: str) -> bool:
        named = (memory.kind, memory.key, memory.namespace)
        return memory.scope == self.home and named == (self.kind, key, namespace)
