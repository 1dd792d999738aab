"""The timeline of archived summaries, and daily or weekly reports made from it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from ..engine.catch_up import with_index
from ..model.errors import BadInput
from ..model.identity import content_hash
from ..model.memory import LIVE, TASK_SUMMARY
from ..model.value import Value
from ..notes.display import qualified_text
from ..notes.layout import WORK
from ..notes.wikilinks import readable_links
from ..ports.search_index import Where
from ..rules.handed_over.open_ends import only_looks_back, still_open, without_closed
from ..rules.session_summaries import (
    DECISIONS,
    OPEN,
    OUTCOME,
    open_ends,
    section_items,
    without_speaker,
)
from .work_note import parse_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

PERIODS = {"day": 1, "week": 7}
MOST_MEMORIES = 1_000
LINE_CHARACTERS = 200
OUTCOMES = {"done": "Done", "failed": "Failed", "abandoned": "Abandoned"}
"""The tag of a summary → the section of a report; summaries without such a tag come after them."""
DECISION = "decision"
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
    """Report on a day, or on the week that ends with it, project by project.

    Each by outcome; then what was decided and learned, and what is still open.
    """
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
    learned = _select(engine, within.but(kinds=(*LEARNED, DECISION), in_conversation=False))
    learned = _shareable(learned)[::-1]
    still_open = _shareable(
        _select(engine, Where(kinds=(WORK,), created_until=within.created_until))
    )
    span = f"Day of {last}" if period == "day" else f"Week {since.date()} to {last}"
    text = _text(_ReportLines(engine), span, [*summaries, *learned, *still_open])
    return Report(since, until, text, tuple(summaries))


def _shareable(found: Sequence[Memory]) -> list[Memory]:
    """Leave out sensitive memories, because reports are passed on."""
    return [one for one in found if one.sensitivity != "sensitive"]


def _text(read: _ReportLines, span: str, told: Sequence[Memory]) -> str:
    """The report; with several projects, one part for each."""
    lines = [f"# {span}"]
    projects = sorted({_project(one) for one in told}, key=lambda name: (not name, name))
    for project in projects:
        mine = [one for one in told if _project(one) == project]
        sections = read.sections(mine, "##" if len(projects) == 1 else "###")
        if sections and len(projects) > 1:
            name = read.line(project) if project else "Without a project"
            lines += ["", f"## {name}"]
        lines += sections
    return "\n".join(lines if len(lines) > 1 else [*lines, "", "Nothing was filed."])


def _project(memory: Memory) -> str:
    return memory.scope.value("project") or ""


class _ReportLines:
    """Makes lines of memories, with the titles of those that they link to."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._said: set[str] = set()

    def sections(self, told: Sequence[Memory], level: str) -> list[str]:
        """The report's lines: tasks by outcome, then decisions, lessons and open ends."""
        summaries = [one for one in told if one.tier == "archive" and not only_looks_back(one)]
        others = [one for one in told if one.tier != "archive" and one.kind != WORK]
        tasks = [one for one in told if one.kind == WORK]
        left = _left_by(summaries)
        ended = {task for one in summaries if one.kind == TASK_SUMMARY for task in one.source_tasks}
        going_on = {name for one in tasks for name in one.aliases}
        # The work of a task is told once, by the task.
        alone = [
            one
            for one in summaries
            if one.kind == TASK_SUMMARY or ended.isdisjoint(one.source_tasks)
        ]
        parts = {
            heading: [self.happened(one) for one in alone if tag in _tags(one, left)]
            for tag, heading in OUTCOMES.items()
        }
        known = {*OUTCOMES, "open"}
        parts["Also discussed"] = [
            self.happened(one) for one in alone if known.isdisjoint(one.tags)
        ]
        agreed = [
            f"- {self.line(said)}" for one in summaries for said in section_items(one, DECISIONS)
        ]
        parts["Decided"] = agreed + self._told(one for one in others if one.kind == DECISION)
        parts["Learned"] = self._told(one for one in others if one.kind != DECISION)
        parts["Still open"] = [
            *(
                self._dated(one, left[one.id])
                for one in alone
                if one.id in left and going_on.isdisjoint(one.source_tasks)
            ),
            *(self.task(one) for one in tasks),
        ]
        made: list[str] = []
        for heading, items in parts.items():
            if lines := self._unsaid(items):
                made += ["", f"{level} {heading}", *lines]
        return made

    def _told(self, memories: Iterable[Memory]) -> list[str]:
        return [f"- {self.line(qualified_text(one))}" for one in memories]

    def _unsaid(self, items: Iterable[str]) -> list[str]:
        """The lines that the report does not have yet."""
        lines = {content_hash(item): item for item in items}
        new = {key: item for key, item in lines.items() if key not in self._said}
        self._said.update(new)
        return list(new.values())

    def happened(self, summary: Memory) -> str:
        """When, what, and what came of it."""
        return self._dated(summary, _came_of_it(summary))

    def task(self, note: Memory) -> str:
        """The goal of a task, and its next step."""
        work = parse_work(note.slug, note)
        step, goal = work.next_step, f"- {self.line(work.goal)}"
        return f"{goal} (next: {self.line(step)})" if step else goal

    def line(self, text: str) -> str:
        """A text as one line of bounded length, without markup."""
        line = without_speaker(" ".join(readable_links(text, self._name).split()))
        return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1].rstrip()}…"

    def _dated(self, summary: Memory, said: str) -> str:
        title = self.line(summary.title or summary.content).rstrip(".")
        more = f": {self.line(said)}" if said else ""
        return f"- {summary.created:%Y-%m-%d %H:%M} {title}{more}"

    def _name(self, target: str) -> str:
        """The title of a linked memory; without one, the words of the link."""
        found = _select(self._engine, Where(name=target), limit=1)
        title = found[0].title if found and found[0].sensitivity != "sensitive" else ""
        return title or target.rpartition("/")[2].replace("-", " ")


def _left_by(summaries: Sequence[Memory]) -> dict[str, str]:
    """The first thing that each session left open and that nothing told here closes, by its id."""
    left = {
        one.id: _came_of_it(one)
        for one in summaries
        if "open" in one.tags and not section_items(one, OPEN)
    }
    if summaries:
        for end in still_open(summaries[::-1], now=summaries[-1].created):
            left.setdefault(end.summary.id, end.text)
    return left


def _tags(summary: Memory, left: dict[str, str]) -> tuple[str, ...]:
    """The tags of a summary; a session whose open ends are closed, and not told again, is done."""
    if "open" not in summary.tags or summary.id in left:
        return summary.tags
    ends = open_ends(summary)
    return ("done",) if without_closed(ends, left.values()) == ends else summary.tags


def _came_of_it(summary: Memory) -> str:
    """The outcome as a summary states it: a task's words, or the last remark of a session."""
    if said := section_items(summary, OUTCOME):
        return said[-1]
    before = summary.content.partition("\n## ")[0]
    parts = [part for part in before.split("\n\n")[2:] if part.strip()]
    return parts[0] if summary.kind == TASK_SUMMARY and parts else ""


def _select(engine: Engine, where: Where, *, limit: int = MOST_MEMORIES) -> list[Memory]:
    where = where.but(statuses=LIVE)
    return with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=limit)
    )
