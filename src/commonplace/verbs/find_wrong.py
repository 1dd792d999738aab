"""Find the memory that a correction means, by name, by its words, or as the last one recalled."""

from __future__ import annotations

from contextlib import suppress

from ..engine.search import RecallRequest, search
from ..language import words
from ..language.statements import Statement, replace_statements, split
from ..model import identity
from ..model.errors import BadInput, NotFound
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.quoted_parts import quoted_part
from ..rules.relations.replacement import is_copy
from .find import MOST, get, narrowest, several_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory, Recalled


LAST = "last"
LATELY = 20
"""The caller's newest recalls; one of them may have returned the wrong memory."""
CANDIDATES = 5
CLEARLY = 1.5
"""The best match is taken if its score is this many times that of the next."""


class WrongMemory(Value):
    """The memory to correct, and its wrong statements if it makes others as well."""

    memory: Memory
    statements: tuple[Statement, ...] = ()
    rest: str = ""
    """The clauses of a single sentence that are not wrong."""
    part: str = ""
    """The words of the wrong statement that were quoted, if it says more."""

    def replaced_by(self, right: str) -> str:
        """The memory's text after the correction."""
        if self.rest:
            return f"{right.rstrip()} {self.rest}"
        if not self.statements:
            return right
        return replace_statements(self.memory.content, self.statements, right)


def find_wrong(engine: Engine, wrong: str, *, branch: str | None = None) -> WrongMemory:
    """The memory with that name or these words; raises NotFound if several could be meant."""
    if not wrong.strip():
        raise BadInput(
            "It is not said what is wrong.", hint="Name the memory, or quote what it says."
        )
    try:
        return WrongMemory(get(engine, wrong, by_text=False, branch=branch))
    except NotFound as error:
        # Else the caller may have given the words of a memory instead of its name.
        if error.branch:
            raise
    if wrong.strip().casefold() == LAST:
        return _of_last_recall(engine)
    found = search(engine, RecallRequest(wrong, Where(statuses=LIVE, branch=branch), CANDIDATES))
    wanted = identity.normalized(wrong)
    for hit in found:
        if identity.normalized(hit.memory.content) == wanted:
            return WrongMemory(_of_this_place(engine, wrong, hit.memory))
    stating = {
        hit.memory.id: (hit.memory, one)
        for hit in found
        for one in split(hit.memory.content)
        if one.key == wanted
    }
    if stating:
        meant = _nearest(engine, wrong, [memory for memory, _ in stating.values()])
        return WrongMemory(meant, (stating[meant.id][1],))
    with suppress(NotFound):
        return WrongMemory(get(engine, wrong, branch=branch))
    quoting = {hit.memory.id: one for hit in found if (one := _quoted(hit.memory, wrong))}
    try:
        meant = _of_this_place(engine, wrong, _likeliest(engine, wrong, found))
    except NotFound:
        if len(quoting) != 1:
            raise
        meant = next(iter(quoting.values())).memory
    return quoting.get(meant.id) or _quoted(meant, wrong) or WrongMemory(meant)


def _quoted(memory: Memory, wrong: str) -> WrongMemory | None:
    """The memory with the statement of which a part is quoted, if there is one."""
    for one in split(memory.content):
        if part := quoted_part(one.text, wrong):
            return WrongMemory(memory, (one,), part=part)
    return None


def _nearest(engine: Engine, wrong: str, found: Sequence[Memory]) -> Memory:
    """The one in the caller's own scope, or nearest to it, of memories that fit alike.

    Raises Conflict if several are as near, unless they were made from one of them.
    """
    near = _in_nearest_scope(engine, found)
    origins = [
        one
        for one in near
        if all(
            other is one or one.id in other.derived_from or is_copy(one, other) for other in near
        )
    ]
    if origins:
        return origins[0]
    raise several_named(engine, wrong, near[:CANDIDATES])


def _in_nearest_scope(engine: Engine, found: Sequence[Memory]) -> list[Memory]:
    """The memories of the caller's own scope, else those of the narrowest scope around it."""
    near = narrowest(engine, found)
    return [one for one in near if one.scope == engine.here] or near


def _of_this_place(engine: Engine, wrong: str, best: Memory) -> Memory:
    """The memory with the text of the best hit that belongs to the caller's place.

    A search returns one of several with the same text. Raises Conflict if several are meant and
    they are independent, because correcting one leaves the others as they are.
    """
    where = Where(
        statuses=LIVE,
        content_hashes=(identity.content_hash(best.content),),
        in_conversation=best.episode is not None,
    )
    found = engine.index.select(where, visible=engine.visible, limit=MOST)
    same = [one for one in found if one.content == best.content] or [best]
    nearest = narrowest(engine, same)
    # The caller's own scope first, which a recall shows; else that of the narrowest copy, where
    # the others came from.
    own = _in_nearest_scope(engine, same)
    meant = max(own, key=lambda one: (len(one.scope.pairs), one.id == best.id))
    if all(one.id == meant.id or is_copy(meant, one) for one in nearest):
        return meant
    raise several_named(engine, wrong, nearest[:CANDIDATES])


def _of_last_recall(engine: Engine) -> WrongMemory:
    for retrieval in engine.ledger.retrievals(visible=engine.own_log, limit=1):
        for id, _ in retrieval.results[:1]:
            return WrongMemory(get(engine, id))
    raise NotFound(
        "No recall has returned a memory yet.", hint="Name the wrong memory, or its words."
    )


def _likeliest(engine: Engine, wrong: str, found: Recalled) -> Memory:
    strong = found.sure == "strong"
    # Meaning alone brings up the nearest of any text, however unlike it is.
    asked = set(words.terms(wrong))
    near = [hit.memory for hit in found if asked.intersection(words.terms(_said(hit.memory)))]
    clear = len(found) == 1 or (len(found) > 1 and found[0].score > CLEARLY * found[1].score)
    if clear and strong and found[0].memory in near:
        return found[0].memory
    if strong and (own := _own_of_alike(engine, asked, found)):
        return own
    lately = engine.ledger.retrievals(visible=engine.own_log, limit=LATELY)
    returned = {id for retrieval in lately for id, _ in retrieval.results[:1]}
    recalled = [one for one in near if one.id in returned]
    if len(recalled) == 1 and strong:
        return recalled[0]
    if not near or found.sure == "none":
        raise NotFound(
            "No memory says that, or nearly that.",
            hint="Look for it with `recall`; or save what is right.",
        )
    candidates = ", ".join(one.slug or one.id for one in near[:3])
    raise NotFound(
        "It is not clear which memory is wrong.",
        hint=f"Name one of: {candidates}.",
    )


def _own_of_alike(engine: Engine, asked: set[str], found: Recalled) -> Memory | None:
    """The one memory nearest to the caller's own scope, of several that fit as well as the best."""
    best = found[0]
    named = asked.intersection(words.terms(_said(best.memory)))
    alike = [
        hit.memory
        for hit in found
        if named.issubset(words.terms(_said(hit.memory))) and best.score <= CLEARLY * hit.score
    ]
    near = _in_nearest_scope(engine, alike) if named else []
    return near[0] if len(near) == 1 < len(alike) else None


def _said(memory: Memory) -> str:
    """The words by which a correction may mean a memory."""
    return " ".join(filter(None, (memory.title, memory.topic, memory.key, memory.content)))
