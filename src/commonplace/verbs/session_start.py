"""Choose the memories that a session begins with: confirmed ones first, then marked others."""

from __future__ import annotations

from ..engine.branch_view import (
    EVERYTHING_SHOWN,
    both_merged,
    branch_view,
    holding_here,
    until_settled,
)
from ..engine.catch_up import find_purged, with_index
from ..engine.rival_values import open_disputes
from ..language import tokens
from ..model.identity import is_derived
from ..model.memory import LIVE, SESSION_SUMMARY, SUMMARIES, TIERS
from ..notes.display import key_readings, qualified_text
from ..notes.layout import WORK
from ..ports.search_index import Where
from ..rules import authority
from ..rules.handed_over.digest import UNSURE, Limit, Offer
from ..rules.handed_over.start_texts import WorkState, override_text, role_text
from .offers import (
    CONFIRMED,
    RECORDS,
    UNCONFIRMED,
    offer_of,
    other_sides,
    select_memories,
    where_near,
    with_other_sides,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from .offers import DigestRequest

MOST_PINNED, MOST_PER_SCOPE, MOST_OF_A_TOPIC, MOST_TASKS = 20, 50, 50, 20
MOST_IN_ORDER = 200
MOST_SUMMARIES = 20
"""Summaries of sessions and tasks that are read for open ends."""
ELSEWHERE = (*RECORDS, "profile", "override", "preference")
"""Kinds that are not among the newest: records, and those with a section of their own."""
FOUND_TIERS = ("topic", "search")
"""Tiers that a start does not load."""
LEFT_OPEN_TOKENS = 60
"""Tokens of the line on what the last session left open; the task section has 150."""
MOST_NEWEST = 20
"""Newest memories of a project that are read for those that a start shows."""
STANDING = ("override", "critical", "always")
"""Sections whose lines say what a project is about, so that its newest memories need not."""
LESSONS = ("insight", "fix", "preference")
"""Kinds that come first of a topic."""


def start_offers(engine: Engine, request: DigestRequest) -> list[Offer]:
    """Memories loaded without a question: confirmed ones, then unconfirmed ones, then the topic's.

    The confirmed ones are chosen from confirmed memories alone: nothing that an agent or somebody
    outside writes adds, moves or removes a line of them.
    """
    if not set(request.sections) - {"relevant"}:
        return []
    offers = with_index(
        engine,
        lambda: until_settled(
            engine,
            request.where,
            lambda where: _of_this_branch(
                engine, _confirmed_first(engine, request.but(where=where)), where
            ),
        ),
        shown=lambda offers: [offer.memory.id for offer in offers],
    )
    purged = find_purged(engine, [offer.memory for offer in offers])
    gone = purged | request.ignored
    return [offer for offer in offers if offer.memory.id not in gone]


def _of_this_branch(engine: Engine, offers: list[Offer], where: Where) -> list[Offer]:
    """The offers that hold at the caller's HEAD; what one replaced there in place of the others."""
    held = holding_here(engine, [offer.memory for offer in offers])
    if held:
        offers = [
            offer if here is offer.memory else offer_of(here, offer.section)
            for offer in offers
            for here in held.get(offer.memory.id, (offer.memory,))
        ]
    if disputes := _heard_disputes(engine) | both_merged(offer.memory for offer in offers):
        offers = [
            offer.but(disputed_with=disputes.get(offer.memory.id, offer.disputed_with))
            for offer in offers
        ]
        offers = _with_rivals(engine, offers, where)
    view = branch_view(engine, [offer.memory for offer in offers])
    if view is EVERYTHING_SHOWN:
        return offers
    return [offer.but(warning=view.warning(offer.memory)) for offer in offers]


def _with_rivals(engine: Engine, offers: list[Offer], where: Where) -> list[Offer]:
    """Disputed lines with the newest text against them, unless it could be an order."""
    ids = {id for offer in offers for id in offer.disputed_with}
    found = select_memories(engine, where.but(ids=tuple(ids)), len(ids)) if ids else []
    purged = find_purged(engine, found)
    told = {
        one.id: one.content
        for one in sorted(found, key=lambda one: one.id)
        if one.id not in purged and not authority.is_order(one)
    }
    shown = {offer.memory.id for offer in offers}
    return [
        offer.but(
            rival=next(
                (
                    told[id]
                    for id in reversed(offer.disputed_with)
                    if id in told and id not in shown
                ),
                "",
            )
        )
        for offer in offers
    ]


def _heard_disputes(engine: Engine) -> dict[str, tuple[str, ...]]:
    """The disputes that a person's own words have opened: a correction that a hook heard.

    What an agent writes marks no line of a person at a start.
    """
    disputes = open_disputes(engine)
    if not disputes:
        return {}
    sides = Where(ids=tuple(disputes), tags=("correction",), statuses=LIVE)
    found = select_memories(engine, sides, len(disputes))
    heard = {one.id for one in found if one.source == "hook"}
    own = {id: tuple(one for one in others if one in heard) for id, others in disputes.items()}
    return {id: others for id, others in own.items() if others}


def _confirmed_first(engine: Engine, request: DigestRequest) -> list[Offer]:
    task = _active_task(engine, request)
    confirmed = request.but(trusts=CONFIRMED)
    first = list(_by_section(engine, confirmed))
    first = with_other_sides(engine, confirmed, [*first, *_newest(engine, confirmed, first)])
    known = {name for offer in first if (name := _fact_name(offer.memory))}
    # A role tells an agent what to do, so that only a person's is loaded.
    sections = tuple(one for one in request.sections if one not in ("identity", "override"))
    second = request.but(trusts=UNCONFIRMED, sections=sections)
    found = list(_by_section(engine, second))
    unconfirmed = [
        offer
        for offer in (*found, *_newest(engine, second, (*first, *found)))
        if not _contradicts_a_person(engine, request, offer.memory)
    ]
    others = [
        *with_other_sides(engine, second, unconfirmed),
        *with_other_sides(engine, request, list(_of_topic(engine, request, task))),
    ]
    plain = [
        offer
        for offer in others
        if _fact_name(offer.memory) not in known and not authority.is_order(offer.memory)
    ]
    left = _left_open(engine, request, task)
    work = _of_work(engine, request, task)
    return [*first, *_of_task(engine, request, task), *left, *work, *plain]


def _fact(memory: Memory) -> tuple[str | None, str] | None:
    return (memory.namespace, memory.key) if memory.key is not None else None


def _fact_name(memory: Memory) -> str:
    """The name under which a fact is shown, such as `production/db.host`; empty for other texts."""
    return qualified_text(memory, f"{memory.key}:") if memory.key is not None else ""


def _contradicts_a_person(engine: Engine, request: DigestRequest, memory: Memory) -> bool:
    """Whether a memory is disputed by a person's own, which stands until the person decides."""
    if memory.status != "review":
        return False
    return any(other.trust in CONFIRMED for other in other_sides(engine, memory, request.where))


def _by_section(engine: Engine, request: DigestRequest) -> Iterator[Offer]:
    if {"identity", "override", "profile"} & set(request.sections):
        yield from _profiles(engine, request)
    if "preferences" in request.sections:
        for memory in _with_room_for_each(request, preferences(engine, request)):
            yield offer_of(memory, "preferences")
    if "critical" in request.sections:
        for memory in _critical(engine, request):
            yield offer_of(memory, "critical")
    if "always" in request.sections:
        where = where_near(request, always_load=True)
        for memory in _nearest(request, select_memories(engine, where, MOST_PER_SCOPE)):
            yield offer_of(memory, "always")


def _newest(engine: Engine, request: DigestRequest, loaded: Sequence[Offer]) -> Iterator[Offer]:
    """The newest memories of a project whose override, facts and always loaded lines leave room.

    Its next session may begin with a prompt that names nothing, such as "ship it": what was
    decided last has to stand there by itself. The lines that say what the project is about count
    against the share of this section, and with them the section goes, line by line.
    """
    home, project = str(engine.home), engine.home.value("project")
    wanted = "newest" in request.sections and not request.query.strip()
    if not wanted or project is None or request.topic is not None:
        return  # A task begins with what belongs to its topic.
    taken = [
        one
        for one in loaded
        if one.section == "newest"
        or (one.section in STANDING and one.memory.scope.value("project") == project)
    ]
    limit = request.budget.sections.get("newest", Limit())
    lines_left = MOST_NEWEST if limit.items is None else limit.items - len(taken)
    tokens_left = None if limit.tokens is None else limit.tokens - _tokens_of(taken)
    where = where_near(request, tiers=FOUND_TIERS, always_load=False, in_conversation=False)
    for memory in select_memories(engine, where.but(scopes=(home,)), MOST_NEWEST, order="newest"):
        if lines_left <= 0 or (tokens_left is not None and tokens_left <= 0):
            return
        if memory.kind not in ELSEWHERE and memory.confidence >= UNSURE:
            offer = offer_of(memory, "newest")
            lines_left -= 1
            tokens_left = None if tokens_left is None else tokens_left - _tokens_of([offer])
            yield offer


def _tokens_of(offers: Iterable[Offer]) -> int:
    return sum(tokens.estimate(one.text or one.memory.content) for one in offers)


def preferences(engine: Engine, request: DigestRequest) -> list[Memory]:
    """The preferences of the requested trusts, the nearest scope's first."""
    return _in_order(engine, request, where_near(request, kinds=("preference",)))


def _with_room_for_each(request: DigestRequest, held: list[Memory]) -> list[Memory]:
    """Preferences in their order, but first those that fit if two levels share the room.

    One level is the project's, the other the person's own, which hold in every project.
    """
    room = request.budget.sections.get("preferences", Limit()).tokens
    waiting = {
        own: [one for one in held if (one.scope.value("project") is None) == own]
        for own in (False, True)
    }
    if room is None or not all(waiting.values()):
        return held
    used, chosen = dict.fromkeys(waiting, 0), set[str]()
    while any(waiting.values()):
        level = min((own for own in waiting if waiting[own]), key=lambda own: used[own])
        one = waiting[level].pop(0)
        price = tokens.estimate(one.content)
        if sum(used.values()) + price <= room:
            used[level] += price
            chosen.add(one.id)
    return sorted(held, key=lambda one: one.id not in chosen)


def _profiles(engine: Engine, request: DigestRequest) -> Iterator[Offer]:
    """The agent's role, the overrides for it, then the profiles."""
    where = where_near(request, kinds=("profile", "override"))
    found = _nearest(request, select_memories(engine, where, MOST_PER_SCOPE))
    mine = [one for one in found if one.scope.value("agent") == request.agent is not None]
    if "identity" in request.sections:
        roles = ((one, role_text(one)) for one in mine if one.kind == "profile")
        if role := next(((one, text) for one, text in roles if text), None):
            yield Offer(role[0], "identity", role[1])
    if "override" in request.sections:
        for memory in mine:
            if memory.kind == "override":
                yield Offer(memory, "override", override_text(memory))
    if "profile" in request.sections:
        for memory in reversed(found):
            if memory.scope.value("agent") is None:
                yield Offer(memory, "profile")


def _critical(engine: Engine, request: DigestRequest) -> Iterator[Memory]:
    """Pinned facts and tags, then each scope's facts; for equal keys the nearest scope's."""
    seen: set[tuple[str | None, str]] = set()
    facts = (
        *(one for name in request.settings.pinned_keys for one in _pinned(engine, request, name)),
        *(
            one
            for tag in request.settings.pinned_tags
            for one in _nearest(
                request, select_memories(engine, where_near(request, tags=(tag,)), MOST_PINNED)
            )
        ),
        *_in_order(engine, request, where_near(request, tiers=("critical",))),
    )
    for memory in facts:
        said = _fact(memory)
        if said is None or said not in seen:
            yield memory
        if said is not None:
            seen.add(said)


def _pinned(engine: Engine, request: DigestRequest, name: str) -> list[Memory]:
    """The facts that a pinned key names, alone or with its namespace: `prod/db.host`."""
    for namespace, key in key_readings(name):
        where = where_near(request, key=key, namespace=namespace)
        if found := select_memories(engine, where, MOST_PINNED):
            return _nearest(request, found)
    return []


def _in_order(engine: Engine, request: DigestRequest, where: Where) -> list[Memory]:
    """The nearest scope's first: a person's in the order of writing, others by their use."""
    held = select_memories(engine, where, MOST_IN_ORDER, order="oldest")
    if len(held) == MOST_IN_ORDER:
        each = (where.but(scopes=(scope,)) for scope in request.near)
        held = [
            one
            for near in each
            for one in select_memories(engine, near, MOST_PER_SCOPE, order="oldest")
        ]
    # Lines of a file first: an edit of the file changes the time of each of its lines.
    held.sort(key=lambda one: (not is_derived(one.id), one.created, one.content))
    found = _nearest(request, held)
    if request.trusts == CONFIRMED or len(found) < 2:
        return found
    uses = engine.ledger.uses([one.id for one in found])
    counts = {id: use.count for id, use in uses.items()}
    return _nearest(request, sorted(found, key=lambda one: -counts.get(one.id, 0)))


# The task and its topic


def _active_task(engine: Engine, request: DigestRequest) -> Memory | None:
    """The note of the task that the context names, else of the one worked on last."""
    if not {"task", "work", "topic"} & set(request.sections):
        return None
    scopes = tuple(scope for scope in request.near if "/task/" not in scope)
    where = Where(kinds=(WORK,), statuses=LIVE, scopes=scopes)
    id = engine.context.task
    if id is not None:
        where = where.but(name=id)
    found = select_memories(engine, where, MOST_TASKS)
    notes = [one for one in found if one.aliases and id in (None, *one.aliases)]
    return next((one for one in notes if not one.superseded_by), None)


def _of_task(engine: Engine, request: DigestRequest, task: Memory | None) -> list[Offer]:
    """The working state of the active task; parts that could be somebody else's orders are left."""
    if task is None or "task" not in request.sections:
        return []
    task = task.but(trust="user") if _is_persons(engine, task) else task
    parts = list(WorkState(task).parts())
    if task.trust not in CONFIRMED:
        from ..rules.screening.orders import gives_orders

        parts = [part for part in parts if not gives_orders(part, step=True)]
    return [Offer(task, "task", ". ".join(parts))] if parts else []


def _is_persons(engine: Engine, task: Memory) -> bool:
    """Whether goal, constraints and steps are as a person wrote them, whoever ticked a step.

    Of the rest of the note, such as findings, nothing is handed over at a start.
    """
    if task.trust in CONFIRMED or not task.aliases:
        return task.trust in CONFIRMED
    where = Where(kinds=(WORK,), statuses=("superseded",), name=task.aliases[0], trusts=CONFIRMED)
    found = select_memories(engine, where.but(scopes=(str(task.scope),)), MOST_TASKS)
    theirs = next((one for one in found if one.aliases == task.aliases), None)
    return theirs is not None and WorkState(theirs).wanted == WorkState(task).wanted


def last_session(engine: Engine, request: DigestRequest) -> tuple[Memory | None, list[str]]:
    """The summary of the newest session in the caller's project, and what is still open there.

    A session that only asked where the one before had stopped is passed over. A summary repeats
    what an agent and a user said, so that no person vouches for it.
    """
    where = request.where.but(kinds=SUMMARIES, scopes=(str(engine.home),))
    found = select_memories(
        engine, where.but(trusts=request.trusts), MOST_SUMMARIES, order="newest"
    )
    purged = find_purged(engine, found) | request.ignored
    told = [one for one in found if one.id not in purged]
    if not any(one.kind == SESSION_SUMMARY for one in told):
        return None, []
    # Imported here, because most starts and prompts find no session.
    from ..rules.handed_over.open_ends import only_looks_back, still_open

    told = [one for one in told if not only_looks_back(one)]
    last = next((one for one in told if one.kind == SESSION_SUMMARY), None)
    left = [one.text for one in still_open(told, now=engine.now())]
    return (last.but(trust="agent"), left) if last else (None, [])


def _left_open(engine: Engine, request: DigestRequest, task: Memory | None) -> list[Offer]:
    """One line of what sessions here left open; nothing that could be an order.

    The steps of the task are its own to tell, whether they are done or not.
    """
    if "task" not in request.sections:
        return []
    summary, left = last_session(engine, request)
    if summary is None or not left:
        return []
    from ..rules.handed_over.open_ends import without_closed
    from ..rules.screening.orders import gives_orders
    from ..rules.session_summaries import section_items

    left = without_closed(left, section_items(task, "Plan")) if task else left
    left = [part for part in left if not gives_orders(part, step=True)]
    text = f"Earlier sessions left open: {' '.join(left)}"
    shown = tokens.shortened(text, price_limit=LEFT_OPEN_TOKENS * tokens.UNIT)
    return [Offer(summary, "task", shown)] if left else []


def _of_work(engine: Engine, request: DigestRequest, task: Memory | None) -> list[Offer]:
    """How far the project is, for a session that goes on with a task of it."""
    if task is None or "work" not in request.sections:
        return []
    # Imported here, because most sessions have no task.
    from .work_state import brief_work_state

    return brief_work_state(engine)


def _of_topic(engine: Engine, request: DigestRequest, task: Memory | None) -> Iterator[Offer]:
    """Memories of the topic, given or the task's: lessons first, records of work never."""
    topic = request.topic
    if "topic" in request.sections and not topic and task is not None:
        topic = task.topic or _topic_named_in(engine, task)
    if "topic" not in request.sections or not topic:
        return
    where = where_near(request, topics=(topic,), tiers=TIERS[:-1])
    found = [
        one for one in select_memories(engine, where, MOST_OF_A_TOPIC) if one.kind not in RECORDS
    ]
    for memory in sorted(found, key=lambda one: one.kind not in LESSONS):
        yield offer_of(memory, "topic")


def _topic_named_in(engine: Engine, task: Memory) -> str | None:
    # Imported here, because its patterns take time to compile and most sessions have no task.
    from ..rules.write_policy import infer_topic

    known = engine.index.count(Where(statuses=LIVE), visible=engine.visible, by="topic")
    return infer_topic(f"{task.title}\n{task.content}", task.tags, known)


def _nearest(request: DigestRequest, memories: Iterable[Memory]) -> list[Memory]:
    """The memories of the most specific scope first, otherwise in the order given."""
    order = {scope: place for place, scope in enumerate(request.near)}
    return sorted(memories, key=lambda memory: order[str(memory.scope)])
