"""The port of an observer, which reports each call of a verb to a monitoring system."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    from ..model.scope import Scope

    Result = TypeVar("Result")
else:
    Protocol = object


class VerbCall(Value):
    """One call of a verb, before its result."""

    verb: str
    """Name of the verb: recall, save, correct, …"""
    door: str
    """The door that it came through: cli, hook, mcp, rest, …"""
    scope: Scope
    """The caller's own scope."""
    book: str
    """Id of the book."""
    query: str = ""
    """The question, if the verb searches, without the secrets in it."""


class Observer(Protocol):
    """Sees each call of a verb, its result and its time; never changes or fails one."""

    def observe(self, call: VerbCall, run: Callable[[], Result]) -> Result:
        """Run a verb and report it, unless it is a part of one that is being reported."""
        ...

    def flush(self) -> None:
        """Send the reports that wait."""
        ...

    def close(self) -> None:
        """Send the reports that wait, and end."""
        ...
