"""Whether an answer of a model may be used: nothing lost, nothing added, no orders in it.

A memory may hold text that speaks to the model, and a model may answer with something it was told
elsewhere. What is not in the notes it was shown does not get into the book.
"""

from __future__ import annotations

import re

from ...language import statements, tokens, words
from ...language.words import STOPWORDS
from ...model.results import Spend
from ...model.value import Value
from ...rules import digest
from ...rules.relations.claims import denies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from ...model.results import Spent
    from ...ports.ledger import Ledger


KEPT = 0.75
"""The share of a statement's telling words that must come back for it to count as kept."""
KNOWN = 0.6
"""The share of an answer's telling words that must be in what the model was shown."""
KNOWN_SENTENCE = 0.34
"""And of each of its sentences: one from elsewhere among many good ones is found too."""

_FIGURE = re.compile(r"https?://\S+|\S+@\S+\.\w+|\d[\d.,:/-]*\d|\d")
_STEERING = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|all|earlier|instructions?|rules?)\b"
    r"|\byou (?:are now|must now|will now|should now)\b|\b(?:system|developer) prompt\b"
    r"|\bas an ai\b|\bi(?:'m| am) (?:sorry|unable)\b|\bi can(?:no|')t (?:help|assist|comply)\b"
    r"|</?\s*(?:memory|system|assistant|tool|user)\b|\b(?:execute|run) (?:the )?following\b"
)


class Rejected(Exception):
    """The answer has the right shape and still may not be used."""


def unquoted(text: str) -> str:
    """An answer as it was meant, where it repeats the signs that quoting put into the notes."""
    plain = re.sub(r"[ \t]*⏎[ \t]*", "\n", text)
    for sign, character in (("&lt;", "<"), ("&#91;", "["), ("&#58;", ":")):
        plain = plain.replace(sign, character)
    return plain.strip()


def only_from(answer: str, sources: Sequence[str], *, known: float = KNOWN) -> None:
    """Refuse what is not in the sources: other texts, other numbers, orders, frames."""
    source = "\n".join(sources)
    if digest.is_echo(answer):
        raise Rejected("its answer imitates the frame")
    for found in _STEERING.finditer(answer):
        if found[0].casefold() not in source.casefold():
            raise Rejected("its answer holds instructions that the notes do not")
    # Numbers as the sources write them, since a wrong one looks like any other.
    figures = set(_FIGURE.findall(answer)) - set(_FIGURE.findall(source))
    if any(figure.rstrip(".,:/-") not in source for figure in figures):
        raise Rejected("its answer holds numbers or addresses that the notes do not")
    vocabulary = _telling(source)
    if _share(_telling(answer), vocabulary) < known:
        raise Rejected("its answer says what the notes do not")
    for sentence in statements.split(answer):
        telling = _telling(sentence.text)
        if len(telling) >= 4 and _share(telling, vocabulary) < min(known, KNOWN_SENTENCE):
            raise Rejected("its answer holds a sentence from elsewhere")


def summary(answer: str, text: str, budget_tokens: int) -> None:
    """Refuse a summary that is too long or says something else."""
    if len(answer) > len(text) or tokens.estimate(answer) > budget_tokens:
        raise Rejected("its summary is too long")
    only_from(answer, [text])


def merge(answer: str, changes: Sequence[str], newer: str, older: str) -> None:
    """Refuse a merge that loses a statement of the newer text, or silently one of the older."""
    only_from("\n".join((answer, *changes)), [newer, older], known=0.8)
    if len(answer) > len(newer) + len(older) + 200:
        raise Rejected("its merged note is longer than both")
    said = [one.text for one in statements.split(answer)]
    for one in statements.split(newer):
        if not _kept(one.text, said):
            raise Rejected("its merged note loses a statement")
    for one in statements.split(older):
        if not _kept(one.text, [*said, *changes]):
            raise Rejected("its merged note loses a statement")


def _kept(statement: str, said: Iterable[str]) -> bool:
    """Whether one of these says what the statement says, and does not deny it."""
    telling = _telling(statement)
    if not telling:
        return True
    figures = set(_FIGURE.findall(statement))
    return any(
        _share(telling, _telling(one)) >= KEPT
        and figures <= set(_FIGURE.findall(one))
        and denies(statement) == denies(one)
        for one in said
    )


def _telling(text: str) -> frozenset[str]:
    return frozenset(words.terms(text)) - STOPWORDS


def _share(terms: frozenset[str], of: frozenset[str]) -> float:
    return len(terms & of) / len(terms) if terms else 1.0


# What a model may cost: nothing until somebody says so, and then no more than they said.


MILLION = 1_000_000


class Cap(Value):
    """What may be spent in a calendar month; zero everywhere means that no model is asked."""

    budget: float = 0.0
    tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / MILLION

    def refuses(self, spent: Spent, tokens_in: int, tokens_out: int) -> str:
        """Why a question of that size may not be asked; empty when it may."""
        if self.budget <= 0 and self.tokens <= 0:
            return "no budget is set (reasoner_budget or reasoner_tokens)"
        if self.budget > 0 and not (self.price_in > 0 and self.price_out > 0):
            # Without prices every question would seem free, and a budget of money hold nothing.
            return "a budget needs prices (reasoner_price_in, reasoner_price_out)"
        used = spent.input_tokens + spent.output_tokens
        if 0 < self.tokens < used + tokens_in + tokens_out:
            return f"this month's {self.tokens} tokens are used up"
        if 0 < self.budget < spent.cost + self.cost(tokens_in, tokens_out):
            return f"this month's budget of {self.budget:g} is used up"
        return ""


class Purse:
    """The cap, and what was spent of it on this device this month."""

    def __init__(self, cap: Cap, ledger: Ledger, now: Callable[[], datetime], model: str) -> None:
        self.cap = cap
        self._ledger = ledger
        self._now = now
        self._model = model

    def refuses(self, tokens_in: int, tokens_out: int) -> str:
        """Why a question that may take so many tokens is not asked; empty when it is."""
        return self.cap.refuses(self.spent(), tokens_in, tokens_out)

    def left_tokens(self) -> int | None:
        """How many tokens one question may take with all its attempts."""
        spent = self.spent()
        left: list[int] = []
        if self.cap.tokens > 0:
            left.append(self.cap.tokens - spent.input_tokens - spent.output_tokens)
        if self.cap.budget > 0:
            dearest = max(self.cap.price_in, self.cap.price_out)
            left.append(int((self.cap.budget - spent.cost) / dearest * MILLION))
        return max(1, min(left)) if left else None

    def spent(self) -> Spent:
        """What this month has cost so far."""
        now = self._now()
        first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return self._ledger.spent(first)

    def pay(
        self, operation: str, subject: str, tokens_in: int, tokens_out: int, failure: str
    ) -> None:
        """Keep a record of one question, whether or not its answer could be used."""
        cost = self.cap.cost(tokens_in, tokens_out)
        self._ledger.record_spend(
            Spend(
                self._now(), operation, self._model, subject, tokens_in, tokens_out, cost, failure
            )
        )
