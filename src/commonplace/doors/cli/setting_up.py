"""Make a book, and remember where it is."""

import json
import os
from collections.abc import Mapping
from typing import Annotated

import typer

from ... import settings
from ...errors import BadInput
from ...locations import config_path
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import done

PANEL = "Begin"
DEFAULT = "~/commonplace"
group = make_group()


@command(group, panel=PANEL)
def init(
    call: Call,
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH|URL",
            help=f"A folder, or a URL such as sqlite:memory.db. Default: {DEFAULT}.",
        ),
    ] = None,
) -> None:
    """Make a book and remember where it is."""
    url = where or call.shared.get("url") or settings.load(call.environ).url or DEFAULT
    with call.but(shared={**call.shared, "url": url}).book(create=True) as book:
        status = book.status()
    made = {"url": status.url, "memories": status.memories, **_remember(status.url, call.environ)}
    call.show(made, done.begun)


def _remember(url: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Write the URL into the settings file, unless that names a book already."""
    path = config_path(environ)
    unset = {name: value for name, value in environ.items() if name != f"{settings.PREFIX}URL"}
    if (known := settings.load(unset).url) is not None:
        return {"settings": path, "default": known == url}
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Added at the end, so that whatever a person wrote there stays as it is.
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            before = file.read()
            if any(line.startswith("url:") for line in before.splitlines()):
                return {"settings": path, "default": False}  # Left empty on purpose.
            gap = "\n" if before and not before.endswith("\n") else ""
            file.write(f"{gap}url: {json.dumps(url, ensure_ascii=False)}\n")
    except OSError as error:
        raise BadInput(
            f"The book is made, but {path} cannot be written.",
            hint=f"Set COMMONPLACE_URL to {url}.",
        ) from error
    return {"settings": path, "default": True}
