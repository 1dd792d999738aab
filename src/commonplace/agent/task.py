"""A task: the one object that an agent's loop calls, from its goal to what it taught.

    with book.task("Upgrade to v3.0", plan=steps, constraints=["Zero downtime"]) as task:
        system = task.opening.text
        while task.working.current:
            message = f"{task.before_model_call(prompt)}\\n\\n{prompt}"
            …
            task.observe(result, tool="run_tests", importance=0.9)
            task.turn_end(reply, advance=True)

What `observe` has returned from is on the disk. A task that was killed goes on with
`book.task(resume=id)`.
"""

from __future__ import annotations

import json

from ..errors import BadInput, Conflict, Damaged
from ..ports import Entry
from ..rules import framing
from ..rules.sessions import IMPORTANT, name_of
from . import asking, closing, work
from .injection import Injection, Opening
from .working import BUDGET_TOKENS, WorkingMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from ..model import Memory, Recalled
    from ..verbs.engine import Engine
    from .asking import Asked
    from .closing import Completed

ROUTINE, SAID = 0.5, 0.3
SAID_CHARACTERS = 20_000
"""What is kept of a turn; the rest of a longer one was pasted."""
ARGUMENT_CHARACTERS = 400
"""What is looked at of a tool call's arguments."""


def start(
    engine: Engine,
    goal: str,
    *,
    plan: Sequence[str] = (),
    constraints: Sequence[str] = (),
    id: str | None = None,
    **options: Any,
) -> Task:
    """Begin a task: its work note is in the book when this returns."""
    slots = WorkingMemory.begin(goal, plan=plan, constraints=constraints)
    id = id or f"task-{engine.id()[-10:]}"
    name_of(engine.context.scope, id)
    if (known := work.find(engine, id)) is not None:
        hint = f"Go on with it: book.task(resume={id!r})." if known.is_open else "Take another id."
        raise Conflict(f"There is a task {id} already.", hint=hint)
    task = Task(engine, work.of(id, slots, (), None), slots, **options)
    task.keep()
    return task


def resume(engine: Engine, id: str, **options: Any) -> Task:
    """Go on with a task where it was left, in this process or after a crash."""
    known = work.show(engine, id)
    if not known.is_open:
        raise Conflict(f"The task {id} is finished.", hint="Start a new one with its goal.")
    slots, turn = _left(engine, known)
    return Task(engine, known, slots, turn=turn, **options)


def finish(engine: Engine, id: str, *, outcome: str = "done", summary: str = "") -> Completed:
    """Close a task by its id; one that was closed before says so."""
    known = work.show(engine, id)
    return closing.close(engine, _session(engine, id), known, outcome=outcome, summary=summary)


