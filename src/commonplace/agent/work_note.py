"""A task's work note: markdown with goal, constraints, plan and findings that a person can edit."""

from __future__ import annotations

import json
import re

from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..model.codec import to_millisecond
from ..model.errors import Conflict, Damaged, NotFound, Refused
from ..model.memory import LIVE
from ..model.scope import DIMENSIONS
from ..model.value import Value
from ..notes.layout import WORK
from ..ports.search_index import Where
from ..rules import drafts
from ..rules.session_limits import session_name
from ..verbs.correct import edit
from ..verbs.save import save
from .working_memory import STEP_CHARACTERS, Observation, WorkingMemory, quoted_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.scope import Scope
    from ..ports.reasoner import Turn


TITLE_CHARACTERS = 120
MOST_FINDINGS = 50
STATE_CHARACTERS = 400
MOST_ATTEMPTS = 20
"""Attempts to change a note while others change it, too."""
MOST_TASKS = 200

_ITEM = re.compile(r"\s*[-*+] (.+?)\s*$")
_STEP = re.compile(r"\[(.)\] ")


class Work(Value):
    """The part of a task that the book stores."""

    id: str
    goal: str
    plan: tuple[str, ...] = ()
    step: int = 0
    constraints: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """Important observations, oldest first."""
    state: str = ""
    """Where the last session that worked on the task left it."""
    noted_next: str = ""
    """The first thing that session left open."""
    note: Memory | None = None
    """The note that holds it; None before the first save."""

    @property
    def is_open(self) -> bool:
        """Whether the task has not ended."""
        return self.note is None or self.note.status in LIVE

    @property
    def next_step(self) -> str:
        """The next step that the last session noted, else the first undone step of the plan."""
        return self.noted_next or (self.plan[self.step] if self.step < len(self.plan) else "")

    def working(self) -> WorkingMemory:
        """Working memory to resume the task with."""
        slots = WorkingMemory.begin(self.goal, plan=self.plan, constraints=self.constraints)
        slots = slots.planned(self.plan, done=self.step)
        for finding in self.findings:
            slots = slots.observed(finding, critical=True)
        return self._with_last_session(slots)

    def _with_last_session(self, slots: WorkingMemory) -> WorkingMemory:
        """The slots with a line on the scratchpad that says where the last session left off."""
        parts = [f"Last session: {self.state}"] if self.state else []
        parts += [f"Next: {self.noted_next}"] if self.noted_next else []
        for line in parts:
            if all(one.text != line for one in slots.scratchpad):
                slots = slots.jotted(line, keep=True)
        return slots

    def applied_to(self, slots: WorkingMemory) -> WorkingMemory:
        """The slots with goal, plan, progress and constraints from the note."""
        mine = self.working()
        return self._with_last_session(slots).but(
            goal=mine.goal, plan=mine.plan, step=mine.step, constraints=mine.constraints
        )


def work_from_slots(work: Work, slots: WorkingMemory, findings: Sequence[str]) -> Work:
    """The work as these slots describe it now."""
    # A note on what comes next is old once a step was done or the plan changed.
    as_noted = (slots.plan, slots.step) == (work.plan, work.step)
    return work.but(
        noted_next=work.noted_next if as_noted else "",
        goal=slots.goal,
        plan=slots.plan,
        step=slots.step,
        constraints=slots.constraints,
        findings=tuple(findings)[-MOST_FINDINGS:],
    )


def finding_line(seen: Observation) -> str:
    """An observation as a line of the note."""
    return f"{seen.tool}: {seen.text}" if seen.tool else seen.text


def as_markdown(work: Work) -> str:
    """The text of the note."""
    lines = [f"# {work.goal}", "", f"Task `{work.id}`."]
    if work.constraints:
        lines += ["", "## Constraints", *(f"- {one}" for one in work.constraints)]
    if work.plan:
        ticks = ("x" if at < work.step else " " for at in range(len(work.plan)))
        steps = (f"- [{tick}] {step}" for tick, step in zip(ticks, work.plan, strict=True))
        lines += ["", "## Plan", *steps]
    if work.state:
        lines += ["", "## Last session", f"- {work.state}"]
    if work.noted_next:
        lines += ["", "## Next", f"- {work.noted_next}"]
    if work.findings:
        lines += ["", "## Found", *(f"- {one}" for one in work.findings)]
    return "\n".join(lines)


def parse_work(id: str, note: Memory) -> Work:
    """Read a note, also one that a person has edited freely."""
    goal, heading = "", ""
    headings = ("constraints", "plan", "last session", "next", "found")
    items: dict[str, list[str]] = {heading: [] for heading in headings}
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
        state=" ".join(items["last session"]),
        noted_next=next(iter(items["next"]), ""),
        note=note,
    )


def _without_tick(step: str) -> str:
    return _STEP.sub("", step, count=1)


MOST_RELOADS = 50
"""Tries to read a note that other callers replace at the same moment."""


def find_work(engine: Engine, id: str) -> Work | None:
    """The work of a task, open or finished; None if the id is unknown."""
    notes = _current_notes(_select(engine, Where(name=id, kinds=(WORK,))))
    named = [note for note in notes if id in note.aliases]
    here = str(engine.home)
    chosen = (
        [note for note in named if str(note.scope) == here]
        or [note for note in named if note.status in LIVE]
        or named
    )
    if len(places := sorted({str(note.scope) for note in chosen})) > 1:
        raise Conflict(
            f"{len(places)} tasks have the id {id}.",
            hint=f"Use the context of one of them: {', '.join(places[:5])}.",
        )
    return parse_work(id, chosen[0]) if chosen else None


