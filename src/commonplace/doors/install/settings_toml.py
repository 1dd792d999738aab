"""Edit TOML settings: find the tables in a text, and change only the edited ones."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise
from typing import Any

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEADER = re.compile(r"^[ \t]*\[[^\n]*$", re.M)
_TRAILING = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?:#[^\n]*)?\Z")
"""Blank lines and comments at the end of a table: they belong to the table that follows."""


class Table(Value):
    """A table in a text: its path, and where it begins and ends, without trailing comments."""

    path: tuple[str, ...]
    start: int
    end: int


def read_toml(text: str) -> dict[str, Any]:
    """The values of a text."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def append_table(text: str, path: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """The text with a table of plain values at its end."""
    line = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else line if text.endswith("\n") else line * 2
    # JSON writes strings and lists of strings as TOML does, but for its escapes above U+FFFF.
    pairs = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())
    return text + gap + line.join((f"[{'.'.join(path)}]", *pairs)) + line


def remove_entry(text: str, path: tuple[str, ...]) -> str:
    """The text without what it says at a path: tables, inline tables and dotted keys."""
    text = remove_table(text, path)
    headers = list(_tables(text))
    first = headers[0].start if headers else len(text)
    for table in reversed([Table((), 0, first), *headers]):
        inner = path[len(table.path) :]
        if inner and path[: len(table.path)] == table.path:
            statements = _statements(text[table.start : table.end])
            kept = (one for one in statements if _names(one)[: len(inner)] != inner)
            text = text[: table.start] + "".join(kept) + text[table.end :]
    return text


def remove_table(text: str, path: tuple[str, ...], *, inner: bool = True) -> str:
    """The text without a table, and the tables inside it if `inner`; comments around them stay."""
    for table in reversed(list(_tables(text))):
        if table.path != path and not (inner and table.path[: len(path)] == path):
            continue
        before, after = text[: table.start], text[table.end :]
        if not after.strip() or after.startswith(("\n", "\r\n")):
            before = re.sub(r"(\A|\n)[ \t]*\r?\n\Z", r"\1", before)
        text = before + after
    return text


def _tables(text: str) -> Iterator[Table]:
    starts = [found.start() for found in _HEADER.finditer(text) if _is_statement(text, found)]
    for start, end in pairwise([*starts, len(text)]):
        header = text[start:end].splitlines()[0]
        trailing = _TRAILING.search(text, start + len(header), end)
        last = trailing.start() if trailing else end
        # The rest of the last statement's line is part of it.
        yield Table(_names(header), start, text.find("\n", last, end) + 1 or end)


def _statements(text: str) -> Iterator[str]:
    """The statements of a table, each with its lines; a comment or header is one by itself."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        try:
            read_toml(statement)
        except tomllib.TOMLDecodeError:
            continue  # A string or list goes on in the next line.
        yield statement
        statement = ""
    yield statement


def _is_statement(text: str, found: re.Match[str]) -> bool:
    """Whether a line begins a statement: inside a string or a list, the text before is cut off."""
    try:
        read_toml(text[: found.start()])
    except tomllib.TOMLDecodeError:
        return False
    return True


def _names(statement: str) -> tuple[str, ...]:
    """The path that a header names, or a statement: `a.b = {c = 1}` is about `a`, `b` and `c`."""
    names: list[str] = []
    found: Any = read_toml(statement)
    while isinstance(found, dict) and len(found) == 1:  # pyright: ignore[reportUnknownArgumentType]
        name, found = next(iter(found.items()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        names.append(name)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(names)
