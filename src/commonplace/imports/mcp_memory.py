"""The reference memory server of MCP: entities with observations, and relations between them.

An entity becomes one memory that is called like it, so that the links of others lead there.
"""

from __future__ import annotations

from ..model import Draft
from ..results import LeftOut
from .fields import labels, listed, mapping, one_line, words
from .streaming import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .parcel import Parcel


def fits(first: Any) -> bool:
    """Whether a file that begins so is one of that server's."""
    return mapping(first).get("type") in ("entity", "relation")


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """Entities with what they are related to; damaged lines are left out, as the server does."""
    related = _relations(parcel, name)
    known: set[str] = set()
    for one in lines(parcel, name):
        entity = mapping(one)
        if not entity:
            yield LeftOut("A line that is no JSON.")
        elif entity.get("type") == "entity":
            called = one_line(entity.get("name") or entity.get("entityName") or entity.get("id"))
            if called is None:
                yield LeftOut("An entity without a name.")
                continue
            known.add(called)
            yield _draft(called, entity, related.get(called, []))
    for called in related.keys() - known:
        yield _draft(called, {}, related[called])


def _draft(called: str, entity: dict[str, Any], related: list[str]) -> Draft:
    kind = one_line(entity.get("entityType"))
    said = [f"{called} ({kind})" if kind else called]
    said += [f"- {text}" for one in listed(entity.get("observations")) if (text := words(one))]
    return Draft(
        "\n".join([*said, *related]),
        title=called,
        tags=labels(kind),
        imported_id=one_line(f"entity:{called}"),
    )


def _relations(parcel: Parcel, name: str) -> dict[str, list[str]]:
    """Lines that say what each entity is related to, with links."""
    found: dict[str, list[str]] = {}
    for one in lines(parcel, name):
        said = mapping(one)
        if said.get("type") != "relation":
            continue
        origin = one_line(said.get("from") or said.get("from_id"))
        target = one_line(said.get("to") or said.get("to_id"))
        how = one_line(said.get("relationType") or said.get("relation_type")) or "is related to"
        if origin and target:
            line = f"- {how.replace('_', ' ')} [[{_linkable(target)}]]"
            found.setdefault(origin, []).append(line)
    return {origin: list(dict.fromkeys(links)) for origin, links in found.items()}


def _linkable(name: str) -> str:
    return "".join(" " if c in "[]|#^" else c for c in name).strip()
