"""The numbers of ageing, each with a name and what it does."""

from __future__ import annotations

from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOREVER = 0.0
"""A lifetime of no days is none at all: the memory is kept."""


class Ageing(Value):
    """How long what is kept, by category, and when heat moves it; everything in days."""

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
    """What is past its review and unread for so long is up for the archive."""
    superseded_days: float = 90.0
    """How long an old version is kept at hand before it is only history."""
    unsure_days: float = 60.0
    unsure_below: float = 0.3
    """What is less sure than this and unconfirmed for so long is stale."""
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
    """What so many projects of one user know is proposed for all of them."""
    repeated: int = 3
    """How often something must have happened to be called a pattern."""
