"""Take lines out of a digest that was handed over.

A digest is an opening, a preface, one line for each memory, perhaps a last line of our own, and a
closing: `quotation.quote` keeps every memory on one line.
"""

from __future__ import annotations

from ...model.identity import short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...model.memory import HandedDigest

HEAD = 2
"""Lines before that of the first memory."""
PURGED = "purged since"


def memory_lines(digest: HandedDigest) -> dict[str, str]:
    """The line of each memory."""
    lines = digest.text.split("\n")[HEAD:]
    return dict(zip(digest.memories, lines, strict=False))


def with_only(digest: HandedDigest, ids: Collection[str]) -> str:
    """The text with the lines of these memories alone; the rest stays as it is.

    Without any memory there is nothing to hand over.
    """
    off = {id for id in digest.memories if id not in ids}
    if len(off) == len(digest.memories):
        return ""
    lines = digest.text.split("\n")
    ends = HEAD + len(digest.memories)
    kept = [
        line for id, line in zip(digest.memories, lines[HEAD:ends], strict=True) if id not in off
    ]
    return "\n".join((*lines[:HEAD], *kept, *lines[ends:]))


def with_withheld(digest: HandedDigest, reasons: Mapping[str, str]) -> HandedDigest:
    """The digest, with a note in place of the line of each of these memories."""
    lines = digest.text.split("\n")
    for place, id in enumerate(digest.memories, HEAD):
        if id in reasons:
            lines[place] = withheld_line(id, reasons[id])
    return digest.but(text="\n".join(lines))


def withheld_line(id: str, why: str) -> str:
    """Stands for a line whose text may not come back."""
    return f"- [{short_id(id)}] ({why})"
