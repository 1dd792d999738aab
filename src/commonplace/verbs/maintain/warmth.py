"""The step that lets use decide what is always loaded, within the room there is for it."""

from __future__ import annotations

from ...rules.ageing import heat
from ...rules.ageing import retiring as ageing
from ...rules.digest import settings as digest_settings
from ...rules.text import tokens
from . import desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory
    from .desk import Desk

NEVER_LOADED = ("task-summary", "session-summary", "idea", "work")
"""Kinds that are looked up when they are needed, however often that is."""


def by_heat(given: Desk) -> None:
    """Load the hottest of an agent's memories from the start, and let cold ones go again.

    Text from outside never gets there, and what a person put there stays.
    """
    _cool(given)
    by_scope: dict[str, list[Memory]] = {}
    for memory in given.live():
        by_scope.setdefault(str(memory.scope), []).append(memory)
    for memories in by_scope.values():
        _warm(given, memories)


def _cool(given: Desk) -> None:
    cold = [
        memory
        for memory in given.live(curated=False)
        if memory.always_load
        and heat.heat(given.use(memory), given.now) < given.settings.cold
        and ageing.unread_days(memory, given.use(memory), given.now) >= given.settings.unread_days
    ]
    for memory in given.not_put_back(cold):
        words = f"{desk.name(memory)} was not used lately"
        given.alter("heat", "unloaded", memory, words, always_load=False)


def _warm(given: Desk, memories: list[Memory]) -> None:
    agent = memories[0].scope.value("agent")
    budget = digest_settings.resolve(given.engine.settings.digest, agent).budget
    loaded = sum(tokens.estimate(memory.content) for memory in memories if memory.always_load)
    hot = [memory for memory in memories if _hot(given, memory)]
    wanted = [
        (heat.heat(given.use(memory), given.now), tokens.estimate(memory.content), memory)
        for memory in given.not_put_back(hot)
    ]
    for memory in heat.within_budget(wanted, loaded, budget.sections["always"].tokens):
        words = f"{desk.name(memory)} was used {given.use(memory).count} times"
        given.alter("heat", "loaded", memory, words, always_load=True)


def _hot(given: Desk, memory: Memory) -> bool:
    return (
        not memory.always_load
        and memory.owner == "agent"
        and memory.trust != "external"
        and memory.sensitivity != "sensitive"
        and memory.status == "active"
        and memory.kind not in NEVER_LOADED
        and heat.heat(given.use(memory), given.now) >= given.settings.hot
    )
