"""The conditions that filter and order memories, as the facade and every door take them.

Loaded by type checkers and the REST door only, since a cold recall must not import `typing`.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal, TypedDict

from .scope import Scope

Order = Literal["newest", "oldest", "updated", "name"]
Axis = Literal["scope", "kind", "status", "topic", "tier", "source", "tag"]
"""Property by which memories are grouped and counted."""
ScopeLike = Scope | str | Mapping[str, str]
MomentLike = date | str
"""A time, a day, or a period before now such as 7d."""


class Conditions(TypedDict, total=False):
    """Conditions of every verb that finds memories; each one left out is None or False."""

    kinds: Sequence[str] | None
    scope: ScopeLike | None
    topic: str | None
    tags: Sequence[str] | None
    since: MomentLike | None
    until: MomentLike | None
    sensitivities: Sequence[str] | None
    keyed: bool | None
    branch: str | None
    include_archive: bool
    include_inbox: bool


class ListConditions(Conditions, total=False):
    """Conditions of the verbs that list memories without a question."""

    not_kinds: Sequence[str] | None
    statuses: Sequence[str] | None
    owners: Sequence[str] | None


class ExportConditions(ListConditions, total=False):
    """Conditions of an export."""

    ids: Sequence[str] | None
    everything: bool
