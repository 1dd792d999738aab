"""How the reader reads texts: their pieces, and for each piece where it stands.

The programs that train the reader use this file, too: what a network learned from must be what it
is given later.
"""

from __future__ import annotations

from .bundled import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bundled import WordPieceTokenizer

RELATIONS = ("replaces", "same", "adds", "other")
"""How a newer text relates to an older note."""
TURNS = ("correction", "preference", "instruction", "fact", "none")
"""The classes of a user's turn, in the order of the listener's outputs."""
ANSWERS = ("answers", "other")
"""Whether a text answers a question."""
SEGMENTS = 6
"""Each of up to three texts has two: for pieces of its own, and for those that both have."""


def read_texts(
    tokenizer: WordPieceTokenizer, texts: Sequence[str | list[int]], *, limit: int
) -> tuple[list[int], list[int]]:
    """The pieces of up to three texts, and the segment of each; the longest text is cut.

    A text may be given as its pieces.

    A piece that the first text shares with the others has a segment of its own: what differs
    between two notes is what matters, and a small network sees it more easily so.
    """
    parts = [
        tokenizer.read(text, limit=limit) if isinstance(text, str) else text
        for text in texts
        if text
    ]
    parts[1:] = [part[1:] for part in parts[1:]]
    while sum(map(len, parts)) > limit:
        del max(parts, key=len)[-2]
    first, rest = set(parts[0]), {piece for part in parts[1:] for piece in part}
    pieces: list[int] = []
    segments: list[int] = []
    for number, part in enumerate(parts):
        others = first if number else rest
        pieces += part
        segments += [2 * number + (piece in others and piece != END) for piece in part]
    return pieces, segments
