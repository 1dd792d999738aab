"""Bringing the collections up to date with the store, and forgetting.

Milvus has no transactions, and several processes may write at once. So what is written is made to
be written twice, by anybody, in any order:

- a row is named by all that it says, and a text by itself: nobody overwrites another state of a
  memory, and the same state written twice is there once;
- what is new is written before what is old is removed, and the revision comes last: a process
  that stops on its way leaves work that the next one does again;
- news of a place is claimed before it is written (`state`), and who finds a newer claim at the end
  takes back what it wrote.
"""

from __future__ import annotations

from ...model.memory import LIVE
from ..sql.index import rows
from . import state
from .database import NAMED, chunks
from .described import described, fit, given, optional
from .schema import either_of, one_of
from .vectors import leave, line_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ...ports.record_store import Changes, Document
    from .database import MilvusDatabase
    from .described import Described
    from .schema import Row

_HELD = ("row", "id", "text", "place", "revision", "pieces", "supersedes")
_FAMILY = ("row", "org", "id", "scope", "status", "own_status", "supersedes", "superseded_by")
_MAY_RETIRE = ("staged", *LIVE)
_RETIRES = (*LIVE, "superseded")
_TRIES = 5


def apply(db: MilvusDatabase, changes: Changes) -> None:
    """Make the index say what these places hold now."""
    at = changes.revision
    places = {rows.place_of(document.locator): document for document in changes.documents}
    before = state.claims(db, places)
    outdated = {place for place, revision in before if revision > at}
    current = {place: one for place, one in places.items() if place not in outdated}
    state.claim(db, current, at)
    entries = _entries(current, at)
    held = _write(db, current, entries)
    after = _settle(db, current, entries, before, at)
    # Models as seen now: one that comes later finds these memories by itself.
    line_up(db, after.models, (one.in_line for one in entries.values()))
    _remove_outdated(db, held, entries, after.models, at)
    _retire(db, [*held, *(one.row for one in entries.values())])
    state.tidy(db, {(place, revision) for place, revision in after.claims if revision < at})
    state.advance(db, after, at)


def forget(db: MilvusDatabase, ids: Collection[str]) -> None:
    """Drop memories so that none of their words is left, nor any that a process left on its way."""
    wanted = sorted(map(fit, ids))
    for _ in range(_TRIES):
        known = state.look(db)
        held = db.query_named("memories", "id", wanted, _HELD, strong=True)
        for collection in ("memories", "pieces", *(one.collection for one in known.models)):
            for some in chunks(wanted, NAMED):
                db.delete_where(collection, one_of("id", some))
        if not held:
            break
        state.forget_places(db, {row["place"] for row in held})
        _retire(db, held)
    # In any case: what the store no longer has may be gone from the index, but not from its files.
    _scrub(db)
    state.advance(db, state.look(db), 0)


def _scrub(db: MilvusDatabase) -> None:
    """Leave nothing to read of what was removed; stopped on its way, all is read again."""
    known = state.look(db)
    state.rewind(db, 0)
    for collection in ("memories", "pieces", *(one.collection for one in known.models)):
        db.scrub(collection)
    state.rewind(db, known.revision)


def _entries(current: Mapping[int, Document], at: int) -> dict[str, Described]:
    """The memories that the places hold now, by their ids."""
    return {
        fit(memory.id): described(
            memory,
            place=place,
            names=rows.names_of(memory, document.locator, document.names),
            revision=at,
        )
        for place, document in current.items()
        for memory in document.memories
    }


def _write(
    db: MilvusDatabase, places: Collection[int], entries: Mapping[str, Described]
) -> list[Row]:
    """Write what is not there yet, and say what was there."""
    held = _held(db, places, entries)
    there = {row["row"]: row["revision"] for row in held}
    fresh = [one for one in entries.values() if there.get(one.row["row"], -1) < one.row["revision"]]
    db.upsert("pieces", (piece for one in fresh for piece in one.pieces))
    db.upsert("memories", (one.row for one in fresh))
    return held


