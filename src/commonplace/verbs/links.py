"""Wikilinks between memories: what leads where, what leads nowhere, and renaming without loss."""

from __future__ import annotations

from ..errors import BadInput, Conflict
from ..model import Links
from ..ports import Put, Where
from ..rules import identity, scoping, wikilinks
from ..rules.codec import to_millisecond
from .catch_up import with_index
from .commit import commit, event
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Link, Memory
    from .engine import Engine


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
    """Every link that leads nowhere."""
    found = with_index(engine, lambda: engine.index.links(None, visible=engine.visible))
    return [link for link in found if link.resolved is None]


def rename(engine: Engine, ref: str, name: str) -> Memory:
    """Give a memory a new name and rewrite the links that used the old one."""
    old = get(engine, ref)
    scoping.require_writable(engine.context, old.scope)
    slug = identity.name_slug(name)
    if not slug:
        raise BadInput(f"{name!r} cannot be a name.", hint="Use letters, digits and hyphens.")
    taken = with_index(
        engine, lambda: engine.index.select(Where(name=slug), visible=engine.visible, limit=5)
    )
    if any(memory.id != old.id for memory in taken):
        raise Conflict(f"Another memory is called {slug!r}.", hint="Choose another name.")
    incoming = links(engine, old.id).incoming
    now = to_millisecond(engine.now())
    new = old.but(slug=slug, updated=now)
    with engine.store.lease() as lease:
        puts = [Put(new, expect=old)]
        sources = {link.source for link in incoming}
        for source in engine.store.read(sources, visible=engine.visible).values():
            text = wikilinks.rewrite(source.content, {old.slug}, slug)
            if text != source.content and scoping.may_write(engine.context, source.scope):
                puts.append(Put(source.but(content=text, updated=now), expect=source))
        events = [event(engine, "renamed", put.memory, before=put.expect) for put in puts]
        done = commit(engine, lease, puts, events)
    return done.stored[0].memory
