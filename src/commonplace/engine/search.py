"""The recall path: exact key, candidates by words and vectors, ranking, hits, sureness, links.

Nothing here writes to a record, the retrieval log or the counters.
"""

from __future__ import annotations

from datetime import UTC, datetime, time
from itertools import islice

from ..language import words
from ..model.errors import BadInput, EmbedderUnavailable
from ..model.memory import LIVE, SUMMARIES, TIERS, Hit, Recalled, Why
from ..model.value import Value
from ..notes.display import key_readings, qualified_text
from ..ports.search_index import Where
from ..rules import access, authority, branches
from ..rules.ranking import fusion, questions, score_parts
from .branch_view import (
    HASTY,
    as_standing,
    both_merged,
    holding_here,
    merged_here,
    unmerged,
    until_settled,
    with_standing,
    with_warnings,
)
from .catch_up import find_purged, with_index
from .recall_request import PreparedRecall, RecallRequest
from .rival_values import is_disputed, newest_value_first, open_disputes
from .trace import omit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from ..model.memory import Memory
    from ..ports.ranker import Ranker
    from ..ports.search_index import Candidate, Gathered
    from ..rules.ranking.fusion import Ranked
    from ..rules.ranking.questions import Question
    from .engine import Engine
    from .rival_values import Disputes

MOST_HITS = 200
MOST_LINKED = 200
"""Memories reached over links, at most."""
MOST_KEY_CHARACTERS = 300
MOST_VALUES = 100
"""Values of one key that are read, in all scopes and namespaces."""
POOL = 200
"""Candidates per arm."""
SPARE = 20
"""Candidates ranked beyond the limit, because equal texts count once."""
LINKED_FROM, LINKED_HOPS = 5, 2
"""Links are followed from this many of the best hits, this far."""
MOST_SETTLED = 10
"""Places below the answer whose memories are reviewed first, because one may end a better one."""
LONG_WORDS = 150
"""A memory with more words is shown by its best passage."""
FEW = 3
"""A search within a topic that finds fewer memories is widened to every topic."""
RETIRED = ("superseded", "archived", "deleted")
SURENESS = ("none", "weak", "strong")
MOST_BRANCHES = 5
"""Branches that are asked when nothing here answers well, the latest compared ones."""


EXACT = "key"
"""The part of a hit's reasons that says that its key was asked for."""


def search(engine: Engine, request: RecallRequest) -> Recalled:
    """Answer a request without logging it or counting a use."""
    if not 0 < request.limit <= MOST_HITS:
        raise BadInput(f"A recall returns 1 to {MOST_HITS} memories.", hint="Change the limit.")
    recalled = with_index(
        engine,
        lambda: until_settled(
            engine, request.where, lambda where: _recalled(engine, request.but(where=where))
        ),
        shown=lambda recalled: [hit.memory.id for hit in recalled],
    )
    marked = engine.sees_all_folders or any(hit.memory.anchors for hit in recalled)
    if request.as_of is None and marked:
        # Imported here, because most hits speak of no file.
        from .stale_marks import mark_hits

        mark_hits(engine, recalled)
    return recalled


def better_on_branches(engine: Engine, request: RecallRequest, sure: str) -> tuple[str, ...]:
    """The unmerged branches that answer a question better than what holds here.

    Not for a hook, which has to answer in time.
    """
    where = request.where
    if engine.source in HASTY or sure == "strong" or request.as_of is not None:
        return ()
    places = unmerged(engine, where) or ()
    names = {branches.branch_of(place): place.partition(" ")[0] for place in places}

    def is_better(name: str) -> bool:
        there = request.but(where=where.but(branch=name), limit=1)
        found = with_index(engine, lambda: _recalled(engine, there))
        return SURENESS.index(found.sure) > SURENESS.index(sure)

    better = [name for name in list(names)[-MOST_BRANCHES:] if is_better(name)]
    if engine.checkout is None:
        return tuple(better)
    now = (engine.checkout.present_name(name, names[name]) for name in better)
    return tuple(dict.fromkeys(filter(None, now)))


