"""`facts.md`: one fact a line, `key: value`, under `## namespace` headings, with prose between.

A person keeps this file by hand. One fact changes one line; every other byte stays.
"""

from __future__ import annotations

import re
from datetime import timedelta

from ..model.errors import BadInput
from ..model.identity import derived_id, is_derived
from ..model.memory import Memory
from ..model.value import Value
from . import frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from ..model.scope import Scope

_FACT = re.compile(
    r"((?:[-*+][ \t]+)?)([^\s:#>|`\[\]-][^:\r\n]*?)[ \t]*:[ \t]+(\S.*?)[ \t]*(\r?\n|$)"
)
_NAMESPACE = re.compile(r"##[ \t]+(.+?)[ \t]*#*[ \t]*(?:\r?\n|$)")
_HEADING = re.compile(r"#{1,6}[ \t]")
_CODE = re.compile(r"[ \t]{0,3}(```|~~~)")
_UNSAID = frozenset({"created", "updated", "source", "slug", "version", "supersedes"})
"""Fields that a fact may lose as a line, because its file and key stand for them."""
_SAID = frozenset({
    "id", "content", "scope", "kind", "tier", "owner", "trust", "key", "value", "namespace",
})  # fmt: skip


class FactLine(Value):
    """One fact of a `facts.md`, and the number of its line."""

    number: int
    namespace: str | None
    key: str
    value: str


class Facts(Value):
    """The facts of one file, and what a person should know about it."""

    memories: tuple[Memory, ...]
    problem: str = ""


def fact_id(scope: Scope, namespace: str | None, key: str) -> str:
    """The id of a line, which follows from scope, namespace and key."""
    return derived_id("f", str(scope), namespace or "", key)


def has_line_id(memory: Memory) -> bool:
    """Whether a memory has the id of the line for its key, wherever its text is stored."""
    if memory.key is None or not is_derived(memory.id):
        return False
    return memory.id == fact_id(memory.scope, memory.namespace, memory.key)


def fits_facts_file(memory: Memory) -> bool:
    """Whether a fact can be a line of `facts.md` without losing anything it says."""
    defaults = type(memory).__defaults__
    return (
        memory.kind == "fact"
        and memory.tier == "critical"
        and memory.owner == "curated"
        and memory.trust in ("user", "agent")
        and memory.key is not None
        and memory.value is not None
        and memory.content.strip() in (memory.value, f"{memory.key}: {memory.value}")
        and all(
            value == defaults[name]
            for name, value in memory.__dict__.items()
            if name not in _SAID and name not in _UNSAID
        )
        and fits_one_line(memory.namespace, memory.key, memory.value)
    )


def read_facts(text: str, *, scope: Scope, modified: datetime) -> Facts:
    """Every fact of a file; of a key named twice the last counts."""
    found: dict[str, Memory] = {}
    twice: list[str] = []
    lines = list(fact_lines(text))
    for place, line in enumerate(lines):
        id = fact_id(scope, line.namespace, line.key)
        if id in found:
            twice.append(str(line.number + 1))
        # A millisecond for each line, so that facts sorted by time are in the file's order.
        created = modified - timedelta(milliseconds=len(lines) - 1 - place)
        found[id] = _memory(line, id, scope, modified).but(created=created)
    problem = ""
    if twice:
        problem = f"A key is named again in line {', '.join(twice[:5])}; the last one counts."
    return Facts(tuple(found.values()), problem)


def fact_lines(text: str) -> Iterator[FactLine]:
    """The lines that state a fact."""
    namespace, code = None, ""
    head = _head(text)
    for number, line in enumerate(_split(text)):
        if number < head:
            continue
        if fence := _CODE.match(line):
            code = "" if code == fence[1] else code or fence[1]
        elif code:
            continue
        elif heading := _NAMESPACE.match(line):
            namespace = heading[1]
        elif _HEADING.match(line):
            namespace = None if line.startswith("# ") else namespace
        elif fact := _FACT.fullmatch(line):
            yield FactLine(number, namespace, fact[2], fact[3])


def _head(text: str) -> int:
    """How many lines of frontmatter come first; what they say is no fact."""
    _, body = frontmatter.split_frontmatter(text)
    return text.count("\n", 0, len(text) - len(body))


