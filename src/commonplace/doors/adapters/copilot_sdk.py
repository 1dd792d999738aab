"""Hooks for the Copilot SDK: add memories to starts and prompts, save what the user teaches.

    memory = CopilotHooks(book)
    session = await client.create_session(hooks=memory.hooks, …)

A hook that is late or fails adds nothing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from .conversations import TIMEOUT_S, Conversations, quietly, require_extra

with require_extra("github-copilot-sdk", extra="copilot"):
    from copilot.session import SessionHooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from copilot.session import (
        AgentStopHookInput,
        SessionEndHookInput,
        SessionStartHookInput,
        SessionStartHookOutput,
        UserPromptSubmittedHookInput,
        UserPromptSubmittedHookOutput,
    )

    from ...book import Commonplace

READ_BYTES = 512 * 1024
"""Bytes read from the end of a transcript, where the last answer is."""


class CopilotHooks:
    """The hooks of one program, for all its sessions."""

    def __init__(
        self, book: Commonplace, *, capture: bool = True, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._conversations = Conversations(book, host="copilot-sdk", capture=capture)
        self._timeout_s = timeout_s

    @property
    def hooks(self) -> SessionHooks:
        """For `client.create_session(hooks=…)`."""
        return SessionHooks(
            on_session_start=self._start,
            on_user_prompt_submitted=self._prompt,
            on_agent_stop=self._stop,
            on_session_end=self._end,
        )

    async def _start(
        self, input: SessionStartHookInput, invocation: dict[str, str]
    ) -> SessionStartHookOutput | None:
        event: dict[str, Any] = dict(input)

        def started() -> str:
            folder = event.get("workingDirectory") or event.get("cwd") or ""
            self._conversations.enter(invocation["session_id"], folder)
            return self._conversations.start(invocation["session_id"])

        text: str = await self._quietly(started, otherwise="")
        return {"additionalContext": text} if text else None

    async def _prompt(
        self, input: UserPromptSubmittedHookInput, invocation: dict[str, str]
    ) -> UserPromptSubmittedHookOutput | None:
        text: str = await self._quietly(
            lambda: self._conversations.context_for_prompt(
                invocation["session_id"], input["prompt"]
            ),
            otherwise="",
        )
        return {"additionalContext": text} if text else None

    async def _stop(self, input: AgentStopHookInput, invocation: dict[str, str]) -> None:
        await self._quietly(
            lambda: self._conversations.record_answer(
                invocation["session_id"], last_answer(input.get("transcriptPath", ""))
            ),
            otherwise=None,
        )

    async def _end(self, input: SessionEndHookInput, invocation: dict[str, str]) -> None:
        def keep() -> None:
            self._conversations.record_answer(
                invocation["session_id"], input.get("finalMessage", "")
            )
            self._conversations.save(invocation["session_id"])

        await self._quietly(keep, otherwise=None)

    async def _quietly(self, work: Callable[[], Any], *, otherwise: Any) -> Any:
        return await quietly(work, otherwise=otherwise, timeout_s=self._timeout_s)


def last_answer(transcript: str) -> str:
    """The agent's last answer in a transcript of JSON lines; empty if unreadable."""
    if not transcript:
        return ""
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, os.path.getsize(transcript) - READ_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    for line in reversed(lines):
        try:
            event: Any = json.loads(line)
            if event["type"] == "assistant.message" and event["data"]["content"]:
                return str(event["data"]["content"])
        except (ValueError, KeyError, TypeError):
            continue  # An incomplete line, or another kind of event.
    return ""
