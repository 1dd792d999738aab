"""Find the right memories for a question, within what the caller may see."""

from __future__ import annotations

from ..language import words
from ..model.errors import BadInput, EmbedderUnavailable
from ..model.memory import LIVE, TIERS, Hit, Recalled, Why
from ..model.value import Value
from ..notes.display import named, readings
from ..ports.search_index import Where
from ..rules import access
from ..rules.ranking import fusion, questions
from .catch_up import find_buried, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from ..model.memory import Memory
    from ..ports.search_index import Candidate, Gathered
    from ..rules.ranking.fusion import Ranked
    from ..rules.ranking.questions import Question
    from .engine import Engine


def _held(memory: Memory, as_of: datetime | None) -> bool:
    """Whether it was current then: what was retired since was not yet."""
    return memory.status in LIVE or (as_of is not None and memory.updated > as_of)


def _precedence(memory: Memory) -> tuple[object, ...]:
    return (
        access.specificity(memory.scope),
        memory.owner == "curated",
        memory.updated,
        memory.id,
    )


# Find the right memories for a question, within what the caller may see.


MOST_MEMORIES = 200


def _live(engine: Engine, ids: Collection[str]) -> list[str]:
    """A forgotten memory leads nowhere."""
    if not ids:
        return []
    wanted = Where(ids=tuple(ids), statuses=LIVE)
    found = engine.index.select(wanted, visible=engine.visible, limit=MOST_MEMORIES)
    return [memory.id for memory in found]


# Find the right memories for a question, within what the caller may see.


def _matching(engine: Engine, where: Where, as_of: datetime | None) -> list[Memory]:
    found = engine.index.select(where, visible=engine.visible, limit=100)
    buried = find_buried(engine, found)
    known = [memory for memory in found if memory.id not in buried and _held(memory, as_of)]
    best: dict[str | None, Memory] = {}
    for memory in sorted(known, key=_precedence):
        best[memory.namespace] = memory
    if None in best:
        return [best[None]]
    return [best[namespace] for namespace in sorted(best, key=str)]


# Find the right memories for a question, within what the caller may see.


def lookup(
    engine: Engine,
    name: str,
    *,
    where: Where,
    as_of: datetime | None = None,
    as_question: bool = False,
) -> list[Memory]:
    """The fact of that name, most specific scope first; a person's own entry before an agent's.

    Where only namespaces have the key that is one fact of each, by namespace. `as_question` says
    that it need not be a name at all: a sentence full of slashes is not looked up by each of them.
    """
    whole = where.namespace is not None or (as_question and " " in name)
    read = ((where.namespace, name),) if whole else readings(name)
    for namespace, key in read:
        if found := _matching(engine, where.but(namespace=namespace, key=key, topics=None), as_of):
            return found
    return []


# Find the right memories for a question, within what the caller may see.


class Reached(Value):
    """A memory found by following links: how far away, and from where."""

    hops: int
    origin: str


def follow_links(engine: Engine, ids: Collection[str], *, hops: int) -> Mapping[str, Reached]:
    """What links lead to from these memories, and what leads to them, nearest first."""
    reached: dict[str, Reached] = {}
    edge: dict[str, str] = {id: id for id in ids}
    for hop in range(1, hops + 1):
        following: dict[str, str] = {}
        for link in engine.index.links(list(edge), visible=engine.visible):
            for here, there in ((link.source, link.resolved), (link.resolved, link.source)):
                if here in edge and there and there not in ids and there not in reached:
                    following.setdefault(there, edge[here])
        edge = {id: following[id] for id in _live(engine, following)}
        reached |= {id: Reached(hop, origin) for id, origin in edge.items()}
        if not edge or len(reached) > MOST_MEMORIES:
            break
    return reached


# Find the right memories for a question, within what the caller may see.


MOST = 200
ARMS = ("keyword", "vector")
POOL = 200
"""How many candidates each arm may put up."""
SPARE = 20
"""How many more are ranked than asked for, since equal texts count once."""
LINKED_FROM, LINKED_HOPS = 5, 2
"""From how many of the best hits links are followed, and how far."""
SUMMARIES = ("task-summary", "session-summary")
"""The kinds that belong to the archive by themselves."""
LONG_WORDS = 150
"""Of a memory with more words than this the part that matters is shown."""
FEW = 3
"""A search within a topic that finds fewer looks beyond it."""


