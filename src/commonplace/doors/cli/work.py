"""Commands for work in progress: tasks, conversations, and reports about both."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from ...agent.archive import Report
from ...agent.sessions import SessionEnded
from ...agent.task import Task
from ...agent.task_end import Completed
from ...agent.work_note import Work
from ...book import Commonplace
from ...model.errors import BadInput, Conflict, NotFound
from ...ports.session_store import SessionEntry
from . import text_format
from .call import Call
from .declare import HISTORY, REMEMBER, command
from .declare import group as make_group
from .render import aside, render_saved, say, suggest, table
from .text_input import read_content

group = make_group()
task_group = make_group("Goal, plan and findings of a piece of work.")
session_group = make_group("Conversations that are being remembered.")

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Id of the task; see `task list`.")]
TaskText = Annotated[
    str, typer.Argument(metavar="TEXT", help="Text to note; - reads standard input.")
]
Advance = Annotated[bool, typer.Option("--advance", help="Mark the current step as done.")]
SessionId = Annotated[
    str, typer.Argument(metavar="SESSION", help="Id of the conversation; see `session list`.")
]


@command(task_group, "start")
def start_task(
    call: Call,
    goal: Annotated[str, typer.Argument(help="The goal, in a sentence.")],
    step: Annotated[
        list[str] | None, typer.Option(help="Step of the plan; may be repeated.")
    ] = None,
    constraint: Annotated[
        list[str] | None, typer.Option(help="Constraint to keep throughout; may be repeated.")
    ] = None,
    id: Annotated[str | None, typer.Option("--id", help="Id of your choice.")] = None,
) -> None:
    """Start a task, and print the context for its agent."""
    with call.in_project().book() as book:
        task = book.task(goal, plan=step or (), constraints=constraint or (), id=id)
        started = {
            "id": task.id, "opening": task.opening.text, "message": task.before_model_call(),
            "tokens": task.opening.tokens, "dropped_constraints": task.dropped_constraints,
        }  # fmt: skip
        call.show(started, render_started)


def render_started(console: Console, task: Mapping[str, Any]) -> None:
    """The id of a new task, and the context for its agent."""
    console.print(Text.assemble("Started: ", (task["id"], "bold")))
    for constraint in task["dropped_constraints"]:
        # A task holds a bounded number, so that all of them stay in the prompt.
        say(console, f"- No room for the constraint: {text_format.line(constraint)}", "yellow")
    for part in (task["opening"], task["message"]):
        if part:
            say(console, f"\n{part}")
    aside(console, f"\nNext: commonplace task observe {task['id']} TEXT")


@command(task_group)
def note(
    call: Call,
    id: TaskId,
    text: TaskText,
    keep: Annotated[bool, typer.Option("--keep", help="Drop other notes before this one.")] = False,
    advance: Advance = False,
) -> None:
    """Add a line to a task's notes."""
    with call.book() as book:
        task = book.task(resume=id)
        task.jot(_require_text(text), keep=keep)
        _show_progress(call, task, advance=advance)


@command(task_group)
def observe(
    call: Call,
    id: TaskId,
    text: TaskText,
    tool: Annotated[str, typer.Option(help="Tool that printed it.")] = "",
    importance: Annotated[
        float, typer.Option(min=0, max=1, help="From 0.7 on, it is remembered after the task.")
    ] = 0.5,
    advance: Advance = False,
) -> None:
    """Record a finding of a task; it is on disk when this returns."""
    with call.book() as book:
        task = book.task(resume=id)
        task.observe(_require_text(text), tool=tool, importance=importance)
        _show_progress(call, task, advance=advance)


def _require_text(text: str) -> str:
    if content := read_content(text).strip():
        return content
    raise BadInput("The text is empty.", hint="Give it as an argument; - reads standard input.")


