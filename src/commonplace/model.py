"""A memory and everything said about one: plain frozen values, no behaviour beyond reading them."""

from __future__ import annotations

from .scope import Scope
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

TIERS = ("identity", "critical", "topic", "search", "archive")
OWNERS = ("personal", "curated", "agent")
STATUSES = ("staged", "active", "review", "stale", "superseded", "archived", "deleted")
SENSITIVITIES = ("public", "private", "sensitive")
TRUSTS = ("external", "system", "agent", "user")
"""From least to most trusted, so that an index into it compares."""
BASES = {"stated": 1.0, "inferred": 0.6, "pattern": 0.4}
"""Confidence by what a memory rests on."""
KINDS = (
    "fact", "preference", "insight", "workflow", "fix", "domain-reference", "idea",
    "skill-pointer", "profile", "override", "task-summary", "session-summary",
    "crystallized", "procedural",
)  # fmt: skip
"""The conventional kinds; any other lower-case name is a kind too."""

LIVE = ("active", "review", "stale")
"""Statuses that recall returns without being asked for history."""


class Memory(Value):
    """One small text and the axes that say who sees it, when it loads and how far to trust it."""

    id: str
    content: str
    created: datetime
    updated: datetime
    scope: Scope = Scope()
    kind: str = "insight"
    tier: str = "search"
    owner: str = "agent"
    status: str = "active"
    sensitivity: str = "private"
    trust: str = "agent"
    source: str = "library"
    """The door it came through: cli, library, mcp, hand, import:mem0, …"""

    slug: str = ""
    title: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topic: str | None = None
    always_load: bool = False
    confidence: float = 1.0

    key: str | None = None
    value: str | None = None
    namespace: str | None = None

    episode: str | None = None
    position: int | None = None
    speaker: str | None = None

    version: int = 1
    supersedes: str | None = None
    superseded_by: str | None = None
    derived_from: tuple[str, ...] = ()
    source_tasks: tuple[str, ...] = ()

    valid_from: datetime | None = None
    valid_until: datetime | None = None
    review_after: datetime | None = None
    expires: datetime | None = None
    deleted_at: datetime | None = None
    imported_id: str | None = None
    """The id it had where it was imported from, so that a second import finds it again."""


