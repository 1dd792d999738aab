"""The default book: every door that needs a book and finds none creates the same one."""

from __future__ import annotations

import json
import os

from .. import registry, settings
from ..locations import PREFIX, config_path
from ..model.errors import BadInput
from ..model.value import Value
from ..projects import home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "commonplace"
"""Folder of the default book in the home folder."""


class CreatedBook(Value):
    """A book that is there now, and the book that commands use."""

    url: str
    memories: int
    settings: str
    """Path of the settings file."""
    default: bool
    """Whether the settings file names this book."""
    named: str
    """URL of the book that the settings file names."""
    used: str
    """URL of the book that commands use from here on, unless --url names another."""


def create_book(
    where: str | None,
    environ: Mapping[str, str],
    given: Mapping[str, str | None] | None = None,
    *,
    make_default: bool = False,
) -> CreatedBook:
    """Create the book at a path or URL, or the one that is named already, or the default one.

    It becomes the default if there is none yet, or with `make_default`.
    """
    from .cli.open_book import open_for

    given = given or {}
    if where is not None and not where.strip():
        raise BadInput("This names no folder.", hint="Name one, or leave it for the default one.")
    named = where or given.get("url") or settings.load(environ).url
    url = named or f"vault:{os.path.join(home_of(environ), FOLDER)}"
    with open_for({**given, "url": url}, environ, create=True) as book:
        status = book.status()
    path = config_path(environ)
    default = _write_default(path, status.url, environ, replace=make_default)
    used = settings.load(environ).url or ""
    named = _in_file(environ) or ""
    return CreatedBook(status.url, status.memories, path, default, named, used)


def _write_default(path: str, url: str, environ: Mapping[str, str], *, replace: bool) -> bool:
    """Write the URL into the settings file; whether the file names the book then."""
    known = _in_file(environ)
    if known is not None and (not replace or _same(known, url)):
        return _same(known, url)
    try:
        before = _read(path)
        lines = before.splitlines(keepends=True)
        at = next((n for n, line in enumerate(lines) if line.startswith("url:")), None)
        line = f"url: {json.dumps(url, ensure_ascii=False)}\n"
        if at is not None:
            lines[at] = line
        else:
            # Appended, so that a person's own lines stay as they are.
            lines += [*(["\n"] if before and not before.endswith("\n") else []), line]
        _write(path, "".join(lines))
        if not _names(environ, url):
            _write(path, before)
            raise BadInput(
                f"The book is created, but {path} is not written in a way that can be changed.",
                hint=f"Set url to {url} in it by hand.",
            )
    except OSError as error:
        raise BadInput(
            f"The book is created, but {path} cannot be written.",
            hint=f"Set COMMONPLACE_URL to {url}.",
        ) from error
    return True


def _in_file(environ: Mapping[str, str]) -> str | None:
    """The book that the settings file names."""
    unset = {name: value for name, value in environ.items() if name != f"{PREFIX}URL"}
    return settings.load(unset).url


def _names(environ: Mapping[str, str], url: str) -> bool:
    """Whether the settings file can be read and names the book."""
    try:
        return _same(_in_file(environ) or "", url)
    except BadInput:
        return False


def _same(one: str, other: str) -> bool:
    return registry.canonical_url(one) == registry.canonical_url(other)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(path: str, text: str) -> None:
    path = os.path.realpath(path)  # A link to settings elsewhere stays a link.
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = f"{path}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    if os.path.exists(path):
        os.chmod(new, os.stat(path).st_mode & 0o777)
    os.replace(new, path)
