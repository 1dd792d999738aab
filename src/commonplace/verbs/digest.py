"""Build the digest of an agent: what a session begins with, and what a prompt calls for."""

from __future__ import annotations

from datetime import timedelta
from time import perf_counter

from ..engine.branch_view import unmerged
from ..engine.catch_up import find_purged, with_index
from ..engine.observed import observed
from ..engine.trace import omit, stop
from ..language import tokens
from ..model.errors import BadInput, Busy, LedgerUnavailable
from ..model.identity import is_derived, normalized, short_id
from ..model.memory import LIVE, SESSION_SUMMARY, SUMMARIES, Recalled
from ..model.scope import Scope, Visible, subsets
from ..ports.search_index import Where
from ..rules import access, authority
from ..rules.handed_over.digest import NO_ROOM, SECTIONS, Digest, Limit, Offer, build_digest
from ..rules.handed_over.digest_settings import DigestSettings
from ..rules.ranking.fit import fits, least_fit
from .offers import CONFIRMED, LONG, RECORDS, DigestRequest, offer_of, with_other_sides
from .retrieval_log import log_digest, log_recall
from .threshold import adapted_threshold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Hit, Memory
    from ..rules.handed_over.digest import Budget

MOST_STANDING = 2
"""Standing rules with a prompt, those that its words find included."""
REPEATED = 0.8
"""A line adds nothing when one before it has this share of its words."""
MOST_NEW = 100
SMALL_TOKENS, SMALL_CHARACTERS = 300, 1_000
"""With less room in total the answers come before what is loaded unasked."""
MOST_HITS, SPARE_HITS = 50, 5
"""Spare hits replace those that are loaded already or do not fit."""


@observed
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
    kinds: tuple[str, ...] | None = None,
    with_news: bool = False,
) -> Digest:
    """The digest for a question, within its budget, without memories loaded already."""
    settings = settings or DigestSettings()
    if query.strip():
        settings = settings.but(threshold=adapted_threshold(engine, settings.threshold))
    limits = settings.budget_in(phase)
    if not settings.enabled:
        stop(engine.trace, "switched_off")
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
            kinds=kinds,
            not_learned=unmerged(engine, Where()),
        ),
        ignored=frozenset(ignore),
    )
    return _made(engine, request, with_news=with_news)


def _made(engine: Engine, request: DigestRequest, *, with_news: bool) -> Digest:
    """Ask, choose and log; a start asks nothing."""
    began = perf_counter()
    found = _recalled(engine, request)
    took_s = perf_counter() - began
    relevant = with_other_sides(engine, request, _relevant(engine, request, found))
    asked_for = _asked_for(engine, request)
    standing = _standing_rules(engine, request, relevant)
    answers, unasked = [*relevant, *standing], _unasked(engine, request)
    first_asked = _is_small(request.budget.total)
    others = [*answers, *unasked] if first_asked else [*unasked, *answers]
    if engine.trace is not None:
        for one in others:
            if _is_known(request, one.memory):
                omit(engine.trace, one.memory.id, "already")
    offers = [*asked_for, *(one for one in others if not _is_known(request, one.memory))]
    if engine.sees_all_folders or any(one.memory.anchors for one in offers):
        # Imported here, because most memories speak of no file.
        from ..engine.stale_marks import mark_offers

        offers = mark_offers(engine, offers)
    home, news = engine.context.scope, news_line(engine) if with_news else ""
    made = build_digest(offers, request.budget, home=home, news=news)
    if with_news and (unheard := _without_room(made, offers)):
        made = build_digest(offers, request.budget, home=home, news=f"{unheard} {news}".rstrip())
    if request.query.strip():
        log_recall(engine, request.query, found, made.ids, took_s=took_s, handed=True)
    return log_digest(engine, made, found.id)


def _unasked(engine: Engine, request: DigestRequest) -> list[Offer]:
    if request.sections == ("relevant",):
        return []
    # Imported here and below, because most prompts need none of it.
    from .session_start import start_offers

    return start_offers(engine, request)


def _is_small(total: Limit) -> bool:
    """Whether a text has room for little more than a few answers to its question."""
    tokens, characters = total.tokens, total.characters
    return (tokens is not None and tokens < SMALL_TOKENS) or (
        characters is not None and characters < SMALL_CHARACTERS
    )


def _without_room(made: Digest, offers: Sequence[Offer]) -> str:
    """How many preferences had no room, in one sentence; empty if all had."""
    wishes = {one.memory.id for one in offers if one.section == "preferences"}
    count = sum(one.id in wishes and one.why == NO_ROOM for one in made.left_out)
    more = "preference" if count == 1 else "preferences"
    return f"{count} more {more} had no room." if count else ""


