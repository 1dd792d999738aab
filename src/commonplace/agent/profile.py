"""The profile of the person an agent works for: part of every digest, so it stays short."""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..model.memory import LIVE
from ..model.scope import Scope
from ..model.value import Value
from ..notes import profile
from ..ports.search_index import Where
from ..rules import drafts
from ..verbs.correct import edit
from ..verbs.save import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.scope import Context
    from ..notes.profile import Section


class Profile(Value):
    """The profile of a scope."""

    scope: str
    text: str = ""
    memory: Memory | None = None

    @property
    def characters(self) -> int:
        """Length of the text."""
        return len(self.text)

    @property
    def percent(self) -> int:
        """Used share of the length limit."""
        return profile.percent_used(self.text)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Headings and the text below each."""
        return profile.sections(self.text)


def show_profile(engine: Engine, scope: Scope | None = None) -> Profile:
    """The profile of a scope, by default of the caller's user, else of the whole book."""
    scope = person_scope(engine.context) if scope is None else scope
    where = Where(kinds=("profile",), scopes=(str(scope),), statuses=LIVE)
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, order="updated", limit=1)
    )
    if not found:
        return Profile(str(scope))
    # The index may be behind an edit that a person has just made.
    now = engine.store.read([found[0].id], visible=engine.visible).get(found[0].id, found[0])
    return Profile(str(scope), now.content, now)


def write_profile(
    engine: Engine,
    text: str,
    *,
    section: str | None = None,
    add: bool = False,
    scope: Scope | None = None,
) -> Profile:
    """Set the profile or one section of it, or add a line, within the length limit."""
    scope = person_scope(engine.context) if scope is None else scope
    known = show_profile(engine, scope)
    if section is not None:
        text = profile.with_section(known.text, section, text, add=add)
    elif add and known.text:
        text = f"{known.text.rstrip()}\n{text}"
    profile.require_room(text)
    if known.memory is None:
        saved = save(engine, drafts.make_draft(text, kind="profile", scope=scope)).memory
    elif text == known.text:
        saved = known.memory
    else:
        saved = edit(engine, known.memory.id, content=text, expect=known.memory)
    return Profile(str(scope), saved.content, saved)


def person_scope(context: Context) -> Scope:
    """The scope of the context's org and user; the whole book without them."""
    return Scope(tuple(pair for pair in context.scope.pairs if pair[0] in ("org", "user")))
