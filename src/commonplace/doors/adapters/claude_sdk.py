"""Hooks for the Claude Agent SDK: add memories to prompts, and save what the user teaches.

    async with ClaudeHooks(book) as memory:
        options = ClaudeAgentOptions(hooks=memory.hooks)

The SDK has no hook for the start or end of a session: the first prompt gets the context of a
session start, and leaving the block saves. A hook that is late or fails adds nothing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from .conversations import TIMEOUT_S, Conversations, quietly, require_extra

with require_extra("claude-agent-sdk", extra="claude"):
    from claude_agent_sdk import HookContext, HookInput, HookJSONOutput, HookMatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from claude_agent_sdk.types import HookEvent

    from ...book import Commonplace


class ClaudeHooks:
    """The hooks of one program, for all its sessions."""

    def __init__(
        self, book: Commonplace, *, capture: bool = True, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._conversations = Conversations(book, host="claude-sdk", capture=capture)
        self._timeout_s = timeout_s

    @property
    def hooks(self) -> dict[HookEvent, list[HookMatcher]]:
        """For `ClaudeAgentOptions(hooks=…)`."""
        # The SDK blocks a prompt whose hook timed out; these hooks give up well before.
        timeout_s = self._timeout_s * 2
        return {
            "UserPromptSubmit": [HookMatcher(hooks=[self._prompt], timeout=timeout_s)],
            "Stop": [HookMatcher(hooks=[self._stop], timeout=timeout_s)],
            "PreCompact": [HookMatcher(hooks=[self._compact], timeout=timeout_s)],
        }

    async def _prompt(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        text = await self._quietly(lambda: self._context(dict(input)), otherwise="")
        if not text:
            return {}
        return {
            "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}
        }

    async def _stop(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        event: dict[str, Any] = dict(input)
        await self._quietly(
            lambda: self._conversations.record_answer(
                event["session_id"], event.get("last_assistant_message") or ""
            ),
            otherwise=None,
        )
        return {}

    async def _compact(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        """Save before the SDK compacts the session; the next prompt starts it anew."""
        event: dict[str, Any] = dict(input)
        await self._quietly(lambda: self._conversations.save(event["session_id"]), otherwise=None)
        return {}

    def _context(self, event: dict[str, Any]) -> str:
        id, prompt = event["session_id"], event["prompt"]
        self._conversations.enter(id, event.get("cwd", ""))
        ask = (
            self._conversations.context_for_prompt
            if self._conversations.has_started(id)
            else self._conversations.context_for_first_prompt
        )
        return ask(id, prompt)

    async def _quietly(self, work: Callable[[], Any], *, otherwise: Any) -> Any:
        return await quietly(work, otherwise=otherwise, timeout_s=self._timeout_s)

    async def close(self) -> None:
        """Save what the user taught in every session."""
        await asyncio.to_thread(self._conversations.save_all)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
