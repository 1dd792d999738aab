"""What a session holds on to: how long, how much, and what goes first."""

from __future__ import annotations

import json

from ..errors import BadInput
from ..ports.sessions import Entry
from ..value import Value
from .codec import iso, moment
from .text import bm25, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..scope import Scope

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


class Limits(Value):
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


class Held(Value):
    """An entry with what decides how long it is kept."""

    entry: Entry
    number: int
    """Its place in the order of arrival."""
    written: float
    used: float

    def to_json(self) -> str:
        """As text, for stores that hold text."""
        plain = {**self.__dict__, "entry": {**self.entry.__dict__, "at": iso(self.entry.at)}}
        return json.dumps(plain, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Held:
        """As it was kept."""
        kept: dict[str, Any] = json.loads(text)
        told: dict[str, Any] = kept["entry"]
        told["at"] = moment(told["at"])
        entry = Entry(**told)
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


def checked(entry: Entry) -> Entry:
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


def is_live(held: Held, limits: Limits, now: float) -> bool:
    """Whether an entry of a living session is still held."""
    if held.entry.importance >= IMPORTANT:
        return True
    since = max(held.written, held.used) if limits.eviction == "lru" else held.written
    return now - since < limits.ttl_s


def kept(held: Iterable[Held], limits: Limits, now: float) -> list[Held]:
    """What stays within the limits, in order of arrival; important entries go last."""
    live = [one for one in held if is_live(one, limits, now)]
    by = {"lru": _last_use, "fifo": _arrival, "ttl": _expiry}[limits.eviction]
    live.sort(key=lambda one: (one.entry.importance >= IMPORTANT, *by(one)), reverse=True)
    return sorted(live[: limits.items], key=lambda one: one.number)


def _last_use(held: Held) -> tuple[float, int]:
    return max(held.used, held.written), held.number


def _arrival(held: Held) -> tuple[float, int]:
    return 0.0, held.number


def _expiry(held: Held) -> tuple[float, int]:
    return held.written, held.number


def best(entries: Sequence[Held], query: str, *, limit: int) -> list[Held]:
    """The entries that share the most telling words with a query, best first."""
    wanted = words.query(query)
    said = [words.terms(_searched(one.entry.content)) for one in entries]
    postings = {
        word: {at: float(count) for at, terms in enumerate(said) if (count := terms.count(word))}
        for word in wanted
    }
    total = bm25.Statistics(len(said), float(sum(map(len, said))))
    norms = bm25.norms(total)
    scores = bm25.scores(postings, total, lambda at: norms[bm25.step(len(said[at]))])
    order = sorted(scores, key=lambda at: (-scores[at], -entries[at].number))
    return [entries[at] for at in order[: max(limit, 0)]]


def _searched(text: str) -> str:
    if len(text) <= 2 * SEARCHED_CHARACTERS:
        return text
    return f"{text[:SEARCHED_CHARACTERS]}\n{text[-SEARCHED_CHARACTERS:]}"
