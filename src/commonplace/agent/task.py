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

from ..model.errors import Conflict
from ..ports.session_store import SessionEntry
from ..rules import digest
from ..rules.limits import IMPORTANT, name_of
from . import sessions, sources, task_end, work_note
from .injection import Injection, Opening
from .working_memory import BUDGET_TOKENS, NAME_CHARACTERS, WorkingMemory, observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled
    from .sources import SourceAnswers
    from .task_end import Completed

ROUTINE = 0.5
SAID_CHARACTERS = 20_000
"""What is kept of a turn; the rest of a longer one was pasted."""
ARGUMENT_CHARACTERS = 400
"""What is looked at of a tool call's arguments."""
ATTEMPTS = 20
"""How often a change to the note is tried while others change it, too."""


def start(
    engine: Engine,
    goal: str,
    *,
    plan: Sequence[str] | str = (),
    constraints: Sequence[str] | str = (),
    id: str | None = None,
    **options: Any,
) -> Task:
    """Begin a task: its work note is in the book when this returns."""
    slots = WorkingMemory.begin(goal, plan=plan, constraints=constraints)
    id = id or f"task-{engine.id()[-10:]}"
    name_of(engine.context.scope, id)
    if (known := work_note.find_work(engine, id)) is not None:
        going_on = f"Go on with it, see `commonplace task show {id}`; or take another id."
        hint = going_on if known.is_open else "Take another id."
        raise Conflict(f"There is a task {id} already.", hint=hint)
    begun = work_note.keep_work(engine, work_note.work_of(id, slots, (), None))
    task = Task(engine, begun, slots, **options)
    task.keep()
    return task


def resume(engine: Engine, id: str, **options: Any) -> Task:
    """Go on with a task where it was left, in this process or after a crash."""
    known = work_note.show_work(engine, id)
    if not known.is_open:
        raise _finished(id)
    slots, turn = work_note.left_state(engine, known)
    return Task(engine, known, slots, turn=turn, **options)


def finish(engine: Engine, id: str, *, outcome: str = "done", summary: str = "") -> Completed:
    """Close a task by its id; one that was closed before says so."""
    known = work_note.show_work(engine, id)
    return task_end.close(engine, known, outcome=outcome, summary=summary)


