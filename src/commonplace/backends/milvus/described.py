"""What the collections say about a memory."""

from __future__ import annotations

import re
from collections import Counter
from zlib import crc32

from ...language import passages, similarity
from ...model import codec, identity
from ...model.scope import Scope
from ...model.value import Value
from ...rules.relations.duplicates import signed
from ..sql.index import rows
from ..sql.index.candidates import HEAD
from . import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...model.memory import Memory
    from .schema import Row

SHARES = 64
"""Rows are spread evenly over so many shares; one of them is a sample of all."""
PIECE_BYTES = 60_000
_ALWAYS_SAID = 0
"""The dimension that every text has, because Milvus takes no empty vector; no word has it."""
_MOST_TIMES = 100_000
"""More than a 32-bit float could count beside a text's length."""
_LONGEST_LABEL = 1_000
_HALVES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x1f\x7f]")


class Described(Value):
    """A memory as rows: of `memories`, of `pieces`, and what its row in line for a vector says."""

    row: Row
    pieces: tuple[Row, ...]
    in_line: Row


def described(memory: Memory, *, place: int, names: Iterable[str], revision: int) -> Described:
    """Everything that is written about a memory.

    A row is named by all it says: two processes that write different states of one memory never
    overwrite each other's. A text is named by itself, and keeps its vector when all else changes.
    """
    head, body = rows.spoken(memory)
    document = _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", codec.to_json(memory))
    labels = {what: sorted(_labels(memory, names, what)) for what in ("name", "tag", "origin")}
    text = _number("text", memory.id, str(memory.scope), memory.content, " ".join(head), *body)
    row_key = _number("row", document, str(place), *labels["name"])
    step = similarity.step(len(head) + len(body))
    whole = document if len(document.encode()) <= PIECE_BYTES else ""
    owner = 0 if whole else pieces_of(document)
    shared: Row = {
        "text": text,
        "id": fit(memory.id),
        "revision": revision,
        **where(memory.scope),
        "topic": optional(rows.folded(memory.topic)),
    }
    row = {
        **shared,
        **_axes(memory),
        "row": row_key,
        "place": place,
        "share": row_key % SHARES,
        "length": step,
        "names": labels["name"],
        "tags": labels["tag"],
        "origins": labels["origin"],
        "signatures": list(signed(memory)),
        "json": whole,
        "pieces": owner,
        "said": _said(head, body, step),
        **_links(memory),
    }
    pieces = [*_parts(document, owner)] if owner else []
    if step >= similarity.LONG_STEP:
        pieces += _stretches(body, text)
    return Described(row, tuple(piece | {"id": row["id"]} for piece in pieces), shared)


def where(scope: Scope) -> Row:
    """The fields that say who may see a row."""
    above = "" if scope.value("task") is None else str(scope.without("task"))
    return {"org": org_of(str(scope)), "scope": str(scope), "parent": above}


def org_of(path: str) -> str:
    """Which tenant's partition a scope is in: that of its org, or the one that all share."""
    return "/" + (Scope.parse(path).value("org") or "")


