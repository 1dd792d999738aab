"""Sessions: the memory of one conversation, and the lessons and summary saved at its end."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..language.plain_text import plain_text
from ..model import identity
from ..model.errors import BadInput, Conflict, Proposed, Refused
from ..model.memory import LIVE, SESSION_SUMMARY, SUMMARIES, Memory
from ..model.scope import Scope
from ..model.value import Value
from ..ports.reasoner import Turn
from ..ports.search_index import Where
from ..ports.session_store import SessionEntry
from ..rules import drafts
from ..rules.handed_over import open_ends, quotation
from ..rules.screening.screen import loggable
from ..rules.session_ids import storable_session_id
from ..rules.session_limits import (
    IMPORTANT,
    SESSION_SEPARATOR,
    session_id,
    session_name,
    session_prefix,
)
from ..rules.session_summaries import CLOSED
from ..rules.talk import lessons, off_record
from ..verbs.save import save
from ..verbs.session_start import MOST_SUMMARIES
from ..verbs.threshold import learn_from_turns
from . import work_note
from . import working_memory as working
from .lesson_saver import LessonSaver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.engine import Engine
    from ..model.checkout import GitHead
    from ..model.results import Corrected, Saved
    from ..ports.reasoner import Recap
    from ..rules.talk.forget_wishes import ForgetWish

SUMMARY = SESSION_SUMMARY
SUMMARY_TOKENS = 200
TURN_CHARACTERS = 4_000
"""Characters used of a turn without injections; a longer one is mostly pasted text."""
READ_CHARACTERS = 200_000
"""Raw characters read per turn."""
MOST_CLOSED = 6
SPOKEN_IMPORTANCE = 0.3
"""Importance of a turn without a lesson."""


class SessionEnded(Value):
    """Result of ending a session."""

    session: str
    added: tuple[Saved, ...] = ()
    corrected: tuple[Corrected, ...] = ()
    """Memories corrected as the user said in the conversation."""
    summary: Memory | None = None
    kept_back: tuple[str, ...] = ()
    """Reasons why something was not saved."""
    task: str = ""
    """The open task whose state and next step were updated."""
    already: bool = False
    """Whether all its turns had been read before."""


class Session:
    """The memory of one conversation; it expires an hour after its last use."""

    def __init__(self, engine: Engine, id: str) -> None:
        scope, separator, plain = id.rpartition(SESSION_SEPARATOR)
        if separator and engine.visible.everything:
            # The owner lists other users' sessions by their full names.
            engine, id = work_note.in_scope(engine, Scope.parse(scope)), plain
        self.id = storable_session_id(id)
        self._engine = engine
        self._name = session_name(engine.home, self.id)

    def add(
        self, text: str, *, role: str = "observation", importance: float = 0.5, id: str = ""
    ) -> SessionEntry:
        """Add an entry, or replace the one with the same id.

        In place of what the user asked not to keep it adds, and returns, a mark. What a user asks
        to forget about a thing goes from earlier sessions as well.
        """
        content = without_injections(text) if role == "user" else text
        if role == "user" and (wish := off_record.wish_to_forget(content)):
            from ..verbs.forget_about import take_back

            take_back(self._engine, wish)
        content, role = redacted(self._engine, content), redacted(self._engine, role)
        entry = SessionEntry(id or self._engine.id(), content, self._engine.now(), role, importance)
        marked = marked_entries(self.entries(), entry)
        changed = marked or self._with_lesson_kept(entry)
        self._engine.sessions.append(self._name, changed, now=entry.at)
        return next(one for one in changed if one.id == entry.id)

    def _with_lesson_kept(self, entry: SessionEntry) -> list[SessionEntry]:
        """Make a user's lesson, and the reply that it corrects, last as long as the session."""
        if entry.role != "user":
            return [entry]
        replies = (one for one in reversed(self.entries()) if one.role == "assistant")
        reply = next(replies, None)
        if not teaches_lesson(entry.content, reply):
            return [entry]
        return [as_important(one) for one in (reply, entry) if one is not None]

    def entries(self, *, limit: int | None = None) -> list[SessionEntry]:
        """Entries, oldest first."""
        return self._engine.sessions.entries(self._name, now=self._engine.now(), limit=limit)

    def search(self, query: str, *, limit: int = 10) -> list[SessionEntry]:
        """Entries that fit a question, best first."""
        return self._engine.sessions.search(self._name, query, now=self._engine.now(), limit=limit)

    def end(
        self,
        turns: Sequence[Turn] | None = None,
        *,
        agent: str | None = None,
        heads: Sequence[GitHead | None] = (),
    ) -> SessionEnded:
        """Save missing lessons and a summary, then drop the session.

        `turns` is the whole conversation, if the host has it; else the entries are used. `agent`
        is named as the origin of what is saved, if the context names none. `heads` are the commits
        and branches at the turns, where they are known.
        """
        if not _are_turns(turns or ()):
            raise BadInput(
                "The turns of a conversation are Turn(speaker, text).",
                hint='Write Turn("user", "…") and Turn("assistant", "…"), from commonplace.',
            )
        known = work_note.find_work(self._engine, self.id)
        same = known is not None and work_note.task_session_name(self._engine, known) == self._name
        if known is not None and same and known.is_open:
            raise Conflict(
                f"{self.id} is the session of an open task.",
                hint=f"End the task: commonplace task done {self.id}.",
            )
        said = as_turns(self.entries()) if turns is None else turns
        # Wishes in its own entries, and in prompts that a hook captured, were heard when they came.
        heard = turns is None or self._engine.source == "hook"
        filled = fill_gaps(
            self._engine, self.id, said, agent=agent, heads=heads, wishes_heard=heard
        )
        self._engine.sessions.end(self._name)
        return filled