def settle_saves(engine: Engine, request: RecallRequest) -> None:
    """Do what saves of this open book left, as far as the answer may depend on it."""
    background = engine.background
    if background is None:
        return
    background.touch()
    if background.has_work:
        wider = request.but(limit=min(MOST_HITS, request.limit + MOST_SETTLED))
        background.settle(lambda: {hit.memory.id for hit in search(engine, wider)})


def _recalled(engine: Engine, request: RecallRequest) -> Recalled:
    if engine.embedder is not None:
        from .embed import question_embedder

        engine = engine.but(embedder=question_embedder(engine))
    if request.as_of is None:
        request = request.but(where=with_standing(engine, request.where))
    moment = _moment(engine, request)
    keys = tuple(_question_as_keys(request.query.strip(), moment.where))
    first = engine.index.read_together(
        engine.visible, lambda index: _first_reads(engine.but(index=index), moment, keys)
    )
    recall = _prepared(request, moment, first)
    if engine.trace is not None:
        engine.trace.recall = recall
    exact = _best_facts(engine, first.keyed, recall.where, recall.as_of)
    ranked = _ranked(engine, recall)
    disputes = dict(first.disputes)
    found = _hits(engine, recall, ranked)
    if recall.as_of is None:
        for id, others in both_merged(hit.memory for hit in found).items():
            disputes[id] = tuple(dict.fromkeys((*disputes.get(id, ()), *others)))
    hits = newest_value_first(found, disputes)
    recalled = Recalled(_with_linked(engine, recall, hits))
    recalled.history = recall.question.asks_history
    recalled.sure = _sureness(engine, recall, ranked, hits)
    if exact:
        recalled = _with_exact_first(recall, recalled, exact, disputes)
    recalled[:] = with_warnings(engine, recalled)
    return recalled


class Moment(Value):
    """When a question is asked, and what a memory meets that holds then."""

    as_of: datetime | None
    now: datetime
    where: Where


def _moment(engine: Engine, request: RecallRequest) -> Moment:
    where, as_of = request.where, request.as_of
    if as_of is None:
        now = engine.now()
        return Moment(None, now, where.but(valid_at=where.valid_at or now))
    if not isinstance(as_of, datetime):
        as_of = datetime.combine(as_of, time.max, tzinfo=UTC)
    return Moment(as_of, as_of, where_as_of(where, as_of))


class FirstReads(Value):
    """Values read before the question is compared with any memory."""

    speakers: list[str]
    keyed: tuple[list[Memory], ...]
    """The facts with each key that the question may be."""
    disputes: Disputes


def _first_reads(engine: Engine, moment: Moment, keys: Sequence[Where]) -> FirstReads:
    return FirstReads(
        engine.index.speakers(visible=engine.visible),
        tuple(_facts(engine, one) for one in keys),
        # A question that waits today says nothing of an earlier moment.
        open_disputes(engine) if moment.as_of is None else {},
    )


def _prepared(request: RecallRequest, moment: Moment, first: FirstReads) -> PreparedRecall:
    question = questions.read_question(request.query, now=moment.now, speakers=first.speakers)
    where = request.where
    archive_wanted = where.tiers is not None or "archived" in (where.statuses or ())
    return PreparedRecall(
        request,
        question,
        moment.as_of,
        moment.now,
        moment.where,
        archive_closed=not archive_wanted and not question.asks_history,
    )


def where_as_of(where: Where, as_of: datetime) -> Where:
    """The same conditions at an earlier moment; check each memory found with `was_current`."""
    statuses = (*(where.statuses or LIVE), *RETIRED)
    until = min(as_of, where.created_until or as_of)
    return where.but(valid_at=as_of, created_until=until, statuses=statuses)


def was_current(memory: Memory, as_of: datetime | None) -> bool:
    """Whether a memory is live, or was retired only after `as_of`."""
    return memory.status in LIVE or (as_of is not None and memory.updated > as_of)


# Exact key


