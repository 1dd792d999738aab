"""Read the summary that a session leaves: the lines of its sections, and who said them.

`recaps/recap.py` writes these lines: `- The user: Let's use Postgres.`
"""

from __future__ import annotations

from ..model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model.memory import Memory

OUTCOME, DECISIONS, OPEN = "Outcome", "Decisions", "Open"
CLOSED = "Closed"
"""Headings of sections; the last has what a session says on open ends of earlier ones."""
_ITEM = lazy(r"\s*[-*+] +")
_SPEAKER = lazy(r"^(?:The user|The agent|User|Agent)(?:, [^:]{1,40})?: ")
"""Earlier summaries say `User:` for `The user:`."""
_SECTIONS = lazy(r"(?m)^(?=## )")


def without_speaker(line: str) -> str:
    """A line of a summary without who said it."""
    return _SPEAKER.sub("", line)


def section_items(summary: Memory, heading: str) -> list[str]:
    """The items of one section, with their speakers."""
    inside, found = False, list[str]()
    for line in summary.content.splitlines():
        if line.startswith("## "):
            inside = _is_under(line, heading)
        elif inside and (item := _ITEM.match(line)):
            found.append(line[item.end() :])
    return found


def open_ends(summary: Memory) -> list[str]:
    """The open ends that a session's summary lists, each without its speaker."""
    return [said for one in section_items(summary, OPEN) if (said := without_speaker(one).strip())]


def without_lines(content: str, goes: Callable[[str], bool]) -> str:
    """A summary without the items that go, and without the headings that they leave alone."""
    head, *sections = _SECTIONS.split(content)
    kept: list[str] = []
    for section in (head, *sections):
        lines = [one for one in section.splitlines() if not (_ITEM.match(one) and goes(one))]
        if section is head or any(map(_ITEM.match, lines)):
            kept.append("\n".join(lines).strip())
    return "\n\n".join(filter(None, kept))


def last_session_text(summary: Memory, still_open: Sequence[str]) -> str:
    """A summary for whoever goes on: what is open first, without the line of its name.

    What is open is given, because earlier sessions left open ends and later ones closed some.
    """
    parts = summary.content.partition("\n\n")[2] or summary.content
    head, *sections = _SECTIONS.split(parts)
    sections = [one for one in sections if not _is_under(one, OPEN) and not _is_under(one, CLOSED)]
    left = "\n".join((f"## {OPEN}", *(f"- {text}" for text in still_open))) if still_open else ""
    return "\n".join(one.strip() for one in (left, *sections, head) if one.strip())


def _is_under(section: str, heading: str) -> bool:
    """Whether a section has this heading, with words after it or not: `## Outcome: done`."""
    return section[3:].casefold().startswith(heading.casefold())