def _are_turns(given: Sequence[object]) -> bool:
    return all(isinstance(one, Turn) for one in given)


def live_sessions(engine: Engine) -> list[str]:
    """The ids of the caller's sessions; for the owner also others', by their full names."""
    mine = session_prefix(engine.home)
    prefix = "" if engine.visible.everything else mine
    names = engine.sessions.sessions(prefix, now=engine.now())
    return [session_id(name) if name.startswith(mine) else name for name in names]


# Gap-fill: read the turns of a conversation for lessons that the agent did not save, and save them


def fill_gaps(
    engine: Engine,
    session: str,
    turns: Sequence[Turn],
    *,
    summarize: bool = True,
    task: str | None = None,
    agent: str | None = None,
    heads: Sequence[GitHead | None] = (),
    wishes_heard: bool = True,
) -> SessionEnded:
    """Save the lessons of a conversation that the book does not have yet, and a summary.

    Lessons that the book has or an earlier summary covers are skipped: a second call adds nothing.
    A wish to forget a matter ends what turns before it taught, and older memories, too, unless it
    was heard when it was said.
    """
    engine = engine.but(all_automatic=True)
    spoken = [turn.but(text=_own_text(turn)) for turn in turns]
    before = _summary(engine, session, spoken)
    done = _turns_done(before)
    covered = _turns_fingerprint(engine, spoken)
    # A long turn may say at its end, which is cut off, that it must not be kept.
    unkept = off_record.marks(turns)
    every_wish = _wishes_to_forget(spoken)
    wishes = {number: wish for number, wish in every_wish.items() if number >= done}
    spoken = [one.but(text="") if gone else one for one, gone in zip(spoken, unkept, strict=True)]
    if before is not None and done >= len(turns):
        return SessionEnded(session, summary=before, already=True)
    learn_from_turns(engine, spoken[done:])
    if agent and engine.context.agent is None:
        engine = engine.but(context=engine.context.but(agent=agent))
    saver = LessonSaver(engine, task)
    taught = engine.reasoner.lessons(
        [
            one.but(text=wishes[at].rest) if at in wishes and one.text else one
            for at, one in enumerate(spoken)
        ]
    )
    # A lesson saved earlier may have been forgotten since, on purpose.
    for number in sorted({*wishes, *(one.turn for one in taught if one.turn >= done)}):
        saver.engine = _at_turn(engine, heads, number)
        if number in wishes:
            saver.take_back(wishes[number], heard=wishes_heard)
        saver.save([lesson for lesson in taught if lesson.turn == number])
    summary, task = before, ""
    told = off_record.without_forgotten(spoken, every_wish)
    if summarize and (talk := _redacted_talk(engine, told)):
        recap = engine.reasoner.recap(talk)
        if all(turn.speaker != "user" for turn in talk):
            # Open ends come unasked to later sessions: those of work that no user asked for do not.
            recap = recap.but(open_ends=())
        task = _update_task(engine, recap, talk)
        there = _at_turn(engine, heads, len(heads) - 1) if heads else engine
        summary = _summarized(there, session, covered, talk, recap, before, task)
    return SessionEnded(
        session, tuple(saver.added), tuple(saver.corrected), summary, tuple(saver.kept_back), task
    )


