"""A node of a LangGraph graph remembers its users: its store is a book.

The model is scripted. In a graph, pass the store to `builder.compile(store=store)`; LangGraph
passes it to the nodes.

    python examples/adapters_langgraph.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import commonplace
from commonplace.doors.adapters.langgraph_store import BookStore

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore


def answer(question: str, *, user: str, store: BaseStore) -> str:
    """A node: it looks up what it knows about the user, and notes what it is told."""
    place = ("users", user)
    if question.startswith("Remember: "):
        store.put(place, f"note-{len(store.search(place))}", {"text": question[10:]})
        return "I will."
    known = store.search(place, query=question, limit=1)
    return known[0].value["text"] if known else "I do not know."


def main(arguments: list[str]) -> None:
    """Two users, one store, and the book behind it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        commonplace.open(
            arguments[0] if arguments else f"vault:{Path(folder) / 'book'}",
            context={"project": "helpdesk"},
        ) as book,
    ):
        store = BookStore(book, ttl={"default_ttl": 60 * 24 * 365})
        for user, question in (
            ("ada", "Remember: Ada's printer is on the third floor, next to the kitchen"),
            ("ada", "Remember: Ada is away on Fridays"),
            ("bob", "Where is the printer?"),
            ("ada", "Where is the printer?"),
        ):
            sys.stdout.write(f"{user}: {question}\n  {answer(question, user=user, store=store)}\n")
        sys.stdout.write(f"The book: {book.recall('printer')[0].memory.content}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
