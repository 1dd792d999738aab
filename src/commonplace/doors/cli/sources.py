"""Places outside the book that can be asked."""

import os
import shutil
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ... import settings
from ...errors import BadInput, Conflict
from ...locations import config_path
from ...sources.http import HttpSource
from .call import Call
from .declare import Limit, command
from .declare import group as make_group
from .draw import work

group = make_group("Ask folders and endpoints outside the book; nothing of theirs is stored.")


@command(group)
def add(
    call: Call,
    name: Annotated[str, typer.Argument(help="What you call it.")],
    target: Annotated[str, typer.Argument(metavar="FOLDER|URL", help="Where it is.")],
) -> None:
    """Let a folder of documents or an HTTP endpoint be asked from now on."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise BadInput(f"{name!r} cannot name a source.", hint="Use a plain word, such as docs.")
    if target.startswith(("http://", "https://")):
        HttpSource(name, target)
    else:
        target = os.path.abspath(os.path.expanduser(target.removeprefix("folder:")))
        if not os.path.isdir(target):
            raise BadInput(f"There is no folder {target}.", hint="Give a folder or an address.")
    _remember(name, target, call.environ)
    call.show({"name": name, "target": target}, work.source)


@command(group, "list")
def list_sources(call: Call) -> None:
    """List what can be asked."""
    known = settings.load(call.environ).sources
    told = [{"name": name, "target": str(target)} for name, target in known.items()]
    call.show(told, work.sources)


@command(group)
def search(
    call: Call,
    question: Annotated[list[str], typer.Argument(help="What to ask.")],
    source: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be repeated.")
    ] = None,
    limit: Limit = 5,
    timeout: Annotated[float, typer.Option(help="Seconds that each may take.")] = 5.0,
) -> None:
    """Ask all sources at once; each passage says where it is from."""
    with call.book() as book:
        asked = book.sources_search(
            " ".join(question), names=source, limit=limit, timeout_s=timeout
        )
        call.show(asked, work.passages)


def _remember(name: str, target: str, environ: Mapping[str, str]) -> None:
    """Write a source into the settings file; everything else in it stays as it is."""
    from ruamel.yaml import YAML

    if name in settings.load(environ).sources:
        raise Conflict(f"There is a source {name} already.", hint="Take another name.")
    # Where the settings are a link into somebody's dotfiles, they stay one.
    path = os.path.realpath(config_path(environ))
    yaml: Any = YAML()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        held: Any = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                held = yaml.load(file) or {}
        if not held.get("sources"):
            held["sources"] = {}
        held["sources"][name] = target
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            yaml.dump(held, file)
        if os.path.exists(path):
            shutil.copymode(path, f"{path}.new")
        os.replace(f"{path}.new", path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written.", hint="Check its permissions.") from error
