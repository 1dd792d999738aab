"""Pieces of a settings file that `install` adds: each can be added, found and removed."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

from ...model.errors import BadInput
from ...model.value import Value
from . import settings_json
from .settings_json import find, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .settings_json import Node, Part

Path = tuple[str, ...]
NAME = "commonplace"
SKILLS = os.path.join(os.path.dirname(__file__), "skills")
"""Folder of the skills that come with Commonplace, in the Agent Skills format."""


class Handler(Value):
    """A hook: a command that a host runs at an event, beside the commands of others."""

    file: str
    path: Path
    value: Any
    mark: str
    """Words that identify our command, such as `hook claude`."""

    def put(self, text: str) -> str:
        """The text with our command after the others; an older one is replaced."""
        if any(part.node.value == self.value for _, part in self._ours(parse_json(text))):
            return text
        return settings_json.append(self.removed(text), self.path, self.value)

    def removed(self, text: str) -> str:
        """The text without our command, and without its group if that is empty."""
        while found := next(self._ours(parse_json(text)), None):
            text = settings_json.remove(text, *found)
        return text

    def _ours(self, root: Node) -> Iterator[tuple[Node, Part]]:
        handlers = find(root, self.path)
        if handlers is None:
            return
        for part in handlers.parts:
            inner = find(part.node, ("hooks",))
            if inner is None or all(self._is_ours(one) for one in inner.parts):
                if self._is_ours(part):
                    yield handlers, part
                continue
            yield from ((inner, one) for one in inner.parts if self._is_ours(one))

    def _is_ours(self, part: Part) -> bool:
        said = " ".join(_texts(part.node.value))
        return NAME in said and f" {self.mark} " in f"{said} "


class Member(Value):
    """A named member of an object: our MCP server among others."""

    file: str
    path: Path
    value: Any
    written: Any = None
    """The value that was written, if recorded; other versions wrote other values."""

    def put(self, text: str) -> str:
        """The text with the piece; an existing one stays as it is."""
        there = find(parse_json(text), (*self.path, NAME))
        return text if there else settings_json.put(text, self.path, NAME, self.value)

    def removed(self, text: str) -> str:
        """The text without the member; a member that a person wrote or changed stays."""
        owner = find(parse_json(text), self.path)
        part = next((one for one in owner.parts if one.name == NAME), None) if owner else None
        return (
            settings_json.remove(text, owner, part) if owner and part and self.ours(text) else text
        )

    def found(self, text: str) -> Any:
        """The member's value, whoever wrote it."""
        node = find(parse_json(text), (*self.path, NAME))
        return None if node is None else node.value

    def ours(self, text: str) -> bool:
        """Whether `install` wrote the value; a person may have added fields."""
        there = self.found(text)
        if there is None:
            return False
        if isinstance(there, dict) and isinstance(self.written, dict):
            more: Any = there | self.written  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            return there in (self.value, more)
        return there in (self.value, self.written)


class Version(Value):
    """The version field that a host requires; it is never removed."""

    file: str

    def put(self, text: str) -> str:
        """The text with a version."""
        there = find(parse_json(text), ("version",))
        return text if there else settings_json.put(text, (), "version", 1)

    def removed(self, text: str) -> str:
        """The text unchanged."""
        return text


class TomlBlock(Value):
    """A marked block at the end of a TOML file."""

    file: str
    table: str
    lines: tuple[str, ...]

    BEGIN = f"# >>> {NAME} >>>"
    FINISH = f"# <<< {NAME} <<<"

    def put(self, text: str) -> str:
        """The text with the piece; an existing one stays as it is."""
        if self._tables(text).get(NAME) is not None:
            return text
        line = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text else line if text.endswith("\n") else line * 2
        block = (self.BEGIN, f"[{self.table}.{NAME}]", *self.lines, self.FINISH)
        made = text + gap + line.join(block) + line
        self._tables(made)
        return made

    def removed(self, text: str) -> str:
        """The text without the marked block."""
        block = rf"(?:\r?\n)?{re.escape(self.BEGIN)}.*?{re.escape(self.FINISH)}(?:\r?\n|\Z)"
        return re.sub(block, "", text, flags=re.S)

    def _tables(self, text: str) -> dict[str, Any]:
        try:
            found = tomllib.loads(text.removeprefix("\ufeff")).get(self.table, {})
        except tomllib.TOMLDecodeError as error:
            raise BadInput(
                f"The block cannot be added to {self.file}: {error}.",
                hint=f"Repair the file, or add [{self.table}.{NAME}] by hand.",
            ) from error
        return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


class SkillFile(Value):
    """The skill, a file of its own in the folder where a host looks for skills."""

    file: str

    def put(self, text: str) -> str:
        """The skill, unless a person has a text of their own there."""
        return text if text.strip() else skill_text()

    def removed(self, text: str) -> str:
        """Nothing; a text that a person has changed stays."""
        return "" if text == skill_text() else text


def skill_text() -> str:
    """The skill that comes with Commonplace."""
    with open(os.path.join(SKILLS, NAME, "SKILL.md"), encoding="utf-8") as file:
        return file.read()


Piece = Handler | Member | Version | TomlBlock | SkillFile


def pruned(text: str, path: Path, before: str | None) -> str:
    """The text without empty objects and lists along a path that were not there before."""
    earlier = parse_json(before) if before else None
    for depth in range(len(path), 0, -1):
        root = parse_json(text)
        owner, node = find(root, path[: depth - 1]), find(root, path[:depth])
        if owner is None or node is None or node.value:
            continue
        if earlier is not None and find(earlier, path[:depth]) is not None:
            break
        part = next(one for one in owner.parts if one.name == path[depth - 1])
        text = settings_json.remove(text, owner, part)
    return text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        parts: Any = value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]
        for one in parts:
            yield from _texts(one)
