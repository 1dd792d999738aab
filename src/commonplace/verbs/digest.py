"""Build the digest of an agent: its role, profile, critical facts, topic and relevant memories."""

from __future__ import annotations

from time import perf_counter

from ..engine.catch_up import find_purged, with_index
from ..engine.search import RecallRequest, search
from ..language import tokens
from ..model.errors import BadInput
from ..model.memory import LIVE, TRUSTS, Recalled
from ..model.scope import Scope, subsets
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import access, authority
from ..rules.digest import SECTIONS, Digest, Limit, Offer, build_digest, profile_role
from ..rules.digest_settings import DigestSettings
from ..rules.ranking.fusion import relevance
from ..rules.ranking.questions import is_about_something
from .recall import log
from .threshold import adapted_threshold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..rules.digest import Budget

CONFIRMED = ("user",)
"""The trust of what a person wrote or confirmed."""
UNCONFIRMED = ("agent", "system")
"""Trusts that are loaded without a question as well, after what is confirmed, and marked.

External text is only found by a question.
"""
LONG = 1_000
"""A longer memory is shown in part, so that it does not crowd out the others."""
MOST_PINNED, MOST_PER_SCOPE, MOST_OF_A_TOPIC, MOST_SIDES = 20, 50, 50, 10
FAIR = 1 / 3
"""Least relevance of a hit, as a share of the threshold."""
MOST_HITS, SPARE_HITS = 50, 5
"""Spare hits replace those that are loaded already or do not fit."""


class DigestRequest(Value):
    """The request for one digest, with everything that decides its content."""

    query: str
    settings: DigestSettings
    budget: Budget
    sections: tuple[str, ...]
    already: frozenset[str]
    agent: str | None
    topic: str | None
    near: tuple[str, ...]
    """The scopes that the context names, most specific first; only these load without a question,
    even for the owner."""
    where: Where
    trusts: tuple[str, ...] = CONFIRMED + UNCONFIRMED
    """The trusts of memories that are loaded without a question."""
    ignored: frozenset[str] = frozenset()
    """Ids that are no answers, such as that of the task's own note."""


