"""`commonplace recall`, parsed by hand: it runs at every turn of an agent, so it starts at once.

What this parser does not understand it leaves to the full command line, which documents the same
options and calls the same `answer`.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime

from ...model.errors import BadInput, NoBook
from ...model.memory import Recalled
from ...model.value import Value
from ...notes.display import named
from . import text_format
from .open_book import SHARED, open_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ...book import Commonplace
    from ...model.memory import Hit, Memory

ONE = {
    "--limit": "limit", "-n": "limit", "--scope": "scope", "--topic": "topic",
    "--as-of": "as_of", "--expand": "expand",
    **{f"--{name}": name for name in SHARED},
}  # fmt: skip
SEVERAL = {"--kind": "kinds", "--tag": "tags"}
NUMBERS = ("limit", "expand")
FLAGS = {
    "--include-archive": "include_archive", "--archive": "include_archive",
    "--include-inbox": "include_inbox", "--inbox": "include_inbox",
    "--why": "why", "--json": "json",
}  # fmt: skip
EVERYWHERE = frozenset({"--json", *(f"--{name}" for name in SHARED)})
"""Options that may also stand before the command."""

_SURE = {
    "strong": "sure: strong",
    "weak": "sure: weak, so check it before relying on it",
    "none": "sure: none, the book probably does not know",
}
_BAR = " ▏▎▍▌▋▊▉█"
_STYLES, _NO_STYLES = ("\x1b[1m", "\x1b[2m", "\x1b[34m", "\x1b[0m"), ("", "", "", "")
"""Bold, dim, blue and plain again."""
_PIPED_CHARACTERS = 600
_LEFT_OPEN: list[Commonplace] = []


class RecallCommand(Value):
    """What is asked, of which part of the book, and how the answer should look."""

    query: str
    shared: Mapping[str, str | None] = {}
    limit: int = 10
    kinds: tuple[str, ...] | None = None
    scope: str | None = None
    topic: str | None = None
    tags: tuple[str, ...] | None = None
    include_archive: bool = False
    include_inbox: bool = False
    why: bool = False
    json: bool = False
    as_of: str | None = None
    expand: int = 0


def parse(arguments: Sequence[str]) -> RecallCommand | None:
    """The question, or None when this is not a plain `recall`."""
    words: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-") or argument == "-":
            words.append(argument)
        elif argument == "--" and words:
            words += rest
        elif not _option(argument, rest, given, early=not words):
            return None
    if len(words) < 2 or words[0] != "recall":
        return None
    try:
        given |= {name: int(given[name]) for name in NUMBERS if name in given}
    except ValueError:
        return None
    shared = {name: given.pop(name) for name in SHARED if name in given}
    return RecallCommand(" ".join(words[1:]), shared, **given)


def answer(question: RecallCommand, environ: Mapping[str, str], *, alone: bool = False) -> int:
    """Ask the book and print what it recalls; with no book there is simply nothing to recall.

    `alone` says that this process does nothing else, before or after.
    """
    moment = _moment(question.as_of)
    try:
        book = open_for(question.shared, environ, ahead=alone)
    except NoBook as error:
        sys.stderr.write(f"{error}\n")
        if question.json:
            _say_json(Recalled())
        return 0
    try:
        recalled = _ask(book, question, moment)
    finally:
        if alone:
            # The system closes files faster, and every write is already whole.
            _LEFT_OPEN.append(book)
        else:
            book.close()
    if question.json:
        _say_json(recalled)
    elif recalled:
        sys.stdout.write("\n".join(_lines(recalled, question.why)) + "\n")
    else:
        sys.stderr.write(
            "Nothing in the book answers that. Try other words, or `commonplace list`.\n"
        )
    return 0


def _say_json(recalled: Recalled) -> None:
    from ..plain_data import to_json

    sys.stdout.write(to_json(recalled) + "\n")


def _moment(written: str | None) -> date | None:
    """A day, or a moment; one without a time zone is meant in the reader's own."""
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


