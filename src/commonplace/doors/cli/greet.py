"""`commonplace` without a command: what there is, what is connected, what to do next.

Imports neither typer nor rich, which cost several bare starts of Python.
"""

from __future__ import annotations

import sys

from ... import __version__, settings
from ...model.errors import BadInput, CommonplaceError
from ...model.memory import LIVE
from ...model.value import Value
from ...ports.search_index import Where
from ...projects import working_folder
from ...verbs.find import listed
from . import failures
from .open_book import open_for, refuse_empty_url, source_of
from .plain_options import SHARED
from .text_format import clean, columns, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..default_book import CreatedBook
    from ..install.records import HostConnection

_YES, _NO = {"y", "yes"}, {"n", "no"}
_WIDTH = 44
"""Columns of the commands, before the words about them."""


class NextStep(Value):
    """A command to try, and what it is for."""

    command: str
    words: str


class Greeting(Value):
    """The state of the book and of the coding agents."""

    version: str
    book: str
    memories: int = 0
    waiting: int = 0
    """Decisions that wait for the person."""
    trouble: str = ""
    """Why the book cannot be read, or empty."""
    agents: tuple[HostConnection, ...] = ()
    """The coding agents on this machine."""
    next: tuple[NextStep, ...] = ()


class GreetingCommand(Value):
    """The shared options of a call without a command."""

    shared: Mapping[str, str]
    json: bool


def parse(arguments: Sequence[str]) -> GreetingCommand | None:
    """The options, or None if the arguments are more than shared options."""
    shared: dict[str, str] = {}
    as_json = False
    rest = iter(arguments)
    for one in rest:
        name, equals, value = one.partition("=")
        if one == "--json":
            as_json = True
        elif name in {f"--{known}" for known in SHARED}:
            given = value if equals else next(rest, None)
            if given is None:
                return None
            shared[name[2:]] = given
        else:
            return None
    return GreetingCommand(shared, as_json)


def run(asked: GreetingCommand, environ: Mapping[str, str]) -> int:
    """Greet; the first time, set up the book that no option and no setting names."""
    refuse_empty_url(asked.shared)
    if not (asked.shared.get("url") or settings.load(environ).url):
        _set_up(environ, ask=source_of(environ) == "cli" and not asked.json, quiet=asked.json)
    found = greeting(asked.shared, environ)
    if asked.json:
        from ..plain_data import to_json

        sys.stdout.write(to_json(found) + "\n")
    else:
        sys.stdout.write(rendered(found, columns()))
    return 0


# The first time


def _set_up(environ: Mapping[str, str], *, ask: bool, quiet: bool) -> None:
    """Create the book; a person at a terminal is asked where, and what to connect."""
    from ..default_book import FOLDER, create_book

    if ask:
        sys.stdout.write("Commonplace is a memory for AI agents.\n")
        sys.stdout.write("Enter accepts what is proposed.\n\n")
    made = _asked_book(f"Folder of your book [~/{FOLDER}]: ", environ) if ask else None
    made = made or create_book(None, environ)
    if not quiet:
        sys.stdout.write(f"Your book is ready: {clean(made.url)}\n")
    if ask:
        _connect(environ)
        sys.stdout.write("\n")


def _asked_book(question: str, environ: Mapping[str, str]) -> CreatedBook | None:
    """The book that the person names, asked again until one can be made; None for the default."""
    from ..default_book import create_book

    while (where := _answer(question, at_end=None)) and where.lower() not in _YES:
        if where.lower() in _NO:
            sys.stdout.write("Type the path of a folder; Enter accepts the one in brackets.\n")
            continue
        try:
            return create_book(where, environ)
        except CommonplaceError as error:
            sys.stdout.write(f"{clean(str(error))}\n")
    return None


def _connect(environ: Mapping[str, str]) -> None:
    from ..install.install import install
    from ..install.records import connections

    free = [one for one in connections(environ) if one.present and not one.hooks]
    if not free:
        return
    titles = " and ".join(one.title for one in free)
    they = "it remembers" if len(free) == 1 else "they remember"
    question = f"Connect {titles}, so that {they}? [Y/n]: "
    while (answer := _answer(question, at_end="n").lower()) not in {"", *_YES, *_NO}:
        sys.stdout.write("Type y or n.\n")
    if answer in _NO:
        return
    for one in free:
        try:
            done = install(one.host, environ)
        except CommonplaceError as error:
            sys.stdout.write(f"{one.title} is not connected: {clean(str(error))}\n")
        else:
            sys.stdout.write(f"{one.title} is connected. {done.next}".rstrip() + "\n")


