"""A session of the OpenAI Agents SDK in a book gives back what the SDK's own sessions give back."""

from __future__ import annotations

import asyncio
import itertools
import random
from base64 import b64decode
from pathlib import Path
from typing import Any, cast

import pytest
from agents import Agent, Runner, SQLiteSession, function_tool, set_tracing_disabled
from agents.memory import Session, SessionSettings
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.doors.adapters.openai_agents import BookSession
from commonplace.model.errors import CommonplaceError
from commonplace.rules.parameters import TenantLimits
from commonplace.rules.screening.credential_formats import FORMATS
from commonplace.settings import Settings
from tests.conftest import OpenBook
from tests.doors.adapters.scripted_model import ScriptedModel
from tests.rules import made_credentials

TEXTS = st.sampled_from(
    ["hi", "", " ", "hi\n", "line\r\nbreak", "\x00\x1b[31m", "täglich", "ok", "x" * 30_000]
)
ITEMS = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXTS}),
    st.fixed_dictionaries({"role": st.just("system"), "content": TEXTS}),
    st.fixed_dictionaries({
        "id": st.just("m1"), "type": st.just("message"), "role": st.just("assistant"),
        "status": st.just("completed"),
        "content": st.lists(st.fixed_dictionaries({
            "type": st.just("output_text"), "text": TEXTS, "annotations": st.just([]),
        }), max_size=2),
    }),
    st.fixed_dictionaries({
        "type": st.just("function_call"), "name": st.just("look"), "call_id": st.just("c1"),
        "arguments": TEXTS,
    }),
    st.fixed_dictionaries({
        "type": st.just("function_call_output"), "call_id": st.just("c1"), "output": TEXTS,
    }),
)  # fmt: skip
STEPS = st.one_of(
    st.tuples(st.just("add"), st.lists(ITEMS, max_size=3)),
    st.tuples(st.just("pop"), st.none()),
    st.tuples(st.just("clear"), st.none()),
    st.tuples(st.just("get"), st.none() | st.integers(-1, 4)),
)


@pytest.mark.parametrize(("store", "scripts"), [("vault", 6), ("sqlite", 25)])
def test_random_steps_give_back_what_the_sdks_own_session_does(
    store: str, scripts: int, tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"{store}:{tmp_path / 'book'}")
    fresh = itertools.count()

    async def take(session: Session, step: str, what: Any) -> Any:
        if step == "add":
            return await session.add_items(what)
        if step == "pop":
            return await session.pop_item()
        return await (session.clear_session() if step == "clear" else session.get_items(what))

    async def compare(steps: list[tuple[str, Any]], name: str) -> None:
        ours, theirs = BookSession(book, name), SQLiteSession(name)
        for step, what in (*steps, ("get", None)):
            assert await take(ours, step, what) == await take(theirs, step, what)
        theirs.close()

    @settings(max_examples=scripts, deadline=None)
    @given(st.lists(STEPS, max_size=6))
    def same(steps: list[tuple[str, Any]]) -> None:
        asyncio.run(compare(steps, f"session {next(fresh)}"))

    same()


@function_tool
def weather() -> str:
    """What the weather is like."""
    return "The weather is fine, and zebras like it."


def run(session: BookSession, said: str, *answers: str) -> ScriptedModel:
    set_tracing_disabled(True)
    model = ScriptedModel(*answers)
    agent = Agent(name="helper", model=model, tools=[weather])
    asyncio.run(Runner.run(agent, said, session=session))
    return model


def test_an_agent_goes_on_where_another_process_left_off(tmp_path: Path, open_at: OpenBook) -> None:
    url = f"vault:{tmp_path / 'book'}"
    first = open_at(url, context={"user": "ada"})
    run(BookSession(first, "monday"), "How is the weather?", "call weather", "It is fine.")
    first.close()
    second = open_at(url, context={"user": "ada"})
    model = run(BookSession(second, "monday"), "And tomorrow?", "Fine, too.")
    told: list[Any] = model.given[0]
    assert [one.get("role") or one["type"] for one in told] == [
        "user", "function_call", "function_call_output", "assistant", "user",
    ]  # fmt: skip
    assert told[2]["output"] == "The weather is fine, and zebras like it."
    found = second.recall("how is the weather?")
    assert found[0].memory.content == "It is fine."
    assert not any("zebras" in hit.memory.content for hit in second.recall("zebras"))
    assert BookSession(second, "monday").session_settings == SessionSettings()


def test_what_tools_printed_is_text_from_outside(book: Commonplace) -> None:
    run(BookSession(book, "s"), "How is the weather?", "call weather", "It is fine.")
    trust = {memory.speaker: memory.trust for memory in book.list(kinds=["turn"])}
    assert trust == {
        "user": "agent", "assistant": "agent",
        "function_call": "external", "function_call_output": "external",
    }  # fmt: skip


def test_what_the_user_taught_is_learned_once(book: Commonplace) -> None:
    book.save("The staging database is db3")
    session = BookSession(book, "monday")
    run(session, "Actually, the staging database is db7.", "Thank you.")
    filled = asyncio.run(session.learn())
    assert [one.memory.content for one in filled.corrected] == ["The staging database is db7."]
    assert asyncio.run(session.learn()).already
    assert len(asyncio.run(session.get_items())) == 2


