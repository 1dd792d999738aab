"""Printing that several commands share: tables, lines about one memory, changes, problems.

The console never wraps a line (see `call.console`), and a table never breaks a path, a URL or an
id, so that everything a person may copy stays in one piece.
"""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ...model.identity import short_id
from ...notes.display import qualified_text
from ...ports.search_index import Where
from ...rules.authority import awaits_confirmation
from .. import plain_words
from . import text_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from ...book import Commonplace
    from ...model.memory import Event, Memory, Problem
    from ...model.results import MemoryMarks, Saved

_SAVED = {
    "created": "Remembered",
    "merged": "Remembered, merged with a memory that says the same",
    "deduplicated": "Already known",
    "superseded": "Remembered, replacing the older version",
    "staged": "Put in the inbox, until a person confirms it",
}
_OF_ANOTHER = ("merged", "deduplicated")
"""Saves after which a memory has another text than the one that was typed."""
_SEVERITY = {"error": "red", "warning": "yellow", "notice": "dim"}
_TEXT_CHARACTERS = 200
_LINE_CHARACTERS = 90
_CELL_CHARACTERS = 50
REPLACED = "superseded"
_GAP = 3
FIRST_SAVE = 'commonplace save "We deploy from the branch main"'
"""The command that an empty book suggests."""
"""Cells between two columns of a table."""


def say(console: Console, words: str, style: str = "") -> None:
    """Print a line, without characters that would steer the terminal."""
    console.print(Text(text_format.clean(words), style=style))


def say_exactly(console: Console, text: str) -> None:
    """Print a digest byte for byte for a pipe or a file; on a terminal, as `say` does."""
    if console.file.isatty():
        say(console, text)
    else:
        console.file.write(text)


def aside(console: Console, words: str) -> None:
    """Print a less important line, such as the next command to run."""
    say(console, words, "dim")


def suggest(console: Console, example: str, no_match: str = "") -> None:
    """Print why a list is empty: `no_match`, or that there is nothing yet, with an example."""
    if no_match:
        say(console, text_format.line(no_match))
    else:
        console.print(Text.assemble("Nothing here yet. Try: ", (example, "cyan")))


def memory_line(console: Console, verb: str, memory: Memory, *, text: bool = True) -> None:
    """Print what happened to a memory, with its name, scope, kind and the beginning of its text."""
    console.print(
        Text.assemble(
            (f"{verb}: ", "green"),
            (_fact_or_name(memory), "bold"),
            (f"  {text_format.line(str(memory.scope))} · {memory.kind}", "dim"),
        )
    )
    if text and memory.value is None:  # The name of a fact has its value.
        say(console, f"  {_beginning(memory, _LINE_CHARACTERS)}")


def _beginning(memory: Memory, cells: int) -> str:
    return text_format.fit(text_format.line(qualified_text(memory)), cells)


def texts(book: Commonplace, ids: Iterable[str]) -> dict[str, str]:
    """The beginning of each memory's text by its id; of one that is gone there is none."""
    wanted = tuple(dict.fromkeys(ids))
    hits = book.browse(where=Where(ids=wanted), limit=len(wanted)) if wanted else ()
    return {hit.memory.id: _beginning(hit.memory, _CELL_CHARACTERS) for hit in hits}


def _fact_or_name(memory: Memory) -> str:
    if memory.key is None or memory.value is None:
        return text_format.name(memory)
    namespace = f"{memory.namespace}/" if memory.namespace else ""
    return text_format.line(f"{namespace}{memory.key} = {memory.value}")


def render_saved(console: Console, done: Saved) -> None:
    """The outcome of a save: a new memory, a known one, or a proposal."""
    memory_line(console, _SAVED[done.action], done.memory, text=done.action in _OF_ANOTHER)
    if done.why:
        aside(console, done.why)
    if done.stale:
        say(console, f"{text_format.line(done.stale)}.", "yellow")
    if done.memory.status == "review":
        aside(console, "Another memory contradicts it. See: commonplace inbox list")
    if awaits_confirmation(done.memory):
        name = text_format.name(done.memory)
        aside(console, f"No person has confirmed it yet: commonplace inbox accept {name}")
    if not done.indexed:
        aside(console, "It is saved but not searchable yet: run `commonplace sync`.")


def render_changed(console: Console, memory: Memory, before: Memory | None = None) -> None:
    """A memory after an edit, or that the edit changed nothing."""
    if memory == before:
        memory_line(console, "Nothing changed", memory)
        return
    memory_line(console, "Changed", memory)
    if before is not None:
        say_elsewhere(console, memory, before)
    aside(console, f"Undo: commonplace revert {text_format.name(memory)}")


def say_elsewhere(console: Console, new: Memory, old: Memory) -> None:
    """Say where the old text of a memory still holds, if the new one belongs to a branch.

    On a branch without a commit of its own both belong to one commit, and the new text holds.
    """
    if new.branch and new.branch != old.branch and new.commit != old.commit:
        branch = text_format.line(new.branch)
        aside(
            console,
            f"Where the branch {branch} is not merged, the old text holds; "
            f"for all branches: commonplace promote {text_format.name(new)}",
        )


