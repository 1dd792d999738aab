"""Turn a change that its caller may not make into a proposal for the person it concerns."""

from __future__ import annotations

from datetime import timedelta

from ..model.codec import to_millisecond
from ..model.errors import NotAllowed, Proposed, Refused
from ..model.scope import EVERYTHING
from ..notes.display import is_sealed
from ..ports.search_index import Where
from ..rules import authority, proposals
from .catch_up import with_index
from .change_set import ChangeSet
from .commit import audited_refusals, commit
from .drafts import refuse_by_policy, refuse_purged, screen_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from ..model.memory import Memory
    from .engine import Engine

MOST_WAITING = 20
"""Proposals about one memory that may wait at a time."""
MOST_REJECTED = 1_000
NO_HOLDS = timedelta(days=7)
"""After a no, the same change is not proposed in other words for so long."""
_ALIKE = {
    **dict.fromkeys(("edit", "correct"), ("edit", "correct")),
    **dict.fromkeys(("forget", proposals.FORGET_ABOUT), ("forget", proposals.FORGET_ABOUT)),
}
"""Acts that are the same to the person who decides."""
_WORDS = {
    "edit": "change", "correct": "correct", "forget": "forget", "restore": "restore",
    "rename": "rename", "revert": "undo a change of",
}  # fmt: skip


def require_or_propose(
    engine: Engine,
    act: str,
    memory: Memory,
    *,
    text: str | None = None,
    fields: Mapping[str, Any] | None = None,
    decided: bool = False,
) -> None:
    """Return if the caller may change a memory at once; else stage a proposal and raise Proposed.

    `text` is the whole new text, None if it stays. `decided` says that a person has to decide
    although the memory is an agent's.
    """
    actor, allowed = authority.actor_of(engine.source), authority.verdict(engine.source, memory)
    if actor == authority.PERSON or (allowed == authority.AT_ONCE and not decided):
        return
    name = memory.slug or memory.id
    if allowed == authority.NEVER or actor == authority.OUTSIDE or is_sealed(memory):
        raise NotAllowed(
            f"Only a person may {_WORDS[act]} {name}.",
            hint="Ask the person to do it in the panel or in a terminal.",
        )
    wait_for_person(engine, proposed_change(engine, act, memory, text, fields), memory)


def wait_for_person(engine: Engine, proposal: Memory, memory: Memory) -> NoReturn:
    """Stage a proposal about a memory and raise Proposed."""
    name = memory.slug or memory.id
    waiting = stage_proposal(engine, proposal, [memory])
    raise Proposed(
        f"{name} is a person's, so nothing was changed: your change waits for that person."
        if authority.is_persons(memory)
        else f"A person decides about this change of {name}: your change waits for that person.",
        hint=f"A person decides: `commonplace inbox show {waiting.slug}`, or the panel's inbox.",
    ).as_proposal(proposal.id)


def stage_proposal(engine: Engine, proposal: Memory, targets: Sequence[Memory]) -> Memory:
    """Put a proposal into the inbox, and return the one that waits there.

    The same proposal is staged once; a rejected one is refused, in other words too.
    """
    with engine.store.lease(scopes=[proposal.scope]) as lease:
        known = engine.store.read([proposal.id], visible=EVERYTHING).get(proposal.id)
        if known is None:
            for memory in targets:
                _refuse_too_many(engine, memory)
                _refuse_rejected(engine, proposal, memory)
            changes = ChangeSet()
            changes.stage(proposal)
            commit(engine, lease, changes)
    if known is not None and known.status != "staged":
        raise _decided(targets[0])
    return known or proposal


def proposed_change(
    engine: Engine,
    act: str,
    memory: Memory,
    text: str | None = None,
    fields: Mapping[str, Any] | None = None,
) -> Memory:
    """The proposal of a change, in words and as a diff."""
    with audited_refusals(engine):
        if text:  # To forget a memory is proposed as a change to an empty text.
            said = text if memory.value is None else f"{memory.key}: {text}"
            new = memory.but(content=said, trust=authority.trust_of(engine.source))
            refuse_by_policy(engine, new, memory)
            refuse_purged(engine, [new])
        clean = screen_fields(engine, {"": text or "", **(fields or {})})
    screened = clean.pop("")
    text = None if text is None else screened
    was = {name: getattr(memory, name, None) for name in clean if act == "edit"}
    said = proposals.change_text(memory.content, text, clean, was)
    reason = f"An agent ({engine.source}) wants to {_WORDS[act]} [[{memory.slug or memory.id}]]."
    return proposals.make_proposal(
        act,
        [memory],
        id=proposals.proposal_id(act, [memory], said),
        now=to_millisecond(engine.now()),
        reason=reason,
        text=said,
        source=engine.source,
    )


def _decided(memory: Memory) -> Refused:
    return Refused(
        f"A person has already decided about this change of {memory.slug or memory.id}.",
        hint="Ask the person before you propose it again.",
    ).because("decided")


def _refuse_rejected(engine: Engine, proposal: Memory, memory: Memory) -> None:
    """Raise Refused if a person said no to such a change lately, and changed nothing since."""
    act = proposals.action_of(proposal)
    alike = _ALIKE.get(act, (act,))
    where = Where(statuses=("deleted",), kinds=(proposals.PROPOSAL_KIND,), derived_from=memory.id)
    rejected = with_index(
        engine,
        lambda: engine.index.select(where, visible=EVERYTHING, limit=MOST_REJECTED),
        look=False,
    )
    for one in rejected:
        said = one.deleted_at
        if said is None or proposals.action_of(one) not in alike:
            continue
        if memory.updated <= said and engine.now() < said + NO_HOLDS:
            raise _decided(memory)


def _refuse_too_many(engine: Engine, memory: Memory) -> None:
    where = Where(statuses=("staged",), kinds=(proposals.PROPOSAL_KIND,), derived_from=memory.id)
    waiting = with_index(
        engine,
        lambda: engine.index.select(where, visible=EVERYTHING, limit=MOST_WAITING),
        look=False,
    )
    if len(waiting) >= MOST_WAITING:
        raise Refused(
            f"{len(waiting)} proposals about {memory.slug or memory.id} wait already.",
            hint="Wait until a person has decided about some of them.",
        ).because("decided")
