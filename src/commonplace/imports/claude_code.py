"""Transcripts of Claude Code: one file of lines per session, each line naming the one before.

The format is the program's own and may change; what is not understood is left out.
"""

from __future__ import annotations

from ..model import Draft
from ..results import LeftOut
from .fields import listed, mapping, one_line, time, words
from .streaming import lines
from .turns import SPEAKERS, Said, drafts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .parcel import Parcel

_ROWS = frozenset({"user", "assistant", "system", "attachment", "progress"})
_ASIDE = ("isMeta", "isSidechain")


def fits(first: Any) -> bool:
    """Whether a file that begins so is a transcript."""
    said = mapping(first)
    return "sessionId" in said or ("leafUuid" in said and said.get("type") == "summary")


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """What was said in one session; summaries of what was cut off are kept as such."""
    rows: dict[str, dict[str, Any]] = {}
    session = name.rpartition("/")[2].rpartition(".")[0]
    for one in lines(parcel, name):
        row = mapping(one)
        if not row:
            yield LeftOut("A line that is no JSON.")
        elif row.get("type") in _ROWS and words(row.get("uuid")):
            rows[row["uuid"]] = row
            session = words(row.get("sessionId")) or session
    path = _path(rows)
    yield from (_summary(session, row) for row in path if row.get("isCompactSummary"))
    turns = (_turn(row) for row in path if _is_said(row))
    yield from drafts(session, (turn for turn in turns if turn.text), tag="claude-code")


def _path(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """From the last thing said up to the first, the other way round."""
    said = [id for id, row in rows.items() if row.get("type") in SPEAKERS and _is_said(row)]
    at: Any = said[-1] if said else None
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at not in seen and at in rows:
        seen.add(at)
        path.append(rows[at])
        # Where a session was compacted, the chain goes on behind the cut.
        at = rows[at].get("parentUuid") or rows[at].get("logicalParentUuid")
    return path[::-1]


def _is_said(row: dict[str, Any]) -> bool:
    aside = any(row.get(name) for name in _ASIDE) or row.get("isCompactSummary")
    return row.get("type") in SPEAKERS and not aside


def _turn(row: dict[str, Any]) -> Said:
    message = mapping(row.get("message"))
    speaker = words(message.get("role")) or words(row.get("type"))
    return Said(speaker, _text(message), time(row.get("timestamp")), words(row.get("uuid")))


def _text(message: dict[str, Any]) -> str:
    """The words of a message, without what tools were asked and answered."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    blocks = (mapping(block) for block in listed(content))
    texts = (words(block.get("text")) for block in blocks if block.get("type") == "text")
    return "\n".join(text for text in texts if text)


def _summary(session: str, row: dict[str, Any]) -> Draft | LeftOut:
    text = _text(mapping(row.get("message")))
    if not text:
        return LeftOut("A summary without words.")
    return Draft(
        text,
        kind="session-summary",
        tags=("claude-code",),
        basis="inferred",
        created=time(row.get("timestamp")),
        imported_id=one_line(f"{session}:{words(row.get('uuid'))}"),
    )
