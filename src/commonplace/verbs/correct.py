"""Put a wrong memory right, everywhere it was repeated; or edit one by hand."""

from __future__ import annotations

from ..engine.catch_up import catch_up
from ..engine.commit import commit, event, refusals
from ..engine.drafts import screened_fields
from ..engine.embed import embed_whole
from ..engine.revisions import changed, checked, current, kept_version
from ..model.codec import to_millisecond
from ..model.errors import BadInput
from ..model.memory import Memory
from ..model.results import Corrected
from ..notes import profile
from ..ports.record_store import Put
from ..rules import access, drafts
from ..rules.relations import versions
from .find import get
from .find_wrong import Copies, find_wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..engine.engine import Engine
    from .find_wrong import WrongMemory

EDITABLE = frozenset({
    "content", "tags", "topic", "tier", "title", "aliases", "sensitivity", "always_load",
    "confidence", "owner", "kind", "valid_from", "valid_until", "review_after", "expires",
})  # fmt: skip
"""What an edit may change; a memory's scope, identity and origin are not the caller's to set."""


def correct(engine: Engine, wrong: str, right: str) -> Corrected:
    """Replace what was wrong by what is right, everywhere the caller may write.

    Named by id, slug or its words, or `last` for what the last recall answered with. Copies in
    other scopes and statements in what was derived from it are put right with it; what was derived
    from it in other words is marked for review. What is right already stays as it is.
    """
    return put_right(engine, find_wrong(engine, wrong), right)


def put_right(engine: Engine, found: WrongMemory, right: str) -> Corrected:
    """Correct a memory, or some of its statements, when it is known which."""
    _require_room(engine, found.memory, found.replaced_by(right))
    with engine.store.lease() as lease:
        catch_up(engine, look=False)
        found = found.but(memory=current(engine, found.memory))
        old = found.memory
        if _says(old, found.replaced_by(right)):
            return Corrected(old, old)
        new = kept_version(engine, old, found.replaced_by(right))
        replaced = versions.replacement(new, old)
        repeats = Copies(engine, found, right)
        puts = [*replaced.puts, *repeats.plan(replaced.new)]
        events = [
            event(engine, "corrected", replaced.new, related=(replaced.gone.id, *repeats.retired)),
            event(engine, "superseded", replaced.gone, before=old, related=(replaced.new.id,)),
            *repeats.events,
        ]
        done = commit(engine, lease, puts, events)
    written = {put.memory.id: one.memory for put, one in zip(puts, done.stored, strict=True)}
    made = written[replaced.new.id]
    elsewhere = tuple(written[id] for id in repeats.made)
    for one in (made, *elsewhere):
        embed_whole(engine, one)
    return Corrected(made, old, tuple(repeats.gone), elsewhere, tuple(repeats.review))


def edit(engine: Engine, ref: str, *, expect: Memory | None = None, **changes: Any) -> Memory:
    """Change a memory. New text makes a new version; other fields change in place."""
    _require_editable(changes)
    old = get(engine, ref)
    if expect is not None and expect != old:
        raise changed(old)
    content = changes.pop("content", None)
    with refusals(engine):
        changes = screened_fields(engine, changes)
    if content is not None and not _says(old, content):
        return _rewritten(engine, old, content, expect, changes)
    access.require_writable(engine.context, old.scope)
    with engine.store.lease() as lease:
        now = current(engine, old)
        if expect is not None and expect != now:
            raise changed(now)
        new = now.but(**checked(now, changes))
        if new == now:
            return now
        new = new.but(updated=to_millisecond(engine.now()))
        events = [event(engine, "edited", new, before=now)]
        done = commit(engine, lease, [Put(new, expect=now)], events)
    return done.stored[0].memory


def _says(memory: Memory, text: str) -> bool:
    return text in (memory.content, memory.value)


def _rewritten(
    engine: Engine, old: Memory, text: str, expect: Memory | None, changes: dict[str, Any]
) -> Memory:
    _require_room(engine, old, text)
    with engine.store.lease() as lease:
        catch_up(engine, look=False)
        now = current(engine, old)
        if expect is not None and expect != now:
            raise changed(now)
        new = kept_version(engine, now, text, changes)
        replaced = versions.replacement(new, now)
        events = [
            event(engine, "edited", replaced.new, related=(replaced.gone.id,)),
            event(engine, "superseded", replaced.gone, before=now, related=(replaced.new.id,)),
        ]
        done = commit(engine, lease, replaced.puts, events)
    stored = zip(replaced.puts, done.stored, strict=True)
    written = next(one.memory for put, one in stored if put.memory is replaced.new)
    embed_whole(engine, written)
    return written


def _require_room(engine: Engine, old: Memory, text: str) -> None:
    access.require_writable(engine.context, old.scope)
    drafts.checked_content(text)
    if old.kind == "profile":
        profile.require_room(text)


def _require_editable(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name not in EDITABLE:
            hint = "Use promote." if name == "scope" else f"Use {', '.join(sorted(EDITABLE))}."
            raise BadInput(f"An edit cannot change {name}.", hint=hint)
        if value is None and Memory.__defaults__.get(name, "") is not None:
            raise BadInput(f"{name} cannot be empty.", hint="Leave it out to keep it as it is.")