def search(
    engine: Engine,
    query: str,
    *,
    where: Where,
    limit: int,
    as_of: datetime | None = None,
    arms: Collection[str] = ARMS,
    ignore: Collection[str] = (),
) -> Recalled:
    """Recall without leaving a trace in log and counters, with some of the arms and memories only.

    Those to `ignore` are no answers, such as the note that asks.
    """
    if not 0 < limit <= MOST:
        raise BadInput(
            f"A recall returns 1 to {MOST} memories.", hint="Set the limit to one of these."
        )
    return with_index(engine, lambda: _recalled(engine, query, where, limit, as_of, arms, ignore))


def _recalled(
    engine: Engine,
    query: str,
    where: Where,
    limit: int,
    as_of: datetime | None,
    arms: Collection[str],
    ignore: Collection[str],
) -> Recalled:
    now = as_of or engine.now()
    if engine.embedder is not None:
        from .embed import asking

        engine = engine.but(embedder=asking(engine))
    speakers = engine.index.speakers(visible=engine.visible)
    question = questions.read(query, now=now, speakers=speakers)
    closed = _archive_is_closed(where, question)
    where = _when(where, now, as_of)
    gathered = _gathered(engine, question, where, as_of, arms, ignore, closed=closed)
    ranked = _rank(engine, gathered, question, where, now, limit)
    if where.topics and len(ranked) < FEW:
        own = {one.candidate.id for one in ranked}
        wider = where.but(topics=None)
        gathered = _gathered(engine, question, wider, as_of, arms, ignore, closed=closed)
        beyond = _rank(engine, gathered, question, where, now, limit)
        ranked += [one for one in beyond if one.candidate.id not in own]
    hits = _hits(engine, ranked, question, limit, closed)
    sure = _sureness(engine, ranked, hits, question)
    near = where.but(tiers=TIERS[:-1]) if closed else where
    recalled = Recalled(_linked(engine, hits, near, limit))
    recalled.sure = sure
    return _key_first(engine, query.strip(), where, recalled, limit, as_of)


def _archive_is_closed(where: Where, question: Question) -> bool:
    """Unless history is asked about, summaries answer only what they match strongly."""
    asked = where.tiers is not None or "archived" in (where.statuses or ())
    return not asked and not question.asks_history


def _matches_strongly(engine: Engine, one: Candidate) -> bool:
    enough = engine.settings.ranking.sure_strong_words
    return one.covered >= enough and len(one.terms) >= FEW


def _when(where: Where, now: datetime, as_of: datetime | None) -> Where:
    if as_of is None:
        return where.but(valid_at=where.valid_at or now)
    since_retired = ("superseded", "archived", "deleted")
    return where.but(
        valid_at=as_of,
        created_until=as_of,
        statuses=(*(where.statuses or LIVE), *since_retired),
    )


def _gathered(
    engine: Engine,
    question: Question,
    where: Where,
    as_of: datetime | None,
    arms: Collection[str],
    ignore: Collection[str],
    *,
    closed: bool,
) -> Gathered:
    vector = _vector(engine, question.vector_text) if "vector" in arms else None
    gathered = engine.index.gather(
        question.words if "keyword" in arms else {},
        vector,
        visible=engine.visible,
        where=where,
        pool=POOL,
        least=_unrelated(engine),
        model=engine.embedder.model if engine.embedder else None,
    )
    if ignore:
        others = (one for one in gathered.candidates if one.id not in ignore)
        gathered = gathered.but(candidates=tuple(others))
    if closed:
        open_ones = (
            one
            for one in gathered.candidates
            if one.kind not in SUMMARIES or _matches_strongly(engine, one)
        )
        gathered = gathered.but(candidates=tuple(open_ones))
    if as_of is None:
        return gathered
    moment = as_of.timestamp()
    known = (one for one in gathered.candidates if one.status in LIVE or one.updated > moment)
    return gathered.but(candidates=tuple(known))


def _vector(engine: Engine, text: str) -> bytes | None:
    if engine.embedder is None or not text.strip():
        return None
    try:
        return engine.embedder.embed([text], query=True)[0]
    except EmbedderUnavailable:
        # Words alone still answer; `status` says that the vector arm is down.
        return None


def _unrelated(engine: Engine) -> float:
    return engine.embedder.unrelated if engine.embedder else 0.0


def _rank(
    engine: Engine,
    gathered: Gathered,
    question: Question,
    where: Where,
    now: datetime,
    limit: int,
) -> list[Ranked]:
    return fusion.rank(
        gathered,
        question,
        settings=engine.settings.ranking,
        now=now,
        unrelated=_unrelated(engine),
        topic=where.topics[0] if where.topics else None,
        limit=limit + SPARE,
    )


