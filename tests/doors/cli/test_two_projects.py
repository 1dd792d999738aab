"""Two repositories whose memories say the same: each command means the one it is run in."""

from __future__ import annotations

import subprocess

import pytest

from tests.doors.shell import Shell

OLD, NEW = "Tests run with make check", "Tests run with just test"


@pytest.fixture
def in_beta(bare_shell: Shell) -> Shell:
    """A shell in the repository beta, beside alpha, after the same save in both."""
    bare_shell.run("init", str(bare_shell.home / "notes"))
    for name in ("alpha", "beta"):
        bare_shell.folder = bare_shell.home / name
        bare_shell.folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=bare_shell.folder, check=True)
        bare_shell.run("save", OLD)
    return bare_shell


def texts(shell: Shell) -> dict[str, str]:
    return {one["scope"]: one["content"] for one in shell.ask("list")}


def test_correct_history_and_revert_mean_the_memory_of_this_project(in_beta: Shell) -> None:
    told = in_beta.run("correct", OLD, NEW).out
    assert "corrected as well" not in told
    assert texts(in_beta) == {"/project/alpha": OLD, "/project/beta": NEW}
    assert OLD in in_beta.run("history", NEW).out
    in_beta.run("revert", NEW)
    assert texts(in_beta) == {"/project/alpha": OLD, "/project/beta": OLD}
    in_beta.run("forget", OLD)
    assert texts(in_beta) == {"/project/alpha": OLD}
    in_beta.run("restore", OLD)
    assert texts(in_beta) == {"/project/alpha": OLD, "/project/beta": OLD}


def test_outside_of_both_the_words_name_two_memories(in_beta: Shell) -> None:
    in_beta.folder = in_beta.home
    refused = in_beta.try_("correct", OLD, NEW)
    assert refused.code != 0
    assert "/project/alpha" in refused.err
    assert "/project/beta" in refused.err
    assert set(texts(in_beta).values()) == {OLD}


def test_a_purge_takes_the_memory_of_this_project_alone_and_says_what_stays(
    in_beta: Shell,
) -> None:
    told = in_beta.person("purge", OLD, "--yes").out
    assert "Purged 1 version for good." in told
    assert "The same text stays in /project/alpha: tests-run-with-make-check" in told
    assert texts(in_beta) == {"/project/alpha": OLD}


def test_outside_of_both_the_memory_that_holds_everywhere_is_named_with_its_copies(
    in_beta: Shell,
) -> None:
    in_beta.folder = in_beta.home
    in_beta.run("save", OLD)
    told = in_beta.run("correct", OLD, NEW).out
    named = next(line for line in told.splitlines() if line.startswith("Corrected"))
    assert "/project" not in named
    assert "2 copies corrected as well, in /project/alpha, /project/beta." in told
