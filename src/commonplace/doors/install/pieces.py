"""Pieces of a settings file that `install` adds: each can be added, found and removed."""

from __future__ import annotations

import json
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

from ...model.errors import BadInput
from ...model.value import Value
from . import settings_json, settings_toml
from .settings_json import find, named, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .settings_json import Node, Part

Path = tuple[str, ...]
NAME = "commonplace"
SKILL = "SKILL.md"
SKILLS = os.path.join(os.path.dirname(__file__), "skills")
"""Folder of the skills that come with Commonplace, in the Agent Skills format."""
PLUGIN_NAME = f"{NAME}.js"
PLUGIN = os.path.join(os.path.dirname(__file__), "plugins", "opencode.js")


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
        return NAME in said and f" {self.mark} " in f" {said} "


class Member(Value):
    """A named member of an object: our MCP server among others."""

    file: str
    path: Path
    value: Any
    written: Any = None
    """The value that was written, if recorded; other versions wrote other values."""

    def put(self, text: str) -> str:
        """The text with the piece; one that `install` wrote before gives way, with its additions.

        A member that a person wrote stays as it is.
        """
        there = self.found(text)
        if there is None:
            return settings_json.put(text, self.path, NAME, self.value)
        if self.registered(text) or not self.ours(text):
            return text
        added = {name: there[name] for name in there if name not in self.written}
        return settings_json.put(self.removed(text), self.path, NAME, {**self.value, **added})

    def registered(self, text: str) -> bool:
        """Whether the member starts what our value starts; a person may have added fields."""
        return _contains(self.found(text), self.value)

    def removed(self, text: str) -> str:
        """The text without the member; a member that a person wrote or changed stays."""
        owner = find(parse_json(text), self.path)
        part = named(owner, NAME) if owner else None
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
        return there in (self.value, self.written) or _contains(there, self.written)


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


class TomlTable(Value):
    """A table of a TOML file: our MCP server among others."""

    file: str
    path: Path
    value: dict[str, Any]
    written: Any = None
    """The value that was written, if recorded; other versions wrote other values."""

    FENCES = re.compile(r"^# (?:>>> commonplace >>>|<<< commonplace <<<)[ \t]*\r?\n?", re.M)
    """Comments that earlier versions put around the table; Codex moves them."""

    def put(self, text: str) -> str:
        """The text with the piece; one that `install` wrote before gives way, with its additions.

        A table that a person wrote stays as it is.
        """
        there: Any = self.found(text)
        if there is not None and (self.registered(text) or not self.ours(text)):
            return text
        known: dict[str, Any] = {**self.value, **(self.written or {})}
        fields: dict[str, Any] = there or {}
        added = {
            name: value
            for name, value in fields.items()
            if name not in known and not isinstance(value, dict)
        }
        place = (*self.path, NAME)
        left = settings_toml.remove_table(self.FENCES.sub("", text), place, inner=False)
        made = settings_toml.append_table(left, place, {**self.value, **added})
        try:
            settings_toml.read_toml(made)
        except tomllib.TOMLDecodeError as error:
            inline = ".".join(self.path)
            raise BadInput(
                f"{inline} is an inline table, which takes no further server; nothing was changed.",
                hint=f"Write its servers as tables, [{inline}.NAME], or add --no-mcp.",
            ) from error
        return made

    def registered(self, text: str) -> bool:
        """Whether the table starts what our value starts; a person may have added fields."""
        return _contains(self.found(text), self.value)

    def removed(self, text: str) -> str:
        """The text without the table; a table that a person wrote or changed stays."""
        ours = self.ours(text)
        text = self.FENCES.sub("", text)
        return settings_toml.remove_entry(text, (*self.path, NAME)) if ours else text

    def found(self, text: str) -> Any:
        """The table's value, whoever wrote it."""
        try:
            node: Any = settings_toml.read_toml(text)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(
                f"This is not valid TOML: {error}.", hint="Repair the file, then try again."
            ) from error
        for name in (*self.path, NAME):
            node = node.get(name) if isinstance(node, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return node  # pyright: ignore[reportUnknownVariableType]

    def ours(self, text: str) -> bool:
        """Whether `install` wrote the table; a person may have added fields."""
        there = self.found(text)
        fenced = self.FENCES.search(text) is not None
        return there is not None and (
            fenced or there == self.value or _contains(there, self.written)
        )


def _contains(there: Any, fields: Any) -> bool:
    """Whether a value has all these fields."""
    if not isinstance(there, dict) or not isinstance(fields, dict):
        return False
    return there == {**there, **fields}  # pyright: ignore[reportUnknownArgumentType]


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
    with open(os.path.join(SKILLS, NAME, SKILL), encoding="utf-8") as file:
        return file.read()


class PluginFile(Value):
    """The plugin that runs our hooks, a file of its own in the folder of a host's plugins."""

    file: str
    command: tuple[str, ...]
    times_ms: Mapping[str, int]
    """The longest that an event may take, by its name."""

    MARK = "// Commonplace for opencode"

    def put(self, text: str) -> str:
        """The plugin; one of another version gives way, one that a person wrote is refused."""
        if text.strip() and not self.ours(text):
            raise BadInput(
                "This plugin is not one of Commonplace.", hint="Rename it, then try again."
            )
        with open(PLUGIN, encoding="utf-8") as file:
            made = file.read()
        made = made.replace('"THE COMMAND"', json.dumps(self.command))
        return made.replace('"THE TIMES"', json.dumps(dict(self.times_ms)))

    def removed(self, text: str) -> str:
        """Nothing; a plugin that a person wrote stays."""
        return "" if self.ours(text) else text

    def ours(self, text: str) -> bool:
        """Whether `install` wrote the plugin; a person may have edited it."""
        return text.startswith(self.MARK)


OWN_FILES = (SkillFile, PluginFile)
"""Pieces that are a whole file."""
Piece = Handler | Member | Version | TomlTable | SkillFile | PluginFile


def pruned(text: str, path: Path, before: str | None) -> str:
    """The text without empty objects and lists along a path that were not there before."""
    earlier = parse_json(before) if before and before.strip() else None
    for depth in range(len(path), 0, -1):
        root = parse_json(text)
        owner, node = find(root, path[: depth - 1]), find(root, path[:depth])
        if owner is None or node is None or node.value:
            continue
        if earlier is not None and find(earlier, path[:depth]) is not None:
            break
        if part := named(owner, path[depth - 1]):
            text = settings_json.remove(text, owner, part)
    return text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        parts: Any = value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]
        for one in parts:
            yield from _texts(one)
