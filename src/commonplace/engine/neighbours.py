"""Find the memories that a new one may repeat or contradict, without comparing it with all.

`ExistingMemories` finds equal texts and keys, `Neighbours` finds similar texts. A single save asks
the index by words and by vector, as a recall does. A batch asks once for all memories that share a
signature with one of its texts; `maintain` later finds those that only mean the same.
"""

from __future__ import annotations

from ..language import words
from ..language.passages import cut
from ..model import identity
from ..model.errors import Conflict, EmbedderUnavailable, NotFound, Refused
from ..model.memory import LIVE
from ..model.scope import EVERYTHING, Visible
from ..model.text_cache import remembered
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import access
from ..rules.relations import differences, duplicates, merge
from ..rules.relations.duplicates import memory_signatures, telling_terms
from .branch_view import branch_view, holding_here, holds_here, replaced_by_each
from .change_set import fact_key, text_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..model.memory import Memory
    from ..ports.search_index import SearchIndex
    from ..rules.relations.duplicates import Compared
    from .change_set import ChangeSet
    from .engine import Engine


MOST_EQUAL = 10_000
POOL = 16
"""Candidates that the words and the vector of one text each bring."""
MOST_WORDS = 8
"""Words of one text that are looked up."""
LONGEST_CLAIMED = 500
"""Characters; a longer text shares words with what it outdates, or `maintain` finds it."""
MAY_CLAIM = (
    "liv", "resid", "based", "locat", "mov", "work", "employ", "call", "name", "host", "deploy",
    "writ", "implement", "wohn", "leb", "habit", "vis ", "arbeit", "trava", "traba", "hei",
    "appel", "llamo", "住", "工作", "上班", "叫", "名前", "働",
)  # fmt: skip
"""A text without any of these claims nothing that others say in other words."""
MOST_JUDGED = 5
"""Neighbours of one memory that are judged, …"""
LEAST_JUDGED = 0.4
"""… if they are at least so similar."""
GENERAL_ATTRIBUTES = ("is", "was", "has")
"""`I am tired` and `I am at the station` speak of the same thing and have nothing in common."""
MOST_PER_SIGNATURE = 8
"""Memories with one signature that are compared, the newest first."""
LEAST_SHARED = 0.6
"""Share of their words that neighbours in a batch have in common."""


class ExistingMemories:
    """Looks up equal texts and facts, in the store and in what the batch itself will write."""

    def __init__(self, engine: Engine, new: Sequence[Memory], changes: ChangeSet) -> None:
        self._engine = engine
        self._changes = changes
        hashes = {identity.content_hash(memory.content) for memory in new}
        equal = Where(content_hashes=tuple(hashes))
        self.text_is_known = bool(engine.index.select(equal, visible=EVERYTHING, limit=1))
        """Whether any memory, live or gone, has one of the texts; most new texts are nowhere."""
        self._by_hash = _with_equal_text(engine, new) if self.text_is_known else {}

    def unchanged(self, memory: Memory) -> Memory | None:
        """A neighbour as it is now; None if its text changed or it is no longer live.

        The index proposes and the store decides, because a person may just have edited the note.
        """
        now = self._changes.get(memory.id) or self._read(memory.id)
        same = now is not None and self._holds(now) and now.content == memory.content
        return now if same else None

    def named(self, ref: str, new: Memory) -> Memory:
        """The memory that a draft names as superseded; raises if it may not be."""
        found = self._engine.store.read([ref], visible=self._engine.visible).get(ref)
        if found is None:
            raise NotFound(f"No memory has the id {ref}.", hint="Look it up with `recall`.")
        access.require_writable(self._engine.context, found.scope)
        gone = found.superseded_by or found.status not in LIVE
        if gone and not holds_here(self._engine, found):
            raise Conflict(
                f"{ref} is {found.status} and cannot be superseded again.",
                hint=f"Supersede {found.superseded_by}." if found.superseded_by else "Restore it.",
            )
        if new.trust == "external" and found.trust != "external":
            raise Refused(
                "Text from outside cannot replace a memory that was said here.",
                hint="Save it beside the other, or have a person correct it.",
            )
        return found

    def same_text(self, new: Memory) -> Memory | None:
        """The live memory with the same text."""
        hashed = identity.content_hash(new.content)
        return self._live(text_key, new, self._by_hash.get(hashed, ()))

    def same_key(self, new: Memory) -> Memory | None:
        """The live fact with the same key."""
        where = Where(
            scopes=(str(new.scope),), statuses=LIVE, key=new.key, valid_at=self._engine.now()
        )
        found = self._engine.index.select(where, visible=EVERYTHING, limit=MOST_EQUAL)
        return self._live(fact_key, new, found)

    def _live(
        self,
        key_of: Callable[[Memory], tuple[object, ...]],
        new: Memory,
        proposed: Sequence[Memory],
    ) -> Memory | None:
        key = key_of(new)
        if planned := self._changes.with_key(key):
            return planned
        alike = [memory for memory in proposed if key_of(memory) == key]
        view = branch_view(self._engine, alike)
        here = [memory for memory in alike if not view.hides(memory)]
        if not here:  # What an unmerged branch replaced holds here.
            replaced = replaced_by_each(self._engine, alike)
            here = [old for older in replaced.values() for old in older]
        for memory in here:
            now = self._read(memory.id)
            if now is not None and self._holds(now) and key_of(now) == key:
                return now
        return None

    def _holds(self, memory: Memory) -> bool:
        return memory.status in LIVE or holds_here(self._engine, memory)

    def _read(self, id: str) -> Memory | None:
        return self._engine.store.read([id], visible=EVERYTHING).get(id)


