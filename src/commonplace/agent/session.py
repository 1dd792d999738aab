"""One conversation as its host sees it: what was said, and what is kept of it at the end."""

from __future__ import annotations

from ..errors import Conflict
from ..ports import Entry
from ..rules import framing
from ..rules.sessions import id_of, name_of, prefix_of
from . import gapfill, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports import Turn
    from ..verbs.engine import Engine
    from .gapfill import Filled


class Session:
    """A conversation's own memory; it ends an hour after its last use, or when told to."""

    def __init__(self, engine: Engine, id: str) -> None:
        self.id = id
        self._engine = engine
        self._name = name_of(engine.context.scope, id)

    def add(
        self, text: str, *, role: str = "observation", importance: float = 0.5, id: str = ""
    ) -> Entry:
        """Note something; with the id of an earlier entry it takes that one's place."""
        now = self._engine.now()
        content = framing.without_echo(text) if role == "user" else text
        entry = Entry(id or self._engine.id(), content, now, role, importance)
        self._engine.sessions.append(self._name, [entry], now=now)
        return entry

    def entries(self, *, limit: int | None = None) -> list[Entry]:
        """What it holds, oldest first."""
        return self._engine.sessions.entries(self._name, now=self._engine.now(), limit=limit)

    def search(self, query: str, *, limit: int = 10) -> list[Entry]:
        """What fits a question, best first."""
        return self._engine.sessions.search(self._name, query, now=self._engine.now(), limit=limit)

    def end(self, turns: Sequence[Turn] | None = None) -> Filled:
        """Save what the agent failed to save, file a summary, and let go of everything.

        `turns` is the whole conversation, where the host has it; else it is what was added here.
        """
        known = work.find(self._engine, self.id)
        if known is not None and known.is_open:
            raise Conflict(
                f"{self.id} is the session of an open task.",
                hint=f"Finish that: commonplace task done {self.id}.",
            )
        said = gapfill.turns_of(self.entries()) if turns is None else turns
        filled = gapfill.fill(self._engine, self.id, said)
        self._engine.sessions.end(self._name)
        return filled


def live(engine: Engine) -> list[str]:
    """The names of live sessions: the caller's own, or all of them for a book's owner."""
    everything = engine.visible.everything
    prefix = "" if everything else prefix_of(engine.context.scope)
    names = engine.sessions.sessions(prefix, now=engine.now())
    return names if everything else [id_of(name) for name in names]
