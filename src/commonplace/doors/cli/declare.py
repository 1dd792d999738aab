"""Declare commands: register them with the options that all share, and define common options.

Typer reads annotations at run time, so modules with commands do not postpone them.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Concatenate, ParamSpec, TypedDict, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from ...language.periods import read_since
from ...model.errors import CommonplaceError
from ...model.memory import KINDS, OWNERS, SENSITIVITIES, STATUSES
from .. import plain_words
from . import text_format
from .call import Call
from .open_book import open_for, refuse_empty_url
from .plain_options import SHARED

P = ParamSpec("P")
EVERYWHERE = "On every command"
START, REMEMBER, FIND, CHANGE = "Start", "Remember", "Find", "Change"
AGENT_CONTEXT, CONNECT, WORK = "Context for agents", "Connect agents", "Tasks and sessions"
HISTORY, MAINTENANCE = "History and undo", "Maintenance"
TRANSFER, SERVER = "Export, import and move", "Server"
"""Panels of `commonplace --help`, and headings of docs/commands.md."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=EVERYWHERE)]


_SHARED_HELP = {
    "url": "The book, such as vault:~/notes or sqlite:memory.db; also COMMONPLACE_URL.",
    "org": "Act as a member of this organisation; also COMMONPLACE_ORG.",
    "user": "Act as this user; also COMMONPLACE_USER.",
    "project": "Act within this project; also COMMONPLACE_PROJECT.",
    "agent": "Act as this agent; also COMMONPLACE_AGENT.",
    "task": "Act within this task; also COMMONPLACE_TASK.",
}


def _option(*flags: str, help: str, **more: Any) -> Any:
    return typer.Option(*flags, help=help, show_default=False, **more)


def _shared_option(name: str) -> Any:
    option = _option(f"--{name}", help=_SHARED_HELP[name], rich_help_panel=EVERYWHERE)
    return Annotated[str | None, option]


_Kind = inspect.Parameter.KEYWORD_ONLY
_CONTEXT = inspect.Parameter("ctx", _Kind, annotation=typer.Context)
_SHARED = (
    inspect.Parameter("json", _Kind, annotation=JsonOption, default=False),
    *(
        inspect.Parameter(name, _Kind, annotation=_shared_option(name), default=None)
        for name in SHARED
    ),
)


class DefaultCommandGroup(TyperGroup):
    """A group that runs its first command when none of its commands is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the first command's name before arguments that name no command."""
        named = any(one in self.commands for one in args)
        if args and not named and not {"--help", "-h"} & {*args}:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)


class ListGroup(TyperGroup):
    """A group that runs its first command, which lists, when it is named alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the first command's name where there is none, or only options."""
        options = all(one not in self.commands for one in args) and not {"--help", "-h"} & {*args}
        if options and (not args or args[0].startswith("-")):
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)