def _with_equal_text(engine: Engine, new: Sequence[Memory]) -> dict[str, list[Memory]]:
    """Live memories with the texts of a batch, by hash; one query for the whole batch."""
    where = Where(
        scopes=tuple({str(memory.scope) for memory in new}),
        statuses=LIVE,
        content_hashes=tuple({identity.content_hash(memory.content) for memory in new}),
        episodes=tuple({memory.episode for memory in new if memory.episode}) or None,
        valid_at=engine.now(),
    )
    wheres = [where]
    if any(memory.episode is None for memory in new):
        apart = where.but(episodes=None, in_conversation=False)
        wheres = [where, apart] if where.episodes else [apart]
    found: dict[str, list[Memory]] = {}
    for one in wheres:
        for memory in engine.index.select(one, visible=EVERYTHING, limit=MOST_EQUAL):
            found.setdefault(identity.content_hash(memory.content), []).append(memory)
    return found


class Neighbour(Value):
    """A memory worth comparing with a new one, and the cosine of their vectors, if known."""

    memory: Memory
    cosine: float | None = None


class ComparedNeighbour(Value):
    """A neighbour, and how the new memory stands to it."""

    memory: Memory
    compared: Compared
    share: float
    """The share of the new memory's words that the neighbour has."""
    cosine: float | None = None


class Neighbours:
    """Finds memories similar to those of one batch."""

    def __init__(self, engine: Engine, new: Sequence[Memory], vector: bytes | None) -> None:
        self._engine = engine
        self._vector = vector
        self._alone = len(new) == 1
        self._by_signature: dict[tuple[str, int], list[Memory]] = {}
        if not self._alone:
            for memory in _alike(engine.index, _signatures(new), _where(engine, new)):
                self.add(memory)

    def add(self, memory: Memory) -> None:
        """Let later memories of the batch find this one."""
        if not self._alone:
            for signature in memory_signatures(memory):
                alike = self._by_signature.setdefault((str(memory.scope), signature), [])
                alike.insert(0, memory)
                del alike[MOST_PER_SIGNATURE:]

    def compared(self, new: Memory) -> list[ComparedNeighbour]:
        """The neighbours of one memory, the most similar first."""
        gates, scale = self._engine.settings.gates, cosine_scale(self._engine)
        found: list[ComparedNeighbour] = []
        for one in self._find(new):
            compared = merge.compare_memories(
                new.content,
                one.memory.content,
                cosine=one.cosine,
                by=scale,
                same=gates.same,
                merge=gates.merge,
            )
            share = word_share(new, one.memory)
            found.append(ComparedNeighbour(one.memory, compared, share, one.cosine))
        found.sort(key=lambda one: (-one.compared.similarity, one.memory.id))
        return found

    def _find(self, new: Memory) -> list[Neighbour]:
        if not merge.comparison_group(new):
            return []
        found = self._from_index(new) if self._alone else self._from_batch(new)
        held = holding_here(self._engine, [one.memory for one in found])
        here = [one for one in found if one.memory.id not in held]
        here += [Neighbour(old) for older in held.values() for old in older]
        return [
            one for one in here if one.memory.id != new.id and merge.comparable(new, one.memory)
        ]

    def _from_index(self, new: Memory) -> list[Neighbour]:
        index = self._engine.index
        gathered = index.gather(
            _search_terms(new.content),
            self._vector,
            visible=Visible(scopes=frozenset({str(new.scope)})),
            where=_where(self._engine, [new]),
            pool=POOL,
            model=self._engine.embedder.model if self._engine.embedder else None,
        )
        close = {one.key: None if one.passage else one.meaning for one in gathered.candidates}
        wanted, where = _signatures([new]), _where(self._engine, [new])
        nearest, alike = index.read_together(
            EVERYTHING,
            lambda there: (
                there.fetch(list(close), visible=EVERYTHING),
                _alike(there, wanted, where),
            ),
        )
        found = {memory.id: Neighbour(memory, close[key]) for key, memory in nearest.items()}
        for memory in alike:
            found.setdefault(memory.id, Neighbour(memory))
        return list(found.values())

    def _from_batch(self, new: Memory) -> list[Neighbour]:
        own = telling_terms(new.content)
        found: dict[str, Memory] = {}
        for signature in memory_signatures(new):
            for memory in self._by_signature.get((str(new.scope), signature), ()):
                found[memory.id] = memory
        return [
            Neighbour(memory)
            for memory in found.values()
            if duplicates.overlap_share(own, telling_terms(memory.content)) >= LEAST_SHARED
        ]


