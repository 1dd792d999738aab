"""What a user asked not to keep is nowhere after a session: not in the book, not in its state."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.rules.talk import off_record
from tests.hosts.machine import Machine, event_of
from tests.on_disk import all_bytes

PROMPT, STOP, END = (
    event_of("claude", name) for name in ("UserPromptSubmit", "Stop", "SessionEnd")
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose book knows where to deploy from."""
    one = Machine(tmp_path)
    with one.book() as book:
        book.save("We deploy from the branch main")
    return one


def talk(machine: Machine, *said: str) -> None:
    """Tell the hooks of a conversation that goes on; the user speaks first."""
    for at, text in enumerate(said):
        if at % 2:
            machine.told("claude", STOP | {"last_assistant_message": text, "prompt_id": f"a{at}"})
        else:
            machine.told("claude", PROMPT | {"prompt": text, "prompt_id": f"u{at}"})


def end(machine: Machine) -> str:
    """End the session, and return everything that the book knows afterwards."""
    machine.told("claude", END)
    machine.drain()
    with machine.book() as book:
        found = book.list(include_archive=True, include_inbox=True, limit=100)
        return "\n".join([*(one.content for one in found), book.report().text])


def texts(machine: Machine) -> list[str]:
    return [line["text"] for line in machine.waiting() if "text" in line]


def test_a_secret_is_nowhere_on_the_disk(machine: Machine) -> None:
    talk(
        machine,
        "I prefer tabs over spaces.", "Noted.",
        "Don't save this: Zebulon has a pacemaker.", "Poor Zebulon, I will not.",
        "Bitte nicht merken: Zebulon kündigt im März.", "Verstanden, Zebulon geht.",
        "We still need to write the changelog tomorrow.", "Ok.",
    )  # fmt: skip
    assert texts(machine).count(off_record.NOT_KEPT) == 4
    assert b"zebulon" not in all_bytes(machine.home).lower()
    told = end(machine)
    assert "tabs over spaces" in told
    assert "changelog" in told
    assert "ebulon" not in told
    assert b"zebulon" not in all_bytes(machine.home).lower()


@pytest.mark.parametrize(
    "wish", ["What I say next, please don't save.", "Don't save anything from this conversation."]
)
def test_no_log_has_the_prompts_after_a_wish(machine: Machine, wish: str) -> None:
    talk(machine, wish, "Ok.", "Does Zebulon deploy from the branch main?", "Zebulon does.")
    assert b"zebulon" not in all_bytes(machine.home).lower()


def test_a_private_session_stays_private_when_it_is_resumed(machine: Machine) -> None:
    talk(machine, "Please don't save anything from this conversation.", "I will not.")
    end(machine)
    machine.told("claude", event_of("claude", "SessionStart") | {"source": "resume"})
    talk(machine, "I prefer the Zebulon bank.", "Zebulon.")
    assert "Zebulon" not in end(machine)
    assert b"zebulon" not in all_bytes(machine.home).lower()


def test_a_turn_taken_back_leaves_the_waiting_turns_at_once(machine: Machine) -> None:
    talk(machine, "I prefer tabs over spaces.", "Noted.", "I prefer the Zebulon bank.", "Zebulon.")
    assert any("Zebulon" in text for text in texts(machine))
    talk(machine, "Forget what I just said", "Gone.")
    assert not any("Zebulon" in text for text in texts(machine))
    assert "I prefer tabs over spaces." in texts(machine)
    told = end(machine)
    assert "tabs over spaces" in told
    assert "Zebulon" not in told


def test_a_session_that_is_not_to_be_kept_leaves_nothing(machine: Machine) -> None:
    talk(
        machine,
        "I prefer the Zebulon bank.", "Ok.",
        "Please don't save anything from this conversation.", "I will not.",
        "Always pay Zebulon in cash.", "Zebulon, in cash.",
    )  # fmt: skip
    assert not any("Zebulon" in text for text in texts(machine))
    assert "Zebulon" not in end(machine)