@observed
def session_start(
    engine: Engine,
    *,
    settings: DigestSettings | None = None,
    budget: Budget | None = None,
    phase: str | None = None,
    agent: str | None = None,
    topic: str | None = None,
    ignore: Collection[str] = (),
) -> Digest:
    """The digest loaded once at the start, before any question, and a line on what is new."""
    return digest(
        engine,
        settings=settings,
        budget=budget,
        phase=phase,
        agent=agent,
        topic=topic,
        sections=SECTIONS[:-1],
        ignore=ignore,
        with_news=True,
    )


@observed
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
    kinds: tuple[str, ...] | None = None,
) -> Digest:
    """The memories for one prompt, of these kinds, without those that `already` names."""
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
        kinds=kinds,
    )


def _near(scope: Scope, agent: str | None) -> tuple[str, ...]:
    pairs = dict(scope.pairs)
    if agent is not None:
        pairs["agent"] = agent
    scopes = subsets(Scope(tuple(pairs.items())).pairs)
    scopes.sort(key=lambda one: (access.specificity(one), str(one)), reverse=True)
    return tuple(map(str, scopes))


def news_line(engine: Engine) -> str:
    """Return one line on what is new since the last question here; empty if nothing is.

    The index is up to date.
    """
    try:
        logged = engine.ledger.retrievals(visible=_asked_here(engine), limit=1)
    except (LedgerUnavailable, Busy):
        return ""
    if not logged:
        return ""
    last = logged[0].at
    new, waiting = _counts_since(engine, last)
    said = [f"{new} {'memory' if new == 1 else 'memories'}"] if new else []
    if waiting:
        said.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} in the inbox")
    return f"New since {_day(last, engine.now())}: {'; '.join(said)}." if said else ""


def _asked_here(engine: Engine) -> Visible:
    """The scopes of questions in this project: asked for one agent, for none, or within a task."""
    if engine.context.role != "owner":
        return engine.own_log
    own = engine.context.scope.without("task")
    here = frozenset({str(own), str(own.without("agent"))})
    return Visible(scopes=here, task_parents=here)


def _counts_since(engine: Engine, last: datetime) -> tuple[int, int]:
    """How many memories are new in the scopes named by the context, and how many others wait."""
    near = _near(engine.context.scope, engine.context.agent)
    where = Where(statuses=LIVE, scopes=near, created_from=last)
    where = where.but(not_learned=unmerged(engine, where))
    found = engine.index.select(where, visible=engine.visible, limit=MOST_NEW)
    # An edit of a file of facts makes all its lines seem new; what awaits a yes is counted below.
    new = [
        one
        for one in found
        if one.kind not in RECORDS
        and not is_derived(one.id)
        and not authority.awaits_confirmation(one)
    ]
    # Imported here, because most prompts need none of its screening.
    from .inbox_count import count_waiting

    return len(new), count_waiting(engine, engine.visible, last)


def _day(then: datetime, now: datetime) -> str:
    if then.date() == now.date():
        return f"{then:%H:%M}"
    return f"{then:%A}" if now - then < timedelta(days=6) else then.date().isoformat()


def _recalled(engine: Engine, request: DigestRequest) -> Recalled:
    """The hits for the question, from the enabled arms."""
    switches = (("keyword", request.settings.keyword), ("vector", request.settings.semantic))
    arms = tuple(arm for arm, on in switches if on)
    limit = request.budget.sections.get("relevant", Limit()).items
    if "relevant" not in request.sections or not arms or limit == 0 or not request.query.strip():
        stop(engine.trace, "search_off" if request.query.strip() else "nothing_asked")
        return Recalled()
    from ..engine.search import RecallRequest, search, settle_saves
    from ..rules.ranking.questions import is_about_something

    query = _without_project(request.query, engine.context.project)
    if not is_about_something(query):
        stop(engine.trace, "nothing_asked")
        return Recalled()
    wanted = min(MOST_HITS, (limit or MOST_HITS) + len(request.already) + SPARE_HITS)
    asked = RecallRequest(query, request.where, wanted, arms=arms, ignore=request.ignored)
    settle_saves(engine, asked)
    return search(engine, asked)


def _asked_for(engine: Engine, request: DigestRequest) -> list[Offer]:
    """The last session's summary, for a prompt that asks for it, however often it was shown."""
    kinds = request.where.kinds
    if not request.query.strip() or "relevant" not in request.sections:
        return []
    from ..rules.handed_over.look_back import asks_for_last_session

    wanted = asks_for_last_session(request.query)
    if not wanted or (kinds is not None and SESSION_SUMMARY not in kinds):
        return []
    from .session_start import last_session

    summary, left = with_index(
        engine,
        lambda: last_session(engine, request),
        shown=lambda found: [found[0].id] if found[0] else [],
    )
    if summary is None:
        return []
    from ..rules.session_summaries import last_session_text

    text = last_session_text(summary, left)
    part = tokens.shortened(text, price_limit=LONG * tokens.UNIT, characters=LONG)
    return [Offer(summary, "relevant", part)]


