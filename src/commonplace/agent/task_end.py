"""Ending a task: save its lessons and summary, archive its work note, drop its session."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..language import tokens
from ..model.errors import BadInput, Refused
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import drafts
from ..rules.handed_over import quotation
from ..rules.session_limits import IMPORTANT
from ..verbs.save import save
from . import sessions, work_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Draft, Memory
    from ..model.results import Saved
    from ..ports.session_store import SessionEntry
    from .work_note import Work

SUMMARY = "task-summary"
OUTCOMES = ("done", "failed", "abandoned")
SPOKEN = ("user", "assistant")
"""Roles of entries that are searched for lessons; other roles hold observations."""


class Completed(Value):
    """Result of ending a task."""

    task: str
    outcome: str
    summary: Memory | None = None
    promoted: tuple[Saved, ...] = ()
    """Important observations, saved as memories."""
    learned: tuple[Memory, ...] = ()
    """Lessons of the user that had not been saved yet."""
    kept_back: tuple[str, ...] = ()
    """Reasons why something was not saved."""
    released: int = 0
    """Session entries and notes on the scratchpad that were dropped."""
    already: bool = False
    """Whether the task had ended before, so that nothing changed."""


def chosen_outcome(*, failed: bool, abandoned: bool) -> str:
    """The outcome that two switches choose."""
    if failed and abandoned:
        raise BadInput(
            "A task either failed or was abandoned.",
            hint="Failed: the goal was not reached. Abandoned: nobody wants it any more.",
        )
    return "failed" if failed else "abandoned" if abandoned else "done"


def close_task(engine: Engine, work: Work, *, outcome: str, summary: str = "") -> Completed:
    """Save important observations and the summary, archive the work note, drop the session.

    Each step can be repeated after an interruption.
    """
    session = work_note.task_session_name(engine, work)
    if work.note is not None:
        # Lessons belong to the scope of the task, not of the caller who closes it.
        engine = work_note.in_scope(engine, work.note.scope)
    earlier = _summary(engine, work.id)
    if not work.is_open:
        said = next((one for one in OUTCOMES if earlier and one in earlier.tags), "done")
        return Completed(work.id, said, earlier, already=True)
    entries = engine.sessions.entries(session, now=engine.now())
    slots, _ = work_note.load_state(engine, work)
    # The note of the work tells where the last session stopped, and stays.
    jotted = [one for one in slots.scratchpad if one not in work.working().scratchpad]
    saver = _TaskSaver(engine, work.id)
    for entry in entries:
        if entry.importance >= IMPORTANT and entry.role not in SPOKEN:
            saver.promote(entry.content, from_tool=entry.role == "tool")
    kept = len(saver.promoted)
    for finding in _findings_without_entry(work.findings, entries):
        saver.promote(finding, from_tool=True)
    turns = sessions.as_turns(entries)
    learned = sessions.fill_gaps(engine, work.id, turns, summarize=False, task=work.id)
    text = _text(work, outcome, summary, learned)
    made = earlier or saver.summarize(work, text, outcome)
    if work.note is not None:
        work_note.archive_work(engine, work.note)
    engine.sessions.end(session)
    return Completed(
        task=work.id,
        outcome=outcome,
        summary=made,
        promoted=tuple(saver.promoted),
        learned=tuple(one.memory for one in (*learned.added, *learned.corrected)),
        kept_back=(*saver.refusals, *learned.kept_back),
        released=len(entries) - kept + len(jotted),
    )


def _findings_without_entry(findings: Iterable[str], entries: Sequence[SessionEntry]) -> list[str]:
    """Findings of the note whose session entries have expired."""
    held = [_plain(entry.content) for entry in entries if entry.importance >= IMPORTANT]
    return [
        finding
        for finding in findings
        if not any(text.startswith(_plain(finding).rstrip(tokens.MARK)) for text in held)
    ]


def _plain(text: str) -> str:
    return quotation.quote(quotation.without_echo(text))


class _TaskSaver:
    """Saves the memories of one task, and collects refusals."""

    def __init__(self, engine: Engine, task: str) -> None:
        self._engine = engine
        self._task = task
        self.promoted: list[Saved] = []
        self.refusals: list[str] = []

    def promote(self, content: str, *, from_tool: bool) -> None:
        """Save one observation as a memory."""
        # A tool prints text by others, so it is saved as unverified.
        engine = self._engine.but(source="tool") if from_tool else self._engine
        text = quotation.without_echo(content)[: drafts.MAX_CHARACTERS]
        try:
            draft = drafts.make_draft(text, basis="inferred", source_tasks=(self._task,))
            self.promoted.append(save(engine, draft))
        except (Refused, BadInput) as error:
            self.refusals.append(error.sentence)

    def summarize(self, work: Work, text: str, outcome: str) -> Memory | None:
        """Save the summary; if its text is refused, only goal and outcome."""
        plain = f"{work.goal}\n\nOutcome: {outcome}. Task `{work.id}`."
        for content in (text, plain):
            try:
                return save(self._engine, self._draft(work, content, outcome)).memory
            except (Refused, BadInput) as error:
                self.refusals.append(error.sentence)
        return None

    def _draft(self, work: Work, content: str, outcome: str) -> Draft:
        return drafts.make_draft(
            content,
            kind=SUMMARY,
            scope=self._engine.home,
            title=work.goal[: work_note.TITLE_CHARACTERS],
            tags=(outcome,),
            imported_id=f"task:{work.id}",
            source_tasks=(work.id,),
            derived_from=(work.note.id,) if work.note else (),
        )


def _text(work: Work, outcome: str, summary: str, learned: sessions.SessionEnded) -> str:
    """The summary as markdown: the conclusion first, then how it came about."""
    said = sessions.without_injections(summary)
    lines = [f"# {work.goal}", "", f"Outcome: {outcome}. Task `{work.id}`."]
    # Nothing of a task that is done is left, ticked or not.
    ended = len(work.plan) if outcome == "done" else work.step
    if said:
        lines += ["", said]
    for heading, items in (
        ("Constraints", work.constraints),
        ("Steps done", work.plan[:ended]),
        ("Steps left", work.plan[ended:]),
        ("Found", work.findings),
        ("Learned", _contents(one.memory for one in (*learned.added, *learned.corrected))),
    ):
        if items:
            lines += ["", f"## {heading}", *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _contents(memories: Iterable[Memory]) -> Sequence[str]:
    return [" ".join(memory.content.split()) for memory in memories]


def _summary(engine: Engine, task: str) -> Memory | None:
    here = str(engine.home)
    where = Where(imported_id=f"task:{task}", kinds=(SUMMARY,), scopes=(here,))
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=1))
    return found[0] if found else None
