"""The profile of the person an agent works for: part of every digest, so it stays short.

A scope has at most two: the one that the person wrote or confirmed, and lines of agents, which are
shown as unconfirmed beside it until the person accepts them.
"""

from __future__ import annotations

from ..engine.catch_up import with_index
from ..model.identity import normalized
from ..model.memory import LIVE
from ..model.value import Value
from ..notes import profile
from ..ports.search_index import Where
from ..rules import authority, drafts
from ..rules.access import person_scope
from ..rules.screening.orders import gives_orders
from ..verbs.correct import edit
from ..verbs.save import save

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..model.scope import Scope
    from ..notes.profile import Section


MOST_PROFILES = 20


class Profile(Value):
    """The profile of a scope."""

    scope: str
    text: str = ""
    memory: Memory | None = None
    unconfirmed: str = ""
    """Lines that agents wrote, where `text` is the person's."""
    waiting: Memory | None = None
    """The line just written, if it waits for the person's confirmation."""

    @property
    def confirmed(self) -> bool:
        """Whether the text is the person's, and not an agent's that nobody has confirmed."""
        return self.memory is None or authority.is_persons(self.memory)

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
    persons, agents = _stored_profiles(engine, scope)
    shown = persons or agents
    if shown is None:
        return Profile(str(scope))
    beside = agents.content if persons is not None and agents is not None else ""
    return Profile(str(scope), shown.content, shown, beside)


def _stored_profiles(engine: Engine, scope: Scope) -> tuple[Memory | None, Memory | None]:
    """The profile of the person and the one of agents, each if there is one."""
    where = Where(kinds=("profile",), scopes=(str(scope),), statuses=LIVE)
    found = with_index(
        engine,
        lambda: engine.index.select(
            where, visible=engine.visible, order="updated", limit=MOST_PROFILES
        ),
    )
    # The index may be behind an edit that a person has just made.
    now = engine.store.read([one.id for one in found], visible=engine.visible)
    current = [now.get(one.id, one) for one in found]
    persons = next((one for one in current if authority.is_persons(one)), None)
    agents = next((one for one in current if not authority.is_persons(one)), None)
    return persons, agents


def write_profile(
    engine: Engine,
    text: str,
    *,
    section: str | None = None,
    add: bool = False,
    scope: Scope | None = None,
) -> Profile:
    """Set the profile or one section of it, or add a line, within the length limit.

    An agent writes lines of its own; those of the person stay as they are. A line that is there
    already is not added a second time.
    """
    scope = person_scope(engine.context) if scope is None else scope
    persons, agents = _stored_profiles(engine, scope)
    by_person = authority.actor_of(engine.source) == authority.PERSON
    if not by_person and gives_orders(text):
        draft = drafts.make_draft(text, kind="profile", scope=scope)
        return show_profile(engine, scope).but(waiting=save(engine, draft).memory)
    known, beside = (persons, agents) if by_person else (agents, persons)
    if add and _has_lines(text, persons, known):
        return show_profile(engine, scope)
    before = known.content if known else ""
    if section is not None:
        text = profile.with_section(before, section, text, add=add)
    elif add and before:
        text = f"{before.rstrip()}\n{text}"
    profile.require_room(text)
    if beside is not None and not by_person:
        profile.require_room(f"{beside.content}\n{text}")
    if known is None:
        save(engine, drafts.make_draft(text, kind="profile", scope=scope))
    elif text != before:
        edit(engine, known.id, content=text, expect=known)
    return show_profile(engine, scope)


def _has_lines(text: str, *profiles: Memory | None) -> bool:
    """Whether every line of a text stands in one of the profiles."""
    there = {line for one in profiles if one is not None for line in _lines(one.content)}
    return there.issuperset(_lines(text))


def _lines(text: str) -> list[str]:
    return [normalized(line.lstrip("-* ")) for line in text.splitlines() if line.strip()]
