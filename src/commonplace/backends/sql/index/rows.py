"""What an index keeps about a memory."""

from __future__ import annotations

from ....language import passages, words
from ....model import codec, identity
from ....notes import display, wikilinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from ....model.memory import Memory

MEMORY_COLUMNS = 36


def place_of(locator: str) -> int:
    """A number for a place: its path repeats a memory's words, which a purge must not leave."""
    return int(identity.derived_id("", locator)[:15], 16)


def encoded(memory: Memory) -> bytes:
    """The whole memory, as stored; text that is not quite Unicode comes back as it was."""
    return codec.to_json(memory).encode("utf-8", "surrogatepass")


def decoded(json: bytes) -> Memory:
    """The memory that was stored."""
    return codec.from_json(json.decode("utf-8", "surrogatepass"))


def names_of(memory: Memory, locator: str, further: Iterable[str]) -> set[str]:
    """Everything a link may call this memory."""
    named = {memory.slug, memory.title, *memory.aliases, *further}
    if locator.casefold().endswith(".md"):
        named |= {locator, wikilinks.last_part(locator)}
    return {wikilinks.normalized(name) for name in named} - {""}


def fingerprint(names: Iterable[str]) -> int:
    """A number that changes when the names do."""
    import zlib

    return zlib.crc32("\n".join(sorted(names)).encode("utf-8", "replace"))


def spoken(memory: Memory) -> tuple[list[str], list[str]]:
    """The words of a memory: those of its names and marks, and those of its text."""
    head = (memory.title, *memory.aliases, *memory.tags, memory.topic, memory.key, memory.namespace)
    body = (memory.content, memory.summary, memory.value, memory.speaker)
    said = [] if display.is_sealed(memory) else [text for text in body if text]
    if said and memory.value and memory.value in memory.content:
        said.remove(memory.value)
    return (
        words.terms("\n".join(text for text in head if text)),
        words.terms("\n".join(said)),
    )


def axes(
    memory: Memory, row: int, *, place: int, names: int, scope: int, parent: int | None
) -> tuple[object, ...]:
    """The row of `memories`, in the order of its columns."""
    return (
        row, clean(memory.id), place, names, scope, parent,
        memory.status, memory.status, memory.kind, memory.tier,
        memory.owner, memory.sensitivity, memory.trust, folded(memory.topic),
        clean(memory.key), clean(memory.namespace), identity.content_hash(memory.content),
        clean(memory.episode), memory.position,
        memory.always_load, clean(memory.supersedes), clean(memory.superseded_by),
        clean(memory.imported_id),
        epoch(memory.created), epoch(memory.updated), epoch(memory.valid_from),
        epoch(memory.valid_until), epoch(memory.expires),
        clean((memory.title or memory.slug).casefold()),
        clean(memory.source), memory.confidence, clean(memory.speaker),
        passages.word_count(memory.content), passages.asks(memory.content),
        passages.has_time(memory.content), passages.has_number(memory.content),
    )  # fmt: skip


def labels(memory: Memory, row: int, names: Iterable[str]) -> list[tuple[str, str, int]]:
    """The rows of `labels`."""
    found = {("name", clean(name)) for name in names}
    found |= {("tag", folded(tag)) for tag in memory.tags}
    found |= {("origin", clean(origin)) for origin in memory.derived_from}
    return [(what, value or "", row) for what, value in found]


def links(memory: Memory, row: int) -> list[tuple[object, ...]]:
    """The rows of `links`."""
    rows: list[tuple[object, ...]] = []
    for position, link in enumerate(wikilinks.parse(memory.content)):
        target = clean(wikilinks.normalized(link.target)) or ""
        rows.append((
            row, position, target, wikilinks.last_part(target), clean(link.target),
            clean(link.heading), clean(link.alias), link.embed,
        ))  # fmt: skip
    return rows


def epoch(moment: datetime | None) -> float | None:
    """A moment as the tables compare it."""
    return None if moment is None else moment.timestamp()


def folded(text: str | None) -> str | None:
    """A topic or tag as the tables compare it."""
    return None if text is None else clean(text.strip().lstrip("#").casefold())


def clean(text: str | None) -> str | None:
    """Text that is Unicode: half of a surrogate pair becomes a question mark."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()