class Task:
    """One piece of work: what it is about, what was noticed, and what the model is handed."""

    def __init__(
        self,
        engine: Engine,
        begun: work.Work,
        slots: WorkingMemory,
        *,
        turn: int = 0,
        agent: str | None = None,
        topic: str | None = None,
        phase: str | None = None,
        budget_tokens: int = BUDGET_TOKENS,
    ) -> None:
        self.id = begun.id
        self.working = slots
        """The five slots, as they are now."""
        self.turn = turn
        self.completed: Completed | None = None
        self._engine, self._work, self._budget_tokens = engine, begun, budget_tokens
        self._session = _session(engine, begun.id)
        self._injection = Injection(engine, agent=agent, phase=phase)
        self._injection.leave_out([begun.note.id] if begun.note else ())
        self._topic = topic
        self._opening: Opening | None = None
        self._turn_is_over, self._begun = False, False
        self._last_prompt = ""

    # Around a model call

    @property
    def opening(self) -> Opening:
        """What the model is handed once, with what each part of it takes."""
        if self._opening is None:
            self._opening = self._injection.open(self.working.goal, topic=self._topic)
        return self._opening

    def before_model_call(self, prompt: str = "") -> str:
        """What to put in front of the user's message: fitting memories, then working memory.

        No memory comes twice; a prompt may. Never put this into the system prompt, where it would
        spoil the host's cache and read as an instruction.
        """
        if self._turn_is_over:
            self._injection.new_turn()
            self._turn_is_over = False
        pushed, self._begun = "" if self._begun else self.opening.pushed, True
        said = framing.without_echo(prompt).strip()
        if said and said != self._last_prompt:
            self._note(said[:SAID_CHARACTERS], role="user", importance=SAID)
            self._last_prompt = said
        moved = self._injection.refresh(f"{self.working.current} {said}", turn=self.turn)
        called_for = self._injection.prompt(said).text if said else ""
        parts = (pushed, moved.text, called_for, self.render())
        return "\n\n".join(part for part in parts if part)

    def render(self) -> str:
        """Working memory as text, within its budget."""
        return self.working.render(budget_tokens=self._budget_tokens)

    def tool_call(self, name: str, arguments: Mapping[str, Any] | str = "") -> str:
        """Memories that this tool call may need and the model has not seen, framed; or nothing."""
        given = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        return self._injection.tool(f"{name} {given[:ARGUMENT_CHARACTERS]}").text

    def recall(self, query: str, *, limit: int = 5) -> Recalled:
        """What the book knows about something: for the model to call as a tool."""
        return self._injection.recall(query, limit=limit)

    def search(self, query: str, *, limit: int = 5) -> list[Entry]:
        """What was noticed or said earlier in this task."""
        return self._engine.sessions.search(
            self._session, query, now=self._engine.now(), limit=limit
        )

    def ask(self, query: str, *, limit: int = 3, timeout_s: float = asking.TIMEOUT_S) -> Asked:
        """What sources outside the book say, with their origins; put its `text` into a message."""
        return asking.sources_of(self._engine).ask(query, limit=limit, timeout_s=timeout_s)

    def used_this_turn(self) -> tuple[Memory, ...]:
        """The memories that this turn was given or asked for, to cite or to show."""
        return self._injection.used()

    # What happens

    def observe(self, text: str, *, tool: str = "", importance: float = ROUTINE) -> Entry:
        """Note what was found out. Once this returns, no crash loses it.

        From an importance of 0.7 on it outlives routine observations and becomes a memory when the
        task ends. Name the tool for what a tool printed: that is kept as unverified.
        """
        content = f"{tool}: {text}" if tool else text
        entry = self._note(content, role="tool" if tool else "observation", importance=importance)
        critical = importance >= IMPORTANT
        self.working = self.working.observed(text, tool=tool, critical=critical)
        self._keep_state()
        if critical and self.working.observations:
            found = work.finding(self.working.observations[-1])
            self._work = self._work.but(findings=(*self._work.findings, found))
            self.keep()
        return entry

    def jot(self, text: str, *, keep: bool = False) -> None:
        """A note to oneself on the scratchpad."""
        self.working = self.working.jotted(text, keep=keep)
        self._keep_state()

    def constrain(self, *constraints: str) -> None:
        """Add constraints that hold from now on."""
        self.working = self.working.constrained(*constraints)
        self.keep()

    def replan(self, steps: Sequence[str], *, done: int = 0) -> None:
        """Take another plan, of which so many steps are done."""
        self.working = self.working.planned(steps, done=done)
        self.keep()

    def turn_end(self, reply: str = "", *, advance: bool = False, reset: bool = False) -> None:
        """A turn is over; with `advance` the current step is done, with `reset` the table is clean.

        A reset keeps goal, plan and constraints.
        """
        self.turn += 1
        self._turn_is_over = True
        if said := framing.without_echo(reply).strip():
            self._note(said[:SAID_CHARACTERS], role="assistant", importance=SAID)
        if reset:
            self.working = self.working.reset()
        if advance:
            self.working = self.working.advanced()
            self.keep()
        else:
            self._keep_state()

    # The end

    def complete(self, summary: str = "") -> Completed:
        """Keep what the task taught, file its summary, let go of the rest. Twice is harmless."""
        return self._close("done", summary)

    def fail(self, reason: str) -> Completed:
        """As `complete`, for a task that came to nothing: that teaches, too."""
        return self._close("failed", reason)

    def _close(self, outcome: str, summary: str) -> Completed:
        if self.completed is None:
            self.completed = finish(self._engine, self.id, outcome=outcome, summary=summary)
            return self.completed
        return self.completed.but(already=True, promoted=(), learned=(), released=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Completed when all went well; after an error it can be resumed."""
        if kind is None and self.completed is None:
            self.complete()

    # Keeping

    def keep(self) -> None:
        """Write goal, plan, progress and findings to the book, and everything to the session."""
        now = work.of(self.id, self.working, self._work.findings, self._work.note)
        self._work = work.keep(self._engine, now).but(findings=now.findings)
        if self._work.note is not None:
            self._injection.leave_out([self._work.note.id])
        self._keep_state()

    def _keep_state(self) -> None:
        note = self._work.note.content if self._work.note else ""
        kept = {"turn": self.turn, "note": note, "working": self.working.to_json()}
        self._engine.sessions.put_state(
            self._session, "task", json.dumps(kept, ensure_ascii=False), now=self._engine.now()
        )

    def _note(self, content: str, *, role: str, importance: float) -> Entry:
        if self.completed is not None:
            raise BadInput(f"The task {self.id} is finished.", hint="Start a new one.")
        entry = Entry(self._engine.id(), content, self._engine.now(), role, importance)
        self._engine.sessions.append(self._session, [entry], now=entry.at)
        return entry


def _session(engine: Engine, id: str) -> str:
    return name_of(engine.context.scope.without("task"), id)


def _left(engine: Engine, known: work.Work) -> tuple[WorkingMemory, int]:
    """Working memory as it was left; what a person changed in the note since then holds."""
    kept = engine.sessions.state(_session(engine, known.id), "task", now=engine.now())
    if kept is None:
        return known.working(), 0
    try:
        read: dict[str, Any] = json.loads(kept)
        slots, turn, note = (
            WorkingMemory.from_json(read["working"]),
            int(read["turn"]),
            read["note"],
        )
    except (Damaged, ValueError, KeyError, TypeError):
        return known.working(), 0
    if known.note is not None and known.note.content != note:
        edited = known.working()
        slots = slots.but(
            goal=edited.goal, plan=edited.plan, step=edited.step, constraints=edited.constraints
        )
    return slots, turn
