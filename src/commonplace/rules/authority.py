"""Decide whose word counts: who acts, and what they may do to a memory at once.

A person changes everything. An agent changes at once what agents wrote; a change to what a person
wrote, edited or confirmed is proposed, and the person decides. Text from outside changes nothing
but itself. The engine asks these rules at every commit, whichever door a change came through.
"""

from __future__ import annotations

from ..model.errors import NotAllowed
from ..model.memory import BASES, LIVE, TRUSTS, UNASKED_TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ..model.memory import Draft, Memory
    from ..ports.record_store import Put

PERSON, AGENT, OUTSIDE = "person", "agent", "outside"
AT_ONCE, PROPOSE, NEVER = "at once", "propose", "never"
TRUST_OF_SOURCE: Mapping[str, str] = {
    "cli": "user", "panel": "user", "hand": "user", "person": "user", "tour": "user",
    "shell": "agent", "library": "agent", "mcp": "agent", "rest": "agent", "hook": "agent",
    "maintain": "system",
}  # fmt: skip
"""Trust by the door a memory came through; every other door brings text from outside.

`cli` is a person at a terminal, `shell` the command line of everybody else.
"""
ACTOR_OF_TRUST = {"user": PERSON, "agent": AGENT, "system": AGENT, "external": OUTSIDE}
SHARED_KIND = "work"
"""Work notes: a person sets the goal, agents tick off the plan."""
INBOX_KIND = "proposal"
FORGOTTEN = "A person has forgotten this text, and decides whether it comes back."
"""Why the text of an agent waits in the inbox."""
WAITS = "It waits in the inbox already; nothing was added."
"""Answers a save that repeats what waits there."""

MOST_WORDS_OF_A_KEY = 3
"""A key of more words may be a sentence."""

_BOOKKEEPING = frozenset({
    "updated", "source_tasks", "source_agent", "superseded_by", "supersedes", "anchors",
})  # fmt: skip
"""Fields that say nothing in a person's name."""


def trust_of(source: str) -> str:
    """The trust of text that comes through a door."""
    return TRUST_OF_SOURCE.get(source, "external")


def actor_of(source: str) -> str:
    """Who acts through a door: person, agent or outside."""
    return ACTOR_OF_TRUST[trust_of(source)]


def is_persons(memory: Memory) -> bool:
    """Whether a person wrote, edited or confirmed a memory."""
    return memory.trust == "user" and memory.kind != SHARED_KIND


def least_trust(trusts: Iterable[str]) -> str:
    """The lowest of several trusts: nothing is trusted more than what it was made from."""
    return min(trusts, key=TRUSTS.index, default="user")


def verdict(source: str, memory: Memory) -> str:
    """Whether a door may change a memory at once, only propose it, or never."""
    actor = actor_of(source)
    if actor == PERSON:
        return AT_ONCE
    if memory.owner == "personal" or memory.kind == INBOX_KIND:
        return NEVER
    if actor == OUTSIDE:
        return AT_ONCE if memory.trust == "external" else NEVER
    return PROPOSE if is_persons(memory) else AT_ONCE


def is_loaded_unasked(memory: Memory) -> bool:
    """Whether every session in a memory's scope begins with it."""
    return memory.always_load or memory.tier in UNASKED_TIERS


def must_be_confirmed(memory: Memory) -> bool:
    """Whether a person has to see a new memory before sessions begin with it.

    It would be loaded unasked, no person wrote it, and it gives orders: an override always does.
    """
    if memory.trust == "user" or not is_loaded_unasked(memory):
        return False
    return memory.kind == "override" or is_order(memory)


def awaits_confirmation(memory: Memory) -> bool:
    """Whether a memory is in use, and the inbox asks a person to confirm or remove it.

    These are lines of the profile that no person wrote, preferences that an agent passes on as
    stated or that give orders, and insights passed on as stated that a session may not begin with:
    the user may have said so, or somebody who wants to be obeyed.
    """
    if memory.status not in LIVE or memory.trust == "user":
        return False
    if memory.kind == "profile":
        return True
    if memory.trust == "external":
        return False
    stated = memory.confidence >= BASES["stated"]
    if memory.kind == "insight":
        return stated and is_order(memory)
    return memory.kind == "preference" and (stated or is_order(memory))