def worth_judging(new: Memory, near: Sequence[ComparedNeighbour]) -> list[ComparedNeighbour]:
    """The nearest in meaning or words, or about the same attribute of the same thing.

    Not those that the new one links to: who points at a note does not say otherwise.
    """
    near = [one for one in near if f"[[{one.memory.slug}" not in new.content]
    claims = claimed_attributes(new.content) if near else ()
    own = {claim for claim in claims if claim[1] not in GENERAL_ATTRIBUTES}
    return [
        one
        for one in near
        if one.compared.similarity >= LEAST_JUDGED
        or (own and not own.isdisjoint(claimed_attributes(one.memory.content)))
    ][:MOST_JUDGED]


@remembered()
def claimed_attributes(text: str) -> frozenset[tuple[str, str]]:
    """The things, each with the attribute, that a text makes claims about."""
    from ..rules.relations.claims import read_claims

    return frozenset((one.entity, one.attribute) for one in read_claims(text))


def comparison_vector(engine: Engine, new: Sequence[Memory]) -> bytes | None:
    """The vector of a single text that is one passage; longer texts are compared by words."""
    if engine.embedder is None or len(new) != 1 or not merge.comparison_group(new[0]):
        return None
    if len(cut(new[0].content)) > 1:
        return None
    try:
        return engine.embedder.embed([new[0].content])[0]
    except EmbedderUnavailable:
        return None


def cosine_scale(engine: Engine) -> duplicates.CosineScale:
    """How the cosines of this book's embedder are read."""
    gates = engine.settings.gates
    model = engine.embedder.model if engine.embedder else None
    return duplicates.scale_for_model(model, merge=gates.merge_cosine, same=gates.same_cosine)


def word_share(new: Memory, old: Memory) -> float:
    """The share of the new memory's words that the old one has."""
    own = telling_terms(new.content)
    return len(own & telling_terms(old.content)) / len(own) if own else 0.0


def _signatures(new: Sequence[Memory]) -> dict[str, set[int]]:
    """The signatures of a batch, by scope."""
    found: dict[str, set[int]] = {}
    for memory in new:
        if merge.comparison_group(memory):
            found.setdefault(str(memory.scope), set()).update(memory_signatures(memory))
    return found


def _alike(index: SearchIndex, wanted: Mapping[str, set[int]], where: Where) -> Iterable[Memory]:
    """Live memories that share a signature with one of a batch, oldest first."""
    if not any(wanted.values()):
        return ()
    return reversed(index.alike(wanted, visible=EVERYTHING, where=where, most=MOST_PER_SIGNATURE))


def _where(engine: Engine, new: Sequence[Memory]) -> Where:
    return Where(
        scopes=tuple({str(memory.scope) for memory in new}),
        statuses=LIVE,
        in_conversation=False,
        valid_at=engine.now(),
    )


def _search_terms(text: str) -> dict[str, str]:
    """The subject and names of a text, then its longest words, which are the rarest.

    Few, because each lookup takes time. "I moved to Berlin" and "I live in Munich" share no word,
    so synonyms of the claim are looked up as well.
    """
    asked, about = words.query_terms(text), differences.text_features(text)
    first = {about.subject, *about.names}
    order = sorted(asked, key=lambda term: (term not in first, -len(term)))
    chosen = {term: asked[term] for term in order[:MOST_WORDS]}
    return chosen | {term: term for term in _claim_synonyms(text) if term not in chosen}


def _claim_synonyms(text: str) -> list[str]:
    """Other words for the attributes that a short text claims."""
    lower = text.casefold()
    if len(text) > LONGEST_CLAIMED or not any(part in lower for part in MAY_CLAIM):
        return []
    from ..rules.relations.claim_patterns import ATTRIBUTE_WORDS
    from ..rules.relations.claims import read_claims

    attributes = dict.fromkeys(claim.attribute for claim in read_claims(text))
    return [
        term
        for attribute in attributes
        if attribute in ATTRIBUTE_WORDS
        for term in words.query_terms(ATTRIBUTE_WORDS[attribute])
    ]
