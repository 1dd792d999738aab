"""Forget or purge all memories that a description means, after a preview.

The preview has an id that stands for its memories as they are. A confirmation with that id changes
this set and no other: if a memory of it changed, or another one fits now, the id is refused.
"""

from __future__ import annotations

from ..engine.branch_view import branch_view
from ..engine.catch_up import catch_up_or_rebuild, find_purged, with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import audited_refusals, commit
from ..engine.drafts import screen_fields
from ..engine.embed import embed_one
from ..engine.observed import observed
from ..engine.propose import stage_proposal
from ..engine.revisions import next_version
from ..engine.search import follow_links
from ..language import statements, words
from ..model.codec import to_millisecond
from ..model.errors import (
    BadInput,
    Conflict,
    EmbedderUnavailable,
    NotAllowed,
    Proposed,
    Refused,
)
from ..model.memory import LIVE, SUMMARIES
from ..model.scope import Scope
from ..model.value import Value
from ..notes.display import is_sealed, qualified_text, searchable_text
from ..ports.search_index import Where
from ..rules import (
    access,
    authority,
    description_match,
    descriptions,
    proposals,
    session_summaries,
)
from ..rules.description_match import LONGER_NAME, NOT_ALL_WORDS, SAME_KIND
from ..rules.longer_names import without_longer_names
from ..rules.own_subjects import Left, without_matter
from ..rules.talk.forget_wishes import is_first_of, matter_terms
from .erase import combined_hash
from .find import get
from .forget import purge_together
from .offers import RECORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from ..engine.engine import Engine
    from ..model.conditions import ScopeLike
    from ..model.memory import Memory
    from ..rules.description_match import Verdict
    from ..rules.talk.forget_wishes import ForgetWish

POOL = 2_000
"""Memories with words of the description that are read."""
MOST = 500
"""Memories that one description may mean."""
MOST_NEAR = 20
MEMBERS_COMPARED = 8
NEIGHBOURS, AROUND = 12, 400
"""Memories near in meaning that are looked at: to one that is meant, and to the description."""
LIKE_MEMBER, LIKE_DESCRIPTION = 0.45, 0.15
"""How far between unrelated and equal texts a memory must lie to be near in meaning."""
ENTANGLED = "it tells of other things in the same sentence"
LINKED, MEANING = "it is only linked with one of them", "it is only near in meaning"
PERSONS_ALONE = "only a person may forget it"
HEARD = "hook"
"""The source of memories that were kept of what a user said in a session."""
MOST_TAKEN_BACK = 5
"""Memories that a user's `forget everything I said about X` ends at once. One who does not ask for
everything means one memory; where more fit, a person is asked."""


class NearMiss(Value):
    """A memory that is near to a description and stays, and why."""

    memory: Memory
    why: str


class Previewed(Value):
    """The memories that a description means, and those near to it that stay."""

    description: str
    id: str
    """Confirms exactly this set; empty if no memory fits."""
    going: tuple[Memory, ...] = ()
    near: tuple[NearMiss, ...] = ()
    left: Mapping[str, str] = {}
    """The text that stays of those memories that tell of other things, too, by their ids."""


class ForgottenAbout(Value):
    """The memories that were forgotten together."""

    id: str
    """`revert` with this id brings all of them back; empty if none went at once."""
    memories: tuple[Memory, ...]
    proposal: Memory | None = None
    """The proposal about those that a person wrote, if an agent asked."""
    shortened: tuple[Memory, ...] = ()
    """Memories that lost only what they told of the matter."""


class PurgedAbout(Value):
    """Receipt of a purge by description: ids and hashes, without any purged text."""

    book: str
    at: datetime
    ids: tuple[str, ...]
    tombstones: str
    """Hash of the keyed hashes that recognize the purged texts."""
    derived: tuple[str, ...] = ()
    """Memories derived from a purged one; they still exist and may repeat it."""
    proposals: tuple[str, ...] = ()
    """Those of `ids` that were proposals about a purged memory."""


