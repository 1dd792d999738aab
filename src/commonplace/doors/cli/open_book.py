"""Open the book that options, environment and settings name."""

from __future__ import annotations

import sys

from ... import registry, settings
from ...model.errors import BadInput
from ...model.scope import DIMENSIONS
from ...projects import KNOWN_FOLDERS, NONE, with_project, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...book import Commonplace
    from ...model.scope import Context
    from ...settings import Settings

AGENT_VARIABLES = (
    "AGENT", "AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_CI",
    "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE",
    "COPILOT_CLI", "COPILOT_AGENT", "QWEN_CODE", "CLINE_ACTIVE", "ROO_ACTIVE", "AUGMENT_AGENT",
    "GOOSE_TERMINAL", "AMP_CURRENT_THREAD_ID", "ANTIGRAVITY_AGENT", "KIRO_AGENT", "JUNIE_AGENT",
)  # fmt: skip
"""Variables that coding agents set for the commands they run."""


def source_of(environ: Mapping[str, str]) -> str:
    """`cli` for a person at a terminal, `shell` for agents and scripts."""
    streams = (sys.stdin, sys.stdout)
    at_terminal = all(stream is not None and stream.isatty() for stream in streams)
    by_agent = any(environ.get(name) for name in AGENT_VARIABLES)
    return "cli" if at_terminal and not by_agent else "shell"


def open_for(
    given: Mapping[str, str | None],
    environ: Mapping[str, str],
    *,
    create: bool = False,
    prefetch: bool = False,
    background: bool = False,
    in_project: bool = False,
    plain_folders: str = KNOWN_FOLDERS,
    folder: str = "",
    named_here: bool = False,
) -> Commonplace:
    """Open a command's book in its context; options win over the environment.

    With `in_project`, the context has the project of the working folder unless another is named.
    With `prefetch`, for a process that answers once, the scan of the book starts before the
    imports; with `background`, for a server, slow work continues beside the answers. `folder` is
    where the caller works, which `in_project` says as well. With `named_here`, the whole book is
    open, and a name that several memories have means the one of the folder's project.
    """
    chosen = settings.load(environ)
    refuse_empty_url(given)
    url = chosen.url if (named := given.get("url")) is None else named
    if prefetch and url:
        registry.start_prefetch(url, chosen.state)
    from ...books.open import open_book

    here = context_for(given, environ, chosen, in_project=True) if named_here else None
    return open_book(
        url,
        context=context_for(
            given, environ, chosen, in_project=in_project, plain_folders=plain_folders
        ),
        settings=chosen,
        source=source_of(environ),
        create=create,
        background=background,
        folder=folder or (working_folder() if in_project else ""),
        place=here.scope if here else None,
    )


def refuse_empty_url(given: Mapping[str, str | None]) -> None:
    """Raise BadInput for an empty --url, such as an unset variable in a script leaves."""
    if (named := given.get("url")) is not None and not named.strip():
        raise BadInput("--url names no book.", hint="Name one, such as vault:~/notes, or leave it.")


def context_for(
    given: Mapping[str, str | None],
    environ: Mapping[str, str],
    chosen: Settings,
    *,
    in_project: bool,
    plain_folders: str = KNOWN_FOLDERS,
) -> Context:
    """The context of a command; `--project none` leaves the folder's project."""
    named = {d: value for d in DIMENSIONS if (value := given.get(d)) is not None}
    context = settings.context(environ).but(**named)
    if in_project:
        folder = working_folder()
        return with_project(context, chosen, folder, environ, plain_folders=plain_folders)
    return context.but(project=None) if context.project == NONE else context
