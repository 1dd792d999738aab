"""Say which step left a memory out of the digest for a question."""

from __future__ import annotations

from ..engine.branch_view import present_branch
from ..engine.catch_up import with_index
from ..engine.search import POOL, gather_alone, place_in_ranking
from ..engine.trace import Omission, Trace
from ..model.errors import BadInput, Conflict, NotFound
from ..model.memory import LIVE
from ..model.scope import Context
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.handed_over.omissions import HANDED, meaning_in_common, omission_text, words_in_common
from .digest import prompt, session_start
from .find import all_named, id_end, newest_version
from .replay import logged_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from ..engine.engine import Engine
    from ..engine.recall_request import PreparedRecall
    from ..model.memory import Memory
    from ..rules.handed_over.digest import Budget, Digest
    from ..rules.handed_over.digest_settings import DigestSettings


class WhyNot(Value):
    """Why a memory is handed over with a question, or which step leaves it out."""

    memory: str
    question: str
    handed: bool
    step: str
    sentence: str
    hint: str = ""
    figures: Mapping[str, Any] = {}


def why_not(
    engine: Engine,
    query: str,
    ref: str,
    *,
    settings: DigestSettings | None = None,
    budget: Budget | None = None,
    agent: str | None = None,
    already: Collection[str] = (),
    branch: str | None = None,
) -> WhyNot:
    """Ask the question again as a prompt, and follow one memory; nothing is logged.

    `query` may be the id of a logged digest. `branch` says where the memory was learned.
    """
    if not query.strip():
        raise BadInput("The question is empty.", hint="Ask what the agent was asked.")
    memory = _named(engine, ref, branch)
    logged = engine.ledger.digests(visible=engine.own_log, id=query, limit=1)
    if logged and memory.id in logged[0].memories and not logged[0].late:
        handed = Omission("was_handed", _line(memory, logged[0].memories))
        return _told(engine, memory, query, handed)
    query = logged_question(engine, query) if logged else query
    quiet = engine.but(untracked=True)
    start = session_start(quiet, settings=settings, budget=budget, agent=agent)
    if not query:
        return _told(engine, memory, query, _not_at_start(memory, start))
    trace = Trace()
    traced = quiet.but(trace=trace)
    made = prompt(traced, query, settings=settings, budget=budget, agent=agent, already=already)
    omission = _omission(traced, trace, memory, made)
    if memory.id in start.ids and omission.step not in (HANDED, "already"):
        reason, _ = omission_text(omission.step, omission.figures)
        omission = Omission("at_start", {"reason": f" With this prompt alone: {reason}"})
    return _told(engine, memory, query, omission)


def _told(engine: Engine, memory: Memory, query: str, omission: Omission) -> WhyNot:
    if omission.step == "unmerged":
        omission = _unmerged(engine, memory)
    sentence, hint = omission_text(omission.step, omission.figures)
    handed = omission.step in (HANDED, "was_handed")
    return WhyNot(memory.id, query, handed, omission.step, sentence, hint, omission.figures)


def _unmerged(engine: Engine, memory: Memory) -> Omission:
    """A memory of another branch, by the name that the branch has now, or by its commit."""
    if branch := present_branch(engine, memory):
        return Omission("unmerged", {"branch": branch})
    return Omission("unmerged_commit", {"commit": (memory.commit or "")[:10]})


def _named(engine: Engine, ref: str, branch: str | None) -> Memory:
    """The memory, also one that the owner cannot see from this context."""
    try:
        return _meant(engine, ref, branch)
    except NotFound:
        if engine.context.role != "owner" or not engine.context.scope.pairs:
            raise
        whole = engine.but(context=Context())
        try:
            return _meant(whole, ref, branch)
        except NotFound:
            # Another project's memory is not read here, on whichever branch it was learned.
            if branch is None or (other := _elsewhere(engine, whole, ref)) is None:
                raise
            return other


def _elsewhere(engine: Engine, whole: Engine, ref: str) -> Memory | None:
    """The memory that is called so in a scope which this context does not read."""
    try:
        found = _meant(whole, ref, None)
    except (NotFound, Conflict):
        return None
    return None if engine.visible.allows(found.scope) else found


