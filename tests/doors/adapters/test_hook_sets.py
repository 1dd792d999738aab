"""Hooks for the agent SDKs: memories reach the model, lessons the book, and faults nobody."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any, cast

import claude_agent_sdk
import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, HookContext, ResultMessage
from copilot.session import CopilotSession

from commonplace import Commonplace
from commonplace.doors.adapters import claude_sdk, copilot_sdk
from commonplace.doors.adapters.conversations import Conversations
from tests.conftest import OpenBook
from tests.hosts.model import model
from tests.test_projects import repository

TOLD = "Actually, the staging database is db7."


@pytest.fixture
def memory(tmp_path: Path, open_at: OpenBook) -> Commonplace:
    """A book that knows something, asked by Ada."""
    book = open_at(f"sqlite:{tmp_path / 'book.db'}", context={"user": "ada"})
    book.fact_store("arena.name", "Colosseum")
    book.save("The staging database is db3")
    book.as_context({"user": "bob"}).save("The staging database is called Bob's secret")
    return book


def claude(hooks: claude_sdk.ClaudeHooks, event: str, session: str = "s1", **said: Any) -> str:
    """Fire one event as the SDK does, and give back the context that the model would get."""
    told = {"session_id": session, "hook_event_name": event, "cwd": "/", **said}
    matcher = hooks.hooks[cast("Any", event)][0]
    hook: Any = matcher.hooks[0]
    answer = asyncio.run(hook(told, None, HookContext(signal=None)))
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def copilot(hooks: copilot_sdk.CopilotHooks, event: str, session: str = "s1", **said: Any) -> str:
    """Fire one event through the SDK's own dispatch, in the form that it has on the wire."""
    client = CopilotSession(session, cast("Any", None))
    client._register_hooks(hooks.hooks)
    told = {"sessionId": session, "timestamp": 1_794_733_209_000, "cwd": "/", **said}
    answer: Any = asyncio.run(client._handle_hooks_invoke(event, told))
    return (answer or {}).get("additionalContext", "")


