"""How much one tenant may keep and write: off unless set."""

from __future__ import annotations

import json

from ..language import similarity, words
from ..model.codec import iso, moment
from ..model.errors import BadInput
from ..model.value import Value
from ..ports.server_state import Taken
from ..ports.session_store import SessionEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from typing import Any

    from ..model.scope import Scope, Tenant
    from ..ports.record_store import Totals
    from .parameters import BackupPlan, TenantLimits


MINUTE_S = 60


def too_much(limits: TenantLimits, tenant: Tenant, *, held: Totals, new: Totals) -> str:
    """Why something new does not fit any more, as a sentence; empty when it does."""
    most = limits.memories
    if new.memories and most and held.memories + new.memories > most:
        return f"{_whose(tenant)} is full: {held.memories:,} of {most:,} memories are kept."
    most = limits.bytes
    if new.bytes and most and held.bytes + new.bytes > most:
        return (
            f"{_whose(tenant)} is full: {held.bytes:,} of {most:,} bytes are taken,"
            f" and this needs {new.bytes:,}."
        )
    return ""


def too_fast(limits: TenantLimits, tenant: Tenant, *, lately: int, new: int) -> str:
    """Why a write comes too soon, as a sentence; empty when it does not."""
    most = limits.writes_a_minute
    if not most or lately + new <= most:
        return ""
    return f"{_whose(tenant)} had {lately:,} writes in the last minute; {most:,} are allowed."


def _whose(tenant: Tenant) -> str:
    return f"The space of {tenant.scope}"


# How much of its share a caller may still use: a bucket that fills by itself.


def take_from_bucket(
    left: float, idle_s: float, wanted: int, *, per_second: float, most: float
) -> Taken:
    """Take up to so many whole pieces from what was left and has grown back since."""
    level = min(most, left + max(0.0, idle_s) * per_second)
    amount = min(wanted, int(level))
    return Taken(amount, level - amount)


# What a session holds on to: how long, how much, and what goes first.


IMPORTANT = 0.7
"""From here on an entry stays for as long as its session, and is promoted when the work ends."""
EVICTIONS = ("lru", "fifo", "ttl")
MAX_CHARACTERS = 2_000_000
"""Of one entry: whatever a tool prints in one go, within reason."""
MAX_ID_CHARACTERS = 200
MAX_ROLE_CHARACTERS = 60
SEPARATOR = "/session/"
"""Between the scope of a session and its id."""
SEARCHED_CHARACTERS = 10_000
"""Of one entry, at its beginning and again at its end: a log says at the end what went wrong."""


class SessionLimits(Value):
    """How much a session may hold."""

    ttl_s: float = 3_600.0
    """How long a session lives after its last use, and a routine entry after it was written."""
    items: int = 100
    eviction: str = "lru"
    """What goes first when it is full: unused longest, oldest, or expiring soonest."""

    def __check__(self) -> None:
        if self.eviction not in EVICTIONS:
            raise BadInput(
                f"{self.eviction!r} is not a way to make room.", hint=f"Use {', '.join(EVICTIONS)}."
            )
        if self.ttl_s <= 0 or self.items < 1:
            raise BadInput(
                "A session lives for some time and holds at least one entry.",
                hint="Set session_ttl_s above 0 and session_items to 1 or more.",
            )


