"""Memories as the index holds them: by row, by condition, and counted."""

from __future__ import annotations

from collections import Counter

from ...model import codec
from .conditions import both, condition, seen
from .described import fit, given, optional, pieces_of
from .schema import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...model.memory import Memory
    from ...model.scope import Visible
    from ...ports.search_index import Where
    from .database import MilvusDatabase
    from .schema import Row

MOST_SPEAKERS = 200
_DOCUMENT = ("row", "id", "text", "revision", "scope", "json", "pieces", "status", "own_status")
_ORDERS = {
    "newest": (("created", True), ("id", True)),
    "oldest": (("created", False), ("id", False)),
    "updated": (("updated", True), ("id", True)),
    "name": (("name", False), ("id", False)),
}
_LOOKS = 3


def newest_states(found: Iterable[Row]) -> list[Row]:
    """One row for each memory: while a change is on its way there may be two."""
    best: dict[str, Row] = {}
    for row in found:
        known = best.get(row["id"])
        if known is None or (row["revision"], row["row"]) > (known["revision"], known["row"]):
            best[row["id"]] = row
    return list(best.values())


def load(db: MilvusDatabase, field: str, keys: Sequence[int]) -> dict[int, Memory]:
    """The memories with these rows or texts, in their order."""
    found: dict[int, Row] = {}
    documents: dict[int, str | None] = {}
    for _ in range(_LOOKS):
        found = {row[field]: row for row in db.query_named("memories", field, keys, _DOCUMENT)}
        documents = _documents(db, found.values())
        # A long text is read apart from its row; one that was replaced in between is read again.
        if None not in documents.values():
            break
    whole = [found[key] for key in keys if key in found and documents[found[key]["row"]]]
    newer = _successors(db, [row for row in whole if row["status"] != row["own_status"]])
    return {
        row[field]: _effective(row, codec.from_json(documents[row["row"]] or ""), newer)
        for row in whole
    }


def select(
    db: MilvusDatabase, where: Where, visible: Visible, *, order: str, limit: int, offset: int
) -> list[Memory]:
    """Memories that meet the conditions, in order."""
    if limit < 1:
        return []
    wanted = both(seen(visible), condition(db, where))
    keys = [field for field, _ in _ORDERS[order]]
    found = newest_states(db.query("memories", wanted, ["row", "revision", *keys]))
    # Milvus answers in no order, so the order is made here, from as little of each row as needed.
    for field, descending in reversed(_ORDERS[order]):
        found.sort(key=lambda row: row[field], reverse=descending)
    start = max(0, offset)
    return list(load(db, "row", [row["row"] for row in found[start : start + limit]]).values())


def alike(
    db: MilvusDatabase,
    signatures: Mapping[str, Collection[int]],
    visible: Visible,
    where: Where,
    most: int,
) -> list[Memory]:
    """Memories with these signatures: of each signature the newest, so that no crowd costs more."""
    asked = {fit(scope): set(signs) for scope, signs in signatures.items() if signs}
    if not asked:
        return []
    wanted = both(seen(visible), condition(db, where))
    found: dict[int, tuple[int, str]] = {}
    for scope, signs in asked.items():
        any_of = f"array_contains_any(signatures, {sorted(signs)})"
        theirs = both(f"scope == {literal(scope)}", any_of, wanted)
        near = db.query("memories", theirs, ["row", "id", "revision", "signatures"])
        near = sorted(newest_states(near), key=_age, reverse=True)
        for sign in signs:
            newest = [row for row in near if sign in row["signatures"]][:most]
            found |= {row["row"]: _age(row) for row in newest}
    newest_first = sorted(found, key=found.__getitem__, reverse=True)
    return list(load(db, "row", newest_first).values())


def count(db: MilvusDatabase, where: Where, visible: Visible, by: str) -> dict[str, int]:
    """How many memories meet the conditions, by one of their axes."""
    wanted = both(seen(visible), condition(db, where))
    found = newest_states(db.query("memories", wanted, ["row", "id", "revision", by]))
    values = (row[by] if by != "topic" else given(row[by]) for row in found)
    return dict(sorted(Counter(value for value in values if value is not None).items()))


def speakers(db: MilvusDatabase, visible: Visible) -> list[str]:
    """Who is heard in the visible conversations."""
    found = db.query("memories", both(seen(visible), 'speaker != ""'), ["speaker"])
    return sorted({row["speaker"][1:] for row in found})[:MOST_SPEAKERS]


def lined_up(found: Iterable[Row], limit: int) -> list[int]:
    """The texts of rows, newest first: what was just said is asked about first."""
    return [row["text"] for row in sorted(found, key=_age, reverse=True)[: max(0, limit)]]


def _age(row: Row) -> tuple[int, str]:
    return row["revision"], row["id"]


def _documents(db: MilvusDatabase, found: Collection[Row]) -> dict[int, str | None]:
    """Each row's memory as JSON; None where a part of it is missing."""
    owners = {row["pieces"] for row in found} - {0}
    parts: dict[int, dict[int, str]] = {}
    for piece in db.query_named("pieces", "owner", owners, ["owner", "number", "part"]):
        parts.setdefault(piece["owner"], {})[piece["number"]] = piece["part"]
    whole = {owner: "".join(own[n] for n in sorted(own)) for owner, own in parts.items()}
    return {
        row["row"]: row["json"] or _complete(row["pieces"], whole.get(row["pieces"], ""))
        for row in found
    }


def _complete(owner: int, document: str) -> str | None:
    return document if pieces_of(document) == owner else None


def _successors(db: MilvusDatabase, retired: Collection[Row]) -> dict[tuple[str, str], str]:
    """The newest successor of each memory, by its scope and id."""
    olds = {optional(row["id"]) for row in retired}
    fields = ["id", "scope", "supersedes", "created"]
    found = db.query_named("memories", "supersedes", olds, fields)
    found.sort(key=lambda row: (row["created"], row["id"]))
    return {(row["scope"], row["supersedes"]): row["id"] for row in found}


def _effective(row: Row, memory: Memory, newer: Mapping[tuple[str, str], str]) -> Memory:
    """The memory as readers see it: superseded as soon as its successor exists."""
    if row["status"] == row["own_status"]:
        return memory
    successor = newer.get((row["scope"], optional(row["id"])))
    return memory.but(status=row["status"], superseded_by=memory.superseded_by or successor)
