"""What agents may not save: thinking aloud, output, weak guesses; and who wins a conflict.

A topic is recognized when the book knows it, and never made up.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from commonplace.model.memory import Memory
from commonplace.rules import write_policy
from commonplace.rules.parameters import GateThresholds
from commonplace.rules.relations.replacement import conflict_outcome
from commonplace.rules.write_policy import infer_topic
from tests.conformance.samples import NOON, memory

TRACEBACK = """Traceback (most recent call last):
  File "combat.py", line 12, in <module>
    fight(None)
TypeError: unsupported operand"""
PROGRESS = """Collecting ruff
  Downloading ruff-0.4.1.whl (8.7 MB)
  45% |########            |
Successfully installed ruff-0.4.1"""


def refusal(text: str, **fields: Any) -> str:
    return write_policy.refusal_reason(
        memory(text, **{"trust": "agent", **fields}), confidence_floor=0.3
    )


@pytest.mark.parametrize(
    "text",
    [
        "Let me think about this for a moment.",
        "Okay, let me check the logs. I'll now look at the database.",
        "Hmm, wait. Let's see what happens.",
        "Next, I'll update the tests.",
        "Ich werde jetzt die Tests starten.",
        "Je vais maintenant regarder le code.",
        "让我看看这个文件",
        "まず、ファイルを確認します",
    ],
)
def test_thinking_aloud_is_refused(text: str) -> None:
    assert "thinking aloud" in refusal(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("!!!", "no word"),
        ("---\n...", "no word"),
        ("？！…", "no word"),
        ("x" * 60_000, "repeats"),
        ("spam " * 50, "repeats"),
        ("tick, " * 30, "repeats"),
        ("あ" * 50, "repeats"),
    ],
)
@pytest.mark.parametrize("trust", ["user", "agent"])
def test_a_text_that_says_nothing_is_refused_whoever_wrote_it(
    text: str, why: str, trust: str
) -> None:
    assert why in refusal(text, trust=trust)


@pytest.mark.parametrize(
    "text",
    ["Tea at 4", "ok", "42", "茶", "no, no, no", "🎉", "C#", "x", "Trains run on rails. " * 100,
     "x" * 50_000 + " is the filler of the test"],
)  # fmt: skip
def test_a_short_or_long_note_of_a_person_is_kept(text: str) -> None:
    assert refusal(text, trust="user") == ""


def test_a_turn_of_a_conversation_is_kept_as_it_was_said() -> None:
    assert refusal("!!!", trust="user", episode="chat") == ""


@pytest.mark.parametrize(
    "text", [TRACEBACK, PROGRESS, "2026-11-15 09:00:01 INFO ready", "[=====>    ]"]
)
def test_passing_output_is_refused(text: str) -> None:
    assert "output" in refusal(text)


@pytest.mark.parametrize("text", ["2026-11-15", "09:41:12", "Monday, 3 May 2026 10:15 UTC"])
def test_a_time_alone_is_refused(text: str) -> None:
    assert "alone says nothing" in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let me know by Friday is how Ada ends her mails",
        "I will use tabs from now on",
        "Let's use ruff for formatting",
        "Now the build takes two minutes",
        f"A None in the roster crashes combat:\n{TRACEBACK}",
        "The release was on 2026-11-15",
        "pytest -n0 runs the tests one by one",
        "OK means that the order was paid",
        "def f(x):\n    return x + 1\n\nf doubles nothing, despite its name",
        "我们使用新的数据库",
        "I'm looking for a new flat in Hamburg.",
        "I'm reading Dune.",
        "I am trying to quit smoking.",
        "Step 1: run make build. Step 2: run make deploy.",
        "Wait, the user prefers tabs.",
        "I'll check the logs every Monday morning.",
        "我先生叫李明。",
        "それでは、会議は月曜日に開催します。",
        "Mal sehen ist eine Kneipe in Berlin.",
    ],
)
def test_statements_are_kept(text: str) -> None:
    assert refusal(text) == ""


def test_a_guess_below_the_floor_is_refused_and_one_above_kept() -> None:
    assert "0.20" in refusal("Bob may be allergic to nuts", confidence=0.2)
    assert refusal("Bob may be allergic to nuts", confidence=0.4) == ""


def test_what_a_person_writes_and_what_was_said_is_not_second_guessed() -> None:
    assert refusal("Let me think.", trust="user") == ""
    assert refusal("Let me think.", episode="chat-1", position=3) == ""
    assert refusal("2026-11-15", key="launch", value="2026-11-15") == ""


def said(**fields: Any) -> Memory:
    return memory("x", **{"trust": "agent", "confidence": 1.0, **fields})


LATER = NOON + timedelta(days=1)


@pytest.mark.parametrize(
    ("new", "old", "sure", "outcome"),
    [
        ({}, {}, 0.9, "supersede"),
        ({}, {}, 0.5, "review"),
        ({}, {"confidence": 0.6}, 0.9, "supersede"),
        ({"confidence": 0.6}, {}, 0.9, "stage"),
        ({"confidence": 0.9}, {}, 0.9, "supersede"),
        ({"trust": "external"}, {}, 1.0, "stage"),
        ({"trust": "external"}, {"trust": "external"}, 0.9, "supersede"),
        ({"trust": "user"}, {}, 0.9, "supersede"),
        ({}, {"trust": "user"}, 0.9, "ask"),
        ({}, {"trust": "user", "confidence": 0.4}, 0.9, "ask"),
        ({}, {"owner": "curated"}, 0.9, "ask"),
        ({"trust": "user"}, {"owner": "curated"}, 0.9, "supersede"),
        ({"created": NOON - timedelta(days=9)}, {}, 0.9, "stage"),
    ],
)
def test_the_surer_then_the_newer_wins_and_never_the_less_trusted(
    new: dict[str, Any], old: dict[str, Any], sure: float, outcome: str
) -> None:
    newcomer = said(**{"created": LATER, **new})
    assert conflict_outcome(newcomer, said(**old), sure=sure, settings=GateThresholds()) == outcome


def seconds(text: str) -> float:
    """What the fastest of several looks at a text takes of the processor."""
    taken: list[float] = []
    for _ in range(5):
        begun = time.process_time()
        refusal(text)
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.parametrize("text", ["a" * 10, "QWxhZGRpbg", "$ ls\nplain\n"])
def test_a_long_text_without_sentences_is_read_once_and_not_from_every_letter(text: str) -> None:
    # Sixteen times the text is sixteen times the work, and 256 times if read from every letter.
    assert seconds(text * 3_200) < 64 * seconds(text * 200)


KNOWN_TOPICS = {"combat": 9, "combat balance": 2, "deployment": 5, "数据库": 3}


@pytest.mark.parametrize(
    ("content", "tags", "topic"),
    [
        ("Combat systems need None checks", [], "combat"),
        ("The balance of combat is off", [], "combat balance"),
        ("We are deploying on Friday", ["Deployment"], "deployment"),
        ("Deployments happen on Friday", [], "deployment"),
        ("数据库迁移在星期五", [], "数据库"),
        ("Lunch is at noon", [], None),
        ("Combat", ["deployment"], "deployment"),
    ],
)
def test_the_topic_a_text_speaks_of(content: str, tags: list[str], topic: str | None) -> None:
    assert infer_topic(content, tags, KNOWN_TOPICS) == topic


def test_without_topics_there_is_none() -> None:
    assert infer_topic("Combat systems need None checks", ["combat"], {}) is None
