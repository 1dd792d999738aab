"""What a model may cost: nothing until somebody says so, and then no more than they said."""

from __future__ import annotations

from ..results import Spend
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ..ports.auditing import Ledger
    from ..results import Spent

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
