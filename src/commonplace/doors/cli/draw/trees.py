"""What is connected with a memory, drawn as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from .. import legible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from ....model import Memory
    from ....verbs.graph import Edge, Graph

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
    return words.get(kind, legible.line(kind.replace("_", " ")))


def _label(words: str, memory: Memory) -> Text:
    return Text.assemble(
        (f"{words} " if words else "", "cyan"),
        (legible.line(memory.title) or legible.name(memory), "bold"),
        (f"  {legible.fit(legible.line(memory.content), _CHARACTERS)}", "dim"),
        (f"  {memory.status}" if memory.status != "active" else "", "yellow"),
    )
