"""Recall: answer a question and log it, browse without a trace, explain a logged recall."""

from __future__ import annotations

from time import perf_counter

from ..engine.catch_up import with_index
from ..engine.observed import observed
from ..engine.rival_values import is_disputed
from ..engine.search import (
    MOST_HITS,
    RecallRequest,
    better_on_branches,
    is_exact,
    search,
    settle_saves,
    was_current,
    where_as_of,
)
from ..model.errors import BadInput, NotFound
from ..model.memory import LIVE, Hit, Recalled, Retrieval
from ..model.quick_json import parse_json
from ..model.value import Value
from ..ports.search_index import Where
from .retrieval_log import log_recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from ..engine.engine import Engine
    from ..model.conditions import Order
    from ..model.memory import Memory

MOST_TURNS = 20
NEARLY = 0.75
"""The share of the usual fit that is enough to show a person a weak answer."""
UNDECIDED = ("review", "staged")
"""Memories that wait for a person's decision."""
PAGE = 500
LAST = "last"
NO_WORDS = " \t\r\n.,;:!?\"'()[]{}<>*_~`/\\|-"
"""A question of these signs alone asks nothing."""
MOST_LOGGED = 10_000
"""Logged recalls that `explain` reads to find the one in question."""


@observed
def recall(engine: Engine, request: RecallRequest) -> Recalled:
    """Answer a question, best memory first, log it and count the uses."""
    if not request.query.strip(NO_WORDS):
        raise BadInput("The question is empty.", hint="Ask in a few words, or use `list`.")
    began = perf_counter()
    settle_saves(engine, request)
    recalled = search(engine, request)
    if not recalled and request.where.branch is not None:
        # Imported here, because few recalls name a branch.
        from .find import check_branch

        check_branch(engine, request.where.branch)
    if any(hit.memory.status in UNDECIDED for hit in recalled):
        _persons_side_first(engine, recalled)
    _check_answers(engine, request.query, recalled)
    recalled.branches = better_on_branches(engine, request, recalled.sure)
    took_s = perf_counter() - began
    log_recall(engine, request.query, recalled, [hit.memory.id for hit in recalled], took_s=took_s)
    if engine.background is not None:
        from ..engine.embed import embed_in_background

        embed_in_background(engine)
    return recalled


def _check_answers(engine: Engine, question: str, recalled: Recalled) -> None:
    """Read the best hits of a question, and be as sure as they answer it."""
    # A book without vectors is one that must answer fast.
    if engine.embedder is None or not recalled or recalled.sure == "none" or is_exact(recalled[0]):
        return
    # Imported here: the start of a command should not wait for its patterns.
    from ..rules.ranking import answers

    if not answers.is_question(question):
        return
    best = recalled[: answers.READ]
    texts = [
        answers.spoken(hit.excerpt or hit.memory.content, hit.memory.speaker)
        for hit in best
        if not answers.is_about_another(question, hit.memory)
    ]
    likely = engine.reasoner.answers(question, texts) if texts else answers.UNLIKELY
    if likely is None:
        return
    recalled.sureness = round(likely, 3)
    said = any(answers.says_all(question, hit.memory.content) for hit in best)
    # Imported here, because a hook's recall asks no reasoner.
    from ..engine.stale_marks import is_stale

    doubted = is_disputed(recalled[0]) or is_stale(recalled[0])
    strong = (likely >= answers.STRONG or said) and not doubted
    recalled.sure = "strong" if strong else "weak"


def _persons_side_first(engine: Engine, recalled: Recalled) -> None:
    """Move a person's statement above one that disputes it or waits, with the score of that one."""
    # Imported here, because a recall seldom finds a dispute.
    from .offers import other_sides, person_first

    for open_question in [hit for hit in recalled if hit.memory.status in UNDECIDED]:
        memory, place = open_question.memory, recalled.index(open_question)
        others = {one.id for one in other_sides(engine, memory, Where(statuses=LIVE))}
        for hit in recalled[place + 1 :]:
            same_key = memory.key is not None and hit.memory.key == memory.key
            about_it = same_key or hit.memory.id in others
            if about_it and person_first(hit.memory) > person_first(memory):
                recalled.remove(hit)
                recalled.insert(place, hit.but(score=max(hit.score, open_question.score)))
                break


def with_turns_around(engine: Engine, recalled: Recalled, turns: int) -> Recalled:
    """The same hits, each with this many turns of its conversation before and after."""
    if not 0 <= turns <= MOST_TURNS:
        raise BadInput(f"Expand by 0 to {MOST_TURNS} turns.", hint="Each way, around every hit.")
    recalled[:] = [hit.but(around=_turns_around(engine, hit.memory, turns)) for hit in recalled]
    return recalled


