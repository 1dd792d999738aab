"""Ask the labelled prompts and count what is handed over."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.model.errors import Refused
from commonplace.settings import Settings

HERE = Path(__file__).parent
TUNING, HELD_OUT = (1, 2, 3), (4, 5, 6)
SOURCES = {"person": "person", "agent": "mcp"}


class Asked(NamedTuple):
    """A labelled prompt, and the memories handed over with it, by their references."""

    text: str
    wanted: frozenset[str]
    fine: frozenset[str]
    handed: tuple[str, ...]
    tokens: int


class Figures(NamedTuple):
    """How well the right memories were handed over."""

    prompts: int
    recall: float
    """Share of the wanted memories that were handed over."""
    precision: float
    """Share of what was handed over that was wanted or fine."""
    silence: float
    """Share of the prompts that want nothing with which no noise was handed over."""
    lines: float
    tokens: float


def ask_book(number: int, folder: Path, *, embedder: str = "bundled") -> list[Asked]:
    """Save one book's memories and ask its prompts, each at the time it was asked."""
    said = json.loads((HERE / f"book-{number}.json").read_text(encoding="utf-8"))
    chosen = Settings(state=str(folder / "state"), embedder=embedder)
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    with open_book(f"sqlite:{folder / 'book.db'}", settings=chosen, now=lambda: moment[0]) as book:
        refs = _save(book, said["memories"], moment)
        return [_ask(book, prompt, refs, moment) for prompt in said["prompts"]]


def figures(asked: Iterable[Asked]) -> Figures:
    """The figures over some prompts."""
    asked = list(asked)
    wanted = sum(len(one.wanted) for one in asked)
    found = sum(len(one.wanted & set(one.handed)) for one in asked)
    handed = sum(len(one.handed) for one in asked)
    good = sum(len((one.wanted | one.fine) & set(one.handed)) for one in asked)
    quiet = [one for one in asked if not one.wanted]
    return Figures(
        prompts=len(asked),
        recall=found / wanted,
        precision=good / handed if handed else 1.0,
        silence=sum(set(one.handed) <= one.fine for one in quiet) / len(quiet),
        lines=handed / len(asked),
        tokens=sum(one.tokens for one in asked) / len(asked),
    )


def _save(
    book: Commonplace, memories: list[dict[str, Any]], moment: list[datetime]
) -> dict[str, str]:
    refs: dict[str, str] = {}
    for one in sorted(memories, key=lambda one: one["created"]):
        moment[0] = _noon(one["created"])
        fields = {"kind": one["kind"], "scope": one["scope"]}
        if "key" in one:
            # As notes of their own: a fact's line would say the value alone.
            fields |= {"key": one["key"], "value": one["value"]}
        door = book.as_context({}, source=SOURCES[one["by"]])
        # A memory that the screening refuses is never handed over.
        with suppress(Refused):
            refs[door.save(one["text"], **fields).id] = one["ref"]
    return refs


def _ask(
    book: Commonplace, prompt: dict[str, Any], refs: dict[str, str], moment: list[datetime]
) -> Asked:
    moment[0] = _noon(prompt["asked"])
    context = {"project": prompt["project"]} if prompt["project"] else {}
    made = book.as_context(context, source="hook").prompt(prompt["text"])
    return Asked(
        prompt["text"],
        frozenset(prompt["wanted"]),
        frozenset(prompt["fine"]),
        tuple(refs[id] for id in made.ids),
        made.tokens,
    )


def _noon(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")
