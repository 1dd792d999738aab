"""Hold how the languages of one kind of script word a wish to forget a named matter."""

from __future__ import annotations

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NEVER = r"(?!)"
"""A pattern that no text has."""


class WishWording(Value):
    """The phrases of a wish to forget, and the words around them that make it one or none.

    One phrase per line: `X` is the matter, `(a|b)` a choice, `[a]` may be left out, and `{name}`
    stands for the words of that name. The other texts are patterns, if they are no sets of words.
    """

    said: tuple[tuple[str, str], ...]
    """Name what the user said about the matter, each with pieces of which a text has one."""
    noted: tuple[tuple[str, str], ...]
    """Name the note, or the memory, that is to go."""
    named: tuple[tuple[str, str], ...]
    """Call the matter a thing, a story or a business."""
    let_go: tuple[tuple[str, str], ...]
    """Only let the matter go, as talk of work often does: `forget about the cache`."""
    matter: str
    start: str
    """Stands before a phrase, from the end of the clause before."""
    end: str
    """Follows a phrase; a matter goes no further."""
    clauses: str
    """Divides clauses."""
    leads: str
    """Words that may stand before a wish, in its clause, after a sign or a space each."""
    asks: str
    """Asks for it, before a wish."""
    negated: str
    """Turns a wish round that follows at once."""
    reports: str
    """Before a wish in its sentence these say that somebody else has it, or that it depends."""
    unmeant: str
    """Shows at a wish's end, or after it, that it is told of and not asked for."""
    trailing: str
    """Follows a matter, and is no part of it."""
    reason: str
    """Follows a wish and only says why."""
    works_on: str
    """After a matter that is only let go, this goes on with the work instead."""
    for_now: str
    """Lets a matter go for a while."""
    told: tuple[tuple[str, str], ...]
    """Repeat what is to go: `forget that the lamp is green`."""
    everything: frozenset[str]
    """Ask for everything that was said of a matter."""
    pointing: frozenset[str]
    """Each of these alone is no matter: `forget about that`."""
    no_matter: frozenset[str]
    """A matter that begins so is none: `forget about it`, `forget about what the docs say`."""
    of_the_work: frozenset[str]
    """Things of the work at hand, which are let go without a memory being meant."""
    spaced: bool = True
    """Whether spaces stand between words."""
    named_loosely: bool = False
    """Whether things of the work are often named as a matter is: `缓存的事`."""
    signs: Mapping[int, int] = {}
    """For `str.translate`: the signs in which phrases are written, by others for the same."""


def each_phrase(
    *languages: tuple[Mapping[str, str], str, str],
) -> tuple[tuple[str, str], ...]:
    """The phrases of several languages, each with the pieces of which a text has one."""
    return tuple(
        (pieces, line.format_map(words))
        for words, pieces, lines in languages
        for line in lines.strip().split("\n")
    )
