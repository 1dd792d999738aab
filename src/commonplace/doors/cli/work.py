"""Tasks: goal, plan and findings of one piece of work, from any process."""

import os
import shutil
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

import typer

from ... import settings
from ...agent.profile import Profile
from ...agent.task import Task
from ...book import Commonplace
from ...books.services import require_source_address
from ...locations import config_path
from ...model.errors import BadInput, Conflict, NotFound
from ...notes.profile import LIMIT
from . import work_pages
from .call import Call
from .change import edited
from .declare import Limit, ScopeOption, command
from .declare import group as make_group
from .save import content

task_group = make_group("Keep goal, plan and findings of a piece of work.")

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Its id; see `task list`.")]
What = Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads standard input.")]
Advance = Annotated[bool, typer.Option("--advance", help="The current step is done.")]


@command(task_group, "start")
def start_task(
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
        call.show({"id": task.id, **told, "tokens": task.opening.tokens}, work_pages.begun)


@command(task_group)
def note(
    call: Call,
    id: TaskId,
    text: What,
    keep: Annotated[bool, typer.Option("--keep", help="Among the last to be dropped.")] = False,
    advance: Advance = False,
) -> None:
    """Write a line on the scratchpad of a task."""
    with call.book() as book:
        task = book.task(resume=id)
        task.jot(_words(text), keep=keep)
        _told(call, task, advance=advance)


@command(task_group)
def observe(
    call: Call,
    id: TaskId,
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


@command(task_group)
def done(
    call: Call,
    id: TaskId,
    summary: Annotated[str, typer.Option(help="What came of it; - reads standard input.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="It came to nothing.")] = False,
) -> None:
    """Finish a task: what it taught is kept, the rest is let go."""
    with call.book() as book:
        call.show(book.task_done(id, summary=content(summary), failed=failed), work_pages.completed)


@command(task_group, "list")
def list_tasks(
    call: Call,
    all: Annotated[bool, typer.Option("--all", help="Also those that are finished.")] = False,
) -> None:
    """List open tasks."""
    with call.book() as book:
        call.show(book.tasks(finished=all), work_pages.tasks)


@command(task_group, "show")
def show_task(call: Call, id: TaskId) -> None:
    """Show a task's goal, constraints, plan and findings."""
    with call.book() as book:
        call.show(book.task_show(id), work_pages.task)


def _words(text: str) -> str:
    if said := content(text).strip():
        return said
    raise BadInput("There is nothing to note.", hint="Say it in words; - reads standard input.")


def _told(call: Call, task: Task, *, advance: bool) -> None:
    if advance:
        task.turn_end(advance=True)
    call.show(
        {"id": task.id, "step": task.working.step, "working": task.render()}, work_pages.noted
    )


# Sessions: what a conversation remembers while it lasts.


session_group = make_group("See what conversations remember while they last, and end them.")

SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="Its id; see `session list`.")]


@command(session_group, "list")
def list_sessions(call: Call) -> None:
    """List the conversations that are being remembered."""
    with call.book() as book:
        call.show(book.sessions(), work_pages.sessions)


@command(session_group, "show")
def show_session(
    call: Call,
    id: SessionId,
    query: Annotated[str, typer.Option("--search", help="Only what fits these words.")] = "",
) -> None:
    """Show what a conversation holds."""
    with call.book() as book:
        _require_known(book, id)
        session = book.session(id)
        call.show(session.search(query) if query else session.entries(), work_pages.entries)


@command(session_group, "end")
def end_session(call: Call, id: SessionId) -> None:
    """Save what the user taught and nobody saved, file a summary, and let go of the rest."""
    with call.book() as book:
        _require_known(book, id)
        call.show(book.session(id).end(), work_pages.filled)


def _require_known(book: Commonplace, id: str) -> None:
    """Raise NotFound unless the conversation goes on, or has left its summary in the book."""
    if book.session(id).entries(limit=1):
        return
    try:
        known = id in book.get(id).aliases
    except (NotFound, Conflict):
        known = False
    if not known:
        raise NotFound(
            f"No conversation is called {id[:80]!r}.", hint="See `commonplace session list`."
        )


# Reports from the archive.


report_group = make_group()


@command(report_group, panel="Look back and undo")
def report(
    call: Call,
    week: Annotated[bool, typer.Option("--week", help="The seven days up to then.")] = False,
    day: Annotated[
        str | None, typer.Option(help="Such as 2026-11-15; today if left out.", show_default=False)
    ] = None,
) -> None:
    """What a day or a week was about: tasks, conversations, what was learned, what is open."""
    with call.book() as book:
        call.show(book.report("week" if week else "day", day=_date(day)), work_pages.report)


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise BadInput(f"{text!r} is not a day.", hint="Write it as 2026-11-15.") from error


# The profile: what is always handed over about the person, in a thousand characters.


profile_group = make_group("What every agent is told about you, in a thousand characters.")


@command(profile_group, "show")
def show_profile(call: Call, scope: ScopeOption = None) -> None:
    """Show the profile and how full it is."""
    with call.book() as book:
        call.show(_profile_text(book.profile(scope=scope)), work_pages.profile)


@command(profile_group, "set")
def set_profile(
    call: Call,
    text: Annotated[str, typer.Argument(help="The text; - reads standard input.")],
    section: Annotated[str | None, typer.Option(help="Only this section of it.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Add it as one more line.")] = False,
    scope: ScopeOption = None,
) -> None:
    """Set the profile, or one section of it; refused past the limit."""
    with call.book() as book:
        new = book.profile_set(content(text), section=section, add=add, scope=scope)
        call.show(_profile_text(new), work_pages.profile)


@command(profile_group, "edit")
def edit_profile(call: Call, scope: ScopeOption = None) -> None:
    """Change the profile in your editor."""
    with call.book() as book:
        before = book.profile(scope=scope).text
        instead = "use `commonplace profile set`"
        with edited(before, name="profile", environ=call.environ, instead=instead) as text:
            call.show(_profile_text(book.profile_set(text, scope=scope)), work_pages.profile)


def _profile_text(shown: Profile) -> dict[str, object]:
    sections = {part.name: part.characters for part in shown.sections}
    return {
        "scope": shown.scope, "text": shown.text, "characters": shown.characters,
        "limit": LIMIT, "percent": shown.percent, "sections": sections,
    }  # fmt: skip


# Places outside the book that can be asked.


sources_group = make_group(
    "Ask folders and endpoints outside the book; nothing of theirs is stored."
)


@command(sources_group, "add")
def add_source(
    call: Call,
    name: Annotated[str, typer.Argument(help="What you call it.")],
    target: Annotated[str, typer.Argument(metavar="FOLDER|URL", help="Where it is.")],
) -> None:
    """Let a folder of documents or an HTTP endpoint be asked from now on."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise BadInput(f"{name!r} cannot name a source.", hint="Use a plain word, such as docs.")
    if target.startswith(("http://", "https://")):
        require_source_address(name, target)
    else:
        target = os.path.abspath(os.path.expanduser(target.removeprefix("folder:")))
        if not os.path.isdir(target):
            raise BadInput(f"There is no folder {target}.", hint="Give a folder or an address.")
    _remember(name, target, call.environ)
    call.show({"name": name, "target": target}, work_pages.source)


@command(sources_group, "list")
def list_sources(call: Call) -> None:
    """List what can be asked."""
    known = settings.load(call.environ).sources
    told = [{"name": name, "target": str(target)} for name, target in known.items()]
    call.show(told, work_pages.sources)


@command(sources_group, "search")
def search_sources(
    call: Call,
    question: Annotated[list[str], typer.Argument(help="What to ask.")],
    source: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be repeated.")
    ] = None,
    limit: Limit = 5,
    timeout: Annotated[float, typer.Option(help="Seconds that each may take.")] = 5.0,
) -> None:
    """Ask all sources at once; each passage says where it is from."""
    with call.book() as book:
        asked = book.sources_search(
            " ".join(question), names=source, limit=limit, timeout_s=timeout
        )
        call.show(asked, work_pages.passages)


def _remember(name: str, target: str, environ: Mapping[str, str]) -> None:
    """Write a source into the settings file; everything else in it stays as it is."""
    from ruamel.yaml import YAML

    if name in settings.load(environ).sources:
        raise Conflict(f"There is a source {name} already.", hint="Take another name.")
    # Where the settings are a link into somebody's dotfiles, they stay one.
    path = os.path.realpath(config_path(environ))
    yaml: Any = YAML()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        held: Any = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                held = yaml.load(file) or {}
        if not held.get("sources"):
            held["sources"] = {}
        held["sources"][name] = target
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            yaml.dump(held, file)
        if os.path.exists(path):
            shutil.copymode(path, f"{path}.new")
        os.replace(f"{path}.new", path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written.", hint="Check its permissions.") from error