def facts_with_key(engine: Engine, name: str, *, where: Where) -> list[Memory]:
    """The fact with that key: a person's value before an agent's, then the most specific scope's.

    A person's value counts first however the name is read, so that an agent's `prod/db.host` does
    not hide the person's `db.host` of the namespace `prod`. A key that only namespaces have gives
    one fact of each.
    """
    readings = (_facts(engine, one) for one in _as_keys(name, where))
    return _best_facts(engine, readings, where)


def _as_keys(name: str, where: Where) -> Iterator[Where]:
    """The conditions for each reading of a name."""
    read = key_readings(name) if where.namespace is None else ((where.namespace, name),)
    for namespace, key in read:
        yield where.but(namespace=namespace, key=key, topics=None)


def _question_as_keys(question: str, where: Where) -> Iterator[Where]:
    """The same for a question; the slashes of a sentence are text."""
    if not 0 < len(question) <= MOST_KEY_CHARACTERS:
        return
    readings = _as_keys(question, where)
    yield from islice(readings, 1) if " " in question else readings


def _facts(engine: Engine, where: Where) -> list[Memory]:
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VALUES)
    if len(found) == MOST_VALUES and not where.trusts:
        # However many values there are, a person's is among those that are read.
        persons = engine.index.select(
            where.but(trusts=("user",)), visible=engine.visible, limit=MOST_VALUES
        )
        found = [*persons, *(one for one in found if not authority.is_persons(one))]
    return found


def _best_facts(
    engine: Engine,
    readings: Iterable[list[Memory]],
    where: Where,
    as_of: datetime | None = None,
) -> list[Memory]:
    """The facts of the first reading with a person's value, else of the first with any."""
    others: list[Memory] = []
    for facts in readings:
        found = _current_facts(engine, facts, where, as_of)
        if persons := [one for one in found if authority.is_persons(one)]:
            return _best_per_namespace(persons)
        others = others or found
    return _best_per_namespace(others)


def _current_facts(
    engine: Engine, facts: Sequence[Memory], where: Where, as_of: datetime | None
) -> list[Memory]:
    found = as_standing(facts, where)
    purged = find_purged(engine, found)
    current = [one for one in found if one.id not in purged and was_current(one, as_of)]
    return merged_here(engine, current) if where.branch is None else current


def _best_per_namespace(values: Sequence[Memory]) -> list[Memory]:
    best: dict[str | None, Memory] = {}
    for memory in sorted(values, key=precedence):
        best[memory.namespace] = memory
    if None in best:
        return [best[None]]
    return [best[namespace] for namespace in sorted(best, key=str)]


def precedence(memory: Memory) -> tuple[object, ...]:
    """Sorts values of one fact, the one to look up last."""
    curated = memory.owner == "curated"
    persons = authority.is_persons(memory)
    return persons, access.specificity(memory.scope), curated, memory.updated, memory.id


def _with_exact_first(
    recall: PreparedRecall, recalled: Recalled, exact: Sequence[Memory], disputes: Disputes
) -> Recalled:
    best = max((hit.score for hit in recalled), default=1.0)
    why = Why(EXACT, best, f"is the fact {recall.request.query.strip()}")
    ids = {memory.id for memory in exact}
    others = (hit for hit in recalled if hit.memory.id not in ids)
    first = newest_value_first([Hit(memory, best, (why,), fit=1.0) for memory in exact], disputes)
    recalled[:] = [*first, *others][: recall.request.limit]
    recalled.sure = "weak" if is_disputed(first[0]) else "strong"
    return recalled


def is_exact(hit: Hit) -> bool:
    """Whether a hit is the fact whose key was asked for."""
    return any(why.part == EXACT for why in hit.why)


# Candidates by words and vectors, ranked


def _ranked(engine: Engine, recall: PreparedRecall) -> list[Ranked]:
    """The best candidates; when the topic has few, then also those beyond it."""
    ranked = _rank(engine, recall, _gathered(engine, recall, recall.where))
    if recall.where.topics and len(ranked) < FEW:
        own = {one.candidate.id for one in ranked}
        beyond = _gathered(engine, recall, recall.where.but(topics=None))
        ranked += [one for one in _rank(engine, recall, beyond) if one.candidate.id not in own]
    return ranked


