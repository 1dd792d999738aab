"""The memories that a new one may repeat or contradict, found without comparing it with all.

One save asks the index as a recall would, by words and by meaning. A batch asks once for what
shares a signature, and leaves what only means the same to `maintain`: vectors are made later.
"""

from __future__ import annotations

from ..language import statements, words
from ..language.passages import cut
from ..model.errors import EmbedderUnavailable
from ..model.memory import LIVE
from ..model.scope import EVERYTHING, Visible
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.relations import contradiction, differences, duplicates, merge
from ..rules.relations.duplicates import signed, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from ..model.memory import Memory
    from ..ports.reasoner import Judged, Merged, Reasoner
    from .engine import Engine

    T = TypeVar("T")


POOL = 16
"""How many candidates each arm may put up for one save."""
MOST_WORDS = 8
"""By how many of its words one text looks for its neighbours."""
LONGEST_CLAIMED = 500
"""Characters; a longer text shares words with what it outdates, or that is found at night."""
MAY_CLAIM = (
    "liv", "resid", "based", "locat", "mov", "work", "employ", "call", "name", "host", "deploy",
    "writ", "implement", "wohn", "leb", "habit", "vis ", "arbeit", "trava", "traba", "hei",
    "appel", "llamo", "住", "工作", "上班", "叫", "名前", "働",
)  # fmt: skip
"""A text without any of these claims nothing that others say in other words."""
CROWD = 8
"""How many of those with one signature are looked at, the newest first."""
LEAST_SHARED = 0.6
"""In a batch: neighbours have this share of their words in common."""


class Neighbour(Value):
    """A memory worth comparing with a new one, and how close they come in meaning."""

    memory: Memory
    cosine: float | None = None


class Neighbours:
    """What the book holds around the memories of one batch."""

    def __init__(self, engine: Engine, new: Sequence[Memory], vector: bytes | None) -> None:
        self._engine = engine
        self._vector = vector
        self._alone = len(new) == 1
        self._signed: dict[tuple[str, int], list[Memory]] = {}
        if not self._alone:
            for memory in _alike(engine, new):
                self.add(memory)

    def add(self, memory: Memory) -> None:
        """Let later memories of the batch find this one."""
        if not self._alone:
            for signature in signed(memory):
                crowd = self._signed.setdefault((str(memory.scope), signature), [])
                crowd.insert(0, memory)
                del crowd[CROWD:]

    def of(self, new: Memory) -> list[Neighbour]:
        """The neighbours of one memory, the closest in words and meaning first."""
        if not merge.family(new):
            return []
        found = self._asked(new) if self._alone else self._shared(new)
        return [one for one in found if merge.comparable(new, one.memory)]

    def _asked(self, new: Memory) -> list[Neighbour]:
        index = self._engine.index
        gathered = index.gather(
            _telling(new.content),
            self._vector,
            visible=Visible(scopes=frozenset({str(new.scope)})),
            where=_where(self._engine, [new]),
            pool=POOL,
            model=self._engine.embedder.model if self._engine.embedder else None,
        )
        close = {one.key: None if one.passage else one.meaning for one in gathered.candidates}
        found = {
            memory.id: Neighbour(memory, close[key])
            for key, memory in index.fetch(list(close), visible=EVERYTHING).items()
        }
        for memory in _alike(self._engine, [new]):
            found.setdefault(memory.id, Neighbour(memory))
        return list(found.values())

    def _shared(self, new: Memory) -> list[Neighbour]:
        own = terms(new.content)
        found: dict[str, Memory] = {}
        for signature in signed(new):
            for memory in self._signed.get((str(new.scope), signature), ()):
                found[memory.id] = memory
        return [
            Neighbour(memory)
            for memory in found.values()
            if duplicates.overlap(own, terms(memory.content)) >= LEAST_SHARED
        ]


def meaning(engine: Engine, new: Sequence[Memory]) -> bytes | None:
    """The vector of a single short text, which is what can be compared as a whole."""
    if engine.embedder is None or len(new) != 1 or not merge.family(new[0]):
        return None
    if len(cut(new[0].content)) > 1:
        return None
    try:
        return engine.embedder.embed([new[0].content])[0]
    except EmbedderUnavailable:
        return None


