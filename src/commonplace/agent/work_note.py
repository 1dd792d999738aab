"""A task's work note: goal, constraints, plan and findings, as markdown that a person can edit."""

from __future__ import annotations

import json
import re

from ..engine.catch_up import with_index
from ..engine.commit import commit, event
from ..model.codec import to_millisecond
from ..model.errors import Conflict, Damaged, NotFound, Refused
from ..model.memory import LIVE
from ..model.scope import DIMENSIONS
from ..model.value import Value
from ..notes.places import WORK
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import drafts
from ..rules.limits import name_of
from ..verbs.correct import edit
from ..verbs.save import save
from .working_memory import Observation, WorkingMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.scope import Scope


TITLE_CHARACTERS = 120
MOST_FINDINGS = 50
MOST_TASKS = 200

_ITEM = re.compile(r"\s*[-*+] (.+?)\s*$")
_STEP = re.compile(r"\[(.)\] ")


class Work(Value):
    """The state of one task that outlives its process and its session."""

    id: str
    goal: str
    plan: tuple[str, ...] = ()
    step: int = 0
    constraints: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """Important observations, oldest first."""
    note: Memory | None = None
    """The note it is kept in."""

    @property
    def is_open(self) -> bool:
        """Whether the work goes on."""
        return self.note is None or self.note.status in LIVE

    def working(self) -> WorkingMemory:
        """Slots for going on with it."""
        slots = WorkingMemory.begin(self.goal, plan=self.plan, constraints=self.constraints)
        slots = slots.planned(self.plan, done=self.step)
        for finding in self.findings:
            slots = slots.observed(finding, critical=True)
        return slots

    def applied_to(self, slots: WorkingMemory) -> WorkingMemory:
        """Slots with goal, plan, progress and constraints as somebody has edited them."""
        mine = self.working()
        return slots.but(
            goal=mine.goal, plan=mine.plan, step=mine.step, constraints=mine.constraints
        )


def work_of(id: str, slots: WorkingMemory, findings: Sequence[str], note: Memory | None) -> Work:
    """The work that working memory is about."""
    return Work(
        id=id,
        goal=slots.goal,
        plan=slots.plan,
        step=slots.step,
        constraints=slots.constraints,
        findings=tuple(findings)[-MOST_FINDINGS:],
        note=note,
    )


def finding(seen: Observation) -> str:
    """An important observation as a line of the note."""
    return f"{seen.tool}: {seen.text}" if seen.tool else seen.text


def work_text(work: Work) -> str:
    """The note as a person reads it."""
    lines = [f"# {work.goal}", "", f"Task `{work.id}`."]
    if work.constraints:
        lines += ["", "## Constraints", *(f"- {one}" for one in work.constraints)]
    if work.plan:
        ticks = ("x" if at < work.step else " " for at in range(len(work.plan)))
        steps = (f"- [{tick}] {step}" for tick, step in zip(ticks, work.plan, strict=True))
        lines += ["", "## Plan", *steps]
    if work.findings:
        lines += ["", "## Found", *(f"- {one}" for one in work.findings)]
    return "\n".join(lines)


def read_work(id: str, note: Memory) -> Work:
    """The work a note holds, as far as whoever edited it left it readable."""
    goal, heading = "", ""
    items: dict[str, list[str]] = {"constraints": [], "plan": [], "found": []}
    for line in note.content.splitlines():
        if line.startswith("## "):
            heading = line[3:].strip().casefold()
        elif line.startswith("# ") and not goal:
            goal = line[2:].strip()
        elif heading in items and (item := _ITEM.match(line)):
            items[heading].append(item[1])
    steps = [_STEP.match(step) for step in items["plan"]]
    done = next((at for at, step in enumerate(steps) if not step or step[1] == " "), len(steps))
    return Work(
        id=id,
        goal=goal or note.title or note.slug,
        plan=tuple(map(_without_tick, items["plan"])),
        step=done,
        constraints=tuple(items["constraints"]),
        findings=tuple(items["found"]),
        note=note,
    )


def _without_tick(step: str) -> str:
    return _STEP.sub("", step, count=1)


def find_work(engine: Engine, id: str) -> Work | None:
    """A task's work, open or finished; None when there never was such a task."""
    notes = _newest(_select(engine, Where(name=id, kinds=(WORK,))))
    named = [note for note in notes if id in note.aliases]
    here = str(engine.context.scope.without("task"))
    chosen = (
        [note for note in named if str(note.scope) == here]
        or [note for note in named if note.status in LIVE]
        or named
    )
    if len(places := sorted({str(note.scope) for note in chosen})) > 1:
        raise Conflict(
            f"{len(places)} tasks have the id {id}.",
            hint=f"Ask in the context of one of them: {', '.join(places[:5])}.",
        )
    return read_work(id, chosen[0]) if chosen else None


