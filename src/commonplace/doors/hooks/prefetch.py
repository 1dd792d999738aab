"""Begin to look at the book before anything else is loaded: the look takes as long as all that."""

from __future__ import annotations

import os

from ...locations import PREFIX, state_root
from ...registry import begin_ahead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER = "server.json"
"""Where, in the state folder, a server says that it listens."""
ASKING = (
    "SessionStart", "sessionStart", "UserPromptSubmit", "BeforeAgent", "userPromptSubmitted",
    "beforeSubmitPrompt",
)  # fmt: skip
"""What the hosts call the events that wait for an answer."""


def begin_at_once(arguments: Sequence[str], said: bytes, environ: Mapping[str, str]) -> None:
    """Begin if the environment names the book and this looks like an event that is answered."""
    url = environ.get(f"{PREFIX}URL")
    told = said + " ".join(arguments).encode(errors="replace")
    if url and any(name.encode() in told for name in ASKING):
        begin(url, state_root(environ))


def begin(url: str, state: str) -> None:
    """Begin unless a server may answer; once is enough."""
    if not os.path.exists(os.path.join(state, SERVER)):
        begin_ahead(url)
