"""How far an index has come: its revision, what it knows of places, and its models.

A process that brings news of a place first claims it, with the revision the news is of. Claims are
rows of their own, so that none overwrites another; the highest one holds.
"""

from __future__ import annotations

import json
import os

from ...model.value import Value
from .schema import NOTHING, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from .database import MilvusDatabase
    from .schema import Row

_NOWHERE = 0
"""The place of what is not about a place; no place has that number."""
IN_USE, ON_ITS_WAY, LINING_UP = "in use", "on its way", "lining up"


class IndexedModel(Value):
    """A model whose vectors are kept."""

    name: str
    dimensions: int
    stage: str

    @property
    def collection(self) -> str:
        """Where its vectors are; the name follows from the model, so that all processes agree."""
        from zlib import crc32

        return f"vectors_{crc32(f'{self.name}/{self.dimensions}'.encode()):08x}"


class IndexState(Value):
    """What is known at one moment."""

    revision: int
    models: tuple[IndexedModel, ...]
    """The one in use, then one that will take its place."""
    claims: frozenset[tuple[int, int]]


def look(db: MilvusDatabase, places: Collection[int] = ()) -> IndexState:
    """What is known now, by any process, in general and about these places."""
    found = db.query_named(
        "state", "name", ["revision", "models"], ["name", "number", "word"], strong=True
    )
    general = {row["name"]: row for row in found}
    models: list[list[Any]] = json.loads(general["models"]["word"]) if "models" in general else []
    return IndexState(
        general["revision"]["number"] if "revision" in general else 0,
        tuple(sorted((IndexedModel(*one) for one in models), key=lambda one: one.stage != IN_USE)),
        claims(db, places),
    )


def claims(db: MilvusDatabase, places: Collection[int]) -> frozenset[tuple[int, int]]:
    """The places and revisions that processes brought, or are about to bring, news of."""
    found = db.query_named("state", "place", places, ["place", "number"], strong=True)
    return frozenset((row["place"], row["number"]) for row in found)


def revision(db: MilvusDatabase) -> int:
    """The store revision this index has reached; 0 for a new one."""
    return look(db).revision


def advance(db: MilvusDatabase, known: IndexState, to: int) -> None:
    """Note the revision reached, and that something changed.

    Two processes may both have seen the old one, and the lower one write last: then the changes
    in between are read once more, which changes nothing.
    """
    change = _row("changed", word=os.urandom(8).hex())
    db.upsert("state", [_row("revision", number=max(to, known.revision)), change])


def rewind(db: MilvusDatabase, to: int) -> None:
    """Note a revision, even one before that reached: all changes since are read again."""
    db.upsert("state", [_row("revision", number=to)])


def changed(db: MilvusDatabase) -> str:
    """A word that is another one after every change."""
    found = db.query_named("state", "name", ["changed"], ["word"])
    return found[0]["word"] if found else ""


def claim(db: MilvusDatabase, places: Collection[int], at: int) -> None:
    """Say that news of these places is on its way."""
    db.upsert("state", [_row(_claim(place, at), place, at) for place in places])


def tidy(db: MilvusDatabase, outdated: Collection[tuple[int, int]]) -> None:
    """Remove claims that say nothing any more."""
    db.delete("state", [_claim(place, at) for place, at in sorted(outdated)])


def forget_places(db: MilvusDatabase, places: Collection[int]) -> None:
    """What the store says of these places next is news, whatever its revision."""
    if places:
        db.delete_where("state", one_of("place", sorted(places)))


def models(db: MilvusDatabase) -> Sequence[IndexedModel]:
    """The models whose vectors are kept: the one in use, then one that will take its place."""
    return look(db).models


def keep_model(db: MilvusDatabase, model: IndexedModel) -> None:
    """Note a model, or how far it has come."""
    _keep_models(db, [*_others(db, model), model])


def drop_model(db: MilvusDatabase, model: IndexedModel) -> None:
    """Forget a model, its vectors and who waits for them."""
    _keep_models(db, _others(db, model))
    db.drop(model.collection)


def _others(db: MilvusDatabase, model: IndexedModel) -> list[IndexedModel]:
    return [one for one in models(db) if one.collection != model.collection]


def _keep_models(db: MilvusDatabase, known: Sequence[IndexedModel]) -> None:
    """Note all models. Of two processes that do so at once one finds no room, and asks again."""
    word = json.dumps([[one.name, one.dimensions, one.stage] for one in known])
    db.upsert("state", [_row("models", word=word)])


def _claim(place: int, at: int) -> str:
    return f"place:{place}:{at}"


def _row(name: str, place: int = _NOWHERE, number: int = 0, word: str = "") -> Row:
    return {"name": name, "place": place, "number": number, "word": word, **NOTHING}
