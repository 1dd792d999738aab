"""Claude writes memory files in one conversation and reads them in the next.

A scripted model answers behind the SDK's own client, so this runs without a key or network.
Leave `http_client` out to use the real model.

    python examples/adapters_anthropic.py
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2
from anthropic import Anthropic

import commonplace
from commonplace.doors.adapters.anthropic_memory import BookMemoryTool

MODEL = "claude-sonnet-5-5"
SCRIPT: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {
        "command": "create",
        "path": "/memories/team/deploys.md",
        "file_text": "Deploys: Thursdays, from the release branch, after Ada has signed off.\n",
    },
]
STEPS = itertools.count()


def scripted(_: httpx2.Request) -> httpx2.Response:
    """Stands for the model: it uses the memory tool as scripted, then says that it is done."""
    step = next(STEPS)
    if step < len(SCRIPT):
        use = {"type": "tool_use", "id": f"use-{step}", "name": "memory", "input": SCRIPT[step]}
        content, reason = [use], "tool_use"
    else:
        content, reason = [{"type": "text", "text": "I have noted it."}], "end_turn"
    answer = {
        "id": f"message-{step}", "type": "message", "role": "assistant", "model": MODEL,
        "content": content, "stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    return httpx2.Response(200, json=answer)


def main(arguments: list[str]) -> None:
    """One conversation with a memory, and what the book holds after it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        commonplace.open(
            arguments[0] if arguments else f"vault:{Path(folder) / 'book'}",
            context={"user": "ada"},
        ) as book,
        httpx2.Client(transport=httpx2.MockTransport(scripted)) as model,
        Anthropic(api_key="unused", http_client=model) as client,
    ):
        runner = client.beta.messages.tool_runner(
            model=MODEL,
            max_tokens=1_000,
            max_iterations=10,
            messages=[{"role": "user", "content": "We deploy on Thursdays. Remember that."}],
            tools=[BookMemoryTool(book)],
        )
        for number, message in enumerate(runner, 1):
            for block in message.content:
                told = block.text if block.type == "text" else json.dumps(block.to_dict()["input"])  # pyright: ignore[reportArgumentType]
                sys.stdout.write(f"{number}. Claude: {told}\n")
        found = book.recall("when do we deploy?")[0].memory
        sys.stdout.write(f"The book, asked later: {found.content}")


if __name__ == "__main__":
    main(sys.argv[1:])
