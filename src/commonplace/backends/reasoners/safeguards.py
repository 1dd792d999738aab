"""Checks of a model's answers, and the monthly budget for asking it.

A memory may hold instructions for the model, and a model may answer with text from elsewhere. An
answer that is not grounded in the notes it was shown does not get into the book.
"""

from __future__ import annotations

import re

from ...language import statements, tokens, words
from ...model.results import Spend
from ...model.value import Value
from ...rules.handed_over import quotation
from ...rules.relations.claims import is_denial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from ...model.results import Spent
    from ...ports.ledger import Ledger


INCLUDED_SHARE = 0.75
"""Share of a statement's content words that must be in an answer which includes it."""
GROUNDED_SHARE = 0.6
"""Share of an answer's content words that must be in the notes."""
GROUNDED_SENTENCE_SHARE = 0.34
"""The same for each sentence, to find a single foreign one."""

_FIGURE = re.compile(r"https?://\S+|\S+@\S+\.\w+|\d[\d.,:/-]*\d|\d")
_STEERING = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|all|earlier|instructions?|rules?)\b"
    r"|\byou (?:are now|must now|will now|should now)\b|\b(?:system|developer) prompt\b"
    r"|\bas an ai\b|\bi(?:'m| am) (?:sorry|unable)\b|\bi can(?:no|')t (?:help|assist|comply)\b"
    r"|</?\s*(?:memory|system|assistant|tool|user)\b|\b(?:execute|run) (?:the )?following\b"
)


class AnswerRejected(Exception):
    """An answer of the right shape fails a check."""


def unquoted(text: str) -> str:
    """An answer without the escapes that quoting put into the notes."""
    plain = re.sub(r"[ \t]*⏎[ \t]*", "\n", text)
    for sign, character in (("&lt;", "<"), ("&#91;", "["), ("&#58;", ":")):
        plain = plain.replace(sign, character)
    return plain.strip()


def check_grounded(answer: str, sources: Sequence[str], *, known: float = GROUNDED_SHARE) -> None:
    """Reject statements, numbers, instructions and frames that are not in the sources."""
    source = "\n".join(sources)
    if quotation.is_echo(answer):
        raise AnswerRejected("its answer imitates the frame")
    for found in _STEERING.finditer(answer):
        if found[0].casefold() not in source.casefold():
            raise AnswerRejected("its answer contains instructions that are not in the notes")
    # Numbers must be written as in the sources, since a wrong one looks like any other.
    figures = set(_FIGURE.findall(answer)) - set(_FIGURE.findall(source))
    if any(figure.rstrip(".,:/-") not in source for figure in figures):
        raise AnswerRejected("its answer contains numbers or addresses that are not in the notes")
    vocabulary = words.telling_terms(source)
    if _share(words.telling_terms(answer), vocabulary) < known:
        raise AnswerRejected("its answer is not based on the notes")
    for sentence in statements.split(answer):
        telling = words.telling_terms(sentence.text)
        if len(telling) >= 4 and _share(telling, vocabulary) < min(known, GROUNDED_SENTENCE_SHARE):
            raise AnswerRejected("its answer contains a sentence from elsewhere")


def check_summary(answer: str, text: str, budget_tokens: int) -> None:
    """Reject a summary that is too long or not grounded."""
    if len(answer) > len(text) or tokens.estimate(answer) > budget_tokens:
        raise AnswerRejected("its summary is too long")
    check_grounded(answer, [text])


def check_merge(answer: str, changes: Sequence[str], newer: str, older: str) -> None:
    """Reject a merge that loses a statement of the newer text, or silently one of the older."""
    check_grounded("\n".join((answer, *changes)), [newer, older], known=0.8)
    if len(answer) > len(newer) + len(older) + 200:
        raise AnswerRejected("its merged note is longer than both")
    said = [one.text for one in statements.split(answer)]
    for one in statements.split(newer):
        if not _is_included(one.text, said):
            raise AnswerRejected("its merged note loses a statement")
    for one in statements.split(older):
        if not _is_included(one.text, [*said, *changes]):
            raise AnswerRejected("its merged note loses a statement")


def _is_included(statement: str, said: Iterable[str]) -> bool:
    """Whether one of the sentences includes the statement without denying it."""
    telling = words.telling_terms(statement)
    if not telling:
        return True
    figures = set(_FIGURE.findall(statement))
    return any(
        _share(telling, words.telling_terms(one)) >= INCLUDED_SHARE
        and figures <= set(_FIGURE.findall(one))
        and is_denial(statement) == is_denial(one)
        for one in said
    )


def _share(terms: frozenset[str], of: frozenset[str]) -> float:
    return len(terms & of) / len(terms) if terms else 1.0


MILLION = 1_000_000


class SpendingCap(Value):
    """Limits per calendar month; without any limit no model is asked."""

    budget: float = 0.0
    tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of a number of tokens."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / MILLION

    def refusal(self, spent: Spent, tokens_in: int, tokens_out: int) -> str:
        """Why a question of that size is not allowed; empty if it is."""
        if self.budget <= 0 and self.tokens <= 0:
            return "no budget is set (reasoner_budget or reasoner_tokens)"
        if self.budget > 0 and not (self.price_in > 0 and self.price_out > 0):
            # Without prices every question would seem free.
            return "a budget needs prices (reasoner_price_in, reasoner_price_out)"
        used = spent.input_tokens + spent.output_tokens
        if 0 < self.tokens < used + tokens_in + tokens_out:
            return f"this month's {self.tokens} tokens are used up"
        if 0 < self.budget < spent.cost + self.cost(tokens_in, tokens_out):
            return f"this month's budget of {self.budget:g} is used up"
        return ""


class MonthlyBudget:
    """The cap, and the spending of this device this month."""

    def __init__(
        self, cap: SpendingCap, ledger: Ledger, now: Callable[[], datetime], model: str
    ) -> None:
        self.cap = cap
        self._ledger = ledger
        self._now = now
        self._model = model

    def refusal(self, tokens_in: int, tokens_out: int) -> str:
        """Why a question of that size is not allowed; empty if it is."""
        return self.cap.refusal(self.spent(), tokens_in, tokens_out)

    def left_tokens(self) -> int | None:
        """Tokens that one question may use with all its attempts; None for no limit."""
        spent = self.spent()
        left: list[int] = []
        if self.cap.tokens > 0:
            left.append(self.cap.tokens - spent.input_tokens - spent.output_tokens)
        if self.cap.budget > 0:
            highest_price = max(self.cap.price_in, self.cap.price_out)
            left.append(int((self.cap.budget - spent.cost) / highest_price * MILLION))
        return max(1, min(left)) if left else None

    def spent(self) -> Spent:
        """The spending of this month so far."""
        now = self._now()
        first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return self._ledger.spent(first)

    def record(
        self, operation: str, subject: str, tokens_in: int, tokens_out: int, failure: str
    ) -> None:
        """Record the cost of one question, whether or not its answer was usable."""
        cost = self.cap.cost(tokens_in, tokens_out)
        self._ledger.record_spend(
            Spend(
                self._now(), operation, self._model, subject, tokens_in, tokens_out, cost, failure
            )
        )
