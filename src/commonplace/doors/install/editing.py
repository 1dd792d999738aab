"""Change JSON without writing it anew.

A settings file is its owner's text: a part is put in or taken out, and every other character
stays as it is.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from .jsonc import Node, Part, comma_after, find, read

if TYPE_CHECKING:
    from collections.abc import Sequence

EMPTY = "{}\n"
_WORDS = re.compile(r'\[\n\s+("[^"\n]*"(?:,\n\s+"[^"\n]*")*)\n\s+\]')
"""A list of plain words, which reads better on one line."""
_ASIDE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))")


def put(text: str, path: Sequence[str], name: str, value: Any) -> str:
    """The text with one more member in the object at a path; objects on the way are made."""
    root = read(text)
    for depth in range(len(path)):
        if find(root, path[: depth + 1]) is None:
            for missing in reversed(path[depth:]):
                name, value = missing, {name: value}
            path = path[:depth]
            break
    return _inserted(text, _container(root, path, dict), f"{json.dumps(name)}: ", value)


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with one more item in the array at a path, which is made if need be."""
    root = read(text)
    if find(root, path) is None:
        return put(text, path[:-1], path[-1], [value])
    return _inserted(text, _container(root, path, list), "", value)


def remove(text: str, owner: Node, part: Part) -> str:
    """The text without one part of a value, and without the comma that it needed."""
    start, end = part.start, part.node.end
    start = len(text[:start].rstrip())
    if (comma := comma_after(text, end)) is not None:
        end = comma + 1
        if "\n" in text[start : part.start] and not re.match(r"[ \t]*\r?\n", text[end:]):
            start = part.start  # The next part needs the line, as there may be a comment before.
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
            hint="Mend the file, then try again.",
        )
    return node


def _inserted(text: str, owner: Node, head: str, value: Any) -> str:
    """The text with a part behind the last one, written as its neighbours are."""
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
    # A comment at the end of the line belongs to what stands before it.
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
    """The blanks that the line around a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    found = re.search(r"^\ufeff?[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "
