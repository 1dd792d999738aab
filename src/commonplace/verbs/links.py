"""Wikilinks, the graph of memories, and renaming a memory.

Edges of the graph are wikilinks, supersession and derivation.
"""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import audited_refusals, commit
from ..engine.drafts import screen_fields
from ..engine.propose import require_or_propose
from ..engine.search import MOST_LINKED
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadInput, Conflict, Refused
from ..model.memory import LIVE
from ..model.results import Links
from ..model.value import Value
from ..notes import facts, wikilinks
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access, authority
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Link, Memory


MOST_HOPS = 4


class Edge(Value):
    """A typed connection between two memories."""

    source: str
    target: str
    kind: str
    """links_to, supersedes or derived_from."""


class Graph(Value):
    """Memories around one, nearest first, and the edges between them."""

    memories: tuple[Memory, ...]
    edges: tuple[Edge, ...]
    unconnected: tuple[Memory, ...] = ()
    """Memories that were looked at and have no edge."""


def graph(engine: Engine, ref: str, *, hops: int = 1) -> Graph:
    """The memories within so many steps of one, in either direction."""
    if not 0 < hops <= MOST_HOPS:
        raise BadInput(f"A graph reaches 1 to {MOST_HOPS} steps.", hint="Two are usually enough.")
    start = get(engine, ref)
    return with_index(engine, lambda: _graph(engine, [start], hops))


def newest_graph(engine: Engine, where: Where, *, limit: int) -> Graph:
    """The newest memories that meet the conditions, with their neighbours."""

    def drawn() -> Graph:
        starts = engine.index.select(where, visible=engine.visible, limit=limit)
        whole = _graph(engine, starts, 1)
        ends = {end for edge in whole.edges for end in (edge.source, edge.target)}
        connected = tuple(one for one in whole.memories if one.id in ends)
        alone = tuple(one for one in whole.memories if one.id not in ends)
        return Graph(connected, whole.edges, alone)

    return with_index(engine, drawn)


def _graph(engine: Engine, starts: Collection[Memory], hops: int) -> Graph:
    memories = {start.id: start for start in starts}
    edges: dict[Edge, None] = {}
    fresh = list(memories)
    for _ in range(hops):
        found = _edges(engine, [memories[id] for id in fresh])
        edges |= dict.fromkeys(found)
        ends = {end for edge in found for end in (edge.source, edge.target)}
        wanted = Where(ids=tuple(sorted(ends - memories.keys())))
        near = engine.index.select(wanted, visible=engine.visible, limit=MOST_LINKED)
        memories |= {memory.id: memory for memory in near}
        fresh = [memory.id for memory in near]
        if not fresh or len(memories) >= MOST_LINKED:
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


def links(engine: Engine, ref: str) -> Links:
    """The links out of a memory and into it."""
    memory = get(engine, ref)
    found = with_index(engine, lambda: engine.index.links([memory.id], visible=engine.visible))
    return Links(
        outgoing=tuple(link for link in found if link.source == memory.id),
        incoming=tuple(
            link for link in found if link.resolved == memory.id and link.source != memory.id
        ),
    )


def broken_links(engine: Engine) -> list[Link]:
    """Every link to a memory that does not exist."""
    found = with_index(engine, lambda: engine.index.links(None, visible=engine.visible))
    return [link for link in found if link.resolved is None]


def rename(engine: Engine, ref: str, name: str) -> Memory:
    """Give a memory a new name and rewrite the links that used the old one.

    `revert` gives the old name back, and rewrites the links again.
    """
    old = get(engine, ref)
    access.require_writable(engine.context, old.scope)
    with audited_refusals(engine):
        name = screen_fields(engine, {"name": name})["name"]
    slug = _free_name(engine, old, name)
    if slug == old.slug:
        return old
    require_or_propose(engine, "rename", old, fields={"name": slug})
    named = Put(old.but(slug=slug, updated=to_millisecond(engine.now())), expect=old)
    with engine.store.lease() as lease:
        first, *others = with_index(engine, lambda: with_links(engine, [named]))
        changes = ChangeSet()
        changes.put(first)
        changes.record("renamed", first.memory, before=_without_own_words(old))
        for put in others:
            changes.change("renamed", put.memory, before=put.expect, related=(old.id,))
        done = commit(engine, lease, changes)
    return done.first


def with_links(engine: Engine, puts: Sequence[Put]) -> list[Put]:
    """Records, and those of the notes whose links lead to a name that the records change.

    A note that is not the caller's to change keeps the old name in its links, and the renamed
    memory keeps it as an alias.
    """
    made = {put.memory.id: put for put in puts}
    for put in puts:
        old = put.expect
        if old is None or not old.slug or old.slug == put.memory.slug:
            continue
        linked = engine.index.links([old.id], visible=engine.visible)
        sources = {one.source for one in linked if one.resolved == old.id} - {old.id}
        for id, stored in engine.store.read(sources, visible=engine.visible).items():
            known = made.get(id) or Put(stored, expect=stored)
            changed = _relinked(known.memory, old.slug, put.memory.slug)
            if changed == known.memory:
                continue
            if _may_relink(engine, stored):
                made[id] = known.but(memory=changed.but(updated=to_millisecond(engine.now())))
            else:
                new = made[old.id].memory
                aliases = tuple(dict.fromkeys((*new.aliases, old.slug)))
                made[old.id] = made[old.id].but(memory=new.but(aliases=aliases))
    return list(made.values())


def _may_relink(engine: Engine, source: Memory) -> bool:
    at_once = authority.verdict(engine.source, source) == authority.AT_ONCE
    return at_once and access.may_write(engine.context, source.scope)


def _free_name(engine: Engine, memory: Memory, name: str) -> str:
    if facts.has_line_id(memory) and facts.fits_facts_file(memory):
        raise Refused(
            "A line of `facts.md` has no name but its key.",
            hint="Save the fact under another key, and forget this one.",
        )
    slug = identity.name_slug(name)
    if not slug:
        raise BadInput(
            f"{name[:80]!r} is not a valid name.", hint="Use letters, digits and hyphens."
        )
    taken = with_index(
        engine, lambda: engine.index.select(Where(name=slug), visible=engine.visible, limit=5)
    )
    if any(other.id != memory.id for other in taken):
        raise Conflict(f"Another memory is called {slug!r}.", hint="Choose another name.")
    return slug


def _relinked(source: Memory, old: str, new: str) -> Memory:
    value = source.value and wikilinks.rename_links(source.value, {old}, new)
    return source.but(content=wikilinks.rename_links(source.content, {old}, new), value=value)


def _without_own_words(memory: Memory) -> Memory:
    """The memory without a name made from its text, which the audit log must not hold."""
    words = memory.title or memory.key or memory.content[:300]
    own = memory.slug == identity.slug(words, memory.id)
    return memory.but(slug="") if own else memory