def about(
    engine: Engine, description: str, *, scope: ScopeLike | None = None, purge: bool = False
) -> Previewed:
    """Preview what forgetting by a description would change; a purge reaches retired ones, too."""
    if not description.strip():
        raise BadInput("The description is empty.", hint='Say what to forget: "the Oslo trip".')
    named = None if scope is None else str(Scope.of(scope))
    found = with_index(engine, lambda: _judged(engine, description, named, purge=purge))
    going = [memory for memory, verdict in found if verdict.meant]
    if len(going) > MOST:
        raise Refused(
            f"More than {MOST} memories fit this description.", hint="Say it more precisely."
        )
    barred = [one for one in going if _only_persons(engine, one)]
    going = [one for one in going if one not in barred]
    near = [NearMiss(one, PERSONS_ALONE) for one in barred]
    # A purge leaves no copy anywhere; what is forgotten here may hold on another branch.
    elsewhere = {} if purge else _of_other_branches(engine, going)
    near += [NearMiss(one, elsewhere[one.id]) for one in going if one.id in elsewhere]
    going = [one for one in going if one.id not in elsewhere]
    # A purge leaves no copy of a text, so it takes the whole memory.
    parts = {} if purge else _parts_left(engine, description, going)
    near += [
        NearMiss(one, ENTANGLED) for one in going if one.id in parts and not parts[one.id].sure
    ]
    going = [one for one in going if one.id not in parts or parts[one.id].sure]
    left = {one.id: parts[one.id].text for one in going if one.id in parts and parts[one.id].text}
    misses = [NearMiss(one, verdict.why) for one, verdict in found if verdict.near]
    near += [one for one in misses if one.why not in (NOT_ALL_WORDS, SAME_KIND)]
    near += with_index(engine, lambda: _perhaps(engine, description, going, near, named))
    listed = {one.memory.id for one in near}
    last = sorted(misses, key=lambda one: one.why == SAME_KIND)
    near += [one for one in last if one.memory.id not in listed]
    act = "purge" if purge else "forget"
    said = "\0".join((description.strip(), named or ""))
    id = proposals.proposal_id(act, going, said) if going else ""
    return Previewed(description, id, tuple(going), tuple(near[:MOST_NEAR]), left)


def _parts_left(engine: Engine, description: str, going: Sequence[Memory]) -> dict[str, Left]:
    """Map ids to each memory's text without the thing, where its statements can be parted."""
    asked = descriptions.read_description(description, going)
    return {
        one.id: without_matter(one.content, lambda told: description_match.tells_of_it(asked, told))
        for one in going
        if one.kind not in RECORDS
        and one.value is None
        and not is_sealed(one)
        and not description_match.is_filed_as(asked, one)
    }


@observed
def forget_about(
    engine: Engine,
    description: str,
    confirm: str,
    *,
    also: Sequence[str] = (),
    scope: ScopeLike | None = None,
) -> ForgottenAbout:
    """Forget the previewed memories together; `also` names near ones that go as well."""
    seen = about(engine, description, scope=scope)
    chosen = _confirmed(engine, seen, confirm, also)
    at_once = [one for one in chosen if _verdict(engine, one) == authority.AT_ONCE]
    theirs = [one for one in chosen if one not in at_once]
    proposal = _propose(engine, description, theirs) if theirs else None
    if not at_once and proposal is not None:
        raise Proposed(
            "These memories are a person's, so nothing was changed: one proposal waits for that"
            " person.",
            hint=f"A person decides: `commonplace inbox show {proposal.slug}`.",
        ).as_proposal(proposal.id)
    return _taken_out(engine, at_once, seen.left).but(proposal=proposal)


