"""The law of a book: every acknowledged write is there, whole, once, and the index says the same.

Each function yields one sentence for every way in which a book breaks it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from datetime import UTC, datetime

from ...model.errors import CommonplaceError
from ...model.identity import is_derived
from ...notes.conflict_copies import original_name, possible_originals
from .promises import CURRENT, PURGED, RETIRED, Promises, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ...book import Commonplace
    from ...model.memory import Memory, Problem

EVERY_EVENT = 1_000_000
_NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_ASKED = 3
"""Memories that each check recalls by their own words."""


def broken_promises(promises: Promises, found: Sequence[Memory]) -> Iterator[str]:
    """Acknowledged writes that are not there as promised, and texts that nobody wrote."""
    by_id = {memory.id: memory for memory in found}
    for id, promise in promises.kept.items():
        memory = by_id.get(id)
        if memory is None and PURGED in promise.states:
            continue
        if memory is None:
            yield f"Lost: the acknowledged memory {id} ({_short(promise.text)})"
        elif memory.content != promise.text:
            yield f"Changed: {id} reads {_short(memory.content)}, not {_short(promise.text)}"
        elif state_of(memory.status) not in promise.states:
            expected = " or ".join(sorted(promise.states))
            yield f"Wrong: {id} is {memory.status}, not {expected} ({_short(promise.text)})"
    for memory in found:
        if memory.id not in promises.kept and memory.content not in promises.known:
            yield f"Half-written: {memory.id} reads {_short(memory.content)}"
    # One side stays in place, and the other one waits in the inbox.
    waits = {memory.content for memory in found if memory.status == "staged"}
    shown = {memory.content for memory in found if state_of(memory.status) == CURRENT}
    for text in promises.sides - shown - waits:
        yield f"Lost: one side of a conflict ({_short(text)})"
    yield from _half_done(promises, found)


def _half_done(promises: Promises, found: Sequence[Memory]) -> Iterator[str]:
    current = [memory for memory in found if state_of(memory.status) == CURRENT]
    times = Counter(memory.content for memory in current)
    for text, count in times.items():
        if count > 1 and (text in promises.known):
            yield f"Twice: {count} memories read {_short(text)}"
    states = {memory.id: state_of(memory.status) for memory in found}
    there = {memory.content for memory in found}
    for change in promises.unanswered:
        if change.of and (states.get(change.of) == RETIRED) != (change.text in there):
            done = "written" if change.text in there else "not written"
            yield f"Half done: {change.of} is {states.get(change.of)}, its replacement is {done}"
    for key, by_writer in promises.values.items():
        values = [memory.content for memory in current if memory.key == key]
        possible = {text for texts in by_writer.values() for text in texts}
        if key in promises.valued and not values:
            yield f"Lost: the fact {key} has no value"
        elif len(values) > 1:
            yield f"Twice: the fact {key} has {len(values)} values"
        elif values and values[0] not in possible:
            yield f"Wrong: the fact {key} reads {_short(values[0])}, an older value"


def broken_index(
    book: Commonplace,
    found: Sequence[Memory],
    given: Collection[str],
    chance: random.Random,
    *,
    may_rebuild: bool,
) -> Iterator[str]:
    """Yield where the store, the log or a recall contradict the list of all memories.

    Memories that were `given` may have no event, and others like them. The doctor finds an index
    to build anew only if it `may_rebuild`.
    """
    by_id = {memory.id: memory for memory in found}
    for id in chance.sample(sorted(by_id), min(len(by_id), 20)):
        try:
            if book.get(id).content != by_id[id].content:
                yield f"Stale: the index has another text for {id}"
        except CommonplaceError as error:
            yield f"Ghost: the index lists {id}, but reading it says: {error.sentence}"
    ours = [memory for memory in found if memory.id not in given]
    current = [
        one
        for one in ours
        if state_of(one.status) == CURRENT and one.content.strip() and str(one.scope) == "/"
    ]
    for memory in chance.sample(current, min(len(current), _ASKED)):
        question = " ".join(memory.content.split()[:12])
        if memory.id not in {hit.memory.id for hit in book.recall(question, limit=20)}:
            yield f"Not found: {memory.id} by its own words ({_short(question)})"
    logged = {event.memory for event in book.audit(limit=EVERY_EVENT)}
    for memory in ours:
        if memory.id not in logged and not is_derived(memory.id):
            yield f"No event: the log does not know who wrote {memory.id}"
    yield from broken_log(book)
    for problem in book.doctor():
        if problem.severity == "error" or (problem.where == "index" and not may_rebuild):
            yield f"The doctor: {problem.where}: {problem.what}"


def broken_log(book: Commonplace) -> Iterator[str]:
    """Errors that `audit verify` finds in the book's log."""
    for problem in book.audit_verify().problems:
        if problem.severity == "error":
            yield f"The log: {problem.where}: {problem.what}"


def replaced_databases(state: str, problems: Iterable[Problem]) -> Iterator[str]:
    """Databases of a device that a sync took for damaged, though nobody had damaged them."""
    for problem in problems:
        if problem.where.startswith(os.path.join(state, "")):
            yield f"Taken for damaged: {problem.where}: {problem.what}"