def _standing_rules(
    engine: Engine, request: DigestRequest, relevant: Sequence[Offer]
) -> list[Offer]:
    """A person's preferences that apply to the work a prompt asks for, though no word says so."""
    kinds = request.where.kinds
    found = {one.memory.id for one in relevant if one.memory.kind == "preference"}
    room = MOST_STANDING - len(found)
    if not request.query.strip() or "relevant" not in request.sections:
        return []
    from ..rules.handed_over.standing_rules import applies_to, requested_work

    work = requested_work(request.query)
    if not work or room <= 0 or (kinds is not None and "preference" not in kinds):
        return []
    from .session_start import preferences

    held = with_index(
        engine,
        lambda: preferences(engine, request.but(trusts=CONFIRMED)),
        shown=lambda held: [one.id for one in held],
    )
    apply = [one for one in held if one.id not in found and applies_to(one.content, work)]
    apply = [one for one in apply if not _is_known(request, one)][:room]
    purged = find_purged(engine, apply)
    return [offer_of(one, "relevant") for one in apply if one.id not in purged]


def _without_project(query: str, project: str | None) -> str:
    """The question without the name of the project it is asked in, which tells nothing there."""
    # Most prompts do not name it, and importing and compiling patterns takes a cold start time.
    plain = query.isascii() and (project or "").isascii()
    if not project or (plain and project.lower() not in query.lower()):
        return query
    import re

    from ..rules.ranking.questions import is_about_something

    shorter = re.sub(rf"(?i)(?<![\w-]){re.escape(project)}(?![\w-])", " ", query)
    return shorter if is_about_something(shorter) else query


def _relevant(engine: Engine, request: DigestRequest, hits: Recalled) -> list[Offer]:
    """The hits worth showing: those that fit by themselves, until one adds nothing.

    A threshold of 0 shows all hits.
    """
    threshold = request.settings.threshold
    if not threshold:
        return list(map(_offered, hits))
    closed = RECORDS if not hits.history else tuple(set(RECORDS) - set(SUMMARIES))
    open_hits: list[Hit] = []
    for hit in hits:
        if hit.memory.kind in closed:
            omit(engine.trace, hit.memory.id, "record", kind=hit.memory.kind)
        elif _is_echo(hit.memory, request.query):
            omit(engine.trace, hit.memory.id, "echo")
        else:
            open_hits.append(hit)
    best = max((hit.score for hit in open_hits), default=0.0)
    chosen: list[Hit] = []
    for place, hit in enumerate(open_hits, 1):
        memory, least = hit.memory, engine.settings.ranking.fit_least
        if hit.score < threshold * best:
            limit = threshold * best
            omit(engine.trace, memory.id, "below_best", score=hit.score, limit=limit, place=place)
        elif not fits(hit, least) or (hit.fit < least and _is_rule_for_work(request, memory)):
            limit = least if fits(hit, least) else least_fit(hit, least)
            omit(engine.trace, memory.id, "below_fit", fit=hit.fit, limit=limit, place=place)
        elif (same := _repeated_by(memory, _agreeing(hit, chosen))) is not None:
            omit(engine.trace, memory.id, "repeats", other=same.memory.id)
        else:
            chosen.append(hit)
    return list(map(_offered, chosen))


def _is_rule_for_work(request: DigestRequest, memory: Memory) -> bool:
    """Whether a memory is a rule for work, and the prompt only asks a question."""
    if memory.kind != "preference":
        return False
    # Imported here, because most hits are no preference or fit by themselves.
    from ..rules.handed_over.standing_rules import asks_only

    return asks_only(request.query)


def _agreeing(hit: Hit, chosen: Sequence[Hit]) -> list[Hit]:
    """Those chosen that do not dispute a hit: two that disagree may differ in one word."""
    return [one for one in chosen if one.memory.id not in hit.disputed_with]


def _offered(hit: Hit) -> Offer:
    return offer_of(hit.memory, "relevant", hit.excerpt).but(
        disputed_with=hit.disputed_with, warning=hit.warning, stale=hit.stale
    )


def _is_echo(memory: Memory, query: str) -> bool:
    """Whether a memory is the question itself, asked before."""
    if normalized(memory.content) == normalized(query):
        return True
    if not memory.content.rstrip().endswith(("?", "？")):
        return False
    from ..language.words import terms

    own, asked = set(terms(memory.content)), set(terms(query))
    return len(own & asked) >= REPEATED * len(own)


def _repeated_by(memory: Memory, chosen: Sequence[Hit]) -> Hit | None:
    """The hit that says nearly all that a memory says; another number is always new."""
    # Imported here and above, because the start of a session compares no words.
    from ..language.words import terms

    own = set(terms(memory.content))
    for hit in chosen:
        new = own - set(terms(hit.memory.content))
        if len(new) <= (1 - REPEATED) * len(own) and not any(map(_has_digit, new)):
            return hit
    return None


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _is_known(request: DigestRequest, memory: Memory) -> bool:
    """Whether the agent has been given a memory, by its id or the end that a line shows."""
    already = request.already
    return memory.id in already or short_id(memory.id) in already