def set_fact(text: str, namespace: str | None, key: str, value: str) -> str:
    """The text with one fact changed or added."""
    if not fits_one_line(namespace, key, value):
        raise BadInput(
            "That fact does not fit on one line of `facts.md`.",
            hint="Use a one-line key without a colon and a one-line value.",
        )
    changed = _changed(text, namespace, key, value) or _added(text, namespace, f"- {key}: {value}")
    if all((line.namespace, line.key) != (namespace, key) for line in fact_lines(changed)):
        raise BadInput(
            "The end of `facts.md` is inside a code block.", hint="Close the block, then try again."
        )
    return changed


def _changed(text: str, namespace: str | None, key: str, value: str) -> str | None:
    known = [line for line in fact_lines(text) if (line.namespace, line.key) == (namespace, key)]
    if not known:
        return None
    split = _split(text)
    number = known[-1].number
    old = _FACT.fullmatch(split[number])
    if old is not None:
        split[number] = split[number][: old.start(3)] + value + split[number][old.end(3) :]
    return "".join(split)


def merge_files(texts: Sequence[str]) -> str:
    """The first of several copies of a file, with the lines that only the others have.

    Of a key with several values the first one's stays.
    """
    merged = texts[0]
    for text in texts[1:]:
        known = {(line.namespace, line.key) for line in fact_lines(merged)}
        facts = list(fact_lines(text))
        for line in facts:
            if (line.namespace, line.key) not in known:
                merged = set_fact(merged, line.namespace, line.key, line.value)
        stated = {line.number for line in facts}
        there = {line.strip() for line in _split(merged)}
        prose = [
            line.rstrip("\r\n")
            for number, line in enumerate(_split(text))
            if number not in stated and line.strip() not in there
        ]
        if prose:
            gap = "" if not merged or merged.endswith("\n") else "\n"
            merged = "".join([merged, gap, *(f"{line}\n" for line in prose)])
    return merged


def remove_fact(text: str, namespace: str | None, key: str) -> str:
    """The text without that fact, however often it was named."""
    gone = {
        line.number for line in fact_lines(text) if (line.namespace, line.key) == (namespace, key)
    }
    return "".join(line for number, line in enumerate(_split(text)) if number not in gone)


def fits_one_line(namespace: str | None, key: str, value: str) -> bool:
    """Whether a fact reads back unchanged from one line."""
    split = [f"## {namespace}\n"] if namespace is not None else []
    read = list(fact_lines("".join([*split, f"- {key}: {value}\n"])))
    return [(line.namespace, line.key, line.value) for line in read] == [(namespace, key, value)]


def _added(text: str, namespace: str | None, line: str) -> str:
    split = _split(text)
    at = _end_of(split, namespace, _head(text))
    newline = "\r\n" if split and split[0].endswith("\r\n") else "\n"
    if at is None:
        ending = newline if split and not split[-1].endswith("\n") else ""
        gap = newline if split else ""
        return "".join(split) + f"{ending}{gap}## {namespace}{newline}{newline}{line}{newline}"
    if at and not split[at - 1].endswith("\n"):
        split[at - 1] += newline
    return "".join([*split[:at], line + newline, *split[at:]])


def _end_of(split: list[str], namespace: str | None, head: int) -> int | None:
    """Where a new line of a namespace goes: after its last text; None when it has no heading."""
    end = head if namespace is None else None
    current, code = None, ""
    for number, line in enumerate(split):
        if number < head:
            continue
        if fence := _CODE.match(line):
            code = "" if code == fence[1] else code or fence[1]
        elif not code and (heading := _NAMESPACE.match(line)):
            current = heading[1]
        elif not code and line.startswith("# "):
            current = None
        if current == namespace and line.strip():
            end = number + 1
    return end


def _split(text: str) -> list[str]:
    # Not splitlines: it also breaks at characters that editors keep inside a line.
    parts = text.split("\n")
    whole = [f"{part}\n" for part in parts[:-1]]
    return whole + parts[-1:] if parts[-1] else whole


def _memory(line: FactLine, id: str, scope: Scope, modified: datetime) -> Memory:
    return Memory(
        id=id,
        content=f"{line.key}: {line.value}",
        created=modified,
        updated=modified,
        scope=scope,
        kind="fact",
        tier="critical",
        owner="curated",
        trust="user",
        source="hand",
        key=line.key,
        value=line.value,
        namespace=line.namespace,
    )
