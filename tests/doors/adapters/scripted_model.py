"""A model for the OpenAI Agents SDK that says what it is told to, and notes what it was given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, TResponseInputItem, Usage
from agents.items import TResponseStreamEvent
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)


class ScriptedModel(Model):
    """Each answer is a text, or the name of a tool to call."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.given: list[list[TResponseInputItem]] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *_: Any, **__: Any
    ) -> ModelResponse:
        self.given.append(list(input))
        said, number = self._answers.pop(0), len(self.given)
        output: Any = ResponseOutputMessage(
            id=f"message-{number}",
            type="message",
            role="assistant",
            status="completed",
            content=[ResponseOutputText(text=said, type="output_text", annotations=[])],
        )
        if said.startswith("call "):
            output = ResponseFunctionToolCall(
                call_id=f"call-{number}", type="function_call", name=said[5:], arguments="{}"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise AssertionError("Nothing that is tested with it asks for a stream.")
