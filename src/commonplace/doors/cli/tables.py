"""Several things at once, as tables; and what to try where there is nothing to show."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ...notes.display import named
from . import text_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from ...model.memory import Event, Link, Memory, Problem, Retrieval
    from ...model.results import Links, Verified

_SEVERITY = {"error": "red", "warning": "yellow", "notice": "dim"}
_TEXT_CHARACTERS = 200
_GAP = 3
"""Cells between two columns of a table, at most."""


def memories(console: Console, found: Sequence[Memory], unlike: str = "") -> None:
    """One line for each memory; where nothing is as it was asked for, `unlike` says so."""
    if not found:
        nothing(console, 'commonplace save "We deploy from the branch main"', unlike)
        return
    now = datetime.now(UTC)
    unusual = any(memory.status != "active" for memory in found)
    about = [
        (
            memory.kind,
            text_format.line(str(memory.scope)),
            text_format.ago(memory.updated, now),
            *((memory.status,) if unusual else ()),
        )
        for memory in found
    ]
    headers = ("Kind", "Scope", "Changed", *(("Status",) if unusual else ()))
    longest = max(text_format.width(text_format.name(memory)) for memory in found)
    widths = [max(map(text_format.width, column)) for column in zip(headers, *about, strict=True)]
    if longest + sum(widths) + _GAP * len(widths) > console.width:
        _one_below_the_other(console, found, about)
        return
    # The text gives way, down to the name below it: a name that is broken cannot be copied.
    drawn = _table(("Memory and its name", *headers), whole=headers, least=longest)
    for memory, row in zip(found, about, strict=True):
        drawn.add_row(_above(_short(named(memory)), text_format.name(memory)), *row)
    console.print(drawn)


def _one_below_the_other(
    console: Console, found: Sequence[Memory], about: Sequence[Sequence[str]]
) -> None:
    for memory, more in zip(found, about, strict=True):
        console.print(Text(_short(named(memory)), style="bold"))
        console.print(
            Text(" · ".join((text_format.name(memory), *more)), style="dim"), soft_wrap=True
        )


def facts(console: Console, found: Sequence[Memory], unlike: str = "") -> None:
    """Keys and values; where nothing is as it was asked for, `unlike` says so."""
    if not found:
        nothing(console, "commonplace fact set deploy.branch main", unlike)
        return
    now = datetime.now(UTC)
    rows = (
        (
            Text(text_format.line(fact.key or ""), style="bold"),
            _short(fact.value or fact.content),
            text_format.line(str(fact.scope)),
            text_format.line(fact.namespace or ""),
            text_format.ago(fact.updated, now),
        )
        for fact in found
    )
    table(console, ("Key", "Value", "Scope", "Namespace", "Changed"), rows)


def events(console: Console, found: Sequence[Event], unlike: str = "") -> None:
    """Audited changes; `revert` takes the id of any."""
    if not found:
        nothing(console, 'commonplace save "Something worth keeping"', unlike)
        return
    rows = (
        (
            text_format.clock(event.at),
            _above(
                event.action + (" by itself" if event.automatic else ""),
                text_format.line(f"{event.scope} through {event.by}"),
            ),
            _above(event.id, event.memory),
        )
        for event in found
    )
    table(console, ("When", "What", "Change and memory"), rows, whole=("Change and memory",))


def retrievals(console: Console, found: Sequence[Retrieval]) -> None:
    """What was asked, and what came back."""
    if not found:
        nothing(console, "commonplace recall which branch do we deploy from")
        return
    now = datetime.now(UTC)
    rows = (
        (
            text_format.ago(one.at, now),
            Text(text_format.line(one.query), style="bold"),
            "\n".join(f"{score:6.2f}  {id}" for id, score in one.results) or "nothing",
        )
        for one in found
    )
    table(console, ("When", "Question", "Score and memory"), rows, whole=("Score and memory",))


def links(console: Console, found: Links, names: Mapping[str, str]) -> None:
    """Links out of a memory and into it."""
    if not found.outgoing and not found.incoming:
        console.print("No links yet. Write [[another memory's name]] into its text to make one.")
        return
    for link in found.outgoing:
        broken = link.resolved is None
        target = "nothing" if broken else names.get(link.resolved or "", link.resolved or "")
        style = "red" if broken else "green"
        console.print(Text.assemble("→ ", _written(link), ("  leads to ", "dim"), (target, style)))
    for link in found.incoming:
        source = names.get(link.source, link.source)
        console.print(Text.assemble("← ", (source, "green"), ("  as ", "dim"), _written(link)))


def broken_links(console: Console, found: Sequence[Link], names: Mapping[str, str]) -> None:
    """Links that lead nowhere, and where they stand."""
    if not found:
        console.print("Every link leads somewhere.")
        return
    rows = ((names.get(link.source, link.source), _written(link)) for link in found)
    table(console, ("In", "Leads nowhere"), rows, whole=("In",))


def problems(console: Console, found: Sequence[Problem]) -> None:
    """What a person should look at."""
    if not found:
        console.print(Text("Everything is in order.", style="green"))
        return
    for problem in found:
        console.print(
            Text.assemble(
                (f"{problem.severity:8}", _SEVERITY.get(problem.severity, "")),
                (text_format.line(problem.where), "bold"),
                f"  {text_format.line(problem.what)}",
            ),
            soft_wrap=True,
        )
        if problem.hint:
            console.print(
                Text(f"{'':8}{text_format.line(problem.hint)}", style="dim"), soft_wrap=True
            )


def verified(console: Console, state: Verified) -> None:
    """Whether the audit chain is whole."""
    if state.sound:
        count = text_format.counted(state.events, "change", "changes")
        console.print(f"{count}, none altered, removed or reordered.")
    else:
        problems(console, state.problems)


def _written(link: Link) -> str:
    heading = f"#{link.heading}" if link.heading else ""
    alias = f"|{link.alias}" if link.alias else ""
    return text_format.line(f"{'!' if link.embed else ''}[[{link.target}{heading}{alias}]]")


def _short(text: str) -> str:
    return text_format.fit(text_format.line(text), _TEXT_CHARACTERS) or "(empty)"


def _above(first: str, second: str) -> Text:
    return Text.assemble((first, "bold"), "\n", (second, "dim"))


def table(
    console: Console,
    headers: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    whole: Sequence[str] = (),
) -> None:
    """Rows under headers; columns that are `whole` are never broken."""
    drawn = _table(headers, whole=whole)
    for row in rows:
        drawn.add_row(*row)
    console.print(drawn)


def _table(headers: Sequence[str], *, whole: Sequence[str] = (), least: int | None = None) -> Table:
    """An empty table, the first column of which is at least so wide."""
    drawn = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False)
    for number, header in enumerate(headers):
        drawn.add_column(
            header,
            overflow="fold",
            # An id that is broken in two cannot be copied.
            no_wrap=header in whole,
            min_width=None if number else least,
        )
    return drawn


def nothing(console: Console, example: str, unlike: str = "") -> None:
    """What to try where there is nothing to show; `unlike` says that there is something else."""
    if unlike:
        console.print(Text(text_format.line(unlike)), soft_wrap=True)
        return
    console.print(Text.assemble("Nothing here yet. Try: ", (example, "cyan")), soft_wrap=True)
