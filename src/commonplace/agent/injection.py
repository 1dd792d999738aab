"""What a task hands to its model: once at the start, then what each turn calls for, never twice."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..language import words
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import write_policy
from ..rules.digest import Budget, Digest, Limit
from ..rules.digest_settings import resolve
from ..verbs import digest
from ..verbs.recall import recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled
    from ..rules.digest_settings import DigestSettings

PUSH = Budget(total=Limit(tokens=2_000), sections={"relevant": Limit(items=5, tokens=2_000)})
"""What is pushed at the start, and again when the work has moved on."""
PULL = Budget(total=Limit(tokens=1_000), sections={"relevant": Limit(items=3, tokens=1_000)})
"""What a tool call is given."""
REFRESH_TURNS = 5
MOVED = 0.5
"""The work has moved on when less than this share of its words was there at the last push."""


class Opening(Value):
    """What a task begins with."""

    text: str
    """Role, profile, critical facts and topic: for the system prompt or the first message."""
    pushed: str
    """Memories that fit the goal: for the user's message, with the first model call."""
    tokens: Mapping[str, int]
    """What each section takes, and `total`."""
    topic: str | None = None


class Injection:
    """Remembers what one conversation has been handed."""

    def __init__(
        self, engine: Engine, *, agent: str | None = None, phase: str | None = None
    ) -> None:
        self._engine = engine
        self._agent, self._phase = agent or engine.context.agent, phase
        self._own: frozenset[str] = frozenset()
        self._handed: dict[str, None] = {}
        self._used: dict[str, None] = {}
        self._pushed_for: frozenset[str] = frozenset()
        self._pushed_at = 0

    def open(self, goal: str, *, topic: str | None = None) -> Opening:
        """Everything that belongs to the start, each section within its own budget."""
        topic = topic or self._topic(goal)
        start = digest.session_start(
            self._engine,
            settings=self._settings,
            phase=self._phase,
            agent=self._agent,
            topic=topic,
        )
        self._hand(start.ids)
        pushed = self.push(goal, turn=0)
        return Opening(start.text, pushed.text, _tokens(start, pushed), topic)

    def leave_out(self, ids: Iterable[str]) -> None:
        """These are in the prompt by other means: the task's own work note."""
        self._own = frozenset(ids)
        self._handed.update(dict.fromkeys(ids))

    def push(self, query: str, *, turn: int) -> Digest:
        """The memories that fit the work best, without what was handed over before."""
        self._pushed_for, self._pushed_at = frozenset(words.query(query)), turn
        return self._prompt(query, PUSH)

    def refresh(self, query: str, *, turn: int) -> Digest:
        """The same again once some turns have passed, if the work is about other things by now."""
        now = frozenset(words.query(query))
        if turn - self._pushed_at < REFRESH_TURNS or not now:
            return Digest()
        if len(now & self._pushed_for) >= MOVED * len(now):
            self._pushed_at = turn
            return Digest()
        return self.push(query, turn=turn)

    def prompt(self, text: str) -> Digest:
        """What one message calls for."""
        return self._prompt(text, None)

    def tool(self, text: str) -> Digest:
        """What a tool call calls for."""
        return self._prompt(text, PULL)

    def recall(self, query: str, *, limit: int) -> Recalled:
        """What the agent itself asks for: whatever fits, handed over before or not."""
        where = Where(statuses=LIVE)
        found = recall(self._engine, query, where=where, limit=limit + len(self._own))
        found[:] = [hit for hit in found if hit.memory.id not in self._own][:limit]
        self._used.update(dict.fromkeys(hit.memory.id for hit in found))
        return found

    def new_turn(self) -> None:
        """From here on, another turn's memories are counted."""
        self._used = {}

    def used(self) -> tuple[Memory, ...]:
        """The memories that this turn was given or asked for, as they are now."""
        found = self._engine.store.read(list(self._used), visible=self._engine.visible)
        return tuple(found[id] for id in self._used if id in found)

    def _prompt(self, query: str, budget: Budget | None) -> Digest:
        made = digest.prompt(
            self._engine,
            query,
            settings=self._settings,
            budget=budget,
            phase=self._phase,
            agent=self._agent,
            already=tuple(self._handed),
            ignore=self._own,
        )
        self._hand(made.ids)
        return made

    def _hand(self, ids: Iterable[str]) -> None:
        new = dict.fromkeys(ids)
        self._handed.update(new)
        self._used.update(new)

    def _topic(self, goal: str) -> str | None:
        """The topic of the book that the goal speaks of."""
        known = with_index(
            self._engine,
            lambda: self._engine.index.count(
                Where(statuses=LIVE), visible=self._engine.visible, by="topic"
            ),
        )
        return write_policy.infer(goal, (), known)

    @property
    def _settings(self) -> DigestSettings:
        return resolve(self._engine.settings.digest, self._agent)


def _tokens(start: Digest, pushed: Digest) -> dict[str, int]:
    taken: dict[str, int] = {}
    for item in (*start.items, *pushed.items):
        taken[item.section] = taken.get(item.section, 0) + item.tokens
    return {**taken, "total": start.tokens + pushed.tokens}