class Draft(Value):
    """What a caller asks to be remembered; the engine decides id, trust, place and status."""

    content: str
    scope: Scope | None = None
    kind: str | None = None
    tier: str | None = None
    owner: str | None = None
    sensitivity: str = "private"
    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    topic: str | None = None
    always_load: bool = False
    basis: str = "stated"
    confidence: float | None = None
    key: str | None = None
    value: str | None = None
    namespace: str | None = None
    episode: str | None = None
    position: int | None = None
    speaker: str | None = None
    supersedes: str | None = None
    derived_from: tuple[str, ...] = ()
    source_tasks: tuple[str, ...] = ()
    created: datetime | None = None
    """When it was said or learned, for imports and conversations; now if left out."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    review_after: datetime | None = None
    expires: datetime | None = None
    imported_id: str | None = None
    seal: bool = False
    """Keep the text encrypted; only `reveal` shows it again."""


class Saved(Value):
    """What became of a draft."""

    action: str
    """created, merged, deduplicated, superseded or staged."""
    memory: Memory
    indexed: bool = True
    """False when the memory is safe but not searchable yet; `sync` repairs it."""
    replaced: str | None = None
    """The id of the memory this one supersedes, if any."""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id


class LeftOut(Value):
    """Something in an imported file that is nothing to remember, and why."""

    why: str


class Imported(Value):
    """What became of a file that was imported."""

    kind: str
    """Which format it had: commonplace, mem0, chatgpt, …"""
    saved: int = 0
    updated: int = 0
    """Known from an earlier import, and said differently now."""
    known: int = 0
    """Already there; nothing was changed."""
    refused: int = 0
    left_out: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    """Why how many were refused or left out, the most frequent first."""
    dry_run: bool = False
    """Whether nothing was written, and the numbers say what would be."""

    @property
    def read(self) -> int:
        """How many things the file held."""
        return self.saved + self.updated + self.known + self.refused + self.left_out


class Exported(Value):
    """Memories that were written to a file or folder."""

    path: str
    format: str
    memories: int


class Moved(Value):
    """A book at its new place, compared with the old one and found equal."""

    source: str
    target: str
    memories: int
    events: int
    digest: str
    """A hash over every memory; both places have the same."""
    copied: int = 0
    """How many memories this run wrote; fewer than all when it went on with an earlier one."""
    erased: int = 0
    """Purged memories that the new place still had."""
    adapted: tuple[tuple[str, int], ...] = ()
    """Fields that the new place says in its own way, and in how many memories."""


class Why(Value):
    """One reason a hit is where it is: its name, its share of the score, and words for a person."""

    part: str
    share: float
    words: str


class Hit(Value):
    """One recalled memory, how well it fits, and why it is here."""

    memory: Memory
    score: float
    why: tuple[Why, ...] = ()
    excerpt: str = ""
    """The part of the memory that matched best, or its summary; empty for a short one."""
    around: tuple[Memory, ...] = ()
    """What was said before and after it in its conversation, when asked for."""


class Recalled(list[Hit]):
    """The hits of one recall, best first."""

    id: str = ""
    """Finds this recall in the retrieval log."""
    sure: str = "none"
    """strong, weak, or none when the book probably does not know."""


class Forgotten(Value):
    """A memory that recall no longer returns; `restore` brings it back."""

    memory: Memory


class Restored(Value):
    """A memory that recall returns again."""

    memory: Memory


class Purged(Value):
    """Memories removed for good, with every version they had."""

    ids: tuple[str, ...]
    derived: tuple[str, ...] = ()
    """Memories derived from a purged one; they still exist and may repeat it."""


class Revealed(Value):
    """A sealed memory, and the text that it keeps."""

    memory: Memory
    text: str


class Rotated(Value):
    """A change of the key that sealed memories are kept with."""

    key: str
    """The id of the key that everything is sealed with now."""
    resealed: int
    still_kept: tuple[str, ...] = ()
    """Old keys that are still there: in the environment, or because a note cannot be read."""


class Corrected(Value):
    """The right memory, and the wrong one it replaced."""

    memory: Memory
    replaced: Memory
    also: tuple[str, ...] = ()
    """Ids of further memories that said the same wrong thing and were deactivated with it."""
    elsewhere: tuple[Memory, ...] = ()
    """What says it right in their place: copies in other scopes, summaries, what was derived."""
    review: tuple[str, ...] = ()
    """Ids of memories that were derived from it in other words; a person should look at them."""


class Promoted(Value):
    """The copy made in the broader scope, and the memory it was made from."""

    memory: Memory
    origin: str


class Reverted(Value):
    """An undone change: what it was, and the memories as they are now."""

    event: str
    action: str
    memories: tuple[Memory, ...]


class Link(Value):
    """A wikilink from one memory to another, or to nothing."""

    source: str
    target: str
    """The name as written: slug, title, alias or path."""
    resolved: str | None = None
    """The id it leads to; None when broken."""
    heading: str | None = None
    alias: str | None = None
    embed: bool = False


class Links(Value):
    """The links out of a memory and into it."""

    outgoing: tuple[Link, ...] = ()
    incoming: tuple[Link, ...] = ()


class Synced(Value):
    """What a sync found and did."""

    indexed: int = 0
    repaired: int = 0
    erased: int = 0
    """Purged notes that a copy had brought back."""
    embedded: int = 0
    """Memories that can be found by their meaning now, and could not before."""
    problems: tuple[Problem, ...] = ()


class Problem(Value):
    """Something a person should look at: where, what, and how to mend it."""

    where: str
    what: str
    hint: str = ""
    severity: str = "warning"
    """notice, warning or error."""


class Use(Value):
    """How often a memory was recalled, and when last."""

    count: int = 0
    last: datetime | None = None


class Retrieval(Value):
    """One logged recall: what was asked, by whom, and what came back with which score."""

    id: str
    at: datetime
    query: str
    scope: str
    """The asking context's own scope."""
    results: tuple[tuple[str, float], ...] = ()
    """Memory ids with their scores, best first."""
    details: str = "{}"
    """Arms, settings and timings as JSON, for `why`."""


class Spend(Value):
    """One question to a model: what it was for, and what it cost."""

    at: datetime
    operation: str
    """summarize, merge, judge, sensitive, lessons or patterns."""
    model: str
    subject: str = ""
    """The memory it was about: the hash of its content, or its id."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In the currency that prices are set in."""
    failure: str = ""
    """Why its answer could not be used, if so."""


class Spent(Value):
    """What questions to models cost together."""

    asked: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failed: int = 0
    last_failure: str = ""
    """Why the newest answer could not be used; empty when it could."""


class Event(Value):
    """One audited change. It names memories but never holds their text."""

    id: str
    at: datetime
    action: str
    """created, merged, superseded, forgotten, restored, purged, promoted, edited, reverted, …"""
    memory: str
    scope: str
    by: str
    """The door the change came through."""
    automatic: bool = False
    before: str = "{}"
    """Metadata fields as they were, as JSON without any text of the memory, for undo."""
    related: tuple[str, ...] = ()
    """Other memories the change involved: the superseded one, the origin of a promotion, …"""
    digest: str = ""
    """Keyed hash of the content, so that purged text is recognized without being kept."""


class Verified(Value):
    """The state of the audit chain."""

    events: int
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no event was changed, removed or reordered."""
        return not self.problems


class Status(Value):
    """Where the book lives, what it holds and how its parts are."""

    url: str
    store_id: str
    state: str
    """The device-local folder with index, counters and locks."""
    memories: int
    by_status: tuple[tuple[str, int], ...] = ()
    by_kind: tuple[tuple[str, int], ...] = ()
    by_scope: tuple[tuple[str, int], ...] = ()
    index: str = ""
    embedder: str = "none"
    """The model that vectors come from, and whether it can be used right now."""
    sessions: str = "local"
    """Where conversations are remembered while they last, and whether that can be reached."""
    capabilities: tuple[str, ...] = ()
    reasoner: str = "rules"
    """Who works with meaning, what that cost this month, and why it failed if it did."""
    tokens: str = ""
    """Whether callers of a server need a token, and whether any is left; for the owner alone."""
