"""Make the next version of a memory, and read the chain of its versions."""

from __future__ import annotations

from ..model import identity
from ..model.checkout import OTHER
from ..model.codec import to_millisecond
from ..model.errors import Conflict, NotFound
from ..model.identity import is_derived
from ..model.memory import BASES, LIVE
from ..model.scope import EVERYTHING
from ..notes.facts import fact_id
from ..ports.search_index import Where
from ..rules import access, authority, branches, drafts
from ..rules.anchors.anchor import kept_anchors
from .branch_view import PATIENT_S, as_live, holds_here
from .commit import audited_refusals
from .drafts import refuse_purged, screen_version, summarized, with_checkout
from .reasoner_cache import ReasonerCache
from .stale_marks import anchored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.memory import Memory
    from .engine import Engine

MOST_VALUES = 1_000


def read_current(engine: Engine, old: Memory) -> Memory:
    """Read a memory again inside the lease; raises if it was replaced or removed meanwhile.

    One that was replaced only on branches that are not merged here can be changed here.
    """
    now = engine.store.read([old.id], visible=EVERYTHING).get(old.id)
    if now is None:
        raise NotFound(f"{old.id} is no longer in the book.", hint="Look for it with `recall`.")
    if holds_here(engine, now):
        return now
    if now.superseded_by:
        raise Conflict(
            f"A newer version, {now.superseded_by}, has taken this memory's place.",
            hint="Change that one instead.",
        )
    if now.status not in LIVE and now.status != "staged":
        raise Conflict(f"This memory is {now.status}.", hint="Bring it back with `restore` first.")
    return now


def next_version(
    engine: Engine, old: Memory, text: str, changes: Mapping[str, Any] | None = None
) -> Memory:
    """The next version of a memory, with a new text; raises Refused as a save does.

    The caller has the lease, so no model is asked.
    """
    if old.status == "superseded":
        old = as_live(old)  # On another branch, as `read_current` has checked.
    with audited_refusals(engine):
        new = _with_text(engine, old, text, changes)
        if new.value is not None:
            drafts.checked_value(new.value)
        new = screen_version(engine, old, new)
        refuse_purged(engine, [new])
    new = _learned_here(engine, old, new)
    if old.anchors or engine.folder:
        [new] = anchored(engine, [new.but(anchors=kept_anchors(old.anchors, new.content))])
    return summarized(engine, new, ReasonerCache(engine, lease_taken=True))


def _learned_here(engine: Engine, old: Memory, new: Memory) -> Memory:
    """The new version with the caller's commit and branch, where the old one holds.

    Elsewhere the old version holds until the branch is merged. What belongs to no commit, or to a
    branch that the caller does not work on, stays there.
    """
    where = branches.learned_at(old)
    if engine.checkout is None or where is None or not branches.is_tied(new):
        return new
    compared = engine.checkout.compare([where], limit_s=PATIENT_S)
    if branches.is_hidden(old, compared) or compared[str(where)] == OTHER:
        return new
    return with_checkout(engine, new)


def _with_text(
    engine: Engine, old: Memory, text: str, changes: Mapping[str, Any] | None = None
) -> Memory:
    """The memory with a new text, id, time and author; all other fields stay."""
    id, now = engine.id(), to_millisecond(engine.now())
    new = old.but(
        id=id,
        content=text if old.value is None else f"{old.key}: {_value(old, text)}",
        value=_value(old, text),
        slug=identity.slug(_own_title(old) or old.key or text[:300], id),
        title=_own_title(old),
        trust=_trust_after(engine, old),
        source=engine.source,
        confidence=BASES["stated"],
        created=now,
        updated=now,
    )
    return new.but(**checked_changes(new, changes or {}))


def _trust_after(engine: Engine, old: Memory) -> str:
    """A person's text is trusted as theirs; an agent's version no more than what it changes."""
    trust = authority.trust_of(engine.source)
    return trust if trust == "user" else authority.least_trust((trust, old.trust))


