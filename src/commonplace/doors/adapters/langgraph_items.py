"""LangGraph's items as memories: keys on one line, values as JSON, namespaces as tags."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from ...model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...model.memory import Memory

Namespace = tuple[str, ...]

UNSEARCHED = "unsearched"
"""Tag of an item that was put with `index=False`: a query does not find it."""
ONE_LINE_CHARACTERS = 80
_LABEL, _MINUTES = "in:", "ttl:"
_LABEL_CHARACTERS = 180
_UNSAFE = re.compile(r"[%\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\s|\s$")
_ESCAPED = re.compile(r"%([0-9a-f]+);")
_NO_TEXT = re.compile("[\x7f\ud800-\udfff]")
_SEPARATOR = "."
"""LangGraph allows no period in a label."""


def name(*labels: str) -> str:
    """A key or a namespace as one line, escaped so that it can be read back."""
    return _SEPARATOR.join(
        _UNSAFE.sub(lambda found: f"%{ord(found[0]):x};", label) for label in labels
    )


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def key_of(memory: Memory) -> str:
    """The key of an item."""
    return _unescape(memory.key or "")


def namespace_of(memory: Memory) -> Namespace:
    """The namespace of an item."""
    return tuple(_unescape(label) for label in (memory.namespace or "").split(_SEPARATOR))


def inside(namespace: Namespace, prefix: Namespace) -> bool:
    """Whether a namespace begins with these labels."""
    return namespace[: len(prefix)] == tuple(prefix)


def labels(
    namespace: Namespace, *, unsearched: bool = False, minutes: float | None = None
) -> list[str]:
    """The tags of an item: one for each level of its namespace, the deepest last."""
    marks = [UNSEARCHED] if unsearched else []
    if minutes is not None:
        marks.append(f"{_MINUTES}{minutes:g}")
    return marks + [label("in", *namespace[:depth]) for depth in range(1, len(namespace) + 1)]


def others(memory: Memory) -> list[str]:
    """Tags that this adapter did not set."""
    ours = (_LABEL, _MINUTES)
    return [tag for tag in memory.tags if not tag.startswith(ours) and tag != UNSEARCHED]


def label(kind: str, *names: str) -> str:
    """A tag for exactly these names; long ones are hashed."""
    text = name(*names)
    if len(text) > _LABEL_CHARACTERS:
        import hashlib

        text = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return f"{kind}:{text}"


def minutes(memory: Memory) -> float | None:
    """Minutes that an item lives after its last use; None for ever."""
    marks = [tag for tag in memory.tags if tag.startswith(_MINUTES)]
    return float(marks[0].removeprefix(_MINUTES)) if marks else None


def dumped(value: Mapping[str, Any]) -> str:
    """A value as JSON: on one line if short, else one field a line."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        if len(text) > ONE_LINE_CHARACTERS:
            text = json.dumps(value, ensure_ascii=False, indent=2)
    except (TypeError, ValueError) as error:
        raise BadInput(
            "The value of an item cannot be written as JSON.",
            hint="Put plain values only: texts, numbers, lists and mappings.",
        ) from error
    return _NO_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def loaded(content: str) -> dict[str, Any]:
    """The value of a content; a text that a person wrote instead becomes {"text": …}."""
    try:
        value: Any = json.loads(content)
    except ValueError:
        value = content
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"text": content}


def filtered(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a value matches a filter."""
    return all(_fits(value.get(field), want) for field, want in wanted.items())


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        asked = cast("dict[str, Any]", wanted)
        if any(key.startswith("$") for key in asked):
            return all(_compared(value, operator, limit) for operator, limit in asked.items())
        return isinstance(value, dict) and filtered(cast("dict[str, Any]", value), asked)
    if isinstance(wanted, list | tuple):
        several = cast("Sequence[Any]", wanted)
        given = cast("Sequence[Any]", value) if isinstance(value, list) else None
        return (
            given is not None
            and len(given) == len(several)
            and all(_fits(one, want) for one, want in zip(given, several, strict=True))
        )
    return _same(value, wanted)


def _same(value: Any, wanted: Any) -> bool:
    # In JSON true is not 1, though Python says so.
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _compared(value: Any, operator: str, limit: Any) -> bool:
    if operator == "$eq":
        return _same(value, limit)
    if operator == "$ne":
        return not _same(value, limit)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    pair = _ordered(value, limit)
    if pair is None:
        return False
    one, other = pair
    if operator.startswith("$gt"):
        return one > other or (operator == "$gte" and one == other)
    return one < other or (operator == "$lte" and one == other)


def _ordered(value: Any, limit: Any) -> tuple[Any, Any] | None:
    """Both as numbers, or both as texts; None if they have no order."""
    try:
        return float(value), float(limit)
    except (TypeError, ValueError):
        return (value, limit) if isinstance(value, str) and isinstance(limit, str) else None
