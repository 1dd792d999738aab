"""The timeline of archived summaries, and daily or weekly reports made from it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from ..engine.catch_up import with_index
from ..model.errors import BadInput
from ..model.memory import LIVE
from ..model.value import Value
from ..notes.display import qualified_text
from ..notes.places import WORK
from ..ports.search_index import Where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

PERIODS = {"day": 1, "week": 7}
MOST_MEMORIES = 1_000
LINE_CHARACTERS = 160
SUMMARIES = {"task-summary": "Tasks", "session-summary": "Conversations"}
LEARNED = ("preference", "insight", "fact", "workflow", "fix", "domain-reference")


class Report(Value):
    """A report on a day or a week, as markdown."""

    since: datetime
    until: datetime
    text: str
    summaries: tuple[Memory, ...] = ()
    """The archived summaries it was made from, oldest first."""


def timeline(
    engine: Engine,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 100,
) -> list[Memory]:
    """Archived summaries of a period, newest first."""
    return _select(
        engine, Where(tiers=("archive",), created_from=since, created_until=until), limit=limit
    )


def report(engine: Engine, period: str = "day", *, day: date | None = None) -> Report:
    """Report on a day, or on the week that ends with it: done, discussed, learned, still open."""
    if period not in PERIODS:
        raise BadInput(f"{period!r} is not a period.", hint=f"Use {' or '.join(PERIODS)}.")
    last = day or engine.now().date()
    try:
        until = datetime.combine(last + timedelta(days=1), time.min, tzinfo=UTC)
        since = until - timedelta(days=PERIODS[period])
    except OverflowError as error:
        raise BadInput(f"{last} is out of range.", hint="Give a day like 2026-11-15.") from error
    within = Where(created_from=since, created_until=until - timedelta(microseconds=1))
    summaries = _shareable(_select(engine, within.but(tiers=("archive",))))[::-1]
    learned = _select(engine, within.but(kinds=LEARNED, in_conversation=False))
    learned = _shareable(learned)[::-1]
    still_open = _shareable(
        _select(engine, Where(kinds=(WORK,), created_until=within.created_until))
    )
    text = _text(period, since, last, summaries, learned, still_open)
    return Report(since, until, text, tuple(summaries))


def _shareable(found: Sequence[Memory]) -> list[Memory]:
    """Leave out sensitive memories, because reports are passed on."""
    return [one for one in found if one.sensitivity != "sensitive"]


def _text(
    period: str,
    since: datetime,
    last: date,
    summaries: Sequence[Memory],
    learned: Sequence[Memory],
    still_open: Sequence[Memory],
) -> str:
    first = since.date()
    span = f"{last}" if period == "day" else f"{first} to {last}"
    lines = [f"# {period.capitalize()} of {span}" if period == "day" else f"# Week {span}"]
    for kind, heading in SUMMARIES.items():
        lines += _section(heading, (_summary_line(one) for one in summaries if one.kind == kind))
    other = (_summary_line(one) for one in summaries if one.kind not in SUMMARIES)
    lines += _section("Other events", other)
    lines += _section("Learned", (f"- {_line(qualified_text(one))}" for one in learned))
    lines += _section("Still open", (f"- {_line(one.title or one.content)}" for one in still_open))
    if len(lines) == 1:
        lines += ["", "Nothing was filed."]
    return "\n".join(lines)


def _section(heading: str, items: Iterable[str]) -> list[str]:
    lines = list(items)
    return ["", f"## {heading}", *lines] if lines else []


def _summary_line(memory: Memory) -> str:
    """One line with the summary's time, title, outcome and link."""
    title = _line(memory.title or memory.content)
    failed = " (failed)" if "failed" in memory.tags else ""
    return f"- {memory.created:%Y-%m-%d %H:%M} {title}{failed} [[{memory.slug}]]"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1].rstrip()}…"


def _select(engine: Engine, where: Where, *, limit: int = MOST_MEMORIES) -> list[Memory]:
    where = where.but(statuses=LIVE)
    return with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=limit)
    )
