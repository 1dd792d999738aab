"""What tidying did, or would do."""

from __future__ import annotations

from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Problem
    from ...ports.records import Put


class Change(Value):
    """One thing that tidying does, in the same words before and after."""

    step: str
    action: str
    """archived, staled, revived, loaded, unloaded, retired, merged, reviewed or proposed."""
    memories: tuple[str, ...]
    words: str
    """What and why, for a person."""


class Maintained(Value):
    """What one run of tidying changed, in order."""

    changes: tuple[Change, ...] = ()
    dry_run: bool = False
    ran: bool = True
    """False when another run was at it, and this one left it alone."""
    passed_over: tuple[Change, ...] = ()
    """What somebody else changed in the meantime; the next run looks at it again."""
    waiting: int = 0
    """How many things wait in the inbox now."""
    problems: tuple[Problem, ...] = ()

    @property
    def steps(self) -> dict[str, int]:
        """How many changes each step made."""
        counted: dict[str, int] = {}
        for change in self.changes:
            counted[change.step] = counted.get(change.step, 0) + 1
        return counted


class Write(Value):
    """One record of a change, and what its audit event says."""

    put: Put
    action: str
    related: tuple[str, ...] = ()


class Planned(Value):
    """A change, and the records that make it."""

    change: Change
    writes: tuple[Write, ...]