def _wishes_to_forget(turns: Sequence[Turn]) -> dict[int, ForgetWish]:
    """The user's wishes to forget a matter, by the number of their turn."""
    found = {
        number: off_record.wish_to_forget(turn.text)
        for number, turn in enumerate(turns)
        if turn.speaker == "user"
    }
    return {number: wish for number, wish in found.items() if wish is not None}


def _at_turn(engine: Engine, heads: Sequence[GitHead | None], turn: int) -> Engine:
    """The engine on the branch of a turn: somebody may change to another one while they talk."""
    head = heads[turn] if turn < len(heads) else None
    if head is None or engine.open_checkout is None or not engine.folder:
        return engine
    return engine.but(checkout=engine.open_checkout(engine.folder, head))


def as_turns(entries: Iterable[SessionEntry]) -> list[Turn]:
    """A session's entries as turns of a conversation; observations count as a tool's."""
    said = {"user": "user", "assistant": "assistant"}
    return [Turn(said.get(one.role, "tool"), one.content) for one in entries]


def marked_entries(entries: Sequence[SessionEntry], new: SessionEntry) -> list[SessionEntry]:
    """The new entry and those before it that change, because the user asked not to keep some.

    Empty if nothing is to be left out: most users ask for nothing of the kind.
    """
    asks = new.role == "user" and off_record.read_wish(new.content) is not off_record.KEEPS
    if not asks and not any(one.content in off_record.MARKS for one in entries):
        return []
    every = list({**{one.id: one for one in entries}, new.id: new}.values())
    marks = off_record.marks(as_turns(every))
    left_out = [
        one.but(content=mark)
        for one, mark in zip(every, marks, strict=True)
        if mark and mark != one.content
    ]
    kept = not left_out or all(one.id != new.id for one in left_out)
    return [*left_out, new] if left_out and kept else left_out


def _own_text(turn: Turn) -> str:
    return without_injections(turn.text[:READ_CHARACTERS])[:TURN_CHARACTERS]


def _redacted_talk(engine: Engine, turns: Sequence[Turn]) -> list[Turn]:
    return [
        turn.but(text=redacted(engine, turn.text.strip()))
        for turn in turns
        if turn.speaker in ("user", "assistant") and turn.text.strip()
    ]


def _update_task(engine: Engine, recap: Recap, talk: Sequence[Turn]) -> str:
    """Note in the task of this session where it was left, and return the task's id."""
    task = engine.context.task or _task_worked_on(engine, recap)
    if task is None:
        return ""
    said = " ".join(one.text for one in recap.outcome)
    state = f"{engine.now().date()}, {recap.state or 'ended'}. {said}".strip()
    left = recap.open_ends[0].text if recap.open_ends else ""
    try:
        noted = work_note.note_session(engine, task, state=state, noted_next=left, said=talk)
    except (Refused, BadInput, Conflict, Proposed):
        # The lessons and the summary are saved; the next session tells more.
        return ""
    return task if noted else ""


def _task_worked_on(engine: Engine, recap: Recap) -> str | None:
    """The only open task here, if the session was about its goal or one of its steps."""
    here = [work for work in work_note.list_work(engine) if _is_here(engine, work)]
    if len(here) != 1:
        return None
    told = (*recap.outcome, *recap.decisions, *recap.open_ends)
    said = [recap.goal, *recap.requests, *(one.text for one in told)]
    about = (here[0].goal, *here[0].plan)
    shares = (open_ends.shared_words(matter, text) for matter in about for text in said)
    return here[0].id if max(shares) >= open_ends.CLOSED_SHARE else None


def _is_here(engine: Engine, work: work_note.Work) -> bool:
    return work.note is not None and str(work.note.scope) == str(engine.home)