@observed
def take_back(
    engine: Engine, wish: ForgetWish, *, among: Collection[str] | None = None
) -> ForgottenAbout:
    """Forget what is known of a matter in this project, or about the person, as the user asks.

    At once goes the one memory that fits, unless it is a person's: if the user named their own
    words, the one that a session kept of them; if they only let the matter go, one that is about
    it in the first place; if they said it as a sentence, one of one sentence. Else one proposal
    lists what fits. `among` limits this to memories with these ids, and proposes nothing but what
    a longer name that holds the matter is about, or what tells of other things in the same
    sentence.
    """
    here = engine.home.value("project")

    def is_here(one: Memory) -> bool:
        return one.scope.value("project") in (None, here)

    def is_fitting(one: Memory) -> bool:
        return one.kind not in RECORDS and (among is None or one.id in among)

    seen = about(engine, wish.about)
    entangled = [one.memory for one in seen.near if one.why == ENTANGLED]
    found = list(filter(is_here, (*seen.going, *entangled)))
    fitting = list(filter(is_fitting, found))
    said = [one for one in fitting if one.source == HEARD] if wish.of_speech else []
    meant = [one for one in said if _verdict(engine, one) == authority.AT_ONCE] or fitting
    clear = [one for one in meant if one not in entangled]
    at_once = all(
        _verdict(engine, one) == authority.AT_ONCE
        and (not wish.loose or is_first_of(wish.about, qualified_text(one)))
        and (not wish.stated or len(statements.sentences(one.content)) == 1)
        for one in clear
    )
    few = len(clear) <= MOST_TAKEN_BACK if wish.everything else len(meant) <= 1
    doubtful = [one for one in meant if one in entangled]
    obeyed = at_once and few and (wish.everything or not doubtful)
    if among is None and (not wish.loose or (obeyed and meant)):
        recorded = [one for one in found if one.kind in RECORDS]
        recorded += filter(is_here, _summaries_with(engine, wish.about, recorded))
        _leave_out(engine, wish.about, recorded)
    if obeyed:
        done = _taken_out(engine, clear, seen.left)
        if wish.everything:
            longer = [one.memory for one in seen.near if one.why == LONGER_NAME]
            doubtful += [one for one in longer if is_here(one) and is_fitting(one)]
        return done.but(proposal=_propose(engine, wish.about, doubtful)) if doubtful else done
    asks = meant if among is None else doubtful
    return ForgottenAbout("", (), _propose(engine, wish.about, asks) if asks else None)


def _summaries_with(engine: Engine, matter: str, besides: Sequence[Memory]) -> list[Memory]:
    """The summaries of sessions that have words of a matter in a line, whatever else they tell."""
    found = with_index(engine, lambda: _judged(engine, matter, None, purge=False))
    return [one for one, _ in found if one.kind in SUMMARIES and one not in besides]


def _leave_out(engine: Engine, matter: str, records: Sequence[Memory]) -> None:
    """Take the lines about a matter out of what agents recorded of earlier sessions."""
    from .correct import edit

    named = matter_terms(matter)
    for one in records:
        kept = session_summaries.without_lines(
            one.content, lambda line: named <= without_longer_names(named, line)
        )
        titled = named <= without_longer_names(named, one.title)
        changes: dict[str, Any] = {"title": ""} if titled else {}
        if (kept != one.content or changes) and _verdict(engine, one) == authority.AT_ONCE:
            try:
                edit(engine, one.id, expect=one, content=kept, **changes)
            except Refused:  # What is left says too little to be a memory.
                _taken_out(engine, [one], {})


def _taken_out(
    engine: Engine, memories: Sequence[Memory], left: Mapping[str, str]
) -> ForgottenAbout:
    """Forget memories in one change, if they are still as they were read.

    Of those that tell of other things, too, only what is `left` stays, as a new version.
    """
    if not memories:
        return ForgottenAbout("", ())
    with engine.store.lease() as lease:
        catch_up_or_rebuild(engine, look=False)
        change, now = engine.id(), to_millisecond(engine.now())
        changes, gone, shorter = ChangeSet(), list[str](), list[str]()
        for old in _unchanged(engine, memories):
            if old.id in left:
                new = next_version(engine, old, left[old.id])
                new = changes.replace(new, old, action="edited", related=(change,)).new
                shorter.append(new.id)
            else:
                deleted = old.but(status="deleted", deleted_at=now, updated=now)
                changes.change("forgotten", deleted, before=old, related=(change,))
                gone.append(old.id)
        done = commit(engine, lease, changes).memories
    for id in shorter:
        embed_one(engine, done[id])
    return ForgottenAbout(
        change, tuple(done[id] for id in gone), shortened=tuple(done[id] for id in shorter)
    )


