"""Hand an agent what it should know: who it is, what always holds, and what its question needs."""

from __future__ import annotations

from time import perf_counter

from ..engine.catch_up import find_buried, with_index
from ..engine.search import search
from ..language import tokens
from ..model.errors import BadInput
from ..model.memory import LIVE, TRUSTS, Recalled
from ..model.scope import Scope, subsets
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import access
from ..rules.digest import SECTIONS, Digest, Limit, Offer, build, role
from ..rules.digest_settings import DigestSettings
from ..rules.ranking.fusion import relevance
from ..rules.ranking.questions import is_about_something
from .recall import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..rules.digest import Budget

VERIFIED = ("user", "agent", "system")
"""What comes unasked was said here; text from outside waits until a question finds it."""
LONG = 1_000
"""Of a memory with more characters than this only a part is shown, lest it crowd out the others."""
MOST_PINNED, MOST_PER_SCOPE, MOST_OF_A_TOPIC, MOST_SIDES = 20, 50, 50, 10
FAIR = 1 / 3
"""What words and meaning add to the score of a hit that is fair, where the best one is poor."""
MOST_HITS, SPARE_HITS = 50, 5
"""Some hits are spare, because loaded ones and kinds without room fall away."""


class DigestRequest(Value):
    """One digest to make, with everything that decides what goes in."""

    query: str
    settings: DigestSettings
    budget: Budget
    sections: tuple[str, ...]
    already: frozenset[str]
    agent: str | None
    topic: str | None
    near: tuple[str, ...]
    """The scopes that the context itself names, most specific first. Nothing comes unasked from
    anywhere else, even when the owner could read it."""
    where: Where
    ignored: frozenset[str] = frozenset()
    """Memories that are about this very question, such as the note of the task that asks."""


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
    """What an agent should know now, within its budget; memories already loaded are left out."""
    settings = settings or DigestSettings()
    limits = settings.budget_in(phase)
    if not settings.enabled:
        return Digest()
    if unknown := sorted(set(sections) - set(SECTIONS)):
        raise BadInput(f"{unknown[0]!r} is not a section.", hint=f"Use {', '.join(SECTIONS)}.")
    if agent and agent != engine.context.agent and engine.context.role == "owner":
        engine = engine.but(context=engine.context.but(agent=agent))
    agent = agent or engine.context.agent
    asked = DigestRequest(
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
    found = _found(engine, asked)
    took_s = perf_counter() - began
    offers = _with_other_sides(engine, asked, [*_unasked(engine, asked), *_relevant(asked, found)])
    made = build([one for one in offers if one.memory.id not in asked.already], asked.budget)
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
    """What is loaded once, before anything is asked."""
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
    """What one prompt calls for, without what the session's start has loaded."""
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


def _unasked(engine: Engine, asked: DigestRequest) -> list[Offer]:
    """What belongs in a digest whatever is asked, in the order of the sections."""
    if not set(asked.sections) - {"relevant"}:
        return []
    offers = with_index(engine, lambda: list(_held(engine, asked)))
    buried = find_buried(engine, [offer.memory for offer in offers])
    return [offer for offer in offers if offer.memory.id not in buried]


def _held(engine: Engine, asked: DigestRequest) -> Iterator[Offer]:
    if {"identity", "profile"} & set(asked.sections):
        yield from _profiles(engine, asked)
    if "critical" in asked.sections:
        for memory in _critical(engine, asked):
            yield _offer(memory, "critical")
    if "always" in asked.sections:
        where = _where(asked, always_load=True)
        for memory in _nearest(asked, _select(engine, where, MOST_PER_SCOPE)):
            yield _offer(memory, "always")
    if "topic" in asked.sections and asked.topic:
        where = _where(asked, topics=(asked.topic,))
        for memory in _select(engine, where, MOST_OF_A_TOPIC):
            yield _offer(memory, "topic")


def _profiles(engine: Engine, asked: DigestRequest) -> Iterator[Offer]:
    """The agent's role, the most specific one that is written down, then the profiles it serves."""
    where = _where(asked, kinds=("profile", "override"))
    held = _select(engine, where, MOST_PER_SCOPE)
    found = _nearest(asked, sorted(held, key=lambda memory: memory.kind != "override"))
    if "identity" in asked.sections and asked.agent is not None:
        mine = (memory for memory in found if memory.scope.value("agent") == asked.agent)
        if written := next((memory for memory in mine if role(memory)), None):
            yield Offer(written, "identity", role(written))
    if "profile" in asked.sections:
        for memory in reversed(found):
            if memory.scope.value("agent") is None:
                yield Offer(memory, "profile")


def _critical(engine: Engine, asked: DigestRequest) -> Iterator[Memory]:
    """Pinned facts and tags, then each scope's own facts; of a key in a namespace the nearest."""
    seen: set[tuple[str | None, str]] = set()
    for key in asked.settings.pinned_keys:
        for memory in _nearest(asked, _select(engine, _where(asked, key=key), MOST_PINNED)):
            if (memory.namespace, key) not in seen:
                seen.add((memory.namespace, key))
                yield memory
    for tag in asked.settings.pinned_tags:
        yield from _nearest(asked, _select(engine, _where(asked, tags=(tag,)), MOST_PINNED))
    for scope in asked.near:
        where = _where(asked, tiers=("critical",)).but(scopes=(scope,))
        held = _select(engine, where, MOST_PER_SCOPE)
        held.sort(key=lambda memory: (memory.namespace or "", memory.key or "", memory.id))
        for memory in held:
            said = (memory.namespace, memory.key) if memory.key is not None else None
            if said is None or said not in seen:
                yield memory
            if said is not None:
                seen.add(said)


def _found(engine: Engine, asked: DigestRequest) -> Recalled:
    """The hits for the question, by the arms that are switched on."""
    switches = (("keyword", asked.settings.keyword), ("vector", asked.settings.semantic))
    arms = tuple(arm for arm, on in switches if on)
    limit = asked.budget.sections.get("relevant", Limit()).items
    if "relevant" not in asked.sections or not arms or limit == 0:
        return Recalled()
    if not is_about_something(asked.query):
        return Recalled()
    wanted = min(MOST_HITS, (limit or MOST_HITS) + len(asked.already) + SPARE_HITS)
    return search(
        engine,
        asked.query,
        where=asked.where,
        limit=wanted,
        arms=arms,
        ignore=asked.ignored,
    )


def _relevant(asked: DigestRequest, hits: Recalled) -> list[Offer]:
    """What answers the question; nothing when the book does not know, since nobody asked it.

    Neither hits that are far weaker than the best, nor those that have little to do with the
    question themselves. With a threshold of 0 a person wants them all.
    """
    if hits.sure == "none" and asked.settings.threshold:
        return []
    enough = asked.settings.threshold * max((hit.score for hit in hits), default=0.0)
    return [
        _offer(hit.memory, "relevant", hit.excerpt)
        for hit in hits
        if hit.score >= enough
        and relevance(hit.why) >= FAIR * asked.settings.threshold
        and not _loaded_anyway(asked, hit.memory)
    ]


def _with_other_sides(engine: Engine, asked: DigestRequest, offers: list[Offer]) -> list[Offer]:
    """Next to what is disputed, what disputes it; a person's word first.

    The sections before `relevant` take from near by and from what was said here only, and so do
    the other sides.
    """
    if all(offer.memory.status != "review" for offer in offers):
        return offers
    told: dict[str, Offer] = {}
    for offer in offers:
        sides = [offer]
        if offer.memory.status == "review" and offer.memory.id not in told:
            where = asked.where if offer.section == "relevant" else _where(asked)
            others = _other_sides(engine, offer.memory, where)
            sides += [_offer(other, offer.section) for other in others]
            sides.sort(key=lambda side: _word_of_a_person(side.memory), reverse=True)
        for side in sides:
            told.setdefault(side.memory.id, side)
    return list(told.values())


def _other_sides(engine: Engine, memory: Memory, where: Where) -> list[Memory]:
    """What a memory cannot be true together with, by what waits in the inbox."""
    waiting = Where(statuses=("staged",), tags=("contradiction",), derived_from=memory.id)
    proposals = _select(engine, waiting, MOST_SIDES)
    ids = {id for proposal in proposals for id in proposal.derived_from} - {memory.id}
    if not ids:
        return []
    found = _select(engine, where.but(ids=tuple(sorted(ids))), MOST_SIDES)
    buried = find_buried(engine, found)
    return [other for other in found if other.id not in buried]


def _word_of_a_person(memory: Memory) -> tuple[bool, int]:
    return memory.owner != "agent", TRUSTS.index(memory.trust)


def _loaded_anyway(asked: DigestRequest, memory: Memory) -> bool:
    """Whether the session's start has handed it over, when this digest does not itself."""
    loads = memory.always_load and memory.trust in VERIFIED and str(memory.scope) in asked.near
    return loads and "always" not in asked.sections


def _offer(memory: Memory, section: str, excerpt: str = "") -> Offer:
    """A memory, or of a long one its fitting passage, its summary, or else its beginning."""
    if len(memory.content) <= LONG:
        return Offer(memory, section)
    shown = excerpt or memory.summary or memory.content
    part = tokens.shortened(shown, price_limit=LONG * tokens.UNIT, characters=LONG)
    return Offer(memory, section, part)


def _where(asked: DigestRequest, **conditions: object) -> Where:
    return asked.where.but(scopes=asked.near, trusts=VERIFIED, **conditions)


def _select(engine: Engine, where: Where, limit: int) -> list[Memory]:
    return engine.index.select(where, visible=engine.visible, order="updated", limit=limit)


def _nearest(asked: DigestRequest, memories: list[Memory]) -> list[Memory]:
    """The most specific scope's first, the newest first within one."""
    order = {scope: place for place, scope in enumerate(asked.near)}
    return sorted(memories, key=lambda memory: order[str(memory.scope)])
