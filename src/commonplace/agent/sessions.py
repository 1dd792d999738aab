"""One conversation as its host sees it: what was said, and what is kept of it at the end."""

from __future__ import annotations

import re

from ..engine.catch_up import with_index
from ..engine.resolve import ask_person
from ..engine.search import search
from ..language.tokens import plain
from ..model import identity
from ..model.errors import BadInput, Conflict, NotFound, Refused
from ..model.memory import LIVE, Memory
from ..model.scope import Scope
from ..model.value import Value
from ..ports.reasoner import Turn
from ..ports.search_index import Where
from ..ports.session_store import SessionEntry
from ..rules import access, digest, drafts, lessons
from ..rules.limits import IMPORTANT, SEPARATOR, id_of, name_of, prefix_of
from ..rules.relations import merge
from ..rules.screening.screen import loggable
from ..verbs.correct import put_right
from ..verbs.find_wrong import WrongMemory
from ..verbs.save import save
from . import work_note
from . import working_memory as working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..engine.engine import Engine
    from ..model.results import Corrected, Saved
    from ..ports.reasoner import Lesson


SAID = 0.3
"""How important a turn is that teaches nothing."""

_REMOVED = re.compile(r"\[[^\[\]\n]{1,60} removed\]")


def own_words(text: str) -> str:
    """A turn without what we handed out for it: memories, and working memory.

    And without a terminal's colours and the like, which would cost the whole session its summary.
    """
    return working.without(digest.without_echo(plain(text))).strip()


def keepable(engine: Engine, text: str) -> str:
    """The text with a note in place of everything that may not be written down."""
    return loggable(text, engine.settings.screening)


def is_redacted(text: str) -> bool:
    """Whether something was taken out of a text: what is left says too little to be a memory."""
    return _REMOVED.search(text) is not None


def teaches(text: str, reply: SessionEntry | None) -> bool:
    """Whether a user's turn says something that gap-fill will look for when all is over.

    Such a turn, and the reply that it corrects, outlive the others of a long conversation.
    """
    before = [Turn("assistant", reply.content)] if reply else []
    return bool(lessons.extract([*before, Turn("user", text)]))


def lasting(entry: SessionEntry) -> SessionEntry:
    """An entry that stays for as long as its session."""
    return entry.but(importance=max(entry.importance, IMPORTANT))


# When a session is over: what the agent failed to save, and a summary. Nothing else.


SUMMARY = "session-summary"
SUMMARY_TOKENS = 200
TURN_CHARACTERS = 4_000
"""Of one turn, without what we handed over with it; what is longer was pasted."""
READ_CHARACTERS = 200_000
"""Of one turn, as it came."""
LOOK_AT = 5
"""How many memories like a lesson are compared with it."""


class Filled(Value):
    """What a finished session left in the book."""

    session: str
    added: tuple[Saved, ...] = ()
    corrected: tuple[Corrected, ...] = ()
    """Memories that the user had put right in conversation, and now are in the book."""
    summary: Memory | None = None
    kept_back: tuple[str, ...] = ()
    """Why something was not saved."""
    already: bool = False
    """Whether the session had been looked through before, as far as it goes."""


def fill(engine: Engine, session: str, turns: Sequence[Turn], *, summarize: bool = True) -> Filled:
    """Save the lessons that are missing and a summary; doing it again changes nothing."""
    engine = engine.but(automatic=True)
    spoken = [turn.but(text=_said(turn)) for turn in turns]
    before = _summary(engine, session, spoken)
    done = _turns_done(before)
    if before is not None and done >= len(turns):
        return Filled(session, summary=before, already=True)
    learned = _Learned(engine)
    for lesson in engine.reasoner.lessons(spoken):
        # What an earlier look has seen may have been forgotten since, on purpose.
        if lesson.turn >= done:
            learned.take(lesson)
    summary = _summarized(engine, session, spoken, before) if summarize else before
    return Filled(
        session, tuple(learned.added), tuple(learned.corrected), summary, tuple(learned.kept_back)
    )


def turns_of(entries: Iterable[SessionEntry]) -> list[Turn]:
    """A session's entries as turns of a conversation; what was only noticed is left out."""
    said = {"user": "user", "assistant": "assistant"}
    return [Turn(said.get(one.role, "tool"), one.content) for one in entries]


