"""Commands that find and show memories."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Unpack

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from ...model.conditions import Conditions, Order
from ...model.memory import Memory, Use
from ...model.results import MemoryMarks, Overview
from ...notes.display import own_time, qualified_text
from ...rules.branches import left_out
from ...verbs.links import Edge, Graph
from .. import plain_words
from ..plain_data import marked
from . import fast_recall, text_format
from .call import Call, console
from .declare import (
    FIND,
    FilterOptions,
    FromBranch,
    Limit,
    ListFilterOptions,
    Ref,
    command,
)
from .declare import group as make_group
from .render import (
    FIRST_SAVE,
    above,
    aside,
    disputed,
    marks_line,
    pairs,
    say,
    shorten,
    suggest,
    table,
)

SHORT_LINES = 20
SHORT_CHARACTERS = 2_000
_OUTGOING = {"links_to": "links to", "supersedes": "replaces", "derived_from": "is derived from"}
_INCOMING = {
    "links_to": "is linked from",
    "supersedes": "is replaced by",
    "derived_from": "led to",
}
_LABEL_CHARACTERS = 100
group = make_group()


@command(group, panel=FIND)
def recall(
    call: Call,
    words: Annotated[
        list[str], typer.Argument(metavar="QUESTION...", help="A question in your own words.")
    ],
    *,
    limit: Limit = 10,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            help="Answer as the book was on that date or at that time.",
            show_default=False,
        ),
    ] = None,
    expand: Annotated[
        int,
        typer.Option("--expand", help="Show this many turns around a hit of a conversation."),
    ] = 0,
    why: Annotated[bool, typer.Option("--why", help="Explain each hit.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show hits that fit the question badly, too.")
    ] = False,
    **filters: Unpack[FilterOptions],
) -> None:
    """Find the memories that answer a question, best first."""
    question = fast_recall.RecallCommand(
        " ".join(words), call.shared, limit, Conditions(**filters), why, call.json, as_of, expand,
        every,
    )  # fmt: skip
    fast_recall.answer(question, call.environ)


@command(group, panel=FIND)
def get(
    call: Call,
    ref: Ref,
    full: Annotated[bool, typer.Option("--full", help="Show the whole text.")] = False,
    branch: FromBranch = None,
) -> None:
    """Show a memory with its metadata."""
    with call.book(ref) as book:
        memory = book.get(ref, branch=branch)
        use = book.uses([memory.id]).get(memory.id)
        marks = book.marks([memory])
    own = marks.get(memory.id)
    call.show(
        marked(memory, marks),
        lambda console, _: render_memory(console, memory, full=full, use=use, marks=own),
    )


def render_memory(
    console: Console,
    memory: Memory,
    *,
    full: bool,
    use: Use | None,
    marks: MemoryMarks | None = None,
) -> None:
    """The text of a memory, then its metadata."""
    say(console, memory.title or text_format.name(memory), "bold")
    text = text_format.clean(memory.content)
    shown = text if full else _shortened(text_format.clean(memory.summary) or text)
    say(console, f"\n{shown}\n")
    if len(shown) < len(text):
        what = "A summary; the text has" if memory.summary else "There are"
        aside(console, f"{what} {len(text) - len(shown):,} more characters: add --full.\n")
    pairs(console, list(_metadata(memory, use)))
    if marks and marks.warning:
        say(console, f"\nIt was {text_format.line(marks.warning)}.", "yellow")
    if marks and marks.stale:
        say(console, f"\nCompared with the files: {text_format.line(marks.stale)}.", "yellow")
    if marks and marks.disputed_with:
        say(console, f"\nIt is {disputed(marks)}: see `commonplace inbox`.", "yellow")


def _shortened(text: str) -> str:
    return "\n".join(text.split("\n")[:SHORT_LINES])[:SHORT_CHARACTERS]


def _metadata(memory: Memory, use: Use | None) -> Iterator[tuple[str, str]]:
    now = datetime.now(UTC)
    yield "name", text_format.name(memory)
    yield "id", memory.id
    yield "scope", str(memory.scope)
    yield "kind", f"{memory.kind}, {memory.sensitivity}"
    yield "loaded", plain_words.loaded(memory)
    yield "status", f"{plain_words.status(memory.status)}, version {memory.version}"
    yield "owner", plain_words.owner(memory.owner, memory.trust)
    yield "trust", f"{memory.trust}, {plain_words.by_door(memory.source)}"
    yield "confidence", f"{memory.confidence:.2f}"
    if memory.importance is not None:
        yield "importance", f"{memory.importance:.2f}"
    for label, value in (
        ("key", memory.key),
        ("value", memory.value),
        ("namespace", memory.namespace),
        ("topic", memory.topic),
        ("tags", ", ".join(memory.tags)),
        ("aliases", ", ".join(memory.aliases)),
        ("replaces", memory.supersedes),
        ("replaced by", memory.superseded_by),
        ("derived from", ", ".join(memory.derived_from)),
        ("branch", memory.branch),
        ("commit", memory.commit),
        ("speaks of", ", ".join(one.partition(" @")[0] for one in memory.anchors)),
    ):
        if value:
            yield label, value
    yield "created", f"{text_format.clock(memory.created)} ({text_format.ago(memory.created, now)})"
    yield "changed", f"{text_format.clock(memory.updated)} ({text_format.ago(memory.updated, now)})"
    if use is not None and use.count:
        last = f", last {text_format.ago(use.last, now)}" if use.last else ""
        yield "recalled", f"{use.count} time{'s' if use.count > 1 else ''}{last}"


@command(group, "list", panel=FIND)
def list_memories(
    call: Call,
    *,
    limit: Limit = 50,
    offset: Annotated[int, typer.Option(help="Skip the first N.", metavar="N")] = 0,
    order: Annotated[Order, typer.Option(help="Sort order.")] = "newest",
    **filters: Unpack[ListFilterOptions],
) -> None:
    """List memories."""
    with call.book() as book:
        found = book.list(limit=limit, offset=offset, order=order, **filters)
        full = len(found) == limit and not call.json
        more = full and book.list(limit=1, offset=offset + limit, order=order, **filters)
        total = 0 if found or call.json else book.status().memories
        marks = book.marks(found)
    used = {
        "kind": filters.get("kinds"), "scope": filters.get("scope"),
        "status": filters.get("statuses"), "owner": filters.get("owners"),
        "topic": filters.get("topic"), "tag": filters.get("tags"), "since": filters.get("since"),
        "until": filters.get("until"), "sensitivity": filters.get("sensitivities"),
        "branch": filters.get("branch"), "offset": offset,
    }  # fmt: skip
    no_match = text_format.empty_result(used, total, "memory", "memories")
    call.show(
        marked(found, marks), lambda console, _: render_memories(console, found, no_match, marks)
    )
    if more:
        aside(console(), f"There are more: --offset {offset + limit}, or a larger --limit.")


@command(group, panel=FIND)
def overview(call: Call, *, limit: Limit = 10, **filters: Unpack[FilterOptions]) -> None:
    """Show what a scope holds: counts by kind, scope and topic, and the newest memories."""
    with call.book() as book:
        found = book.overview(limit=limit, **filters)
        marks = book.marks(found.newest)
    call.show(marked(found, marks), lambda console, _: render_overview(console, found, marks))


def render_overview(console: Console, found: Overview, marks: Mapping[str, MemoryMarks]) -> None:
    """The counts, then the newest memories, and which branches have others."""
    by = {"by kind": found.by_kind, "by scope": found.by_scope, "by topic": found.by_topic}
    shown = [(label, text_format.counts(counts)) for label, counts in by.items() if counts]
    pairs(console, [("memories", f"{found.memories:,}"), *shown])
    render_memories(console, found.newest, "Nothing is there with these filters.", marks)
    if found.branches:
        names = [text_format.line(one) for one in found.branches]
        aside(console, f"{left_out(names)} Add --branch {names[0]}.")


def render_memories(
    console: Console,
    found: Sequence[Memory],
    no_match: str,
    marks: Mapping[str, MemoryMarks],
) -> None:
    """One row for each memory; `no_match` is printed if filters match none."""
    if not found:
        suggest(console, FIRST_SAVE, no_match)
        return
    now = datetime.now(UTC)
    with_status = any(memory.status != "active" for memory in found)
    rows = (
        (
            above(shorten(qualified_text(memory)), text_format.name(memory)),
            memory.kind,
            text_format.line(str(memory.scope)),
            text_format.ago(own_time(memory), now),
            *((plain_words.status(memory.status),) if with_status else ()),
            *((marks_line(marks.get(memory.id)),) if marks else ()),
        )
        for memory in found
    )
    text = "Memory and its name"
    more = (("Status", with_status), ("Marks", marks))
    headers = (text, "Kind", "Scope", "Changed", *(name for name, shown in more if shown))
    table(console, headers, rows, prose=(text,))


@command(group, panel=FIND)
def graph(
    call: Call,
    ref: Ref,
    hops: Annotated[int, typer.Option(help="How many links away, up to 4.")] = 1,
) -> None:
    """Show memories connected to one: linked to it, replaced by it or made from it."""
    with call.book(ref) as book:
        call.show(book.graph(ref, hops=hops), render_graph)


def render_graph(console: Console, found: Graph) -> None:
    """A tree with the memory at its root; each other memory appears once, on its shortest path."""
    if len(found.memories) == 1:
        say(console, "Nothing is connected to it. Write [[its name]] into another memory.")
        return
    known = {memory.id: memory for memory in found.memories}
    root = found.memories[0]
    tree = Tree(_label("", root), guide_style="dim")
    level = {root.id: tree}
    drawn = {root.id}
    while level:
        next_level: dict[str, Tree] = {}
        for edge in found.edges:
            for here, there, words in _both_ways(edge):
                if here in level and there not in drawn and there in known:
                    drawn.add(there)
                    next_level[there] = level[here].add(_label(words, known[there]))
        level = next_level
    console.print(tree)


def _both_ways(edge: Edge) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return (
        (edge.source, edge.target, _edge_words(_OUTGOING, edge.kind)),
        (edge.target, edge.source, _edge_words(_INCOMING, edge.kind)),
    )


def _edge_words(words: Mapping[str, str], kind: str) -> str:
    return words.get(kind, text_format.line(kind.replace("_", " ")))


def _label(words: str, memory: Memory) -> Text:
    return Text.assemble(
        (f"{words} " if words else "", "cyan"),
        (text_format.line(memory.title) or text_format.name(memory), "bold"),
        (f"  {text_format.fit(text_format.line(memory.content), _LABEL_CHARACTERS)}", "dim"),
        (f"  {plain_words.status(memory.status)}" if memory.status != "active" else "", "yellow"),
    )
