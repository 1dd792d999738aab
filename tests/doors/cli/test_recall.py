"""`recall` answers in the form its reader needs, and never breaks an agent."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.books.open import open_book
from commonplace.doors.cli import fast_recall
from commonplace.doors.cli.app import built
from commonplace.doors.cli.plain_options import SHARED
from commonplace.settings import load
from tests.doors.shell import Shell
from tests.test_projects import repository

HEAVY = {
    "typer", "rich", "typing", "dataclasses", "inspect", "pathlib", "hashlib", "logging",
    "tempfile", "uuid", "random", "secrets", "importlib.metadata", "ruamel.yaml", "shutil",
    "subprocess", "argparse", "asyncio", "threading", "traceback", "difflib", "numpy",
}  # fmt: skip
NOTHING = {"sure": "none", "sureness": None, "id": "", "hits": [], "branches": []}


def test_recall_without_a_book_is_silent_and_succeeds(bare_shell: Shell) -> None:
    answer = bare_shell.run("recall", "anything")
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    assert "commonplace init" in answer.err
    assert bare_shell.ask("recall", "anything") == NOTHING
    assert bare_shell.ask("--json", "recall", "anything", "--limit", "3") == NOTHING


def test_recall_of_a_vanished_book_says_so(bare_shell: Shell, tmp_path: Path) -> None:
    answer = bare_shell.try_("recall", "anything", "--url", f"vault:{tmp_path / 'gone'}")
    assert answer.code == 9
    assert answer.out == ""
    assert not (tmp_path / "gone").exists(), "only init makes a book"


def test_recall_loads_nothing_heavy(vault_shell: Shell) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    told = vault_shell.process("recall", "which branch", "--json", python=("-X", "importtime"))
    assert "branch main" in told.stdout
    loaded = {line.rsplit("|", 1)[1].strip() for line in told.stderr.splitlines() if "|" in line}
    assert "commonplace.doors.cli.fast_recall" in loaded
    assert loaded & HEAVY == set()


def test_hits_that_are_further_off_are_counted_and_shown_when_asked_for(vault_shell: Shell) -> None:
    vault_shell.run("save", "The snack cupboard is beside the lift on floor two")
    for text in (
        "Ben oiled the hinges of a cupboard, the gate and two windows before the party of May 4",
        "The bill of the joiner names a desk, a cupboard, four shelves and the doors of the hall",
    ):
        vault_shell.run("save", text)
    shown = vault_shell.run("recall", "where is the snack cupboard?").out
    hits = [line for line in shown.splitlines() if re.match(r"\d+\. ", line)]
    assert hits == ["1. The snack cupboard is beside the lift on floor two"]
    every = vault_shell.run("recall", "where is the snack cupboard?", "--all").out
    all_hits = [line for line in every.splitlines() if re.match(r"\d+\. ", line)]
    assert len(all_hits) > 1, "there is something further off"
    assert f"{len(all_hits) - 1} more, further off: add --all" in shown
    assert "further off" not in every
    asked = vault_shell.ask("recall", "where is the snack cupboard?")
    assert len(asked["hits"]) == len(all_hits)


def test_what_a_hand_wrote_or_removed_a_moment_ago_is_known(vault_shell: Shell) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    vault_shell.process("recall", "which branch")
    [note] = (vault_shell.home / "book").rglob("we-deploy*.md")
    note.write_text(note.read_text().replace("main", "trunk"))
    told = vault_shell.process("recall", "which branch", "--json")
    assert "trunk" in told.stdout
    assert "branch main" not in told.stdout
    note.unlink()
    assert "trunk" not in vault_shell.process("recall", "which branch", "--json").stdout


def test_settings_file_is_read_without_yaml_once_it_is_known(bare_shell: Shell) -> None:
    bare_shell.run("init", str(bare_shell.home / "book"))
    bare_shell.run("save", "We deploy from the branch main")
    told = bare_shell.process("recall", "which branch", python=("-X", "importtime"))
    assert "branch main" in told.stdout
    assert "ruamel" not in told.stderr


def test_best_answer_comes_first_with_reasons_when_asked(shell: Shell) -> None:
    shell.run("save", "The kitchen is on the second floor")
    shell.run("save", "We deploy from the branch main", "--scope", "/project/mech-fighters")
    told = shell.run("recall", "which", "branch", "do", "we", "deploy?", "--why").out
    assert told.startswith("1. We deploy from the branch main\n   we-deploy-from-the-branch-main-")
    assert "why: contains" in told
    told = shell.ask("recall", "which branch do we deploy?")
    assert told["sure"] == "strong"
    assert told["id"]
    [best, *_] = told["hits"]
    assert best["memory"]["content"] == "We deploy from the branch main"
    assert best["score"] > 0
    assert {"part", "share", "words"} == set(best["why"][0])


def test_recall_filters(shell: Shell) -> None:
    shell.run("save", "Deploy with care", "--kind", "workflow", "--tag", "ops", "--topic", "ship")
    shell.run("save", "Deploy on Monday", "--scope", "/project/mech", "--topic", "week")
    for options in (
        ("--kind", "workflow"), ("--tag=ops",), ("--scope", "/"),
        ("--kind", "idea", "--kind=workflow"), ("-n", "1", "--scope=/"),
    ):  # fmt: skip
        found = shell.ask("recall", "deploy", *options)["hits"]
        assert [hit["memory"]["content"] for hit in found] == ["Deploy with care"], options
    found = shell.ask("recall", "deploy", "--topic", "ship")["hits"]
    assert found[0]["memory"]["content"] == "Deploy with care"


def test_archive_is_recalled_only_when_asked_for(shell: Shell) -> None:
    shell.run("save", "The port is 8080")
    shell.run("correct", "The port is 8080", "The port is 9090")
    assert len(shell.ask("recall", "port")["hits"]) == 1
    assert len(shell.ask("recall", "port", "--include-archive")["hits"]) == 2


def test_no_answer_is_no_failure(shell: Shell) -> None:
    answer = shell.run("recall", "zebra")
    assert answer.out == ""
    assert "No memory answers" in answer.err
    told = shell.ask("recall", "zebra")
    assert (told["sure"], told["hits"]) == ("none", [])


def test_as_of_answers_from_what_was_known_then(shell: Shell) -> None:
    shell.run("save", "The port is 8080")
    [hit] = shell.ask("recall", "port", "--as-of", "2999-12-31")["hits"]
    assert "8080" in hit["memory"]["content"]
    assert shell.ask("recall", "port", "--as-of", "2001-01-31")["hits"] == []
    assert shell.ask("recall", "port", "--as-of=2001-01-31T18:00+02:00")["hits"] == []
    answer = shell.try_("recall", "port", "--as-of", "soon", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (2, "bad_input")
    assert "2026-05-31" in answer.json["error"]["hint"]


def test_a_hit_brings_the_conversation_around_it(vault_shell: Shell) -> None:
    with open_book(vault_shell.environ["COMMONPLACE_URL"], settings=load(vault_shell.environ)) as b:
        turns = ("Did you see the quokka?", "Yes, near the harbour.", "Lovely.")
        b.save_many([
            {"content": said, "episode": "walk", "position": at, "speaker": ("ada", "bob")[at % 2]}
            for at, said in enumerate(turns)
        ])  # fmt: skip
    told = vault_shell.run("recall", "harbour", "-n", "1", "--expand", "1").out.splitlines()
    assert told[:3] == [
        "1. Yes, near the harbour.", "   ↑ ada: Did you see the quokka?", "   ↓ ada: Lovely.",
    ]  # fmt: skip
    [hit] = vault_shell.ask("recall", "harbour", "-n", "1", "--expand", "2")["hits"]
    assert [turn["content"] for turn in hit["around"]] == [turns[0], turns[2]]


def test_recall_says_how_sure_it_is(shell: Shell) -> None:
    shell.run("save", "We deploy from the branch main")
    told = shell.run("recall", "which branch do we deploy?").out
    assert told.splitlines()[-1] == "sure: strong"
    told = shell.run("recall", "which zebra sleeps under a purple branch of Saturn tonight").out
    assert told.splitlines()[0] == "sure: none, the book probably does not know; the nearest:"
    assert told.count("sure:") == 1


@pytest.mark.parametrize(
    "query", ["", "   ", 'AND OR NOT "', "(*^:", "-", "a\udcffb", "x" * 50_000, "你好", "\x00"]
)
def test_any_text_is_a_question(vault_shell: Shell, query: str) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    answer = vault_shell.try_("recall", "--json", "--", query)
    assert answer.code in (0, 2)
    assert {"hits", "error"} & set(answer.json)


def test_a_note_cannot_steer_the_terminal(vault_shell: Shell) -> None:
    note = vault_shell.home / "book" / "system" / "insight" / "evil.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("The zebra says \x1b[2Jboo and [red]markup[/red] :smile:\n")
    for arguments in (("recall", "zebra"), ("list",), ("get", "evil")):
        told = vault_shell.run(*arguments).out
        assert "\x1b" not in told
        assert "[red]markup[/red] :smile:" in told


def test_terminal_gets_bars_and_colour_that_fit_its_width(vault_shell: Shell) -> None:
    vault_shell.run("save", "We deploy from the branch main " + "and so on " * 40)
    drawn = in_terminal(vault_shell, "recall", "branch", "--why")
    assert "\x1b[1m" in drawn
    assert "█" in drawn
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert max(len(line) for line in plain.splitlines()) <= 80
    vault_shell.environ["NO_COLOR"] = "1"
    assert "\x1b" not in in_terminal(vault_shell, "recall", "branch", "--why")


def test_the_bar_of_a_hit_that_does_not_answer_is_nearly_empty(vault_shell: Shell) -> None:
    vault_shell.run("save", "We deploy from the branch main")
    vault_shell.run("save", "Karim's tomatoes stand behind the shed")
    answer = in_terminal(vault_shell, "recall", "deploy branch main")
    assert "sure: strong" in answer
    assert "█████" in answer
    nothing = in_terminal(vault_shell, "recall", "branch of the royal family in Spain")
    assert "sure: none" in nothing
    assert "We deploy from" in nothing
    assert "█" not in nothing


def test_the_origin_of_a_hit_is_broken_between_its_parts(vault_shell: Shell) -> None:
    text = "The greenhouse sprinkler opens when the soil in the long bed is dry"
    project = "greenhouse-behind-the-house"
    scope = f"/project/{project}"
    slug = vault_shell.ask("save", text, "--scope", scope)["memory"]["slug"]
    drawn = in_terminal(vault_shell, "recall", "greenhouse sprinkler", "--project", project)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in drawn.splitlines()]
    place = next(place for place, line in enumerate(lines) if slug in line)
    # This terminal does not say how wide it is; 40 columns are used then.
    assert [line.strip() for line in lines[place : place + 3]] == [
        slug,
        scope,
        "insight · just now",
    ]


def in_terminal(shell: Shell, *arguments: str) -> str:
    """What a command prints when its output is a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    try:
        command = [sys.executable, "-m", "commonplace", *arguments]
        environ = {**shell.environ, "TERM": "xterm", "COLUMNS": "80"}
        subprocess.run(command, env=environ, stdout=theirs, check=True, timeout=60)
        return os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)


