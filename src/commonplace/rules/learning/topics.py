"""Which topic a new memory belongs to, among those that the book already has."""

from __future__ import annotations

from ..text import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_TOPICS = 500


def infer(content: str, tags: Iterable[str], known: Mapping[str, int]) -> str | None:
    """The known topic that a tag names, or whose words the text says most often.

    A topic is never made up: the first memory of a topic names it, and later ones are recognized.
    """
    if not known:
        return None
    marked = {tag.casefold() for tag in tags}
    said: dict[str, int] = {}
    for term in words.terms(content):
        said[term] = said.get(term, 0) + 1
    best: tuple[int, int, int, str] | None = None
    for topic, count in list(known.items())[:MOST_TOPICS]:
        parts = set(words.terms(topic))
        if topic.casefold() in marked:
            rank = (2, len(parts), count, topic)
        elif parts and parts <= said.keys():
            # Two words together tell more than one, and a word said twice more than once.
            rank = (1, len(parts) * 10 + min(said[part] for part in parts), count, topic)
        else:
            continue
        best = max(best, rank) if best else rank
    return best[-1] if best else None
