"""Which memory is to blame: the one whose words are wrong, or that misled somebody lately."""

from __future__ import annotations

from ..engine import revisions
from ..engine.commit import event
from ..engine.revisions import kept_version
from ..engine.search import search
from ..language.statements import Statement, exchanged, split
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import NotFound
from ..model.memory import LIVE
from ..model.value import Value
from ..notes.display import is_sealed
from ..ports.record_store import Put
from ..ports.search_index import Where
from ..rules import access
from ..rules.relations import versions
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Event, Memory, Recalled


LAST = "last"
LATELY = 20
"""How many of the caller's recalls may have misled it."""
CANDIDATES = 5
CLEARLY = 1.5
"""How much better than the next a memory must fit to be the one that is meant."""


class WrongMemory(Value):
    """The memory to blame, and which of its statements, if it makes others as well."""

    memory: Memory
    statements: tuple[Statement, ...] = ()

    def replaced_by(self, right: str) -> str:
        """The memory's text once it is right."""
        if not self.statements:
            return right
        return exchanged(self.memory.content, self.statements, right)


def find_wrong(engine: Engine, wrong: str) -> WrongMemory:
    """The memory with that name or these words; NotFound when it is not clear which."""
    try:
        return WrongMemory(get(engine, wrong))
    except NotFound:
        pass  # A memory's own words may have been given instead of its name.
    if wrong.strip().casefold() == LAST:
        return _of_last_recall(engine)
    found = search(engine, wrong, where=Where(statuses=LIVE), limit=CANDIDATES)
    wanted = identity.normalized(wrong)
    for hit in found:
        if identity.normalized(hit.memory.content) == wanted:
            return WrongMemory(hit.memory)
    for hit in found:
        if named := [one for one in split(hit.memory.content) if one.key == wanted]:
            return WrongMemory(hit.memory, tuple(named[:1]))
    return WrongMemory(_likeliest(engine, found))


def _of_last_recall(engine: Engine) -> WrongMemory:
    for retrieval in engine.ledger.retrievals(visible=engine.own_log, limit=1):
        for id, _ in retrieval.results[:1]:
            return WrongMemory(get(engine, id))
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


# Where a wrong memory was repeated: copies in other scopes, summaries, and what was derived.


MOST_COPIES = 1_000
MOST_STEPS = 5
"""How far derivations are followed."""


class Copies:
    """What else has to change with a correction, as far as the caller may see and write it."""

    def __init__(self, engine: Engine, found: WrongMemory, right: str) -> None:
        self._engine = engine
        self._found = found
        self._old = found.memory
        self._right = right
        self.events: list[Event] = []
        self.made: list[str] = []
        """New versions elsewhere."""
        self.gone: list[str] = []
        """Everything that was deactivated."""
        self.retired: list[str] = []
        """Of these, what the corrected memory itself stands for now."""
        self.review: list[str] = []

    def plan(self, new: Memory) -> list[Put]:
        """The writes that go with a correction."""
        puts: list[Put] = []
        copies = self._copies()
        for copy in copies:
            if copy.scope == new.scope and copy.key is None:
                puts += self._retire(copy, new)
            else:
                puts += self._renew(copy, self._copied(copy, new), new)
        wrong, right = self._found.statements, self._right
        if not wrong:
            wrong, right = (Statement(self._old.content),), new.content
        for derived in self._derived({self._old.id, *(copy.id for copy in copies)}):
            text = exchanged(derived.content, wrong, right)
            if text == derived.content:
                puts += self._doubt(derived, new)
            else:
                puts += self._renew(derived, kept_version(self._engine, derived, text), new)
        return puts

    def _copies(self) -> list[Memory]:
        """The same text elsewhere, as after a promotion; turns of conversations stay as said.

        A fact of another place is another fact, unless one was made from the other.
        """
        text = identity.content_hash(self._old.content)
        where = Where(statuses=LIVE, content_hashes=(text,), in_conversation=False)
        found = self._writable(where, {self._old.id})
        if self._old.value is None:
            return found
        origins = self._old.derived_from
        return [one for one in found if one.id in origins or self._old.id in one.derived_from]

    def _derived(self, known: set[str]) -> list[Memory]:
        """What was made from it or from an earlier version of it, step by step."""
        before = revisions.earlier(self._engine, self._old)
        edge = {*known, *(one.id for one in before)}
        known = set(edge)
        found: list[Memory] = []
        for _ in range(MOST_STEPS):
            reached: dict[str, Memory] = {}
            for origin in sorted(edge):
                where = Where(statuses=LIVE, derived_from=origin)
                reached |= {one.id: one for one in self._writable(where, known)}
            if not reached:
                break
            known |= reached.keys()
            found += reached.values()
            edge = set(reached)
        return found

    def _writable(self, where: Where, known: set[str]) -> list[Memory]:
        found = self._engine.index.select(
            where, visible=self._engine.visible, limit=MOST_COPIES, order="oldest"
        )
        wanted = [
            one.id
            for one in found
            if one.id not in known and access.may_write(self._engine.context, one.scope)
        ]
        current = self._engine.store.read(wanted, visible=self._engine.visible)
        return [current[id] for id in wanted if id in current and current[id].status in LIVE]

    def _retire(self, copy: Memory, new: Memory) -> list[Put]:
        gone = versions.retired(copy, new)
        self.gone.append(copy.id)
        self.retired.append(copy.id)
        self._tell("superseded", gone, copy, new.id)
        return [Put(gone, expect=copy)]

    def _copied(self, copy: Memory, by: Memory) -> Memory:
        new = kept_version(self._engine, copy, self._found.replaced_by(self._right))
        # Sealed twice a text looks different, and the next correction would not know the copy.
        return new.but(content=by.content, value=by.value) if is_sealed(by) else new

    def _renew(self, old: Memory, new: Memory, by: Memory) -> list[Put]:
        exchanged = versions.replacement(new, old)
        self.made.append(exchanged.new.id)
        self.gone.append(exchanged.gone.id)
        related = (exchanged.gone.id, by.id)
        self.events.append(event(self._engine, "corrected", exchanged.new, related=related))
        self._tell("superseded", exchanged.gone, old, exchanged.new.id)
        return list(exchanged.puts)

    def _doubt(self, derived: Memory, by: Memory) -> list[Put]:
        """It may rest on what was wrong, in words of its own."""
        self.review.append(derived.id)
        if derived.status == "review":
            return []
        now = to_millisecond(self._engine.now())
        doubted = derived.but(status="review", updated=now)
        self._tell("reviewed", doubted, derived, by.id)
        return [Put(doubted, expect=derived)]

    def _tell(self, action: str, after: Memory, before: Memory, *related: str) -> None:
        self.events.append(event(self._engine, action, after, before=before, related=related))