class Task:
    """One piece of work: what it is about, what was noticed, and what the model is handed."""

    def __init__(
        self,
        engine: Engine,
        begun: work_note.Work,
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
        self._session = work_note.session_name(engine, begun)
        self._injection = Injection(engine, agent=agent, phase=phase)
        self._topic = topic
        self._opening: Opening | None = None
        self._turn_is_over, self._begun = False, False
        self._last_prompt = ""
        self._last_reply: SessionEntry | None = None
        self._leave_out_note()

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
        self._follow()
        if self._turn_is_over:
            self._injection.new_turn()
            self._turn_is_over = False
        pushed, self._begun = "" if self._begun else self.opening.pushed, True
        said = sessions.own_words(prompt)
        if said and said != self._last_prompt:
            self._hear(said)
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
        return self._injection.tool(f"{name} {str(arguments)[:ARGUMENT_CHARACTERS]}").text

    def recall(self, query: str, *, limit: int = 5) -> Recalled:
        """What the book knows about something: for the model to call as a tool."""
        return self._injection.recall(query, limit=limit)

    def search(self, query: str, *, limit: int = 5) -> list[SessionEntry]:
        """What was noticed or said earlier in this task."""
        return self._engine.sessions.search(
            self._session, query, now=self._engine.now(), limit=limit
        )

    def ask(
        self, query: str, *, limit: int = 3, timeout_s: float = sources.TIMEOUT_S
    ) -> SourceAnswers:
        """What sources outside the book say, with their origins; put its `text` into a message."""
        return sources.sources_of(self._engine).ask(query, limit=limit, timeout_s=timeout_s)

    def used_this_turn(self) -> tuple[Memory, ...]:
        """The memories that this turn was given or asked for, to cite or to show."""
        return self._injection.used()

    # What happens

    def observe(self, text: str, *, tool: str = "", importance: float = ROUTINE) -> SessionEntry:
        """Note what was found out. Once this returns, no crash loses it.

        From an importance of 0.7 on it outlives routine observations and becomes a memory when the
        task ends. Name the tool for what a tool printed: that is kept as unverified.
        """
        critical = importance >= IMPORTANT
        self._follow()
        seen = sessions.keepable(self._engine, text)
        name = digest.label(tool, longest=NAME_CHARACTERS) if tool else ""
        content = f"{name}: {seen}" if tool else seen
        entry = self._note(content, role="tool" if tool else "observation", importance=importance)
        new = observation(seen, tool=name, critical=critical)

        def observed(slots: WorkingMemory) -> WorkingMemory:
            return slots.observed(seen, tool=name, critical=critical)

        if critical and new.text:
            self._change(observed, found=work_note.finding(new))
        else:
            self.working = observed(self.working)
            self._keep_state()
        return entry

    def jot(self, text: str, *, keep: bool = False) -> None:
        """A note to oneself on the scratchpad."""
        self._follow()
        self.working = self.working.jotted(sessions.keepable(self._engine, text), keep=keep)
        self._keep_state()

    def constrain(self, *constraints: str) -> None:
        """Add constraints that hold from now on."""
        self._change(lambda slots: slots.constrained(*constraints))

    def replan(self, steps: Sequence[str] | str, *, done: int = 0) -> None:
        """Take another plan, of which so many steps are done."""
        self._change(lambda slots: slots.planned(steps, done=done))

    def turn_end(self, reply: str = "", *, advance: bool = False, reset: bool = False) -> None:
        """A turn is over; with `advance` the current step is done, with `reset` the table is clean.

        A reset keeps goal, plan and constraints.
        """
        self._follow()
        if said := sessions.own_words(reply):
            told = sessions.keepable(self._engine, said[:SAID_CHARACTERS])
            self._last_reply = self._note(told, role="assistant", importance=sessions.SAID)
        self.turn += 1
        self._turn_is_over = True
        if reset:
            self.working = self.working.reset()
        if advance:
            self._change(WorkingMemory.advanced)
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
        self._change(lambda slots: slots)

    def _change(
        self,
        change: Callable[[WorkingMemory], WorkingMemory],
        *,
        found: str = "",
        attempts: int = ATTEMPTS,
    ) -> None:
        """Change the work as it is in the book now; what is refused there changes nothing here."""
        self._follow()
        slots = change(self.working)
        findings = (*self._work.findings, found) if found else self._work.findings
        changed = work_note.work_of(self.id, slots, findings, self._work.note)
        try:
            self._work = work_note.keep_work(self._engine, changed)
        except Conflict:
            if attempts == 1:
                raise
            self._change(change, found=found, attempts=attempts - 1)
            return
        self.working = slots
        self._leave_out_note()
        self._keep_state()

    def _follow(self) -> None:
        """Take over what a person, or another process, has changed in the note since."""
        if self.completed is not None:
            raise _finished(self.id)
        now = work_note.latest_work(self._engine, self._work)
        if not now.is_open:
            raise _finished(self.id)
        if now.note and self._work.note and now.note.content != self._work.note.content:
            self.working = now.applied_to(self.working)
        self._work = now
        self._leave_out_note()

    def _leave_out_note(self) -> None:
        if self._work.note is not None:
            self._injection.leave_out([self._work.note.id])

    def _keep_state(self) -> None:
        work_note.keep_state(self._engine, self._work, self.working, turn=self.turn)

    def _hear(self, said: str) -> None:
        """Note what the user said; what teaches something is there when the task ends."""
        told = sessions.keepable(self._engine, said[:SAID_CHARACTERS])
        teaches = sessions.teaches(told, self._last_reply)
        self._note(told, role="user", importance=IMPORTANT if teaches else sessions.SAID)
        if teaches and self._last_reply is not None:
            self._append(sessions.lasting(self._last_reply))

    def _note(self, content: str, *, role: str, importance: float) -> SessionEntry:
        entry = SessionEntry(self._engine.id(), content, self._engine.now(), role, importance)
        self._append(entry)
        return entry

    def _append(self, entry: SessionEntry) -> None:
        self._engine.sessions.append(self._session, [entry], now=self._engine.now())


def _finished(id: str) -> Conflict:
    return Conflict(f"The task {id} is finished.", hint="Start a new one with its goal.")