def full_recall() -> Any:
    return built().commands["recall"]


def test_short_and_full_parser_know_the_same_options() -> None:
    full = {
        flag
        for parameter in full_recall().params
        if parameter.param_type_name == "option"
        for flag in parameter.opts
    }
    shared = {f"--{name}" for name in SHARED}
    assert {*shared, *fast_recall.SINGLE, *fast_recall.REPEATED, *fast_recall.FLAGS} == full


@given(
    words=st.lists(st.sampled_from(["which", "branch", "-n", "--", "a=b", "-"]), min_size=1),
    options=st.lists(
        st.sampled_from([
            ("--limit", "3"), ("-n", "4"), ("--limit=5",), ("--kind", "idea"), ("--kind=fix",),
            ("--tag", "x"), ("--scope", "/"), ("--topic=t",), ("--why",), ("--archive",),
            ("--include-inbox",), ("--json",), ("--user", "42"), ("--url=vault:/x",),
            ("--as-of", "2026-05-31"), ("--as-of=2026-05-31T18:00",), ("--expand", "2"),
        ]),
        max_size=5,
    ),
)  # fmt: skip
def test_short_and_full_parser_understand_the_same(
    words: list[str], options: list[tuple[str, ...]]
) -> None:
    arguments = [part for option in options for part in option] + ["--", *words]
    short = fast_recall.parse(["recall", *arguments])
    assert short is not None
    context = full_recall().make_context("recall", list(arguments))
    full = context.params
    assert short.query == " ".join(full["words"])
    assert (short.limit, short.why, short.json) == (full["limit"], full["why"], full["json"])
    asked = short.conditions
    assert (asked.get("scope"), asked.get("topic")) == (full["scope"], full["topic"])
    assert list(asked.get("kinds") or ()) == list(full["kinds"] or ())
    assert list(asked.get("tags") or ()) == list(full["tags"] or ())
    assert asked.get("include_archive", False) == full["include_archive"]
    assert asked.get("include_inbox", False) == full["include_inbox"]
    assert (short.as_of, short.expand) == (full["as_of"], full["expand"])
    assert (short.shared.get("user"), short.shared.get("url")) == (full["user"], full["url"])


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["recall"], ["recall", "--help"], ["list"], ["recall", "x", "--wat"],
        ["recall", "x", "--limit"], ["recall", "x", "--limit", "many"], ["recall", "x", "--why=1"],
        ["recall", "x", "--expand", "far"],
        ["--limit", "3", "recall", "x"], ["--help", "recall", "x"], ["save", "recall"],
        ["--version"], ["--", "recall", "x"],
    ],
)  # fmt: skip
def test_what_the_short_parser_does_not_know_is_left_to_the_full_one(arguments: list[str]) -> None:
    assert fast_recall.parse(arguments) is None


