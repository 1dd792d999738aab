"""The numbers of the gates that every write passes, each with a name and what it does."""

from __future__ import annotations

from ..value import Value


class Gates(Value):
    """What is the same, what is merged, what is refused; docs/hygiene.md says how it was found."""

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
    """What is less sure than this is not kept."""

    confidence_gap: float = 0.2
    """From this gap on the surer of two that contradict each other wins by itself."""
    sure: float = 0.7
    """How sure a judge must be for the newer of two equals to replace the older."""

    summary_above_tokens: int = 200
    """A longer text gets a summary."""
    summary_tokens: int = 120
    """What the summary may take."""