class _Learned:
    """What became of the lessons so far."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.added: list[Saved] = []
        self.corrected: list[Corrected] = []
        self.kept_back: list[str] = []

    def take(self, lesson: Lesson) -> None:
        if is_redacted(lesson.content):
            self.kept_back.append("Something the user taught holds what may not be kept.")
            return
        alike = self._alike(lesson)
        if any(self._says_it(memory, lesson) for memory in alike):
            return
        try:
            if wrong := self._wrong(lesson, alike):
                self._put_right(wrong, lesson)
            else:
                self._add(lesson)
        except (Refused, BadInput, Conflict, NotFound) as error:
            self.kept_back.append(error.sentence)

    def _put_right(self, wrong: Memory, lesson: Lesson) -> None:
        """Change what is wrong and nothing else, or ask: a person's notes are theirs to change."""
        found = merge.contradicted_parts(lesson.content, wrong.content)
        if wrong.owner == "agent" and found.gone:
            blamed = WrongMemory(wrong, found.gone if found.left else ())
            self.corrected.append(put_right(self._engine, blamed, lesson.content))
            return
        new = self._add(lesson).memory
        if new.status in LIVE and new.id != wrong.id:
            ask_person(self._engine, new, wrong)

    def _add(self, lesson: Lesson) -> Saved:
        kind = "preference" if lesson.kind == "preference" else "insight"
        tags = () if lesson.kind == "preference" else ("correction",)
        saved = save(self._engine, drafts.draft(lesson.content, kind=kind, tags=tags))
        if saved.action != "deduplicated":
            self.added.append(saved)
        return saved

    def _alike(self, lesson: Lesson) -> list[Memory]:
        found: dict[str, Memory] = {}
        for query in filter(None, (lesson.content, lesson.wrong)):
            hits = search(self._engine, query, where=Where(statuses=LIVE), limit=LOOK_AT)
            found.update((hit.memory.id, hit.memory) for hit in hits)
        # A turn of a conversation is evidence of what was said, never the memory of it.
        return [memory for memory in found.values() if memory.episode is None]

    def _says_it(self, memory: Memory, lesson: Lesson) -> bool:
        same = identity.content_hash(memory.content) == identity.content_hash(lesson.content)
        return same or self._relation(lesson.content, memory) == "same"

    def _wrong(self, lesson: Lesson, alike: Sequence[Memory]) -> Memory | None:
        """The memory that a correction is about, if it is clear which and ours to change."""
        if lesson.kind != "correction":
            return None
        for memory in alike:
            repeats = bool(lesson.wrong) and (
                identity.content_hash(memory.content) == identity.content_hash(lesson.wrong)
            )
            mine = access.may_write(self._engine.context, memory.scope)
            if mine and (repeats or self._relation(lesson.content, memory) == "contradicts"):
                return memory
        return None

    def _relation(self, text: str, memory: Memory) -> str:
        return self._engine.reasoner.judge(text, memory.content).relation


def _said(turn: Turn) -> str:
    return own_words(turn.text[:READ_CHARACTERS])[:TURN_CHARACTERS]


def _summarized(
    engine: Engine, session: str, turns: Sequence[Turn], before: Memory | None
) -> Memory | None:
    talk = [turn for turn in turns if turn.speaker in ("user", "assistant") and turn.text.strip()]
    if not talk:
        return before
    said = keepable(engine, "\n\n".join(turn.text.strip() for turn in talk))
    gist = engine.reasoner.summarize(said, budget_tokens=SUMMARY_TOKENS)
    day = engine.now().date().isoformat()
    asked = next((turn.text for turn in talk if turn.speaker == "user"), talk[0].text)
    asked = keepable(engine, asked)
    draft = drafts.draft(
        f"Session {session} of {day}, {len(talk)} turns.\n\n{gist}",
        kind=SUMMARY,
        title=_title(asked),
        aliases=(session,),
        imported_id=_seen(engine, turns),
        supersedes=before.id if before is not None and before.status in LIVE else None,
    )
    try:
        return save(engine, draft).memory
    except (Refused, BadInput):
        return before


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rstrip()}…"