def _held(db: MilvusDatabase, places: Collection[int], ids: Collection[str]) -> list[Row]:
    """What the index has from these places, and of these memories wherever they were."""
    found: dict[int, Row] = {}
    some_places, some_ids = chunks(places, NAMED), chunks(ids, NAMED)
    while either := either_of("place", next(some_places, ()), "id", next(some_ids, ())):
        found |= {row["row"]: row for row in db.query("memories", either, _HELD, strong=True)}
    return list(found.values())


def _settle(
    db: MilvusDatabase,
    current: Collection[int],
    entries: dict[str, Described],
    before: frozenset[tuple[int, int]],
    at: int,
) -> state.IndexState:
    """Let the newest news hold where several processes brought some at once."""
    after = state.look(db, current)
    others = after.claims - before - {(place, at) for place in current}
    if not others:
        return after
    beaten = {place for place, revision in others if revision > at}
    for id in [id for id, one in entries.items() if one.row["place"] in beaten]:
        mine = entries.pop(id).row
        db.delete_where("memories", f"row == {mine['row']} and revision == {at}")
    # An older process may have taken back a row that is ours as well.
    _write(db, set(current) - beaten, entries)
    return after


def _remove_outdated(
    db: MilvusDatabase,
    held: Collection[Row],
    entries: Mapping[str, Described],
    models: Sequence[state.IndexedModel],
    at: int,
) -> None:
    staying = [one.row for one in entries.values()]
    kept = {row["row"] for row in staying}
    gone = [row for row in held if row["row"] not in kept]
    # Not what somebody newer has written again meanwhile.
    for some in chunks((row["row"] for row in gone), NAMED):
        db.delete_where("memories", f"{one_of('row', some)} and revision <= {at}")
    _remove_texts(db, gone, staying, models)


def _remove_texts(
    db: MilvusDatabase,
    gone: Collection[Row],
    staying: Collection[Row],
    models: Sequence[state.IndexedModel],
) -> None:
    """Remove the vectors and pieces that no row that stays has; rows go first: `vectors.put`."""
    texts = {row["text"] for row in gone} - {row["text"] for row in staying}
    pieces = {row["pieces"] for row in gone} - {row["pieces"] for row in staying} - {0}
    leave(db, models, texts)
    for some in chunks(sorted(texts | pieces), NAMED):
        db.delete_where("pieces", one_of("owner", some))


def _retire(db: MilvusDatabase, touched: Collection[Row]) -> None:
    """Let a memory count as superseded once its successor is there, and only then.

    Even if a crash kept it `active`. Only within one scope: nobody hides another's memory by
    claiming to supersede it. And two that claim to supersede each other, which only a hand can
    write, hide neither.
    """
    ids = {row["id"] for row in touched} | {given(row["supersedes"]) for row in touched}
    wanted = sorted(id for id in ids if id is not None)
    family: dict[int, Row] = {}
    for some in chunks(wanted, NAMED):
        either = either_of("id", some, "supersedes", map(optional, some))
        family |= {row["row"]: row for row in db.query("memories", either, _FAMILY, strong=True)}
    successors: dict[str, list[Row]] = {}
    for row in family.values():
        successors.setdefault(row["supersedes"], []).append(row)
    olds = [row for row in family.values() if row["id"] in ids]
    changed: list[Row] = []
    for old in olds:
        newer = successors.get(optional(old["id"]), [])
        retired = old["own_status"] in _MAY_RETIRE and any(_retires(one, old) for one in newer)
        status = "superseded" if retired else old["own_status"]
        if status != old["status"]:
            changed.append({"row": old["row"], "org": old["org"], "status": status})
    db.upsert("memories", changed, partly=True)


def _retires(newer: Row, old: Row) -> bool:
    return (
        newer["scope"] == old["scope"]
        and newer["id"] != old["id"]
        and newer["own_status"] in _RETIRES
        and given(newer["superseded_by"]) != old["id"]
        and given(old["supersedes"]) != newer["id"]
    )
