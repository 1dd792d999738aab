"""The port of a ledger: audit events, tombstones, recalls, uses of memories and spending."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Protocol

    from ..model.memory import Event, HandedDigest, Outcomes, Retrieval, Use
    from ..model.results import Spend, Spent, Verified
    from ..model.scope import Tenant, Visible
else:
    Protocol = object


class Ledger(Protocol):
    """Records about the book that its memories do not hold and that nothing can derive again."""

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the chain, durably and in order."""
        ...

    def events(
        self,
        *,
        visible: Visible,
        ids: Collection[str] | None = None,
        memories: Collection[str] | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events newest first, from every device, by event id or by memory id."""
        ...

    def own_events(self, after: int, *, visible: Visible) -> list[tuple[int, Event]]:
        """The events of the chain that this device writes, behind a number, with their numbers."""
        ...

    def verify(self) -> Verified:
        """Check every chain for changed, removed and reordered events."""
        ...

    def restore_lost_events(self) -> int:
        """Put back events of this device that a stale copy of its file had lost; how many."""
        ...

    def purged_keys(self, keys: Collection[str]) -> set[str]:
        """Which of these memory ids or content digests were purged."""
        ...

    def tombstone_count(self) -> int:
        """How many tombstones are known; grows when another device's purges arrive."""
        ...

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        ...

    def uses(self, ids: Collection[str]) -> Mapping[str, Use]:
        """How often each memory was recalled."""
        ...

    def count_outcomes(self, outcomes: Sequence[tuple[str, str]]) -> None:
        """Count what became of memories handed over: pairs of a scope, and used, ignored or
        corrected."""
        ...

    def outcomes(self, scopes: Collection[str] | None = None) -> Mapping[str, Outcomes]:
        """The outcomes of these scopes, or of all; a scope without any is left out."""
        ...

    def log(self, retrieval: Retrieval, used: Collection[str] = ()) -> None:
        """Add a recall to the log, which holds a bounded number, and count the memories it used."""
        ...

    def retrievals(self, *, visible: Visible, limit: int = 20) -> list[Retrieval]:
        """Logged recalls, newest first."""
        ...

    def log_digest(self, digest: HandedDigest) -> None:
        """Add a digest to the log, which holds as many as that of recalls."""
        ...

    def mark_digests(self, ids: Collection[str], *, late: bool) -> None:
        """Mark logged digests as late, or as handed over after all."""
        ...

    def digests(
        self, *, visible: Visible, id: str | None = None, limit: int = 20
    ) -> list[HandedDigest]:
        """Logged digests, newest first, or the one with this id."""
        ...

    def record_spend(self, spend: Spend) -> None:
        """Record the cost of one question to a model."""
        ...

    def spent(self, since: datetime | None = None, *, subject: str | None = None) -> Spent:
        """The cost of questions to models since a moment, about one subject or all."""
        ...

    def spends(self) -> Sequence[Spend]:
        """Every recorded question to a model, in order."""
        ...

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories and their text from counters and logs.

        Recalls that returned them go for every user; recalls that quote them go for `within`. Of
        a digest, the lines go.
        """
        ...

    def lines(self, after: Mapping[str, int] | None = None) -> Iterator[tuple[str, str]]:
        """The name of its chain and the line of every event, each chain in order.

        `after` leaves out the first so many of each chain.
        """
        ...

    def all_uses(self) -> Mapping[str, Use]:
        """Every counter there is."""
        ...

    def import_history(self, lines: Iterable[tuple[str, str]], uses: Mapping[str, Use]) -> None:
        """Add another ledger's events and counters; doing it again changes nothing.

        A chain that this kind of ledger can continue stays as it is, to the letter. Events of
        other chains are linked again, in the order of their time.
        """
        ...

    def count_writes(self, tenant: Tenant, *, since: datetime) -> int:
        """How many changes of a tenant's memories were audited since then."""
        ...

    def wipe(self, tenant: Tenant, *, erasure: Event) -> int:
        """Remove a tenant's recalls, digests and words in events; says how many events changed.

        Each such event keeps its place and its hash, and names the erasure that took its words.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