def show_work(engine: Engine, id: str) -> Work:
    """A task's work. Raises NotFound when there never was such a task."""
    found = find_work(engine, id)
    if found is None:
        raise NotFound(f"No task has the id {id[:80]!r}.", hint="See `commonplace task list`.")
    return found


def all_work(engine: Engine, *, finished: bool = False) -> list[Work]:
    """Open tasks, the most recently changed first; or the finished ones, too."""
    statuses = (*LIVE, "archived") if finished else LIVE
    notes = _select(engine, Where(kinds=(WORK,), statuses=statuses))
    return [read_work(note.aliases[0], note) for note in _newest(notes) if note.aliases]


def latest_work(engine: Engine, known: Work) -> Work:
    """The work as the book has it now, whoever has changed it since."""
    if known.note is None:
        return known
    note = _stored(engine, known.note)
    if note is None or note.status not in LIVE:
        found = show_work(engine, known.id)
        note = _stored(engine, found.note) if found.note else None
    return known if note is None else read_work(known.id, note)


def keep_work(engine: Engine, work: Work) -> Work:
    """Write the note. Raises Conflict when somebody has changed it since it was read."""
    try:
        return work.but(note=_written(engine, work))
    except Refused:
        if not work.findings:
            raise
        # A finding that may not be kept is no reason to lose goal and plan.
        fewer = work.but(findings=work.findings[:-1])
        return fewer.but(note=_written(engine, fewer))


def session_name(engine: Engine, work: Work) -> str:
    """The session of a task: where its note is, whoever asks from wherever."""
    scope = work.note.scope if work.note else engine.context.scope
    return name_of(scope.without("task"), work.id)


def within_work(engine: Engine, scope: Scope) -> Engine:
    """The same caller, in that scope and no other."""
    named = {dimension: scope.value(dimension) for dimension in DIMENSIONS}
    return engine.but(context=engine.context.but(**named))


def archive_work(engine: Engine, note: Memory) -> Memory:
    """The work is over: its note goes to the archive."""
    with engine.store.lease() as lease:
        current = _stored(engine, note) or note
        if current.status == "archived":
            return current
        gone = current.but(status="archived", updated=to_millisecond(engine.now()))
        events = [event(engine, "archived", gone, before=current)]
        done = commit(engine, lease, [Put(gone, expect=current)], events)
    return done.stored[0].memory


def _written(engine: Engine, work: Work) -> Memory:
    content = work_text(work)
    if work.note is not None and work.note.content == content:
        return work.note
    if work.note is not None:
        return edit(engine, work.note.id, content=content, expect=work.note)
    scope = engine.context.scope.without("task")
    fields = {"kind": WORK, "owner": "curated", "title": work.goal[:TITLE_CHARACTERS]}
    draft = drafts.draft(content, scope=scope, aliases=(work.id,), **fields)
    return save(engine, draft).memory


def _stored(engine: Engine, note: Memory) -> Memory | None:
    """A note as it is in the store; the index may be behind somebody's editor."""
    return engine.store.read([note.id], visible=engine.visible).get(note.id)


def _select(engine: Engine, where: Where) -> list[Memory]:
    return with_index(
        engine,
        lambda: engine.index.select(
            where, visible=engine.visible, order="updated", limit=MOST_TASKS
        ),
    )


def _newest(notes: Sequence[Memory]) -> Iterator[Memory]:
    """Without earlier versions and what was forgotten."""
    return (note for note in notes if note.status in (*LIVE, "archived") and not note.superseded_by)


# Where a task was left: what its session keeps between one call and the next, or a crash.


STATE = "task"


def keep_state(engine: Engine, known: Work, slots: WorkingMemory, *, turn: int) -> None:
    """Write down where a task stands; it is on the disk when this returns."""
    note = known.note.content if known.note else ""
    kept = {"turn": turn, "note": note, "working": slots.to_json()}
    text = json.dumps(kept, ensure_ascii=False)
    engine.sessions.put_state(session_name(engine, known), STATE, text, now=engine.now())


def left_state(engine: Engine, known: Work) -> tuple[WorkingMemory, int]:
    """Working memory as it was left, and the turn; what somebody wrote in the note since holds."""
    kept = engine.sessions.state(session_name(engine, known), STATE, now=engine.now())
    if kept is None:
        return known.working(), 0
    try:
        read: dict[str, Any] = json.loads(kept)
        slots, turn = WorkingMemory.from_json(read["working"]), int(read["turn"])
        note = read["note"]
    except (Damaged, ValueError, KeyError, TypeError):
        return known.working(), 0
    if known.note is not None and known.note.content != note:
        slots = known.applied_to(slots)
    return slots, turn