def _summarized(
    engine: Engine,
    session: str,
    covered: str,
    talk: Sequence[Turn],
    recap: Recap,
    before: Memory | None,
    task: str,
) -> Memory | None:
    day = engine.now().date().isoformat()
    told = f"{_recap_text(engine, recap, talk)}{_closed_text(engine, talk, before)}"
    # Lines of several turns read as a secret that no turn was: what is removed costs a word or
    # two, and a refusal the whole summary.
    told = redacted(engine, told)
    came_of_it = recap.outcome[0].text if recap.outcome else ""
    draft = drafts.make_draft(
        f"Session {session} of {day}, {len(talk)} turns.\n\n{told}",
        kind=SUMMARY,
        title=_title(recap.goal or came_of_it or talk[0].text),
        aliases=(session,),
        source_tasks=(task,) if task else (),
        tags=(recap.state,) if recap.state else (),
        imported_id=covered,
        supersedes=before.id if before is not None and before.status in LIVE else None,
    )
    try:
        return save(engine, draft).memory
    except (Refused, BadInput):
        return before


def _recap_text(engine: Engine, recap: Recap, talk: Sequence[Turn]) -> str:
    """The recap as markdown; of turns without a sentence, such as code alone, their beginning."""
    # Imported here because only the end of a session needs it.
    from ..rules.recaps.recap import recap_text

    said = "\n\n".join(f"{turn.speaker.capitalize()}: {turn.text}" for turn in talk)
    return recap_text(recap) or engine.reasoner.summarize(said, budget_tokens=SUMMARY_TOKENS)


def _closed_text(engine: Engine, talk: Sequence[Turn], before: Memory | None) -> str:
    """The sentences that close open ends of earlier sessions here, as markdown."""
    where = Where(kinds=SUMMARIES, statuses=LIVE, scopes=(str(engine.home),))
    found = with_index(
        engine,
        lambda: engine.index.select(
            where, visible=engine.visible, order="newest", limit=MOST_SUMMARIES
        ),
    )
    earlier = [one for one in found if before is None or one.id != before.id]
    left = [one.text for one in open_ends.still_open(earlier, now=engine.now())]
    if not left:
        return ""
    from ..rules.recaps.closed import find_closed
    from ..rules.recaps.recap import remark_lines

    closed = find_closed(talk, left)[:MOST_CLOSED]
    return "\n".join(("\n", f"## {CLOSED}", *remark_lines(closed))) if closed else ""


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rstrip()}…"


def _summary(engine: Engine, session: str, turns: Sequence[Turn]) -> Memory | None:
    """The newest summary of this conversation, even a forgotten one.

    An id such as `monday` may be used again: conversations are the same if they begin the same.
    """
    where = Where(name=session, kinds=(SUMMARY,), scopes=(str(engine.home),))
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, order="newest", limit=20)
    )
    mine = [memory for memory in found if session in memory.aliases]
    if turns:
        mine = [
            one
            for one in mine
            if one.imported_id == _turns_fingerprint(engine, turns[: _turns_done(one)])
        ]
    return max(mine, key=_turns_done, default=None)


def _turns_fingerprint(engine: Engine, turns: Sequence[Turn]) -> str:
    """Hash and number of the turns that a summary covers."""
    told = "\0".join(f"{turn.speaker}:{turn.text}" for turn in turns)
    return f"session:{identity.keyed_hash(told, engine.store.store_id)[:16]}:{len(turns)}"


def _turns_done(summary: Memory | None) -> int:
    """Turns that an earlier summary covers."""
    count = (summary.imported_id or "").rpartition(":")[2] if summary else ""
    return int(count) if count.isdecimal() else 0


# Text of entries and turns


def without_injections(text: str) -> str:
    """The text without injected memories and working memory.

    Control characters such as a terminal's colours go, too: with them a summary is refused.
    """
    return working.without_working_memory(quotation.without_echo(plain_text(text))).strip()


def redacted(engine: Engine, text: str) -> str:
    """The text with a note in place of each secret."""
    return loggable(text, engine.settings.screening)


def teaches_lesson(text: str, reply: SessionEntry | None) -> bool:
    """Whether the end of the session (`fill_gaps`) would find a lesson in a user's turn.

    Such a turn, and the reply that it corrects, outlast the others of a long conversation.
    """
    before = [Turn("assistant", reply.content)] if reply else []
    return bool(lessons.extract_lessons([*before, Turn("user", text)]))


def as_important(entry: SessionEntry) -> SessionEntry:
    """The entry with enough importance to stay as long as its session."""
    return entry.but(importance=max(entry.importance, IMPORTANT))
