"""A new version of a memory: what stays, what changes, and that nobody was faster."""

from __future__ import annotations

from ..errors import Conflict, NotFound
from ..model import BASES, LIVE
from ..rules import drafts, identity
from ..rules.codec import to_millisecond
from ..scope import EVERYTHING
from .gates.drafting import summarized
from .gates.judgements import held
from .notices import refusals
from .save import refuse_purged
from .screen import screened_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model import Memory
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
    return summarized(engine, new, held(engine))


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
