"""The YAML block at the top of a note: read, written and changed key by key.

Nearly every line is read without a YAML library, which makes a note ten times faster to open. A
span that this small reader does not understand goes to the library, under limits. Lines of keys
that nobody changed are never rewritten.
"""

from __future__ import annotations

import json
import re
from datetime import date

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeGuard

    Scalar = str | None
    Read = str | list[str] | None

MAX_BYTES = 65_536
MAX_DEPTH = 10
FENCE = "---"

_CLOSING = re.compile(r"\n---[ \t\r]*(?:\n|$)")
_SIMPLE = re.compile(r"(?:\w+:(?: [^\n]*)?\n)*")
_PLAIN = re.compile(r"[^\W_][\w./@-]*")
_KEY = re.compile(
    r"([^\s\[\]{}\"'#&*!|>%@`,?:-](?:[^:]|:(?=\S))*?|\"[^\"\\]+\"|'[^']+')[ \t]*:"
    r"(?:[ \t]+(.*?))?[ \t]*$"
)
_QUOTED = r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^']|'')*'"
_STRING = re.compile(rf"({_QUOTED})(?:[ \t]+#.*)?")
_ITEM = re.compile(rf"[ \t]*({_QUOTED}|[^\s,\[\]{{}}\"'#&*!|>%@`?-][^,\[\]{{}}#:]*?)[ \t]*(,|\])")
_LIST = re.compile(r"\[.*\][ \t]*(?:#.*)?")
_NOT_PLAIN = re.compile(r"[\[\]{}\"'#&*!|>%@`,]|[-?:](?=[ \t]|$)")
_NESTED = re.compile(r":(?=[ \t]|$)|[ \t]#")
_NOTHING = ("null", "~", "Null", "NULL")
_SPECIAL = re.compile(
    r"(?i)(?:true|false|yes|no|on|off|y|n|null|~|"
    r"[-+]?[.\d][\d_,.:]*(?:e[-+]?\d+)?|0[xob][\da-f_]+|[-+]?\.(?:inf|nan)|\d{4}-\d\d?-\d\d?.*)"
)
_SAFE_PLAIN = re.compile(r"[^\W_](?:[\w ./@()+-]*[\w./@()+-])?")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class KeySpan:
    """The lines of one top-level key, or a line between keys."""

    __slots__ = ("key", "lines", "text")

    def __init__(self, lines: Sequence[str], key: str | None = None, text: str = "") -> None:
        self.lines = lines
        self.key = key
        self.text = text


class FrontmatterBlock(Value):
    """A note's frontmatter: the two fences and the lines between them, as they are."""

    opening: str = ""
    inner: str = ""
    closing: str = ""
    problem: str = ""
    """Why nothing in it is read; empty when it is."""

    @property
    def newline(self) -> str:
        """How lines end here."""
        return "\r\n" if self.opening.endswith("\r\n") else "\n"

    def text(self) -> str:
        """The block exactly as it was."""
        return self.opening + self.inner + self.closing


class Unreadable(Exception):
    """A span is not YAML that may be read; says why."""


def split_frontmatter(text: str) -> tuple[FrontmatterBlock | None, str]:
    """The frontmatter and the rest; None when the text does not open with a closed block."""
    first = text[1:5] if text[:1] == "\ufeff" else text[:4]
    if not first.startswith(FENCE):
        return None, text
    at = text.find("\n") + 1
    if not at or text[:at].strip("\ufeff \t\r\n") != FENCE:
        return None, text
    closing = _CLOSING.search(text, at - 1)
    if closing is None:
        return None, text
    end = closing.start() + 1
    inner = text[at:end] if end > at else ""
    problem = "its frontmatter is too large" if len(inner) > MAX_BYTES else ""
    return FrontmatterBlock(text[:at], inner, text[end : closing.end()], problem), text[
        closing.end() :
    ]


def _lines(text: str) -> list[str]:
    # Not splitlines: it also breaks at characters that YAML and editors keep inside a line.
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def key_spans(block: FrontmatterBlock) -> list[KeySpan]:
    """The block's lines, key by key."""
    lines = _lines(block.inner)
    spans: list[KeySpan] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        found = _KEY.match(line.rstrip("\r\n")) if line[0] not in " \t#-" else None
        end = at + 1
        if found is None:
            spans.append(KeySpan((line,)))
        else:
            ahead = end
            while ahead < len(lines) and (lines[ahead][0] in " \t-#" or not lines[ahead].strip()):
                # Blank and comment lines belong to a key only when more of its lines follow.
                ahead += 1
                if lines[ahead - 1].strip() and not lines[ahead - 1].startswith("#"):
                    end = ahead
            spans.append(KeySpan(lines[at:end], found[1].strip("\"'"), found[2] or ""))
        at = end
    return spans


def read_values(block: FrontmatterBlock) -> tuple[dict[str, Read], list[str]]:
    """The value of each key, and the keys that could not be read; the last of a key wins."""
    found: dict[str, Read] = {}
    unread: list[str] = []
    for span in _simple_spans(block) or key_spans(block):
        if span.key is None:
            stray = span.lines[0].strip()
            if stray and not stray.startswith("#"):
                unread.append("a line without a key")
            continue
        try:
            found[span.key] = _value(span)
        except Unreadable:
            unread.append(span.key)
            if len(span.lines) > 1 and _PLAIN.fullmatch(span.text):
                # Junk below `status: deleted` must not bring the note back to life.
                found[span.key] = span.text
    return found, unread


