"""Replay, why-not and bisect at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.shell import Shell

QUESTION = ("which", "branch", "do", "we", "deploy", "from?")


@pytest.fixture
def shell(vault_shell: Shell) -> Shell:
    vault_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    for text in ("The deploy branch is main", "Deploys wait for the branch office", "Clams"):
        vault_shell.run("save", text)
    return vault_shell


def test_a_digest_is_printed_again_as_it_was(shell: Shell) -> None:
    first = shell.try_("digest", *QUESTION)
    assert "office" in first.out
    again = shell.try_("replay")
    [logged] = shell.ask("audit", "digests")
    # Byte for byte as an agent got it: the line end that `digest` prints is not part of it.
    assert (again.code, again.out) == (0, logged["text"])
    assert first.out == f"{again.out}\n"
    assert shell.try_("replay", logged["id"]).out == again.out
    assert shell.ask("replay", logged["id"])["text"] == again.out
    assert logged["id"] in shell.try_("audit", "digests").out


def test_a_forgotten_memory_is_named_beside_the_text(shell: Shell) -> None:
    shell.run("digest", *QUESTION)
    shell.run("forget", "Deploys wait for the branch office")
    again = shell.try_("replay")
    assert "office" not in again.out
    assert "(forgotten since)" in again.out
    assert "withheld: " in again.err


def test_an_unknown_digest_is_one_sentence_and_a_hint(shell: Shell) -> None:
    told = shell.try_("replay", "nothing-like-it")
    assert told.code == 4
    assert "audit digests" in told.err


def test_why_not_is_a_sentence_or_data(shell: Shell) -> None:
    told = shell.try_("why-not", " ".join(QUESTION), "Clams")
    assert told.code == 0
    assert "It was not found: it shares no word with the question" in told.out
    assert shell.ask("why-not", " ".join(QUESTION), "Clams")["step"] == "not_found"
    assert shell.try_("why-not", " ".join(QUESTION), "Oysters").code == 4
    assert shell.try_("why-not", " ", "Clams").code == 2


def test_why_not_knows_what_a_session_was_given(shell: Shell) -> None:
    said = {"session_id": "s-1", "cwd": str(shell.home), "prompt": " ".join(QUESTION)}
    shell.try_("hook", "claude", "UserPromptSubmit", stdin=json.dumps(said).encode())
    id = "The deploy branch is main"
    told = shell.ask("why-not", " ".join(QUESTION), id, "--session", "s-1")
    assert told["step"] == "already"
    assert shell.ask("why-not", " ".join(QUESTION), id, "--session", "s-2")["step"] == "handed"


def test_bisect_shows_its_runs_and_exits_as_ci_needs(shell: Shell, tmp_path: Path) -> None:
    fails = '! grep -q office "$COMMONPLACE_DIGEST_FILE"'
    told = shell.try_("bisect", "--cmd", fails, *QUESTION)
    assert told.code == 1
    assert "This memory makes the command fail. Without it, the command passes." in told.out
    assert "branch office" in told.out
    assert "run  1: 2 of 2 memories on: fails (1)" in told.err
    runs = [line for line in told.err.splitlines() if line.startswith("run")]
    assert len(runs) == len({line.partition(":")[0] for line in runs})
    assert shell.try_("bisect", "--cmd", "true").code == 0
    assert shell.try_("bisect", "--cmd", "false").code == 12
    seen = tmp_path / "seen"
    assert shell.try_("bisect", "--cmd", f"test -e {seen} || {{ touch {seen}; false; }}").code == 13


def test_bisect_prints_only_json_when_asked(shell: Shell) -> None:
    shell.run("digest", *QUESTION)
    told = shell.try_(
        "bisect", "--json", "--cmd", '! grep -q office "$COMMONPLACE_DIGEST_FILE"', "last"
    )
    assert (told.code, told.err) == (1, "")
    assert told.json["outcome"] == "found"
    assert len(told.json["culprits"]) == 1


def test_bisect_without_a_usable_command_is_refused(shell: Shell) -> None:
    assert shell.try_("bisect").code == 2
    assert shell.try_("bisect", "--cmd", " ").code == 2
    assert shell.try_("bisect", "--cmd", "true", "--timeout", "0").code == 2
    assert shell.try_("bisect", "--cmd", "true", "what do walruses eat?").code == 2


def test_an_interrupted_bisect_says_how_it_goes_on(shell: Shell) -> None:
    told = shell.try_("bisect", "--cmd", "kill -INT $PPID; sleep 2", *QUESTION)
    assert told.code == 130
    assert "The same command goes on" in told.err