def group(help: str | None = None, *, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """Make a group of commands; with `help`, shared options may also stand after its name."""
    made = typer.Typer(help=help, no_args_is_help=True, rich_markup_mode="rich", cls=cls)
    if help is not None:
        callback(made, lambda: None, help)
    return made


def command(
    group: typer.Typer, name: str | None = None, *, panel: str | None = None
) -> Callable[[Callable[Concatenate[Call, P], None]], Callable[Concatenate[Call, P], None]]:
    """Register a function of a `Call` and its own options as a command."""

    def register(
        function: Callable[Concatenate[Call, P], None],
    ) -> Callable[Concatenate[Call, P], None]:
        own = list(_own_parameters(function))

        def run(**given: Any) -> None:
            context: typer.Context = given.pop("ctx")
            _check_numbers(given)
            call = _merged(context.obj, {one.name: given.pop(one.name) for one in _SHARED})
            function(call, **given)  # pyright: ignore[reportCallIssue]

        _set_signature(run, function.__name__, function.__doc__, [_CONTEXT, *own, *_SHARED])
        group.command(name, rich_help_panel=panel)(run)
        return function

    return register


def _check_numbers(given: Mapping[str, Any]) -> None:
    """Refuse `nan`, which Typer takes for a number and within every range."""
    for name, value in given.items():
        if isinstance(value, float) and math.isnan(value):
            raise typer.BadParameter("it has to be a number.", param_hint=f"'--{name}'")


def _own_parameters(function: Callable[..., None]) -> Iterator[inspect.Parameter]:
    """The parameters after the `Call`; `**filters` becomes one for each key of its TypedDict."""
    for one in list(inspect.signature(function).parameters.values())[1:]:
        if one.kind is not one.VAR_KEYWORD:
            _name_in_capitals(one)
            yield one
            continue
        filters = get_type_hints(get_args(one.annotation)[0], include_extras=True)
        for name, hint in filters.items():
            default = False if get_args(hint)[0] is bool else None
            yield inspect.Parameter(name, _Kind, annotation=hint, default=default)


def _name_in_capitals(parameter: inspect.Parameter) -> None:
    """Call a required argument `GOAL` in help and messages, which else some call `goal`."""
    if parameter.default is parameter.empty and get_args(parameter.annotation)[:1] == (str,):
        for about in get_args(parameter.annotation)[1:]:
            if isinstance(about, typer.models.ArgumentInfo) and about.metavar is None:
                about.metavar = parameter.name.upper()


def callback(app: typer.Typer, function: Callable[..., None], help: str | None = None) -> None:
    """Accept the shared options before the command's name, too."""
    own = list(inspect.signature(function).parameters.values())

    def run(**given: Any) -> None:
        context: typer.Context = given.pop("ctx")
        before = {one.name: given.pop(one.name) for one in _SHARED}
        context.obj = _merged(context.obj, before)
        function(**given)

    _set_signature(run, "commonplace", help or function.__doc__, [_CONTEXT, *own, *_SHARED])
    app.callback()(run)


def _merged(call: Call, given: Mapping[str, Any]) -> Call:
    named = {name: given[name] for name in SHARED if given[name] is not None}
    refuse_empty_url(named)  # Also for commands that open no book.
    return call.but(shared={**call.shared, **named}, json=call.json or given["json"])


def _set_signature(
    run: Callable[..., None], name: str, doc: str | None, parameters: list[inspect.Parameter]
) -> None:
    keyword = [one.replace(kind=_Kind) for one in parameters]
    run.__name__, run.__doc__ = name, _unwrapped(doc or "")
    run.__annotations__ = {one.name: one.annotation for one in keyword}
    vars(run)["__signature__"] = inspect.Signature(keyword)


def _unwrapped(doc: str) -> str:
    """A docstring with each paragraph in one line, which Typer wraps to the terminal's width."""
    return "\n\n".join(one.replace("\n", " ") for one in inspect.cleandoc(doc).split("\n\n"))


def one_of(allowed: Collection[str], words: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Keyword arguments for an option whose values are a fixed set; `words` may stand for them."""
    names = {word: name for name, word in (words or {}).items()}

    def named(one: str) -> str:
        if names.get(one, one) not in allowed:
            raise typer.BadParameter(f"{one!r} is not one of {', '.join(allowed)}.")
        return names.get(one, one)

    def check(value: str | list[str] | None) -> str | list[str] | None:
        return named(value) if isinstance(value, str) else value and [named(one) for one in value]

    return {
        "callback": check,
        "autocompletion": lambda: list(allowed),
        "metavar": "|".join(allowed),
    }


def complete_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of memories that begin with the typed text, for the shell's completion."""
    given = {name: value for name in SHARED if (value := ctx.params.get(name))}
    call: Call = ctx.find_root().obj
    try:
        with open_for(given, call.environ) as book:
            names = [text_format.name(memory) for memory in book.list(limit=1_000)]
    except CommonplaceError:
        return []  # Completion cannot show an error.
    return [name for name in names if name.startswith(incomplete)]


_REF: dict[str, Any] = {
    "metavar": "MEMORY",
    "help": "Id, slug, title, alias or exact text of the memory, or the key of a fact.",
    "autocompletion": complete_names,
}
Ref = Annotated[str, typer.Argument(**_REF)]
OptionalRef = Annotated[str, typer.Argument(**_REF, show_default=False)]
_SCOPE = "such as /project/mech-fighters; / is the whole book."
_KINDS: dict[str, Any] = {"autocompletion": lambda: list(KINDS)}

ScopeOption = Annotated[str | None, _option("--scope", help=f"Scope that may see it, {_SCOPE}")]
KindOption = Annotated[
    str | None, _option("--kind", help=f"Kind of memory: {', '.join(KINDS[:7])}, …", **_KINDS)
]
TopicOption = Annotated[str | None, _option("--topic", help="Topic.")]
TagsOption = Annotated[list[str] | None, _option("--tag", help="Tag; may be repeated.")]
SensitivityOption = Annotated[
    str | None, _option("--sensitivity", help="How private it is.", **one_of(SENSITIVITIES))
]
ConfidenceOption = Annotated[
    float | None, _option("--confidence", min=0, max=1, help="How sure it is, from 0 to 1.")
]
ImportanceOption = Annotated[
    float | None, _option("--importance", min=0, max=1, help="How much it matters, from 0 to 1.")
]

OnlyScope = Annotated[str | None, _option("--scope", help=f"Only this exact scope, {_SCOPE}")]
OnlyKinds = Annotated[
    list[str] | None, _option("--kind", help="Only this kind; may be repeated.", **_KINDS)
]
OnlyTopic = Annotated[str | None, _option("--topic", help="Only this topic.")]
OnlyTags = Annotated[
    list[str] | None, _option("--tag", help="Only with this tag; may be repeated.")
]
OnlyStatuses = Annotated[
    list[str] | None,
    _option(
        "--status",
        help="Only with this status; may be repeated.",
        **one_of(STATUSES, plain_words.STATUSES),
    ),
]
OnlyOwners = Annotated[
    list[str] | None,
    _option("--owner", help="Only of this owner; may be repeated.", **one_of(OWNERS)),
]
OnlySensitivities = Annotated[
    list[str] | None,
    _option(
        "--sensitivity",
        help="Only memories this private; may be repeated.",
        **one_of(SENSITIVITIES),
    ),
]
OnlyBranch = Annotated[
    str | None,
    _option("--branch", metavar="NAME", help="Only learned on this branch, merged or not."),
]
FromBranch = Annotated[
    str | None,
    _option("--branch", metavar="NAME", help="The one learned on this branch, merged or not."),
]
IncludeArchive = Annotated[
    bool,
    typer.Option(
        "--include-archive", "--archive", help="Also the archive: summaries, replaced memories."
    ),
]
IncludeInbox = Annotated[
    bool, typer.Option("--include-inbox", "--inbox", help="Also memories that wait for review.")
]
OnlySince = Annotated[
    str | None, _option("--since", metavar="7d|DATE", help="Only saved or said since then.")
]
OnlyUntil = Annotated[
    str | None, _option("--until", metavar="7d|DATE", help="Only saved or said until then.")
]


class FilterOptions(TypedDict, total=False):
    """The options that filter memories, by the names of `model.conditions`."""

    kinds: OnlyKinds
    scope: OnlyScope
    topic: OnlyTopic
    tags: OnlyTags
    since: OnlySince
    until: OnlyUntil
    sensitivities: OnlySensitivities
    branch: OnlyBranch
    include_archive: IncludeArchive
    include_inbox: IncludeInbox


class ListFilterOptions(FilterOptions, total=False):
    """The options that filter a list or an export."""

    statuses: OnlyStatuses
    owners: OnlyOwners


Limit = Annotated[int, typer.Option("--limit", "-n", help="Show at most this many.")]


_METAVAR, _HELP = "7d|12h|2w|DATE", "How far to look back: a period or a date."

SinceOption = Annotated[str, typer.Option("--since", metavar=_METAVAR, help=_HELP)]
SinceAnyTime = Annotated[str | None, _option("--since", metavar=_METAVAR, help=_HELP)]


def parse_since(text: str, now: datetime | None = None) -> datetime:
    """The start of a period before now, such as 7d, or of a local day."""
    return read_since(text, now=now or datetime.now(UTC))
