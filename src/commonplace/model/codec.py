"""Convert a memory to JSON and back; fields with their default value are left out."""

from __future__ import annotations

from datetime import UTC, datetime

from .errors import BadInput
from .memory import Memory
from .quick_decorators import lru_cache
from .quick_json import parse_json
from .scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


TIMES = frozenset({
    "created", "updated", "valid_from", "valid_until", "review_after", "expires", "deleted_at",
})  # fmt: skip
TUPLES = frozenset({"aliases", "tags", "derived_from", "source_tasks", "anchors"})


def to_fields(memory: Memory) -> dict[str, Any]:
    """Plain values by field name, without the fields that have their default."""
    fields: dict[str, Any] = {}
    for name, value in memory.__dict__.items():
        if name == "scope":
            fields[name] = str(value)
        elif name in TIMES:
            if value is not None:
                fields[name] = iso(value)
        elif name not in Memory.__defaults__ or Memory.__defaults__[name] != value:
            fields[name] = list(value) if name in TUPLES else value
    return fields


def from_fields(fields: Mapping[str, Any]) -> Memory:
    """Build a memory from the fields of `to_fields`."""
    values = dict(fields)
    values["scope"] = _scope(values.get("scope", "/"))
    for name in TIMES:
        if name in values:
            values[name] = moment(values[name])
    for name in TUPLES:
        if name in values:
            values[name] = tuple(values[name])
    return Memory(**values)


# A book has few scopes, and reading one is half of what reading a memory costs.
@lru_cache(maxsize=1024)
def _scope(path: str) -> Scope:
    return Scope.parse(path)


def to_json(memory: Memory) -> str:
    """One line of JSON."""
    import json

    return json.dumps(to_fields(memory), ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Memory:
    """Build a memory from a line of `to_json`."""
    return from_fields(parse_json(text))


# A save writes the same two or three moments into note, index and log.
@lru_cache(maxsize=64)
def iso(moment: datetime) -> str:
    """A moment as written in notes and logs: UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """Parse a moment written by `iso`; a plain date is midnight in UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def require_moment(given: object) -> None:
    """Raise BadInput unless a caller gave a moment."""
    if not isinstance(given, datetime):
        raise BadInput(
            f"{str(given)[:40]!r} is no moment.",
            hint="Give a datetime, such as datetime.now(UTC) - timedelta(days=7).",
        )


def to_millisecond(moment: datetime) -> datetime:
    """Cut a moment to the millisecond, so that it reads back unchanged."""
    utc = moment.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)
