"""Tasks: goal, plan and findings of one piece of work, from any process."""

from typing import Annotated

import typer

from ...agent.task import Task
from ...errors import BadInput
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import work
from .remember import content

group = make_group("Keep goal, plan and findings of a piece of work.")

Id = Annotated[str, typer.Argument(metavar="TASK", help="Its id; see `task list`.")]
What = Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads standard input.")]
Advance = Annotated[bool, typer.Option("--advance", help="The current step is done.")]


@command(group)
def start(
    call: Call,
    goal: Annotated[str, typer.Argument(help="What is to be done, in a sentence.")],
    step: Annotated[
        list[str] | None, typer.Option(help="A step of the plan; may be repeated.")
    ] = None,
    constraint: Annotated[
        list[str] | None, typer.Option(help="What must hold throughout; may be repeated.")
    ] = None,
    id: Annotated[str | None, typer.Option("--id", help="A name of your own for it.")] = None,
) -> None:
    """Begin a task, and show what an agent should be handed."""
    with call.book() as book:
        task = book.task(goal, plan=step or (), constraints=constraint or (), id=id)
        told = {"opening": task.opening.text, "message": task.before_model_call()}
        call.show({"id": task.id, **told, "tokens": task.opening.tokens}, work.begun)


@command(group)
def note(
    call: Call,
    id: Id,
    text: What,
    keep: Annotated[bool, typer.Option("--keep", help="Among the last to be dropped.")] = False,
    advance: Advance = False,
) -> None:
    """Write a line on the scratchpad of a task."""
    with call.book() as book:
        task = book.task(resume=id)
        task.jot(_words(text), keep=keep)
        _told(call, task, advance=advance)


@command(group)
def observe(
    call: Call,
    id: Id,
    text: What,
    tool: Annotated[str, typer.Option(help="The tool that printed it.")] = "",
    importance: Annotated[
        float, typer.Option(min=0, max=1, help="From 0.7 on it is remembered when the task ends.")
    ] = 0.5,
    advance: Advance = False,
) -> None:
    """Note what was found out; it is on the disk when this returns."""
    with call.book() as book:
        task = book.task(resume=id)
        task.observe(_words(text), tool=tool, importance=importance)
        _told(call, task, advance=advance)


@command(group)
def done(
    call: Call,
    id: Id,
    summary: Annotated[str, typer.Option(help="What came of it; - reads standard input.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="It came to nothing.")] = False,
) -> None:
    """Finish a task: what it taught is kept, the rest is let go."""
    with call.book() as book:
        call.show(book.task_done(id, summary=content(summary), failed=failed), work.completed)


@command(group, "list")
def list_tasks(
    call: Call,
    all: Annotated[bool, typer.Option("--all", help="Also those that are finished.")] = False,
) -> None:
    """List open tasks."""
    with call.book() as book:
        call.show(book.tasks(finished=all), work.tasks)


@command(group)
def show(call: Call, id: Id) -> None:
    """Show a task's goal, constraints, plan and findings."""
    with call.book() as book:
        call.show(book.task_show(id), work.task)


def _words(text: str) -> str:
    if said := content(text).strip():
        return said
    raise BadInput("There is nothing to note.", hint="Say it in words; - reads standard input.")


def _told(call: Call, task: Task, *, advance: bool) -> None:
    if advance:
        task.turn_end(advance=True)
    call.show({"id": task.id, "step": task.working.step, "working": task.render()}, work.noted)
