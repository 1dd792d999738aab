"""The values that describe a memory: the memory itself, drafts, hits, links, uses and events."""

from __future__ import annotations

from .scope import Scope
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

TIERS = ("identity", "critical", "topic", "search", "archive")
UNASKED_TIERS = TIERS[:2]
"""Every session begins with the memories of these tiers."""
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
    "crystallized", "procedural", "design", "roadmap", "progress", "feedback",
)  # fmt: skip
"""The conventional kinds; any other lower-case name is a kind too."""
WORK_STATE = ("roadmap", "design", "progress", "feedback")
"""Kinds that say how far a project's work is, in the order in which they are handed over."""
TASK_SUMMARY, SESSION_SUMMARY = "task-summary", "session-summary"
SUMMARIES = (TASK_SUMMARY, SESSION_SUMMARY)
"""Kinds that belong to the archive whatever their tier is."""

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
    """How sure it is that this is true."""
    importance: float | None = None
    """How much it matters, as its writer says; None leaves that to its use."""

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
    source_agent: str | None = None
    """The type of the agent that learned it."""

    valid_from: datetime | None = None
    valid_until: datetime | None = None
    review_after: datetime | None = None
    expires: datetime | None = None
    deleted_at: datetime | None = None
    imported_id: str | None = None
    """The id it had where it was imported from, so that a second import finds it again."""
    anchors: tuple[str, ...] = ()
    """Places in the project's files that it speaks of, as `rules/anchors/anchor.py` writes them."""
    repository: str | None = None
    """The root commit of the repository it was learned in."""
    commit: str | None = None
    """The commit it belongs to; None if it holds on every branch."""
    branch: str | None = None


class Draft(Value):
    """A memory to be saved; the engine decides id, trust, place and status."""

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
    basis: str | None = None
    """How the writer knows it: stated, inferred or pattern. An agent infers unless it says so."""
    confidence: float | None = None
    importance: float | None = None
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
    """The turns before and after this one in its conversation, when asked for."""
    fit: float = 0.0
    """How well it fits the question by itself; a score depends on what else was found."""
    disputed_with: tuple[str, ...] = ()
    """Ids of the memories that contradict it, until a person decides which one holds."""
    warning: str = ""
    """A doubt to show beside the memory, such as that its commit is not found."""
    stale: str = ""
    """How the project's files differ from what it speaks of; empty if they do not."""


class Recalled(list[Hit]):
    """The hits of one recall, best first."""

    id: str = ""
    """Finds this recall in the retrieval log."""
    sure: str = "none"
    """strong, weak, or none when the book probably does not know."""
    sureness: float | None = None
    """How likely one of the first three answers the question; None where nobody could tell."""
    history: bool = False
    """Whether the question asks for what happened before."""
    branches: tuple[str, ...] = ()
    """Branches that are not merged here and answer the question better."""


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


class Outcomes(Value):
    """Counts of memories handed over in one scope that answers used, ignored or corrected.

    Newer ones count more.
    """

    used: float = 0.0
    ignored: float = 0.0
    corrected: float = 0.0


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


class HandedDigest(Value):
    """One logged digest: the text an agent was handed, and the memories of its lines."""

    id: str
    """That of its recall, if a question was asked."""
    at: datetime
    scope: str
    """The asking context's own scope."""
    text: str
    memories: tuple[str, ...] = ()
    """In the order of their lines."""
    by: str = ""
    """The door that it went through."""
    late: bool = False
    """Whether nobody waited for it any more, so that no agent has it yet."""


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
