"""Plans the files of a write: every record is placed and checked before any byte is written."""

from __future__ import annotations

import os

from ...model.codec import iso
from ...model.errors import Conflict
from ...model.identity import archived_id, is_derived, slug
from ...model.memory import LIVE
from ...model.value import Value
from ...notes import attachments, facts
from ...notes import note as notes
from ...notes.layout import FACTS
from ...notes.places import path_for, place_at, scope_folder, shelf_for
from .files import Content
from .read_notes import parse_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from ...model.memory import Memory
    from ...model.scope import Scope
    from ...ports.record_store import Put, SyncConflict
    from .files import Files
    from .folders import ScopeFolders

_NOT_COMPARED = ("created", "updated")
"""In notes without frontmatter these are the file's time, which copying a vault changes."""


class PlacedRecord(Value):
    """The path and the id that a record gets."""

    path: str
    id: str


class VaultWritePlan:
    """The files that a write changes, before and after it."""

    def __init__(
        self, files: Files, folders: ScopeFolders, current: Callable[[str], str | None]
    ) -> None:
        self._files = files
        self._folders = folders
        self._current = current
        self.before: dict[str, Content | None] = {}
        """Each file involved, as it was when the plan was made."""
        self.after: dict[str, str | None] = {}
        """Each file involved, as it will be; None for one that goes."""
        self.rendered: dict[str, tuple[str, Memory]] = {}
        """Texts of new notes, and the memory that each reads back as."""
        self.times: dict[str, datetime] = {}
        """The times of files whose lines are older than the writing of them."""
        self._placed: dict[str, PlacedRecord] = {}
        self._paths: dict[str, str] = {}
        """The path of each id placed so far."""

    def put(self, puts: Sequence[Put]) -> list[PlacedRecord]:
        """Plan records, in order; raises Conflict when one is not as expected."""
        for put in puts:
            memory, expect = put.memory, put.expect
            placed = self._create(memory) if expect is None else self._change(memory, expect)
            if earlier := self._placed.get(memory.id):
                self._paths.pop(earlier.id, None)
            self._placed[memory.id] = placed
            self._paths[placed.id] = placed.path
        # Collected at the end: a later record may have moved an earlier one.
        return [self._placed[put.memory.id] for put in puts]

    def erase_line(self, path: str, id: str) -> None:
        """Plan to take a fact out of its file."""
        for memory in self._memories(path):
            if memory.id == id and memory.key is not None:
                text = facts.remove_fact(self.text(path) or "", memory.namespace, memory.key)
                self.after[path] = text

    def give_id(self, path: str, id: str) -> None:
        """Plan to write its effective id into a note that claims another's."""
        for memory in self._memories(path):
            self._update(path, path, memory.but(id=id))

    def settle(self, conflict: SyncConflict, kept: Memory | None, texts: Sequence[str]) -> None:
        """Plan the one file that several sides of a conflict become, whose texts are given."""
        place, first = conflict.place, conflict.files[0][0]
        self.text(place)
        if kept is None:
            self.after[place] = facts.merge_files(texts)
        elif is_derived(kept.id):
            self.after[place] = notes.set_fields(texts[0], kept, conflict.sides[0])
        elif kept == conflict.sides[0] and _folder(first) == _folder(place):
            self.after[place] = texts[0]
        else:
            self._update(first, place, kept)
        if kept is not None:
            self.after[place] = notes.with_own_keys(self.after[place] or "", texts)
        for path, _ in conflict.files:
            if path == place:
                continue
            if path != first and _folder(path) != _folder(place):
                self._detach(path)
            self.after[path] = None

    def remove(self, path: str) -> None:
        """Plan to take a file away, with its attachment."""
        self._detach(path)
        self.after[path] = None

    def text(self, path: str) -> str | None:
        """A file's text as planned so far; None when there is none."""
        if path not in self.after:
            content = self._files.read(path)
            self.before[path] = content
            self.after[path] = None if content is None else content.data.decode()
        return self.after[path]

    def _create(self, memory: Memory) -> PlacedRecord:
        if memory.id in self._placed:
            raise _id_exists(memory.id)
        if facts.has_line_id(memory) and facts.fits_facts_file(memory):
            return self._create_line(memory)
        # A new fact becomes a note, because two devices would both write a shared file.
        self._free_id(memory.id)
        path = self._free_path(memory)
        text = self.after[path] = self._attached(path, notes.render_note(memory), memory)
        if notes.reads_back(memory) and _says_the_same(path, memory):
            self.rendered[path] = (text, memory)
        return PlacedRecord(path, memory.id)

    def _update(self, path: str, target: str, memory: Memory) -> None:
        """Plan a note with the fields of a memory, at another path if wanted."""
        whole, summary, _ = attachments.expanded(path, self.text(path) or "", self.text)
        large = attachments.is_large(memory)
        # A large note that a person wrote as one file stays one file.
        own = summary is None and large and memory.content == notes.split_note(whole).content
        self._detach(path)
        if target != path:
            self.after[path] = None
        text = notes.update_note(whole, memory if own or not large else memory.but(summary=""))
        self.after[target] = text if own else self._attached(target, text, memory)

    def _attached(self, path: str, text: str, memory: Memory) -> str:
        """The text of a note, with a very large body as an attachment beside it."""
        if not attachments.is_large(memory):
            return text
        name = attachments.attachment_name(memory)
        place = attachments.attachment_path(path, name)
        self.text(place)
        self.after[place] = memory.content
        bare = notes.update_note(text, memory.but(summary=""))
        return attachments.collapsed(bare, name, memory.summary.strip())

    def _detach(self, path: str) -> None:
        """Plan to take away the attachment of a note."""
        if linked := attachments.linked_original(self.text(path) or ""):
            place = attachments.attachment_path(path, linked[0])
            self.text(place)
            self.after[place] = None

    def _free_id(self, id: str) -> None:
        """Give an id up: a forgotten memory that has a line's id gets one of its own."""
        path = self._holder(id)
        held = next((m for m in self._memories(path) if m.id == id), None) if path else None
        if path is None or held is None:
            return
        if held.status in LIVE or is_facts(path) or not facts.has_line_id(held):
            raise _id_exists(id)
        moved = held.but(id=archived_id(held, at=iso(held.updated)))
        self._update(path, path, moved)
        for name, placed in self._placed.items():
            if placed == PlacedRecord(path, id):
                self._placed[name] = PlacedRecord(path, moved.id)
        if self._paths.pop(id, None):
            self._paths[moved.id] = path

    def _holder(self, id: str) -> str | None:
        """The file that has an id, as planned so far."""
        return self._paths.get(id) or self._current(id)

    def _create_line(self, memory: Memory) -> PlacedRecord:
        key = memory.key or ""
        id = facts.fact_id(memory.scope, memory.namespace, key)
        path = self._holder(id)
        if path is None or not is_facts(path):
            self._free_id(id)
            path = f"{self._folders.of(memory.scope)}/{FACTS}"
        known = {found.id: found for found in self._memories(path)}
        ours = any(placed.id == id for placed in self._placed.values())
        if id in known and not ours and (memory.id == id or known[id].value != memory.value):
            raise Conflict(
                f"{path} already has a value for {key!r}.", hint="Read it first, then replace it."
            )
        return self._set_line(path, memory)

    def _set_line(self, path: str, memory: Memory) -> PlacedRecord:
        key = memory.key or ""
        text, before = self.text(path) or "", self.before.get(path)
        whole = before.data.decode() if before else ""
        if text == facts.remove_fact(whole, memory.namespace, key):
            text = whole  # An earlier record took the line out; it comes back in its place.
        self.after[path] = facts.set_fact(text, memory.namespace, key, memory.value or "")
        if before is None or notes.file_moment(before.modified_s) == memory.updated:
            # A moved file keeps its time, which is that of its lines.
            self.times[path] = memory.updated
        else:
            self.times.pop(path, None)
        return PlacedRecord(path, facts.fact_id(memory.scope, memory.namespace, key))

    def _change(self, memory: Memory, expect: Memory) -> PlacedRecord:
        earlier = self._placed.get(expect.id)
        path = earlier.path if earlier else self._current(expect.id)
        if path is None or place_at(path) is None or self.text(path) is None:
            raise _record_changed(expect)
        if is_facts(path):
            return self._change_line(path, memory, expect, earlier)
        found = self._memories(path)
        if len(found) != 1 or not same(found[0].but(id=expect.id), expect):
            raise _record_changed(expect)
        if _returns_to_its_line(memory, expect):
            self.after[path] = None
            return self._create_line(memory)
        kept = _as_note(memory, expect) if facts.has_line_id(expect) else memory
        if kept.id != memory.id:
            self._free_id(kept.id)
        target = path
        if kept.slug != expect.slug:
            # The note is named after its memory, because links in other programs use the name.
            target = self._free_path(kept)
        elif path_for(kept).rpartition("/")[0] != path_for(expect).rpartition("/")[0]:
            target = self._free_path(kept, name=os.path.basename(path))
        self._update(path, target, kept)
        return PlacedRecord(target, kept.id)

    def _change_line(
        self, path: str, memory: Memory, expect: Memory, earlier: PlacedRecord | None
    ) -> PlacedRecord:
        named = (expect.namespace, expect.key or "")
        line = next((m for m in self._memories(path) if (m.namespace, m.key) == named), None)
        unchanged = line is not None and line.value == expect.value
        if not unchanged and earlier is None:
            raise _record_changed(expect)
        fits = facts.fits_facts_file(_plain(memory))
        if fits and _address(memory) == _address(expect):
            return self._set_line(path, memory)
        if unchanged:
            self.after[path] = facts.remove_fact(self.text(path) or "", *named)
        if fits:
            return self._create_line(memory)
        kept = memory
        if memory.id == (earlier.id if earlier else expect.id):
            kept = _as_note(memory, expect)
        if kept.id != memory.id:
            self._free_id(kept.id)
        target = self._free_path(kept)
        self.after[target] = self._attached(target, notes.render_note(kept), kept)
        return PlacedRecord(target, kept.id)

    def _memories(self, path: str) -> tuple[Memory, ...]:
        text = self.text(path)
        if text is None:
            return ()
        before = self.before.get(path)
        content = Content(text.encode(), before.modified_s if before else 0.0, 0)
        return parse_file(path, content, self.text).memories

    def _free_path(self, memory: Memory, *, name: str | None = None) -> str:
        """A path that no file has: the memory's own, or the same with a longer name."""
        canonical = path_for(memory)
        home = scope_folder(memory.scope)
        path = canonical
        if canonical.startswith(f"{home}/"):
            path = self._folders.of(memory.scope) + canonical[len(home) :]
        elif "/" in canonical:
            above = memory.scope.without("agent")
            path = self._folders.of(above) + canonical[len(scope_folder(above)) :]
        place = place_at(path)
        if place is not None and place.form != "note":
            if self._taken(path):
                raise Conflict(f"{path} already exists.", hint="Read it first, then change it.")
            return path
        folder, _, own = path.rpartition("/")
        stem = (name or own).removesuffix(".md")
        for ending in ("", f"-{memory.id[-6:]}", f"-{memory.id}"):
            if not self._taken(candidate := f"{folder}/{stem}{ending}.md"):
                return candidate
        raise Conflict(f"{path} and its like already exist.", hint="Tidy that folder.")

    def _taken(self, path: str) -> bool:
        if path in self.after:
            return self.after[path] is not None
        if os.path.lexists(self._files.path(path)):
            return True
        self.before[path] = None
        return False


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _says_the_same(path: str, memory: Memory) -> bool:
    """Whether the folder says the same scope, owner and shelf as the memory."""
    place = place_at(path)
    return (
        place is not None
        and place.form == "note"
        and (place.scope, place.owner) == (memory.scope, memory.owner)
        and place.shelf == shelf_for(memory)
    )


