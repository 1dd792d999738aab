"""Put a wrong memory right, everywhere it was repeated; or edit one by hand."""

from __future__ import annotations

from ..errors import BadInput, Conflict, NotFound
from ..model import BASES, LIVE, Corrected, Memory
from ..ports import Put, Where
from ..rules import drafts, identity, scoping, versions
from ..rules.codec import to_millisecond
from ..scope import EVERYTHING
from .catch_up import catch_up
from .commit import commit, event
from .embed import embed_whole
from .find import get
from .recall import recall
from .save import refuse_purged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .engine import Engine

EDITABLE = frozenset({
    "content", "tags", "topic", "tier", "title", "aliases", "sensitivity", "always_load",
    "confidence", "owner", "kind", "valid_from", "valid_until", "review_after", "expires",
})  # fmt: skip
"""What an edit may change; a memory's scope, identity and origin are not the caller's to set."""


def correct(engine: Engine, wrong: str, right: str) -> Corrected:
    """Replace a wrong memory, named by id, slug or its words, by the right one.

    Copies of the wrong text that the caller can see and write are retired with it.
    """
    old = _meant(engine, wrong)
    return _replace(engine, old, right, action="corrected", also=_copies(engine, old))


def edit(engine: Engine, ref: str, *, expect: Memory | None = None, **changes: Any) -> Memory:
    """Change a memory. New text makes a new version; other fields change in place."""
    _require_editable(changes)
    old = get(engine, ref)
    if expect is not None and expect != old:
        raise _changed(old)
    content = changes.pop("content", None)
    if content is not None and content != old.content:
        return _replace(engine, old, content, action="edited", expect=expect, **changes).memory
    scoping.require_writable(engine.context, old.scope)
    with engine.store.lease() as lease:
        current = _current(engine, old)
        if expect is not None and expect != current:
            raise _changed(current)
        new = current.but(updated=to_millisecond(engine.now()), **_checked(current, changes))
        events = [event(engine, "edited", new, before=current)]
        done = commit(engine, lease, [Put(new, expect=current)], events)
    return done.stored[0].memory


def _require_editable(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name not in EDITABLE:
            hint = "Use promote." if name == "scope" else f"Use {', '.join(sorted(EDITABLE))}."
            raise BadInput(f"An edit cannot change {name}.", hint=hint)
        if value is None and Memory.__defaults__.get(name, "") is not None:
            raise BadInput(f"{name} cannot be empty.", hint="Leave it out to keep it as it is.")


def _checked(old: Memory, changes: dict[str, Any]) -> dict[str, Any]:
    """The changes as they will be stored; refused when a new memory could not have them."""
    draft = drafts.draft(old.content, **changes)
    return {name: getattr(draft, name) for name in changes}


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
    clear = len(found) == 1 or (len(found) > 1 and found[0].score > 1.5 * found[1].score)
    if clear and found.sure == "strong":
        return found[0].memory
    candidates = ", ".join(hit.memory.slug or hit.memory.id for hit in found)
    raise NotFound(
        "It is not clear which memory is wrong.",
        hint=f"Name one of: {candidates}." if candidates else "Look for it with `recall`.",
    )


def _copies(engine: Engine, old: Memory) -> list[Memory]:
    where = Where(statuses=LIVE, content_hashes=(identity.content_hash(old.content),))
    same = engine.index.select(where, visible=engine.visible, limit=1_000)
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
    expect: Memory | None = None,
    **changes: Any,
) -> Corrected:
    scoping.require_writable(engine.context, old.scope)
    drafts.checked_content(right)
    with engine.store.lease() as lease:
        catch_up(engine, look=False)
        current = _current(engine, old)
        if expect is not None and expect != current:
            raise _changed(current)
        new = _next_version(engine, current, right, changes)
        refuse_purged(engine, [new])
        replaced = versions.replacement(new, current)
        copies = [(copy, versions.retired(copy, replaced.new)) for copy in also or []]
        puts = [*replaced.puts, *(Put(gone, expect=copy) for copy, gone in copies)]
        related = (replaced.gone.id, *(copy.id for copy, _ in copies))
        events = [
            event(engine, action, replaced.new, related=related),
            *(
                event(engine, "superseded", gone, before=before, related=(replaced.new.id,))
                for before, gone in [(current, replaced.gone), *copies]
            ),
        ]
        done = commit(engine, lease, puts, events)
    written = next(
        stored.memory
        for put, stored in zip(puts, done.stored, strict=True)
        if put.memory is replaced.new
    )
    embed_whole(engine, written)
    return Corrected(written, current, tuple(copy.id for copy, _ in copies))


def _current(engine: Engine, old: Memory) -> Memory:
    """The memory as it is now, inside the lease: somebody may have been faster."""
    current = engine.store.read([old.id], visible=EVERYTHING).get(old.id)
    if current is None:
        raise NotFound(f"{old.id} is no longer in the book.", hint="Look for it with `recall`.")
    if current.superseded_by:
        raise Conflict(
            f"A newer version, {current.superseded_by}, has taken this memory's place.",
            hint="Change that one instead.",
        )
    if current.status not in LIVE and current.status != "staged":
        raise Conflict(
            f"This memory is {current.status}.", hint="Bring it back with `restore` first."
        )
    return current


def _next_version(engine: Engine, old: Memory, text: str, changes: dict[str, Any]) -> Memory:
    """Everything stays as it was but the text, who said it and when; a new text is stated."""
    id, now = engine.id(), to_millisecond(engine.now())
    new = old.but(
        id=id,
        content=text if old.key is None else f"{old.key}: {_value(old, text)}",
        value=_value(old, text),
        slug=identity.slug(_own_title(old) or old.key or text[:300], id),
        title=_own_title(old),
        trust=drafts.TRUST_OF_SOURCE.get(engine.source, "external"),
        source=engine.source,
        confidence=BASES["stated"],
        created=now,
        updated=now,
    )
    return new.but(**_checked(new, changes))


def _changed(memory: Memory) -> Conflict:
    return Conflict(
        f"{memory.id} was changed since you read it.", hint="Read it again and repeat your edit."
    )


def _own_title(old: Memory) -> str:
    """A title given by name stays; one that is the text's own heading goes with the text."""
    return "" if f"# {old.title}" in old.content.splitlines() else old.title


def _value(old: Memory, right: str) -> str | None:
    """A corrected fact may be given as its value alone or as `key: value`."""
    if old.key is None:
        return None
    key, colon, value = right.partition(":")
    return value.strip() if colon and key.strip() == old.key else right.strip()
