"""Commands that look something up."""

from typing import Annotated, Literal

import typer

from ...book import Commonplace
from ...model.memory import LIVE
from . import fast_recall, pages, tables
from .call import Call
from .declare import (
    IncludeArchive,
    IncludeInbox,
    Limit,
    OnlyKinds,
    OnlyOwners,
    OnlyScope,
    OnlyStatuses,
    OnlyTags,
    OnlyTopic,
    Ref,
    command,
)
from .declare import group as make_group
from .text_format import unlike

PANEL = "Find"
group = make_group()


@command(group, panel=PANEL)
def recall(
    call: Call,
    words: Annotated[list[str], typer.Argument(metavar="QUESTION...", help="In your own words.")],
    *,
    limit: Limit = 10,
    kind: OnlyKinds = None,
    scope: OnlyScope = None,
    topic: OnlyTopic = None,
    tag: OnlyTags = None,
    include_archive: IncludeArchive = False,
    include_inbox: IncludeInbox = False,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            help="What the book would have said on that day, or at that moment.",
            show_default=False,
        ),
    ] = None,
    expand: Annotated[
        int,
        typer.Option("--expand", help="Show so many turns of the conversation around each hit."),
    ] = 0,
    why: Annotated[bool, typer.Option("--why", help="Say why each one is here.")] = False,
) -> None:
    """Find the memories that answer a question, best first."""
    question = fast_recall.RecallCommand(
        " ".join(words), call.shared, limit, tuple(kind) if kind else None, scope, topic,
        tuple(tag) if tag else None, include_archive, include_inbox, why, call.json,
        as_of, expand,
    )  # fmt: skip
    fast_recall.answer(question, call.environ)


@command(group, panel=PANEL)
def get(
    call: Call,
    ref: Ref,
    full: Annotated[bool, typer.Option("--full", help="The whole text, however long.")] = False,
) -> None:
    """Show one memory and everything known about it."""
    with call.book(ref) as book:
        memory = book.get(ref)
        use = book.uses([memory.id]).get(memory.id)
        call.show(memory, lambda console, one: pages.memory(console, one, full=full, use=use))


@command(group, "list", panel=PANEL)
def list_memories(
    call: Call,
    *,
    kind: OnlyKinds = None,
    scope: OnlyScope = None,
    status: OnlyStatuses = None,
    owner: OnlyOwners = None,
    topic: OnlyTopic = None,
    tag: OnlyTags = None,
    limit: Limit = 50,
    offset: Annotated[int, typer.Option(help="Skip this many.")] = 0,
    order: Annotated[
        Literal["newest", "oldest", "updated", "name"], typer.Option(help="What comes first.")
    ] = "newest",
    archive: IncludeArchive = False,
    inbox: IncludeInbox = False,
) -> None:
    """List memories, a page at a time."""
    with call.book() as book:
        found = book.list(
            kinds=kind, scope=scope, statuses=status, owners=owner, topic=topic, tags=tag,
            limit=limit, offset=offset, order=order, include_archive=archive, include_inbox=inbox,
        )  # fmt: skip
        asked = {
            "kind": kind, "scope": scope, "status": status, "owner": owner, "topic": topic,
            "tag": tag, "offset": offset,
        }  # fmt: skip
        held = 0 if found or call.json else _held(book)
    empty = unlike(asked, held, "memory", "memories")
    call.show(found, lambda out, several: tables.memories(out, several, empty))


def _held(book: Commonplace) -> int:
    return sum(count for status, count in book.status().by_status if status in LIVE)


@command(group, panel=PANEL)
def graph(
    call: Call,
    ref: Ref,
    hops: Annotated[int, typer.Option(help="How many steps far, up to 4.")] = 1,
) -> None:
    """Show what is connected with a memory: by links, supersession and derivation."""
    with call.book(ref) as book:
        call.show(book.graph(ref, hops=hops), pages.graph)