def test_claude_itself_is_handed_memories_and_what_it_is_taught_is_kept(
    tmp_path: Path, memory: Commonplace
) -> None:
    if not (Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude").exists():
        pytest.skip("the SDK for this platform does not bring Claude Code along")
    results: list[str] = []

    async def talk(url: str) -> None:
        async with claude_sdk.ClaudeHooks(memory, timeout_s=20) as hooks:
            options = ClaudeAgentOptions(
                hooks=hooks.hooks,
                setting_sources=[],
                cwd=tmp_path,
                env={
                    "HOME": str(tmp_path), "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": url,
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                },
            )  # fmt: skip
            async with ClaudeSDKClient(options) as client:
                await client.query(TOLD)
                results.extend(
                    [
                        message.result or ""
                        async for message in client.receive_response()
                        if isinstance(message, ResultMessage)
                    ]
                )

    with model("Noted: db7.") as one:
        asyncio.run(talk(one.url))
    assert results == ["Noted: db7."]
    assert "arena.name: Colosseum" in one.said_to_it
    assert "The staging database is db3" in one.said_to_it
    assert "secret" not in one.said_to_it
    assert memory.recall("staging database")[0].memory.content == "The staging database is db7."
    assert "Noted: db7." in memory.timeline()[0].content


def test_a_claude_session_is_handed_each_memory_once_until_it_is_compacted(
    memory: Commonplace,
) -> None:
    hooks = claude_sdk.ClaudeHooks(memory)
    first = claude(hooks, "UserPromptSubmit", prompt="Which database is for staging?")
    assert first.startswith('<memory-context source="commonplace">')
    assert "Colosseum" in first
    assert "db3" in first
    again = claude(hooks, "UserPromptSubmit", prompt="Which staging database is it again?")
    assert "db3" not in again
    assert "Colosseum" not in again
    other = claude(hooks, "UserPromptSubmit", "s2", prompt="Which database is for staging?")
    assert "db3" in other
    assert claude(hooks, "Stop", last_assistant_message="It is db3.", stop_hook_active=False) == ""
    assert claude(hooks, "UserPromptSubmit", prompt=TOLD) == ""
    assert claude(hooks, "PreCompact", trigger="auto", custom_instructions=None) == ""
    assert memory.recall("staging database")[0].memory.content == "The staging database is db7."
    after = claude(hooks, "UserPromptSubmit", prompt="Which database is for staging?")
    assert "Colosseum" in after
    assert "db7" in after


def test_copilot_is_handed_memories_and_its_session_is_kept_when_it_ends(
    tmp_path: Path, memory: Commonplace
) -> None:
    hooks = copilot_sdk.CopilotHooks(memory)
    assert "Colosseum" in copilot(hooks, "sessionStart", source="startup")
    assert "db3" in copilot(hooks, "userPromptSubmitted", prompt="Which database is for staging?")
    transcript = tmp_path / "events.jsonl"
    lines = [
        {"type": "assistant.message", "data": {"content": "It is db3, says the book."}},
        {"type": "assistant.message", "data": {"content": ""}},
        {"type": "session.idle", "data": {}},
    ]
    transcript.write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "assist')
    assert copilot(hooks, "agentStop", transcriptPath=str(transcript), stop_hook_active=False) == ""
    copilot(hooks, "userPromptSubmitted", prompt=TOLD)
    assert copilot(hooks, "sessionEnd", reason="complete", finalMessage="db7 it is.") == ""
    assert memory.recall("staging database")[0].memory.content == "The staging database is db7."
    summary = memory.timeline()[0].content
    assert "It is db3, says the book." in summary
    assert "4 turns" in summary


def test_a_session_in_a_repository_belongs_to_its_project(
    tmp_path: Path, memory: Commonplace
) -> None:
    root = str(repository(tmp_path / "code" / "mech"))
    mech = memory.as_context({"user": "ada", "project": "mech"})
    mech.fact_store("arena.size", "forty paces")
    rule = "Always run make lint before a commit."
    hooks = claude_sdk.ClaudeHooks(memory)
    assert "forty paces" in claude(hooks, "UserPromptSubmit", prompt=rule, cwd=root)
    assert "forty paces" not in claude(hooks, "UserPromptSubmit", "other", prompt="Hello there")
    asyncio.run(hooks.close())
    assert [
        one.content for one in mech.list(scope="/user/ada/project/mech", kinds=["preference"])
    ] == [rule]
    others = copilot_sdk.CopilotHooks(memory)
    assert "forty paces" in copilot(others, "sessionStart", "s2", source="new", cwd=root)


def test_what_was_handed_out_is_not_kept_as_something_said(memory: Commonplace) -> None:
    hooks = copilot_sdk.CopilotHooks(memory)
    context = copilot(hooks, "userPromptSubmitted", prompt="Which database is for staging?")
    copilot(hooks, "userPromptSubmitted", prompt=f"{context}\n\nAnd for production?")
    copilot(hooks, "userPromptSubmitted", prompt="And for production?")
    session = memory.session(memory.sessions()[0].rpartition("/")[2])
    assert [entry.content.strip() for entry in session.entries()] == [
        "Which database is for staging?", "And for production?",
    ]  # fmt: skip


def test_a_session_that_another_process_left_behind_goes_on(memory: Commonplace) -> None:
    claude(claude_sdk.ClaudeHooks(memory), "UserPromptSubmit", prompt=TOLD)
    later = claude_sdk.ClaudeHooks(memory)
    claude(later, "Stop", last_assistant_message="Noted.")
    asyncio.run(later.close())
    assert memory.recall("staging database")[0].memory.content == "The staging database is db7."
    assert memory.sessions() == []


@pytest.mark.parametrize("id", ["../../etc", "x" * 5_000, "täglich 7", ""])
def test_any_session_id_will_do(memory: Commonplace, id: str) -> None:
    hooks = claude_sdk.ClaudeHooks(memory)
    assert "db3" in claude(hooks, "UserPromptSubmit", id, prompt="Which staging database?")


@pytest.mark.parametrize(("first", "second"), [("order-7", "order"), ("order", "order-7")])
def test_conversations_whose_ids_begin_alike_are_kept_apart(
    memory: Commonplace, first: str, second: str
) -> None:
    talks = Conversations(memory, host="claude")
    talks.context_for_prompt(first, "Actually, the courier of order 7 is Piper.")
    talks.context_for_prompt(second, "Actually, the shop closes at nine.")
    assert len(memory.sessions()) == 2
    again = Conversations(memory, host="claude")
    again.context_for_prompt(second, "Where is it?")
    assert len(memory.sessions()) == 2, "each goes on by its own id"
    again.save(second)
    (left,) = memory.sessions()
    assert [one.content for one in memory.session(left.rpartition("/")[2]).entries()] == [
        "Actually, the courier of order 7 is Piper."
    ]


def test_a_fault_or_a_delay_is_logged_and_the_host_goes_on(
    memory: Commonplace, caplog: pytest.LogCaptureFixture
) -> None:
    hooks, other = claude_sdk.ClaudeHooks(memory), copilot_sdk.CopilotHooks(memory)
    late = claude_sdk.ClaudeHooks(memory, timeout_s=0)
    with caplog.at_level(logging.WARNING):
        assert claude(hooks, "UserPromptSubmit") == ""
        assert copilot(other, "userPromptSubmitted") == ""
        assert claude(late, "UserPromptSubmit", prompt="Which database is for staging?") == ""
        memory.close()
        for event in ("UserPromptSubmit", "Stop", "PreCompact"):
            assert claude(hooks, event, prompt="x", last_assistant_message="x") == ""
        for event in ("sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd"):
            assert copilot(other, event, prompt="x", finalMessage="x") == ""
    assert "could not answer" in caplog.text


def test_what_is_handed_over_fits_into_what_hosts_take(memory: Commonplace) -> None:
    for number in range(60):
        memory.fact_store(f"rule.{number}", f"Staging rule {number}: " + "word " * 60)
        memory.save(f"Staging lesson {number} about {number * 7} databases " + f"x{number} " * 80)
    hooks = claude_sdk.ClaudeHooks(memory)
    handed = claude(hooks, "UserPromptSubmit", prompt="staging databases")
    # The notes alone: the frame around them has become shorter.
    assert sum(map(len, handed.splitlines()[2:-1])) > 1_755
    assert len(handed) < 8_000
    assert len(copilot(copilot_sdk.CopilotHooks(memory), "sessionStart", source="new")) < 8_000


def test_without_capture_nothing_said_is_kept(memory: Commonplace) -> None:
    hooks = copilot_sdk.CopilotHooks(memory, capture=False)
    copilot(hooks, "userPromptSubmitted", prompt=TOLD)
    copilot(hooks, "sessionEnd", reason="complete", finalMessage="Noted.")
    assert memory.sessions() == []
    assert memory.timeline() == []
    assert "db3" in memory.recall("staging database")[0].memory.content