def broken_event_files(root: str, shown: Collection[str], *, may_be_torn: bool) -> Iterator[str]:
    """Events of a vault's files, read without our own code, that differ from the `shown` ids.

    The last line `may_be_torn` by a writer without an answer, until somebody verifies the log.
    """
    found: Counter[str] = Counter()
    folder = os.path.join(root, "_meta", "events")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                lines = file.read().split("\n")
            try:
                found.update(json.loads(line)["id"] for line in lines[:-1])
            except ValueError:
                yield f"Torn: a line in the midst of {name} is not whole"
    if not may_be_torn:
        yield from torn_lines(root)
    for id, count in found.items():
        if count > 1:
            yield f"Twice: the log has the event {id} {count} times"
    for id in sorted(set(shown) - found.keys()):
        yield f"Lost: no file of the log has the event {id}"


def torn_lines(root: str) -> Iterator[str]:
    """Event files of a vault whose last line is not whole."""
    folder = os.path.join(root, "_meta", "events")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), "rb") as file:
                if not (b"\n" + file.read()).endswith(b"\n"):
                    yield f"Torn: the last line of {name} is not whole"


def drafts(root: str) -> list[str]:
    """Temporary files below a vault, which a change removes unless it is killed."""
    return [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        for name in names
        if name.startswith(".") and name.endswith(".tmp")
    ]


def unpurged(root: str, purged: Collection[str]) -> Iterator[str]:
    """Files below a vault, also hidden ones, that still hold a purged text."""
    words = {text.partition("\n")[0][:60].encode() for text in purged}
    for folder, _, names in os.walk(root) if words else ():
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            for one in words:
                if one in data:
                    yield f"Not purged: {name} holds {_short(one.decode(errors='replace'))}"


def broken_files(root: str, found: Sequence[Memory]) -> Iterator[str]:
    """Notes of a vault, read without our own code, that differ from what the book says."""
    notes = dict(notes_below(root))
    by_id: dict[str, list[str]] = {}
    for path, text in notes.items():
        id = id_in(text)
        if not id:
            yield f"Half-written: {path} has no id"
        by_id.setdefault(id, []).append(path)
    shown = {memory.id for memory in found}
    for id, paths in by_id.items():
        if id and id not in shown:
            yield f"Not shown: the book does not know {paths[0]}"
        if id and len(paths) > 1:
            yield f"Twice: {id} is in {' and '.join(paths)}"
    for memory in found:
        paths = by_id.get(memory.id, [])
        if not paths and not is_derived(memory.id):
            yield f"Ghost: {memory.id} has no note ({_short(memory.content)})"
        elif paths and not any(_holds(root, path, notes[path], memory) for path in paths):
            yield f"Changed: {paths[0]} does not hold the text of {memory.id}"


def notes_below(root: str) -> Iterator[tuple[str, str]]:
    """Path and text of every note of a vault."""
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(one for one in inner if one not in ("_meta", "_attachments"))
        for name in sorted(names):
            if name.endswith(".md") and name[0] != "." and not name.startswith("_index"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    yield os.path.relpath(os.path.join(folder, name), root), file.read()


def id_in(text: str) -> str:
    """The id in the head of a note."""
    head = text.split("\n---", 1)[0] if text.startswith("---") else ""
    return next(
        (line[4:].strip(" '\"") for line in head.splitlines() if line.startswith("id: ")), ""
    )


def _holds(root: str, path: str, text: str, memory: Memory) -> bool:
    if memory.content in text or memory.key is not None:
        return True
    folder = os.path.join(root, os.path.dirname(path), "_attachments")
    names = os.listdir(folder) if os.path.isdir(folder) else ()
    for name in names:
        if name.startswith(memory.id):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                if memory.content in file.read():
                    return True
    return False


def unlike_devices(here: Sequence[Memory], there: Sequence[Memory]) -> Iterator[str]:
    """Memories that two devices show differently, once everything has arrived on both."""
    yield from differences(_without_tools_times(here), _without_tools_times(there), "Devices")


def differences(here: Iterable[Memory], there: Iterable[Memory], who: str) -> Iterator[str]:
    """Memories that two books show differently."""
    mine, theirs = ({one.id: one for one in found} for found in (here, there))
    for id in sorted(mine.keys() | theirs.keys()):
        if mine.get(id) != theirs.get(id):
            sides = " and ".join(
                one[id].status if id in one else "nothing" for one in (mine, theirs)
            )
            yield f"{who} differ about {id}: {sides}"


def _without_tools_times(found: Sequence[Memory]) -> list[Memory]:
    """A note without an id has its file's times, which tools change."""
    return [
        one.but(created=_NO_TIME, updated=_NO_TIME) if is_derived(one.id) else one for one in found
    ]


def conflict_copies(root: str) -> list[str]:
    """Files of a vault that a sync tool made in a conflict, by their names and ids."""
    notes = dict(notes_below(root))
    by_id: dict[str, list[str]] = {}
    for path, text in notes.items():
        by_id.setdefault(id_in(text) or path, []).append(path)
    found = [path for path in notes if original_name(os.path.basename(path))]
    # A name that a person may choose counts if another note has the same id.
    found += [
        path
        for paths in by_id.values()
        for path in paths
        if len(paths) > 1 and possible_originals(os.path.basename(path))
    ]
    found += [name for name in os.listdir(root) if "_index.md" in possible_originals(name)]
    for folder, _, names in os.walk(os.path.join(root, "_meta")):
        copies = (os.path.join(folder, name) for name in names if original_name(name))
        found += [os.path.relpath(path, root) for path in copies]
    return sorted(set(found))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 50 else f"{line[:49]}…")