def scale(engine: Engine) -> duplicates.Scale:
    """How the cosines of this book's embedder are read."""
    gates = engine.settings.gates
    model = engine.embedder.model if engine.embedder else None
    return duplicates.scale(model, merge=gates.merge_cosine, same=gates.same_cosine)


def _alike(engine: Engine, new: Sequence[Memory]) -> Iterable[Memory]:
    """What the book holds with the signatures of a batch, oldest first."""
    asked: dict[str, set[int]] = {}
    for memory in new:
        if merge.family(memory):
            asked.setdefault(str(memory.scope), set()).update(signed(memory))
    if not any(asked.values()):
        return ()
    wanted: Mapping[str, set[int]] = asked
    found = engine.index.alike(wanted, visible=EVERYTHING, where=_where(engine, new), most=CROWD)
    return reversed(found)


def _where(engine: Engine, new: Sequence[Memory]) -> Where:
    return Where(
        scopes=tuple({str(memory.scope) for memory in new}),
        statuses=LIVE,
        in_conversation=False,
        valid_at=engine.now(),
    )


def _telling(text: str) -> dict[str, str]:
    """What a text is about and its names, then its longest words, which are the rarest.

    Looking up each takes its time. "I moved to Berlin" and "I live in Munich" share no word, so
    other words for what is claimed are looked up as well.
    """
    asked, about = words.query(text), differences.read(text)
    first = {about.subject, *about.names}
    order = sorted(asked, key=lambda term: (term not in first, -len(term)))
    chosen = {term: asked[term] for term in order[:MOST_WORDS]}
    return chosen | {term: term for term in _said_by(text) if term not in chosen}


def _said_by(text: str) -> list[str]:
    """Other words for what a short text claims of somebody."""
    lower = text.casefold()
    if len(text) > LONGEST_CLAIMED or not any(part in lower for part in MAY_CLAIM):
        return []
    from ..rules.relations.claim_patterns import SAID_BY
    from ..rules.relations.claims import read_claims

    attributes = dict.fromkeys(claim.attribute for claim in read_claims(text))
    return [
        term
        for attribute in attributes
        if attribute in SAID_BY
        for term in words.query(SAID_BY[attribute])
    ]


def held(new: Memory, old: Memory) -> float:
    """The share of the new memory's words that the old one has."""
    own = terms(new.content)
    return len(own & terms(old.content)) / len(own) if own else 0.0


# The reasoner's answers, asked for before the book is held and only looked up while it is.


def cached_answers(engine: Engine) -> ReasonerCache:
    """Answers while the book is held, without a rehearsal: by rules alone."""
    asking = ReasonerCache(engine)
    asking.held = True
    return asking


class ReasonerCache:
    """Asks each question once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._answers: dict[Hashable, object] = {}
        self.slow = engine.settings.reasoner != "rules"
        """Whether a model answers, and not only rules."""
        self.held = False
        """Set while the book is held."""

    def judge(self, newer: str, older: str) -> Judged:
        """Whether two texts contradict each other."""
        return self._answer(
            ("judge", newer, older),
            lambda reasoner: reasoner.judge(newer, older),
            lambda: contradiction.judge(newer, older),
        )

    def merge(self, newer: str, older: str) -> Merged:
        """Both texts as one."""
        return self._answer(
            ("merge", newer, older),
            lambda reasoner: reasoner.merge(newer, older),
            lambda: merge.merge_texts(newer, older),
        )

    def summarize(self, text: str, *, budget_tokens: int) -> str:
        """A shorter text."""
        return self._answer(
            ("summarize", text, budget_tokens),
            lambda reasoner: reasoner.summarize(text, budget_tokens=budget_tokens),
            lambda: statements.summarize(text, budget_tokens=budget_tokens),
        )

    def _answer(
        self, question: Hashable, ask: Callable[[Reasoner], T], by_rules: Callable[[], T]
    ) -> T:
        if question in self._answers:
            return self._answers[question]  # pyright: ignore[reportReturnType]
        if self.held and self.slow:
            return by_rules()
        answer = self._answers[question] = ask(self._engine.reasoner)
        return answer