def _hits(
    engine: Engine, ranked: Sequence[Ranked], question: Question, limit: int, closed: bool
) -> list[Hit]:
    memories = engine.index.fetch([one.candidate.key for one in ranked], visible=engine.visible)
    # A purge made on another device may have arrived without its files being gone yet.
    buried = find_buried(engine, list(memories.values()))
    hits: list[Hit] = []
    said: set[str] = set()
    for one in ranked:
        memory = memories.get(one.candidate.key)
        if memory is None or memory.id in buried or _repeats(memory, said):
            continue
        if closed and memory.tier == "archive" and not _matches_strongly(engine, one.candidate):
            continue
        if closed and not _answers(memory, question):
            continue
        excerpt = _excerpt(memory, one.candidate) or memory.summary
        hits.append(Hit(memory, one.score, one.parts, excerpt))
        if len(hits) == limit:
            break
    return hits


def _answers(memory: Memory, question: Question) -> bool:
    """A summary of a conversation in which nobody knew has the question's words, and no answer."""
    if memory.kind not in SUMMARIES:
        return True
    from ..language.statements import answers_question

    return answers_question(memory.content, question.words)


def _sureness(
    engine: Engine, ranked: Sequence[Ranked], hits: Sequence[Hit], question: Question
) -> str:
    """How well the best of what is shown fits, as far as it answers at all."""
    best = {hit.memory.id for hit in hits if _answers(hit.memory, question)}
    return fusion.sureness(
        [one for one in ranked if one.candidate.id in best],
        settings=engine.settings.ranking,
        unrelated=_unrelated(engine),
        question=question,
    )


def _linked(engine: Engine, hits: list[Hit], where: Where, limit: int) -> list[Hit]:
    """The hits, and what links lead to from the best of them, each step worth less."""
    share = engine.settings.ranking.linked
    if not share or not hits or "links" not in engine.index.capabilities:
        return hits
    best = {hit.memory.id: hit for hit in hits[:LINKED_FROM]}
    reached = follow_links(engine, best, hops=LINKED_HOPS)
    known = {hit.memory.id for hit in hits}
    said: set[str] = set()
    for hit in hits:
        _repeats(hit.memory, said)
    wanted = where.but(ids=tuple(id for id in reached if id not in known))
    if not wanted.ids:
        return hits
    for memory in engine.index.select(wanted, visible=engine.visible):
        if _repeats(memory, said):
            continue
        way = reached[memory.id]
        origin = best[way.origin]
        score = origin.score * share**way.hops
        name = origin.memory.title or origin.memory.slug
        why = Why("link", score, f"is linked with {name}")
        found = Hit(memory, score, (why,), memory.summary)
        # Behind everything that is better by itself, whatever order that is in.
        hits.insert(sum(hit.score >= score for hit in hits), found)
    return hits[:limit]


def _repeats(memory: Memory, said: set[str]) -> bool:
    """Whether the same text is already among the hits, as after a promotion; turns are kept."""
    if memory.episode is not None:
        return False
    text = " ".join(named(memory).split()).casefold()
    seen = text in said
    said.add(text)
    return seen


def _excerpt(memory: Memory, candidate: Candidate) -> str:
    """The part that comes closest in meaning; without vectors that of a long memory in words."""
    by_words = candidate.words >= LONG_WORDS and bool(candidate.terms)
    if not candidate.passage and not by_words:
        return ""
    from ..language.passages import most_telling
    from .embed import passages_of

    passages = passages_of(memory)
    if not candidate.passage:
        return most_telling(passages, words.query(" ".join(candidate.terms)))
    return passages[candidate.passage - 1] if candidate.passage <= len(passages) else ""


def _key_first(
    engine: Engine,
    key: str,
    where: Where,
    recalled: Recalled,
    limit: int,
    as_of: datetime | None,
) -> Recalled:
    """A fact asked for by its very key comes first."""
    if not 0 < len(key) <= 300:
        return recalled
    exact = lookup(engine, key, where=where, as_of=as_of, as_question=True)
    if not exact:
        return recalled
    best = max((hit.score for hit in recalled), default=1.0)
    first = [Hit(one, best, (Why("key", best, f"is the fact {key}"),)) for one in exact]
    known = {one.id for one in exact}
    recalled[:] = [*first, *(hit for hit in recalled if hit.memory.id not in known)][:limit]
    recalled.sure = "strong"
    return recalled
