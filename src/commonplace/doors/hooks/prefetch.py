"""Start the scan of the book before other imports, which take about as long."""

from __future__ import annotations

import os

from ...locations import PREFIX, state_root
from ...registry import start_prefetch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER_FILE = "server.json"
"""File in the state folder with the address of a running server."""
ANSWERED_EVENTS = (
    "SessionStart", "sessionStart", "UserPromptSubmit", "BeforeAgent", "userPromptSubmitted",
    "beforeSubmitPrompt", "session.created", "chat.message",
)  # fmt: skip
"""Hosts' names of the events that wait for an answer."""


def prefetch_for_event(arguments: Sequence[str], said: bytes, environ: Mapping[str, str]) -> None:
    """Start the scan if the environment names the book and the event will be answered."""
    url = environ.get(f"{PREFIX}URL")
    text = said + " ".join(arguments).encode(errors="replace")
    if url and any(name.encode() in text for name in ANSWERED_EVENTS):
        prefetch_book(url, state_root(environ))


def prefetch_book(url: str, state: str) -> None:
    """Start the scan, once, unless a server may answer."""
    if not os.path.exists(os.path.join(state, SERVER_FILE)):
        start_prefetch(url, state)
