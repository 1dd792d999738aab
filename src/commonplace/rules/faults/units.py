"""The units of a store that an audit judges: list items and paragraphs of its memories."""

from __future__ import annotations

import re

from ...language import statements
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from ...language.statements import Statement
    from ...model.memory import Draft

ENTITIES = "mcp-memory"
"""The format whose memories are entities, each with statements about it."""
ABOUT_ONE_USER = ("claude-memory", "claude-mem", "mem0", "chatgpt-memories", "letta")
"""Formats in which a statement without a subject is about the user, whatever note it is in."""
_CATEGORY = re.compile(r"^\[[\w -]{1,30}\]\s+(?=\S)")
"""The category of an observation in basic-memory: `[tech] Uses uv`."""
_TAGS = re.compile(r"(?:\s+#[\w/-]+)+(?=\s*(?:\([^()]*\))?\s*$)")
_RELATION = re.compile(r"^(?:[\w -]{1,40} )?\[\[[^\]]+\]\]\s*$")
"""A link to another note, which says nothing by itself."""

_SUBJECTLESS = re.compile(
    r"(?i)^\W*(?:(?:it|they|he|she|its|their|this|these|both|here|there)\b(?! (?:is|are) an?\b)"
    r"|\w{2,}ed\b|(?:sown|grown|built|made|kept|held|bought|sold|sent|found|cut|set|hung|written"
    r"|drawn|paid|led|run|born|worn|fed|done|taken|given)\b|[\w -]{2,25}:\s"
    r"|(?:needs?|has|have|gets?|takes?|costs?|holds?|stands?|lives?|likes?|wants?|opens?|closes?|runs?"
    r"|starts?|ends?|grows?|flowers?|blooms?|weighs?|lasts?|hangs?|lies?|sits?|comes?|goes?|works?|is|are|was|were|can"
    r"|must|should|may|in|on|at|from|with|for|about|under|over|up to|every|once|twice|water|prune"
    r"|sow|plant|feed|clean|bake|boil|heat|cook|mix|add|serve|store|keep|use|turn|check|call|order"
    r"|pay|play|tune|cut|harvest|wash|dry|open|close|wait|rest|stir|turn|press|set|ask)\b"
    r"(?! \w+ (?:is|are|was|were)\b))"
)

_ONE_NOUN = re.compile(r"The [a-z]+ (?:is|are|was|were|has|have|[a-z]{3,}s)\b")


class StoreUnit(Value):
    """One statement of a store, with what is known of it."""

    text: str
    draft: int
    """The number of its memory in the store."""
    place: int
    """Its number within the memory."""
    where: str
    """The title or the id of the memory."""
    group: str
    """Only units of one group are compared: those of one scope, or of one entity."""
    section: str = ""
    """The note and the heading that it stands under."""
    at: datetime | None = None
    expires: datetime | None = None
    prose: bool = True
    """Whether it is read as a statement; headings, code and relations are only screened."""
    answer: bool = False
    """Whether an assistant said it in a conversation."""


def draft_units(draft: Draft, number: int, *, kind: str) -> Iterator[StoreUnit]:
    """The units of one memory, in order."""
    entity = draft.title if kind == ENTITIES else ""
    note = draft.title if kind not in ABOUT_ONE_USER else ""
    heading = ""
    for place, parts in enumerate(_grouped(draft.content)):
        if parts[0].heading:
            heading = parts[0].text
        text = _bare(parts[0].text + "".join(one.before + one.text for one in parts[1:]))
        named = bool(entity) and place == 0
        yield StoreUnit(
            text,
            number,
            place,
            where=draft.title or draft.imported_id or "",
            group=f"{draft.scope or ''}\0{entity}",
            section=f"{note}\0{heading}",
            at=draft.created,
            expires=draft.expires,
            prose=not (named or parts[0].heading or parts[0].block or _RELATION.match(text)),
            answer=draft.episode is not None and draft.speaker != "user",
        )


def lacks_subject(unit: StoreUnit) -> bool:
    """Whether only its heading or its note says what a statement is about.

    `Sown in May` does; under a subheading `The window faces west` does as well.
    """
    if "\0##" in unit.section and _ONE_NOUN.match(unit.text):
        return True
    return _SUBJECTLESS.match(unit.text) is not None


def without_units(content: str, places: Collection[int]) -> str:
    """A memory's text without some of its units."""
    kept = (parts for place, parts in enumerate(_grouped(content)) if place not in places)
    return statements.join_statements(one for parts in kept for one in parts).strip()


def _grouped(content: str) -> list[list[Statement]]:
    """The statements of a text, those of one list item or paragraph together."""
    units: list[list[Statement]] = []
    for one in statements.split(content):
        alone = one.heading or one.block or not units or units[-1][0].heading or units[-1][0].block
        if alone or "\n" in one.before:
            units.append([one])
        else:
            units[-1].append(one)
    return units


def _bare(text: str) -> str:
    """The text of an observation without its bullet, category and tags."""
    return _TAGS.sub("", _CATEGORY.sub("", text)).strip() or text
