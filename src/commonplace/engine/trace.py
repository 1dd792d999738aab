"""Follow a recall and its digest: which step left which memory out, and by which figures.

The steps themselves report, so that `why_not` repeats none of their rules. A step that takes a
memory out of a recall or a digest calls `omit`.
"""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..ports.search_index import Gathered
    from .recall_request import PreparedRecall


class Omission(Value):
    """The step that left a memory out, and the figures that decided."""

    step: str
    """A name of `rules.omissions`."""
    figures: Mapping[str, Any] = {}


class Trace:
    """Collects what the steps of one recall and its digest report."""

    def __init__(self) -> None:
        self.omitted: dict[str, Omission] = {}
        """By the id of the memory."""
        self.stopped = ""
        """The step that ended the work before anything was searched."""
        self.recall: PreparedRecall | None = None
        self.found: list[Gathered] = []
        """Candidates as the index gathered them, before a step left one out."""


def omit(trace: Trace | None, id: str, step: str, **figures: Any) -> None:
    """Report that a step leaves a memory out."""
    if trace is not None:
        trace.omitted[id] = Omission(step, figures)


def stop(trace: Trace | None, step: str) -> None:
    """Report that nothing is searched."""
    if trace is not None:
        trace.stopped = step
