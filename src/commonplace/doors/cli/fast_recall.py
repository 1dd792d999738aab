"""`commonplace recall` without typer and rich: agents run it at every turn, so it starts fast.

Arguments that this parser does not know are left to the full command line, which has the same
options and calls the same `answer`.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime

from ...model.errors import BadInput, NoBook
from ...model.identity import short_id
from ...model.memory import Recalled
from ...model.value import Value
from ...notes.display import own_time, qualified_text
from ...projects import working_folder
from ...rules import branches
from ...rules.parameters import RankingWeights
from ...rules.ranking.fit import worth_showing
from .. import plain_words
from . import text_format
from .open_book import open_for
from .plain_options import SHARED, read_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ...book import Commonplace
    from ...model.conditions import Conditions
    from ...model.memory import Hit, Memory

SINGLE = {
    "--limit": "limit", "-n": "limit", "--scope": "scope", "--topic": "topic",
    "--as-of": "as_of", "--expand": "expand", "--since": "since", "--until": "until",
    "--branch": "branch",
}  # fmt: skip
REPEATED = {"--kind": "kinds", "--tag": "tags", "--sensitivity": "sensitivities"}
_NUMBERS = ("limit", "expand")
_CONDITIONS = (
    "kinds", "scope", "topic", "tags", "since", "until", "sensitivities", "branch",
    "include_archive", "include_inbox",
)  # fmt: skip
FLAGS = {
    "--include-archive": "include_archive", "--archive": "include_archive",
    "--include-inbox": "include_inbox", "--inbox": "include_inbox",
    "--why": "why", "--json": "json", "--all": "all",
}  # fmt: skip

_SURE = {
    "strong": "sure: strong",
    "weak": "sure: weak, so check it before relying on it",
    "none": "sure: none, the book probably does not know",
}
_BAR = " ▏▎▍▌▋▊▉█"
_LIKELY = {"strong": 1.0, "weak": 0.5, "none": 0.15}
"""How full the bar of the best hit is, where nobody read whether it answers."""
_LEAST_STRONG = 0.75
_BETWEEN = " · "
_STYLES, _NO_STYLES = ("\x1b[1m", "\x1b[2m", "\x1b[34m", "\x1b[0m"), ("", "", "", "")
"""Bold, dim, blue and plain again."""
_PIPED_CHARACTERS = 600
_LEFT_OPEN: list[Commonplace] = []


class RecallCommand(Value):
    """The question of one `recall`, with its filters and output options."""

    query: str
    shared: Mapping[str, str | None] = {}
    limit: int = 10
    conditions: Conditions = {}
    why: bool = False
    json: bool = False
    as_of: str | None = None
    expand: int = 0
    all: bool = False
    """Show hits that fit the question badly as well."""


def parse(arguments: Sequence[str]) -> RecallCommand | None:
    """The question, or None if this is not a plain `recall`."""
    read = read_options(arguments, single=SINGLE, repeated=REPEATED, flags=FLAGS)
    if read is None or len(read.words) < 2 or read.words[0] != "recall":
        return None
    given = read.given
    try:
        given |= {name: int(given[name]) for name in _NUMBERS if name in given}
    except ValueError:
        return None
    shared = {name: given.pop(name) for name in SHARED if name in given}
    conditions: Any = {name: given.pop(name) for name in _CONDITIONS if name in given}
    return RecallCommand(" ".join(read.words[1:]), shared, conditions=conditions, **given)


def answer(question: RecallCommand, environ: Mapping[str, str], *, alone: bool = False) -> int:
    """Recall and print the answer; without a book the answer is empty.

    `alone` says that this process does nothing else, before or after.
    """
    as_of = _parse_as_of(question.as_of)
    try:
        # A scope that is named may be another project's.
        here = question.conditions.get("scope") is None
        book = open_for(
            question.shared, environ, prefetch=alone, in_project=here, folder=working_folder()
        )
    except NoBook as error:
        sys.stderr.write(f"{error}\n")
        if question.json:
            _print_json(Recalled())
        return 0
    try:
        recalled = _recall(book, question, as_of)
    finally:
        if alone:
            # The system closes files faster, and every write is complete.
            _LEFT_OPEN.append(book)
        else:
            book.close()
    if question.json:
        _print_json(recalled)
    elif recalled:
        sys.stdout.write("\n".join(_lines(recalled, question)) + "\n")
        if recalled.branches or (recalled.sure == "none" and _is_narrowed(book, question)):
            sys.stderr.write(f"{_next_try(book, question, recalled)}\n")
    else:
        sys.stderr.write(f"No memory answers that. {_next_try(book, question, recalled)}\n")
    if alone:
        sys.stdout.flush()
        book.leave()
    return 0


def _next_try(book: Commonplace, question: RecallCommand, recalled: Recalled) -> str:
    """A hint after an empty or poor answer."""
    if recalled.branches:
        names = [text_format.line(one) for one in recalled.branches]
        return f"{branches.known_on(names)} Add --branch {names[0]}."
    if not _is_narrowed(book, question):
        return "Try other words, or `commonplace list`."
    name = text_format.line(book.context.project or "")
    return f"This was asked within the project {name}; --project none asks the whole book."


def _is_narrowed(book: Commonplace, question: RecallCommand) -> bool:
    """Whether the folder, and not the person, narrowed the question to a project."""
    return book.context.project is not None and not question.shared.get("project")


def _print_json(recalled: Recalled) -> None:
    from ..plain_data import to_json

    sys.stdout.write(to_json(recalled) + "\n")


def _parse_as_of(written: str | None) -> date | None:
    """A date or a time; a time without a zone is local."""
    if written is None:
        return None
    try:
        if len(written) <= len("2026-05-31"):
            return date.fromisoformat(written)
        return datetime.fromisoformat(written).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{written[:40]!r} is not a date.", hint="Write 2026-05-31 or 2026-05-31T18:00."
        ) from error


def _recall(book: Commonplace, question: RecallCommand, as_of: date | None) -> Recalled:
    return book.recall(
        _text(question.query),
        limit=question.limit,
        as_of=as_of,
        expand=question.expand,
        **question.conditions,
    )


def _text(argument: str) -> str:
    """The argument, with replacement characters for bytes that are not UTF-8."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _lines(recalled: Recalled, question: RecallCommand) -> Iterator[str]:
    now = datetime.now(UTC)
    shown = recalled if question.all else worth_showing(recalled, RankingWeights().fit_least)
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    render = _terminal_lines if terminal else _plain_lines
    likely = _likely(recalled) / (max(hit.score for hit in recalled) or 1.0)
    _, dim, _, plain = _styles() if terminal else _NO_STYLES
    sure = f"{dim}{_SURE[recalled.sure]}{plain}"
    if recalled.sure == "none":
        # A reader takes a hit for an answer, so that this has to come first.
        yield f"{sure}; the nearest:"
    for rank, hit in enumerate(shown, 1):
        reasons = _reasons(hit) if question.why else ""
        yield from render(rank, hit, hit.score * likely, _origin(hit, now), reasons)
    if recalled.sure != "none":
        yield sure
    if further := len(recalled) - len(shown):
        yield f"{dim}{further} more, further off: add --all{plain}"


