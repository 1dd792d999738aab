"""Which memory is to blame: the one whose words are wrong, or that misled somebody lately."""

from __future__ import annotations

from ..errors import NotFound
from ..model import LIVE
from ..ports.searching import Where
from ..rules import identity
from ..rules.text.statements import Statement, exchanged, split
from ..value import Value
from .find import get
from .recall import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Memory, Recalled
    from .engine import Engine

LAST = "last"
LATELY = 20
"""How many of the caller's recalls may have misled it."""
CANDIDATES = 5
CLEARLY = 1.5
"""How much better than the next a memory must fit to be the one that is meant."""


class Blamed(Value):
    """The memory to blame, and which of its statements, if it makes others as well."""

    memory: Memory
    statements: tuple[Statement, ...] = ()

    def replaced_by(self, right: str) -> str:
        """The memory's text once it is right."""
        if not self.statements:
            return right
        return exchanged(self.memory.content, self.statements, right)


def blamed(engine: Engine, wrong: str) -> Blamed:
    """The memory with that name or these words; NotFound when it is not clear which."""
    try:
        return Blamed(get(engine, wrong))
    except NotFound:
        pass  # A memory's own words may have been given instead of its name.
    if wrong.strip().casefold() == LAST:
        return _of_last_recall(engine)
    found = search(engine, wrong, where=Where(statuses=LIVE), limit=CANDIDATES)
    wanted = identity.normalized(wrong)
    for hit in found:
        if identity.normalized(hit.memory.content) == wanted:
            return Blamed(hit.memory)
    for hit in found:
        if named := [one for one in split(hit.memory.content) if one.key == wanted]:
            return Blamed(hit.memory, tuple(named[:1]))
    return Blamed(_likeliest(engine, found))


def _of_last_recall(engine: Engine) -> Blamed:
    for retrieval in engine.ledger.retrievals(visible=engine.own_log, limit=1):
        for id, _ in retrieval.results[:1]:
            return Blamed(get(engine, id))
    raise NotFound(
        "No recall has answered with anything yet.", hint="Name the wrong memory, or its words."
    )


def _likeliest(engine: Engine, found: Recalled) -> Memory:
    clear = len(found) == 1 or (len(found) > 1 and found[0].score > CLEARLY * found[1].score)
    if clear and found.sure == "strong":
        return found[0].memory
    lately = engine.ledger.retrievals(visible=engine.own_log, limit=LATELY)
    handed = {id for retrieval in lately for id, _ in retrieval.results[:1]}
    misled = [hit.memory for hit in found if hit.memory.id in handed]
    if len(misled) == 1 and found.sure == "strong":
        return misled[0]
    if not found or found.sure == "none":
        raise NotFound(
            "Nothing in the book says that, or nearly that.",
            hint="Look for it with `recall`; or save what is right.",
        )
    candidates = ", ".join(hit.memory.slug or hit.memory.id for hit in found[:3])
    raise NotFound(
        "It is not clear which memory is wrong.",
        hint=f"Name one of: {candidates}.",
    )
