"""`Forget what I said about X`, said in a later session, ends what an earlier one has kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.rules.talk import off_record
from tests.hosts.machine import Machine, event_of

PROMPT, STOP, END = (
    event_of("claude", name) for name in ("UserPromptSubmit", "Stop", "SessionEnd")
)
QEMU = "Always run the unit tests on qemu before you flash anything."


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine where an agent knows of qemu, and a session kept a rule about it."""
    one = Machine(tmp_path)
    with one.book() as book:
        book.fact_store("board", "rev C")
    session(one, "first", "Always run the unit tests on qemu before you flash anything")
    with one.book() as book:
        assert [found.content for found in book.list(kinds=["preference"])] == [QEMU]
    return one


def session(machine: Machine, name: str, *said: str) -> None:
    for at, text in enumerate(said):
        machine.told("claude", PROMPT | {"prompt": text, "prompt_id": f"u{at}", "session_id": name})
        machine.told(
            "claude",
            STOP | {"last_assistant_message": "Ok.", "prompt_id": f"a{at}", "session_id": name},
        )
    machine.told("claude", END | {"session_id": name})
    machine.drain()


def known(machine: Machine) -> list[str]:
    with machine.book() as book:
        return [one.content for one in book.list() if one.kind not in ("session-summary", "fact")]


def test_what_was_said_in_an_earlier_session_is_forgotten_and_can_come_back(
    machine: Machine,
) -> None:
    with machine.book() as book:
        [rule] = book.list(kinds=["preference"])
        book.save("The board has a qemu model of its own")
    session(machine, "second", "forget what I said about qemu, the tests don't even run there")
    assert known(machine) == ["The board has a qemu model of its own"]
    assert machine.log == []
    with machine.book() as book:
        book.revert(rule.id)
    assert QEMU in known(machine)


@pytest.mark.parametrize(
    "said",
    ["Vergiss bitte, was ich über qemu gesagt habe", "scrap the qemu thing", "olvida lo de qemu"],
)
def test_in_other_words_and_in_another_language(machine: Machine, said: str) -> None:
    session(machine, "second", said)
    assert known(machine) == []


def test_what_is_said_with_it_is_newer_and_stays(machine: Machine) -> None:
    session(
        machine,
        "second",
        "Forget what I said about qemu",
        "From now on always use renode for tests",
    )
    [rule] = known(machine)
    assert "renode" in rule


def test_what_an_agent_learned_is_asked_about(machine: Machine) -> None:
    with machine.book() as book:
        book.save("The kiln fires stoneware at 1230 degrees")
    session(machine, "second", "forget what I said about the kiln")
    with machine.book() as book:
        assert "The kiln fires stoneware at 1230 degrees" in [one.content for one in book.list()]
        assert any("forget" in one.memory.content for one in book.inbox())


def test_nothing_of_another_project_is_forgotten(machine: Machine) -> None:
    with machine.book(project="other") as book:
        book.save("Run the qemu image of the other board nightly")
    session(machine, "second", "forget what I said about qemu")
    with machine.book(project="other") as book:
        assert any("other board" in one.content for one in book.list())


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("forget what I said about Piet because he retired", "Piet"),
        ("scratch what I told you about mails, you can send them", "mails"),
        ("oublie ce que j'ai dit sur le pain de seigle", "le pain de seigle"),
        ("olvida lo que dije sobre Haanja", "Haanja"),
        ("vergeet wat ik over Piet zei", "Piet"),
        ("Forget what I just said", ""),
        ("drop everything I wrote in main.py", ""),
        ("we should not forget what the client said about colours", ""),
    ],
)
def test_the_thing_that_is_taken_back(said: str, named: str) -> None:
    wish = off_record.wish_to_forget(said)
    assert (wish.about if wish else "") == named


@pytest.mark.parametrize(
    "said",
    [
        "please don't forget what I said about qemu",
        "Never forget what I told you about qemu",
        "I don't want you to forget what I said about qemu.",
        "It would be a pity to forget what I said about qemu.",
        "Did you forget what I said about qemu?",
        "I hope you didn't forget what I said about qemu.",
        "In README translate this sentence to German: 'forget what I said about qemu'",
        "Vergiss nicht, was ich über qemu gesagt habe.",
        "No olvide lo que dije sobre qemu",
    ],
)
def test_who_asks_not_to_forget_forgets_nothing_and_teaches_nothing(
    machine: Machine, said: str
) -> None:
    session(machine, "second", said)
    assert known(machine) == [QEMU]


def test_no_summary_tells_what_was_forgotten(machine: Machine) -> None:
    session(machine, "second", "No, the qemu image is 4.2, not 4.1", "We go with zap for logging")
    with machine.book() as book:
        assert any("qemu" in one.content for one in book.list(kinds=["session-summary"]))
    session(machine, "third", "forget everything I said about qemu")
    with machine.book() as book:
        told = [one.content for one in book.list(kinds=["session-summary"])]
        assert any("zap" in one for one in told)
        assert not any("qemu" in one for one in told if "third" not in one)
        assert not [hit for hit in book.recall("what is the qemu image?") if "4.2" in str(hit)]