class HeldEntry(Value):
    """An entry with what decides how long it is kept."""

    entry: SessionEntry
    number: int
    """Its place in the order of arrival."""
    written: float
    used: float

    def to_json(self) -> str:
        """As text, for stores that hold text."""
        plain = {**self.__dict__, "entry": {**self.entry.__dict__, "at": iso(self.entry.at)}}
        return json.dumps(plain, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> HeldEntry:
        """As it was kept."""
        kept: dict[str, Any] = json.loads(text)
        told: dict[str, Any] = kept["entry"]
        told["at"] = moment(told["at"])
        entry = SessionEntry(**told)
        return cls(entry, kept["number"], kept["written"], kept["used"])


def name_of(scope: Scope, id: str) -> str:
    """What a store calls a session; two users with one id have two sessions."""
    plain = id.isprintable() and id == id.strip() and "/" not in id and "\\" not in id
    if not plain or not 0 < len(id) <= MAX_ID_CHARACTERS:
        raise BadInput(
            f"{id[:40]!r} cannot be the id of a session or a task.",
            hint=f"Use 1 to {MAX_ID_CHARACTERS} visible characters without slashes.",
        )
    return f"{prefix_of(scope)}{id}"


def prefix_of(scope: Scope) -> str:
    """How the names of a scope's own sessions begin; no other scope's names begin so."""
    return f"{str(scope).rstrip('/')}{SEPARATOR}"


def scope_of(name: str) -> str:
    """The path of the scope that a session's name begins with."""
    return name.rpartition(SEPARATOR)[0] or "/"


def id_of(name: str) -> str:
    """The id that a session's name ends with."""
    return name.rpartition(SEPARATOR)[2]


def checked(entry: SessionEntry) -> SessionEntry:
    """Refuse what a session cannot hold."""
    if not entry.content.strip():
        raise BadInput("There is nothing to note: the entry is empty.", hint="Add some text.")
    if len(entry.content) > MAX_CHARACTERS:
        raise BadInput(
            f"The entry has {len(entry.content):,} characters; one holds {MAX_CHARACTERS:,}.",
            hint="Note what matters in it, and where the whole of it is.",
        )
    if not 0 < len(entry.role) <= MAX_ROLE_CHARACTERS or not entry.role.isprintable():
        raise BadInput(
            f"{entry.role[:40]!r} cannot be the role of an entry.",
            hint="Use user, assistant, tool or observation.",
        )
    if not 0 < len(entry.id) <= MAX_ID_CHARACTERS:
        raise BadInput(
            "The id of an entry is too long.", hint=f"Use up to {MAX_ID_CHARACTERS} characters."
        )
    if not 0 <= entry.importance <= 1:
        raise BadInput("Importance lies between 0 and 1.", hint="0.5 is usual; 0.7 outlives it.")
    # A lone surrogate can be in a string of Python's, but in no file and on no wire.
    return entry.but(content=entry.content.encode("utf-8", "replace").decode())


def is_live(held: HeldEntry, limits: SessionLimits, now: float) -> bool:
    """Whether an entry of a living session is still held."""
    if held.entry.importance >= IMPORTANT:
        return True
    since = max(held.written, held.used) if limits.eviction == "lru" else held.written
    return now - since < limits.ttl_s


def kept(held: Iterable[HeldEntry], limits: SessionLimits, now: float) -> list[HeldEntry]:
    """What stays within the limits, in order of arrival; important entries go last."""
    live = [one for one in held if is_live(one, limits, now)]
    by = {"lru": _last_use, "fifo": _arrival, "ttl": _expiry}[limits.eviction]
    live.sort(key=lambda one: (one.entry.importance >= IMPORTANT, *by(one)), reverse=True)
    return sorted(live[: limits.items], key=lambda one: one.number)


def _last_use(held: HeldEntry) -> tuple[float, int]:
    return max(held.used, held.written), held.number


def _arrival(held: HeldEntry) -> tuple[float, int]:
    return 0.0, held.number


def _expiry(held: HeldEntry) -> tuple[float, int]:
    return held.written, held.number


def best(entries: Sequence[HeldEntry], query: str, *, limit: int) -> list[HeldEntry]:
    """The entries that share the most telling words with a query, best first."""
    wanted = words.query(query)
    said = [words.terms(_searched(one.entry.content)) for one in entries]
    postings = {
        word: {at: float(count) for at, terms in enumerate(said) if (count := terms.count(word))}
        for word in wanted
    }
    total = similarity.Statistics(len(said), float(sum(map(len, said))))
    norms = similarity.norms(total)
    scores = similarity.scores(postings, total, lambda at: norms[similarity.step(len(said[at]))])
    order = sorted(scores, key=lambda at: (-scores[at], -entries[at].number))
    return [entries[at] for at in order[: max(limit, 0)]]


def _searched(text: str) -> str:
    if len(text) <= 2 * SEARCHED_CHARACTERS:
        return text
    return f"{text[:SEARCHED_CHARACTERS]}\n{text[-SEARCHED_CHARACTERS:]}"


# How often a book is backed up, and which backups are kept for how long.


EARLY_S = 120.0
"""A backup that is due is begun a little early, so that it is done when it has to be."""


def backup_is_due(last: datetime | None, now: datetime, *, hours: float) -> bool:
    """Whether it is time for the next backup."""
    if hours <= 0:
        return False
    return last is None or (now - last).total_seconds() >= max(hours * 3600 - EARLY_S, 60)


def kept_backups(moments: Iterable[datetime], plan: BackupPlan) -> set[datetime]:
    """The moments to keep: the newest, and the last one of each hour, day and week.

    Hours in which nothing was backed up do not count, so that a machine that was off for a month
    still has its last day.
    """
    newest_first = sorted(moments, reverse=True)
    chosen = set(newest_first[:1])
    spans: tuple[tuple[int, Callable[[datetime], object]], ...] = (
        (plan.hourly, lambda at: (at.date(), at.hour)),
        (plan.daily, lambda at: at.date()),
        (plan.weekly, lambda at: at.isocalendar()[:2]),
    )
    for most, span in spans:
        last_of: dict[object, datetime] = {}
        for at in newest_first:
            last_of.setdefault(span(at), at)
        chosen.update(list(last_of.values())[: max(most, 0)])
    return chosen