def _turns_around(engine: Engine, memory: Memory, turns: int) -> tuple[Memory, ...]:
    if memory.episode is None or memory.position is None:
        return ()
    where = Where(
        episode=memory.episode,
        scopes=(str(memory.scope),),
        statuses=LIVE,
        position_from=memory.position - turns,
        position_until=memory.position + turns,
    )
    found = engine.index.select(where, visible=engine.visible, order="oldest")
    others = (one for one in found if one.id != memory.id)
    return tuple(sorted(others, key=lambda one: one.position or 0))


# Browse


class Browsed(list[Hit]):
    """A page of memories."""

    found: int | None = None
    """How many memories fit the question; None without a question."""
    unfit: int = 0
    """Number of the nearest memories that were left out because they do not fit the question."""


def browse(
    engine: Engine,
    query: str,
    where: Where,
    *,
    order: Order,
    limit: int,
    offset: int,
    as_of: datetime | None,
    fitting: bool = False,
) -> Browsed:
    """A page of memories; with a question, ranked as recall ranks them, each with its why.

    `fitting` leaves out what would not be handed over for the question either.
    """
    if query.strip():
        most = MOST_HITS if fitting else min(MOST_HITS, limit + offset)
        hits = search(engine, RecallRequest(query, where, most, as_of))
        kept = _fitting(engine, hits) if fitting else hits
        page = Browsed(kept[offset : offset + limit])
        page.found, page.unfit = len(kept), len(hits) - len(kept)
        return page
    if as_of is None:
        from .find import list_memories

        memories = list_memories(engine, where, order=order, limit=limit, offset=offset)
    else:
        current = _current_at(engine, where, as_of, order=order, most=offset + limit)
        memories = current[offset : offset + limit]
    return Browsed(Hit(memory, 0.0) for memory in memories)


def _fitting(engine: Engine, recalled: Recalled) -> list[Hit]:
    """The hits that fit the question; when all answers are weak, those that nearly do as well."""
    # Imported here, because a recall shows all hits.
    from ..rules.ranking.fit import fits

    least = engine.settings.ranking.fit_least * (NEARLY if recalled.sure == "weak" else 1.0)
    return [hit for hit in recalled if fits(hit, least)]


def _current_at(
    engine: Engine, where: Where, as_of: datetime, *, order: Order, most: int
) -> list[Memory]:
    """The memories that were current at a moment, `most` or some more of them."""
    where = where_as_of(where, as_of)
    current: list[Memory] = []
    passed = 0
    while len(current) < most:
        batch = with_index(
            engine,
            lambda passed=passed: engine.index.select(
                where, visible=engine.visible, order=order, limit=PAGE, offset=passed
            ),
        )
        current += [memory for memory in batch if was_current(memory, as_of)]
        passed += len(batch)
        if len(batch) < PAGE:
            break
    return current


# Explain


class PlacedHit(Value):
    """A memory of a logged recall: its place, its score, and the share of each part."""

    place: int
    id: str
    score: float
    parts: Mapping[str, float]
    memory: Memory | None = None
    """None when it is gone, or not visible any more."""


class ExplainedRecall(Value):
    """A logged recall with its reasons."""

    retrieval: Retrieval
    sure: str
    hits: tuple[PlacedHit, ...]
    details: Mapping[str, Any]
    """The other logged details: door, time, memories handed over."""


def explain(engine: Engine, ref: str = LAST) -> ExplainedRecall:
    """Explain the last recall, the one with an id, or the last that returned a memory."""
    from .find import get, quoted_ref

    limit = 1 if ref == LAST else MOST_LOGGED
    logged = engine.ledger.retrievals(visible=engine.own_log, limit=limit)
    if not logged:
        raise NotFound("No recall is logged yet.", hint="Ask something with `commonplace recall`.")
    for retrieval in logged:
        if ref in (LAST, retrieval.id):
            return _explained(engine, retrieval)
    memory = get(engine, ref)
    found = (
        _explained(engine, one, only=memory.id)
        for one in logged
        if any(id == memory.id for id, _ in one.results)
    )
    missed: ExplainedRecall | None = None
    for explained in found:
        handed = explained.details.get("handed")
        if handed is None or memory.id in handed:
            return explained
        missed = missed or explained  # A prompt found it and did not hand it over.
    if missed is not None:
        return missed
    raise NotFound(
        f"No logged recall returned {quoted_ref(ref)}.",
        hint="Ask for it with `commonplace recall`, then try again.",
    )


def _explained(engine: Engine, retrieval: Retrieval, only: str | None = None) -> ExplainedRecall:
    details: dict[str, Any] = parse_json(retrieval.details)
    shares: list[dict[str, float]] = details.pop("why", [])
    sure = details.pop("sure", "")
    memories = engine.store.read([id for id, _ in retrieval.results], visible=engine.visible)
    hits = (
        PlacedHit(
            place,
            id,
            score,
            shares[place - 1] if place <= len(shares) else {},
            memories.get(id),
        )
        for place, (id, score) in enumerate(retrieval.results, 1)
        if only in (None, id)
    )
    return ExplainedRecall(retrieval, sure, tuple(hits), details)
