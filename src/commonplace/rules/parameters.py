"""The parameters of ranking, lifetimes, gates, screening, limits and backups."""

from __future__ import annotations

from ..model.errors import BadInput
from ..model.value import Value
from . import access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class RankingWeights(Value):
    """The numbers of ranking. Defaults are what scored best, not what looked right."""

    strategy: str = "learned"
    """learned, measured, composite, rrf or semantic."""

    keyword: float = 1.0
    meaning: float = 2.0
    speaker: float = 0.2
    time: float = 0.6
    shape: float = 0.2
    """For a memory with a time or a number, when the question asks for one."""

    neighbours: Mapping[str, float] = {
        "before": 0.6, "two before": 0.3, "after": 0.4, "two after": 0.2,
    }  # fmt: skip
    """The share of a neighbour's score that a turn of a conversation gets."""
    neighbour_words: float = 40.0
    """A neighbour's score is multiplied by exp(-its words / this): long turns give little."""
    answer: float = 2.0
    """A question gives the turn right after it `before` × (1 + this)."""
    neighbour_meaning: float = 0.5
    """Factor for what neighbours give in meaning; in words it is 1."""
    keyword_floor: float = 0.7
    """The full words score needs at least this share of the weight of the question's words."""
    meaning_floor: float = 0.5
    """The full meaning score needs at least this cosine, counted from that of unrelated texts."""

    newest: float = 0.5
    """For the newest of the near-equal best, when the question is about something that changes: a
    share of the best score."""
    newest_among: int = 10
    """Near-equal: among this many of the best …"""
    newest_least: float = 0.5
    """… with at least this share of the best score."""

    composite: Mapping[str, float] = {
        "meaning": 0.4, "keyword": 0.3, "recency": 0.2, "importance": 0.1,
    }  # fmt: skip
    semantic: Mapping[str, float] = {"meaning": 0.85, "keyword": 0.05}
    rrf_k: float = 10.0

    scope_weights: Mapping[str, float] = access.SCOPE_WEIGHTS
    trust_weights: Mapping[str, float] = {"user": 1.1, "agent": 1.0, "system": 0.9, "external": 0.8}
    half_life_days: float = 180.0
    decay_floor: float = 0.85
    """Factor of age: this + (1 - this) × 0.5 ** (age / half-life), from 1 down to this."""
    confidence_floor: float = 0.7
    """Factor of confidence: this + (1 - this) × confidence."""
    importance_range: float = 0.1
    """Factor of importance that a writer set: from 1 - this to 1 + this."""
    stale_factor: float = 0.5
    other_role_factor: float = 0.4
    """For what the other side of a conversation said, when the question says whose it means."""
    future_factor: float = 0.4
    """For what was said only after the day of the question."""
    topic_boost: float = 1.25
    """For memories of the topic that is being worked on."""

    linked: float = 0.3
    """The share of a hit's score that a linked memory gets, for each step."""

    source_cap: int = 0
    """Maximum of the first ten hits from one source; 0 is any number."""
    external_cap: int = 3
    """The same for sources that are not trusted."""

    sure_words: float = 0.3
    """fit = best cosine - cosine of unrelated texts + this × best share of the question's words."""
    sure_time: float = 0.2
    """The weight of a memory's time, when the question asks for one, next to the words."""
    sure_strong: float = 0.36
    sure_weak: float = 0.20
    """Minimum of fit for an answer to be called strong, and weak."""
    sure_strong_words: float = 0.6
    sure_weak_words: float = 0.3
    """Minimum of the share of the question's words, for memories without a vector."""
    fit_least: float = 0.275
    """Minimum of one memory's own fit to be handed over with a prompt, …"""
    fit_least_words: float = 0.257
    """… and of the share of the question's words, for memories without a vector."""
    sure_sentence: float = 0.5
    """The share of one sentence's words that is enough for weak, if the whole is about more."""


FOREVER = 0.0
"""A lifetime of no days is none at all: the memory is kept."""