def _show_progress(call: Call, task: Task, *, advance: bool) -> None:
    if advance:
        task.turn_end(advance=True)
    progress: dict[str, Any] = {"id": task.id, "step": task.working.step, "working": task.render()}
    call.show(progress, lambda out, one: say(out, one["working"]))


@command(task_group)
def done(
    call: Call,
    id: TaskId,
    summary: Annotated[str, typer.Option(help="The result; - reads standard input.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="The goal was not reached.")] = False,
    abandoned: Annotated[
        bool, typer.Option("--abandoned", help="The goal is not wanted any more.")
    ] = False,
) -> None:
    """Finish a task: save its lessons and a summary, drop its notes."""
    with call.book() as book:
        finished = book.task_done(
            id, summary=read_content(summary), failed=failed, abandoned=abandoned
        )
        call.show(finished, render_completed)


def render_completed(console: Console, done: Completed) -> None:
    """The memories that a finished task left."""
    if done.already:
        say(console, f"{done.task} was finished before ({done.outcome}); nothing has changed.")
        return
    console.print(Text.assemble(f"Finished ({done.outcome}): ", (done.task, "bold")))
    for memory in (*(saved.memory for saved in done.promoted), *done.learned):
        say(console, f"+ {text_format.line(memory.content)}", "green")
    for why in done.kept_back:
        say(console, f"- {text_format.line(why)}", "yellow")
    dropped = text_format.counted(done.released, "note", "notes")
    archived = "the summary is in the archive" if done.summary else "no summary was archived"
    aside(console, f"{dropped} dropped; {archived}.")


@command(task_group, "list")
def list_tasks(
    call: Call,
    all: Annotated[bool, typer.Option("--all", help="Also finished tasks.")] = False,
) -> None:
    """List open tasks."""
    with call.book() as book:
        call.show(book.tasks(finished=all), render_tasks)


def render_tasks(console: Console, found: Sequence[Work]) -> None:
    """One row for each task."""
    if not found:
        suggest(console, 'commonplace task start "Upgrade to v3.0" --step "Read the changelog"')
        return
    rows = (
        (
            Text(one.id, style="bold"),
            text_format.line(one.goal),
            f"{one.step}/{len(one.plan)}" if one.plan else "",
            _state(one),
        )
        for one in found
    )
    table(console, ("Task", "Goal", "Steps", "State"), rows, prose=("Goal",))


@command(task_group, "show")
def show_task(call: Call, id: TaskId) -> None:
    """Show a task's goal, constraints, plan and findings."""
    with call.book() as book:
        call.show(book.task_show(id), render_task)


def render_task(console: Console, task: Work) -> None:
    """Goal, constraints, plan and findings of a task."""
    about = (f"  {task.id} · {_state(task)}", "dim")
    console.print(Text.assemble((text_format.line(task.goal), "bold"), about))
    for heading, items in (
        ("Constraints", task.constraints),
        ("Plan", [f"{'✓' if at < task.step else '·'} {s}" for at, s in enumerate(task.plan)]),
        ("Last session", [task.state] if task.state else []),
        ("Next", [task.next_step] if task.next_step else []),
        ("Findings", task.findings),
    ):
        if items:
            aside(console, f"\n{heading}")
            for item in items:
                say(console, f"  {text_format.line(item)}")


def _state(task: Work) -> str:
    return "open" if task.is_open else "finished"


@command(session_group, "list")
def list_sessions(call: Call) -> None:
    """List conversations that are being remembered, and those that hooks recorded."""
    with call.book() as book:
        found = book.sessions()
    recorded = [] if call.json else _recorded(call)
    call.show(found, lambda out, ids: render_sessions(out, ids, recorded))


def _recorded(call: Call) -> list[str]:
    """A line for each session that hooks recorded and nobody has read yet."""
    from ... import settings
    from ...verbs.waiting_turns import read_session
    from ..hooks.session_files import book_folders, waiting_sessions

    chosen = settings.load(call.environ)
    url = call.shared.get("url") or chosen.url or ""
    files = (one for folder in book_folders(chosen.state, url) for one in waiting_sessions(folder))
    found = (read_session(one.turns) for one in files)
    return [
        f"{one.host} {one.session}, {text_format.counted(len(one.turns), 'turn', 'turns')}"
        f"{', ended' if one.ended else ''}"
        for one in found
        if one is not None
    ]


def render_sessions(console: Console, found: Sequence[str], recorded: Sequence[str]) -> None:
    """One id a line, then the sessions of coding agents that wait to be read."""
    if recorded:
        say(console, "Recorded by hooks; read when they end, or after an hour of silence:")
        for line in recorded:
            say(console, f"  {text_format.line(line)}")
    elif not found:
        say(console, "No conversation is being remembered. Programs start one: book.session(id).")
    for id in found:
        say(console, text_format.line(id))


@command(session_group, "show")
def show_session(
    call: Call,
    id: SessionId,
    query: Annotated[str, typer.Option("--search", help="Only entries with these words.")] = "",
) -> None:
    """Show the entries of a conversation."""
    with call.book() as book:
        _require_known(book, id)
        session = book.session(id)
        call.show(session.search(query) if query else session.entries(), render_entries)


def render_entries(console: Console, found: Sequence[SessionEntry]) -> None:
    """One row for each entry."""
    if not found:
        say(console, "This conversation has no entries, or has ended.")
        return
    rows = (
        (
            text_format.clock(one.at),
            one.role,
            text_format.line(one.content)[:200],
            f"{one.importance:.1f}",
        )
        for one in found
    )
    table(console, ("When", "Who", "What", "Importance"), rows, prose=("What",))


@command(session_group, "end")
def end_session(call: Call, id: SessionId) -> None:
    """End a conversation: save what the user said worth keeping, archive a summary."""
    with call.book() as book:
        _require_known(book, id)
        call.show(book.session(id).end(), render_filled)


def _require_known(book: Commonplace, id: str) -> None:
    """Raise NotFound unless the conversation goes on, or its summary is in the book."""
    if book.session(id).entries(limit=1):
        return
    try:
        known = id in book.get(id).aliases
    except (NotFound, Conflict):
        known = False
    if not known:
        raise NotFound(
            f"No conversation has the id {id[:80]!r}.", hint="See `commonplace session list`."
        )


def render_filled(console: Console, done: SessionEnded) -> None:
    """The memories that a conversation left."""
    if done.already:
        say(console, f"{done.session} was ended before; nothing has changed.")
        return
    for saved in (*done.added, *done.corrected):
        say(console, f"+ {text_format.line(saved.memory.content)}", "green")
    for why in done.kept_back:
        say(console, f"- {text_format.line(why)}", "yellow")
    archived = "A summary is in the archive." if done.summary else "There was nothing to summarise."
    aside(console, f"{done.session} has ended. {archived}")


@command(group, panel=HISTORY)
def report(
    call: Call,
    week: Annotated[
        bool, typer.Option("--week", help="Report on the seven days up to the day.")
    ] = False,
    day: Annotated[
        str | None, typer.Option(help="Such as 2026-11-15; default: today.", show_default=False)
    ] = None,
) -> None:
    """Report on a day or a week by outcome, with lessons and open work."""
    with call.book() as book:
        call.show(book.report("week" if week else "day", day=_parse_day(day)), render_report)


def _parse_day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise BadInput(f"{text!r} is not a date.", hint="Write it as 2026-11-15.") from error


def render_report(console: Console, made: Report) -> None:
    """The report, as text for a file or a message."""
    say(console, made.text)


@command(group, panel=REMEMBER)
def crystallize(
    call: Call,
    work: Annotated[str, typer.Argument(help="Id of a task, or of a conversation that ended.")],
) -> None:
    """Summarise the lessons of a task or conversation in one memory, with its sources."""
    with call.book() as book:
        call.show(book.crystallize(work), render_saved)
