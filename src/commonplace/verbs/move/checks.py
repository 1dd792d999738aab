"""What stands in the way of a move, in words."""

from __future__ import annotations

from ...errors import Conflict, Refused
from ..make_room import another_book

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine import Engine


def require_apart(source: Engine, target: Engine) -> None:
    """Raise Conflict unless the target is another place of the same book."""
    if source.store.url == target.store.url:
        raise Conflict(f"The book is at {source.store.url} already.", hint="Name another place.")
    if source.store.store_id != target.store.store_id:
        raise another_book(target)


def require_sound(source: Engine) -> None:
    """What does not read, or was tampered with, is a person's to look at before it is gone."""
    url = source.store.url
    about_the_whole = (url, url.partition(":")[2])
    found = [*source.ledger.verify().problems]
    found += [
        one for one in source.store.problems()
        if one.severity == "error" or one.where not in about_the_whole
    ]  # fmt: skip
    if found:
        raise Refused(
            f"The book has {len(found)} {'problem' if len(found) == 1 else 'problems'}; the first:"
            f" {found[0].where}: {found[0].what}",
            hint="Mend it (`commonplace doctor`), or move the rest with --anyway.",
        )


def diverged(target: Engine, what: str) -> Conflict:
    """What to say of a place that went its own way."""
    return Conflict(
        f"{target.store.url} holds something that the book does not: {what}.",
        hint="Nothing was changed. Name a new place, or move from there instead.",
    )
