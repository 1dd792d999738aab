"""The results of the verbs: what was done to which memory, and what failed."""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from .memory import Link, Memory, Problem


class Saved(Value):
    """The result of saving a draft."""

    action: str
    """created, merged, deduplicated, superseded or staged."""
    memory: Memory
    indexed: bool = True
    """False when the memory is safe but not searchable yet; `sync` repairs it."""
    replaced: str | None = None
    """The id of the memory this one supersedes, if any."""
    why: str = ""
    """Why it waits in the inbox, if the text itself is the reason."""
    stale: str = ""
    """The value in a file that the text speaks of, if the text gives another one."""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id


class LeftOut(Value):
    """Something in an imported file that is nothing to remember, and why."""

    why: str


class Imported(Value):
    """The result of importing a file."""

    kind: str
    """Which format it had: commonplace, mem0, chatgpt, …"""
    saved: int = 0
    updated: int = 0
    """Known from an earlier import, and said differently now."""
    turns: int = 0
    """Turns of conversations among the saved ones; `recall` finds them."""
    known: int = 0
    """Already there; nothing was changed."""
    replaced: int = 0
    """Number of saved memories that replaced an older one."""
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
    others: int = 0
    """Those of them that `list` leaves out: the archive, turns, and with `everything` all else."""


class Moved(Value):
    """A book at its new place, compared with the old one and found equal."""

    source: str
    target: str
    memories: int
    """Those in use, as `list` and `status` count them."""
    events: int
    digest: str
    """A hash over every record; both places have the same."""
    copied: int = 0
    """How many records this run wrote; fewer than all when it went on with an earlier one."""
    erased: int = 0
    """Purged memories that the new place still had."""
    adapted: tuple[tuple[str, int], ...] = ()
    """Fields that the new place says in its own way, and in how many memories."""
    records: int = 0
    """All that was moved: also old versions, the archive, the inbox and turns of conversations."""


class Forgotten(Value):
    """A memory that recall no longer returns; `restore` brings it back."""

    memory: Memory
    also_on: str = ""
    """The branch it was learned on, if the caller works on another one: it is forgotten there, too.
    """


class Restored(Value):
    """A memory that recall returns again."""

    memory: Memory


class Purged(Value):
    """Memories removed for good, with every version they had."""

    ids: tuple[str, ...]
    derived: tuple[str, ...] = ()
    """Memories derived from a purged one; they still exist and may repeat it."""
    proposals: tuple[str, ...] = ()
    """Those of `ids` that were proposals about a purged memory."""
    elsewhere: tuple[Memory, ...] = ()
    """Memories of other scopes with the same text, which stay."""


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
    """The corrected memories elsewhere: copies in other scopes, summaries, derived memories."""
    review: tuple[str, ...] = ()
    """Ids of memories that were derived from it in other words; a person should look at them."""


class Promoted(Value):
    """The copy made in the broader scope, and the memory it was made from.

    Without a broader scope both are the memory itself, which holds on every branch now.
    """

    memory: Memory
    origin: str


class Reverted(Value):
    """An undone change: what it was, and the memories as they are now."""

    event: str
    action: str
    memories: tuple[Memory, ...]


class Links(Value):
    """The links out of a memory and into it."""

    outgoing: tuple[Link, ...] = ()
    incoming: tuple[Link, ...] = ()


class Synced(Value):
    """The result of a sync."""

    indexed: int = 0
    repaired: int = 0
    erased: int = 0
    """Purged notes that a copy had brought back."""
    embedded: int = 0
    """Memories that can be found by their meaning now, and could not before."""
    settled: int = 0
    """Notes that a file sync tool had left in several files."""
    asked: int = 0
    """Questions in the inbox that came of them."""
    arriving: int = 0
    """Such notes that were left for the next time, because a part may still be on its way."""
    problems: tuple[Problem, ...] = ()


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
    """The total cost of questions to models."""

    asked: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failed: int = 0
    last_failure: str = ""
    """Why the newest answer could not be used; empty when it could."""


class Verified(Value):
    """The state of the audit chain."""

    events: int
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether no event was changed, removed or reordered."""
        return not self.problems


class MemoryMarks(Value):
    """The warnings that a memory may carry; each is empty if it does not apply."""

    warning: str = ""
    """Where it was learned, if that is not merged where the caller works, or not to be found."""
    stale: str = ""
    """How the project's files differ from what it speaks of."""
    disputed_with: tuple[str, ...] = ()
    """Ids of the memories that contradict it, while a question in the inbox asks which holds."""


class Overview(Value):
    """The memories of a scope, or of all visible ones: counts, and the newest."""

    memories: int
    by_kind: tuple[tuple[str, int], ...] = ()
    by_scope: tuple[tuple[str, int], ...] = ()
    by_topic: tuple[tuple[str, int], ...] = ()
    newest: tuple[Memory, ...] = ()
    branches: tuple[str, ...] = ()
    """Branches that are not merged here, whose memories are left out."""


class Status(Value):
    """Where the book lives, what it holds and how its parts are."""

    url: str
    store_id: str
    state: str
    """The device-local folder with index, counters and locks."""
    memories: int
    """Those in use, as `list` and the panel count them."""
    by_status: tuple[tuple[str, int], ...] = ()
    """All records, those in use among them."""
    by_kind: tuple[tuple[str, int], ...] = ()
    """The memories in use."""
    by_scope: tuple[tuple[str, int], ...] = ()
    """The memories in use."""
    waiting: int = 0
    """Memories and proposals that wait in the inbox for a person's decision."""
    index: str = ""
    embedder: str = "none"
    """The model that vectors come from, and whether it can be used right now."""
    sessions: str = "local"
    """Where conversations are remembered while they last, and whether that can be reached."""
    capabilities: tuple[str, ...] = ()
    reasoner: str = "rules"
    """Who works with meaning, what that cost this month, and why it failed if it did."""
    thresholds: tuple[tuple[str, float], ...] = ()
    """How well memories must fit to be handed over, in scopes that have learned it from use."""
    tokens: str = ""
    """Whether callers of a server need a token, and whether any is left; for the owner alone."""
    records: int = 0
    """All that is kept, which the counts by status divide: also old versions, the archive,
    forgotten memories, what waits in the inbox, and turns of conversations."""


class ScopeSuggestion(Value):
    """A memory of the whole book that seems to belong to a project."""

    memory: Memory
    scope: str
    """The project's scope."""
    why: tuple[str, ...]
    """The evidence."""


class StayedBehind(Value):
    """A memory that was not moved, and why."""

    memory: Memory
    why: str


class ScopesMoved(Value):
    """The result of moving memories into projects."""

    moved: tuple[Memory, ...] = ()
    left: tuple[StayedBehind, ...] = ()


class AuditExample(Value):
    """One fault, with every secret and all personal data masked."""

    text: str
    where: str
    why: str
    other: str = ""
    """The statement that it repeats, or that contradicts it."""


class FaultShare(Value):
    """How many statements have a fault, and some of them."""

    kind: str
    count: int
    share: float
    examples: tuple[AuditExample, ...] = ()


class StoreAudit(Value):
    """The result of an audit."""

    store: str
    format: str
    memories: int
    statements: int
    good: int
    """Statements without any fault."""
    faults: tuple[FaultShare, ...]
    left_out: tuple[tuple[str, int], ...] = ()
    """Reasons why parts of the store were not read, and how often."""
    notes: tuple[str, ...] = ()
    """Limits that this audit met."""
    own: bool = False
    """Whether the store is the reader's own book, which has nothing to import from itself."""
    imported: Imported | None = None