def get_work(engine: Engine, id: str) -> Work:
    """The work of a task; raises NotFound if the id is unknown."""
    found = find_work(engine, id)
    if found is None:
        raise NotFound(f"No task has the id {id[:80]!r}.", hint="See `commonplace task list`.")
    return found


def list_work(engine: Engine, *, finished: bool = False) -> list[Work]:
    """Open tasks, and finished ones if wanted, the most recently changed first."""
    statuses = (*LIVE, "archived") if finished else LIVE
    notes = _select(engine, Where(kinds=(WORK,), statuses=statuses))
    return [parse_work(note.aliases[0], note) for note in _current_notes(notes) if note.aliases]


def reload_work(engine: Engine, known: Work) -> Work:
    """The work as the book has it now."""
    if known.note is None:
        return known
    note = _stored(engine, known.note)
    for _ in range(MOST_RELOADS):
        if note is not None and note.status in LIVE:
            break
        found = get_work(engine, known.id)
        note = _stored(engine, found.note) if found.note else None
        if note is None or note.status != "superseded":
            break
        # Another caller replaced the note between the two reads: its new version is read next.
    return known if note is None else parse_work(known.id, note)


def save_work(engine: Engine, work: Work, *, topic: str | None = None) -> Work:
    """Write the note, a new one with its topic; raises Conflict if it changed since it was read."""
    try:
        return work.but(note=_save_note(engine, work, topic))
    except Refused:
        if not work.findings:
            raise
        # A refused finding must not cost goal and plan.
        fewer = work.but(findings=work.findings[:-1])
        return fewer.but(note=_save_note(engine, fewer))


def note_session(
    engine: Engine, id: str, *, state: str, noted_next: str, said: Sequence[Turn] = ()
) -> Work | None:
    """Write into the note of an open task where a session left it; None without such a task.

    Steps that were said to be done are ticked. A session that left nothing open takes back what
    an earlier one did.
    """
    # Imported here, because only the end of a session needs it.
    from ..rules.recaps.closed import count_done_steps

    known = find_work(engine, id)
    if known is None or not known.is_open or not (state or noted_next):
        return None
    for last in range(MOST_ATTEMPTS, 0, -1):
        changed = known.but(
            step=count_done_steps(said, known.plan, known.step),
            state=quoted_line(state, longest=STATE_CHARACTERS),
            noted_next=quoted_line(noted_next, longest=STEP_CHARACTERS),
        )
        try:
            return save_work(engine, changed)
        except Conflict:
            if last == 1:
                raise
            known = reload_work(engine, known)
            if not known.is_open:
                return None
    return None


def task_session_name(engine: Engine, work: Work) -> str:
    """The session of a task, in the scope of its note."""
    scope = work.note.scope if work.note else engine.home
    return session_name(scope, work.id)


def in_scope(engine: Engine, scope: Scope) -> Engine:
    """The engine with the caller's context moved to exactly this scope."""
    named = {dimension: scope.value(dimension) for dimension in DIMENSIONS}
    return engine.but(context=engine.context.but(**named))


def archive_work(engine: Engine, note: Memory) -> Memory:
    """Archive the note of a task that has ended."""
    with engine.store.lease(scopes=[note.scope]) as lease:
        current = _stored(engine, note) or note
        if current.status == "archived":
            return current
        gone = current.but(status="archived", updated=to_millisecond(engine.now()))
        changes = ChangeSet()
        changes.change("archived", gone, before=current)
        return commit(engine, lease, changes).first


def _save_note(engine: Engine, work: Work, topic: str | None = None) -> Memory:
    content = as_markdown(work)
    if work.note is not None and work.note.content == content:
        return work.note
    if work.note is not None:
        return edit(engine, work.note.id, content=content, expect=work.note)
    fields = {"kind": WORK, "owner": "curated", "title": work.goal[:TITLE_CHARACTERS]}
    draft = drafts.make_draft(content, scope=engine.home, aliases=(work.id,), topic=topic, **fields)
    return save(engine, draft).memory


def _stored(engine: Engine, note: Memory) -> Memory | None:
    """The note from the store, because the index may be behind an edit."""
    return engine.store.read([note.id], visible=engine.visible).get(note.id)


def _select(engine: Engine, where: Where) -> list[Memory]:
    return with_index(
        engine,
        lambda: engine.index.select(
            where, visible=engine.visible, order="updated", limit=MOST_TASKS
        ),
    )


def _current_notes(notes: Sequence[Memory]) -> Iterator[Memory]:
    """The notes without earlier versions and forgotten ones."""
    return (note for note in notes if note.status in (*LIVE, "archived") and not note.superseded_by)


# The state of a task in its session, from which `resume` continues.

STATE = "task"


def save_state(engine: Engine, work: Work, slots: WorkingMemory, *, turn: int) -> None:
    """Store turn and working memory; they are on the disk when this returns."""
    note = work.note.content if work.note else ""
    state = {"turn": turn, "note": note, "working": slots.to_json()}
    text = json.dumps(state, ensure_ascii=False)
    engine.sessions.put_state(task_session_name(engine, work), STATE, text, now=engine.now())


def load_state(engine: Engine, work: Work) -> tuple[WorkingMemory, int]:
    """The stored working memory and turn; later edits of the note take precedence."""
    stored = engine.sessions.state(task_session_name(engine, work), STATE, now=engine.now())
    if stored is None:
        return work.working(), 0
    try:
        read: dict[str, Any] = json.loads(stored)
        slots, turn = WorkingMemory.from_json(read["working"]), int(read["turn"])
        note = read["note"]
    except (Damaged, ValueError, KeyError, TypeError):
        return work.working(), 0
    if work.note is not None and work.note.content != note:
        slots = work.applied_to(slots)
    return slots, turn