def _summary(engine: Engine, session: str, turns: Sequence[Turn]) -> Memory | None:
    """The newest summary of this very conversation, even one that was forgotten.

    Ids come again, such as `monday`: it is the same conversation if it begins as that one did.
    """
    where = Where(name=session, kinds=(SUMMARY,), scopes=(str(engine.context.scope),))
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, order="newest", limit=20)
    )
    mine = [memory for memory in found if session in memory.aliases]
    if turns:
        mine = [one for one in mine if one.imported_id == _seen(engine, turns[: _turns_done(one)])]
    return max(mine, key=_turns_done, default=None)


def _seen(engine: Engine, turns: Sequence[Turn]) -> str:
    """Which turns a look has seen, and how many: what a summary is known by."""
    told = "\0".join(f"{turn.speaker}:{turn.text}" for turn in turns)
    return f"session:{identity.digest(told, engine.store.store_id)[:16]}:{len(turns)}"


def _turns_done(summary: Memory | None) -> int:
    """How many turns an earlier look has seen."""
    count = (summary.imported_id or "").rpartition(":")[2] if summary else ""
    return int(count) if count.isdecimal() else 0


# One conversation as its host sees it: what was said, and what is kept of it at the end.


class Session:
    """A conversation's own memory; it ends an hour after its last use, or when told to."""

    def __init__(self, engine: Engine, id: str) -> None:
        scope, separator, plain = id.rpartition(SEPARATOR)
        if separator and engine.visible.everything:
            # The whole name, as the book's owner sees it in a list of everybody's sessions.
            engine, id = work_note.within_work(engine, Scope.parse(scope)), plain
        self.id = id
        self._engine = engine
        self._name = name_of(engine.context.scope, id)

    def add(
        self, text: str, *, role: str = "observation", importance: float = 0.5, id: str = ""
    ) -> SessionEntry:
        """Note something; with the id of an earlier entry it takes that one's place."""
        content = own_words(text) if role == "user" else text
        content = keepable(self._engine, content)
        entry = SessionEntry(id or self._engine.id(), content, self._engine.now(), role, importance)
        self._engine.sessions.append(self._name, self._lasting(entry), now=entry.at)
        return entry

    def _lasting(self, entry: SessionEntry) -> list[SessionEntry]:
        """What the user teaches, and the reply that it corrects, are there when all is over."""
        if entry.role != "user":
            return [entry]
        replies = (one for one in reversed(self.entries()) if one.role == "assistant")
        reply = next(replies, None)
        if not teaches(entry.content, reply):
            return [entry]
        return [lasting(one) for one in (reply, entry) if one is not None]

    def entries(self, *, limit: int | None = None) -> list[SessionEntry]:
        """What it holds, oldest first."""
        return self._engine.sessions.entries(self._name, now=self._engine.now(), limit=limit)

    def search(self, query: str, *, limit: int = 10) -> list[SessionEntry]:
        """What fits a question, best first."""
        return self._engine.sessions.search(self._name, query, now=self._engine.now(), limit=limit)

    def end(self, turns: Sequence[Turn] | None = None) -> Filled:
        """Save what the agent failed to save, file a summary, and let go of everything.

        `turns` is the whole conversation, where the host has it; else it is what was added here.
        """
        known = work_note.find_work(self._engine, self.id)
        same = known is not None and work_note.session_name(self._engine, known) == self._name
        if known is not None and same and known.is_open:
            raise Conflict(
                f"{self.id} is the session of an open task.",
                hint=f"Finish that: commonplace task done {self.id}.",
            )
        said = turns_of(self.entries()) if turns is None else turns
        filled = fill(self._engine, self.id, said)
        self._engine.sessions.end(self._name)
        return filled


def live(engine: Engine) -> list[str]:
    """The ids of the caller's live sessions; for a book's owner others', too, by their names."""
    mine = prefix_of(engine.context.scope)
    prefix = "" if engine.visible.everything else mine
    names = engine.sessions.sessions(prefix, now=engine.now())
    return [id_of(name) if name.startswith(mine) else name for name in names]