def _gathered(engine: Engine, recall: PreparedRecall, where: Where) -> Gathered:
    question, arms = recall.question, recall.request.arms
    gathered = engine.index.gather(
        question.words if "keyword" in arms else {},
        _vector(engine, question.vector_text) if "vector" in arms else None,
        visible=engine.visible,
        where=where,
        pool=POOL,
        least=_unrelated(engine),
        model=engine.embedder.model if engine.embedder else None,
    )
    if standing := where.standing:
        for one in gathered.candidates:
            one.status = LIVE[0] if one.id in standing else one.status
    if engine.trace is not None:
        engine.trace.found.append(gathered)
    return gathered.but(candidates=tuple(_eligible(engine, recall, gathered.candidates)))


def _eligible(
    engine: Engine, recall: PreparedRecall, candidates: Sequence[Candidate]
) -> Sequence[Candidate]:
    """The candidates that are not ignored, not closed in the archive, and were current."""
    ignore, as_of = recall.request.ignore, recall.as_of
    found = candidates
    if ignore:
        candidates = [one for one in candidates if one.id not in ignore]
    if recall.archive_closed:
        candidates = [
            one for one in candidates if one.kind not in SUMMARIES or _matches_strongly(engine, one)
        ]
    if as_of is not None:
        moment = as_of.timestamp()
        candidates = [one for one in candidates if one.status in LIVE or one.updated > moment]
    if engine.trace is not None:
        for one in set(found).difference(candidates):
            omit(engine.trace, one.id, "ignored" if one.id in ignore else "archived_summary")
    return candidates


def _matches_strongly(engine: Engine, candidate: Candidate) -> bool:
    enough = engine.settings.ranking.sure_strong_words
    return candidate.covered >= enough and len(candidate.terms) >= FEW


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


def _rank(engine: Engine, recall: PreparedRecall, gathered: Gathered) -> list[Ranked]:
    if engine.settings.ranking.strategy == "composite":
        _add_importance_of_use(engine, gathered.candidates)
    weights = engine.settings.ranking
    scopes = access.weights_for(engine.context, weights.scope_weights)
    return fusion.rank(
        gathered,
        recall.question,
        settings=weights.but(scope_weights=scopes),
        now=recall.now,
        unrelated=_unrelated(engine),
        topic=recall.where.topics[0] if recall.where.topics else None,
        limit=recall.request.limit + SPARE,
        ranker=_ranker(engine),
    )


def place_in_ranking(
    engine: Engine, recall: PreparedRecall, gathered: Gathered, id: str
) -> tuple[int | None, int]:
    """The place of a memory if everything found were ranked, and how many there are."""
    gathered = gathered.but(candidates=tuple(_eligible(engine, recall, gathered.candidates)))
    count = len(gathered.candidates)
    ranked = _rank(engine, recall.but(request=recall.request.but(limit=count)), gathered)
    places = (place for place, one in enumerate(ranked, 1) if one.candidate.id == id)
    return next(places, None), count


def gather_alone(engine: Engine, recall: PreparedRecall, id: str) -> Candidate | None:
    """One memory compared with the question, however unlike the two are; None if nothing fits."""
    gathered = engine.index.gather(
        recall.question.words,
        _vector(engine, recall.question.vector_text),
        visible=engine.visible,
        where=Where(ids=(id,)),
        pool=POOL,
        least=-1.0,
        model=engine.embedder.model if engine.embedder else None,
    )
    return next((one for one in gathered.candidates if one.id == id), None)


def _ranker(engine: Engine) -> Ranker | None:
    """The ranker that knows the cosines of this book, if there is one."""
    if engine.embedder is None or engine.ranker_for_model is None:
        return None
    return engine.ranker_for_model(engine.embedder.model)