@observed
def purge_about(
    engine: Engine,
    description: str,
    confirm: str,
    *,
    also: Sequence[str] = (),
    scope: ScopeLike | None = None,
) -> PurgedAbout:
    """Remove the previewed memories for good, with their versions and copies."""
    authority.require_person(engine.source, "purge memories")
    seen = about(engine, description, scope=scope, purge=True)
    chosen = _confirmed(engine, seen, confirm, also)
    texts = [engine.place_fingerprint(one) for one in chosen]
    done = purge_together(engine, chosen)
    return PurgedAbout(
        book=engine.store.store_id,
        at=to_millisecond(engine.now()),
        ids=done.ids,
        tombstones=combined_hash(texts),
        derived=done.derived,
        proposals=done.proposals,
    )


# The set


def _judged(
    engine: Engine, description: str, scope: str | None, *, purge: bool
) -> list[tuple[Memory, Verdict]]:
    """Memories with words of the description, newest first, each with a verdict."""
    statuses = None if purge else (*LIVE, "archived")
    where = Where(statuses=statuses, scopes=(scope,) if scope else None)
    terms = words.query_terms(description)
    found = engine.index.gather(terms, None, visible=engine.visible, where=where, pool=POOL)
    keys = [one.key for one in found.candidates if one.terms]
    fetched = list(engine.index.fetch(keys, visible=engine.visible).values())
    purged = find_purged(engine, fetched)
    memories = [one for one in fetched if one.id not in purged and _forgettable(one)]
    asked = descriptions.read_description(description, memories)
    if not asked.required and not asked.head:
        raise BadInput(
            "The description has no word to look for.", hint='Name the thing: "the Oslo trip".'
        )
    memories.sort(key=lambda one: (one.created, one.id), reverse=True)
    return [(one, description_match.judge(asked, one)) for one in memories]


def _of_other_branches(engine: Engine, memories: Sequence[Memory]) -> dict[str, str]:
    """The memories that the caller's HEAD does not have, by id, each with its branch in words."""
    view = branch_view(engine, memories)
    return {one.id: f"it was {view.warning(one)}" for one in memories if view.hides(one)}


def _forgettable(memory: Memory) -> bool:
    """Whether a memory is one of its own: no proposal, no version that another one replaced."""
    replaced = memory.superseded_by is not None and memory.status not in LIVE
    return memory.kind != proposals.PROPOSAL_KIND and not replaced


def _only_persons(engine: Engine, memory: Memory) -> bool:
    """Whether the caller can neither change a memory nor propose it."""
    if memory.owner == "personal" or not access.may_write(engine.context, memory.scope):
        return True
    return _verdict(engine, memory) == authority.NEVER


def _verdict(engine: Engine, memory: Memory) -> str:
    verdict = authority.verdict(engine.source, memory)
    if verdict != authority.AT_ONCE and is_sealed(memory):
        return authority.NEVER
    return verdict


def _perhaps(
    engine: Engine,
    description: str,
    going: Sequence[Memory],
    near: Sequence[NearMiss],
    scope: str | None,
) -> list[NearMiss]:
    """Memories without the words that a link or their meaning connects with the set."""
    known = {one.id for one in going} | {one.memory.id for one in near}
    found: list[NearMiss] = []
    if going and "links" in engine.index.capabilities:
        linked = follow_links(engine, {one.id for one in going}, hops=1)
        found += [NearMiss(one, LINKED) for one in _live(engine, linked, known, scope)]
        known |= {one.memory.id for one in found}
    alike = _alike(engine, description, going)
    return found + [NearMiss(one, MEANING) for one in _live(engine, alike, known, scope)]


def _live(engine: Engine, ids: Iterable[str], known: set[str], scope: str | None) -> list[Memory]:
    wanted = tuple(id for id in ids if id not in known)
    if not wanted:
        return []
    where = Where(ids=wanted, statuses=LIVE, scopes=(scope,) if scope else None)
    found = {one.id: one for one in engine.index.select(where, visible=engine.visible, limit=MOST)}
    return [found[id] for id in wanted if id in found and _forgettable(found[id])]


