"""Tell whether two short texts give one thing two values: the same words but for one place.

`The deploy branch is main` and `The deploy branch is release` fill one slot. Whether both can hold
at once is for a judge to say; that the newer one comes first in a recall is not.
"""

from __future__ import annotations

from ...language.vocabulary import STOPWORDS
from ...model.lazy_pattern import lazy, other_signs_spaced
from ...model.text_cache import remembered

LONGEST = 300
"""Characters; longer texts make several statements."""
MOST_WORDS = 8
"""Words of one value."""
LEAST_SHARED = 2
"""Words that name the thing and what is said of it."""

_WORD = lazy(r"[^\W_]+(?:['’_.:/@+-]+[^\W_]+)*|[=:#]")
_SPACED = other_signs_spaced("'_.:/@+-=#")
_SETS = frozenset({
    "=", ":", "is", "are", "was", "were", "be", "at", "in", "on", "of", "to", "by", "from", "runs",
    "costs", "lasts", "lives", "works", "prefers", "called", "named", "for", "as",
})  # fmt: skip
"""A value follows one of these, and a thing has one such value more often than several."""

_DENIES = frozenset({"never", "not", "no", "don't", "dont", "nobody", "without"})
"""Denials: two values may be denied of one thing, so the newer denial does not end the older."""
FEW_WORDS = 4
"""A text with fewer words is often a piece."""
LEAST_SAID = 3
"""Words of a statement that another one may say in full."""
_TURNING = frozenset({
    "not", "no", "never", "nor", "nobody", "nothing", "without", "except", "unless", "until",
    "if", "when", "but", "only", "longer", "used", "formerly", "former", "previously", "before",
    "was", "were", "had", "instead", "rather", "than", "or", "almost", "nearly", "hardly", "should",
    "could", "would", "might", "may", "maybe", "perhaps", "though", "although", "other",
    "second", "half",
})  # fmt: skip
"""An added word of these changes what the others say, and does not only add to it."""
_NOT = ("n't", "n’t")
_LINKING = frozenset({
    "and", "with", "to", "on", "in", "at", "for", "from", "of", "by", "via", "per", "during", "as",
    "after", "since", "through", "using", "because", "so", "which", "who", "where", "that",
})  # fmt: skip
"""Added words begin with one of these, …"""
_PARTICLES = frozenset({"out", "up", "off", "also", "too", "already", "still", "always", "usually"})
"""… or are these."""

_SAYS = frozenset({"=", ":", "is", "are", "was", "were"})
"""One of these within what differs: the texts speak of two things."""


def same_slot(one: str, other: str) -> bool:
    """Whether two texts say the same but for one value, which stands after what they share."""
    if max(len(one), len(other)) > LONGEST:
        return False
    first, second = _words(one), _words(other)
    if first == second:
        return False
    start = _common(first, second)
    rest_one, rest_other = first[start:], second[start:]
    end = _common(rest_one[::-1], rest_other[::-1])
    values = [rest[: len(rest) - end] for rest in (rest_one, rest_other)]
    if not all(0 < len(value) <= MOST_WORDS and _SAYS.isdisjoint(value) for value in values):
        return False
    shared = first[:start]
    if not _DENIES.isdisjoint(shared):
        return False
    telling = [word for word in shared if word not in STOPWORDS and word not in _SETS]
    least = LEAST_SHARED if shared and shared[-1] in _SAYS else LEAST_SHARED + 1
    return len(shared) >= least and bool(telling) and shared[-1] in _SETS


def may_have_several(one: str, other: str) -> bool:
    """Whether two texts name two things that one may have at once: languages, pets, medicines."""
    first, second = _words(one), _words(other)
    shared = first[: _common(first, second)]
    return bool(shared) and shared[-1] in _SEVERAL and first != second


_SEVERAL = frozenset({
    "speaks", "speak", "knows", "know", "has", "have", "owns", "takes", "take", "supports", "reads",
    "includes", "include", "visited", "likes", "like", "loves", "collects", "offers", "sells",
    "plays", "eats", "grows", "teaches", "contains", "needs", "saw", "met", "bought",
})  # fmt: skip
"""Verbs of which one subject often has several objects: languages, pets, medicines."""