class Lifetimes(Value):
    """How long memories live, by category, and when heat loads them; in days."""

    soft_days: Mapping[str, float] = {
        "preference": 90.0, "task": 30.0, "fact": 180.0, "knowledge": 180.0, "history": FOREVER,
    }  # fmt: skip
    """After so long without being said again, a memory is up for review."""
    hard_days: Mapping[str, float] = {
        "preference": FOREVER, "task": 365.0, "fact": FOREVER, "knowledge": FOREVER,
        "history": FOREVER,
    }  # fmt: skip
    """After so long it is archived, read or not."""
    unread_days: float = 30.0
    """A memory past its review and unread for so long is proposed for the archive."""
    superseded_days: float = 90.0
    """How long an old version is kept at hand before it is only history."""
    unsure_days: float = 60.0
    unsure_below: float = 0.3
    """A memory less sure than this and unconfirmed for `unsure_days` is stale."""
    oldest_days: float = 365.0
    """The age that counts fully in staleness."""
    stale_above: float = 0.7
    evict_above: float = 0.9
    fresh_below: float = 0.5
    """A stale memory that is used again is active once its score is under this."""
    hot: float = 6.0
    """From this heat on a memory is always loaded, as far as the budget goes."""
    cold: float = 0.5
    """Under this heat it no longer is."""
    chain_versions: int = 5
    """A memory with more old versions than this keeps the first and the newest at hand."""
    wide_projects: int = 3
    """A memory in so many projects of one user is proposed for all of them."""
    repeated: int = 3
    """How often something must have happened to be called a pattern."""


class GateThresholds(Value):
    """Limits of the gates that every save passes; docs/hygiene.md has the measurements."""

    same: float = 0.95
    """From this similarity on a text is one that the book has already."""
    merge: float = 0.8
    """From this similarity on two texts become one."""
    same_cosine: float = 0.0
    merge_cosine: float = 0.0
    """The cosines that mean those similarities; 0 is what was measured for the embedder."""

    policy: bool = True
    """Whether agents and imports are kept from saving what is not worth keeping."""
    covered: float = 0.5
    """Refused when a memory says more than this share of it already, statement by statement."""
    confidence_floor: float = 0.3
    """A memory less sure than this is refused."""

    confidence_gap: float = 0.2
    """A newer text that is less confident by more than this does not replace what it changes."""
    sure: float = 0.7
    """How sure a judge must be for the newer of two equals to replace the older."""

    summary_above_tokens: int = 200
    """A longer text gets a summary."""
    summary_tokens: int = 120
    """The most tokens of a summary."""


CREDENTIALS = ("block", "redact")
IDENTITY = ("block", "redact", "flag")
PERSONAL = ("flag", "redact", "block", "allow")
PERSONAL_DATA_TAG = "personal-data"
"""Marks a memory that holds data about a person."""


class ScreeningPolicy(Value):
    """The action for a text with credentials or personal data."""

    credentials: str = "block"
    personal: str = "flag"
    identity: str = "block"
    """For the numbers by which a state knows a person."""

    def __check__(self) -> None:
        policies = {"credentials": CREDENTIALS, "personal": PERSONAL, "identity": IDENTITY}
        for name, allowed in policies.items():
            if getattr(self, name) not in allowed:
                raise BadInput(
                    f"{getattr(self, name)!r} does not fit the setting screening.{name}.",
                    hint=f"Use {', '.join(allowed)}.",
                )


class TenantLimits(Value):
    """The same for each user of each org, and for what an org shares; 0 sets no limit."""

    memories: int = 0
    """How many memories may be kept, old versions and the archive included."""
    bytes: int = 0
    """How much room they may take, as they are stored."""
    writes_a_minute: int = 0
    """How many memories may be made or changed within a minute."""

    @property
    def is_set(self) -> bool:
        """Whether anything is limited."""
        return self.limits_room or self.writes_a_minute > 0

    @property
    def limits_room(self) -> bool:
        """Whether the number or size of memories is limited."""
        return self.memories > 0 or self.bytes > 0


class BackupPlan(Value):
    """Where backups go and what becomes of them."""

    place: str = ""
    """A folder, best on another disk; without one a server makes no backups."""
    hours: float = 1.0
    """How often a running server makes one; 0 for never."""
    hourly: int = 24
    daily: int = 7
    weekly: int = 8
    """How many hours, days and weeks back there is a backup of each."""
