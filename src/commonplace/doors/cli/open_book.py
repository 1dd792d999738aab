"""Open the book that options, environment and settings name."""

from __future__ import annotations

import sys

from ... import registry, settings
from ...model.scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...book import Commonplace

SHARED = ("url", *DIMENSIONS)
"""Options of every command, before or after its name."""
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
) -> Commonplace:
    """Open a command's book in its context; options win over the environment.

    With `prefetch`, for a process that answers once, the scan of the book starts before the
    imports; with `background`, for a server, slow work continues beside the answers.
    """
    chosen = settings.load(environ)
    url = given.get("url") or chosen.url
    if prefetch and url:
        registry.start_prefetch(url)
    from ...books.open import open_book

    named = {d: value for d in DIMENSIONS if (value := given.get(d)) is not None}
    return open_book(
        url,
        context=settings.context(environ).but(**named),
        settings=chosen,
        source=source_of(environ),
        create=create,
        background=background,
    )
