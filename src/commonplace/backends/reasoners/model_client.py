"""Asks a model one question within a time and a number of tokens; answers have a fixed shape."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic_ai import Agent, PromptedOutput, ToolOutput
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelConnectionError,
    ModelHTTPError,
    ModelTimeoutError,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.models import create_async_httpx2_client
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from httpx2 import AsyncClient
    from pydantic_ai.models import Model as Provided


class ModelAnswer(BaseModel):
    """An answer with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Summarized(ModelAnswer):
    """A shorter text."""

    summary: str = Field(min_length=1)


class MergedAnswer(ModelAnswer):
    """Two notes as one."""

    text: str = Field(min_length=1)
    changes: list[str] = Field(
        default_factory=list, description="one line for each older statement that was replaced"
    )


class JudgedAnswer(ModelAnswer):
    """The relation of two notes."""

    relation: Literal["same", "contradicts", "refines", "unrelated"]
    sure: float = Field(ge=0, le=1)
    words: str = Field(default="", max_length=400, description="why, in one sentence")


class Sensitive(ModelAnswer):
    """The kinds of personal data in a note."""

    kinds: list[
        Literal[
            "name", "address", "e-mail address", "phone number", "birthday", "health", "finances",
            "identity number", "credential", "religion", "politics", "sexuality", "ethnicity",
            "location", "biometrics",
        ]
    ] = Field(default_factory=list)  # fmt: skip


class LessonAnswer(ModelAnswer):
    """One correction or preference."""

    kind: Literal["correction", "preference"]
    content: str = Field(min_length=3, max_length=600)
    wrong: str = Field(default="", max_length=600)
    turn: int = Field(ge=0)


class Lessons(ModelAnswer):
    """Corrections and preferences of the user."""

    lessons: list[LessonAnswer] = Field(default_factory=list, max_length=50)


class RemarkAnswer(ModelAnswer):
    """One sentence, and who said it."""

    speaker: Literal["user", "agent"]
    text: str = Field(min_length=2, max_length=400)


class RecapAnswer(ModelAnswer):
    """A conversation in short."""

    goal: str = Field(min_length=3, max_length=400)
    requests: list[str] = Field(default_factory=list, max_length=6)
    outcome: list[RemarkAnswer] = Field(default_factory=list, max_length=4)
    decisions: list[RemarkAnswer] = Field(default_factory=list, max_length=10)
    open_ends: list[RemarkAnswer] = Field(default_factory=list, max_length=8)
    state: Literal["done", "open", "failed", "abandoned", ""] = ""


class PatternAnswer(ModelAnswer):
    """One pattern in several notes."""

    content: str = Field(min_length=3, max_length=600)
    kind: Literal["insight", "workflow", "preference", "fix"]
    of: list[int] = Field(min_length=2)
    reason: str = Field(default="", max_length=300)


class Patterns(ModelAnswer):
    """Patterns in the notes."""

    patterns: list[PatternAnswer] = Field(default_factory=list, max_length=20)


RETRIES = 2
"""Retries of a failed request; an answer of the wrong shape is retried once more."""
PLACEHOLDER_KEY = "none"
"""Sent where no key is set, because local endpoints accept any key but not none."""

_REASONS = {
    ContentFilterError: "it refused",
    UsageLimitExceeded: "its answer exceeded the token limit",
    ModelConnectionError: "it could not be reached",
    UserError: "its configuration is invalid",
}

Shape = TypeVar("Shape", bound=ModelAnswer)


class NoUsableAnswer(Exception):
    """The model gave no usable answer; the reason repeats nothing that was sent."""

    def __init__(self, reason: str, *, may_be_billed: bool) -> None:
        super().__init__(reason)
        self.may_be_billed = may_be_billed
        """Whether the question may have reached the model."""


class ModelClient:
    """One model of one provider."""

    def __init__(self, kind: str, name: str, key: str, url: str = "") -> None:
        self.label = f"{kind}:{name}"
        self._kind, self._name, self._key, self._url = (
            kind,
            name,
            key or PLACEHOLDER_KEY,
            url or None,
        )

    def ask(
        self,
        instructions: str,
        question: str,
        shape: type[Shape],
        *,
        timeout_s: float,
        answer_tokens: int,
        most_tokens: int | None,
        usage: RunUsage,
    ) -> Shape:
        """The model's answer; raises NoUsableAnswer. `usage` is updated in either case."""

        async def asked() -> Shape:
            async with self._opened(timeout_s) as model:
                # Any endpoint can write JSON when told to, but not all support tools.
                output = PromptedOutput(shape) if self._kind == "http" else ToolOutput(shape)
                agent = Agent(model, output_type=output, instructions=instructions, retries=1)
                result = await agent.run(
                    question,
                    timeout=timeout_s,
                    usage=usage,
                    usage_limits=UsageLimits(request_limit=2, total_tokens_limit=most_tokens),
                    model_settings=ModelSettings(max_tokens=answer_tokens, timeout=timeout_s),
                )
                return result.output

        try:
            return _run(asked)
        except Exception as error:
            # Providers' libraries raise more than they document, and a failing model must not
            # stop the work: the rules answer instead.
            raise NoUsableAnswer(
                _reason(error, timeout_s), may_be_billed=_may_be_billed(error)
            ) from error

    @asynccontextmanager
    async def _opened(self, timeout_s: float) -> AsyncGenerator[Provided]:
        async with create_async_httpx2_client(timeout=timeout_s) as client:
            yield self._anthropic(client) if self._kind == "anthropic" else self._openai(client)

    def _openai(self, client: AsyncClient) -> Provided:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        connection = AsyncOpenAI(
            api_key=self._key, base_url=self._url, max_retries=RETRIES, http_client=client
        )
        return OpenAIChatModel(self._name, provider=OpenAIProvider(openai_client=connection))

    def _anthropic(self, client: AsyncClient) -> Provided:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        connection = AsyncAnthropic(api_key=self._key, max_retries=RETRIES, http_client=client)
        return AnthropicModel(self._name, provider=AnthropicProvider(anthropic_client=connection))


def _run(asked: Callable[[], Awaitable[Shape]]) -> Shape:
    """Run to the end; in another thread if this one already runs an event loop."""

    async def main() -> Shape:
        return await asked()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    with ThreadPoolExecutor(1) as one:
        return one.submit(asyncio.run, main()).result()


def _may_be_billed(error: BaseException) -> bool:
    if isinstance(error, ModelHTTPError):
        return error.status_code >= 500
    return not isinstance(error, ModelConnectionError) or isinstance(error, ModelTimeoutError)


def _reason(error: BaseException, timeout_s: float) -> str:
    """The reason of a failure, without any text or key."""
    if isinstance(error, TimeoutError) or "timed out" in str(error).lower():
        return f"it did not answer within {timeout_s:g} s"
    if isinstance(error, ModelHTTPError):
        return f"it answered {error.status_code}"
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return "its answer could not be read"
