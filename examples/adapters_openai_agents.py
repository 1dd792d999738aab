"""An agent of the OpenAI Agents SDK whose session, with history and lessons, is in a book.

The model is scripted, so this runs without a key or network. Give your agent a real model and
keep the rest.

    python examples/adapters_openai_agents.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

import commonplace
from commonplace.doors.adapters.openai_agents import BookSession


class ScriptedModel(Model):
    """Stands for a model: it says how much it has read."""

    async def get_response(
        self, system_instructions: str | None, input: Any, *_: Any, **__: Any
    ) -> ModelResponse:
        """One answer."""
        said = f"I have read {len(input)} items of this conversation."
        text = ResponseOutputText(text=said, type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="message", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not needed here."""
        raise NotImplementedError


async def talk(book: commonplace.Commonplace) -> None:
    """Two runs in one session, and what is learned from it."""
    session = BookSession(book, "order-7")
    agent = Agent(name="helper", model=ScriptedModel())
    for said in ("Where is my order?", "Actually, my address is Lake Street 5."):
        answer = await Runner.run(agent, said, session=session)
        sys.stdout.write(f"ada: {said}\n  {answer.final_output}\n")
    learned = await session.learn()
    for one in (*learned.added, *learned.corrected):
        sys.stdout.write(f"Learned: {one.memory.content}\n")


def main(arguments: list[str]) -> None:
    """All of it, in a book of its own or in the one that is named."""
    set_tracing_disabled(True)
    with tempfile.TemporaryDirectory() as folder:
        url = arguments[0] if arguments else f"vault:{Path(folder) / 'book'}"
        with commonplace.open(url, context={"user": "ada"}) as book:
            asyncio.run(talk(book))


if __name__ == "__main__":
    main(sys.argv[1:])