def _alike(engine: Engine, description: str, going: Sequence[Memory]) -> list[str]:
    """Memories near in meaning both to the description and to one that it means, nearest first."""
    if engine.embedder is None or not going:
        return []
    from ..engine.embed import question_embedder

    embedder = question_embedder(engine)
    if embedder is None:
        return []
    members = [searchable_text(one) for one in going[:MEMBERS_COMPARED] if not is_sealed(one)]
    try:
        asked = embedder.embed([description], query=True)
        vectors = embedder.embed(members)
    except EmbedderUnavailable:
        return []

    def cosines(vector: bytes, pool: int) -> dict[str, float]:
        found = engine.index.gather(
            {}, vector, visible=engine.visible, where=Where(statuses=LIVE), pool=pool,
            least=embedder.unrelated, model=embedder.model,
        )  # fmt: skip
        return {one.id: one.meaning or 0.0 for one in found.candidates}

    to_description = cosines(asked[0], AROUND)
    to_members: dict[str, float] = {}
    for vector in vectors:
        for id, cosine in cosines(vector, NEIGHBOURS).items():
            to_members[id] = max(cosine, to_members.get(id, 0.0))
    span = 1 - embedder.unrelated
    about = {
        id
        for id, cosine in to_description.items()
        if cosine >= embedder.unrelated + LIKE_DESCRIPTION * span
    }
    nearest = sorted(to_members.items(), key=lambda pair: pair[1], reverse=True)
    least = embedder.unrelated + LIKE_MEMBER * span
    return [id for id, cosine in nearest if cosine >= least and id in about]


# The confirmation


def _confirmed(engine: Engine, seen: Previewed, confirm: str, also: Sequence[str]) -> list[Memory]:
    """The memories of the preview that was confirmed, and the chosen near ones."""
    if not seen.going and not also:
        if any(one.why == PERSONS_ALONE for one in seen.near):
            raise NotAllowed(
                "Only a person may forget what fits this description.",
                hint="Ask the person to do it in the panel or in a terminal.",
            )
        raise BadInput("No memory fits this description.", hint="Use other words, or `recall`.")
    if confirm != seen.id:
        raise Conflict(
            "The memories that fit this description are not those of the preview any more.",
            hint=f"Look at them again; their preview has the id {seen.id or 'of none'}.",
        )
    near = {one.memory.id: one for one in seen.near}
    chosen = {one.id: one for one in seen.going}
    for ref in also:
        memory = get(engine, ref)
        if memory.id in chosen:
            continue
        if memory.id not in near:
            raise BadInput(
                f"{memory.slug or memory.id} is not among those near to this description.",
                hint="Forget it by its own id.",
            )
        if near[memory.id].why == PERSONS_ALONE:
            raise BadInput(
                f"{memory.slug or memory.id} cannot go with the others: {PERSONS_ALONE}.",
                hint="Leave it out.",
            )
        access.require_writable(engine.context, memory.scope)
        chosen[memory.id] = memory
    return list(chosen.values())


def _unchanged(engine: Engine, memories: Sequence[Memory]) -> list[Memory]:
    """The memories as stored; raises Conflict if one was changed since it was read."""
    stored = engine.store.read([one.id for one in memories], visible=engine.visible)
    for one in memories:
        now = stored.get(one.id)
        if now is None or (now.content, now.status) != (one.content, one.status):
            raise Conflict(
                f"{one.slug or one.id} was changed meanwhile, and nothing was forgotten.",
                hint="Look at the preview again.",
            )
    return [stored[one.id] for one in memories]


def _propose(engine: Engine, description: str, memories: Sequence[Memory]) -> Memory:
    """One proposal to forget several memories of a person."""
    names = "\n".join(f"- [[{one.slug or one.id}]]" for one in memories)
    with audited_refusals(engine):
        said = screen_fields(engine, {"": descriptions.label(description)})[""]
    reason = f"An agent ({engine.source}) wants to forget what is about {said}."
    proposal = proposals.make_proposal(
        proposals.FORGET_ABOUT,
        memories,
        id=proposals.proposal_id(proposals.FORGET_ABOUT, memories),
        now=to_millisecond(engine.now()),
        reason=reason,
        text=names,
        source=engine.source,
    )
    return stage_proposal(engine, proposal, memories)