def _ask(book: Commonplace, question: RecallCommand, as_of: date | None) -> Recalled:
    return book.recall(
        _text(question.query),
        limit=question.limit,
        kinds=question.kinds,
        scope=question.scope,
        topic=question.topic,
        tags=question.tags,
        as_of=as_of,
        expand=question.expand,
        include_archive=question.include_archive,
        include_inbox=question.include_inbox,
    )


def _option(argument: str, rest: Iterator[str], given: dict[str, Any], *, early: bool) -> bool:
    """Take one option and its value; False when it is not one of ours."""
    flag, equals, value = argument.partition("=")
    if early and flag not in EVERYWHERE:
        return False
    if flag in FLAGS:
        given[FLAGS[flag]] = True
        return not equals
    if flag not in ONE and flag not in SEVERAL:
        return False
    if not equals:
        value = next(rest, "")
    if not value:
        return False
    if flag in SEVERAL:
        given[SEVERAL[flag]] = (*given.get(SEVERAL[flag], ()), value)
    else:
        given[ONE[flag]] = value
    return True


def _text(argument: str) -> str:
    """Bytes of the command line that are no UTF-8 become a replacement character."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _lines(recalled: Recalled, why: bool) -> Iterator[str]:
    now = datetime.now(UTC)
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    draw = _drawn if terminal else _written
    best = max(hit.score for hit in recalled) or 1.0
    for rank, hit in enumerate(recalled, 1):
        yield from draw(
            rank, hit, hit.score / best, _origin(hit, now), _reasons(hit) if why else ""
        )
    _, dim, _, plain = _styles() if terminal else _NO_STYLES
    yield f"{dim}{_SURE[recalled.sure]}{plain}"


def _written(rank: int, hit: Hit, _: float, origin: str, reasons: str) -> Iterator[str]:
    """For a pipe: plain text, wide enough to be useful to whoever reads it."""
    text = _said(hit)
    yield f"{rank}. {text_format.fit(text, _PIPED_CHARACTERS)}"
    for turn in _turns(hit):
        yield f"   {text_format.fit(turn, _PIPED_CHARACTERS)}"
    yield f"   {origin}"
    if reasons:
        yield f"   why: {reasons}"


def _drawn(rank: int, hit: Hit, share: float, origin: str, reasons: str) -> Iterator[str]:
    """For a terminal: a bar for the score, the text in bold, where it is from in grey."""
    columns = max(40, _columns())
    bold, dim, blue, plain = _styles()
    margin = f"{rank:>2} {blue}{_bar(share)}{plain} "
    for text, style, most in (
        (_said(hit), bold, 3),
        *((turn, "", 2) for turn in _turns(hit)),
        (origin, dim, 2),
        (f"why: {reasons}" if reasons else "", dim, 5),
    ):
        for part in text_format.wrap(text, columns - 10, most=most) if text else ():
            yield f"{margin}{style}{part}{plain}"
            margin = " " * 9


def _styles() -> tuple[str, str, str, str]:
    return _NO_STYLES if os.environ.get("NO_COLOR") else _STYLES


def _turns(hit: Hit) -> Iterator[str]:
    """What was said before and after, in its order."""
    for turn in hit.around:
        before = (turn.position or 0) < (hit.memory.position or 0)
        yield f"{'↑' if before else '↓'} {_turn(turn)}"


def _said(hit: Hit) -> str:
    return text_format.line(named(hit.memory, hit.excerpt or None))


def _turn(turn: Memory) -> str:
    return text_format.line(f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content)


def _origin(hit: Hit, now: datetime) -> str:
    memory = hit.memory
    parts = [text_format.name(memory), text_format.line(str(memory.scope)), memory.kind]
    if memory.status != "active":
        parts.append(memory.status)
    return " · ".join((*parts, text_format.ago(memory.updated, now)))


def _reasons(hit: Hit) -> str:
    return text_format.line(" · ".join(why.words for why in hit.why))


def _bar(share: float, width: int = 5) -> str:
    eighths = max(1, round(share * width * 8))
    full, part = divmod(eighths, 8)
    return (_BAR[8] * full + (_BAR[part] if part else "")).ljust(width)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 80
