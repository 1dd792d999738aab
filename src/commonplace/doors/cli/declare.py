"""How a command is declared: its own options, then those that every command shares.

Typer reads annotations at run time, so the modules that declare commands keep them evaluated.
"""

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Concatenate, ParamSpec

import typer

from ...model.errors import BadInput, CommonplaceError
from ...model.memory import KINDS, OWNERS, SENSITIVITIES, STATUSES
from . import text_format
from .call import Call
from .open_book import SHARED, open_for

P = ParamSpec("P")
EVERYWHERE = "On every command"

JsonOption = Annotated[
    bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel=EVERYWHERE)
]


_WHO = {
    "url": "The book, such as vault:~/notes or sqlite:memory.db; also COMMONPLACE_URL.",
    "org": "Ask as a member of this org; also COMMONPLACE_ORG.",
    "user": "Ask as this user; also COMMONPLACE_USER.",
    "project": "Ask from within this project; also COMMONPLACE_PROJECT.",
    "agent": "Ask as this kind of agent; also COMMONPLACE_AGENT.",
    "task": "Ask from within this task; also COMMONPLACE_TASK.",
}


def _option(*flags: str, help: str, **more: Any) -> Any:
    return typer.Option(*flags, help=help, show_default=False, **more)


def _shared_option(name: str) -> Any:
    option = _option(f"--{name}", help=_WHO[name], rich_help_panel=EVERYWHERE)
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


def group(help: str | None = None) -> typer.Typer:
    """A set of commands; one with a name of its own takes the shared options after it, too."""
    made = typer.Typer(help=help, no_args_is_help=True, rich_markup_mode="rich")
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
        own = list(inspect.signature(function).parameters.values())[1:]

        def run(**given: Any) -> None:
            call = _call(given.pop("ctx"), {one.name: given.pop(one.name) for one in _SHARED})
            function(call, **given)  # pyright: ignore[reportCallIssue]

        _rename(run, function.__name__, function.__doc__, [_CONTEXT, *own, *_SHARED])
        group.command(name, rich_help_panel=panel)(run)
        return function

    return register


def callback(app: typer.Typer, function: Callable[..., None], help: str | None = None) -> None:
    """Let the shared options stand before the command, too."""
    own = list(inspect.signature(function).parameters.values())

    def run(**given: Any) -> None:
        context: typer.Context = given.pop("ctx")
        before = {one.name: given.pop(one.name) for one in _SHARED}
        context.obj = _merged(context.obj, before)
        function(**given)

    _rename(run, "commonplace", help or function.__doc__, [_CONTEXT, *own, *_SHARED])
    app.callback()(run)


def _call(context: typer.Context, after: Mapping[str, Any]) -> Call:
    return _merged(context.obj, after)


def _merged(call: Call, given: Mapping[str, Any]) -> Call:
    named = {name: given[name] for name in SHARED if given[name] is not None}
    return call.but(shared={**call.shared, **named}, json=call.json or given["json"])


def _rename(
    run: Callable[..., None], name: str, words: str | None, parameters: list[inspect.Parameter]
) -> None:
    keyword = [one.replace(kind=_Kind) for one in parameters]
    run.__name__, run.__doc__ = name, words
    run.__annotations__ = {one.name: one.annotation for one in keyword}
    vars(run)["__signature__"] = inspect.Signature(keyword)


def one_of(allowed: Collection[str]) -> dict[str, Any]:
    """Options for a value, or several, out of a known set."""

    def check(value: str | list[str] | None) -> str | list[str] | None:
        for one in [value] if isinstance(value, str) else value or []:
            if one not in allowed:
                raise typer.BadParameter(f"{one!r} is not one of {', '.join(allowed)}.")
        return value

    return {
        "callback": check,
        "autocompletion": lambda: list(allowed),
        "metavar": "|".join(allowed),
    }


def names_like(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of memories that begin as typed, for the shell's completion."""
    given = {name: value for name in SHARED if (value := ctx.params.get(name))}
    call: Call = ctx.find_root().obj
    try:
        with open_for(given, call.environ) as book:
            names = [text_format.name(memory) for memory in book.list(limit=1_000)]
    except CommonplaceError:
        return []  # Completion has nowhere to say what is wrong.
    return [name for name in names if name.startswith(incomplete)]


Ref = Annotated[
    str,
    typer.Argument(
        metavar="MEMORY", help="Its id, slug, title or alias.", autocompletion=names_like
    ),
]
_SCOPE = "Such as /project/mech-fighters; / is the whole book."
_KINDS: dict[str, Any] = {"autocompletion": lambda: list(KINDS)}

ScopeOption = Annotated[str | None, _option("--scope", help=f"Where it belongs. {_SCOPE}")]
KindOption = Annotated[
    str | None, _option("--kind", help=f"What it is: {', '.join(KINDS[:7])}, …", **_KINDS)
]
TopicOption = Annotated[str | None, _option("--topic", help="Its topic.")]
TagsOption = Annotated[list[str] | None, _option("--tag", help="A tag; may be repeated.")]
SensitivityOption = Annotated[
    str | None, _option("--sensitivity", help="Who may see it.", **one_of(SENSITIVITIES))
]
ConfidenceOption = Annotated[
    float | None, _option("--confidence", min=0, max=1, help="How sure, 0 to 1.")
]

OnlyScope = Annotated[str | None, _option("--scope", help=f"Only exactly this scope. {_SCOPE}")]
OnlyKinds = Annotated[
    list[str] | None, _option("--kind", help="Only this kind; may be repeated.", **_KINDS)
]
OnlyTopic = Annotated[str | None, _option("--topic", help="Only this topic.")]
OnlyTags = Annotated[
    list[str] | None, _option("--tag", help="Only with this tag; may be repeated.")
]
OnlyStatuses = Annotated[
    list[str] | None,
    _option("--status", help="Only these; may be repeated.", **one_of(STATUSES)),
]
OnlyOwners = Annotated[
    list[str] | None, _option("--owner", help="Only these; may be repeated.", **one_of(OWNERS))
]
IncludeArchive = Annotated[
    bool,
    typer.Option("--include-archive", "--archive", help="Also what was superseded or archived."),
]
IncludeInbox = Annotated[
    bool, typer.Option("--include-inbox", "--inbox", help="Also what waits for review.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", help="At most this many.")]


# `--since`, the way people say it: 7d, 12h, 2w, or a day.


_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}

_METAVAR, _HELP = "7d|12h|2w|DATE", "How far to look back."

SinceOption = Annotated[str, typer.Option("--since", metavar=_METAVAR, help=_HELP)]
SinceAnyTime = Annotated[
    str | None, typer.Option("--since", metavar=_METAVAR, help=_HELP, show_default=False)
]


def moment(text: str, now: datetime | None = None) -> datetime:
    """The moment that a period before now, or a local day, begins with."""
    now = now or datetime.now(UTC)
    try:
        if found := re.fullmatch(r"(\d{1,5})\s*([hdw])", text.strip().lower()):
            return now - int(found[1]) * _UNITS[found[2]]
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{text[:40]!r} is no time to look back to.", hint="Write 7d, 12h, 2w or 2026-05-01."
        ) from error