def marks_line(marks: MemoryMarks | None) -> str:
    """Such as `branch feature, not merged here`."""
    if marks is None:
        return ""
    said = (marks.warning.removeprefix("learned on "), marks.stale, disputed(marks))
    return text_format.line("; ".join(filter(None, said)))


def disputed(marks: MemoryMarks) -> str:
    """Such as `disputed by 7k2m9q`; empty if nothing contradicts the memory."""
    ids = ", ".join(map(short_id, marks.disputed_with))
    return f"disputed by {ids}" if ids else ""


def render_events(
    console: Console,
    found: Sequence[Event],
    no_match: str = "",
    said: Mapping[str, str] | None = None,
    replaced_on: Mapping[str, str] | None = None,
) -> None:
    """Audited changes with their ids, which `revert` takes; `said` has the texts by id.

    `replaced_on` names the branches that alone replaced a memory, by its id.
    """
    said = said or {}
    replaced_on = replaced_on or {}
    if not found:
        suggest(console, 'commonplace save "Something worth keeping"', no_match)
        return
    rows = (
        (
            text_format.clock(event.at),
            above(
                _happened(event, replaced_on.get(event.memory, "")),
                *((said[event.memory],) if event.memory in said else ()),
                text_format.line(f"{event.scope} {plain_words.by_door(event.by)}"),
            ),
            above(event.id, event.memory),
        )
        for event in found
    )
    table(console, ("When", "What", "Change and memory"), rows)


def _happened(event: Event, branch: str) -> str:
    """The words of an event; the branch that alone replaced its memory is named."""
    on = f" on branch {text_format.line(branch)}" if branch and event.action == REPLACED else ""
    return f"{plain_words.action(event.action)}{on}{' automatically' if event.automatic else ''}"


def render_problems(console: Console, found: Sequence[Problem]) -> None:
    """Problems with their hints, or that there are none."""
    if not found:
        say(console, "Everything is in order.", "green")
    for problem in found:
        console.print(
            Text.assemble(
                (f"{problem.severity:8}", _SEVERITY.get(problem.severity, "")),
                (text_format.line(problem.where), "bold"),
                f"  {text_format.line(problem.what)}",
            )
        )
        if problem.hint:
            aside(console, f"{'':8}{text_format.line(problem.hint)}")


def pairs(console: Console, labelled: Sequence[tuple[str, str]]) -> None:
    """Print values behind their labels, one a line."""
    widest = max(len(label) for label, _ in labelled)
    for label, value in labelled:
        console.print(Text.assemble((label.ljust(widest), "dim"), f"  {text_format.line(value)}"))


def shorten(text: str) -> str:
    """The beginning of a text, on one line."""
    return text_format.fit(text_format.line(text), _TEXT_CHARACTERS) or "(empty)"


def above(first: str, *below: str) -> Text:
    """A cell of several lines, the last one dim."""
    *middle, last = below
    return Text.assemble((first, "bold"), *(f"\n{one}" for one in middle), "\n", (last, "dim"))


def table(
    console: Console,
    headers: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    prose: Sequence[str] = (),
) -> None:
    """Print rows under headers, or each row as a block where the terminal is too narrow.

    Only the first line of a cell in a `prose` column is wrapped, and only between words.
    """
    cells = [[one if isinstance(one, Text) else Text(one) for one in row] for row in rows]
    columns = list(zip(headers, *cells, strict=True))
    natural = [max(map(_widest, column)) for column in columns]
    least = [
        max(map(_unbreakable, column)) if header in prose else wide
        for header, column, wide in zip(headers, columns, natural, strict=True)
    ]
    room = console.width - _GAP * (len(headers) - 1)
    if sum(least) > room:
        _blocks(console, cells)
        return
    drawn = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False)
    for header, wide in zip(headers, _shrunk(natural, least, room), strict=True):
        drawn.add_column(header, width=wide, overflow="fold")
    for row in cells:
        drawn.add_row(*row)
    console.print(drawn)


def _lines(cell: str | Text) -> list[str]:
    return str(cell).split("\n")


def _widest(cell: str | Text) -> int:
    return max(map(cell_len, _lines(cell)))


def _unbreakable(cell: str | Text) -> int:
    """The width of a cell's longest word, or of a line below its first.

    Words of wide characters count for little: Chinese and Japanese break anywhere.
    """
    first, *below = _lines(cell)
    words = [word for word in first.split() if cell_len(word) == len(word)]
    return max(map(cell_len, ("..", *words, *below)))


def _shrunk(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Column widths that fit into the room; the widest column gives way first."""
    widths = list(natural)
    while sum(widths) > room:
        _, widest = max((widths[at], at) for at in range(len(widths)) if widths[at] > least[at])
        widths[widest] -= 1
    return widths


def _blocks(console: Console, rows: Iterable[Sequence[Text]]) -> None:
    """Print the first line of each row, and the rest of the row on the line below."""
    for row in rows:
        first, *rest = [line for cell in row for line in _lines(cell) if line]
        console.print(Text(first, style="bold"))
        aside(console, " · ".join(rest))