def checked_changes(old: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as they will be stored; raises if a new memory could not have them."""
    draft = drafts.make_draft(old.content, **changes)
    return {name: getattr(draft, name) for name in changes}


def edit_conflict(memory: Memory) -> Conflict:
    """The error for an edit of a memory that was changed since it was read."""
    return Conflict(
        f"{memory.id} was changed since you read it.", hint="Read it again and repeat your edit."
    )


def _own_title(old: Memory) -> str:
    """The title, unless it is the heading of the old text."""
    return "" if f"# {old.title}" in old.content.splitlines() else old.title


def _value(old: Memory, right: str) -> str | None:
    """The new value of a fact, given as the value alone or as `key: value`."""
    if old.value is None:
        return None  # A key alone is the name of a whole text.
    key, colon, value = right.partition(":")
    return value.strip() if colon and key.strip() == old.key else right.strip()


def all_versions(engine: Engine, memory: Memory) -> list[Memory]:
    """Every version the caller may see, oldest first. The index must be up to date."""
    return [*reversed(earlier_versions(engine, memory)), memory, *later_versions(engine, memory)]


def earlier_versions(engine: Engine, memory: Memory) -> list[Memory]:
    """The versions that a memory replaced, newest first."""
    return _walk(memory, lambda one: _before(engine, one))


def all_replaced(engine: Engine, memory: Memory) -> list[Memory]:
    """All memories that one replaced or was merged from, step by step, if the caller may write."""
    found = {memory.id: memory}
    edge = [memory]
    while edge:
        here = edge.pop()
        for old in (_before(engine, here), *_retired_for(engine, here)):
            if old is None or old.id in found or not access.may_write(engine.context, old.scope):
                continue
            found[old.id] = old
            edge.append(old)
    return list(found.values())[1:]


def later_versions(engine: Engine, memory: Memory) -> list[Memory]:
    """The versions that replaced a memory, oldest first."""
    return _walk(memory, lambda one: _after(engine, one))


def _walk(start: Memory, step: Callable[[Memory], Memory | None]) -> list[Memory]:
    found: list[Memory] = []
    seen, here = {start.id}, step(start)
    while here is not None and here.id not in seen:
        found.append(here)
        seen.add(here.id)
        here = step(here)
    return found


def _before(engine: Engine, memory: Memory) -> Memory | None:
    if memory.supersedes:
        return _read(engine, memory.supersedes)
    values = _earlier_values(engine, memory)
    if memory.status == "superseded":
        values = [value for value in values if _retired(value) < _retired(memory)]
    return values[-1] if values else None


def _retired_for(engine: Engine, memory: Memory) -> list[Memory]:
    """All memories that were retired for one; its own `supersedes` names only one of them."""
    where = Where(superseded_by=memory.id)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VALUES)
    return [one for one in found if one.status not in LIVE]


def _after(engine: Engine, memory: Memory) -> Memory | None:
    if memory.superseded_by is None:
        return None
    if memory.superseded_by == _line(memory):
        for value in _earlier_values(engine, memory):
            if _retired(value) > _retired(memory):
                return value
    return _read(engine, memory.superseded_by)


def _earlier_values(engine: Engine, memory: Memory) -> list[Memory]:
    """The earlier values of a line of `facts.md`, oldest first.

    A line has no room to name what it replaced; its earlier values name the line instead.
    """
    if memory.key is None or not is_derived(memory.id):
        return []
    statuses = ("superseded", "archived")
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=statuses)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VALUES)
    line = _line(memory)
    return sorted((value for value in found if value.superseded_by == line), key=_retired)


def _line(memory: Memory) -> str:
    return fact_id(memory.scope, memory.namespace, memory.key or "")


def _retired(memory: Memory) -> tuple[object, ...]:
    return (memory.updated, memory.id)


def _read(engine: Engine, id: str) -> Memory | None:
    return engine.store.read([id], visible=engine.visible).get(id)