def test_a_history_that_a_person_has_edited_can_be_gone_on_with(book: Commonplace) -> None:
    session = BookSession(book, "s")
    long: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": "zebra " * 5_000}]},
        {"type": "function_call_output", "call_id": "c1", "output": "lion " * 5_000},
    ]
    asyncio.run(session.add_items(long))
    for one in book.list(kinds=["turn"]):
        book.edit(one.id, content="Shortened by hand")
    assert asyncio.run(session.get_items()) == [
        {"role": "user", "content": "Shortened by hand"},
        {"role": "assistant", "content": "Shortened by hand"},
    ]


def test_two_users_have_two_sessions_of_one_name(book: Commonplace) -> None:
    ada, bob = (BookSession(book.as_context({"user": name}), "s") for name in ("ada", "bob"))
    run(ada, "My door is green", "Nice.")
    assert asyncio.run(bob.get_items()) == []
    asyncio.run(bob.clear_session())
    assert len(asyncio.run(ada.get_items())) == 2


def test_a_credential_is_taken_out_of_the_history_and_memories_of_ours_are_not_said_again(
    book: Commonplace,
) -> None:
    form = next(form for form in FORMATS if form.label == "GitHub token")
    token = made_credentials.credential(form, random.Random(11))
    book.save("The staging database is db3")
    context = book.digest("staging database").text
    session = BookSession(book, "s")
    items: list[Any] = [
        {"type": "function_call_output", "call_id": "c1", "output": f"token={token} done"},
        {"role": "user", "content": f"{context}\nWhich one?"},
    ]
    asyncio.run(session.add_items(items))
    kept = cast("list[Any]", asyncio.run(session.get_items()))
    assert token not in str(kept)
    assert kept[0]["output"].endswith("done")
    assert kept[1] == items[1]
    assert [turn.content for turn in book.list(kinds=["turn"])] == [
        "Which one?", "(function_call_output)",
    ]  # fmt: skip


BIG = f"data:image/png;base64,{'iVBORw0K' * 150_000}"


def test_an_image_too_large_to_keep_leaves_the_conversation_whole(book: Commonplace) -> None:
    session = BookSession(book, "s")
    question = {"type": "input_text", "text": "Which heron is this?"}
    items: list[Any] = [
        {"role": "user", "content": [question, {"type": "input_image", "image_url": BIG}]},
        {"role": "user", "content": [
            {"type": "input_file", "filename": "a.pdf", "file_data": BIG},
        ]},
        {"role": "user", "content": "heron " * 200_000},
        {"type": "function_call", "name": "look", "call_id": "c1", "arguments": "{}"},
        {
            "type": "function_call_output", "call_id": "c1",
            "output": [{"type": "input_image", "image_url": BIG}, question],
        },
        {"type": "image_generation_call", "id": "i1", "status": "completed", "result": BIG[22:]},
        {"type": "computer_call_output", "call_id": "c2",
         "output": {"type": "computer_screenshot", "image_url": BIG}},
        {"role": "user", "content": [{"type": "input_text", "text": "x"}] * 30_000},
        {"role": "assistant", "content": "A grey one."},
    ]  # fmt: skip
    asyncio.run(session.add_items(items))
    kept = cast("list[Any]", asyncio.run(session.get_items()))
    assert len(kept) == len(items)
    image = {"type": "input_text", "text": "(An image was here, too long to keep.)"}
    assert kept[0] == {"role": "user", "content": [question, image]}
    assert kept[1]["content"][0]["text"] == "(A file called a.pdf was here, too long to keep.)"
    assert kept[2]["content"].startswith("heron heron")
    assert len(kept[2]["content"]) > 400_000
    assert kept[4] == {**items[4], "output": [image, question]}
    assert kept[5] == {"role": "assistant", "content": image["text"]}
    shown = kept[6]["output"]["image_url"]
    assert shown.startswith("data:image/png;base64,")
    assert b64decode(shown.partition(",")[2], validate=True).startswith(b"\x89PNG")
    assert kept[7] == {"role": "user", "content": "(Something was here, too long to keep.)"}
    assert kept[8] == items[8]
    run(session, "Are you sure?", "Quite.")


def test_a_turn_that_cannot_be_kept_whole_is_not_kept_at_all(tmp_path: Path) -> None:
    chosen = Settings(
        state=str(tmp_path / "state"), embedder="none", limits=TenantLimits(memories=3)
    )
    turn: list[Any] = [
        {"role": "user", "content": "Where is my order?"},
        {"type": "function_call", "name": "look", "call_id": "c1", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "at the harbour"},
    ]
    with open_book(f"sqlite:{tmp_path / 'book.db'}", settings=chosen, background=False) as book:
        session = BookSession(book, "s")
        asyncio.run(session.add_items([{"role": "user", "content": "Good morning"}]))
        unwritable: Any = {"role": "user", "content": [{"type": "input_text", "text": object()}]}
        for items in (turn, [*turn[:1], unwritable]):
            with pytest.raises(CommonplaceError):
                asyncio.run(session.add_items(items))
            assert asyncio.run(session.get_items()) == [{"role": "user", "content": "Good morning"}]


def test_items_added_at_once_are_all_kept_in_order(book: Commonplace) -> None:
    session = BookSession(book, "s", session_settings=SessionSettings(limit=3))

    async def add() -> None:
        await asyncio.gather(*(
            session.add_items([{"role": "user", "content": f"text {n}"}]) for n in range(5)
        ))  # fmt: skip

    asyncio.run(add())
    everything = cast("list[Any]", asyncio.run(session.get_items(limit=10)))
    assert {item["content"] for item in everything} == {f"text {n}" for n in range(5)}
    assert asyncio.run(session.get_items()) == everything[-3:]
    assert isinstance(session, Session)