def _meant(engine: Engine, ref: str, branch: str | None) -> Memory:
    """A live memory that is called so, else a retired one.

    A short id means the newest version, as everywhere; an old text or name asks what became of it.
    """
    named = all_named(engine, ref, branch=branch)
    meant = next((one for one in named if one.status in LIVE), named[0])
    end = id_end(ref)
    if end and meant.id != ref and meant.id.endswith(end):
        return newest_version(engine, meant, branch=branch)
    return meant


def _line(memory: Memory, ids: Collection[str]) -> dict[str, int]:
    return {"line": [*ids].index(memory.id) + 1, "lines": len(ids)}


def _not_at_start(memory: Memory, start: Digest) -> Omission:
    if memory.id in start.ids:
        return Omission("at_start", {"reason": ""})
    return _left_out(memory, start) or Omission("not_for_start")


def _left_out(memory: Memory, made: Digest) -> Omission | None:
    """Return the omission if the digest left the memory out for want of room, else None."""
    why = next((one.why for one in made.left_out if one.id == memory.id), "")
    return Omission("budget", {"why": why, "tokens": made.tokens}) if why else None


def _omission(engine: Engine, trace: Trace, memory: Memory, made: Digest) -> Omission:
    """The step that left the memory out: what a step reported, or where it was seen last."""
    if memory.id in made.ids:
        return Omission(HANDED, _line(memory, made.ids))
    reported = _left_out(memory, made) or trace.omitted.get(memory.id)
    return reported or _unreported(engine, trace, memory)


def _unreported(engine: Engine, trace: Trace, memory: Memory) -> Omission:
    """Why the search did not return the memory."""
    if not engine.visible.allows(memory.scope):
        here = str(engine.context.scope)
        return Omission("scope", {"scope": str(memory.scope), "here": here})
    recall = trace.recall
    if trace.stopped or recall is None:
        return Omission(trace.stopped or "nothing_asked")
    if unmet := with_index(engine, lambda: _unmet_condition(engine, recall.where, memory)):
        return unmet
    return with_index(engine, lambda: _not_ranked(engine, trace, recall, memory))


def _unmet_condition(engine: Engine, where: Where, memory: Memory) -> Omission | None:
    """The first condition of the search that the memory does not meet, tried one at a time."""
    for name, value in vars(where).items():
        if value is None:
            continue
        alone = Where(**{name: value}).but(
            ids=(memory.id,), standing=where.standing, former=where.former
        )
        if not engine.index.select(alone, visible=engine.visible, limit=1):
            return _condition(memory, name, value)
    return None


def _condition(memory: Memory, name: str, value: Any) -> Omission:
    if name == "statuses":
        return Omission(memory.status, {"successor": memory.superseded_by or "another memory"})
    if name == "sensitivities":
        allowed = " and ".join(value)
        return Omission("sensitivity", {"sensitivity": memory.sensitivity, "allowed": allowed})
    if name == "valid_at":
        return Omission("expired")
    if name == "not_learned":
        return Omission("unmerged", {"branch": memory.branch})
    return Omission("condition", {"condition": name})


def _not_ranked(engine: Engine, trace: Trace, recall: PreparedRecall, memory: Memory) -> Omission:
    """Beyond the places that are looked at, or no candidate at all."""
    for gathered in trace.found:
        if any(one.id == memory.id for one in gathered.candidates):
            place, found = place_in_ranking(engine, recall, gathered, memory.id)
            limit = recall.request.limit
            if place is not None and place <= limit:
                return Omission("unknown", {"place": place, "found": found})
            words = f"at place {place}" if place else "at no place"
            return Omission("rank", {"place": words, "found": found, "limit": limit})
    alone = gather_alone(engine, recall, memory.id)
    if alone is not None and (alone.keyword > 0 or (alone.meaning or -1.0) > _unrelated(engine)):
        return Omission("beyond_pool", {"pool": POOL, "meaning": alone.meaning})
    cosine = alone.meaning if alone else None
    terms = alone.terms if alone else ()
    has_model = engine.embedder is not None
    return Omission(
        "not_found",
        {
            "words": words_in_common(terms),
            "meaning": meaning_in_common(cosine, _unrelated(engine), has_model=has_model),
            "cosine": cosine,
        },
    )


def _unrelated(engine: Engine) -> float:
    return engine.embedder.unrelated if engine.embedder else 0.0