def digest(
    engine: Engine,
    query: str = "",
    *,
    settings: DigestSettings | None = None,
    budget: Budget | None = None,
    phase: str | None = None,
    agent: str | None = None,
    topic: str | None = None,
    sections: Sequence[str] = SECTIONS,
    already: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Digest:
    """The digest for a question, within its budget, without memories loaded already."""
    settings = settings or DigestSettings()
    if query.strip():
        settings = settings.but(threshold=adapted_threshold(engine, settings.threshold))
    limits = settings.budget_in(phase)
    if not settings.enabled:
        return Digest()
    if unknown := sorted(set(sections) - set(SECTIONS)):
        raise BadInput(f"{unknown[0]!r} is not a section.", hint=f"Use {', '.join(SECTIONS)}.")
    if agent and agent != engine.context.agent and engine.context.role == "owner":
        engine = engine.but(context=engine.context.but(agent=agent))
    agent = agent or engine.context.agent
    request = DigestRequest(
        query=query,
        settings=settings,
        budget=limits.overlaid(budget) if budget else limits,
        sections=tuple(section for section in SECTIONS if section in sections),
        already=frozenset(already),
        agent=agent,
        topic=topic,
        near=_near(engine.context.scope, agent),
        where=Where(
            statuses=LIVE,
            sensitivities=settings.allow_sensitivities,
            valid_at=engine.now(),
        ),
        ignored=frozenset(ignore),
    )
    began = perf_counter()
    found = _recalled(engine, request)
    took_s = perf_counter() - began
    relevant = _with_other_sides(engine, request, _relevant(request, found))
    offers = [*_unasked(engine, request), *relevant]
    made = build_digest(
        [one for one in offers if one.memory.id not in request.already], request.budget
    )
    if query.strip():
        log(engine, query, found, made.ids, took_s=took_s, handed=True)
    return made


def session_start(
    engine: Engine,
    *,
    settings: DigestSettings | None = None,
    budget: Budget | None = None,
    phase: str | None = None,
    agent: str | None = None,
    topic: str | None = None,
) -> Digest:
    """The digest loaded once at the start, before any question."""
    return digest(
        engine,
        settings=settings,
        budget=budget,
        phase=phase,
        agent=agent,
        topic=topic,
        sections=SECTIONS[:-1],
    )


def prompt(
    engine: Engine,
    text: str,
    *,
    settings: DigestSettings | None = None,
    budget: Budget | None = None,
    phase: str | None = None,
    agent: str | None = None,
    already: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Digest:
    """The memories for one prompt, without those loaded at the start."""
    return digest(
        engine,
        text,
        settings=settings,
        budget=budget,
        phase=phase,
        agent=agent,
        sections=("relevant",),
        already=already,
        ignore=ignore,
    )


def _near(scope: Scope, agent: str | None) -> tuple[str, ...]:
    pairs = dict(scope.pairs)
    if agent is not None:
        pairs["agent"] = agent
    scopes = subsets(Scope(tuple(pairs.items())).pairs)
    scopes.sort(key=lambda one: (access.specificity(one), str(one)), reverse=True)
    return tuple(map(str, scopes))


def _unasked(engine: Engine, request: DigestRequest) -> list[Offer]:
    """Memories loaded without a question: confirmed ones, then unconfirmed ones, then the topic's.

    The confirmed ones are chosen from confirmed memories alone: nothing that an agent or somebody
    outside writes adds, moves or removes a line of them.
    """
    if not set(request.sections) - {"relevant"}:
        return []
    offers = with_index(engine, lambda: _confirmed_first(engine, request))
    purged = find_purged(engine, [offer.memory for offer in offers])
    return [offer for offer in offers if offer.memory.id not in purged]


def _confirmed_first(engine: Engine, request: DigestRequest) -> list[Offer]:
    confirmed = request.but(trusts=CONFIRMED)
    first = _with_other_sides(engine, confirmed, list(_offers_by_section(engine, confirmed)))
    known = {fact for offer in first if (fact := _fact(offer.memory))}
    # A role tells an agent what to do, so that only a person's is loaded.
    sections = tuple(one for one in request.sections if one != "identity")
    second = request.but(trusts=UNCONFIRMED, sections=sections)
    unconfirmed = [
        offer
        for offer in _offers_by_section(engine, second)
        if not _contradicts_a_person(engine, request, offer.memory)
    ]
    others = [
        *_with_other_sides(engine, second, unconfirmed),
        *_with_other_sides(engine, request, list(_topic_offers(engine, request))),
    ]
    return first + [
        offer
        for offer in others
        if _fact(offer.memory) not in known and not authority.is_order(offer.memory)
    ]


def _fact(memory: Memory) -> tuple[str | None, str] | None:
    return (memory.namespace, memory.key) if memory.key is not None else None


def _contradicts_a_person(engine: Engine, request: DigestRequest, memory: Memory) -> bool:
    """Whether a memory is disputed by a person's own, which stands until the person decides."""
    if memory.status != "review":
        return False
    return any(other.trust in CONFIRMED for other in _other_sides(engine, memory, request.where))


def _topic_offers(engine: Engine, request: DigestRequest) -> Iterator[Offer]:
    if "topic" in request.sections and request.topic:
        where = _where(request, topics=(request.topic,))
        for memory in _select(engine, where, MOST_OF_A_TOPIC):
            yield _offer(memory, "topic")


def _offers_by_section(engine: Engine, request: DigestRequest) -> Iterator[Offer]:
    if {"identity", "profile"} & set(request.sections):
        yield from _profiles(engine, request)
    if "critical" in request.sections:
        for memory in _critical(engine, request):
            yield _offer(memory, "critical")
    if "always" in request.sections:
        where = _where(request, always_load=True)
        for memory in _nearest(request, _select(engine, where, MOST_PER_SCOPE)):
            yield _offer(memory, "always")


def _profiles(engine: Engine, request: DigestRequest) -> Iterator[Offer]:
    """The agent's most specific role, then the profiles."""
    where = _where(request, kinds=("profile", "override"))
    held = _select(engine, where, MOST_PER_SCOPE)
    found = _nearest(request, sorted(held, key=lambda memory: memory.kind != "override"))
    if "identity" in request.sections and request.agent is not None:
        mine = (memory for memory in found if memory.scope.value("agent") == request.agent)
        if written := next((memory for memory in mine if profile_role(memory)), None):
            yield Offer(written, "identity", profile_role(written))
    if "profile" in request.sections:
        for memory in reversed(found):
            if memory.scope.value("agent") is None:
                yield Offer(memory, "profile")


def _critical(engine: Engine, request: DigestRequest) -> Iterator[Memory]:
    """Pinned facts and tags, then each scope's facts; for equal keys the nearest scope's."""
    seen: set[tuple[str | None, str]] = set()
    for key in request.settings.pinned_keys:
        for memory in _nearest(request, _select(engine, _where(request, key=key), MOST_PINNED)):
            if (memory.namespace, key) not in seen:
                seen.add((memory.namespace, key))
                yield memory
    for tag in request.settings.pinned_tags:
        yield from _nearest(request, _select(engine, _where(request, tags=(tag,)), MOST_PINNED))
    for scope in request.near:
        where = _where(request, tiers=("critical",)).but(scopes=(scope,))
        held = _select(engine, where, MOST_PER_SCOPE)
        held.sort(key=lambda one: (one.namespace or "", one.key or "", one.created, one.content))
        for memory in held:
            said = _fact(memory)
            if said is None or said not in seen:
                yield memory
            if said is not None:
                seen.add(said)


def _recalled(engine: Engine, request: DigestRequest) -> Recalled:
    """The hits for the question, from the enabled arms."""
    switches = (("keyword", request.settings.keyword), ("vector", request.settings.semantic))
    arms = tuple(arm for arm, on in switches if on)
    limit = request.budget.sections.get("relevant", Limit()).items
    if "relevant" not in request.sections or not arms or limit == 0:
        return Recalled()
    if not is_about_something(request.query):
        return Recalled()
    wanted = min(MOST_HITS, (limit or MOST_HITS) + len(request.already) + SPARE_HITS)
    return search(
        engine,
        RecallRequest(request.query, request.where, wanted, arms=arms, ignore=request.ignored),
    )


def _relevant(request: DigestRequest, hits: Recalled) -> list[Offer]:
    """The hits worth showing; none if the book is not sure of any.

    Hits far weaker than the best, or of little relevance, are left out. A threshold of 0 shows
    all hits.
    """
    if hits.sure == "none" and request.settings.threshold:
        return []
    enough = request.settings.threshold * max((hit.score for hit in hits), default=0.0)
    return [
        _offer(hit.memory, "relevant", hit.excerpt)
        for hit in hits
        if hit.score >= enough
        and relevance(hit.why) >= FAIR * request.settings.threshold
        and not _loaded_anyway(request, hit.memory)
    ]


def _with_other_sides(engine: Engine, request: DigestRequest, offers: list[Offer]) -> list[Offer]:
    """Add the contradicting memories next to disputed ones, a person's first.

    In sections before `relevant` they are limited to near scopes and verified trust, too.
    """
    if all(offer.memory.status != "review" for offer in offers):
        return offers
    offers_by_id: dict[str, Offer] = {}
    for offer in offers:
        sides = [offer]
        if offer.memory.status == "review" and offer.memory.id not in offers_by_id:
            where = request.where if offer.section == "relevant" else _where(request)
            others = _other_sides(engine, offer.memory, where)
            sides += [_offer(other, offer.section) for other in others]
            sides.sort(key=lambda side: _person_first(side.memory), reverse=True)
        for side in sides:
            offers_by_id.setdefault(side.memory.id, side)
    return list(offers_by_id.values())


def _other_sides(engine: Engine, memory: Memory, where: Where) -> list[Memory]:
    """The memories that contradict one, by the proposals in the inbox."""
    waiting = Where(statuses=("staged",), tags=("contradiction",), derived_from=memory.id)
    proposals = _select(engine, waiting, MOST_SIDES)
    ids = {id for proposal in proposals for id in proposal.derived_from} - {memory.id}
    if not ids:
        return []
    found = _select(engine, where.but(ids=tuple(sorted(ids))), MOST_SIDES)
    purged = find_purged(engine, found)
    return [other for other in found if other.id not in purged]


def _person_first(memory: Memory) -> tuple[bool, int]:
    return memory.owner != "agent", TRUSTS.index(memory.trust)


def _loaded_anyway(request: DigestRequest, memory: Memory) -> bool:
    """Whether the session's start has loaded a memory that this digest does not."""
    if not memory.always_load or "always" in request.sections or memory.trust not in request.trusts:
        return False
    return str(memory.scope) in request.near and not authority.is_order(memory)


def _offer(memory: Memory, section: str, excerpt: str = "") -> Offer:
    """A memory; a long one by its excerpt, summary or beginning."""
    if len(memory.content) <= LONG:
        return Offer(memory, section)
    shown = excerpt or memory.summary or memory.content
    part = tokens.shortened(shown, price_limit=LONG * tokens.UNIT, characters=LONG)
    return Offer(memory, section, part)


def _where(request: DigestRequest, **conditions: object) -> Where:
    return request.where.but(scopes=request.near, trusts=request.trusts, **conditions)


def _select(engine: Engine, where: Where, limit: int) -> list[Memory]:
    return engine.index.select(where, visible=engine.visible, order="updated", limit=limit)


def _nearest(request: DigestRequest, memories: list[Memory]) -> list[Memory]:
    """The memories of the most specific scope first, the newest first within one."""
    order = {scope: place for place, scope in enumerate(request.near)}
    return sorted(memories, key=lambda memory: order[str(memory.scope)])
