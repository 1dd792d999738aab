"""How a command is declared: its own options, then those that every command shares.

Typer reads annotations at run time, so the modules that declare commands keep them evaluated.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Concatenate, ParamSpec

import typer

from ...errors import CommonplaceError
from ...model import KINDS, OWNERS, SENSITIVITIES, STATUSES
from . import legible
from .call import Call
from .opening import SHARED, open_for

P = ParamSpec("P")
EVERYWHERE = "On every command"

JsonOption = Annotated[
    bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel=EVERYWHERE)
]


def _shared_option(name: str) -> Any:
    words = (
        "The book, such as vault:~/notes or sqlite:memory.db."
        if name == "url"
        else f"Ask as this {name}; also COMMONPLACE_{name.upper()}."
    )
    option = typer.Option(f"--{name}", help=words, rich_help_panel=EVERYWHERE, show_default=False)
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
    """A set of commands."""
    return typer.Typer(help=help, no_args_is_help=True, rich_markup_mode="rich")


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


def callback(app: typer.Typer, function: Callable[..., None]) -> None:
    """Let the shared options stand before the command, too."""
    own = list(inspect.signature(function).parameters.values())

    def run(**given: Any) -> None:
        context: typer.Context = given.pop("ctx")
        before = {one.name: given.pop(one.name) for one in _SHARED}
        context.obj = _merged(context.obj, before)
        function(**given)

    _rename(run, "commonplace", function.__doc__, [_CONTEXT, *own, *_SHARED])
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
            names = [legible.name(memory) for memory in book.list(limit=1_000)]
    except CommonplaceError:
        return []  # Completion has nowhere to say what is wrong.
    return [name for name in names if name.startswith(incomplete)]


Ref = Annotated[
    str,
    typer.Argument(
        metavar="MEMORY", help="Its id, slug, title or alias.", autocompletion=names_like
    ),
]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope", help="Such as /project/mech-fighters; / is the whole book.", show_default=False
    ),
]
KindOption = Annotated[
    str | None,
    typer.Option(
        "--kind",
        help=f"What it is: {', '.join(KINDS[:7])}, …",
        autocompletion=lambda: list(KINDS),
        show_default=False,
    ),
]
KindsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        help="Only this kind; may be repeated.",
        autocompletion=lambda: list(KINDS),
        show_default=False,
    ),
]
TopicOption = Annotated[str | None, typer.Option("--topic", help="Its topic.", show_default=False)]
TagsOption = Annotated[
    list[str] | None, typer.Option("--tag", help="A tag; may be repeated.", show_default=False)
]
ArchiveOption = Annotated[
    bool,
    typer.Option("--include-archive", "--archive", help="Also what was superseded or archived."),
]
InboxOption = Annotated[
    bool, typer.Option("--include-inbox", "--inbox", help="Also what waits for review.")
]
SensitivityOption = Annotated[
    str | None,
    typer.Option(
        "--sensitivity", help="Who may see it.", show_default=False, **one_of(SENSITIVITIES)
    ),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option("--confidence", min=0, max=1, help="How sure, 0 to 1.", show_default=False),
]
StatusesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--status", help="Only these; may be repeated.", show_default=False, **one_of(STATUSES)
    ),
]
OwnersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--owner", help="Only these; may be repeated.", show_default=False, **one_of(OWNERS)
    ),
]
