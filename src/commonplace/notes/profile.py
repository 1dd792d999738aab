"""The profile, which is in every prompt: sections of markdown within a hard limit."""

from __future__ import annotations

from itertools import combinations

from ..language import words
from ..model.errors import Refused
from ..model.value import Value

LIMIT = 1_000
"""Characters. A profile is in every prompt, so that it holds a few core facts and no more."""
ALIKE = 0.4
"""The share of common words from which on two lines may say one thing."""
MOST_NAMED = 3
LINE_CHARACTERS = 60
COMPARED_LINES = 100
"""Lines of an overlong profile that are compared with each other."""


class Section(Value):
    """A heading of a profile and how much stands below it."""

    name: str
    """Empty for what stands before the first heading."""
    text: str

    @property
    def characters(self) -> int:
        """Length with the heading, as the limit counts it."""
        return len(self.text) + (len(self.name) + 4 if self.name else 0)


def sections(text: str) -> tuple[Section, ...]:
    """The parts of a profile, in order."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        name = line.strip("# \t") if line.startswith(("# ", "## ")) else ""
        if name:
            found.append((name, []))
        else:
            found[-1][1].append(line)
    parts = (Section(name, "\n".join(lines).strip("\n")) for name, lines in found)
    return tuple(part for part in parts if part.name or part.text.strip())


def percent_used(text: str) -> int:
    """Percent of the limit that the profile uses."""
    return -(-len(text) * 100 // LIMIT)


def with_section(text: str, name: str, body: str, *, add: bool = False) -> str:
    """The profile with this text as that section, or as one more line of it."""
    name = " ".join(name.splitlines()).strip("# \t")
    parts = list(sections(text))
    at = next((i for i, one in enumerate(parts) if one.name.casefold() == name.casefold()), None)
    if at is None:
        parts.append(Section(name, body.strip()))
    else:
        before = f"{parts[at].text}\n" if add and parts[at].text else ""
        parts[at] = Section(parts[at].name, before + body.strip())
    return join_sections(parts)


def with_lines(text: str, added: str) -> str:
    """The profile with more lines, each below its heading; every line that was there stays."""
    lines = text.rstrip().splitlines()
    for part in sections(added):
        new = part.text.strip("\n").splitlines()
        at = _end_of(lines, part.name) if part.name else None
        if at is not None:
            lines[at:at] = new
        else:
            lines += ["", f"## {part.name}", *new] if part.name else new
    return "\n".join(lines)


def _end_of(lines: list[str], name: str) -> int | None:
    """The place after the last line of a section; None if no heading has that name."""
    end = None
    current = ""
    for number, line in enumerate(lines):
        if line.startswith(("# ", "## ")):
            current = line.strip("# \t").casefold()
        if current == name.casefold() and line.strip():
            end = number + 1
    return end


def join_sections(parts: list[Section]) -> str:
    """Sections as a profile; one without text goes."""
    told = (
        f"## {one.name}\n{one.text}".strip() if one.name else one.text.strip()
        for one in parts
        if one.text.strip()
    )
    return "\n\n".join(told)


def require_room(text: str) -> str:
    """Return the profile if it is within the limit; otherwise refuse and suggest merges."""
    if len(text) <= LIMIT:
        return text
    raise Refused(
        f"The profile would have {len(text):,} characters; it holds {LIMIT:,}.",
        hint=" ".join(_advice(text)),
    )


def similar_lines(text: str) -> list[tuple[str, str]]:
    """Pairs of lines that may say one thing, the most alike first."""
    lines = [line.strip(" -*\t") for line in text.splitlines() if not line.startswith("#")]
    different = [line for line in dict.fromkeys(lines) if line][:COMPARED_LINES]
    told = {line: words.telling_terms(line) for line in different}
    pairs = [
        (len(told[one] & told[two]) / len(told[one] | told[two]), one, two)
        for one, two in combinations(told, 2)
        if told[one] | told[two]
    ]
    close = sorted((pair for pair in pairs if pair[0] >= ALIKE), key=lambda pair: -pair[0])
    return [(one, two) for _, one, two in close[:MOST_NAMED]]


def _advice(text: str) -> list[str]:
    told = [f"Merge “{_short(one)}” with “{_short(two)}”." for one, two in similar_lines(text)]
    parts = sorted(sections(text), key=lambda part: -part.characters)[:MOST_NAMED]
    sizes = ", ".join(f"{part.name or 'the beginning'} {part.characters:,}" for part in parts)
    over = len(text) - LIMIT
    shorten = f"Shorten it by {over:,} characters. Its longest parts: {sizes}."
    return [*told, shorten, "Save details as ordinary memories."]


def _short(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS else f"{line[: LINE_CHARACTERS - 1].rstrip()}…"