def other_thing(one: str, other: str) -> bool:
    """Whether two texts say the same of two things: all alike but what they are about.

    `The port of staging is 8080` and `The port of production is 9090` are no change.
    """
    if max(len(one), len(other)) > LONGEST:
        return False
    first, second = _words(one), _words(other)
    start = _common(first, second)
    if not (shared := first[:start]):
        return False
    for at, word in enumerate(first[start:], start):
        if word in _SAYS and word in second[start:]:
            subjects = first[start:at], second[start : start + second[start:].index(word)]
            named = all(any(part.isalpha() for part in one) for one in subjects)
            return named and shared[-1] in _OF and any(one not in STOPWORDS for one in shared)
    return False


def other_number(one: str, other: str) -> bool:
    """Whether two texts differ in numbers alone, which are no new value: `step 3`, `ticket 14 …`.

    Numbers name things, or count what was seen on one day and on another.
    """
    first, second = _words(one), _words(other)
    apart = _figures_apart(first, second)
    return bool(apart) and not _is_new_figure(first, second, apart)


def lone_figure(one: str, other: str) -> tuple[tuple[str, ...], int] | None:
    """The words of one text and the place of the figure by which alone another one differs."""
    first, second = _words(one), _words(other)
    apart = _figures_apart(first, second)
    return (first, apart[0]) if len(apart) == 1 else None


def is_given_number(words: tuple[str, ...], at: int) -> bool:
    """Whether a number is the name that something is given: `the stall is number 12`."""
    return at > 1 and words[at - 1] in _NUMBERED and words[at - 2] in _SETS


def exact_change(one: str, other: str) -> bool:
    """Whether two texts are equal but for one number, version or date, or for who has a post."""
    held, holds = _POST.match(one), _POST.match(other)
    if held and holds and held["post"].casefold() == holds["post"].casefold():
        return held["who"] != holds["who"]
    first, second = _words(one), _words(other)
    apart = _figures_apart(first, second)
    return bool(apart) and _is_new_figure(first, second, apart)


_POST = lazy(
    r"(?P<who>[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3}) (?P<post>is (?:the|our|my) [^.]+"
    r"|(?:leads|heads|chairs|captains|is in charge of) (?:(?:the|our|my) [^.]+|[A-Z][\w-]*))\.?$"
)
"""`Bob is the CTO`, `Lena leads the mobile team`: one person at a time has a post."""


_PREFERS = lazy(
    r"(?i)\b(?P<how>over|rather than|instead of|before|after|than)\s+(?:the |an? |our )?"
    r"(?P<other>\w[\w.+#-]*)"
)
"""Two things compared, the second of which comes after: `NATS over Kafka`, `tests before lint`."""


def turned_round(one: str, other: str) -> bool:
    """Whether two texts compare the same two things the other way round.

    `We chose NATS over Kafka` and `Kafka was chosen over NATS` share every word that matters, so
    that a network takes them for the same.
    """
    first, second = _PREFERS.search(one), _PREFERS.search(other)
    if not first or not second or first["how"].casefold() != second["how"].casefold():
        return False
    less, more = first["other"].casefold().rstrip("."), second["other"].casefold().rstrip(".")
    left = {word.casefold().strip(".,") for word in one[: first.start()].split()}
    right = {word.casefold().strip(".,") for word in other[: second.start()].split()}
    return less != more and more in left and less in right


