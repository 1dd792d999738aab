"""Vectors: a row for each memory and model, first in line for its vector and then with it.

The engine finds the closest by its graph, among the visible ones; how close they really are is
computed here, from the very bytes that the model made. Passages lie beside the whole and are read
only for memories that are already in the running.
"""

from __future__ import annotations

import base64
from array import array

from ..common.arithmetic import cosines
from ..sql.index.candidates import WHOLE
from . import state
from .conditions import both
from .database import WINDOW, chunks
from .described import fit
from .reading import lined_up, load
from .schema import TEXT_BYTES, one_of
from .state import IN_USE, LINING_UP, ON_ITS_WAY, IndexedModel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...model.memory import Memory
    from .database import MilvusDatabase
    from .schema import Row

_LINE = ("text", "org", "id", "scope", "parent", "topic", "revision")
_MOST_BYTES = TEXT_BYTES * 3 // 4
"""What fits into a text as base64."""


def use_model(db: MilvusDatabase, model: str, dimensions: int, *, switch: bool) -> bool:
    """Make room for this model's vectors, beside those of the one in use until all are there.

    Without `switch` nothing is begun for a model that has no room yet, and False says so.
    """
    known = state.models(db)
    mine = _kept(known, model, dimensions)
    if mine is not None and mine.stage != LINING_UP and (not switch or len(known) == 1):
        return True
    if known and mine is None and not switch:
        return False
    # Whatever else was on its way is not wanted any more.
    for other in known:
        if other.stage != IN_USE and other != mine:
            state.drop_model(db, other)
    if mine is None or mine.stage == LINING_UP:
        # Its collection first: whoever sees the model may put vectors there. A process that stops
        # on the way leaves the model lining up, and the next one goes on.
        mine = IndexedModel(model, dimensions, LINING_UP)
        db.create(mine.collection, dimensions)
        state.keep_model(db, mine)
        for some in chunks(db.stream("memories", "", _LINE), WINDOW):
            line_up(db, [mine], some)
        state.keep_model(db, mine.but(stage=ON_ITS_WAY if _others(known, mine) else IN_USE))
        _finish(db)
    return True


def line_up(db: MilvusDatabase, models: Sequence[IndexedModel], rows: Iterable[Row]) -> None:
    """Let memories wait for vectors, as far as they have none and do not wait already."""
    lines = {row["text"]: {name: row[name] for name in _LINE} for row in rows}
    for model in models:
        there = db.query_named(model.collection, "text", lines, ["text"], strong=True)
        fresh = lines.keys() - {row["text"] for row in there}
        empty = {"waiting": True, "ready": False, "packed": "", "vector": [1.0] * model.dimensions}
        db.upsert(model.collection, [{**lines[text], **empty} for text in sorted(fresh)])


def leave(db: MilvusDatabase, models: Sequence[IndexedModel], texts: Collection[int]) -> None:
    """Drop the vectors of texts, whichever model made them."""
    for model in models if texts else ():
        db.delete(model.collection, texts)


def waiting(db: MilvusDatabase, model: str) -> int:
    """How many memories wait for this model's vectors; 0 as well where there is no room for any."""
    mine = _in_line(db, model)
    return 0 if mine is None else db.count(mine.collection, "waiting == true")


def unembedded(
    db: MilvusDatabase, visible: str, limit: int, ids: Collection[str] | None, model: str | None
) -> dict[int, Memory]:
    """Memories in line for vectors, newest first, by a number that stands for their text.

    Before there is any model, everything waits. Of very many some are looked at.
    """
    mine = _in_line(db, model)
    known = both(visible, "" if ids is None else one_of("id", sorted(map(fit, ids))))
    if ids is not None and not ids:
        return {}
    if mine is None:
        found = db.query("memories", known, _LINE)
    else:
        line = both("waiting == true", known)
        found = db.query(mine.collection, line, ["text", "id", "revision"], limit=WINDOW)
    return load(db, "text", lined_up(found, limit))


