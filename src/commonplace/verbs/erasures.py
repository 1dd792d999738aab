"""Which erasures the audit chains tell of, and carrying them out on this device."""

from __future__ import annotations

import json
import os

from ..engine.commit import follow
from ..model.codec import moment
from ..model.errors import Unavailable
from ..model.identity import is_derived
from ..model.scope import EVERYTHING, Scope, Tenant
from ..rules import audit
from .self_test import forget_trend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import Event

FILE = "erasures"
"""The file in the state folder that says which erasures this device has carried out."""
MOST = 1_000_000


def finish_erasures(engine: Engine) -> None:
    """Do on this device what an erasure asks that was made elsewhere, or was interrupted here."""
    done = _done(engine)
    for erasure in erasures(engine):
        if erasure.id in done:
            continue
        tenant = Tenant.of(Scope.parse(erasure.scope))
        # The id of a hand-written place follows from the place, where something new may be now;
        # `sync` finds what was erased there by its text.
        purged = [one.memory for one in purges_of(engine, erasure.id) if not is_derived(one.memory)]
        with engine.store.lease() as lease:
            engine.store.erase(purged, lease=lease)
            # Whoever came back since has a place again, which is no business of this erasure.
            if not engine.store.totals(tenant, sized=False).memories:
                engine.store.wipe(tenant, lease=lease)
            follow(engine)
        engine.index.forget(purged)
        engine.ledger.wipe(tenant, erasure=erasure)
        on_this_device(engine, tenant)
        drop_tokens(engine, tenant, before=erasure.at)
        note_done(engine, erasure)


def erased_since(engine: Engine, tenant: Tenant, since: datetime) -> bool:
    """Whether a user was erased after a moment: what was said before it is not to be kept."""
    own = str(tenant.scope)
    return any(one.scope == own and one.at >= since for one in erasures(engine))


def erasures(engine: Engine) -> list[Event]:
    """Every erasure that the chains tell of, newest first: the only events of no memory."""
    found = engine.ledger.events(visible=EVERYTHING, memories=[""], limit=MOST)
    return [one for one in found if one.action == audit.ERASED]


def purges_of(engine: Engine, erasure: str) -> list[Event]:
    """The tombstones that belong to an erasure."""
    found = engine.ledger.events(visible=EVERYTHING, memories=[erasure], limit=MOST)
    return [one for one in found if one.action == audit.PURGED]


def on_this_device(engine: Engine, tenant: Tenant) -> int:
    """What each device keeps for itself; says how many sessions that were."""
    forget_trend(engine, tenant)
    return engine.sessions.wipe(tenant) if engine.later_sessions is not None else 0


def drop_tokens(engine: Engine, tenant: Tenant, *, before: datetime) -> int:
    """Let nobody in any more as the user who is gone; a token made since is for who came back."""
    if engine.later_server_state is None:
        return 0
    theirs: list[str] = []
    for id, text in engine.server_state.tokens().items():
        try:
            said = json.loads(text)
            who, made = said["context"], moment(said["created"])
        except (ValueError, KeyError, TypeError):
            continue  # It lets nobody in.
        if (who.get("org"), who.get("user")) == (tenant.org, tenant.user) and made <= before:
            theirs.append(id)
    for id in theirs:
        engine.server_state.drop_token(id)
    return len(theirs)


def note_done(engine: Engine, erasure: Event) -> None:
    """Remember that this device has carried an erasure out."""
    try:
        with open(os.path.join(engine.state, FILE), "a", encoding="ascii") as file:
            file.write(f"{erasure.id}\n")
    except OSError:
        return  # Then `sync` does once more what is done already.


def _done(engine: Engine) -> set[str]:
    try:
        with open(os.path.join(engine.state, FILE), encoding="ascii") as file:
            return set(file.read().split())
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise Unavailable("The state folder cannot be read.", hint="Check it.") from error
