"""Carry out on this device the erasures that the audit chains record."""

from __future__ import annotations

import json
import os

from ..engine.commit import index_changes
from ..model.codec import moment
from ..model.errors import Unavailable
from ..model.identity import is_derived
from ..model.scope import EVERYTHING, Scope, Tenant
from ..rules import audit
from .self_test import forget_trend
from .waiting_turns import erase_waiting_turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event

FILE = "erasures"
"""The file in the state folder with the ids of erasures this device has carried out."""
MOST_EVENTS = 1_000_000


def finish_erasures(engine: Engine) -> None:
    """Carry out erasures that were made elsewhere, or interrupted here."""
    done = _finished_ids(engine)
    for erasure in erasures(engine):
        if erasure.id in done:
            continue
        tenant = Tenant.of(Scope.parse(erasure.scope))
        # The id of a hand-written place follows from the place, where something new may be now;
        # `sync` finds what was erased there by its text.
        purged = [
            one.memory for one in erasure_purges(engine, erasure.id) if not is_derived(one.memory)
        ]
        with engine.store.lease() as lease:
            engine.store.erase(purged, lease=lease)
            # A user who came back since has memories again, which stay.
            if not engine.store.totals(tenant, sized=False).memories:
                engine.store.wipe(tenant, lease=lease)
            index_changes(engine)
        engine.index.forget(purged)
        engine.ledger.wipe(tenant, erasure=erasure)
        erase_device_data(engine, tenant, turns_before=erasure.at)
        revoke_tokens(engine, tenant, before=erasure.at)
        mark_erasure_done(engine, erasure)


def erased_since(engine: Engine, tenant: Tenant, since: datetime) -> bool:
    """Whether a user was erased after a moment."""
    own = str(tenant.scope)
    return any(one.scope == own and one.at >= since for one in erasures(engine))


def erasures(engine: Engine) -> list[Event]:
    """Every erasure in the chains, newest first; only these events have no memory."""
    found = engine.ledger.events(visible=EVERYTHING, memories=[""], limit=MOST_EVENTS)
    return [one for one in found if one.action == audit.ERASED]


def erasure_purges(engine: Engine, erasure: str) -> list[Event]:
    """The tombstones that belong to an erasure."""
    found = engine.ledger.events(visible=EVERYTHING, memories=[erasure], limit=MOST_EVENTS)
    return [one for one in found if one.action == audit.PURGED]


def erase_device_data(
    engine: Engine, tenant: Tenant, *, turns_before: datetime | None = None
) -> int:
    """Erase a user's sessions, waiting turns and self-tests on this device.

    Returns the number of sessions. Turns that wait since after `turns_before` stay.
    """
    forget_trend(engine, tenant)
    live = engine.sessions.wipe(tenant) if engine.lazy_sessions is not None else 0
    waiting = erase_waiting_turns(engine.settings, engine.store.url, tenant, before=turns_before)
    return live + waiting


def revoke_tokens(engine: Engine, tenant: Tenant, *, before: datetime) -> int:
    """Revoke the user's tokens made before a moment; returns how many."""
    if engine.lazy_server_state is None:
        return 0
    theirs: list[str] = []
    for id, text in engine.server_state.tokens().items():
        try:
            said = json.loads(text)
            who, made = said["context"], moment(said["created"])
        except (ValueError, KeyError, TypeError):
            continue  # An unreadable token grants no access.
        if (who.get("org"), who.get("user")) == (tenant.org, tenant.user) and made <= before:
            theirs.append(id)
    for id in theirs:
        engine.server_state.drop_token(id)
    return len(theirs)


def mark_erasure_done(engine: Engine, erasure: Event) -> None:
    """Record that this device has carried out an erasure."""
    try:
        with open(os.path.join(engine.state, FILE), "a", encoding="ascii") as file:
            file.write(f"{erasure.id}\n")
    except OSError:
        return  # `sync` then repeats it, which does no harm.


def _finished_ids(engine: Engine) -> set[str]:
    try:
        with open(os.path.join(engine.state, FILE), encoding="ascii") as file:
            return set(file.read().split())
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise Unavailable(
            "The state folder cannot be read.", hint="Check its permissions."
        ) from error
