"""A session of the Copilot SDK with a memory, from its start to its end.

The session's events are scripted, so this runs without a sign-in or network. In your program,
pass the hooks to the client:

    session = await client.create_session(hooks=CopilotHooks(book).hooks, ...)

    python examples/adapters_copilot_sdk.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import commonplace
from commonplace.doors.adapters.copilot_sdk import CopilotHooks

SESSION = {"session_id": "monday"}


async def fire(memory: CopilotHooks, name: str, **said: Any) -> str:
    """Stands for the SDK: tell the hooks of an event, and give back what the model would read."""
    hooks: dict[str, Any] = dict(memory.hooks)
    answer = await hooks[name]({"sessionId": "monday", "workingDirectory": "/", **said}, SESSION)
    return (answer or {}).get("additionalContext", "(nothing)")


async def talk(memory: CopilotHooks) -> None:
    """One session: what is handed over at its start, with a prompt, and what is kept of it."""
    told = await fire(memory, "on_session_start", source="startup")
    sys.stdout.write(f"At the start:\n{told}\n\n")
    told = await fire(memory, "on_user_prompt_submitted", prompt="How do I run the tests?")
    sys.stdout.write(f"With the prompt:\n{told}\n\n")
    await fire(memory, "on_user_prompt_submitted", prompt="I prefer short answers, please.")
    await fire(memory, "on_session_end", reason="complete", finalMessage="Understood.")


def main(arguments: list[str]) -> None:
    """All of it, in a book of its own or in the one that is named."""
    with tempfile.TemporaryDirectory() as folder:
        url = arguments[0] if arguments else f"vault:{Path(folder) / 'book'}"
        with commonplace.open(url, context={"user": "ada"}) as book:
            book.fact_store("team.language", "Python")
            book.save("The tests are run with `make test`")
            asyncio.run(talk(CopilotHooks(book)))
            kept = book.list(kinds=["preference"])
            sys.stdout.write(f"Kept of it: {kept[0].content}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
