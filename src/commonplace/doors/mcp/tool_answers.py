"""The answers that tools, resources and the prompt of MCP return: texts for a model, and data."""

from __future__ import annotations

from ...model.identity import short_id
from ...model.memory import SENSITIVITIES
from ...model.results import MemoryMarks
from ...model.value import Value
from ...notes.display import qualified_text
from ...rules import branches
from ...rules.authority import FORGOTTEN, WAITS, awaits_confirmation
from ...rules.handed_over.digest import attribution, short_ids
from ...rules.handed_over.quotation import frame, quote, quote_label
from ...rules.ranking.reasons import logged_reasons
from ..plain_data import marked, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ...agent.profile import Profile
    from ...book import Commonplace
    from ...model.memory import Memory, Recalled
    from ...model.results import Overview, Saved
    from ...verbs.forget_about import ForgottenAbout, Previewed
    from ...verbs.recall import ExplainedRecall

SHOWN_CHARACTERS = 600
TITLE_CHARACTERS, MOST_NAMES = 80, 12
"""Limits of an overview: characters of a memory, and names listed per axis."""
NEWEST = 100
"""Memories in the resource of the newest ones."""
SHOWN = SENSITIVITIES[:-1]
"""The sensitivities of memories that are shown unless a call asks for sensitive ones."""
NOTHING_TO_LOAD = "Memory has nothing to load for this session."
"""Also returned when loading is switched off, because a prompt needs a text."""
CUT = " […]"
_SURE = {
    "strong": "",
    "weak": "These match only loosely: check before relying on one.",
    "none": "Memory probably does not know this; these are only the nearest matches.",
}
_SAVED = {
    "created": "Saved",
    "merged": "Merged with an existing memory",
    "deduplicated": "Already known",
    "superseded": "Saved, replacing an older version",
    "staged": "Waiting in the inbox until a person confirms it",
}


class ToolAnswer(Value):
    """Result of a tool: a text for the model, and the same as data."""

    text: str
    data: dict[str, Any]


def recall_answer(book: Commonplace, found: Recalled, *, whole: bool) -> ToolAnswer:
    """Hits, best first: whole, or the best matching excerpt of each."""
    names = [quote_label(one) for one in found.branches]
    known = f"{branches.known_on(names)} Ask with `branch`." if names else ""
    if not found:
        text = known or "Nothing in memory answers that. Say so instead of guessing."
        return ToolAnswer(text, plain(found))
    ids = short_ids(hit.memory for hit in found)
    lines = [
        memory_line(
            book,
            hit.memory,
            hit.memory.content if whole else hit.excerpt or hit.memory.content,
            whole,
            id=ids[hit.memory.id],
            marks=MemoryMarks(hit.warning, hit.stale, hit.disputed_with),
        )
        for hit in found
    ]
    parts = filter(None, (_SURE[found.sure], frame(lines), known))
    return ToolAnswer("\n".join(parts), plain(found))


def list_answer(book: Commonplace, memories: list[Memory], *, empty: str) -> ToolAnswer:
    """Several memories, one line each."""
    ids, marks = short_ids(memories), book.marks(memories)
    lines = [
        memory_line(book, one, one.content, id=ids[one.id], marks=marks.get(one.id))
        for one in memories
    ]
    text = frame(lines) or empty
    return ToolAnswer(text, {"memories": marked(memories, marks)})


def memory_answer(book: Commonplace, memory: Memory, *, full: bool) -> ToolAnswer:
    """One memory: whole, or its summary or beginning."""
    text = memory.content if full else memory.summary or memory.content
    if not full and len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + CUT
    marks = book.marks([memory])
    data = {**marked(memory, marks), "content": text, "cut": text != memory.content}
    line = memory_line(book, memory, text, full, marks=marks.get(memory.id))
    return ToolAnswer(frame([line]), data)


