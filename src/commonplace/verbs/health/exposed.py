"""Credentials that came into the book past its gates: by an editor, or with a copied folder."""

from __future__ import annotations

from ...model import Problem
from ...rules.screening import screen
from ...rules.screening.finding import CREDENTIAL
from ...rules.sealing import is_sealed
from ...scope import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory
    from ..engine import Engine


def exposed(engine: Engine) -> list[Problem]:
    """Where credentials are and of what kind, and never which."""
    problems: list[Problem] = []
    for changes in engine.store.changes(0, visible=EVERYTHING, look=False):
        for document in changes.documents:
            labels = dict.fromkeys(
                label for memory in document.memories for label in _credentials(memory)
            )
            if labels:
                problems.append(_problem(document.locator, list(labels)))
    return problems


def _credentials(memory: Memory) -> list[str]:
    texts = [memory.title, *memory.aliases, *memory.tags]
    if not is_sealed(memory):
        texts += [memory.content, memory.value or ""]
    return [one.label for text in texts if text for one in screen(text) if one.kind == CREDENTIAL]


def _problem(where: str, labels: list[str]) -> Problem:
    return Problem(
        where,
        f"holds a credential in plain text ({', '.join(labels)})",
        "Take it out by hand and change it where it is used; `save --seal` keeps one encrypted.",
    )
