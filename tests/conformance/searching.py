"""Keyword search as one call, for asking an index directly."""

from __future__ import annotations

from commonplace.language import words
from commonplace.model.memory import Memory
from commonplace.model.scope import Visible
from commonplace.model.value import Value
from commonplace.ports.search_index import SearchIndex, Where


class Match(Value):
    """A memory that contains words of the question."""

    memory: Memory
    score: float
    terms: tuple[str, ...]
    meaning: float | None
    """How close it comes to the question, where the index has vectors."""


def search(
    index: SearchIndex, query: str, *, visible: Visible, where: Where, limit: int
) -> list[Match]:
    """Memories by their words alone, best first, the newest first among equals."""
    gathered = index.gather(
        words.query_terms(query), None, visible=visible, where=where, pool=max(limit, 0)
    )
    found = [one for one in gathered.candidates if one.keyword > 0]
    found.sort(key=lambda one: (-one.keyword, -one.created, one.id))
    memories = index.fetch([one.key for one in found[:limit]], visible=visible)
    # What another thread rewrote between the two calls is left out, as a recall does.
    return [
        Match(memories[one.key], one.keyword, one.terms, one.meaning)
        for one in found[:limit]
        if one.key in memories
    ]