def save_answer(done: Saved) -> ToolAnswer:
    """The outcome of a save."""
    late = "" if done.indexed else " It is saved but not searchable yet."
    why = f" {done.why}" if done.why else ""
    if why and done.why not in (FORGOTTEN, WAITS):
        why += " Save what was learned here instead."
    asked = " The inbox asks a person to confirm it." if awaits_confirmation(done.memory) else ""
    other = f" But {quote_label(done.stale)}. Check which is right." if done.stale else ""
    disputed = f" {_DISPUTED}" if done.memory.status == "review" else ""
    id = short_id(done.memory.id)
    text = f"{_SAVED[done.action]}: {id}.{late}{why}{other}{disputed}{asked}"
    return ToolAnswer(text, plain(done))


_DISPUTED = "Another memory contradicts it: the inbox asks a person which one holds."


def preview_answer(book: Commonplace, seen: Previewed) -> ToolAnswer:
    """List the memories a description matches and the near ones, without sensitive texts."""
    near = [one.memory for one in seen.near]
    ids = short_ids((*seen.going, *near))
    goes = [
        _previewed_line(book, one, ids[one.id]) + _part_left(one, seen.left.get(one.id, ""))
        for one in seen.going
    ]
    stays = [
        f"{_previewed_line(book, one.memory, ids[one.memory.id])} (stays: {one.why})"
        for one in seen.near
    ]
    head = f"Nothing was changed. {_memories(len(goes))} would be forgotten:" if goes else _NONE_FIT
    confirm = f"After the user's yes, call again with confirm {seen.id}." if goes else ""
    near_head = "Near, and stays unless its id is in `also`:" if stays else ""
    text = "\n".join(filter(None, (head, frame(goes), near_head, frame(stays), confirm)))
    data = {
        "done": False, "id": seen.id,
        "going": [{**_named(one), "part": one.id in seen.left} for one in seen.going],
        "near": [{**_named(one.memory), "why": one.why} for one in seen.near], "proposal": None,
    }  # fmt: skip
    return ToolAnswer(text, data)


def _part_left(memory: Memory, text: str) -> str:
    if not text:
        return ""
    shown = f"; stays: {text}" if _previewed_text(memory) == memory.content else ""
    return f" (only in part{shown})"


_NONE_FIT = "Nothing was changed. No memory fits this description."


def _previewed_line(book: Commonplace, memory: Memory, id: str) -> str:
    return memory_line(book, memory, _previewed_text(memory), id=id)


def _previewed_text(memory: Memory) -> str:
    return "(sensitive, not shown)" if memory.sensitivity == "sensitive" else memory.content


def _named(memory: Memory) -> dict[str, object]:
    return {"id": memory.id, "content": _previewed_text(memory), "scope": str(memory.scope)}


def forgotten_answer(done: ForgottenAbout) -> ToolAnswer:
    """How many were forgotten together, and what waits for a person."""
    waits = " The others are a person's: one proposal waits in the inbox." if done.proposal else ""
    gone = (*done.memories, *done.shortened)
    part = f", {len(done.shortened)} only in part" if done.shortened else ""
    text = f"Forgotten: {_memories(len(gone))}{part}. A person can undo it: revert {done.id}."
    data = {
        "done": True, "id": done.id,
        "going": [_named(one) for one in gone], "near": [],
        "proposal": done.proposal.id if done.proposal else None,
    }  # fmt: skip
    return ToolAnswer(f"{text}{waits}", data)


def overview_answer(book: Commonplace, found: Overview) -> ToolAnswer:
    """Counts, then one short line for each of the newest memories."""
    names = [quote_label(one) for one in found.branches]
    others = f"{branches.left_out(names)} Ask with `branch`." if names else ""
    if not found.memories:
        return ToolAnswer(others or "Nothing is there yet.", plain(found))
    counts = {"kind": found.by_kind, "topic": found.by_topic, "scope": found.by_scope}
    said = [f"By {by}: {_counted(pairs[:MOST_NAMES])}." for by, pairs in counts.items() if pairs]
    ids, marks = short_ids(found.newest), book.marks(found.newest)
    lines = [
        memory_line(
            book,
            one,
            one.title or _beginning(one.content),
            id=ids[one.id],
            marks=marks.get(one.id),
        )
        for one in found.newest
    ]
    head = f"{_memories(found.memories)}. {' '.join(said)}"
    text = "\n".join(filter(None, (head, frame(lines), others)))
    return ToolAnswer(text, marked(found, marks))


