"""Take out of a text what it tells of one matter, and leave what it tells of others.

`Piet opens the shop, Jo brings the bread` tells of two persons. Clauses are told apart only where
each has a subject and a verb of its own, or takes the verb over from the clause before it.
"""

from __future__ import annotations

import re

from ..language import statements
from ..language.vocabulary import clauses as vocabulary
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEAST_WORDS = 3
"""Words of a clause after another one; fewer are a word of a list, or stand for a name."""
_BREAK = re.compile(rf"\s*[;,]\s+(?:(?:{vocabulary.JOINS}) )?|\s+(?:{vocabulary.JOINS})\s+")
_DUTCH_BREAK = re.compile(
    rf"\s*[;,]\s+(?:(?:{vocabulary.JOINS}|{vocabulary.DUTCH_JOIN}) )?"
    rf"|\s+(?:{vocabulary.JOINS}|{vocabulary.DUTCH_JOIN})\s+"
)


class Left(Value):
    """The rest of a text without the statements about a matter."""

    text: str = ""
    """Empty if it tells of nothing else."""
    sure: bool = True
    """Whether what it tells of others could be told apart."""


class _Clause(Value):
    words: tuple[str, ...]
    subject: int
    """How many words its subject has."""
    verb: str
    """Empty if the verb of the clause before it holds for it, too."""
    sure: bool = True
    """Whether it certainly is a clause."""


def without_matter(text: str, tells_of_it: Callable[[str], bool]) -> Left:
    """A text without the statements and clauses that tell of a matter."""
    kept: list[statements.Statement] = []
    gone = False
    for one in statements.split(text):
        left = _without_clauses(one, tells_of_it)
        if not left.sure:
            return left
        if left.text and gone and not one.heading and _leans(one.text):
            left = Left()  # It goes on with what has gone.
        gone = not left.text
        if left.text:
            kept.append(one.but(text=left.text))
    if all(one.heading for one in kept):
        return Left()
    return Left(statements.join_statements(kept).strip())


def _without_clauses(one: statements.Statement, tells_of_it: Callable[[str], bool]) -> Left:
    if not tells_of_it(one.text):
        return Left(one.text)
    found = [] if one.block or one.heading else _clauses(one.text)
    if len(found) < 2:
        return Left()
    written = _written(found)
    others = [text for text in written if not tells_of_it(text)]
    if not others or len(others) == len(written):
        return Left()
    sure = all(clause.sure for clause in found) and not any(map(_leans_anywhere, others))
    return Left(" ".join(others), sure)


def _clauses(sentence: str) -> list[_Clause]:
    """The clauses of a sentence that have a subject each; fewer than two if it is one."""
    plain = sentence.strip().rstrip(".!;,")
    dutch = not vocabulary.DUTCH.isdisjoint(plain.lower().split())
    breaks = list((_DUTCH_BREAK if dutch else _BREAK).finditer(plain))
    found: list[_Clause] = []
    begin, named = 0, False
    first = _read(plain[: breaks[0].start()].split() if breaks else plain.split(), None)
    for at, one in enumerate(breaks):
        end = breaks[at + 1].start() if at + 1 < len(breaks) else len(plain)
        piece = plain[one.end() : end].split()
        clause = _read(piece, first) if len(piece) >= LEAST_WORDS else None
        if clause is None:
            named = named or _is_name(piece)
            continue
        found.append(_whole(plain[begin : one.start()], found, first))
        begin = one.end()
    found.append(_whole(plain[begin:], found, first))
    if named and len(found) > 1:
        # `Olga and Jo come on Monday`: who belongs to which clause is not clear.
        return [clause.but(sure=False) for clause in found]
    return found


def _whole(text: str, before: Sequence[_Clause], first: _Clause | None) -> _Clause:
    """A clause with the words of a list in it."""
    read = _read(text.split(), first if before else None)
    if read is None:
        return _Clause(tuple(text.split()), 0, "", sure=False)
    return read


def _read(words: Sequence[str], first: _Clause | None) -> _Clause | None:
    """Words that begin with a subject as a clause, beside the first one of their sentence."""
    subject = _subject(words)
    if not subject or subject >= len(words):
        return None
    verb = words[subject]
    if not verb[:1].islower() or verb in vocabulary.DETERMINERS | vocabulary.PREPOSITIONS:
        goes_on = first is not None and first.verb and _is_parallel(words[subject], first)
        return _Clause(tuple(words), subject, "") if goes_on else None
    sure = _is_verb(words, subject, first)
    if not sure and not words[0][:1].isupper():
        return None
    return _Clause(tuple(words), subject, verb, sure)


def _subject(words: Sequence[str]) -> int:
    """How many words the subject at the beginning has; 0 if none is there."""
    if not words:
        return 0
    if words[0].lower() in vocabulary.DETERMINERS:
        return _after_noun(words)
    at = 0
    while at < len(words) and words[at][:1].isupper():
        at += 1
    return at


def _after_noun(words: Sequence[str]) -> int:
    """Where the verb stands behind a noun with its article: `the old ferry to Dol leaves`."""
    for at in range(2, len(words)):
        one, low = words[at], words[at].lower()
        if low in vocabulary.DETERMINERS and words[at - 1].lower() not in vocabulary.PREPOSITIONS:
            return at  # `the vicar the ladder`
        if low in vocabulary.PREPOSITIONS or not one[:1].islower():
            continue
        if low in vocabulary.VERBS or _has_object(words, at):
            return at
    return 0


def _is_verb(words: Sequence[str], at: int, first: _Clause | None) -> bool:
    verb = words[at]
    alike = first is not None and first.verb[-1:] == verb[-1:] and len(words) > LEAST_WORDS
    return verb in vocabulary.VERBS or alike or _has_object(words, at)


def _has_object(words: Sequence[str], at: int) -> bool:
    then = words[at + 1] if at + 1 < len(words) else ""
    return then.lower() in vocabulary.DETERMINERS or then[:1].isdigit()


def _is_parallel(word: str, first: _Clause) -> bool:
    """Whether a clause without a verb goes on as the first one does behind its verb."""
    if first.subject + 1 >= len(first.words):
        return False
    then = first.words[first.subject + 1].lower()
    if then in vocabulary.DETERMINERS:
        return word.lower() in vocabulary.DETERMINERS
    return word.lower() == then or (word[:1].isdigit() and then[:1].isdigit())


def _written(found: Sequence[_Clause]) -> list[str]:
    """The clauses as sentences, each with its verb."""
    made: list[str] = []
    verb = ""
    for one in found:
        words = list(one.words)
        if one.verb:
            verb = one.verb
        else:
            words.insert(one.subject, verb)
        made.append(f"{statements.with_capital(' '.join(words))}.")
    return made


def _is_name(words: Sequence[str]) -> bool:
    return bool(words) and all(one[:1].isupper() for one in words)


def _leans(text: str) -> bool:
    first = text.split(maxsplit=1)[0].lower().strip(",.'’")
    return first in vocabulary.LEANING


def _leans_anywhere(text: str) -> bool:
    return not vocabulary.LEANING.isdisjoint(re.findall(r"\w+", text.lower()))
