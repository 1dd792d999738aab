"""Chooses the memories that a task puts into its prompts; none is injected twice."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..engine.search import RecallRequest
from ..language import words
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import write_policy
from ..rules.handed_over.digest import Budget, Digest, Limit, build_digest
from ..rules.handed_over.digest_settings import resolve_digest_settings
from ..verbs import digest
from ..verbs.recall import recall
from ..verbs.work_state import work_state_offers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled
    from ..rules.handed_over.digest_settings import DigestSettings

PUSH = Budget(total=Limit(tokens=2_000), sections={"relevant": Limit(items=5, tokens=2_000)})
"""Budget at the start, and again when the work has moved on."""
WORK = Budget(total=Limit(tokens=800))
"""Budget of the notes on how far a project's work is, which come with the task."""
PUSHED_KINDS = (
    "preference", "fact", "insight", "decision", "constraint", "workflow", "procedural",
)  # fmt: skip
"""Kinds that are pushed: preferences, facts about what the task names, constraints and templates.

What is saved without a kind is an insight, and often such a fact. Fixes and ideas are pulled, by a
prompt or a tool call that they answer.
"""
PUSH_THRESHOLD = 0.3
"""Share of the best score that is pushed: a goal names several things, a prompt mostly one."""
PULL = Budget(total=Limit(tokens=1_000), sections={"relevant": Limit(items=3, tokens=1_000)})
"""Budget of one tool call."""
REFRESH_TURNS = 5
MOVED = 0.5
"""The work has moved on when the last push had less than this share of its words."""


class Opening(Value):
    """The text that a task injects at its start."""

    text: str
    """Role, profile, critical facts and topic: for the system prompt or the first message."""
    pushed: str
    """How far the project's work is, and memories that fit the goal: for the user's message, with
    the first model call."""
    tokens: Mapping[str, int]
    """Tokens of each section, and `total`."""
    topic: str | None = None


class Injection:
    """Injects memories into one conversation and records which ones it has."""

    def __init__(
        self, engine: Engine, *, agent: str | None = None, phase: str | None = None
    ) -> None:
        self._engine = engine
        self._agent, self._phase = agent or engine.context.agent, phase
        self._excluded: frozenset[str] = frozenset()
        self._injected: dict[str, None] = {}
        self._used: dict[str, None] = {}
        self._pushed_for: frozenset[str] = frozenset()
        self._pushed_at = 0

    def open(self, goal: str, *, topic: str | None = None) -> Opening:
        """The digest for the start and the memories for the goal, each within its budget."""
        topic = topic or self._topic(goal)
        of_project = [
            one
            for one in work_state_offers(self._engine, "work")
            if one.memory.id not in self._injected
        ]
        start = digest.session_start(
            self._engine,
            settings=self._settings,
            phase=self._phase,
            agent=self._agent,
            topic=topic,
            # The task is handed more of them below than a start holds.
            ignore={*self._excluded, *(one.memory.id for one in of_project)},
        )
        self._mark_injected(start.ids)
        work = build_digest(
            [one for one in of_project if one.memory.id not in self._injected], WORK
        )
        self._mark_injected(work.ids)
        pushed = self.push(goal, turn=0)
        text = "\n\n".join(part for part in (work.text, pushed.text) if part)
        return Opening(start.text, text, _tokens(start, work, pushed), topic)

    def exclude(self, ids: Iterable[str]) -> None:
        """Never inject these, such as the task's own work note, which the prompt has already."""
        self._excluded = frozenset(ids)
        self._injected.update(dict.fromkeys(ids))

    def push(self, query: str, *, turn: int) -> Digest:
        """The memories that fit the work best, without those injected before."""
        self._pushed_for, self._pushed_at = frozenset(words.query_terms(query)), turn
        settings = self._settings
        lower = settings.but(threshold=min(settings.threshold, PUSH_THRESHOLD))
        return self._prompt(query, PUSH, settings=lower, kinds=PUSHED_KINDS)

    def refresh(self, query: str, *, turn: int) -> Digest:
        """Push again after some turns, if the work is about something else by now."""
        now = frozenset(words.query_terms(query))
        if turn - self._pushed_at < REFRESH_TURNS or not now:
            return Digest()
        if len(now & self._pushed_for) >= MOVED * len(now):
            self._pushed_at = turn
            return Digest()
        return self.push(query, turn=turn)

    def prompt(self, text: str) -> Digest:
        """Memories for one message."""
        return self._prompt(text, None)

    def tool(self, text: str) -> Digest:
        """Memories for a tool call."""
        return self._prompt(text, PULL)

    def recall(self, query: str, *, limit: int) -> Recalled:
        """Answer the agent's own question, also with memories injected before."""
        found = recall(self._engine, RecallRequest(query, limit=limit + len(self._excluded)))
        found[:] = [hit for hit in found if hit.memory.id not in self._excluded][:limit]
        self._used.update(dict.fromkeys(hit.memory.id for hit in found))
        return found

    def new_turn(self) -> None:
        """Start counting the memories of another turn."""
        self._used = {}

    def used(self) -> tuple[Memory, ...]:
        """The memories injected or recalled in this turn, as they are now."""
        found = self._engine.store.read(list(self._used), visible=self._engine.visible)
        return tuple(found[id] for id in self._used if id in found)

    def _prompt(
        self,
        query: str,
        budget: Budget | None,
        *,
        settings: DigestSettings | None = None,
        kinds: tuple[str, ...] | None = None,
    ) -> Digest:
        made = digest.prompt(
            self._engine,
            query,
            settings=settings or self._settings,
            budget=budget,
            phase=self._phase,
            agent=self._agent,
            already=tuple(self._injected),
            ignore=self._excluded,
            kinds=kinds,
        )
        self._mark_injected(made.ids)
        return made

    def _mark_injected(self, ids: Iterable[str]) -> None:
        new = dict.fromkeys(ids)
        self._injected.update(new)
        self._used.update(new)

    def _topic(self, goal: str) -> str | None:
        """The known topic that the goal mentions."""
        known = with_index(
            self._engine,
            lambda: self._engine.index.count(
                Where(statuses=LIVE), visible=self._engine.visible, by="topic"
            ),
        )
        return write_policy.infer_topic(goal, (), known)

    @property
    def _settings(self) -> DigestSettings:
        return resolve_digest_settings(self._engine.settings.digest, self._agent)


def _tokens(*made: Digest) -> dict[str, int]:
    taken: dict[str, int] = {}
    for item in (item for one in made for item in one.items):
        taken[item.section] = taken.get(item.section, 0) + item.tokens
    return {**taken, "total": sum(one.tokens for one in made)}
