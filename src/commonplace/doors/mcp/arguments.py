"""Check the arguments of a tool call against the tool's schema.

The schemas use few words of JSON Schema, and this reads those. A number or a truth value that a
model wrote as a text is read as one.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from ...model.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MOST_ERRORS = 10
NAME_CHARACTERS = 80


def checked_arguments(
    tool: str, schema: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments as the tool takes them; raises BadInput that names every wrong one."""
    wanted: Mapping[str, Any] = schema["properties"]
    errors = [f"{name}: Field required" for name in schema.get("required", ()) if name not in given]
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in wanted:
            errors.append(f"{name[:NAME_CHARACTERS]}: Extra inputs are not permitted")
            continue
        try:
            values[name] = _read(wanted[name], value)
        except _Unfit as error:
            errors.append(f"{name}{error.place}: {error}")
    if errors:
        raise BadInput(
            f"Invalid arguments for {tool}: {'; '.join(errors[:MOST_ERRORS])}.",
            hint=f"It takes {', '.join(wanted)}.",
        )
    return values


class _Unfit(Exception):
    """A value that does not fit, and its place in a list."""

    def __init__(self, why: str, place: str = "") -> None:
        super().__init__(why)
        self.place = place


def _read(schema: Mapping[str, Any], value: Any) -> Any:
    if "anyOf" not in schema:
        return _READERS[_kind(schema)](schema, value)
    choices = [one for one in schema["anyOf"] if one["type"] != "null"]
    if value is None and len(choices) < len(schema["anyOf"]):
        return None
    return _READERS[_kind(choices[0])](choices[0], value)


def _kind(schema: Mapping[str, Any]) -> str:
    return "choice" if "enum" in schema else schema.get("format") or schema["type"]


def _read_text(schema: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit("Input should be a valid string")
    if not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value):
        raise _Unfit("Input has half a surrogate pair")
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if len(value) < least:
        raise _Unfit(f"String should have at least {_characters(least)}")
    if most is not None and len(value) > most:
        raise _Unfit(f"String should have at most {_characters(most)}")
    return value


def _characters(count: int) -> str:
    return f"{count} character{'' if count == 1 else 's'}"


def _read_integer(schema: Mapping[str, Any], value: Any) -> int:
    number = _number(value, "integer")
    if not number.is_integer():
        raise _Unfit("Input should be a valid integer")
    _check_range(schema, number)
    return int(number)


def _read_number(schema: Mapping[str, Any], value: Any) -> float:
    number = _number(value, "number")
    _check_range(schema, number)
    return number


def _number(value: Any, kind: str) -> float:
    try:
        # True is a number in Python, and a mistake here.
        number = float(value) if isinstance(value, int | float | str) else None
        if number is not None and not isinstance(value, bool) and abs(number) != float("inf"):
            return number
    except (ValueError, OverflowError):
        pass
    raise _Unfit(f"Input should be a valid {kind}")


def _check_range(schema: Mapping[str, Any], number: float) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and not number >= least:
        raise _Unfit(f"Input should be greater than or equal to {least}")
    if most is not None and not number <= most:
        raise _Unfit(f"Input should be less than or equal to {most}")


def _read_boolean(_: Mapping[str, Any], value: Any) -> bool:
    written = value.lower() if isinstance(value, str) else value
    for truth, forms in ((True, (True, "true", "1")), (False, (False, "false", "0"))):
        if written in forms:
            return truth
    raise _Unfit("Input should be a valid boolean")


def _read_list(schema: Mapping[str, Any], value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _Unfit("Input should be a valid list")
    items: list[Any] = []
    for place, one in enumerate(value):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        try:
            items.append(_read(schema["items"], one))
        except _Unfit as error:
            raise _Unfit(str(error), f".{place}{error.place}") from None
    return items


def _read_choice(schema: Mapping[str, Any], value: Any) -> Any:
    choices = [repr(one) for one in schema["enum"]]
    if value not in schema["enum"]:
        raise _Unfit(f"Input should be {', '.join(choices[:-1])} or {choices[-1]}")
    return value


def _read_date(_: Mapping[str, Any], value: Any) -> date:
    """A day, or a moment; one without a zone is in UTC."""
    try:
        if len(value) == len("2026-05-31"):
            return date.fromisoformat(value)
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError):
        raise _Unfit("Input should be a date or a time, such as 2026-05-31") from None


_READERS: Mapping[str, Callable[[Mapping[str, Any], Any], Any]] = {
    "string": _read_text,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_list,
    "choice": _read_choice,
    "date": _read_date,
}