def same(current: Memory, expect: Memory) -> bool:
    """Whether a record is still what the caller read, times apart."""
    return all(
        value == expect.__dict__[name]
        for name, value in current.__dict__.items()
        if name not in _NOT_COMPARED
    )


def _returns_to_its_line(memory: Memory, expect: Memory) -> bool:
    return (
        expect.status not in LIVE
        and is_derived(expect.id)
        and facts.fits_facts_file(_plain(memory))
    )


def _plain(memory: Memory) -> Memory:
    return memory.but(superseded_by=None, deleted_at=None)


def _as_note(memory: Memory, line: Memory) -> Memory:
    """A former line as a note; it keeps its id unless a newer value has the line."""
    id = memory.id
    if memory.status == "superseded" and id == line.id:
        id = archived_id(line, at=iso(memory.updated))
    elif memory.key and _address(memory) != _address(line):
        id = facts.fact_id(memory.scope, memory.namespace, memory.key)
    return memory.but(id=id, slug=memory.slug or slug(line.key or "", id))


def _address(fact: Memory) -> tuple[Scope, str | None, str | None]:
    return (fact.scope, fact.namespace, fact.key)


def is_facts(path: str) -> bool:
    """Whether a file holds a fact a line."""
    place = place_at(path)
    return place is not None and place.form == "facts"


def _id_exists(id: str) -> Conflict:
    return Conflict(f"There already is a memory with the id {id}.", hint="Read it first.")


def _record_changed(expect: Memory) -> Conflict:
    return Conflict(
        f"The memory {expect.id} was changed or moved since it was read.",
        hint="Read it again and repeat the change.",
    )