def _likely(recalled: Recalled) -> float:
    """How likely one of the first hits answers, so that a non-answer has no full bar."""
    if recalled.sureness is None:
        return _LIKELY[recalled.sure]
    return max(recalled.sureness, _LEAST_STRONG if recalled.sure == "strong" else 0.0)


def _plain_lines(rank: int, hit: Hit, _: float, origin: str, reasons: str) -> Iterator[str]:
    """Lines for a pipe: plain text, long enough for a program."""
    text = _hit_text(hit)
    yield f"{rank}. {text_format.fit(text, _PIPED_CHARACTERS)}"
    for turn in _turns(hit):
        yield f"   {text_format.fit(turn, _PIPED_CHARACTERS)}"
    yield f"   {origin}"
    if reasons:
        yield f"   why: {reasons}"


def _terminal_lines(rank: int, hit: Hit, share: float, origin: str, reasons: str) -> Iterator[str]:
    """Lines for a terminal: how likely it answers as a bar, its text, its origin in grey."""
    columns = max(40, text_format.columns())
    bold, dim, blue, plain = _styles()
    margin = f"{rank:>2} {blue}{_bar(share)}{plain} "
    for text, style, most in (
        (_hit_text(hit), bold, 3),
        *((turn, "", 2) for turn in _turns(hit)),
    ):
        for part in text_format.wrap(text, columns - 10, most=most):
            yield f"{margin}{style}{part}{plain}"
            margin = " " * 9
    for part in text_format.pack(origin.split(_BETWEEN), columns - 10, between=_BETWEEN):
        yield f"{margin}{dim}{part}{plain}"
    for part in text_format.wrap(f"why: {reasons}", columns - 10, most=5) if reasons else ():
        yield f"{margin}{dim}{part}{plain}"


def _styles() -> tuple[str, str, str, str]:
    return _NO_STYLES if os.environ.get("NO_COLOR") else _STYLES


def _turns(hit: Hit) -> Iterator[str]:
    """The turns before and after, in order."""
    for turn in hit.around:
        before = (turn.position or 0) < (hit.memory.position or 0)
        yield f"{'↑' if before else '↓'} {_turn_text(turn)}"


def _hit_text(hit: Hit) -> str:
    return text_format.line(qualified_text(hit.memory, hit.excerpt or None))


def _turn_text(turn: Memory) -> str:
    return text_format.line(f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content)


def _origin(hit: Hit, now: datetime) -> str:
    memory = hit.memory
    parts = [text_format.name(memory), text_format.line(str(memory.scope)), memory.kind]
    if hit.disputed_with:
        parts.append(f"disputed by {', '.join(map(short_id, hit.disputed_with))}")
    elif memory.status != "active":
        parts.append(plain_words.status(memory.status))
    parts += [text_format.line(one) for one in (hit.warning, hit.stale) if one]
    return _BETWEEN.join((*parts, text_format.ago(own_time(memory), now)))


def _reasons(hit: Hit) -> str:
    return text_format.line(" · ".join(why.words for why in hit.why))


def _bar(share: float, width: int = 5) -> str:
    eighths = max(1, round(share * width * 8))
    full, part = divmod(eighths, 8)
    return (_BAR[8] * full + (_BAR[part] if part else "")).ljust(width)
