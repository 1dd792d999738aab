"""What every ledger answers from its tables, wherever its chain of events is kept."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from ..model import Event, Retrieval, Use
    from ..results import Spend, Spent
    from ..scope import Tenant, Visible
    from .history import History
    from .spending import Spending
    from .usage import Usage


class KeptLedger:
    """The part of a ledger that looks things up and counts."""

    _history: History
    _usage: Usage

    def _refresh(self) -> None:
        """Take up what others brought meanwhile; for a chain that nobody else writes, nothing."""

    def events(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first, by event id or by memory id."""
        self._refresh()
        return self._history.find(
            visible=visible, ids=ids, memories=memories, since=since, limit=limit
        )

    def buried(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        self._refresh()
        return self._history.buried(keys)

    def burials(self) -> int:
        """How many tombstones are known; grows when another device's purges arrive."""
        self._refresh()
        return self._history.burials()

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        self._usage.count_use(ids, at=at)

    def uses(self, ids: Collection[str]) -> Mapping[str, Use]:
        """How often each memory was recalled on this device."""
        return self._usage.uses(ids)

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, up to a bounded number."""
        self._usage.log(retrieval)

    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        return self._usage.retrievals(visible=visible, limit=limit)

    def record_spend(self, spend: Spend) -> None:
        """Remember what one question to a model cost."""
        self._spending.record(spend)

    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """What questions to models cost since a moment, on this device."""
        return self._spending.spent(since, subject)

    def spends(self) -> Sequence[Spend]:
        """Every question to a model that is remembered, in order."""
        return self._spending.every()

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories and their text from counters and logs."""
        self._spending.scrub(ids, texts)
        self._usage.scrub(ids, texts, within=within)

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """Every event as it stands in its chain: the chain's name and the line, each in order."""
        self._refresh()
        return self._history.every_line(after)

    def all_uses(self) -> Mapping[str, Use]:
        """Every counter there is."""
        return self._usage.all_uses()

    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""
        return self._history.count(tenant, since)

    @property
    def _spending(self) -> Spending:
        # Imported here because a recall spends nothing.
        from .spending import Spending

        return Spending(self._usage.database)
