"""Write docs/commands.md from the commands themselves.

python -m commonplace.doors.cli.reference > docs/commands.md
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from ...model.errors import CommonplaceError
from . import failures
from .app import built
from .declare import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEAD = """\
# Commands

<!-- Written by `python -m commonplace.doors.cli.reference > docs/commands.md`; a test compares. -->

A `MEMORY` is named by its id, slug, title, alias or exact text, or by the key of a fact.
`commonplace COMMAND --help` shows the same
texts; `commonplace --install-completion` enables completion of commands and names in your shell.
"""
EXITS = """
## Exit codes

0 is success; `recall` without a book, or without an answer, succeeds too. With `--json` a failure
is `{"error": {"code": …, "message": …, "hint": …}}` on standard output. `export -` writes one JSON
object a line, with `--json` and without.

| exit | code | when |
|---|---|---|
| 1 | | a check found errors: {checks} |
| 1 | | the reader of the output has closed it |
| 2 | usage | the command line cannot be understood |
"""


CHECKS = (
    "`doctor`, `verify`, `audit verify`, `backup restore` with and without `--check`,"
    " `erase-user --verify`, `tour`"
)
"""Commands that exit with 1 when they find errors."""


def page() -> str:
    """The whole page, in Markdown."""
    root = built()
    parts = [HEAD, "\n## On every command\n\nBefore or after the command's name:\n"]
    parts += _options(one for one in root.params if one.rich_help_panel == EVERYWHERE)
    parts.append("\nOn `commonplace` itself:\n")
    parts += _options(_own_options(root))
    panels: dict[str, list[str]] = {}
    for name, command in root.commands.items():
        panels.setdefault(command.rich_help_panel, []).extend(_command(name, command))
    for panel, lines in panels.items():
        parts += [f"\n## {panel}\n", *lines]
    parts.append(EXITS.rstrip("\n").replace("{checks}", CHECKS))
    parts += [f"| {one.exit_code} | {one.code} | {one.__doc__} |" for one in _failures()]
    parts.append(f"| {failures.INTERRUPTED} | | interrupted from the keyboard |")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    if hasattr(command, "commands"):
        for inner, one in command.commands.items():
            yield from _command(f"{name} {inner}", one)
        return
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    required = [f"{one.opts[0]} {_argument(one)}" for one in _own_options(command) if one.required]
    words = " ".join((*map(_argument, arguments), *required))
    yield f"### `commonplace {name}{' ' + words if words else ''}`\n\n{command.help}\n"
    yield from (f"- `{_argument(one)}`: {one.help}" for one in arguments if one.help)
    yield from _options(_own_options(command))
    yield ""


def _own_options(command: Any) -> list[Any]:
    options = [one for one in command.params if one.param_type_name == "option"]
    return [one for one in options if one.rich_help_panel != EVERYWHERE]


def _argument(argument: Any) -> str:
    shown = argument.metavar or argument.name.upper()
    return shown if argument.required else f"[{shown}]"


def _options(options: Iterable[Any]) -> Iterator[str]:
    for option in options:
        flags = ", ".join(f"`{flag}`" for flag in (*option.opts, *option.secondary_opts))
        values = getattr(option.type, "choices", None) or (option.metavar or "").split("|")
        choices = f" ({', '.join(values)})" if len(values) > 1 else ""
        value = option.default if option.show_default and not option.is_flag else None
        default = f" Default: {value}." if value is not None else ""
        yield f"- {flags}: {option.help}{choices}{default}"


def _failures() -> list[type[CommonplaceError]]:
    every = [one for one in failures.classes() if one is not CommonplaceError]
    return sorted(every, key=lambda one: one.exit_code)


if __name__ == "__main__":
    sys.stdout.write(page())
