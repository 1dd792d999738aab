"""JSON that people edit, comments and all, read with the place of every part."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import BadInput
from ...value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.S)
_SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|[^\s,\[\]{}:"/]+')


class Node(Value):
    """A value in a text: where it is, and where its parts are."""

    start: int
    end: int
    value: Any
    parts: tuple[Part, ...] = ()
    """Members of an object, items of an array."""


class Part(Value):
    """A member with its name, or an item."""

    start: int
    node: Node
    name: str = ""


class _Reader:
    """Reads one value after another."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.took_comma = False

    def whole(self) -> Node:
        """The one value that the text holds."""
        self.space()
        node = self.value()
        self.space()
        if self.at != len(self.text):
            self.fail()
        return node

    def value(self) -> Node:
        """The value that begins here."""
        start = self.at
        if self.text[start : start + 1] in ("{", "["):
            return self.container(start, named=self.text[start] == "{")
        found = _SCALAR.match(self.text, start)
        try:
            value = json.loads(found.group() if found else "", parse_constant=_refuse)
        except ValueError:
            self.fail()
        self.at = found.end() if found else start
        return Node(start, self.at, value)

    def container(self, start: int, *, named: bool) -> Node:
        """An object or an array, with its parts."""
        self.at += 1
        parts: list[Part] = []
        while True:
            self.space()
            if self.take("}" if named else "]"):
                break
            if parts and not self.took_comma:
                self.fail()
            parts.append(self.part(named=named))
            self.space()
            self.took_comma = self.take(",")
        values = [part.node.value for part in parts]
        value = dict(zip([one.name for one in parts], values, strict=True)) if named else values
        return Node(start, self.at, value, tuple(parts))

    def part(self, *, named: bool) -> Part:
        """One member or item."""
        start = self.at
        name = ""
        if named:
            key = self.value()
            self.space()
            if not isinstance(key.value, str) or not self.take(":"):
                self.fail()
            name = key.value
            self.space()
        return Part(start, self.value(), name)

    def space(self) -> None:
        """Pass over blanks and comments."""
        if found := _SPACE.match(self.text, self.at):
            self.at = found.end()

    def take(self, mark: str) -> bool:
        """Pass over a mark if it is here."""
        here = self.text.startswith(mark, self.at)
        self.at += len(mark) if here else 0
        return here

    def fail(self) -> NoReturn:
        """Say where the text is not JSON."""
        line = self.text.count("\n", 0, self.at) + 1
        raise BadInput(f"Line {line} is not JSON.", hint="Mend the file, then try again.")


def read(text: str) -> Node:
    """The value that a text holds, with the place of every part."""
    try:
        return _Reader(text).whole()
    except RecursionError as error:
        raise BadInput("The JSON is nested too deeply.", hint="Mend the file.") from error


def find(node: Node, path: Sequence[str]) -> Node | None:
    """The value at the end of a path of names."""
    for name in path:
        part = next((one for one in node.parts if one.name == name), None)
        if part is None:
            return None
        node = part.node
    return node


def _refuse(name: str) -> NoReturn:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(name)


def comma_after(text: str, end: int) -> int | None:
    """Where the comma is that follows a part, behind blanks and comments."""
    space = _SPACE.match(text, end)
    at = space.end() if space else end
    return at if text[at : at + 1] == "," else None
