"""Forget and purge by description: a table of what goes and what stays, and one question."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from ...model.errors import BadInput, Refused
from ...model.identity import short_id
from ...model.memory import Memory
from ...rules.authority import require_person
from ...verbs.forget_about import ForgottenAbout, Previewed, PurgedAbout
from . import text_format
from .call import Call, console
from .render import aside, say, table

AboutOption = Annotated[
    str | None,
    typer.Option(
        "--about",
        metavar="DESCRIPTION",
        help="All memories that are meant by these words, such as `the Oslo trip`.",
        show_default=False,
    ),
]
AlsoOption = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="MEMORY",
        help="With --about: a memory listed as near that goes as well; may be repeated.",
        show_default=False,
    ),
]
TEXT_CELLS = 70


def require_one_aim(
    ref: str, about: str | None, *, also: Sequence[str] | None, scope: str | None
) -> None:
    """Raise BadInput unless either a memory is named or a description is given."""
    if about is not None and ref:
        raise BadInput("A memory and --about were given.", hint="Give one of them.")
    if about is None and not ref.strip():
        raise BadInput("No memory is named.", hint="Name one, or describe several with --about.")
    if about is None and (also or scope):
        raise BadInput("--also and --scope are for --about.", hint="Leave them out.")


def forget_about(
    call: Call, about: str, *, also: Sequence[str], scope: str | None, yes: bool
) -> None:
    """Preview what a description means, ask once, and forget it."""
    with call.book() as book:
        seen = book.about(about, scope=scope)
        if not _confirmed(call, seen, also, yes=yes, act="forget"):
            return
        done = book.forget_about(about, seen.id, also=also, scope=scope)
        call.show(done, lambda out, gone: render_forgotten_about(out, gone, listed=yes))


def purge_about(
    call: Call, about: str, *, also: Sequence[str], scope: str | None, yes: bool
) -> None:
    """Preview what a description means, ask once, and purge it."""
    with call.book() as book:
        require_person(book.source, "purge memories")
        seen = book.about(about, scope=scope, purge=True)
        if not _confirmed(call, seen, also, yes=yes, act="purge"):
            return
        done = book.purge_about(about, seen.id, also=also, scope=scope)
        call.show(done, render_purged_about)


def _confirmed(call: Call, seen: Previewed, also: Sequence[str], *, yes: bool, act: str) -> bool:
    """Show the preview; whether a person, or --yes, confirms it."""
    if yes:
        return True
    asks = sys.stdin.isatty() and not call.json
    call.show(seen, lambda out, preview: render_preview(out, preview, act=act))
    count = len(seen.going) + len(also)
    if not count:
        return False
    if not asks:
        if not call.json:
            aside(console(), f"Nothing was changed. To {act} them, add --yes.")
        return False
    undo = "This cannot be undone." if act == "purge" else "One revert brings them back."
    memories = text_format.counted(count, "memory", "memories")
    if act == "purge":
        typer.echo(f"{memories} will be deleted with all versions. {undo}", err=True)
        if typer.prompt(f"Type `purge {count}` to go ahead", err=True).strip() != f"purge {count}":
            raise Refused("Nothing was purged.", hint=f"Type `purge {count}`.")
        return True
    return typer.confirm(f"Forget {memories}? {undo}", err=True)


def render_preview(out: Console, seen: Previewed, *, act: str = "forget") -> None:
    """A table of what goes, and apart from it what is near and stays, with the reason."""
    if seen.going:
        goes = {"forget": "Will be forgotten", "purge": "Will be purged for good"}[act]
        say(out, f"{goes}: {text_format.counted(len(seen.going), 'memory', 'memories')}")
        rows = ((short_id(one.id), _words(one), str(one.scope)) for one in seen.going)
        table(out, ("Id", "Text", "Scope"), rows)
        for id, left in seen.left.items():
            aside(out, f"Of {short_id(id)} this stays: {text_format.line(left)}")
    else:
        say(out, "No memory fits this description.")
    if seen.near:
        say(out, "Near, and stays:")
        rows = ((short_id(one.memory.id), _words(one.memory), one.why) for one in seen.near)
        table(out, ("Id", "Text", "Why it stays"), rows)
        aside(out, "Take one along with --also ID.")


def _words(memory: Memory) -> str:
    return text_format.fit(text_format.line(memory.title or memory.content), TEXT_CELLS)


def render_forgotten_about(out: Console, done: ForgottenAbout, *, listed: bool) -> None:
    """How many went, the command that brings them back, and what waits for a person.

    Which ones is `listed` where no preview has shown them.
    """
    if done.memories or not done.shortened:
        count = text_format.counted(len(done.memories), "memory", "memories")
        say(out, f"Forgotten: {count}.", "green")
        if listed and done.memories:
            rows = ((short_id(one.id), _words(one), str(one.scope)) for one in done.memories)
            table(out, ("Id", "Text", "Scope"), rows)
    for one in done.shortened:
        say(out, f"Forgotten in part; this stays: {text_format.line(one.content)}", "green")
    if done.id:
        aside(out, f"Undo: commonplace revert {done.id}")
    if done.proposal is not None:
        name = text_format.name(done.proposal)
        aside(out, f"A person decides about the others: commonplace inbox show {name}")


def render_purged_about(out: Console, done: PurgedAbout) -> None:
    """The receipt of a purge."""
    versions = text_format.counted(len(done.ids) - len(done.proposals), "version", "versions")
    say(out, f"Purged {versions} for good. This has no undo.")
    say(out, f"Receipt: book {done.book}, {done.at.isoformat()}, tombstones {done.tombstones}")
    if done.derived:
        aside(out, f"Derived from them, and may repeat them: {', '.join(done.derived)}")
