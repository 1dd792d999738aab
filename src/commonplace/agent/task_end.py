"""The end of a task: what it taught is kept, the rest is let go."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..language import tokens
from ..model.errors import BadInput, Refused
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import digest, drafts
from ..rules.limits import IMPORTANT
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
OUTCOMES = ("done", "failed")
SPOKEN = ("user", "assistant")
"""What was said is looked through for lessons; everything else was noticed."""


class Completed(Value):
    """What became of a finished task."""

    task: str
    outcome: str
    summary: Memory | None = None
    promoted: tuple[Saved, ...] = ()
    """Important observations, now memories."""
    learned: tuple[Memory, ...] = ()
    """What the user taught on the way and nobody had saved."""
    kept_back: tuple[str, ...] = ()
    """Why something was not kept."""
    released: int = 0
    """How many entries of the session were let go."""
    already: bool = False
    """Whether it had been finished before; then nothing has happened."""


def close(engine: Engine, done: Work, *, outcome: str, summary: str = "") -> Completed:
    """Promote what matters, file the summary, archive the work note, release the session.

    Each step finds what an interrupted one before it has left, so that it can be repeated.
    """
    session = work_note.session_name(engine, done)
    if done.note is not None:
        # Whoever closes it, what it taught belongs where the task does.
        engine = work_note.within_work(engine, done.note.scope)
    earlier = _summary(engine, done.id)
    if not done.is_open:
        said = "failed" if earlier and "failed" in earlier.tags else "done"
        return Completed(done.id, said, earlier, already=True)
    entries = engine.sessions.entries(session, now=engine.now())
    kept = _Kept(engine, done.id)
    for entry in entries:
        if entry.importance >= IMPORTANT and entry.role not in SPOKEN:
            kept.promote(entry.content, from_tool=entry.role == "tool")
    for finding in _outlasting(done.findings, entries):
        kept.promote(finding, from_tool=True)
    turns = sessions.turns_of(entries)
    learned = sessions.fill(engine, done.id, turns, summarize=False)
    text = _text(done, outcome, summary, learned)
    made = earlier or kept.summarize(done, text, outcome)
    if done.note is not None:
        work_note.archive_work(engine, done.note)
    engine.sessions.end(session)
    return Completed(
        task=done.id,
        outcome=outcome,
        summary=made,
        promoted=tuple(kept.promoted),
        learned=tuple(one.memory for one in (*learned.added, *learned.corrected)),
        kept_back=(*kept.back, *learned.kept_back),
        released=len(entries) - len(kept.promoted),
    )


def _outlasting(findings: Iterable[str], entries: Sequence[SessionEntry]) -> list[str]:
    """What the note still has of sessions that have expired since."""
    held = [_plain(entry.content) for entry in entries if entry.importance >= IMPORTANT]
    return [
        finding
        for finding in findings
        if not any(text.startswith(_plain(finding).rstrip(tokens.MARK)) for text in held)
    ]


def _plain(text: str) -> str:
    return digest.quoted(digest.without_echo(text))


class _Kept:
    """What of one task is kept so far."""

    def __init__(self, engine: Engine, task: str) -> None:
        self._engine = engine
        self._task = task
        self.promoted: list[Saved] = []
        self.back: list[str] = []

    def promote(self, content: str, *, from_tool: bool) -> None:
        """Save one observation through the gates that every memory passes."""
        # A tool prints what others wrote: it is kept as unverified, whatever it says.
        engine = self._engine.but(source="tool") if from_tool else self._engine
        text = digest.without_echo(content)[: drafts.MAX_CHARACTERS]
        try:
            draft = drafts.draft(text, basis="inferred", source_tasks=(self._task,))
            self.promoted.append(save(engine, draft))
        except (Refused, BadInput) as error:
            self.back.append(error.sentence)

    def summarize(self, done: Work, text: str, outcome: str) -> Memory | None:
        """File what was done and found."""
        plain = f"{done.goal}\n\nOutcome: {outcome}. Task `{done.id}`."
        for content in (text, plain):
            try:
                return save(self._engine, self._draft(done, content, outcome)).memory
            except (Refused, BadInput) as error:
                self.back.append(error.sentence)
        return None

    def _draft(self, done: Work, content: str, outcome: str) -> Draft:
        return drafts.draft(
            content,
            kind=SUMMARY,
            scope=self._engine.context.scope.without("task"),
            title=done.goal[: work_note.TITLE_CHARACTERS],
            tags=(outcome,),
            imported_id=f"task:{done.id}",
            source_tasks=(done.id,),
            derived_from=(done.note.id,) if done.note else (),
        )


def _text(done: Work, outcome: str, summary: str, learned: sessions.Filled) -> str:
    """What a person reads in the archive: the conclusion first, then how it came about."""
    said = sessions.own_words(summary)
    lines = [f"# {done.goal}", "", f"Outcome: {outcome}. Task `{done.id}`."]
    if said:
        lines += ["", said]
    for heading, items in (
        ("Constraints", done.constraints),
        ("Steps done", done.plan[: done.step]),
        ("Steps left", done.plan[done.step :]),
        ("Found", done.findings),
        ("Learned", _contents(one.memory for one in (*learned.added, *learned.corrected))),
    ):
        if items:
            lines += ["", f"## {heading}", *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _contents(memories: Iterable[Memory]) -> Sequence[str]:
    return [" ".join(memory.content.split()) for memory in memories]


def _summary(engine: Engine, task: str) -> Memory | None:
    here = str(engine.context.scope.without("task"))
    where = Where(imported_id=f"task:{task}", kinds=(SUMMARY,), scopes=(here,))
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=1))
    return found[0] if found else None