def _figures_apart(first: tuple[str, ...], second: tuple[str, ...]) -> list[int]:
    """The places of the figures by which two texts differ; none if they differ in words, too."""
    if len(first) != len(second):
        return []
    apart = [at for at, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
    figures = all(_has_digit(first[at]) and _has_digit(second[at]) for at in apart)
    return apart if figures else []


def _is_new_figure(first: tuple[str, ...], second: tuple[str, ...], apart: list[int]) -> bool:
    at = apart[0]
    if len(apart) == 1 and _is_version(first, at):
        return True
    said = _is_figure(first, at) and _is_figure(second, at)
    return len(apart) == 1 and said and not _names(first, at)


def _is_version(words: tuple[str, ...], at: int) -> bool:
    """Whether a number is the version of a program, of which people use one: `Node 18`.

    `Node 7 of the grid` is a thing.
    """
    if words[at + 1 : at + 2] == ("of",):
        return False
    return at > 0 and words[at - 1] in _VERSIONED and _SEVERAL_VERSIONS.isdisjoint(words)


_VERSIONED_WORDS = """
alpine android angular bun cuda cypress debian deno django dotnet elasticsearch elixir erlang
fedora flask gcc go golang gradle helm ios java jdk jest junit kafka keycloak kotlin kubernetes
laravel llvm macos mariadb maven mongo mongodb mysql nextjs nginx node node.js nodejs npm numpy
openjdk openssl pandas perl php playwright pnpm postgres postgresql prisma pydantic pytest python
pytorch rails react redis ruby rust scala spring sqlite svelte swift symfony tailwind terraform
tensorflow typescript ubuntu valkey vite vue webpack windows xcode yarn
"""
_VERSIONED = frozenset(_VERSIONED_WORDS.split())
"""Programs that are named with their version."""
_SEVERAL_VERSIONS = frozenset({
    "also", "and", "compatible", "or", "support", "supported", "supports", "test", "tested",
    "tests", "works",
})  # fmt: skip
"""With one of these several versions hold side by side."""


def _has_digit(word: str) -> bool:
    # Scripts without spaces have whole sentences as words.
    return word.isascii() and any(map(str.isdigit, word))


def _is_figure(words: tuple[str, ...], at: int) -> bool:
    """Whether a word is a number that is said of something, or a version or time of it.

    `worker-3` and a text's first word are names.
    """
    if not _MEASURES.isdisjoint(words[:at]):
        return _has_digit(words[at])
    bare = words[at].removeprefix("v")
    return at > 0 and bare[:1].isdecimal() and not bare.isdecimal()


_MEASURES = _SETS | {
    "after", "every", "max", "min", "limit", "rate", "than", "within", "under", "weighs", "seats",
    "pays", "holds", "has", "have", "uses", "takes", "version",
}  # fmt: skip
"""A number after one of these is a value."""


def _names(words: tuple[str, ...], at: int) -> bool:
    """Whether a number stands for a thing: after its kind, or before what is said of it."""
    after = words[at + 1] if at + 1 < len(words) else ""
    return after in _SAYS or (at > 0 and words[at - 1] in _NUMBERED)


_NUMBERED = frozenset({
    "number", "no", "nr", "#", "step", "ticket", "issue", "item", "part", "chapter", "section",
    "page", "line", "fact", "note", "memory", "test", "case", "task", "example", "entry", "record",
    "invoice", "order", "room", "floor", "lesson", "question", "point", "rule", "team", "shard",
})  # fmt: skip
"""Kinds of things that have numbers for names."""
_OF = frozenset({"of", "in", "for", "at", "on", "to", "from", "with", "called", "named"})
"""One of these leads to the thing that is spoken of, or to its name."""


def says_all_of(richer: str, poorer: str) -> bool:
    """Whether one statement has every word of another in order, and only adds to what it says.

    `I like tea with milk` says all of `I like tea`; `I like tea cake` and `I like tea if it is
    green` do not.
    """
    whole, more = _asides(richer)
    bare, less = _asides(poorer)
    if more and set(less) <= set(more) and _words(whole) == _words(bare):
        return True
    runs = _added(richer, poorer)
    return bool(runs) and all(
        run[0] in _LINKING or _PARTICLES.issuperset(run) for run in runs if run
    )


def join_asides(newer: str, older: str) -> str:
    """One statement with the asides of both, if they differ in nothing else; else empty."""
    whole, more = _asides(newer)
    bare, less = _asides(older)
    if not more or not less or _words(whole) != _words(bare):
        return ""
    end = newer.rstrip()[-1:]
    return ", ".join((whole, *dict.fromkeys((*more, *less)))) + (end if end in ".!" else "")


def _asides(text: str) -> tuple[str, tuple[str, ...]]:
    """A statement without the few words behind its last commas, and these: `…, as agreed`."""
    whole = text.strip().rstrip(".!")
    found: list[str] = []
    while aside := _ASIDE.search(whole):
        words = aside[1].split()
        turns = any(word in _TURNING or word.endswith(_NOT) for word in words)
        if turns or len(_words(whole[: aside.start()])) < LEAST_SAID:
            break
        found.append(aside[1])
        whole = whole[: aside.start()]
    return whole, tuple(reversed(found))


_ASIDE = lazy(r",\s+([a-z]+(?: [a-z]+){0,2})$")


def leaves_out(shorter: str, longer: str) -> bool:
    """Whether one statement is another without some words, none of which turn what it says."""
    return bool(_added(longer, shorter))


def _added(longer: str, shorter: str) -> list[list[str]]:
    """The runs of words that one statement puts between those of another; none if it does not."""
    if max(len(longer), len(shorter)) > LONGEST:
        return []
    more, less = _words_and_breaks(longer), _words(shorter)
    if len(less) < LEAST_SAID or more[:1] != less[:1]:
        return []
    runs, at = [list[str]()], 0
    for word in more:
        if at < len(less) and word == less[at]:
            runs.append([])
            at += 1
        elif word in _TURNING or word.endswith(_NOT):
            return []
        else:
            runs[-1].append(word)
    # `Our vet is Dr. Imhoff, Salgado retired` has the words of `our vet is Dr. Salgado`, in two
    # clauses.
    if at < len(less) or any(_BREAK in run and run != [_BREAK] for run in runs[:-1]):
        return []
    return [[word for word in run if word != _BREAK] for run in runs]


def _words_and_breaks(text: str) -> tuple[str, ...]:
    """The words of a text, with a sign wherever a clause may end."""
    found = [word for clause in _CLAUSE_END.split(text) for word in (*_words(clause), _BREAK)]
    return tuple(found[:-1])


_CLAUSE_END = lazy(r"[,;](?=\s|$)")
_BREAK = ","


def leaves_out_clause(shorter: str, longer: str) -> bool:
    """Whether one statement begins another, which goes on to say when, why or what to do then.

    `The build hangs` names a trouble that `The build hangs when the mirror is down; set another
    one` explains.
    """
    if max(len(longer), len(shorter)) > LONGEST:
        return False
    begun = shorter.strip().rstrip(".!").casefold()
    rest = longer.strip().casefold().removeprefix(begun)
    said = len(_words(begun)) >= LEAST_SAID and rest != longer.strip().casefold()
    return said and _GOES_ON.match(rest) is not None


_GOES_ON = lazy(r"(?: ?[;:–—]|\.|,? -)? (?:when|whenever|because|if|since|as|while|after)\b|;")
"""A further clause, which takes nothing back of what stands before it."""
_COMPLEMENTS = {
    word: kind
    for kind, words in enumerate((
        ("with", "using", "via", "through"), ("before", "after"), ("in", "on", "at"),
    ))
    for word in words
}  # fmt: skip
_QUANTIFIERS = frozenset({"all", "every", "each", "any"})


def other_complement(one: str, other: str) -> bool:
    """Whether two orders to do the same say of it different things: with what, when or where.

    `Run the tests with tox` and `Run all tests before you push` may both hold.
    """
    first, second = ([w for w in _words(text) if w not in _QUANTIFIERS] for text in (one, other))
    same = _common(tuple(first), tuple(second))
    if same < LEAST_SHARED or same >= min(len(first), len(second)):
        return False
    kinds = [_COMPLEMENTS.get(words[same]) for words in (first, second)]
    return None not in kinds and kinds[0] != kinds[1]


def is_piece(text: str) -> bool:
    """Whether a text is too short to say what it is about: `Written by Ada`."""
    words = _words(text)
    return len(words) < FEW_WORDS and _SAYS.isdisjoint(words)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many words two texts have in common at their beginning."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


@remembered(characters=100_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _all_words(text.casefold()) if word not in _ARTICLES)


def _all_words(text: str) -> list[str]:
    """All words of a text, with the signs within them.

    Most texts are split without `_WORD`, because a cold start needs long to compile it.
    """
    if text.isascii():
        chunks = text.translate(_SPACED).split()
        words = [word for chunk in chunks if (word := chunk.strip("'_./@+-"))]
        if all(word.isalnum() or _is_one_word(word) for word in words):
            return words
    return _WORD.findall(text)


def _is_one_word(chunk: str) -> bool:
    """Whether all signs of a chunk are within one word, as in `src/users.py` and `10:30`."""
    return "=" not in chunk and "#" not in chunk and ":" not in (chunk[0], chunk[-1])


_ARTICLES = frozenset({"the", "a", "an"})
