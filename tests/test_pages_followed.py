"""The quickstart and the README's picture show what the commands really print."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICKSTART = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
PICTURE = ROOT / "docs" / "images" / "terminal.svg"


def masked(text: str) -> str:
    """The text without the ends of names, which are chosen at random."""
    return re.sub(r"(the-deploy-branch-is-\w+)-[0-9a-z]{6}\b", r"\1", text)


def shown() -> list[tuple[str, str]]:
    """Every command of the quickstart that is shown with its output."""
    blocks = re.findall(r"^```console\n(.*?)^```", QUICKSTART, re.M | re.S)
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.M)


def test_the_quickstart_shows_what_the_commands_print(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    environ = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def typed(line: str) -> str:
        return subprocess.run(
            ["/bin/sh", "-c", f"{line} 2>&1"],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        ).stdout

    typed("commonplace init")
    commands = shown()
    assert len(commands) == 8
    for command, output in commands:
        assert masked(typed(command)) == masked(output), command


@pytest.mark.slow
def test_who_follows_the_readme_from_the_shell_to_python_is_asked_nothing(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    shell = re.findall(r"^commonplace (?:init|save|correct)\b.*", README, re.M)
    [program] = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=True)  # fmt: skip
        return done.stdout

    assert len(shell) == 3
    for line in shell:
        # At a terminal, as a person types it.
        run(sys.executable, "-c", f"import pty; pty.spawn(['/bin/sh', '-c', {line!r}])")
    told = run(sys.executable, "-c", program)
    assert told.startswith("The deploy branch is release because it")
    assert "The deploy branch is main" not in told
    texts = [one["content"] for one in json.loads(run("commonplace", "list", "--json"))]
    assert texts.count("The deploy branch is release") == 1
    assert json.loads(run("commonplace", "inbox", "--json")) == []


def test_the_picture_of_a_terminal_is_up_to_date(tmp_path: Path) -> None:
    made = tmp_path / "terminal.svg"
    script = ROOT / "scripts" / "terminal_picture.py"
    subprocess.run([sys.executable, str(script), str(made)], check=True, timeout=120)
    assert masked(made.read_text("utf-8")) == masked(PICTURE.read_text("utf-8")), (
        "run python scripts/terminal_picture.py"
    )


def test_the_picture_is_small_and_reads_in_light_in_dark_and_without_motion() -> None:
    drawn = PICTURE.read_text(encoding="utf-8")
    assert len(drawn) < 10_000
    assert "prefers-color-scheme: dark" in drawn
    assert "prefers-reduced-motion" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
