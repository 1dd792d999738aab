"""The clauses of one sentence, of which a change may end one and leave the others.

`The test server is at 10.0.4.7, the live server is at 10.0.9.1` makes two statements. A note that
moves the test server must not take the live one along.
"""

from __future__ import annotations

import re

from ...language.words import telling_terms
from ...model.value import Value
from .differences import text_features

LEAST_WORDS = 2
"""Words of a clause: with fewer it is a word of a list."""
STANDING = 4
"""Words of a clause that can be a sentence."""

_BREAK = re.compile(
    r"\s*;\s+(?:and |but |while )?|,\s+(?:and |but |while )?|\s+(?:while|whereas)\s+"
)
_LEANS = re.compile(
    r"(?i)(?:which|who|whose|where|when|because|so|since|if|unless|until|as|that|this|these|those"
    r"|it|they|he|she|its|their|his|her|then|not|or|after|before|for|with|by|in|on|at|from|to|of"
    r"|including|such|e\.g|i\.e|also|only|both|all|each|thanks|due|instead|rather|than)\b"
)
"""Begins with a word that leans on the clause before it."""
_LIST = re.compile(r":\s|\(")
"""From here on commas separate the words of a list, or of an aside."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|must|should|may|does|do|gets?|goes?|runs?|uses?"
    r"|lives?|works?|stays?|takes?|needs?|keeps?|leads?|owns?|costs?|starts?|ends?|sits?|listens?"
    r"|holds?|makes?|wants?|likes?|prefers?|comes?|lies?|stands?|leaves?|reviews?|pays?|reads?"
    r"|writes?|moves?|meets?|opens?|closes?|serves?|handles?|drives?|sends?|belongs?|\w{2,}ed)\b"
)


_SAYS_MORE = re.compile(rf"\band (?:then |also )?(?:\w+s\b|{_VERB.pattern})")
"""Goes on with a second verb: `takes 12 minutes and posts failures to #builds`."""


class Clause(Value):
    """A part of a sentence, written as a sentence."""

    text: str
    stands_alone: bool
    """Whether it says what it is about, and what of it."""

    @property
    def says_one_thing(self) -> bool:
        """Whether it can go without taking along what still holds."""
        return not _SAYS_MORE.search(self.text)


def split_clauses(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence; what leans on a clause, or is a word of a list, belongs to it."""
    plain = sentence.strip()
    end = _LIST.search(plain)
    parts: list[str] = []
    begin = 0
    for found in _BREAK.finditer(plain, 0, end.start() if end else len(plain)):
        rest = plain[found.end() :]
        ahead = _BREAK.search(rest)
        if _may_be_clause(rest[: ahead.start()] if ahead else rest):
            parts.append(plain[begin : found.start()])
            begin = found.end()
    parts.append(plain[begin:])
    return tuple(_clause(part) for part in parts if part)


def _may_be_clause(piece: str) -> bool:
    if _LEANS.match(piece) or len(piece.split()) < LEAST_WORDS:
        return False
    features = text_features(piece)
    return bool(_VERB.search(piece) or features.numbers or features.times)


def says_something_else(clause: str, newer: str, gone: str) -> bool:
    """Whether a clause tells a figure or a name that neither a change nor what it ends tells."""
    own = text_features(clause)
    told = {*text_features(newer).terms, *text_features(gone).terms}
    numbers = text_features(newer).numbers | text_features(gone).numbers
    if own.numbers - numbers or set(own.names) - told:
        return True
    return bool(_VERB.search(clause)) and not telling_terms(clause) <= told


def _clause(part: str) -> Clause:
    text = part.strip().rstrip(".,;")
    if not text:
        return Clause(part, stands_alone=False)
    says = _VERB.search(text)
    # A clause that begins with its verb has the subject of a clause before: `costs 6 euros`.
    stands = len(text.split()) >= STANDING and says is not None and says.start() > 0
    word = text.split(maxsplit=1)[0]
    return Clause(f"{text[0].upper() if word.isalpha() else text[0]}{text[1:]}.", stands)
