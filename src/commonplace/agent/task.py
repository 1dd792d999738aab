"""A task: the one object that an agent's loop calls, from its goal to its lessons.

    with book.task("Upgrade to v3.0", plan=steps, constraints=["Zero downtime"]) as task:
        system = task.opening.text
        while task.working.current:
            message = f"{task.before_model_call(prompt)}\\n\\n{prompt}"
            …
            task.observe(result, tool="run_tests", importance=0.9)
            task.turn_end(reply, advance=True)

An observation is on the disk when `observe` returns. `book.task(resume=id)` continues a task
whose process was killed.
"""

from __future__ import annotations

from ..model.errors import Conflict
from ..ports.session_store import SessionEntry
from ..rules.handed_over import quotation
from ..rules.session_limits import IMPORTANT, session_name
from ..rules.talk import off_record
from . import sessions, sources, task_end, work_note
from .injection import Injection, Opening
from .working_memory import BUDGET_TOKENS, NAME_CHARACTERS, WorkingMemory, make_observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled
    from .sources import SourceAnswers
    from .task_end import Completed

OBSERVED_IMPORTANCE = 0.5
SAID_CHARACTERS = 20_000
"""Characters kept of a turn; a longer one is mostly pasted text."""
ARGUMENT_CHARACTERS = 400
"""Characters read of a tool call's arguments."""


def start(
    engine: Engine,
    goal: str,
    *,
    plan: Sequence[str] | str = (),
    constraints: Sequence[str] | str = (),
    id: str | None = None,
    **options: Any,
) -> Task:
    """Start a task; its work note is in the book when this returns."""
    slots = WorkingMemory.begin(goal, plan=plan, constraints=constraints)
    id = id or f"task-{engine.id()[-10:]}"
    session_name(engine.home, id)
    if (known := work_note.find_work(engine, id)) is not None:
        going_on = f"Resume it, see `commonplace task show {id}`, or choose another id."
        hint = going_on if known.is_open else "Choose another id."
        raise Conflict(f"A task already has the id {id}.", hint=hint)
    new = work_note.Work(id, slots.goal)
    begun = work_note.work_from_slots(new, slots, ())
    begun = work_note.save_work(engine, begun, topic=options.get("topic"))
    task = Task(engine, begun, slots, **options)
    task.dropped_constraints = slots.without_room(constraints)
    task.keep()
    return task


def resume(engine: Engine, id: str, **options: Any) -> Task:
    """Resume a task where it stopped, also after a crash."""
    known = work_note.get_work(engine, id)
    if not known.is_open:
        raise _finished(id)
    slots, turn = work_note.load_state(engine, known)
    return Task(engine, known, slots, turn=turn, **options)


def finish(engine: Engine, id: str, *, outcome: str = "done", summary: str = "") -> Completed:
    """End a task by its id; ending it twice changes nothing."""
    known = work_note.get_work(engine, id)
    return task_end.close_task(engine, known, outcome=outcome, summary=summary)


