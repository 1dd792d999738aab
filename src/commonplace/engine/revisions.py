"""A new version of a memory: what stays, what changes, and that nobody was faster."""

from __future__ import annotations

from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import Conflict, NotFound
from ..model.identity import is_derived
from ..model.memory import BASES, LIVE
from ..model.scope import EVERYTHING
from ..notes.facts import fact_id
from ..ports.search_index import Where
from ..rules import access, drafts
from .commit import refusals, refuse_purged
from .drafts import screened_version, summarized
from .neighbours import cached_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.memory import Memory
    from .engine import Engine


def current(engine: Engine, old: Memory) -> Memory:
    """The memory as it is now, inside the lease: somebody may have been faster."""
    now = engine.store.read([old.id], visible=EVERYTHING).get(old.id)
    if now is None:
        raise NotFound(f"{old.id} is no longer in the book.", hint="Look for it with `recall`.")
    if now.superseded_by:
        raise Conflict(
            f"A newer version, {now.superseded_by}, has taken this memory's place.",
            hint="Change that one instead.",
        )
    if now.status not in LIVE and now.status != "staged":
        raise Conflict(f"This memory is {now.status}.", hint="Bring it back with `restore` first.")
    return now


def kept_version(
    engine: Engine, old: Memory, text: str, changes: Mapping[str, Any] | None = None
) -> Memory:
    """The next version as it may be kept; made while the book is held, so no model is asked.

    Raises Refused, like a save, where the text may not be kept.
    """
    with refusals(engine):
        new = screened_version(engine, old, _next_version(engine, old, text, changes))
        refuse_purged(engine, [new])
    return summarized(engine, new, cached_answers(engine))


def _next_version(
    engine: Engine, old: Memory, text: str, changes: Mapping[str, Any] | None = None
) -> Memory:
    """Everything stays as it was but the text, who said it and when; a new text is stated."""
    id, now = engine.id(), to_millisecond(engine.now())
    new = old.but(
        id=id,
        content=text if old.value is None else f"{old.key}: {_value(old, text)}",
        value=_value(old, text),
        slug=identity.slug(_own_title(old) or old.key or text[:300], id),
        title=_own_title(old),
        trust=drafts.TRUST_OF_SOURCE.get(engine.source, "external"),
        source=engine.source,
        confidence=BASES["stated"],
        created=now,
        updated=now,
    )
    return new.but(**checked(new, changes or {}))


def checked(old: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as they will be stored; refused when a new memory could not have them."""
    draft = drafts.draft(old.content, **changes)
    return {name: getattr(draft, name) for name in changes}


def changed(memory: Memory) -> Conflict:
    """What to say when somebody was faster."""
    return Conflict(
        f"{memory.id} was changed since you read it.", hint="Read it again and repeat your edit."
    )


def _own_title(old: Memory) -> str:
    """A title given by name stays; one that is the text's own heading goes with the text."""
    return "" if f"# {old.title}" in old.content.splitlines() else old.title


def _value(old: Memory, right: str) -> str | None:
    """A corrected fact may be given as its value alone or as `key: value`."""
    if old.value is None:
        return None  # A key alone is the name of a whole text.
    key, colon, value = right.partition(":")
    return value.strip() if colon and key.strip() == old.key else right.strip()


# The versions of a memory: what it replaced, and what replaced it.


MOST_VALUES = 1_000


def versions(engine: Engine, memory: Memory) -> list[Memory]:
    """Every version the caller may see, oldest first. The index must be up to date."""
    return [*reversed(earlier(engine, memory)), memory, *later(engine, memory)]


def earlier(engine: Engine, memory: Memory) -> list[Memory]:
    """What a memory replaced, newest first."""
    return _walk(memory, lambda one: _before(engine, one))


def all_earlier(engine: Engine, memory: Memory) -> list[Memory]:
    """What a memory replaced or was merged from, and they in turn, as far as one may write them."""
    found = {memory.id: memory}
    edge = [memory]
    while edge:
        here = edge.pop()
        for old in (_before(engine, here), *_gave_way(engine, here)):
            if old is None or old.id in found or not access.may_write(engine.context, old.scope):
                continue
            found[old.id] = old
            edge.append(old)
    return list(found.values())[1:]


def later(engine: Engine, memory: Memory) -> list[Memory]:
    """What replaced a memory, and what replaced that, to the newest."""
    return _walk(memory, lambda one: _after(engine, one))


def replaces(new: Memory, old: Memory) -> bool:
    """Whether readers take the old one for superseded because the new one is there.

    Only within one scope: nobody hides another's memory by claiming to supersede it. A version
    that the old one has replaced in turn, because it was restored, replaces nothing.
    """
    return (
        new.supersedes == old.id
        and new.id != old.id
        and new.scope == old.scope
        and new.status in (*LIVE, "superseded")
        and new.superseded_by != old.id
        and old.supersedes != new.id
    )


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


def _gave_way(engine: Engine, memory: Memory) -> list[Memory]:
    """Everything that was retired in favour of a memory: it names only one of them itself."""
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
    """What a line of `facts.md` said before, oldest first.

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
