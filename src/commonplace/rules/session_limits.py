"""The working memory of a session: its name, what an entry may be, and which entries stay."""

from __future__ import annotations

import json

from ..language import similarity, words
from ..model.codec import iso, moment
from ..model.errors import BadInput
from ..model.value import Value
from ..ports.session_store import SessionEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..model.scope import Scope

IMPORTANT = 0.7
"""An entry of this importance stays as long as its session and is promoted at its end."""
EVICTIONS = ("lru", "fifo", "ttl")
MAX_CHARACTERS = 2_000_000
"""The longest entry, such as the output of a tool."""
MAX_ID_CHARACTERS = 200
MAX_ROLE_CHARACTERS = 60
SESSION_SEPARATOR = "/session/"
"""Between the scope of a session and its id."""
SEARCHED_CHARACTERS = 10_000
"""Characters searched at the beginning and at the end of an entry; logs fail at the end."""


class SessionLimits(Value):
    """How much a session may hold."""

    ttl_s: float = 3_600.0
    """How long a session lives after its last use, and a routine entry after it was written."""
    items: int = 100
    eviction: str = "lru"
    """The entry that goes first when it is full: unused longest, oldest, or expiring soonest."""

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
    """An entry with the times that decide how long it stays."""

    entry: SessionEntry
    number: int
    """The place in the order of arrival."""
    written: float
    used: float

    def to_json(self) -> str:
        """The entry as JSON, for stores of text."""
        plain = {**self.__dict__, "entry": {**self.entry.__dict__, "at": iso(self.entry.at)}}
        return json.dumps(plain, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> HeldEntry:
        """Parse the JSON of `to_json`."""
        kept: dict[str, Any] = json.loads(text)
        told: dict[str, Any] = kept["entry"]
        told["at"] = moment(told["at"])
        entry = SessionEntry(**told)
        return cls(entry, kept["number"], kept["written"], kept["used"])


def session_name(scope: Scope, id: str) -> str:
    """The name of a session in a store; two users with one id have two sessions."""
    plain = id.isprintable() and id == id.strip() and "/" not in id and "\\" not in id
    if not plain or not 0 < len(id) <= MAX_ID_CHARACTERS:
        raise BadInput(
            f"{id[:40]!r} cannot be the id of a session or a task.",
            hint=f"Use 1 to {MAX_ID_CHARACTERS} visible characters without slashes.",
        )
    return f"{session_prefix(scope)}{id}"


def session_prefix(scope: Scope) -> str:
    """The prefix of the names of a scope's own sessions."""
    return f"{str(scope).rstrip('/')}{SESSION_SEPARATOR}"


def session_scope(name: str) -> str:
    """The path of the scope that a session's name begins with."""
    return name.rpartition(SESSION_SEPARATOR)[0] or "/"


def session_id(name: str) -> str:
    """The id that a session's name ends with."""
    return name.rpartition(SESSION_SEPARATOR)[2]


def checked_entry(entry: SessionEntry) -> SessionEntry:
    """Return an entry that a session can hold, or raise BadInput."""
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


def is_entry_live(held: HeldEntry, limits: SessionLimits, now: float) -> bool:
    """Whether an entry of a living session is still held."""
    if held.entry.importance >= IMPORTANT:
        return True
    since = max(held.written, held.used) if limits.eviction == "lru" else held.written
    return now - since < limits.ttl_s


def entries_within_limits(
    held: Iterable[HeldEntry], limits: SessionLimits, now: float
) -> list[HeldEntry]:
    """The entries that stay, in order of arrival; important entries are evicted last."""
    live = [one for one in held if is_entry_live(one, limits, now)]
    by = {"lru": _last_use, "fifo": _arrival, "ttl": _expiry}[limits.eviction]
    live.sort(key=lambda one: (one.entry.importance >= IMPORTANT, *by(one)), reverse=True)
    return sorted(live[: limits.items], key=lambda one: one.number)


def best_entries(entries: Sequence[HeldEntry], query: str, *, limit: int) -> list[HeldEntry]:
    """The entries that share the most telling words with a query, best first."""
    wanted = words.query_terms(query)
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


def _last_use(held: HeldEntry) -> tuple[float, int]:
    return max(held.used, held.written), held.number


def _arrival(held: HeldEntry) -> tuple[float, int]:
    return 0.0, held.number


def _expiry(held: HeldEntry) -> tuple[float, int]:
    return held.written, held.number


def _searched(text: str) -> str:
    if len(text) <= 2 * SEARCHED_CHARACTERS:
        return text
    return f"{text[:SEARCHED_CHARACTERS]}\n{text[-SEARCHED_CHARACTERS:]}"
