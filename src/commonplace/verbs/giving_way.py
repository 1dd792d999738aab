"""A memory that says several things gives way only where it contradicts the one that holds."""

from __future__ import annotations

from ..model import LIVE
from ..rules.comparing import parts, versions
from ..value import Value
from .commit import event
from .revising import kept_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..model import Event, Memory
    from ..rules.comparing.versions import Replacement
    from .engine import Engine


class Rewritten(Value):
    """A memory, and the version of it that says what holds and all the rest."""

    old: Memory
    made: Replacement


def rewritten(engine: Engine, holds: Memory, others: Iterable[Memory]) -> list[Rewritten]:
    """Those of the others that say something else as well, put right."""
    return [
        Rewritten(old, versions.replacement(_version(engine, old, text, holds), old))
        for old in others
        if old.status in LIVE and (text := parts.put_right(holds.content, old.content))
    ]


def events(engine: Engine, changes: Iterable[Rewritten], decision: Memory) -> Iterator[Event]:
    """What is told of it, so that it is taken back together with the decision."""
    for one in changes:
        new, gone = one.made.new, one.made.gone
        yield event(engine, "edited", new, related=(gone.id, decision.id))
        yield event(engine, "superseded", gone, before=one.old, related=(new.id,))


def _version(engine: Engine, old: Memory, text: str, holds: Memory) -> Memory:
    new = kept_version(engine, old, text)
    # A later correction of what holds then reaches this one, too.
    sources = dict.fromkeys((*old.derived_from, holds.id))
    status = "active" if old.status == "review" else old.status
    return new.but(derived_from=tuple(sources), status=status)
