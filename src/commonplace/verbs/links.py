"""Wikilinks between memories: what leads where, what leads nowhere, and renaming without loss."""

from __future__ import annotations

from ..errors import BadInput, Conflict, Refused
from ..ports.records import Put
from ..ports.searching import Where
from ..results import Links
from ..rules import identity, scoping
from ..rules.codec import to_millisecond
from ..rules.notes import facts, wikilinks
from .catch_up import with_index
from .commit import commit, event
from .find import get
from .screen import screened_fields

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
    """Give a memory a new name and rewrite the links that used the old one.

    `revert` gives the old name back; it does not rewrite the links a second time.
    """
    old = get(engine, ref)
    scoping.require_writable(engine.context, old.scope)
    slug = _free_name(engine, old, screened_fields(engine, {"name": name})["name"])
    if slug == old.slug:
        return old
    incoming = links(engine, old.id).incoming
    now = to_millisecond(engine.now())
    new = old.but(slug=slug, updated=now)
    with engine.store.lease() as lease:
        puts = [Put(new, expect=old)]
        events = [event(engine, "renamed", new, before=_without_own_words(old))]
        sources = {link.source for link in incoming} - {old.id}
        for source in engine.store.read(sources, visible=engine.visible).values():
            changed = _relinked(source, old.slug, slug)
            if changed != source and scoping.may_write(engine.context, source.scope):
                puts.append(Put(changed.but(updated=now), expect=source))
                events.append(
                    event(engine, "renamed", puts[-1].memory, before=source, related=(old.id,))
                )
        done = commit(engine, lease, puts, events)
    return done.stored[0].memory


def _free_name(engine: Engine, memory: Memory, name: str) -> str:
    if facts.has_line_id(memory) and facts.fits_a_line(memory):
        raise Refused(
            "A line of `facts.md` has no name but its key.",
            hint="Save the fact under another key, and forget this one.",
        )
    slug = identity.name_slug(name)
    if not slug:
        raise BadInput(f"{name[:80]!r} cannot be a name.", hint="Use letters, digits and hyphens.")
    taken = with_index(
        engine, lambda: engine.index.select(Where(name=slug), visible=engine.visible, limit=5)
    )
    if any(other.id != memory.id for other in taken):
        raise Conflict(f"Another memory is called {slug!r}.", hint="Choose another name.")
    return slug


def _relinked(source: Memory, old: str, new: str) -> Memory:
    value = source.value and wikilinks.rewrite(source.value, {old}, new)
    return source.but(content=wikilinks.rewrite(source.content, {old}, new), value=value)


def _without_own_words(memory: Memory) -> Memory:
    """A name made of the memory's text is not told to the audit log; undo makes it again."""
    words = memory.title or memory.key or memory.content[:300]
    own = memory.slug == identity.slug(words, memory.id)
    return memory.but(slug="") if own else memory