def why_confirm(memory: Memory) -> str:
    """Why the inbox asks a person about a memory that awaits confirmation."""
    if memory.kind == "profile":
        why = "No person wrote this line of the profile"
    elif is_order(memory):
        why = _why_order(memory)
    else:
        why = "An agent passes it on as something you said"
    if memory.trust == "external" or is_order(memory):
        return f"{why}; until you decide it is found, but no session begins with it."
    return f"{why}; it is in use until you decide."


def why_staged(memory: Memory) -> str:
    """Why a memory that must be confirmed waits in the inbox."""
    return f"{_why_order(memory)}; it is not in use until you decide."


def _why_order(memory: Memory) -> str:
    from .screening.orders import order_words

    if memory.kind == "override" and not is_order(memory):
        words = "tells an agent how to work"
    else:
        value = memory.value if _is_plain_fact(memory) else None
        words = order_words(value or f"{memory.title}\n{memory.content}")
    return f"It {words}, and no person wrote it"


def becomes_order(old: Memory, new: Memory) -> bool:
    """Whether a change makes sessions begin with an order that no person has confirmed.

    A fact is found by its key too, so it is changed, and left out where sessions begin.
    """
    if old.status not in LIVE or new.key is not None or not must_be_confirmed(new):
        return False
    return new.content != old.content or not must_be_confirmed(old)


def asks_to_be_loaded(draft: Draft) -> bool:
    """Whether a draft is meant for every session, and not a fact that is found by its key too."""
    if draft.key is not None:
        return False
    meant = draft.kind in ("profile", "override")
    return meant or draft.always_load or draft.tier in UNASKED_TIERS


def is_order(memory: Memory) -> bool:
    """Whether somebody other than a person tells the reader what to do."""
    if memory.trust == "user":
        return False
    # Imported here: most saves are not loaded unasked, and the patterns take time to compile.
    from .screening.orders import gives_orders

    if memory.value is None:
        return gives_orders(f"{memory.title}\n{memory.content}")
    if gives_orders(memory.value, value=True):
        return True
    # A reader gets the key as well, and a content that the caller may have written freely.
    label = _words_of_key(memory)
    if len(label) > MOST_WORDS_OF_A_KEY and gives_orders(" ".join(label)):
        return True
    return not _is_plain_fact(memory) and gives_orders(f"{memory.title}\n{memory.content}")


def _words_of_key(memory: Memory) -> list[str]:
    name = f"{memory.namespace or ''} {memory.key}"
    return "".join(sign if sign.isalnum() else " " for sign in name).split()


def _is_plain_fact(memory: Memory) -> bool:
    return memory.content == f"{memory.key}: {memory.value}"


def require_person(source: str, act: str) -> None:
    """Raise NotAllowed unless a person acts."""
    if actor_of(source) != PERSON:
        raise NotAllowed(
            f"Only a person may {act}.",
            hint="Do it in a terminal outside any coding agent, or in the panel if it is there.",
        )


def require_authority(source: str, puts: Iterable[Put], now: datetime) -> None:
    """Raise NotAllowed if a write would change a person's memory without a person.

    Verbs turn such changes into proposals beforehand; this check holds for whatever they missed.
    """
    if actor_of(source) == PERSON:
        return
    for put in puts:
        old = put.expect
        if old is not None and verdict(source, old) != AT_ONCE and is_altered(old, put.memory, now):
            raise NotAllowed(
                f"{old.slug or old.id} {_reason(source, old)}.",
                hint="Save what is new as a memory of its own, or ask the person.",
            )


def _reason(source: str, memory: Memory) -> str:
    """Why a door may not change a memory, as the end of a sentence that begins with its name."""
    if memory.kind == INBOX_KIND:
        return "is a proposal, about which only a person decides"
    if memory.owner == "personal":
        return "is a personal note, which only its person changes"
    if is_persons(memory):
        return "was written or confirmed by a person, and only a person changes it"
    if actor_of(source) == OUTSIDE:
        return "was said here, and text from outside does not change it"
    return "may be changed by a person alone"


def is_altered(old: Memory, new: Memory, now: datetime) -> bool:
    """Whether a write changes a memory's words, place, weight or end.

    Marks that ask for attention are no change, nor is the end that the person has set.
    """
    fields = {name for name in old.__dict__ if getattr(old, name) != getattr(new, name)}
    fields -= _BOOKKEEPING
    marked = old.status in LIVE and new.status in LIVE
    if marked or {old.status, new.status} == {"superseded", "archived"}:
        fields.discard("status")
    if new.status == "archived" and old.expires is not None and old.expires <= now:
        fields -= {"status", "always_load"}
    return bool(fields)