def put(
    db: MilvusDatabase,
    made: Mapping[int, Sequence[bytes]],
    model: str,
    dimensions: int,
    *,
    complete: bool,
) -> bool:
    """Keep vectors of those in line, in place of those they had; unless complete, more follow.

    A text that is not in line is either gone, or somebody else gave it all it needs.
    """
    known = state.models(db)
    mine = _kept(known, model, dimensions)
    if mine is None or any(len(one) != dimensions for own in made.values() for one in own):
        return False
    line = db.query_named(mine.collection, "text", made, _LINE, also="waiting == true", strong=True)
    db.upsert(mine.collection, [_filled(row, made[row["text"]], complete) for row in line])
    # Whoever removes a text does it before its vector: what is still there now is seen there.
    texts = {row["text"] for row in line}
    held = db.query_named("memories", "text", texts, ["text"], strong=True)
    db.delete(mine.collection, texts - {row["text"] for row in held})
    if complete and len(known) > 1:
        _finish(db)
    return True


def comparable(db: MilvusDatabase, vector: bytes, model: str | None) -> IndexedModel | None:
    """The model that a question's vector can be compared with, if any.

    Without a name that is the model in use, as far as the width is right.
    """
    known = state.models(db)
    named = known[:1] if model is None else [one for one in known if one.name == model]
    return next((one for one in named if one.dimensions == len(vector)), None)


def nearest(
    db: MilvusDatabase,
    vector: bytes,
    model: IndexedModel,
    where: str,
    also: Collection[int],
    most: int,
) -> dict[int, bytes]:
    """The vectors of the texts closest in meaning, and of certain others, end to end."""
    [hits] = db.search(
        model.collection,
        "vector",
        [[float(number) for number in array("b", vector)]],
        where=both("ready == true", where),
        limit=most,
        how={"params": {"ef": max(64, most)}},
    )
    asked = list(dict.fromkeys([*also, *(text for text, _ in hits)]))
    found = db.query_named(model.collection, "text", asked, ["text", "packed"])
    return {row["text"]: base64.b64decode(row["packed"]) for row in found if row["packed"]}


def closeness(vector: bytes, packed: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine of a question with each whole text."""
    if not packed:
        return {}
    wholes = b"".join(own[: len(vector)] for own in packed.values())
    # A text without any word has no direction.
    near = (0.0 if cosine != cosine else cosine for cosine in cosines(vector, wholes))  # noqa: PLR0124
    return dict(zip(packed, near, strict=True))


def meanings(
    vector: bytes, packed: Mapping[int, bytes], wholes: Mapping[int, float]
) -> dict[int, tuple[float, int]]:
    """How close texts come to the question, and which of their passages comes closest."""
    found = {text: (cosine, 0) for text, cosine in wholes.items()}
    for text, whole in wholes.items():
        if passages := packed[text][len(vector) :]:
            own = cosines(vector, passages)
            best = max(own)
            found[text] = (WHOLE * whole + (1 - WHOLE) * max(whole, best), own.index(best) + 1)
    return found


def _filled(row: Row, vectors: Sequence[bytes], complete: bool) -> Row:
    kept = b"".join(vectors)
    width = len(vectors[0])
    # Passages beyond what a text can hold are left out; the whole always fits.
    kept = kept[: max(width, _MOST_BYTES // width * width)]
    numbers = [float(number) for number in array("b", vectors[0])]
    return {
        **{name: row[name] for name in _LINE},
        "waiting": not complete,
        "ready": True,
        "packed": base64.b64encode(kept).decode(),
        # Nothing has no direction, and the engine compares directions.
        "vector": numbers if any(numbers) else [1.0] * width,
    }


def _kept(known: Sequence[IndexedModel], name: str, dimensions: int) -> IndexedModel | None:
    wanted = (name, dimensions)
    return next((one for one in known if (one.name, one.dimensions) == wanted), None)


def _in_line(db: MilvusDatabase, model: str | None) -> IndexedModel | None:
    """The model whose line is meant; the newest for None; None if there is none."""
    named = [one for one in state.models(db) if model in (None, one.name)]
    return named[-1] if named else None


def _others(known: Sequence[IndexedModel], mine: IndexedModel) -> bool:
    return any(one.stage == IN_USE and one.collection != mine.collection for one in known)


def _finish(db: MilvusDatabase) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = state.models(db)
    if len(known) < 2 or known[-1].stage != ON_ITS_WAY:
        return
    old, new = known[0], known[-1]
    if not db.count(new.collection, "waiting == true"):
        state.keep_model(db, new.but(stage=IN_USE))
        state.drop_model(db, old)
