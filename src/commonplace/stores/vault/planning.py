"""What files a write will leave behind: every record checked before the first byte is written."""

from __future__ import annotations

import os

from ...errors import Conflict
from ...model import LIVE
from ...rules import facts, notes
from ...rules.codec import iso
from ...rules.identity import archived_id, is_derived, slug
from ...rules.layout import FACTS
from ...rules.places import path_of, place_at, scope_folder
from ...value import Value
from .files import Content
from .reading import interpret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model import Memory
    from ...ports import Put
    from .files import Files
    from .folders import ScopeFolders

_NOT_COMPARED = ("created", "updated")
"""Of notes without frontmatter these are the file's time, which copying a vault changes."""
_LINE_SAYS = frozenset({
    "id", "content", "created", "updated", "scope", "kind", "tier", "owner", "status", "trust",
    "source", "slug", "title", "key", "value", "namespace", "version", "supersedes",
})  # fmt: skip
"""What a line of `facts.md` says or can do without; a fact with more to say is a note."""


class Placed(Value):
    """Where a record went and under which id."""

    path: str
    id: str


class Plan:
    """The vault as it will be once the puts are written, file by file."""

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
        self._placed: dict[str, Placed] = {}

    def put(self, put: Put) -> Placed:
        """Plan one record; raises Conflict when it is not as expected."""
        memory, expect = put.memory, put.expect
        placed = self._create(memory) if expect is None else self._change(memory, expect)
        self._placed[memory.id] = placed
        return placed

    def erase_line(self, path: str, id: str) -> None:
        """Plan to take a fact out of its file."""
        for memory in self._memories(path):
            if memory.id == id and memory.key is not None:
                text = facts.remove_fact(self.text(path) or "", memory.namespace, memory.key)
                self.after[path] = text

    def remove(self, path: str) -> None:
        """Plan to take a file away."""
        self.text(path)
        self.after[path] = None

    def text(self, path: str) -> str | None:
        """A file's text as planned so far; None when there is none."""
        if path not in self.after:
            content = self._files.read(path)
            self.before[path] = content
            self.after[path] = None if content is None else content.data.decode()
        return self.after[path]

    def _create(self, memory: Memory) -> Placed:
        if memory.id in self._placed or self._holds(memory.id):
            raise Conflict(
                f"There already is a memory with the id {memory.id}.", hint="Read it first."
            )
        if fits_a_line(memory):
            return self._create_line(memory)
        path = self._free(memory)
        self.after[path] = notes.render(memory)
        return Placed(path, memory.id)

    def _holds(self, id: str) -> bool:
        path = self._current(id)
        return path is not None and any(memory.id == id for memory in self._memories(path))

    def _create_line(self, memory: Memory) -> Placed:
        path, id, key = self._line(memory)
        known = {found.id: found for found in self._memories(path)}
        ours = any(placed.id == id for placed in self._placed.values())
        if id in known and not ours and known[id].value != memory.value:
            raise Conflict(
                f"{path} already has a value for {key!r}.", hint="Read it first, then replace it."
            )
        text = facts.set_fact(self.text(path) or "", memory.namespace, key, memory.value or "")
        self.after[path] = text
        return Placed(path, id)

    def _line(self, memory: Memory) -> tuple[str, str, str]:
        key = memory.key or ""
        id = facts.fact_id(memory.scope, memory.namespace, key)
        return self._current(id) or f"{self._folders.of(memory.scope)}/{FACTS}", id, key

    def _change(self, memory: Memory, expect: Memory) -> Placed:
        earlier = self._placed.get(expect.id)
        path = earlier.path if earlier else self._current(expect.id)
        place = place_at(path) if path else None
        if path is None or place is None or (text := self.text(path)) is None:
            raise _changed(expect)
        if place.form == "facts":
            return self._change_line(path, memory, expect, earlier)
        found = self._memories(path)
        if len(found) != 1 or not same(found[0].but(id=expect.id), expect):
            raise _changed(expect)
        if _returns_to_its_line(memory, expect):
            placed = self._create_line(memory)
            self.after[path] = None
            return placed
        target = path
        if path_of(memory).rpartition("/")[0] != path_of(expect).rpartition("/")[0]:
            target = self._free(memory, name=os.path.basename(path))
            self.after[path] = None
        self.after[target] = notes.update(text, memory)
        return Placed(target, memory.id)

    def _change_line(
        self, path: str, memory: Memory, expect: Memory, earlier: Placed | None
    ) -> Placed:
        id = earlier.id if earlier else expect.id
        named = (expect.key, expect.namespace)
        line = next((m for m in self._memories(path) if (m.key, m.namespace) == named), None)
        unchanged = line is not None and line.value == expect.value
        if not unchanged and earlier is None:
            raise _changed(expect)
        text = self.text(path) or ""
        if memory.status in LIVE and memory.owner == "curated" and memory.key and memory.value:
            if (memory.key, memory.namespace) != (expect.key, expect.namespace):
                text = facts.remove_fact(text, expect.namespace, expect.key or "")
            self.after[path] = facts.set_fact(text, memory.namespace, memory.key, memory.value)
            return Placed(path, facts.fact_id(memory.scope, memory.namespace, memory.key))
        if unchanged:
            self.after[path] = facts.remove_fact(text, expect.namespace, expect.key or "")
        kept = memory if memory.id != id else _archived(memory, expect)
        target = self._free(kept)
        self.after[target] = notes.render(kept)
        return Placed(target, kept.id)

    def _memories(self, path: str) -> tuple[Memory, ...]:
        text = self.text(path)
        if text is None:
            return ()
        before = self.before.get(path)
        content = Content(text.encode(), before.modified_s if before else 0.0, 0)
        return interpret(path, content).memories

    def _free(self, memory: Memory, *, name: str | None = None) -> str:
        """Where a note can go: its own place, or the same with a longer name."""
        canonical = path_of(memory)
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


def fits_a_line(memory: Memory) -> bool:
    """Whether a fact can be a line of `facts.md` without losing anything it says."""
    defaults = type(memory).__defaults__
    return (
        memory.kind == "fact"
        and memory.owner == "curated"
        and memory.status == "active"
        and memory.trust in ("user", "agent")
        and memory.key is not None
        and memory.value is not None
        and memory.content.strip() in (memory.value, f"{memory.key}: {memory.value}")
        and facts.holdable(memory.namespace, memory.key, memory.value)
        and all(
            value == defaults[name]
            for name, value in memory.__dict__.items()
            if name not in _LINE_SAYS
        )
    )


def same(current: Memory, expect: Memory) -> bool:
    """Whether a record is still what the caller read, times apart."""
    return all(
        value == expect.__dict__[name]
        for name, value in current.__dict__.items()
        if name not in _NOT_COMPARED
    )


def _returns_to_its_line(memory: Memory, expect: Memory) -> bool:
    return expect.status not in LIVE and is_derived(expect.id) and fits_a_line(_plain(memory))


def _plain(memory: Memory) -> Memory:
    return memory.but(superseded_by=None, deleted_at=None)


def _archived(memory: Memory, line: Memory) -> Memory:
    id = archived_id(line, at=iso(memory.updated))
    return memory.but(id=id, slug=memory.slug or slug(line.key or "", id))


def _changed(expect: Memory) -> Conflict:
    return Conflict(
        f"The memory {expect.id} was changed or moved since it was read.",
        hint="Read it again and repeat the change.",
    )
