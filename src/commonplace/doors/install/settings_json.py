"""Edit JSON settings with comments: parse with positions, and change only the edited parts."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from ...model.errors import BadInput
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.S)
_SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|[^\s,\[\]{}:"/]+')


class Node(Value):
    """A value in a text, with its position and its parts."""

    start: int
    end: int
    value: Any
    parts: tuple[Part, ...] = ()
    """Members of an object, items of an array."""


class Part(Value):
    """A member of an object, with its name, or an item of an array."""

    start: int
    node: Node
    name: str = ""


class _Reader:
    """A parser with a position in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.took_comma = False
        self.extra_comma: int | None = None
        """Position of the first comma that stands before a closing bracket."""

    def whole(self) -> Node:
        """The value of the whole text."""
        self.space()
        node = self.value()
        self.space()
        if self.at != len(self.text):
            self.fail()
        return node

    def value(self) -> Node:
        """The value at the position."""
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
        comma = 0
        while True:
            self.space()
            if self.take("}" if named else "]"):
                if parts and self.took_comma and self.extra_comma is None:
                    self.extra_comma = comma
                break
            if parts and not self.took_comma:
                self.fail()
            parts.append(self.part(named=named))
            self.space()
            comma, self.took_comma = self.at, self.take(",")
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
        """Skip blanks and comments."""
        if found := _SPACE.match(self.text, self.at):
            self.at = found.end()

    def take(self, mark: str) -> bool:
        """Skip a character if it is at the position."""
        here = self.text.startswith(mark, self.at)
        self.at += len(mark) if here else 0
        return here

    def fail(self) -> NoReturn:
        """Raise an error with the line number."""
        line = self.text.count("\n", 0, self.at) + 1
        raise BadInput(f"Line {line} is not JSON.", hint="Repair the file, then try again.")


def parse_json(text: str) -> Node:
    """Parse a text, with the position of every part."""
    try:
        return _Reader(text).whole()
    except RecursionError as error:
        raise BadInput("The JSON is nested too deeply.", hint="Repair the file.") from error


def extra_comma(text: str) -> int | None:
    """The line of the first comma before a closing bracket, which strict readers refuse."""
    reader = _Reader(text)
    try:
        reader.whole()
    except (RecursionError, BadInput):
        return None  # The edit of the file says what is wrong with it.
    return None if reader.extra_comma is None else text.count("\n", 0, reader.extra_comma) + 1


def named(node: Node, name: str) -> Part | None:
    """The member of an object that counts under a name."""
    return next((one for one in reversed(node.parts) if one.name == name), None)


def find(node: Node, path: Sequence[str]) -> Node | None:
    """The node at a path of names, or None; of members with one name readers take the last."""
    for name in path:
        part = named(node, name)
        if part is None:
            return None
        node = part.node
    return node


def _refuse(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python accepts and JSON does not."""
    raise ValueError(name)


def comma_after(text: str, end: int) -> int | None:
    """Position of the comma after a part, or None."""
    space = _SPACE.match(text, end)
    at = space.end() if space else end
    return at if text[at : at + 1] == "," else None


EMPTY = "{}\n"
_WORDS = re.compile(r'\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\]')
"""A list of plain strings, which reads better on one line."""
_ASIDE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))")


def put(text: str, path: Sequence[str], name: str, value: Any) -> str:
    """The text with a new member in the object at a path; missing objects are created."""
    root = parse_json(text)
    for depth in range(len(path)):
        if find(root, path[: depth + 1]) is None:
            for missing in reversed(path[depth:]):
                name, value = missing, {name: value}
            path = path[:depth]
            break
    return _inserted(text, _container(root, path, dict), f"{json.dumps(name)}: ", value)


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a new item in the array at a path; a missing array is created."""
    root = parse_json(text)
    if find(root, path) is None:
        return put(text, path[:-1], path[-1], [value])
    return _inserted(text, _container(root, path, list), "", value)


def remove(text: str, owner: Node, part: Part) -> str:
    """The text without a part and its comma."""
    start, end = part.start, part.node.end
    start = len(text[:start].rstrip())
    if (comma := comma_after(text, end)) is not None:
        end = comma + 1
        if "\n" in text[start : part.start] and not re.match(r"[ \t]*\r?\n", text[end:]):
            start = part.start  # Keep the line break, since a comment may stand before it.
    elif (place := owner.parts.index(part)) > 0:
        before = comma_after(text, owner.parts[place - 1].node.end)
        if before is not None:
            return text[:before] + text[before + 1 : start] + text[end:]
    left = text[:start] + text[end:]
    inside = left[owner.start + 1 : owner.end - 1 - (end - start)]
    if len(owner.parts) == 1 and not inside.strip():
        return left[: owner.start + 1] + left[owner.start + 1 + len(inside) :]
    return left


def _container(root: Node, path: Sequence[str], kind: type) -> Node:
    node = find(root, path)
    if node is None or not isinstance(node.value, kind):
        raise BadInput(
            f"{'.'.join(path) or 'The file'} is not {'an object' if kind is dict else 'a list'}.",
            hint="Repair the file, then try again.",
        )
    return node


def _inserted(text: str, owner: Node, head: str, value: Any) -> str:
    """The text with a part after the last one, formatted like its neighbours."""
    line = "\r\n" if "\r\n" in text else "\n"
    outer, unit = _indent_at(text, owner.start), _unit(text)
    if not owner.parts:
        inside = text[owner.start + 1 : owner.end - 1].rstrip()
        made = f"{inside}{line}{outer}{unit}{_written(head, value, unit, line + outer + unit)}"
        return f"{text[: owner.start + 1]}{made}{line}{outer}{text[owner.end - 1 :]}"
    last = owner.parts[-1]
    if "\n" not in text[owner.start : last.start]:
        return f"{text[: last.node.end]}, {head}{_on_a_line(value)}{text[last.node.end :]}"
    inner = _indent_at(text, last.start)
    body = _written(head, value, unit, line + inner)
    comma = comma_after(text, last.node.end)
    end = last.node.end if comma is None else comma + 1
    # A comment at the end of the line belongs to the part before it.
    aside = _ASIDE.match(text, end)
    after = aside.end() if aside else end
    before = text[:end] + ("," if comma is None else "") + text[end:after]
    return f"{before}{line}{inner}{body}{'' if comma is None else ','}{text[after:]}"


def _written(head: str, value: Any, unit: str, line: str) -> str:
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    text = _WORDS.sub(lambda found: "[" + re.sub(r",\n\s+", ", ", found[1]) + "]", text)
    return head + text.replace("\n", line)


def _on_a_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line at a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    found = re.search(r"^\ufeff?[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "
