"""Whose vectors an index keeps.

After a change of model the old vectors stay in use until the new ones are complete. No comparison
ever looks at both.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .tables import Tables


def use_model(tables: Tables, model: str, dimensions: int, *, switch: bool) -> bool:
    """Make room for this model's vectors, beside those of the one in use until all are there.

    Without `switch` nothing is begun for a model that has no room yet, and False says so.
    """
    known = numbers(tables)
    name = _name(model, dimensions)
    if name in known and (not switch or len(known) == 1):
        return True
    if known and not switch:
        return False
    # Whatever else was on its way is not wanted any more.
    for other in list(known)[1:]:
        if other != name:
            tables.drop_model(known[other])
    if name not in known:
        [(number,)] = tables.execute(
            "INSERT INTO vector_models (name, in_use) VALUES (?, ?) RETURNING model",
            (name, not known),
        ).fetchall()
        tables.line_up(number)
        finish(tables)
    return True


def finish(tables: Tables) -> None:
    """A model that has all its vectors takes the place of the one in use."""
    known = list(numbers(tables).values())
    if len(known) < 2:
        return
    old, new = known[0], known[-1]
    line = tables.execute("SELECT 1 FROM unembedded WHERE model = ? LIMIT 1", (new,))
    if line.fetchone() is None:
        tables.drop_model(old)
        tables.execute("UPDATE vector_models SET in_use = true WHERE model = ?", (new,))


def numbers(tables: Tables) -> dict[str, int]:
    """The models whose vectors are kept, by name and width: the one in use first."""
    query = "SELECT name, model FROM vector_models ORDER BY in_use DESC, model"
    return dict(tables.execute(query).fetchall())


def models(tables: Tables) -> list[str]:
    """The models whose vectors are kept: the one in use, then one that will take its place."""
    return [name.rpartition("/")[0] for name in numbers(tables)]


def waiting(tables: Tables, model: str) -> int:
    """How many memories wait for this model's vectors; 0 as well where there is no room for any."""
    query = "SELECT count(*) FROM unembedded WHERE model = ?"
    [(count,)] = tables.execute(query, (in_line(tables, model),)).fetchall()
    return count


def in_line(tables: Tables, model: str | None) -> int | None:
    """The number of the model whose line is meant; the newest for None; None if there is none."""
    known = numbers(tables).items()
    named = [number for name, number in known if model in (None, name.rpartition("/")[0])]
    return named[-1] if named else None


def comparable(tables: Tables, vector: bytes, model: str | None) -> int | None:
    """The number of the model that a question's vector can be compared with, if any.

    Without a name that is the model in use, as far as the width is right.
    """
    known = numbers(tables)
    if model is None:
        name = next(iter(known), "")
        return known[name] if name.endswith(_name("", len(vector))) else None
    return known.get(_name(model, len(vector)))


def put(
    tables: Tables,
    vectors: Mapping[int, Sequence[bytes]],
    model: str,
    dimensions: int,
    *,
    complete: bool,
) -> bool:
    """Keep vectors of memories; False where the model has no room or the width is not right."""
    number = numbers(tables).get(_name(model, dimensions))
    if number is None or any(len(one) != dimensions for own in vectors.values() for one in own):
        return False
    tables.put_vectors(vectors, number, complete=complete)
    if complete:
        finish(tables)
    return True


def _name(model: str, dimensions: int) -> str:
    return f"{model}/{dimensions}"
