"""Commands for sources: folders and HTTP endpoints outside the book that can be searched."""

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...agent.sources import SourceAnswers
from ...books.services import require_source_address
from ...locations import config_path
from ...model.errors import BadInput, Conflict
from . import text_format
from .call import Call
from .declare import Limit, command
from .declare import group as make_group
from .render import aside, say, suggest, table

group = make_group("Search folders and endpoints outside the book; nothing of them is stored.")


@command(group, "add")
def add_source(
    call: Call,
    name: Annotated[str, typer.Argument(help="A name for the source.")],
    target: Annotated[
        str, typer.Argument(metavar="FOLDER|URL", help="Folder of documents, or HTTP address.")
    ],
) -> None:
    """Add a folder of documents or an HTTP endpoint as a source."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise BadInput(f"{name!r} cannot name a source.", hint="Use a plain word, such as docs.")
    if not target.removeprefix("folder:").strip():
        raise BadInput("This names no source.", hint="Give a folder or an address.")
    if target.startswith(("http://", "https://")):
        require_source_address(name, target)
    else:
        target = os.path.abspath(os.path.expanduser(target.removeprefix("folder:")))
        if not os.path.isdir(target):
            raise BadInput(f"There is no folder {target}.", hint="Give a folder or an address.")
    _write_setting(name, target, call.environ)
    call.show({"name": name, "target": target}, render_added)


def _write_setting(name: str, target: str, environ: Mapping[str, str]) -> None:
    """Add a source to the settings file; everything else in the file stays as it is."""
    from ruamel.yaml import YAML

    if name in settings.load(environ).sources:
        raise Conflict(f"There is already a source {name}.", hint="Choose another name.")
    # The settings may be a link into a folder of dotfiles; replace the file, not the link.
    path = os.path.realpath(config_path(environ))
    yaml: Any = YAML()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content: Any = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                content = yaml.load(file) or {}
        if not content.get("sources"):
            content["sources"] = {}
        content["sources"][name] = target
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            yaml.dump(content, file)
        if os.path.exists(path):
            shutil.copymode(path, f"{path}.new")
        os.replace(f"{path}.new", path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written.", hint="Check its permissions.") from error


def render_added(console: Console, added: Mapping[str, str]) -> None:
    """The new source, and how to search it."""
    console.print(Text.assemble("Added: ", (added["name"], "bold"), f"  {added['target']}"))
    aside(console, f"Search it: commonplace sources search QUESTION --source {added['name']}")


@command(group, "list")
def list_sources(call: Call) -> None:
    """List sources."""
    known = settings.load(call.environ).sources
    listed = [{"name": name, "target": str(target)} for name, target in known.items()]
    call.show(listed, render_sources)


def render_sources(console: Console, found: Sequence[Mapping[str, str]]) -> None:
    """Names and addresses."""
    if not found:
        suggest(console, "commonplace sources add docs ~/Documents/manuals")
        return
    table(console, ("Source", "Address"), ((one["name"], one["target"]) for one in found))


@command(group, "search")
def search_sources(
    call: Call,
    question: Annotated[list[str], typer.Argument(help="A question in your own words.")],
    source: Annotated[
        list[str] | None, typer.Option(help="Only this source; may be repeated.")
    ] = None,
    limit: Limit = 5,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for each source.")] = 5.0,
) -> None:
    """Search all sources at once; each passage is printed with its origin."""
    with call.book() as book:
        answers = book.sources_search(
            " ".join(question), names=source, limit=limit, timeout_s=timeout
        )
        call.show(answers, render_passages)


def render_passages(console: Console, answers: SourceAnswers) -> None:
    """Passages under their origins, then the sources that failed."""
    for one in answers.passages:
        say(console, text_format.line(one.origin), "bold")
        say(console, f"  {text_format.fit(text_format.line(one.text), 400)}")
    for name, why in answers.failures:
        say(console, f"{name}: {text_format.line(why)}", "yellow")
    if not answers.passages:
        say(console, "No source has an answer.")