def test_full_parser_gives_the_same_answer(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("save", "We deploy from the branch main")
    options = ("recall", "which branch", "--why", "-n", "3")
    short = shell.run(*options).out
    monkeypatch.setattr(fast_recall, "parse", lambda _: None)  # pyright: ignore[reportUnknownLambdaType]
    assert shell.run(*options).out == short


def test_commands_in_a_repository_save_and_ask_in_its_project(vault_shell: Shell) -> None:
    vault_shell.run("save", "Chess deploys from trunk", "--scope", "/project/chess")
    vault_shell.folder = repository(vault_shell.home / "code" / "mech")
    saved = vault_shell.ask("save", "Mech deploys from release")["memory"]
    assert saved["scope"] == "/project/mech"
    vault_shell.run("fact", "set", "deploy.branch", "release")
    vault_shell.run("fact", "set", "deploy.branch", "trunk", "--scope", "/project/chess")
    assert vault_shell.run("fact", "get", "deploy.branch").out == "release\n"
    asked = ("recall", "which branch deploys?")
    found = vault_shell.run(*asked).out
    assert "Mech deploys from release" in found
    assert "Chess deploys from trunk" not in found
    for options in (("--project", "none"), ("--project", "chess"), ("--scope", "/project/chess")):
        assert "Chess deploys from trunk" in vault_shell.run(*asked, *options).out
    assert len(vault_shell.ask("list")) == 4, "a list is of the whole book"
    cold = vault_shell.process("recall", "mech", "release")
    assert "Mech deploys from release" in cold.stdout
    nothing = vault_shell.try_("recall", "chess trunk castling")
    assert "--project none" in nothing.err
    vault_shell.environ["COMMONPLACE_HOOK_PROJECT"] = "none"
    assert "Chess deploys from trunk" in vault_shell.run(*asked).out


def test_a_folder_without_git_where_no_agent_has_worked_is_no_project(
    vault_shell: Shell,
) -> None:
    vault_shell.folder = vault_shell.home / "Downloads"
    vault_shell.folder.mkdir()
    assert vault_shell.ask("save", "The invoice is paid")["memory"]["scope"] == "/"
