"""What to say where a full book has nothing like what was asked for."""

from collections.abc import Mapping

from .legible import counted


def unlike(
    options: Mapping[str, str | int | list[str] | None], held: int, one: str, many: str
) -> str:
    """That nothing is as the options want it, of so many; nothing where options want nothing."""
    given = [(name, values) for name, values in options.items() if values]
    asked = " ".join(
        f"--{name} {value}"
        for name, values in given
        for value in (values if isinstance(values, list) else [values])
    )
    if not (asked and held):
        return ""
    return f"Nothing matches {asked}; the book has {counted(held, one, many)}."