def _answer(question: str, *, at_end: str | None) -> str:
    """The line that the person types; `at_end` if there is none to come, else the end."""
    sys.stdout.write(question)
    sys.stdout.flush()
    try:
        typed = sys.stdin.readline()
    except KeyboardInterrupt:
        sys.stdout.write("\n")  # The shell's prompt begins a line of its own.
        raise
    if not typed:
        sys.stdout.write("\n")
        if at_end is not None:
            return at_end
        failures.say_unanswered("no book was made", as_json=False)
        raise KeyboardInterrupt
    return typed.strip()


# Every time


def greeting(shared: Mapping[str, str], environ: Mapping[str, str]) -> Greeting:
    """Look at the book and at the coding agents of this machine."""
    from ..install.records import connections

    book = shared.get("url") or settings.load(environ).url or ""
    agents = tuple(one for one in connections(environ) if one.present)
    found = Greeting(__version__, book, agents=agents)
    try:
        with open_for(shared, environ, folder=working_folder()) as opened:
            used = listed(Where(statuses=LIVE), include_archive=False)
            memories = sum(opened.count_by("kind", where=used).values())
            found = found.but(memories=memories, waiting=len(opened.inbox()))
    except BadInput:
        raise  # An option or a setting is wrong, which is no state of the book.
    except CommonplaceError as error:
        found = found.but(trouble=str(error))
    return found.but(next=_next_steps(found))


def _next_steps(found: Greeting) -> tuple[NextStep, ...]:
    steps: list[NextStep] = []
    if found.trouble:
        steps.append(NextStep("commonplace doctor", "find out what is wrong"))
    elif not found.memories:
        save = 'commonplace save "We deploy from main"'
        steps.append(NextStep(save, "remember something"))
        steps.append(NextStep("commonplace tour", "see what it does, in a minute"))
    else:
        steps.append(NextStep('commonplace recall "which branch?"', "ask"))
    if found.waiting:
        steps.append(NextStep("commonplace inbox", "decide what waits"))
    for one in found.agents:
        command = f"commonplace install {one.host}"
        if not one.trouble and not (one.hooks or one.mcp):
            steps.append(NextStep(command, f"connect {one.title}"))
        elif _mended_by_install(one):
            steps.append(NextStep(command, f"repair {one.title}"))
    if not found.agents:
        steps.append(NextStep("commonplace install", "connect a coding agent"))
    steps.append(NextStep("commonplace serve", "open the panel in a browser"))
    steps.append(NextStep("commonplace --help", "all commands"))
    return tuple(steps)


def rendered(found: Greeting, width: int) -> str:
    """The greeting as text of a width."""
    lines = [f"Commonplace {found.version}", "", f"Book       {line(found.book)}"]
    if found.trouble:
        lines.append(f"           {line(found.trouble)}")
    else:
        waiting = f"; {counted(found.waiting, 'decision waits', 'decisions wait')} for you"
        lines.append(f"Memories   {found.memories:,}{waiting if found.waiting else ''}")
    first, *more = _agents(found.agents)
    lines += [f"Agents     {first}", *(f"           {one}" for one in more), "", "Next"]
    beside = [f"  {step.command:<{_WIDTH}}{step.words}".rstrip() for step in found.next]
    below = [part for one in found.next for part in (f"  {one.command}", f"      {one.words}")]
    lines += beside if max(map(len, beside)) <= width else below
    return "\n".join(lines) + "\n"


def _agents(agents: Sequence[HostConnection]) -> list[str]:
    """A line for each coding agent, with the ways that it is connected by and what to do."""
    if not agents:
        return ["none found on this machine"]
    return [f"{one.title} ({_state(one)})" for one in agents]


def _state(one: HostConnection) -> str:
    known = f"connected by {one.ways}" if one.ways else "not connected"
    if not one.trouble:
        return known
    hint = "" if _mended_by_install(one) else f". {line(one.hint).removesuffix('.')}"
    return f"{known}; {line(one.trouble)}{hint}"


def _mended_by_install(one: HostConnection) -> bool:
    """Whether `install` alone is the remedy; any other stands beside the problem."""
    return one.hint.startswith(f"Run `commonplace install {one.host}`")
