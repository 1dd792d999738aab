"""One conversation as its host sees it: what was said, and what is kept of it at the end."""

from __future__ import annotations

from ..errors import Conflict
from ..ports.sessions import Entry
from ..rules.sessions import SEPARATOR, id_of, name_of, prefix_of
from ..scope import Scope
from . import gapfill, heard, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports.reasoning import Turn
    from ..verbs.engine import Engine
    from .gapfill import Filled


class Session:
    """A conversation's own memory; it ends an hour after its last use, or when told to."""

    def __init__(self, engine: Engine, id: str) -> None:
        scope, separator, plain = id.rpartition(SEPARATOR)
        if separator and engine.visible.everything:
            # The whole name, as the book's owner sees it in a list of everybody's sessions.
            engine, id = work.within(engine, Scope.parse(scope)), plain
        self.id = id
        self._engine = engine
        self._name = name_of(engine.context.scope, id)

    def add(
        self, text: str, *, role: str = "observation", importance: float = 0.5, id: str = ""
    ) -> Entry:
        """Note something; with the id of an earlier entry it takes that one's place."""
        content = heard.own_words(text) if role == "user" else text
        content = heard.keepable(self._engine, content)
        entry = Entry(id or self._engine.id(), content, self._engine.now(), role, importance)
        self._engine.sessions.append(self._name, self._lasting(entry), now=entry.at)
        return entry

    def _lasting(self, entry: Entry) -> list[Entry]:
        """What the user teaches, and the reply that it corrects, are there when all is over."""
        if entry.role != "user":
            return [entry]
        replies = (one for one in reversed(self.entries()) if one.role == "assistant")
        reply = next(replies, None)
        if not heard.teaches(entry.content, reply):
            return [entry]
        return [heard.lasting(one) for one in (reply, entry) if one is not None]

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
        same = known is not None and work.session_name(self._engine, known) == self._name
        if known is not None and same and known.is_open:
            raise Conflict(
                f"{self.id} is the session of an open task.",
                hint=f"Finish that: commonplace task done {self.id}.",
            )
        said = gapfill.turns_of(self.entries()) if turns is None else turns
        filled = gapfill.fill(self._engine, self.id, said)
        self._engine.sessions.end(self._name)
        return filled


def live(engine: Engine) -> list[str]:
    """The ids of the caller's live sessions; for a book's owner others', too, by their names."""
    mine = prefix_of(engine.context.scope)
    prefix = "" if engine.visible.everything else mine
    names = engine.sessions.sessions(prefix, now=engine.now())
    return [id_of(name) if name.startswith(mine) else name for name in names]
