"""The knowledge graph over the notes: what is linked to what, and how far that leads.

Edges come from what people and agents wrote (wikilinks) and from what the book knows itself
(supersession, derivation); no model is asked.
"""

from __future__ import annotations

from ..errors import BadInput
from ..model import LIVE
from ..ports.searching import Where
from ..value import Value
from .catch_up import with_index
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..model import Memory
    from .engine import Engine

MOST_HOPS, MOST_MEMORIES = 4, 200


class Edge(Value):
    """A typed connection between two memories."""

    source: str
    target: str
    kind: str
    """links_to, supersedes or derived_from."""


class Graph(Value):
    """Memories around one another, nearest first, and the edges between them."""

    memories: tuple[Memory, ...]
    edges: tuple[Edge, ...]


class Reached(Value):
    """A memory found by following links: how far away, and from where."""

    hops: int
    origin: str


def graph(engine: Engine, ref: str, *, hops: int = 1) -> Graph:
    """The memories within so many steps of one, in either direction."""
    if not 0 < hops <= MOST_HOPS:
        raise BadInput(f"A graph reaches 1 to {MOST_HOPS} steps.", hint="Two are usually plenty.")
    start = get(engine, ref)
    return with_index(engine, lambda: _graph(engine, start, hops))


def follow_links(engine: Engine, ids: Collection[str], *, hops: int) -> Mapping[str, Reached]:
    """What links lead to from these memories, and what leads to them, nearest first."""
    reached: dict[str, Reached] = {}
    edge: dict[str, str] = {id: id for id in ids}
    for hop in range(1, hops + 1):
        following: dict[str, str] = {}
        for link in engine.index.links(list(edge), visible=engine.visible):
            for here, there in ((link.source, link.resolved), (link.resolved, link.source)):
                if here in edge and there and there not in ids and there not in reached:
                    following.setdefault(there, edge[here])
        edge = {id: following[id] for id in _live(engine, following)}
        reached |= {id: Reached(hop, origin) for id, origin in edge.items()}
        if not edge or len(reached) > MOST_MEMORIES:
            break
    return reached


def _live(engine: Engine, ids: Collection[str]) -> list[str]:
    """A forgotten memory leads nowhere."""
    if not ids:
        return []
    wanted = Where(ids=tuple(ids), statuses=LIVE)
    found = engine.index.select(wanted, visible=engine.visible, limit=MOST_MEMORIES)
    return [memory.id for memory in found]


def _graph(engine: Engine, start: Memory, hops: int) -> Graph:
    memories = {start.id: start}
    edges: dict[Edge, None] = {}
    fresh = [start.id]
    for _ in range(hops):
        found = _edges(engine, [memories[id] for id in fresh])
        edges |= dict.fromkeys(found)
        ends = {end for edge in found for end in (edge.source, edge.target)}
        wanted = Where(ids=tuple(sorted(ends - memories.keys())))
        near = engine.index.select(wanted, visible=engine.visible, limit=MOST_MEMORIES)
        memories |= {memory.id: memory for memory in near}
        fresh = [memory.id for memory in near]
        if not fresh or len(memories) >= MOST_MEMORIES:
            break
    kept = tuple(edge for edge in edges if {edge.source, edge.target} <= memories.keys())
    return Graph(tuple(memories.values()), kept)


def _edges(engine: Engine, memories: Collection[Memory]) -> list[Edge]:
    links = engine.index.links([memory.id for memory in memories], visible=engine.visible)
    found = [Edge(link.source, link.resolved, "links_to") for link in links if link.resolved]
    for memory in memories:
        found += [Edge(memory.id, origin, "derived_from") for origin in memory.derived_from]
        if memory.supersedes:
            found.append(Edge(memory.id, memory.supersedes, "supersedes"))
        for newer in engine.index.select(Where(supersedes=memory.id), visible=engine.visible):
            found.append(Edge(newer.id, memory.id, "supersedes"))
        made = Where(derived_from=memory.id, statuses=LIVE)
        for child in engine.index.select(made, visible=engine.visible):
            found.append(Edge(child.id, memory.id, "derived_from"))
    return [edge for edge in found if edge.source != edge.target]
