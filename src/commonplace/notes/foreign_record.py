"""Checked reading of one record of a foreign format, and the part of it that is our own.

An open format says some fields of a memory in its own words. The others, and those that it cannot
say exactly, stand in a part called `commonplace`, which other programs ignore or pass on.
"""

from __future__ import annotations

from datetime import UTC

from ..model.codec import from_fields, moment, to_fields
from ..model.errors import BadInput
from .exchange import KEPT, memory_from_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from ..model.memory import Memory

OWN = "commonplace"
"""The name of our part of a record."""
_SAID = (*KEPT, "status", "imported_id")


class WrongField(Exception):
    """A field of a record is missing or has a wrong type; the message goes after "entry 3"."""


def own_part(memory: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a memory that its record, read back as `fields`, does not say."""
    said = from_fields({"id": "", "created": "1970-01-01", "updated": "1970-01-01", **fields})
    whole = to_fields(memory)
    # The scope is always said: without one, an import chooses its own.
    return {
        name: whole[name]
        for name in _SAID
        if name in whole and (name == "scope" or getattr(memory, name) != getattr(said, name))
    }


def memory_of(fields: dict[str, Any], own: object, *, now: datetime) -> Memory:
    """The memory of a record; our own part, if there is one, completes the fields."""
    if own is not None and not isinstance(own, dict):
        raise WrongField(f"has a part {OWN!r} of a wrong type")
    try:
        return memory_from_fields({**fields, **(own or {})}, now=now)
    except (ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
        raise WrongField(f"has a damaged part {OWN!r}") from error


def text_of(record: Mapping[str, Any], name: str) -> str:
    """A text that must be there and not be empty."""
    if not (found := optional_text(record, name)).strip():
        raise WrongField(f"has no {name}")
    return found


def optional_text(record: Mapping[str, Any], name: str) -> str:
    """A text; empty if it is missing."""
    return _typed(record, name, str) or ""


def optional_mapping(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object; empty if it is missing."""
    return _typed(record, name, dict) or {}


def texts_of(record: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; empty if it is missing."""
    found: list[Any] = _typed(record, name, list) or []
    if not all(isinstance(one, str) for one in found):
        raise WrongField(f"has a {name} that is not a list of texts")
    return found


def optional_flag(record: Mapping[str, Any], name: str, *, default: bool) -> bool:
    """True or false."""
    found = _typed(record, name, bool)
    return default if found is None else found


def optional_share(record: Mapping[str, Any], name: str) -> float | None:
    """A number from 0 to 1."""
    found = record.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        raise WrongField(f"has a {name} that is not a number from 0 to 1")
    return float(found)


def optional_time(record: Mapping[str, Any], name: str) -> str | None:
    """A moment, as a field of a memory has it."""
    text = optional_text(record, name)
    if not text:
        return None
    try:
        return moment(text.strip()).astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise WrongField(f"has a {name} that is not a time") from error


def time_of(record: Mapping[str, Any], name: str) -> str:
    """A moment that must be there."""
    if (found := optional_time(record, name)) is None:
        raise WrongField(f"has no {name}")
    return found


def one_line(text: str) -> str:
    """A text as a title: as it is if it is a short line, else its beginning."""
    line = " ".join(text.split())
    return text if line == text and len(text) <= 300 else line[:200].strip()


def well_formed(text: str) -> str:
    """A text without lone surrogates, which no UTF-8 file can hold."""
    return text.encode("utf-8", "replace").decode()


def _typed(record: Mapping[str, Any], name: str, kind: type) -> Any:
    found = record.get(name)
    if found is not None and not isinstance(found, kind):
        raise WrongField(f"has a {name} of a wrong type")
    return found