def _counted(pairs: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{quote_label(name)} {count}" for name, count in pairs)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[:TITLE_CHARACTERS].rstrip()}{CUT}"


def profile_answer(book: Commonplace, shown: Profile) -> ToolAnswer:
    """The profile, its unconfirmed lines, and how much room is used."""
    lines = [memory_line(book, shown.memory, shown.text, whole=True)] if shown.memory else []
    if shown.unconfirmed:
        lines.append(f"- (by agents, unconfirmed) {quote(shown.unconfirmed)}")
    waiting = shown.waiting.id if shown.waiting else None
    wait = "The line waits in the inbox until a person confirms it. " if waiting else ""
    used = f"{wait}{shown.percent} % of the profile's room is used."
    text = "\n".join(filter(None, (frame(lines) or "The profile is empty.", used)))
    data = {
        "scope": shown.scope, "text": shown.text, "unconfirmed": shown.unconfirmed,
        "percent": shown.percent, "waiting": waiting,
    }  # fmt: skip
    return ToolAnswer(text, data)


def used_answer(book: Commonplace, explained: ExplainedRecall) -> ToolAnswer:
    """Every memory that a recall returned, with its source and the reasons for it in words.

    Of a recall that was handed over with a prompt, only what was handed over counts.
    """
    handed = explained.details.get("handed")
    hits = [hit for hit in explained.hits if handed is None or hit.id in handed]
    used: list[dict[str, object]] = []
    lines: list[str] = []
    for hit in hits:
        why = logged_reasons(hit.parts)
        one: dict[str, object] = {"id": hit.id, "score": hit.score, "parts": dict(hit.parts)}
        line = f"- [{hit.id}] (gone since, or not visible any more)"
        if hit.memory is not None:
            one["memory"] = plain(hit.memory)
            line = memory_line(book, hit.memory, hit.memory.content)
        used.append({**one, "why": why})
        lines.append(f"{line} (found because it {'; '.join(why)})" if why else line)
    way = "handed over with the prompt" if handed is not None else "returned"
    were = "was" if len(used) == 1 else "were"
    head = f"{_memories(len(used))} {were} {way}, sure: {explained.sure}."
    data = {"question": explained.retrieval.query, "sure": explained.sure, "used": used}
    return ToolAnswer("\n".join(filter(None, (head, frame(lines)))), data)


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def memory_line(
    book: Commonplace,
    memory: Memory,
    text: str,
    whole: bool = False,
    *,
    id: str = "",
    marks: MemoryMarks | None = None,
) -> str:
    """One memory as a quoted line with its short id, its source and its scope, if it is another."""
    line = quote(qualified_text(memory, text))
    if not whole and len(line) > SHOWN_CHARACTERS:
        line = line[:SHOWN_CHARACTERS].rstrip() + CUT
    shown = attribution(
        memory,
        id=id or short_id(memory.id),
        home=book.context.scope,
        disputed_with=marks.disputed_with if marks else (),
        warning=marks.warning if marks else "",
        stale=marks.stale if marks else "",
    )
    return f"- {shown} {line}"


# Resources and the prompt


def memory_text(book: Commonplace, ref: str) -> str:
    """One memory in full, for its resource."""
    found = book.get(ref)
    marks = book.marks([found]).get(found.id)
    return frame([memory_line(book, found, found.content, whole=True, marks=marks)])


def newest_text(book: Commonplace) -> str:
    """The newest memories, one line each."""
    found = book.overview(limit=NEWEST, sensitivities=SHOWN).newest
    marks = book.marks(found)
    lines = [memory_line(book, one, one.content, marks=marks.get(one.id)) for one in found]
    return frame(lines) or "There are no memories yet."


def start_text(book: Commonplace, *, agent: str = "", topic: str = "") -> str:
    """The memories to load at the start of a session, for the prompt."""
    text = book.session_start(agent=agent or None, topic=topic or None).text
    return text or NOTHING_TO_LOAD