def turn(scope: str, episode: str, position: int) -> int:
    """A number for a turn of a conversation, and the next number for the next turn."""
    return (_number("episode", scope, episode) // 4 + position) % 2**62


def dimension(term: str) -> int:
    """The dimension of a word.

    Two of a million words share theirs with a chance of one in four thousand for each word asked.
    """
    return crc32(term.encode("utf-8", "surrogatepass")) % (2**32 - 2) + 1


def times_said(weight: float) -> tuple[float, int]:
    """How often a text says a word, and how long it is, from its weight in the word's list."""
    doubled, step = divmod(round(weight), similarity.STEPS)
    return doubled / 2, step


def pieces_of(document: str) -> int:
    """The number that the pieces of a long document are kept under, and checked by."""
    return _number("pieces", document)


def optional(text: str | None) -> str:
    """A text that may be missing, as it is kept and compared."""
    return "" if text is None else f"={fit(text)}"


def given(kept: str) -> str | None:
    """The text that `optional` was given."""
    return kept[1:] if kept else None


def fit(text: str) -> str:
    """A text as it is compared: short enough, and without what no condition can quote."""
    if not text.isascii() or not text.isprintable():
        text = _CONTROLS.sub("?", rows.clean(text) or "")
    if len(text) > _LONGEST_LABEL:
        text = identity.derived_id(text[:_LONGEST_LABEL], text)
    return text


def _axes(memory: Memory) -> Row:
    episode, position = memory.episode, memory.position
    talk = None if episode is None or position is None else (fit(episode), position)
    return {
        "status": memory.status, "own_status": memory.status, "kind": fit(memory.kind),
        "tier": memory.tier, "owner": memory.owner, "sensitivity": memory.sensitivity,
        "trust": memory.trust, "key": optional(memory.key),
        "namespace": optional(memory.namespace),
        "content_hash": identity.content_hash(memory.content),
        "episode": optional(episode),
        "position": schema.NO_POSITION if position is None else position,
        "turn": turn(str(memory.scope), *talk) if talk else -1,
        "always_load": memory.always_load, "supersedes": optional(memory.supersedes),
        "superseded_by": optional(memory.superseded_by),
        "imported_id": optional(memory.imported_id),
        "created": memory.created.timestamp(), "updated": memory.updated.timestamp(),
        "valid_from": _moment(rows.epoch(memory.valid_from), schema.ALWAYS_SINCE),
        "valid_until": _moment(rows.epoch(memory.valid_until), schema.NEVER),
        "expires": _moment(rows.epoch(memory.expires), schema.NEVER),
        "name": fit((memory.title or memory.slug).casefold()), "source": fit(memory.source),
        "confidence": memory.confidence, "speaker": optional(memory.speaker),
        "words": passages.word_count(memory.content), "asks": passages.asks(memory.content),
        "has_time": passages.has_time(memory.content),
        "has_number": passages.has_number(memory.content),
    }  # fmt: skip


def _labels(memory: Memory, names: Iterable[str], what: str) -> list[str]:
    found = {fit(value) for kind, value, _ in rows.labels(memory, 0, names) if kind == what}
    return sorted(found)[: schema.LISTED]


def _links(memory: Memory) -> Row:
    found = rows.links(memory, 0)
    endings = {fit(str(link[3])) for link in found}
    return {"links": len(found), "endings": sorted(endings)[: schema.LISTED]}


def _said(head: list[str], body: list[str], step: int) -> Mapping[int, float]:
    """Each word with how often it is said and how long the text is, as one exact number."""
    in_head, in_body = Counter(head), Counter(body)
    said: dict[int, float] = {_ALWAYS_SAID: 1.0}
    for term in {*head, *body}:
        doubled = int(2 * (HEAD * in_head[term] + in_body[term]))
        said[dimension(term)] = float(min(doubled, 2 * _MOST_TIMES) * similarity.STEPS + step)
    return said


def _parts(document: str, owner: int) -> Iterable[Row]:
    """A document that is too long for one text, in parts."""
    left, number = document, 0
    while left:
        part = left.encode()[:PIECE_BYTES].decode(errors="ignore")
        yield _piece(owner, number, {_ALWAYS_SAID: 1.0}, part)
        left, number = left[len(part) :], number + 1


def _stretches(body: list[str], text: int) -> Iterable[Row]:
    """Which words each half stretch of a long text says, for finding its best part."""
    for start in range(0, len(body), similarity.HALF):
        half = body[start : start + similarity.HALF]
        yield _piece(text, start // similarity.HALF, _said([], half, 0))


def _piece(owner: int, number: int, said: Mapping[int, float], part: str = "") -> Row:
    return {
        "name": f"{owner}:{number}", "owner": owner, "number": number, "part": part, "said": said,
    }  # fmt: skip


def _moment(at: float | None, otherwise: float) -> float:
    return otherwise if at is None else at


def _number(*parts: str) -> int:
    return int(identity.derived_id("", *parts)[:16], 16) >> 1
