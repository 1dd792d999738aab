"""What a caller may see and asks for, as conditions of Milvus."""

from __future__ import annotations

from ...notes import wikilinks
from ..sql.index import rows
from . import schema
from .described import fit, optional, org_of
from .schema import literal, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model.scope import Visible
    from ...ports.search_index import Where
    from .database import MilvusDatabase

NONE = "revision < 0"
"""Holds for no row."""
_LISTS = (
    ("ids", "id"), ("kinds", "kind"), ("statuses", "status"), ("tiers", "tier"),
    ("owners", "owner"), ("sensitivities", "sensitivity"), ("trusts", "trust"),
    ("content_hashes", "content_hash"), ("scopes", "scope"),
)  # fmt: skip
_EXACT = ("key", "namespace", "episode", "supersedes", "superseded_by", "imported_id")


def both(*conditions: str) -> str:
    """Holds where all of them hold."""
    return " and ".join(f"({one})" for one in conditions if one)


def seen(visible: Visible) -> str:
    """Holds for visible rows; nothing at all where everything is.

    The org comes first, because it says which partitions need not be read.
    """
    if visible.everything:
        return ""
    if not visible.scopes and not visible.task_parents:
        return NONE
    orgs = one_of("org", sorted({org_of(path) for path in visible.scopes | visible.task_parents}))
    own = one_of("scope", sorted(visible.scopes)) if visible.scopes else ""
    tasks = one_of("parent", sorted(visible.task_parents)) if visible.task_parents else ""
    return both(orgs, " or ".join(one for one in (own, tasks) if one))


def on_topic(where: Where, *, any_topic: bool) -> str:
    """Holds for memories of the topics asked for.

    With `any_topic` a memory without a topic belongs to every topic.
    """
    if where.topics is None:
        return ""
    topics = [optional(rows.folded(topic)) for topic in where.topics]
    return one_of("topic", [*topics, ""] if any_topic else topics) if topics or any_topic else NONE


def condition(db: MilvusDatabase, where: Where, *, any_topic: bool = False) -> str:
    """Holds for memories that meet every condition that is set."""
    return both(
        *_lists(where),
        *_values(where),
        *_labels(where),
        *_times(where),
        on_topic(where, any_topic=any_topic),
        "" if where.name is None else named(db, where.name),
    )


def named(db: MilvusDatabase, name: str) -> str:
    """Holds for memories that a link could call so: by a name, or by the end of a path."""
    name = fit(wikilinks.normalized(name))
    bearers = f"array_contains(names, {literal(name)})"
    if "/" not in name:
        return bearers
    last = fit(wikilinks.last_part(name))
    near = db.query("memories", f"array_contains(names, {literal(last)})", ["row", "names"])
    paths = [row["row"] for row in near if any(one.endswith(f"/{name}") for one in row["names"])]
    return f"{bearers} or {one_of('row', paths)}" if paths else bearers


def _lists(where: Where) -> Iterable[str]:
    for field, column in _LISTS:
        if (wanted := getattr(where, field)) is not None:
            yield one_of(column, map(fit, wanted)) if wanted else NONE
    if where.episodes is not None:
        yield one_of("episode", map(optional, where.episodes)) if where.episodes else NONE


def _values(where: Where) -> Iterable[str]:
    for field in _EXACT:
        if (wanted := getattr(where, field)) is not None:
            yield f"{field} == {literal(optional(wanted))}"
    if where.in_conversation is not None:
        yield f'episode {"!=" if where.in_conversation else "=="} ""'
    if where.superseding is not None:
        yield f'supersedes {"!=" if where.superseding else "=="} ""'
    if where.position_from is not None:
        yield f"position >= {max(where.position_from, schema.NO_POSITION + 1)}"
    if where.position_until is not None:
        yield f"position <= {where.position_until} and position > {schema.NO_POSITION}"
    if where.always_load is not None:
        yield f"always_load == {literal(where.always_load)}"


def _labels(where: Where) -> Iterable[str]:
    for tag in where.tags or ():
        yield f"array_contains(tags, {literal(fit(rows.folded(tag) or ''))})"
    if where.derived_from is not None:
        yield f"array_contains(origins, {literal(fit(where.derived_from))})"


def _times(where: Where) -> Iterable[str]:
    if where.created_from is not None:
        yield f"created >= {where.created_from.timestamp()!r}"
    if where.created_until is not None:
        yield f"created < {where.created_until.timestamp()!r}"
    if where.valid_at is not None:
        at = where.valid_at.timestamp()
        yield f"valid_from <= {at!r} and valid_until > {at!r} and expires > {at!r}"
