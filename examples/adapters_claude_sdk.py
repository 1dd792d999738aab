"""An agent of the Claude Agent SDK with a memory: the user corrects it once, and it remembers.

The session's events are scripted, so this runs without a key or network. In your program, you
need only `options` below:

    async with ClaudeHooks(book) as memory:
        async with ClaudeSDKClient(options(memory)) as client: ...

    python examples/adapters_claude_sdk.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

import commonplace
from commonplace.doors.adapters.claude_sdk import ClaudeHooks


def options(memory: ClaudeHooks) -> ClaudeAgentOptions:
    """What an agent with a memory is started with."""
    return ClaudeAgentOptions(hooks=memory.hooks)


async def fire(memory: ClaudeHooks, name: str, **said: Any) -> str:
    """Stands for the SDK: tell the hooks of an event, and give back what the model would read."""
    hooks: dict[str, Any] = dict(options(memory).hooks or {})  # pyright: ignore[reportAssignmentType]
    hook = hooks[name][0].hooks[0]
    answer = await hook({"session_id": "monday", "hook_event_name": name, **said}, None, {})
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "(nothing)")


async def talk(book: commonplace.Commonplace) -> None:
    """A session in which the user corrects the agent, and the start of the next one."""
    async with ClaudeHooks(book) as memory:
        told = await fire(memory, "UserPromptSubmit", prompt="Which database is for staging?")
        sys.stdout.write(f"With the question the model reads:\n{told}\n\n")
        await fire(memory, "Stop", last_assistant_message="The staging database is db3.")
        await fire(memory, "UserPromptSubmit", prompt="Actually, the staging database is db7.")
        await fire(memory, "Stop", last_assistant_message="Thank you, db7 then.")
    async with ClaudeHooks(book) as memory:
        told = await fire(
            memory, "UserPromptSubmit", prompt="Copy the users to the staging database."
        )
        sys.stdout.write(f"The next day:\n{told}\n")


def main(arguments: list[str]) -> None:
    """All of it, in a book of its own or in the one that is named."""
    with tempfile.TemporaryDirectory() as folder:
        url = arguments[0] if arguments else f"vault:{Path(folder) / 'book'}"
        with commonplace.open(url, context={"user": "ada"}) as book:
            book.save("The staging database is db3")
            asyncio.run(talk(book))


if __name__ == "__main__":
    main(sys.argv[1:])
