"""Links between memories."""

from collections.abc import Iterable

from ...book import Commonplace
from ...errors import NotFound
from . import legible
from .call import Call
from .declare import Ref, command
from .declare import group as make_group
from .draw import lists

group = make_group("Follow and check links between memories.")


@command(group)
def show(call: Call, ref: Ref) -> None:
    """Show the links out of a memory and into it."""
    with call.book(ref) as book:
        found = book.links(ref)
        names = _names(book, (link.source for link in found.incoming))
        names |= _names(book, (link.resolved for link in found.outgoing))
        call.show(found, lambda console, links: lists.links(console, links, names))


@command(group)
def check(call: Call) -> None:
    """List links that lead nowhere."""
    with call.book() as book:
        found = book.broken_links()
        names = _names(book, (link.source for link in found))
        call.show(found, lambda console, links: lists.broken_links(console, links, names))


def _names(book: Commonplace, ids: Iterable[str | None]) -> dict[str, str]:
    names: dict[str, str] = {}
    for id in set(ids):
        try:
            names[id or ""] = legible.name(book.get(id or ""))
        except NotFound:
            continue  # Gone a moment ago; its id is shown instead.
    return names