class Task:
    """One piece of work: its goal and plan, its observations, and the text for its prompts."""

    def __init__(
        self,
        engine: Engine,
        work: work_note.Work,
        slots: WorkingMemory,
        *,
        turn: int = 0,
        agent: str | None = None,
        topic: str | None = None,
        phase: str | None = None,
        budget_tokens: int = BUDGET_TOKENS,
    ) -> None:
        self.id = work.id
        self.working = slots
        """The five slots, as they are now."""
        self.turn = turn
        self.dropped_constraints: tuple[str, ...] = ()
        """Constraints that had no room at the start."""
        self.completed: Completed | None = None
        self._engine, self._work, self._budget_tokens = engine, work, budget_tokens
        self._session = work_note.task_session_name(engine, work)
        self._injection = Injection(engine, agent=agent, phase=phase)
        self._topic = topic or (work.note.topic if work.note else None)
        self._opening: Opening | None = None
        self._turn_is_over, self._opening_pushed = False, False
        self._last_prompt = ""
        self._last_reply: SessionEntry | None = None
        self._exclude_note()

    # Around a model call

    @property
    def opening(self) -> Opening:
        """The text to inject once, with the tokens of each section."""
        if self._opening is None:
            self._opening = self._injection.open(self.working.goal, topic=self._topic)
        return self._opening

    def before_model_call(self, prompt: str = "") -> str:
        """The text to put before the user's message: memories for it, then working memory.

        No memory is injected twice. Never put this into the system prompt, where it would
        spoil the host's cache and read as an instruction.
        """
        self._reload()
        if self._turn_is_over:
            self._injection.new_turn()
            self._turn_is_over = False
        pushed, self._opening_pushed = "" if self._opening_pushed else self.opening.pushed, True
        said = sessions.without_injections(prompt)
        if said and said != self._last_prompt:
            self._note_prompt(said)
            self._last_prompt = said
        moved = self._injection.refresh(f"{self.working.current} {said}", turn=self.turn)
        called_for = self._injection.prompt(said).text if said else ""
        parts = (pushed, moved.text, called_for, self.render())
        return "\n\n".join(part for part in parts if part)

    def render(self) -> str:
        """Working memory as text, within its budget."""
        return self.working.render(budget_tokens=self._budget_tokens)

    def tool_call(self, name: str, arguments: Mapping[str, Any] | str = "") -> str:
        """Memories for a tool call that the model has not seen yet, framed; else an empty text."""
        return self._injection.tool(f"{name} {str(arguments)[:ARGUMENT_CHARACTERS]}").text

    def recall(self, query: str, *, limit: int = 5) -> Recalled:
        """Recall from the book, for the model to call as a tool."""
        return self._injection.recall(query, limit=limit)

    def search(self, query: str, *, limit: int = 5) -> list[SessionEntry]:
        """Search what was observed or said earlier in this task."""
        return self._engine.sessions.search(
            self._session, query, now=self._engine.now(), limit=limit
        )

    def ask(
        self, query: str, *, limit: int = 3, timeout_s: float = sources.TIMEOUT_S
    ) -> SourceAnswers:
        """Passages from sources outside the book; put the `text` into a message."""
        return sources.open_sources(self._engine).ask(query, limit=limit, timeout_s=timeout_s)

    def used_this_turn(self) -> tuple[Memory, ...]:
        """The memories injected or recalled in this turn, to cite or to show."""
        return self._injection.used()

    # Recording what happens

    def observe(
        self, text: str, *, tool: str = "", importance: float = OBSERVED_IMPORTANCE
    ) -> SessionEntry:
        """Record an observation; it is on the disk when this returns.

        From an importance of 0.7 on it outlasts routine observations and becomes a memory when
        the task ends. Name the tool for text that a tool printed, which is saved as unverified.
        """
        critical = importance >= IMPORTANT
        self._reload()
        seen = sessions.redacted(self._engine, text)
        name = quotation.quote_label(tool, longest=NAME_CHARACTERS) if tool else ""
        content = f"{name}: {seen}" if tool else seen
        entry = self._note(content, role="tool" if tool else "observation", importance=importance)
        new = make_observation(seen, tool=name, critical=critical)

        def observed(slots: WorkingMemory) -> WorkingMemory:
            return slots.observed(seen, tool=name, critical=critical)

        if critical and new.text:
            self._change(observed, finding=work_note.finding_line(new))
        else:
            self.working = observed(self.working)
            self._save_state()
        return entry

    def jot(self, text: str, *, keep: bool = False) -> None:
        """Write a note on the scratchpad."""
        self._reload()
        self.working = self.working.jotted(sessions.redacted(self._engine, text), keep=keep)
        self._save_state()

    def constrain(self, *constraints: str) -> tuple[str, ...]:
        """Add constraints; returns those that the least important had to make room for.

        A task holds eight. Tell the model or the person about each that is returned.
        """
        self._reload()
        before = self.working
        self._change(lambda slots: slots.constrained(*constraints))
        return self.working.without_room((*before.constraints, *constraints))

    def replan(self, steps: Sequence[str] | str, *, done: int = 0) -> None:
        """Replace the plan; `done` steps of the new one are done."""
        self._change(lambda slots: slots.planned(steps, done=done))

    def turn_end(self, reply: str = "", *, advance: bool = False, reset: bool = False) -> None:
        """End a turn; `advance` marks the current step as done.

        `reset` clears observations and scratchpad, and keeps goal, plan and constraints.
        """
        self._reload()
        if said := sessions.without_injections(reply):
            text = sessions.redacted(self._engine, said[:SAID_CHARACTERS])
            self._last_reply = self._note(
                text, role="assistant", importance=sessions.SPOKEN_IMPORTANCE
            )
        self.turn += 1
        self._turn_is_over = True
        if reset:
            self.working = self.working.reset()
        if advance:
            self._change(WorkingMemory.advanced)
        else:
            self._save_state()

    # The end

    def complete(self, summary: str = "") -> Completed:
        """End the task: save its lessons and summary, drop its session. Twice is harmless."""
        return self._close("done", summary)

    def fail(self, reason: str) -> Completed:
        """End the task as failed; its lessons are saved as by `complete`."""
        return self._close("failed", reason)

    def abandon(self, reason: str) -> Completed:
        """End a task that is not wanted any more; its lessons are saved as by `complete`."""
        return self._close("abandoned", reason)

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
        """Complete the task; after an error leave it open, so that it can be resumed."""
        if kind is None and self.completed is None:
            self.complete()

    # Saving the state

    def keep(self) -> None:
        """Save goal, plan, progress and findings to the book, and everything to the session."""
        self._change(lambda slots: slots)

    def _change(
        self,
        change: Callable[[WorkingMemory], WorkingMemory],
        *,
        finding: str = "",
        attempts: int = work_note.MOST_ATTEMPTS,
    ) -> None:
        """Change the work as the book has it now; a refused change changes nothing here."""
        self._reload()
        slots = change(self.working)
        findings = (*self._work.findings, finding) if finding else self._work.findings
        changed = work_note.work_from_slots(self._work, slots, findings)
        try:
            self._work = work_note.save_work(self._engine, changed)
        except Conflict:
            if attempts == 1:
                raise
            self._change(change, finding=finding, attempts=attempts - 1)
            return
        self.working = slots
        self._exclude_note()
        self._save_state()

    def _reload(self) -> None:
        """Read changes that a person or another process has made to the note."""
        if self.completed is not None:
            raise _finished(self.id)
        now = work_note.reload_work(self._engine, self._work)
        if not now.is_open:
            raise _finished(self.id)
        if now.note and self._work.note and now.note.content != self._work.note.content:
            self.working = now.applied_to(self.working)
        self._work = now
        self._exclude_note()

    def _exclude_note(self) -> None:
        if self._work.note is not None:
            self._injection.exclude([self._work.note.id])

    def _save_state(self) -> None:
        work_note.save_state(self._engine, self._work, self.working, turn=self.turn)

    def _note_prompt(self, said: str) -> None:
        """Record the user's message; one with a lesson is kept until the task ends."""
        text = sessions.redacted(self._engine, said[:SAID_CHARACTERS])
        asks = off_record.read_wish(said) is not off_record.KEEPS
        teaches = not asks and sessions.teaches_lesson(text, self._last_reply)
        self._note(
            text, role="user", importance=IMPORTANT if teaches else sessions.SPOKEN_IMPORTANCE
        )
        if teaches and self._last_reply is not None:
            self._append(sessions.as_important(self._last_reply))

    def _note(self, content: str, *, role: str, importance: float) -> SessionEntry:
        entry = SessionEntry(self._engine.id(), content, self._engine.now(), role, importance)
        self._append(entry)
        return entry

    def _append(self, entry: SessionEntry) -> None:
        now = self._engine.now()
        held = self._engine.sessions.entries(self._session, now=now)
        marked = sessions.marked_entries(held, entry)
        self._engine.sessions.append(self._session, marked or [entry], now=now)


def _finished(id: str) -> Conflict:
    return Conflict(f"The task {id} is finished.", hint="Start a new task.")
