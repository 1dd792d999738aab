"""Results as plain data and JSON, equal for the command line and the server."""

from __future__ import annotations

import json
from datetime import datetime

from ..model.codec import iso, to_fields
from ..model.memory import Event, Memory, Recalled, Retrieval
from ..model.results import Overview, Status
from ..model.scope import Scope
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..model.results import MemoryMarks

AXES = ("kind", "tier", "owner", "status", "sensitivity", "trust", "version", "slug")
"""Fields in every memory's JSON, also with their default values."""
COUNTS: dict[type[Value], tuple[str, ...]] = {
    Status: ("by_status", "by_kind", "by_scope", "thresholds"),
    Overview: ("by_kind", "by_scope", "by_topic"),
}
"""Fields that are counts by name, as pairs."""


_ALREADY_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Most values of an answer, so they are looked up before anything else is asked."""


def plain(value: Any) -> Any:
    """Dictionaries, lists, texts and numbers; times in ISO form, scopes as paths."""
    if type(value) in _ALREADY_PLAIN:
        return value
    if isinstance(value, Memory):
        return {**{name: getattr(value, name) for name in AXES}, **to_fields(value)}
    if isinstance(value, Value) and not isinstance(value, Scope):
        return {**{name: plain(one) for name, one in value.__dict__.items()}, **_parsed(value)}
    if isinstance(value, Recalled):
        value = {
            "sure": value.sure,
            "sureness": value.sureness,
            "id": value.id,
            "branches": list(value.branches),
            "hits": list(value),
        }
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple | frozenset):
        listed = [plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        return sorted(listed) if isinstance(value, frozenset) else listed
    if isinstance(value, Scope):
        value = str(value)
    return iso(value) if isinstance(value, datetime) else value


def marked(shown: Memory | Sequence[Memory] | Overview, marks: Mapping[str, MemoryMarks]) -> Any:
    """Memories as plain data, each with the marks that `book.marks` gives it."""
    if isinstance(shown, Overview):
        return {**plain(shown), "newest": marked(shown.newest, marks)}
    if not isinstance(shown, Memory):
        return [marked(one, marks) for one in shown]
    said: dict[str, Any] = plain(marks[shown.id]) if shown.id in marks else {}
    return {**plain(shown), **{name: words for name, words in said.items() if words}}


def memories_in(shown: Memory | Sequence[Memory] | Overview) -> Sequence[Memory]:
    """The memories of an answer that `marked` takes."""
    if isinstance(shown, Overview):
        return shown.newest
    return [shown] if isinstance(shown, Memory) else shown


def to_json(value: Any) -> str:
    """The value as indented JSON, without escaping letters."""
    return json.dumps(plain(value), ensure_ascii=False, indent=2)


def _parsed(value: Value) -> dict[str, Any]:
    """Fields that are JSON or pairs inside the value, as plain data."""
    if isinstance(value, Event):
        return {"before": json.loads(value.before)}
    if isinstance(value, Retrieval):
        return {"details": json.loads(value.details)}
    return {name: dict(getattr(value, name)) for name in COUNTS.get(type(value), ())}
