"""Crystallize: when a piece of work is over, one memory says what it taught."""

from __future__ import annotations

from ..errors import NotFound
from ..model import LIVE, Draft
from ..ports.searching import Where
from .catch_up import with_index
from .save import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Memory, Saved
    from .engine import Engine

BUDGET_TOKENS = 300
MOST = 500
NOT_LEARNED = ("proposal", "crystallized", "work")


def crystallize(engine: Engine, work: str) -> Saved:
    """Sum up what one task, or one conversation, left in the book; named by its id.

    What it is made of stays as it is. The same work crystallized again, with more in it, takes the
    place of what was said before.
    """
    memories = with_index(engine, lambda: _of_task(engine, work) or _of_episode(engine, work))
    if not memories:
        raise NotFound(
            f"Nothing in the book belongs to {work[:80]!r}.",
            hint="Name a task as in the scope /task/<id>, or the episode of a conversation.",
        )
    text = "\n".join(_said(memory) for memory in memories)
    summary = engine.reasoner.summarize(text, budget_tokens=BUDGET_TOKENS)
    scope = memories[0].scope.without("task")
    known = _known(engine, work, str(scope))
    return save(
        engine,
        Draft(
            content=f"What {work} taught:\n\n{summary}",
            scope=scope,
            kind="crystallized",
            title=f"What {work} taught",
            sensitivity=_most_secret(memories),
            basis="inferred",
            derived_from=tuple(memory.id for memory in memories),
            source_tasks=(work,),
            supersedes=known.id if known is not None else None,
        ),
    )


def _of_task(engine: Engine, work: str) -> list[Memory]:
    scopes = engine.index.count(Where(statuses=LIVE), visible=engine.visible, by="scope")
    own = tuple(scope for scope in scopes if scope.endswith(f"/task/{work}"))
    return _learned(engine, Where(scopes=own[:1], statuses=LIVE)) if own else []


def _of_episode(engine: Engine, work: str) -> list[Memory]:
    turns = _learned(engine, Where(episode=work, statuses=LIVE))
    return [turn for turn in turns if turn.scope == turns[0].scope]


def _learned(engine: Engine, where: Where) -> list[Memory]:
    found = engine.index.select(where, visible=engine.visible, order="oldest", limit=MOST)
    return [
        one
        for one in sorted(found, key=lambda one: (one.position or 0, one.created, one.id))
        if one.kind not in NOT_LEARNED and one.trust != "external"
    ]


def _known(engine: Engine, work: str, scope: str) -> Memory | None:
    where = Where(kinds=("crystallized",), scopes=(scope,), statuses=LIVE)
    found = engine.index.select(where, visible=engine.visible, limit=MOST)
    return next((one for one in found if work in one.source_tasks), None)


def _said(memory: Memory) -> str:
    return f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content


def _most_secret(memories: list[Memory]) -> str:
    order = ("public", "private", "sensitive")
    return max((memory.sensitivity for memory in memories), key=order.index)