def _add_importance_of_use(engine: Engine, candidates: Sequence[Candidate]) -> None:
    unset = {one.id: one for one in candidates if one.importance is None}
    for id, use in engine.ledger.uses(list(unset)).items():
        unset[id].importance = score_parts.importance_of_use(use.count)


# Hits


def _hits(engine: Engine, recall: PreparedRecall, ranked: Sequence[Ranked]) -> list[Hit]:
    """The best so many; those ranked after them are read only if some of them are no hits."""
    limit = recall.request.limit
    hits: list[Hit] = []
    texts: set[str] = set()
    for some in (ranked[:limit], ranked[limit:]):
        if some and len(hits) < limit:
            hits += _hits_among(engine, recall, some, texts, limit - len(hits))
    return hits


def _hits_among(
    engine: Engine, recall: PreparedRecall, ranked: Sequence[Ranked], texts: set[str], most: int
) -> list[Hit]:
    memories = engine.index.fetch([one.candidate.key for one in ranked], visible=engine.visible)
    memories = dict(zip(memories, as_standing(memories.values(), recall.where), strict=True))
    # A purge made on another device may arrive before its files are gone.
    purged = find_purged(engine, list(memories.values()))
    hits: list[Hit] = []
    sentences = recall.question.sentences
    by_words = words.mostly_beyond_latin(recall.question.words)
    held = holding_here(engine, memories.values()) if recall.where.branch is None else {}
    if standing := recall.where.standing:  # Compared with the question by their own text.
        held = {id: [one for one in older if one.id not in standing] for id, older in held.items()}
    for one, memory in _persons_copies(list(_placed(ranked, memories, held)), purged):
        if memory.id in purged or _repeats(memory, texts):
            omit(engine.trace, memory.id, "purged" if memory.id in purged else "same_text")
            continue
        if recall.archive_closed:
            archived = memory.tier == "archive"
            if archived and not _matches_strongly(engine, one.candidate):
                omit(engine.trace, memory.id, "archived_summary")
                continue
            if not _answers(memory, recall.question):
                omit(engine.trace, memory.id, "only_asks")
                continue
        found = "" if one.candidate.id in held else _excerpt(memory, one.candidate)
        fit = fusion.fit(
            one,
            settings=engine.settings.ranking,
            unrelated=_unrelated(engine),
            sentences=sentences,
            by_words=by_words,
        )
        hits.append(Hit(memory, one.score, one.parts, found or memory.summary, fit=fit))
        if len(hits) == most:
            break
    return hits


def _placed(
    ranked: Sequence[Ranked], memories: Mapping[int, Memory], held: Mapping[str, Sequence[Memory]]
) -> Iterator[tuple[Ranked, Memory]]:
    """The memories in their order; what holds on this branch in the place of what does not."""
    for one in ranked:
        if (memory := memories.get(one.candidate.key)) is not None:
            yield from ((one, here) for here in held.get(memory.id, (memory,)))


def _persons_copies(
    placed: Sequence[tuple[Ranked, Memory]], purged: Container[str]
) -> Iterator[tuple[Ranked, Memory]]:
    """The same texts in their order; of a text that a person wrote, too, the person's memory."""
    own = [one for _, one in placed if authority.is_persons(one) and one.id not in purged]
    if len(own) == len(placed):
        own = []
    persons = {_wording(one): one for one in reversed(own) if one.episode is None}
    for ranked, memory in placed:
        told = persons.get(_wording(memory)) if persons and memory.episode is None else None
        yield ranked, told or memory


def _repeats(memory: Memory, texts: set[str]) -> bool:
    """Whether a text is among these, as after a promotion; adds it. Turns never repeat."""
    if memory.episode is not None:
        return False
    text = _wording(memory)
    repeated = text in texts
    texts.add(text)
    return repeated


def _wording(memory: Memory) -> str:
    return " ".join(qualified_text(memory).split()).casefold()


