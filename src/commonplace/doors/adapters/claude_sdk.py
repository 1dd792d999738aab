"""Hooks for the Claude Agent SDK: memories with every prompt, and what is taught is kept.

    async with BookHooks(book) as memory:
        options = ClaudeAgentOptions(hooks=memory.hooks)

The SDK has no hook for the start or end of a session: the first prompt brings what a session
begins with, and leaving the block keeps what was taught. A hook that is late or fails says nothing.
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


class BookHooks:
    """The hooks of one program; each session is told apart by its id."""

    def __init__(
        self, book: Commonplace, *, capture: bool = True, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._talks = Conversations(book, host="claude-sdk", capture=capture)
        self._timeout_s = timeout_s

    @property
    def hooks(self) -> dict[HookEvent, list[HookMatcher]]:
        """For `ClaudeAgentOptions(hooks=…)`."""
        # The SDK blocks a prompt whose hook it had to time out; ours give up well before.
        most_s = self._timeout_s * 2
        return {
            "UserPromptSubmit": [HookMatcher(hooks=[self._prompt], timeout=most_s)],
            "Stop": [HookMatcher(hooks=[self._stop], timeout=most_s)],
            "PreCompact": [HookMatcher(hooks=[self._compact], timeout=most_s)],
        }

    async def _prompt(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        text = await self._quietly(lambda: self._context(dict(input)), otherwise="")
        if not text:
            return {}
        return {
            "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}
        }

    async def _stop(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        said: dict[str, Any] = dict(input)
        await self._quietly(
            lambda: self._talks.answered(
                said["session_id"], said.get("last_assistant_message") or ""
            ),
            otherwise=None,
        )
        return {}

    async def _compact(self, input: HookInput, _: str | None, __: HookContext) -> HookJSONOutput:
        """Keep what was taught before it is summed up; then begin with everything once more."""
        said: dict[str, Any] = dict(input)
        await self._quietly(lambda: self._talks.keep(said["session_id"]), otherwise=None)
        return {}

    def _context(self, said: dict[str, Any]) -> str:
        id, prompt = said["session_id"], said["prompt"]
        ask = self._talks.asked if self._talks.begun(id) else self._talks.opened
        return ask(id, prompt)

    async def _quietly(self, work: Callable[[], Any], *, otherwise: Any) -> Any:
        return await quietly(work, otherwise=otherwise, timeout_s=self._timeout_s)

    async def close(self) -> None:
        """Keep what was taught in every session."""
        await asyncio.to_thread(self._talks.keep_all)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
