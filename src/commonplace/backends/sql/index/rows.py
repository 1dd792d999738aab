"""The rows that an index stores for a memory."""

from __future__ import annotations

from ....language import passages, words
from ....model import identity
from ....notes import display, wikilinks
from ....rules.branches import hiding_place
from .values import epoch, folded, valid_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....model.memory import Memory

MEMORY_COLUMNS = 37


def place_number(locator: str) -> int:
    """A number for a document's place: a path repeats words, which a purge must not leave."""
    return int(identity.derived_id("", locator)[:15], 16)


def link_names(memory: Memory, locator: str, further: Iterable[str]) -> set[str]:
    """The names that a link may use for this memory."""
    named = {memory.slug, memory.title, *memory.aliases, *further}
    if locator.casefold().endswith(".md"):
        named |= {locator, wikilinks.last_part(locator)}
    return {wikilinks.normalized_name(name) for name in named} - {""}


MOST_SHOWN = 120
"""Characters of a text that stands for a name."""


def shown_name(memory: Memory) -> str:
    """The text that a reader sees as the name of a memory without one; empty if there is none."""
    text = memory.content.strip()
    named = memory.title or memory.key or memory.episode
    if named or len(text) > MOST_SHOWN or display.is_sealed(memory):
        return ""
    # None of these can stand in a link's target.
    plain = text.isprintable() and set(text).isdisjoint("[]|#")
    return wikilinks.normalized_name(text).rstrip(".") if plain else ""


def names_fingerprint(names: Iterable[str]) -> int:
    """A number that changes when the names do."""
    import zlib

    return zlib.crc32("\n".join(sorted(names)).encode("utf-8", "replace"))


def terms_of(memory: Memory) -> tuple[list[str], list[str]]:
    """The terms of a memory: of its head (title, tags, key …), and of its text."""
    head = (memory.title, *memory.aliases, *memory.tags, memory.topic, memory.key, memory.namespace)
    body = (memory.content, memory.summary, memory.value, memory.speaker)
    said = [] if display.is_sealed(memory) else [text for text in body if text]
    if said and memory.value and memory.value in memory.content:
        said.remove(memory.value)
    return (
        words.terms("\n".join(text for text in head if text)),
        words.terms("\n".join(said)),
    )


def memory_row(
    memory: Memory, row: int, *, place: int, names: int, scope: int, parent: int | None
) -> tuple[object, ...]:
    """The row of `memories`, in the order of its columns."""
    return (
        row, valid_unicode(memory.id), place, names, scope, parent,
        memory.status, memory.status, memory.kind, memory.tier,
        memory.owner, memory.sensitivity, memory.trust, folded(memory.topic),
        valid_unicode(memory.key), valid_unicode(memory.namespace),
        identity.content_hash(memory.content),
        valid_unicode(memory.episode), memory.position,
        memory.always_load, valid_unicode(memory.supersedes), valid_unicode(memory.superseded_by),
        valid_unicode(memory.imported_id),
        epoch(memory.created), epoch(memory.updated), epoch(memory.valid_from),
        epoch(memory.valid_until), epoch(memory.expires),
        valid_unicode((memory.title or memory.slug).casefold()),
        valid_unicode(memory.source), memory.confidence, valid_unicode(memory.speaker),
        passages.word_count(memory.content), words.is_question(memory.content),
        passages.has_time(memory.content), passages.has_number(memory.content), memory.importance,
    )  # fmt: skip


def label_rows(memory: Memory, row: int, names: Iterable[str]) -> list[tuple[str, str, int]]:
    """The rows of `labels`."""
    found = {("name", valid_unicode(name)) for name in names}
    found |= {("tag", folded(tag)) for tag in memory.tags}
    if shown := shown_name(memory):
        found.add(("shown", valid_unicode(shown)))
    found |= {("origin", valid_unicode(origin)) for origin in memory.derived_from}
    if memory.branch:
        found.add(("branch", valid_unicode(memory.branch)))
    if place := hiding_place(memory):
        found.add(("learned", valid_unicode(place)))
    return [(what, value or "", row) for what, value in found]


def link_rows(memory: Memory, row: int) -> list[tuple[object, ...]]:
    """The rows of `links`."""
    rows: list[tuple[object, ...]] = []
    for position, link in enumerate(wikilinks.find_links(memory.content)):
        target = valid_unicode(wikilinks.normalized_name(link.target)) or ""
        rows.append((
            row, position, target, wikilinks.last_part(target), valid_unicode(link.target),
            valid_unicode(link.heading), valid_unicode(link.alias), link.embed,
        ))  # fmt: skip
    return rows
