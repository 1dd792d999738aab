"""Crystallize: sum up in one memory what a task or conversation taught."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..model.errors import NotFound
from ..model.memory import LIVE, SENSITIVITIES, Draft
from ..model.scope import Scope
from ..notes.layout import WORK
from ..ports.search_index import Where
from .save import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.results import Saved

BUDGET_TOKENS = 300
MOST = 500
NOT_LEARNED = ("proposal", "crystallized", "work", "task-summary")


def crystallize(engine: Engine, work: str) -> Saved:
    """Save one summary of the memories of a task or conversation, named by its id.

    The memories stay as they are. Crystallizing the same work again replaces the summary.
    """
    memories = with_index(
        engine,
        lambda: _of_task(engine, work) or _of_episode(engine, work) or _of_session(engine, work),
    )
    if not memories:
        raise NotFound(
            f"Nothing in the book belongs to {work[:80]!r}.",
            hint="Name a task, see `commonplace task list --all`; or a conversation that is over.",
        )
    summary = engine.reasoner.summarize(_text(memories), budget_tokens=BUDGET_TOKENS)
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
    """The task's summary, or its note while it goes on, then the memories learned for it."""
    notes = _named(engine, work, Where(kinds=(WORK,)))
    done = Where(imported_id=f"task:{work}", kinds=("task-summary",), statuses=LIVE)
    records = engine.index.select(done, visible=engine.visible, limit=MOST)
    records += [note for note in notes if note.status in LIVE]
    here = str(engine.home)
    record = min(records, key=lambda one: str(one.scope) != here, default=None)
    if record is None:
        return _of_task_scope(engine, work, None)
    noted = _naming_task(engine, work, record, [note.created for note in notes])
    return [record, *noted, *_of_task_scope(engine, work, str(record.scope))]


def _of_task_scope(engine: Engine, work: str, parent: str | None) -> list[Memory]:
    """Memories in the task's own scope."""
    scopes = engine.index.count(Where(statuses=LIVE), visible=engine.visible, by="scope")
    own = tuple(
        scope
        for scope in scopes
        if scope.endswith(f"/task/{work}")
        and parent in (None, str(Scope.parse(scope).without("task")))
    )
    return _learned(engine, Where(scopes=own[:1], statuses=LIVE)) if own else []


def _naming_task(engine: Engine, work: str, record: Memory, begun: list[datetime]) -> list[Memory]:
    """Memories with the task in `source_tasks`; all of them are younger than the task."""
    where = Where(scopes=(str(record.scope),), statuses=LIVE)
    found: list[Memory] = []
    page, offset = [record], 0
    while page and not (begun and page[-1].updated < min(begun)):
        page = engine.index.select(
            where, visible=engine.visible, order="updated", limit=MOST, offset=offset
        )
        found += [one for one in page if work in one.source_tasks]
        offset += MOST
    return _in_order(found)


def _of_episode(engine: Engine, work: str) -> list[Memory]:
    turns = _learned(engine, Where(episode=work, statuses=LIVE))
    return [turn for turn in turns if turn.scope == turns[0].scope]


def _of_session(engine: Engine, work: str) -> list[Memory]:
    return _named(engine, work, Where(kinds=("session-summary",), statuses=LIVE))[:1]


def _named(engine: Engine, work: str, where: Where) -> list[Memory]:
    found = engine.index.select(where.but(name=work), visible=engine.visible, limit=MOST)
    return [one for one in found if work in one.aliases]


def _learned(engine: Engine, where: Where) -> list[Memory]:
    return _in_order(engine.index.select(where, visible=engine.visible, order="oldest", limit=MOST))


def _in_order(found: list[Memory]) -> list[Memory]:
    return [
        one
        for one in sorted(found, key=lambda one: (one.position or 0, one.created, one.id))
        if one.kind not in NOT_LEARNED and one.trust != "external"
    ]


def _known(engine: Engine, work: str, scope: str) -> Memory | None:
    where = Where(kinds=("crystallized",), scopes=(scope,), statuses=LIVE)
    found = engine.index.select(where, visible=engine.visible, limit=MOST)
    return next((one for one in found if work in one.source_tasks), None)


def _text(memories: list[Memory]) -> str:
    """All contents, without those that an earlier one, such as the summary, contains."""
    said: list[str] = []
    for memory in memories:
        if memory.episode or not any(memory.content in earlier for earlier in said):
            said.append(f"{memory.speaker}: {memory.content}" if memory.speaker else memory.content)
    return "\n".join(said)


def _most_secret(memories: list[Memory]) -> str:
    return max((memory.sensitivity for memory in memories), key=SENSITIVITIES.index)