def _answers(memory: Memory, question: Question) -> bool:
    """False for a summary that only repeats the question: nobody knew the answer."""
    if memory.kind not in SUMMARIES:
        return True
    from ..language.statements import answers_question

    return answers_question(memory.content, question.words)


def _excerpt(memory: Memory, candidate: Candidate) -> str:
    """The passage nearest in meaning; without vectors, a long memory's nearest by words."""
    by_words = candidate.words >= LONG_WORDS and bool(candidate.terms)
    if not candidate.passage and not by_words:
        return ""
    from ..language.passages import best_passage
    from .embed import passages_of

    passages = passages_of(memory)
    if not candidate.passage:
        return best_passage(passages, words.query_terms(" ".join(candidate.terms)))
    return passages[candidate.passage - 1] if candidate.passage <= len(passages) else ""


def _sureness(
    engine: Engine, recall: PreparedRecall, ranked: Sequence[Ranked], hits: Sequence[Hit]
) -> str:
    answering = {hit.memory.id for hit in hits if _answers(hit.memory, recall.question)}
    sure = fusion.sureness(
        [one for one in ranked if one.candidate.id in answering],
        settings=engine.settings.ranking,
        unrelated=_unrelated(engine),
        question=recall.question,
    )
    # Only one of two values is right, and the book does not know which.
    disputed = bool(hits) and is_disputed(hits[0])
    return "weak" if sure == "strong" and disputed else sure


# Links


class LinkPath(Value):
    """How many links away a memory is, and from which memory."""

    hops: int
    origin: str


def _with_linked(engine: Engine, recall: PreparedRecall, hits: Sequence[Hit]) -> list[Hit]:
    """The hits and the memories linked with the best of them; each hop lowers the score."""
    merged = list(hits)
    share = engine.settings.ranking.linked
    if not share or not merged or "links" not in engine.index.capabilities:
        return merged
    best = {hit.memory.id: hit for hit in merged[:LINKED_FROM]}
    paths = follow_links(engine, best, hops=LINKED_HOPS)
    known = {hit.memory.id for hit in merged}
    where = recall.where.but(tiers=TIERS[:-1]) if recall.archive_closed else recall.where
    where = where.but(ids=tuple(id for id in paths if id not in known))
    if not where.ids:
        return merged
    texts: set[str] = set()
    for hit in merged:
        _repeats(hit.memory, texts)
    linked = as_standing(engine.index.select(where, visible=engine.visible), where)
    held = holding_here(engine, linked) if where.branch is None else {}
    for memory in linked:
        if memory.id in held or _repeats(memory, texts):
            continue
        path = paths[memory.id]
        origin = best[path.origin]
        score = origin.score * share**path.hops
        name = origin.memory.title or origin.memory.slug
        why = Why("link", score, f"is linked with {name}")
        # Hits may be out of order by score, so count the better ones.
        place = sum(hit.score >= score for hit in merged)
        fit = origin.fit * share**path.hops
        merged.insert(place, Hit(memory, score, (why,), memory.summary, fit=fit))
    return merged[: recall.request.limit]


def follow_links(engine: Engine, ids: Collection[str], *, hops: int) -> Mapping[str, LinkPath]:
    """The live memories linked with these, in either direction, nearest first."""
    reached: dict[str, LinkPath] = {}
    origins: dict[str, str] = {id: id for id in ids}
    for hop in range(1, hops + 1):
        following: dict[str, str] = {}
        for link in engine.index.links(list(origins), visible=engine.visible):
            for here, there in ((link.source, link.resolved), (link.resolved, link.source)):
                if here in origins and there and there not in ids and there not in reached:
                    following.setdefault(there, origins[here])
        origins = {id: following[id] for id in _live(engine, following)}
        reached |= {id: LinkPath(hop, origin) for id, origin in origins.items()}
        if not origins or len(reached) > MOST_LINKED:
            break
    return reached


def _live(engine: Engine, ids: Collection[str]) -> list[str]:
    if not ids:
        return []
    where = Where(ids=tuple(ids), statuses=LIVE)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_LINKED)
    return [memory.id for memory in found]
