"""One thing in full: a memory, its history, the book."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from . import text_format
from .tables import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from rich.console import Console

    from ...model.memory import Memory, Use
    from ...model.results import Status
    from ...verbs.history import History
    from ...verbs.links import Edge, Graph


SHORT_LINES = 20
SHORT_CHARACTERS = 2_000


def memory(console: Console, one: Memory, *, full: bool, use: Use | None) -> None:
    """The text of a memory, then everything known about it."""
    console.print(Text(text_format.clean(one.title or text_format.name(one)), style="bold"))
    text = text_format.clean(one.content)
    shown = text if full else _shortened(text_format.clean(one.summary) or text)
    console.print(Text(f"\n{shown}\n"), soft_wrap=True)
    if len(shown) < len(text):
        what = "A summary; the text has" if one.summary else "There are"
        left = f"{what} {len(text) - len(shown):,} more characters: add --full.\n"
        console.print(Text(left, style="dim"))
    _pairs(console, list(_known(one, use)))


def fact(console: Console, one: Memory) -> None:
    """The value alone, so that a script can use it as it is."""
    console.print(Text(text_format.clean(one.value or one.content)), soft_wrap=True)


def history(console: Console, past: History) -> None:
    """Each version against the one before it, then every change with its id."""
    now = datetime.now(UTC)
    before = ""
    recorded = {one.memory for one in past.events}
    for version in past.versions:
        heading = f"version {version.version} · {version.status} · {version.source}"
        console.print(
            Text.assemble(
                (heading, "bold"),
                (f" · {text_format.ago(version.created, now)}  ", ""),
                (version.id, "dim"),
                (_by_hand(version, past, recorded), "yellow"),
            ),
            soft_wrap=True,
        )
        for text, style in _difference(before, version.content):
            console.print(Text(f"  {text}", style=style), soft_wrap=True)
        before = version.content
    if past.events:
        events(console, past.events)
        console.print(Text("Undo any of these: commonplace revert CHANGE", style="dim"))
    else:
        console.print(Text("No change of it is on record, so there is none to undo.", style="dim"))


def _by_hand(version: Memory, past: History, recorded: Collection[str]) -> str:
    if version.id not in past.by_hand:
        return ""
    return "  edited by hand since" if version.id in recorded else "  written by hand"


def status(console: Console, book: Status) -> None:
    """Where the book is and what it holds."""
    _pairs(
        console,
        [
            ("book", book.url),
            ("id", book.store_id),
            ("memories", f"{book.memories:,}"),
            *(
                (label, _counts(counts))
                for label, counts in (
                    ("by status", book.by_status),
                    ("by kind", book.by_kind),
                    ("by scope", book.by_scope),
                )
                if counts
            ),
            ("index", book.index),
            ("embedder", book.embedder),
            ("sessions", book.sessions),
            ("reasoner", book.reasoner),
            *((("tokens", book.tokens),) if book.tokens else ()),
            ("on this device", book.state),
            ("can do", ", ".join(book.capabilities)),
        ],
    )
    if not book.memories:
        console.print(Text('Nothing here yet. Try: commonplace save "…"', style="dim"))


def _known(one: Memory, use: Use | None) -> Iterator[tuple[str, str]]:
    now = datetime.now(UTC)
    yield "name", text_format.name(one)
    yield "id", one.id
    yield "scope", str(one.scope)
    yield "kind", f"{one.kind}, {one.tier} tier, {one.sensitivity}"
    yield "status", f"{one.status}, version {one.version}"
    yield "owner", f"{one.owner}, through {one.source}, trusted as {one.trust}"
    yield "confidence", f"{one.confidence:.2f}"
    for label, value in (
        ("key", one.key),
        ("value", one.value),
        ("namespace", one.namespace),
        ("topic", one.topic),
        ("tags", ", ".join(one.tags)),
        ("aliases", ", ".join(one.aliases)),
        ("replaces", one.supersedes),
        ("replaced by", one.superseded_by),
        ("derived from", ", ".join(one.derived_from)),
    ):
        if value:
            yield label, value
    yield "created", f"{text_format.clock(one.created)} ({text_format.ago(one.created, now)})"
    yield "changed", f"{text_format.clock(one.updated)} ({text_format.ago(one.updated, now)})"
    if use is not None and use.count:
        last = f", last {text_format.ago(use.last, now)}" if use.last else ""
        yield "recalled", f"{use.count} time{'s' if use.count > 1 else ''}{last}"


def _shortened(text: str) -> str:
    return "\n".join(text.split("\n")[:SHORT_LINES])[:SHORT_CHARACTERS]


def _difference(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Lines that went in red, lines that came in green."""
    old, new = text_format.clean(before).splitlines(), text_format.clean(after).splitlines()
    for text in difflib.unified_diff(old, new, lineterm="", n=1):
        if text.startswith(("---", "+++", "@@")):
            continue
        yield text, {"-": "red", "+": "green"}.get(text[0], "dim")


def _counts(counts: Sequence[tuple[str, int]], most: int = 12) -> str:
    told = [f"{name} {count:,}" for name, count in counts[:most]]
    return ", ".join(told + ([f"and {len(counts) - most} more"] if len(counts) > most else []))


def _pairs(console: Console, pairs: Sequence[tuple[str, str]]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in pairs:
        table.add_row(label, Text(text_format.line(value)))
    console.print(table)


# What is connected with a memory, drawn as a tree.


_OUT = {"links_to": "links to", "supersedes": "supersedes", "derived_from": "is derived from"}
_IN = {
    "links_to": "is linked from",
    "supersedes": "is superseded by",
    "derived_from": "led to",
}
_CHARACTERS = 100


def graph(console: Console, found: Graph) -> None:
    """The memory at the root, and each of the others once, as near to it as it is."""
    if len(found.memories) == 1:
        console.print("Nothing is connected with it. Write [[its name]] into another memory.")
        return
    known = {memory.id: memory for memory in found.memories}
    root = found.memories[0]
    tree = Tree(_label("", root), guide_style="dim")
    fresh = {root.id: tree}
    drawn = {root.id}
    while fresh:
        following: dict[str, Tree] = {}
        for edge in found.edges:
            for here, there, words in _ways(edge):
                if here in fresh and there not in drawn and there in known:
                    drawn.add(there)
                    following[there] = fresh[here].add(_label(words, known[there]))
        fresh = following
    console.print(tree)


def _ways(edge: Edge) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return (
        (edge.source, edge.target, _worded(_OUT, edge.kind)),
        (edge.target, edge.source, _worded(_IN, edge.kind)),
    )


def _worded(words: Mapping[str, str], kind: str) -> str:
    return words.get(kind, text_format.line(kind.replace("_", " ")))


def _label(words: str, memory: Memory) -> Text:
    return Text.assemble(
        (f"{words} " if words else "", "cyan"),
        (text_format.line(memory.title) or text_format.name(memory), "bold"),
        (f"  {text_format.fit(text_format.line(memory.content), _CHARACTERS)}", "dim"),
        (f"  {memory.status}" if memory.status != "active" else "", "yellow"),
    )