def _simple_spans(block: FrontmatterBlock) -> list[KeySpan]:
    """The spans when each key has one line, as in the notes we write; else none."""
    if "\r" in block.inner or not _SIMPLE.fullmatch(block.inner):
        return []
    parts = [line.partition(":") for line in block.inner.split("\n")[:-1]]
    return [KeySpan((f"{key}:{text}\n",), key, text.strip(" \t")) for key, _, text in parts]


def _value(span: KeySpan) -> Read:
    text = span.text
    if len(span.lines) > 1:
        return _by_library(span) if text else _block_list(span)
    if not text or text[0] == "#":
        return None
    if text[0] == "[":
        items = _flow_list(text)
        return _by_library(span) if items is None else items
    return _scalar(text, span)


def _scalar(text: str, span: KeySpan) -> Scalar:
    if _PLAIN.fullmatch(text) and text not in _NOTHING:
        return text
    if text[0] in "\"'":
        found = _STRING.fullmatch(text)
        return _unquoted(found[1]) if found else _text(_by_library(span))
    if _NOT_PLAIN.match(text):
        return _text(_by_library(span))
    if _NESTED.search(text):
        text = text.partition(" #")[0].rstrip()
        if _NESTED.search(text):
            raise Unreadable("a second colon")
    return None if text in _NOTHING else text


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    if "\\" not in text:
        return text[1:-1]
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return str(_load(text))


def _flow_list(text: str) -> list[str] | None:
    """A one-line list of plain and quoted texts; None when it holds more than that."""
    if not _LIST.fullmatch(text):
        return None
    items: list[str] = []
    at = 1
    if text[1:].lstrip().startswith("]"):
        return items
    while found := _ITEM.match(text, at):
        item = found[1]
        items.append(_unquoted(item) if item[0] in "\"'" else item)
        at = found.end()
        if found[2] == "]":
            return items if not text[at:].strip() else None
    return None


def _block_list(span: KeySpan) -> Read:
    items: list[str] = []
    for line in span.lines[1:]:
        text = line.strip()
        if not text or text[0] == "#":
            continue
        item = text[2:].strip()
        if not text.startswith("- ") or not item or (item[0] != '"' and _NOT_PLAIN.match(item)):
            return _by_library(span)
        if _NESTED.search(item) and item[0] != '"':
            return _by_library(span)
        items.append(_scalar(item, span) or "")
    return items


def _by_library(span: KeySpan) -> Read:
    loaded = _load("".join(span.lines))
    if not _is_mapping(loaded) or len(loaded) != 1:
        raise Unreadable("not one key")
    [value] = loaded.values()
    return [_text(item) or "" for item in value] if _is_list(value) else _text(value)


def _is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.isoformat() if isinstance(value, date) else str(value)


def _load(text: str) -> Any:
    """Load YAML without anchors, aliases, tags or deep nesting: none of them can expand."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml: Any = YAML(typ="safe", pure=True)
    again: Any = YAML(typ="safe", pure=True)
    try:
        depth = 0
        for event in yaml.parse(text):
            kind = type(event).__name__
            depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
            tagged = getattr(event, "tag", None) or getattr(event, "anchor", None)
            if kind == "AliasEvent" or tagged or depth > MAX_DEPTH:
                raise Unreadable("anchors, tags and deep nesting are not read")
        return again.load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise Unreadable("not YAML") from error


def to_yaml(value: Any) -> str:
    """A value as YAML for every reader and Obsidian; texts are quoted only where they must be."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if _is_list(value):
        return f"[{', '.join(map(to_yaml, value))}]"
    text = str(value)
    if _SAFE_PLAIN.fullmatch(text) and not _SPECIAL.fullmatch(text) and "  " not in text:
        return text
    return quoted_yaml(text)


def quoted_yaml(text: str) -> str:
    """A text in double quotes, on one line, with everything unprintable escaped."""
    return _ESCAPED.sub(lambda c: f"\\u{ord(c[0]):04x}", json.dumps(text, ensure_ascii=False))


def replace_keys(block: FrontmatterBlock, changes: Mapping[str, str | None]) -> FrontmatterBlock:
    """The block with some keys set to new YAML text or removed (None), the rest as it was."""
    found = key_spans(block)
    last = {span.key: at for at, span in enumerate(found)}
    lines: list[str] = []
    for at, span in enumerate(found):
        if span.key is None or span.key not in changes:
            lines += span.lines
        elif last[span.key] == at and (value := changes[span.key]) is not None:
            lines.append(f"{span.key}: {value}{block.newline}")
    lines += [
        f"{key}: {value}{block.newline}"
        for key, value in changes.items()
        if key not in last and value is not None
    ]
    return block.but(inner="".join(lines))


def new_block(lines: Sequence[tuple[str, str]], newline: str = "\n") -> FrontmatterBlock:
    """A new block."""
    inner = "".join(f"{key}: {value}{newline}" for key, value in lines)
    return FrontmatterBlock(FENCE + newline, inner, FENCE + newline)
