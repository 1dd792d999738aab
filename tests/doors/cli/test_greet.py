"""`commonplace` alone greets: what there is, what is connected, what to do next."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.shell import Shell

HEAVY = ("typer", "rich", "click", "pydantic", "starlette", "asyncio", "ruamel.yaml")


@pytest.fixture(autouse=True)
def without_a_model(bare_shell: Shell) -> None:
    bare_shell.environ["COMMONPLACE_EMBEDDER"] = "none"


def test_it_says_what_there_is_and_what_to_do_next(bare_shell: Shell) -> None:
    bare_shell.run("init", str(bare_shell.home / "notes"))
    told = bare_shell.run().out
    assert f"Book       vault:{bare_shell.home / 'notes'}" in told
    assert "Memories   0\n" in told
    assert "none found on this machine" in told
    assert "commonplace save" in told
    bare_shell.run("save", "We deploy from the branch main")
    bare_shell.run("save", "The arena is called Colosseum")
    told = bare_shell.run().out
    assert "Memories   2\n" in told
    assert "commonplace recall" in told
    assert "commonplace save" not in told


def test_what_waits_is_counted_as_the_inbox_lists_it(bare_shell: Shell) -> None:
    bare_shell.run("init")
    bare_shell.run("save", "The user wants to be called captain", "--kind", "profile")
    waiting = len(bare_shell.ask("inbox", "list"))
    assert waiting
    told = bare_shell.run()
    assert f"{waiting} decision waits for you" in told.out
    assert "commonplace inbox" in told.out
    assert bare_shell.run("--json").json["waiting"] == waiting


def test_it_says_what_is_connected(bare_shell: Shell) -> None:
    bare_shell.run("init")
    (bare_shell.home / ".codex").mkdir()
    bare_shell.run("install", "gemini")
    told = bare_shell.run().out
    assert "Agents     Codex CLI (not connected)\n" in told
    assert "           Gemini CLI (connected by hooks and MCP)\n" in told
    assert "commonplace install codex" in told
    assert "commonplace install gemini" not in told


def test_an_agent_that_only_its_person_can_mend_is_told_of_with_the_remedy(
    bare_shell: Shell,
) -> None:
    bare_shell.run("init")
    bare_shell.run("install", "codex")
    told = bare_shell.run().out
    assert "does not trust these hooks yet" in told
    assert "Type /hooks in Codex" in told
    assert "commonplace install codex" not in told, "which would change nothing"
    (bare_shell.home / ".codex" / "hooks.json").write_text("{")
    told = bare_shell.run().out
    assert "has unreadable settings" in told
    assert "commonplace install codex" in told
    assert "Repair that file" in told
    assert "repair Codex CLI" not in told, "which install would refuse"


def test_the_first_time_the_next_step_of_an_agent_is_said(bare_shell: Shell) -> None:
    (bare_shell.home / ".codex").mkdir()
    told = bare_shell.at_terminal(typed="\n\n").out
    assert "Codex CLI is connected. Codex runs new hooks once you trust them" in told


def test_the_first_time_nobody_has_to_answer(bare_shell: Shell) -> None:
    (bare_shell.home / ".claude").mkdir()
    told = bare_shell.run()
    place = bare_shell.home / "commonplace"
    assert f"Your book is ready: vault:{place}" in told.out
    assert "?" not in told.out.replace("which branch?", "")
    assert "commonplace install claude" in told.out
    assert list((bare_shell.home / ".claude").iterdir()) == [], "nothing is connected unasked"
    bare_shell.run("save", "We deploy from the branch main")
    assert "ready" not in bare_shell.run().out
    assert (bare_shell.home / "config.yaml").read_text() == f'url: "vault:{place}"\n'


def test_the_first_time_two_questions_are_asked_at_most(bare_shell: Shell) -> None:
    (bare_shell.home / ".claude").mkdir()
    notes = bare_shell.home / "my notes"
    told = bare_shell.at_terminal(typed=f"{notes}\nyes")
    assert told.code == 0
    assert told.out.count("]: ") == 2
    assert "Connect Claude Code" in told.out
    assert "Claude Code (connected by hooks and MCP)" in told.out
    assert notes.is_dir()
    again = bare_shell.at_terminal(typed="")
    assert "]: " not in again.out
    assert f"vault:{notes}" in again.out


def test_enter_accepts_what_is_proposed(bare_shell: Shell) -> None:
    (bare_shell.home / ".gemini").mkdir()
    told = bare_shell.at_terminal(typed="\n")
    assert "Gemini CLI (connected by hooks and MCP)" in told.out
    assert (bare_shell.home / "commonplace").is_dir()


def test_a_folder_that_cannot_be_one_is_asked_for_again(bare_shell: Shell) -> None:
    letter = bare_shell.home / "letter.txt"
    letter.write_text("Dear Ada")
    told = bare_shell.at_terminal(typed=f"{letter}\nsqlite:\n{bare_shell.home / 'notes'}")
    assert told.code == 0
    assert told.out.count("Folder of your book") == 3
    assert f"{letter} is a file, and a vault is a folder." in told.out
    assert "'sqlite:' names no book." in told.out
    assert f"Your book is ready: vault:{bare_shell.home / 'notes'}" in told.out


@pytest.mark.parametrize("yes", ["y", "Yes"])
def test_a_yes_accepts_the_folder_that_is_proposed(bare_shell: Shell, yes: str) -> None:
    told = bare_shell.at_terminal(typed=yes)
    assert f"Your book is ready: vault:{bare_shell.home / 'commonplace'}" in told.out
    assert not (bare_shell.home / yes).exists()


def test_a_no_to_the_folder_that_is_proposed_asks_for_another(bare_shell: Shell) -> None:
    told = bare_shell.at_terminal(typed=f"n\n{bare_shell.home / 'notes'}")
    assert told.out.count("Folder of your book") == 2
    assert "Type the path of a folder" in told.out
    assert f"Your book is ready: vault:{bare_shell.home / 'notes'}" in told.out
    assert not (bare_shell.home / "n").exists()


def test_an_answer_that_is_neither_yes_nor_no_is_asked_for_again(bare_shell: Shell) -> None:
    (bare_shell.home / ".gemini").mkdir()
    told = bare_shell.at_terminal(typed="\nsure thing\ny")
    assert told.out.count("Connect Gemini CLI") == 2
    assert "Type y or n." in told.out
    assert "Gemini CLI (connected by hooks and MCP)" in told.out


def test_a_question_that_is_interrupted_ends_its_line(
    bare_shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("tests.doors.shell.Typed.readline", interrupted)
    told = bare_shell.at_terminal(typed="")
    assert told.code == 130
    assert told.out.endswith("]: \n")
    assert not (bare_shell.home / "commonplace").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["init", "vault:"], "'vault:' names no book."),
        (["init", "sqlite:"], "'sqlite:' names no book."),
        (["init", ""], "This names no folder."),
        (["list", "--url", ""], "--url names no book."),
        (["recall", "boat", "--url", ""], "--url names no book."),
    ],
)
def test_an_address_without_a_place_is_refused(
    bare_shell: Shell, arguments: list[str], said: str
) -> None:
    bare_shell.run("init")
    before = sorted(bare_shell.home.rglob("*"))
    told = bare_shell.try_(*arguments)
    assert told.code == 2
    assert said in told.err
    assert sorted(bare_shell.home.rglob("*")) == before


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where the kernel has no such folder")
def test_a_folder_that_cannot_be_made_is_not_called_a_lost_disk(bare_shell: Shell) -> None:
    told = bare_shell.try_("init", "/proc/foo")
    assert told.code == 2
    assert "No folder can be made at /proc/foo: /proc holds no" in told.err
    assert "disk" not in told.err


def test_no_is_an_answer(bare_shell: Shell) -> None:
    (bare_shell.home / ".gemini").mkdir()
    told = bare_shell.at_terminal(typed="\nn")
    assert "Gemini CLI (not connected)" in told.out
    assert list((bare_shell.home / ".gemini").iterdir()) == []


def test_a_terminal_that_closes_gets_a_book_and_no_connection(bare_shell: Shell) -> None:
    (bare_shell.home / ".gemini").mkdir()
    told = bare_shell.at_terminal(typed=str(bare_shell.home / "notes"))
    assert told.code == 0
    assert "Gemini CLI (not connected)" in told.out
    assert (bare_shell.home / "notes").is_dir()


def test_an_agent_s_terminal_is_not_asked(bare_shell: Shell) -> None:
    bare_shell.environ["CLAUDECODE"] = "1"
    assert "]: " not in bare_shell.at_terminal(typed="").out


def test_it_is_data_for_programs(bare_shell: Shell) -> None:
    told = bare_shell.run("--json").json
    assert told["book"] == f"vault:{bare_shell.home / 'commonplace'}"
    assert (told["memories"], told["waiting"], told["agents"]) == (0, 0, [])
    assert told["next"][0]["command"].startswith("commonplace save")


def test_another_book_can_be_looked_at(bare_shell: Shell) -> None:
    other = f"sqlite:{bare_shell.home / 'other.db'}"
    bare_shell.run("init")
    bare_shell.run("init", other)
    assert bare_shell.run("--url", other, "--json").json["book"] == other
    assert bare_shell.run(f"--url={other}", "--json").json["book"] == other


def test_a_book_that_is_away_is_said_and_not_replaced(bare_shell: Shell) -> None:
    bare_shell.run("init")
    (bare_shell.home / "commonplace").rename(bare_shell.home / "elsewhere")
    told = bare_shell.run()
    assert "commonplace doctor" in told.out
    assert "Memories" not in told.out
    assert not (bare_shell.home / "commonplace").exists()


@pytest.mark.parametrize("wrong", [["--url"], ["--colour"], ["--url", "x:y", "--colour"]])
def test_wrong_options_are_refused(bare_shell: Shell, wrong: list[str]) -> None:
    assert bare_shell.try_(*wrong).code == 2
    assert list(bare_shell.home.iterdir()) == []


def test_greeting_imports_nothing_heavy(bare_shell: Shell) -> None:
    bare_shell.run("init")
    script = (
        "import json, sys\nfrom commonplace.__main__ import main\ncode = main([])\n"
        "sys.stderr.write(json.dumps([code, *sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=bare_shell.environ,
        cwd=bare_shell.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, *modules = json.loads(done.stderr)
    assert code == 0
    assert {*HEAVY} & {*modules} == set()


# One book


def test_every_door_makes_the_same_book(bare_shell: Shell) -> None:
    place = f"vault:{bare_shell.home / 'commonplace'}"
    config = bare_shell.home / "config.yaml"
    for made in (["init"], ["install", "claude", "--no-mcp"], []):
        bare_shell.run(*made)
        assert config.read_text() == f'url: "{place}"\n', made
        assert bare_shell.ask("status")["url"] == place
        config.unlink()


def test_a_second_book_is_no_default_until_it_is_made_one(bare_shell: Shell) -> None:
    first, second = (f"vault:{bare_shell.home / name}" for name in ("commonplace", "second"))
    config = bare_shell.home / "config.yaml"
    config.write_text("# mine\nretrieval_log: 5\n")
    bare_shell.run("init")
    told = bare_shell.run("init", str(bare_shell.home / "second")).out
    assert f"Your default book is still {first}." in told
    switch = told.split("Switch: commonplace ")[1].splitlines()[0].split()
    assert bare_shell.ask("status")["url"] == first
    assert "still" not in bare_shell.run(*switch).out
    assert bare_shell.ask("status")["url"] == second
    assert config.read_text() == f'# mine\nretrieval_log: 5\nurl: "{second}"\n'


def test_a_shell_that_names_another_book_is_told(bare_shell: Shell) -> None:
    bare_shell.environ["COMMONPLACE_URL"] = f"vault:{bare_shell.home / 'mine'}"
    told = bare_shell.run("init", str(bare_shell.home / "second")).out
    assert "COMMONPLACE_URL names another" in told


def test_a_book_of_this_shell_alone_is_not_called_the_default_one(bare_shell: Shell) -> None:
    first, second = (f"vault:{bare_shell.home / name}" for name in ("commonplace", "second"))
    bare_shell.run("init")
    bare_shell.environ["COMMONPLACE_URL"] = second
    told = bare_shell.run("init", second).out
    assert f"Your default book is still {first}." in told
    assert "names another" not in told
    told = bare_shell.run("init", f"vault:{bare_shell.home / 'third'}").out
    assert f"Your default book is still {first}." in told
    assert f"COMMONPLACE_URL names another: {second}" in told


@pytest.mark.parametrize("text", ["{retrieval_log: 5}\n", "--- {}\n"])
def test_settings_that_cannot_be_added_to_stay_as_they_are(bare_shell: Shell, text: str) -> None:
    config: Path = bare_shell.home / "config.yaml"
    config.write_text(text)
    told = bare_shell.try_("init")
    assert told.code == 2
    assert "by hand" in told.err
    assert config.read_text() == text


def test_a_url_that_is_left_empty_is_filled_in(bare_shell: Shell) -> None:
    config: Path = bare_shell.home / "config.yaml"
    config.write_text("url:\nretrieval_log: 5\n")
    bare_shell.run("init")
    assert config.read_text() == (
        f'url: "vault:{bare_shell.home / "commonplace"}"\nretrieval_log: 5\n'
    )


def test_the_end_of_the_input_at_the_first_question_makes_no_book(bare_shell: Shell) -> None:
    (bare_shell.home / ".gemini").mkdir()
    before = sorted(bare_shell.home.rglob("*"))
    told = bare_shell.at_terminal(typed="")
    assert told.code == 130
    assert told.err.startswith("The question was not answered, so no book was made.\n")
    assert sorted(bare_shell.home.rglob("*")) == before
