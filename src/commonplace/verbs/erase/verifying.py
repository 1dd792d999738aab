"""Check a receipt of an erasure against the book: was it done, and is it still so."""

from __future__ import annotations

from ...model import Problem
from ...ports.searching import Where
from ...rules import chain, scoping
from ...rules.identity import is_derived
from ...scope import EVERYTHING, Tenant
from ...value import Value
from ..backup.everything import Everything
from ..catch_up import with_index
from . import Erased, fold
from .carrying_out import purges_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ports.records import Document
    from ..engine import Engine

PAGE = 500
_HINT = "Erase the user again, and keep the new receipt."


class ErasureChecked(Value):
    """What comparing a receipt with the book found."""

    receipt: Erased
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether the receipt is this book's and everything it says is so."""
        return not self.problems


def verify_erasure(engine: Engine, receipt: Erased) -> ErasureChecked:
    """Compare a receipt with the audit chain, the tombstones, the store and the index."""
    scoping.require_owner(engine.context)
    if receipt.book != engine.store.store_id:
        what = f"The receipt is from the book {receipt.book}, and this is another."
        return ErasureChecked(receipt, (Problem("receipt", what, "Open that book.", "error"),))
    found = [*_chain(engine, receipt), *_tombstones(engine, receipt), *_left(engine, receipt)]
    return ErasureChecked(receipt, tuple(found))


def _chain(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    own = str(Tenant(receipt.org, receipt.user).scope)
    events = engine.ledger.events(visible=EVERYTHING, ids=[receipt.event])
    told = [one for one in events if (one.action, one.scope) == (chain.ERASED, own)]
    if not told:
        yield Problem("audit", "The audit log tells of no such erasure.", _HINT, "error")
    elif not any(_is_that(line, receipt) for _, line in engine.ledger.lines()):
        # A move to another kind of book links the events anew; the event itself is there.
        what = "The event of the erasure has another hash than the receipt says."
        yield Problem("audit", what, "That is so after moving to another kind of book.")
    yield from engine.ledger.verify().problems


def _is_that(line: str, receipt: Erased) -> bool:
    return receipt.event in line and receipt.hash in line and receipt.hash == _hash(line)


def _hash(line: str) -> str:
    try:
        return chain.from_line(line).hash
    except ValueError:
        return ""


def _tombstones(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    purges = purges_of(engine, receipt.event)
    told = (fold(one.memory for one in purges), fold(one.digest for one in purges))
    if told != (receipt.ids, receipt.tombstones):
        what = "The tombstones are not those that the receipt counts."
        yield Problem("audit", what, _HINT, "error")


def _left(engine: Engine, receipt: Erased) -> Iterator[Problem]:
    """What is there although it was erased; whatever the user saved since is none of it."""
    tenant = Tenant(receipt.org, receipt.user)
    # The id of a hand-written place follows from the place, where something new may be now.
    told = (one.memory for one in purges_of(engine, receipt.event))
    purged = {id for id in told if not is_derived(id)}
    left: set[str] = set()

    def take(document: Document) -> None:
        for one in document.memories:
            old = tenant.has(str(one.scope)) and one.updated <= receipt.at
            if old or one.id in purged:
                left.add(one.id)

    Everything(engine, take).catch_up()
    for id in sorted(left):
        yield Problem(id, "This memory is still there.", _HINT, "error")
    ids = sorted(purged)
    for start in range(0, len(ids), PAGE):
        where = Where(ids=tuple(ids[start : start + PAGE]))
        for one in with_index(engine, lambda where=where: _indexed(engine, where)):
            yield Problem(one, "The search index still knows this memory.", _HINT, "error")


def _indexed(engine: Engine, where: Where) -> list[str]:
    found = engine.index.select(where, visible=EVERYTHING, limit=PAGE)
    return [one.id for one in found]
