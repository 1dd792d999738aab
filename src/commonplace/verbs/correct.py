"""Put a wrong memory right, everywhere it was repeated; or edit one by hand."""

from __future__ import annotations

from ..errors import Conflict, NotFound
from ..model import LIVE, Corrected
from ..ports import Put, Where
from ..rules import drafts, identity, scoping, versions
from ..scope import EVERYTHING
from .catch_up import catch_up
from .commit import commit, event
from .find import get
from .recall import recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model import Memory
    from .engine import Engine


def correct(engine: Engine, wrong: str, right: str) -> Corrected:
    """Replace a wrong memory, named by id, slug or its words, by the right one.

    Copies of the wrong text elsewhere (promoted, or saved again) are deactivated with it, as far
    as the caller may write there.
    """
    old = _meant(engine, wrong)
    return _replace(engine, old, right, action="corrected", also=_copies(engine, old))


def edit(engine: Engine, ref: str, *, expect: Memory | None = None, **changes: Any) -> Memory:
    """Change a memory. New text makes a new version; other fields change in place."""
    old = get(engine, ref)
    if expect is not None and expect != old:
        raise Conflict(
            f"{old.id} was changed since you read it.", hint="Read it again and repeat your edit."
        )
    if old.status == "superseded" and "content" in changes:
        raise Conflict(
            f"A newer version, {old.superseded_by}, has taken this memory's place.",
            hint="Edit that one instead.",
        )
    content = changes.pop("content", None)
    if content is not None and content != old.content:
        return _replace(engine, old, str(content), action="edited", **changes).memory
    checked = drafts.draft(old.content, **changes)
    scoping.require_writable(engine.context, old.scope)
    new = old.but(
        updated=drafts.to_millisecond(engine.now()),
        **{name: getattr(checked, name) for name in changes},
    )
    with engine.store.lease() as lease:
        done = commit(
            engine, lease, [Put(new, expect=old)], [event(engine, "edited", new, before=old)]
        )
    return done.stored[0].memory


def _meant(engine: Engine, wrong: str) -> Memory:
    try:
        return get(engine, wrong)
    except NotFound:
        # A memory's own words may have been given instead of its name.
        found = recall(engine, wrong, where=Where(statuses=LIVE), limit=3)
    wanted = identity.content_hash(wrong)
    for hit in found:
        if identity.content_hash(hit.memory.content) == wanted:
            return hit.memory
    if len(found) == 1 or (len(found) > 1 and found[0].score > 1.5 * found[1].score):
        return found[0].memory
    candidates = ", ".join(hit.memory.slug or hit.memory.id for hit in found)
    raise NotFound(
        "It is not clear which memory is wrong.",
        hint=f"Name one of: {candidates}." if candidates else "Look for it with `recall`.",
    )


def _copies(engine: Engine, old: Memory) -> list[Memory]:
    where = Where(statuses=LIVE, content_hash=identity.content_hash(old.content))
    same = engine.index.select(where, visible=engine.visible, limit=100)
    return [
        memory
        for memory in same
        if memory.id != old.id
        and memory.episode is None
        and scoping.may_write(engine.context, memory.scope)
    ]


def _replace(
    engine: Engine,
    old: Memory,
    right: str,
    *,
    action: str,
    also: list[Memory] | None = None,
    **changes: Any,
) -> Corrected:
    scoping.require_writable(engine.context, old.scope)
    draft = drafts.draft(
        right,
        **{
            "kind": old.kind, "tier": old.tier, "owner": old.owner, "tags": old.tags,
            "topic": old.topic, "sensitivity": old.sensitivity, "always_load": old.always_load,
            "title": _own_title(old), "aliases": old.aliases,
            "key": old.key, "namespace": old.namespace,
            "value": _value(old, right), "derived_from": old.derived_from,
            **changes,
        },
    )  # fmt: skip
    new = drafts.memory(
        draft, id=engine.id(), scope=old.scope, source=engine.source, now=engine.now()
    )
    with engine.store.lease() as lease:
        catch_up(engine, look=False)
        old = engine.store.read([old.id], visible=EVERYTHING).get(old.id, old)
        replaced = versions.replacement(new, old)
        puts, events = (
            list(replaced.puts),
            [
                event(engine, action, replaced.new, related=(replaced.gone.id,)),
                event(engine, "superseded", replaced.gone, before=old, related=(replaced.new.id,)),
            ],
        )
        for copy in also or []:
            retired = versions.retired(copy, replaced.new)
            puts.append(Put(retired, expect=copy))
            events.append(
                event(engine, "superseded", retired, before=copy, related=(replaced.new.id,))
            )
        done = commit(engine, lease, puts, events)
    written = next(
        stored.memory
        for put, stored in zip(puts, done.stored, strict=True)
        if put.memory is replaced.new
    )
    return Corrected(written, old, tuple(copy.id for copy in also or []))


def _own_title(old: Memory) -> str:
    """A title given by name stays; one that is the text's own heading goes with the text."""
    return "" if f"# {old.title}" in old.content else old.title


def _value(old: Memory, right: str) -> str | None:
    """A corrected fact may be given as its value alone or as `key: value`."""
    if old.key is None:
        return None
    key, colon, value = right.partition(":")
    return value.strip() if colon and key.strip() == old.key else right.strip()
