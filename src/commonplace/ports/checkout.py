"""The port of a checkout: the working tree of a repository in which a caller works."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Protocol

    from ..model.checkout import GitHead, LearnedAt
else:
    Protocol = object


class Checkout(Protocol):
    """Says where its caller stands in the history, and which commits are merged there."""

    def head(self) -> GitHead | None:
        """The commit and branch of HEAD; None before the first commit."""
        ...

    def repository(self) -> str:
        """The root commit, by which all clones are one repository; empty if it is not known."""
        ...

    def compare(self, learned: Collection[LearnedAt], *, limit_s: float) -> Mapping[str, str]:
        """How each commit stands to HEAD, by `str(LearnedAt)`; never raises."""
        ...

    def compared(self, places: Collection[str], *, limit_s: float) -> Mapping[str, str]:
        """How earlier comparisons found places (`str(LearnedAt)`) to stand to HEAD.

        Left out are those that `compare` would ask git about.
        """
        ...

    def unmerged(self) -> tuple[str, ...]:
        """The places that earlier comparisons with this HEAD found unmerged."""
        ...

    def precedes(self, commit: str, later: str, *, limit_s: float) -> bool:
        """Whether a commit is an ancestor of another one; False if that cannot be told."""
        ...

    def branches(self) -> Sequence[str]:
        """The names of the local branches; none where that cannot be told."""
        ...

    def former_names(self, branch: str) -> tuple[str, ...]:
        """The names that a local branch had before it was renamed."""
        ...

    def present_name(self, branch: str, commit: str = "") -> str:
        """The name that a branch has now, which ended at `commit`; empty if it is gone."""
        ...

    def renames(self, *, limit_s: float) -> Sequence[tuple[str, str]]:
        """Old and new paths of files that HEAD's newest commits renamed, the oldest first.

        Also where a file was changed at once, if it is still like it was.
        """
        ...

    def tip(self, branch: str) -> str:
        """The last commit of a local branch; empty if it has none."""
        ...
