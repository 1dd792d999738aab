"""Paths, URLs, ids and names are printed in one piece, at any width of the terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.doors.shell import Shell

WIDTHS = (40, 80, 120, 200)
TEXT = "The nightly build of the documentation takes forty minutes on the small runner"
SHORT, LONG = "b", "a-folder/with-a-rather-long-name/" * 4 + "and a space/book"
ADDRESS = "https://example.org/" + "manuals/" * 12


@pytest.fixture(params=[SHORT, LONG], ids=["short", "long"])
def placed_shell(
    request: pytest.FixtureRequest, bare_shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell with a book at a short or a long path."""
    bare_shell.environ["COMMONPLACE_URL"] = f"vault:{bare_shell.home / request.param}"
    bare_shell.environ["COMMONPLACE_STATE"] = str(bare_shell.home / request.param / "state")
    bare_shell.run("init")
    return bare_shell


@pytest.fixture(params=WIDTHS)
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("commonplace.doors.cli.call.PIPED_COLUMNS", request.param)
    return request.param


def test_status_prints_every_address_on_one_line(placed_shell: Shell, columns: int) -> None:
    status = placed_shell.ask("status")
    lines = placed_shell.run("status").out.splitlines()
    for label, value in (
        ("book", status["url"]), ("id", status["store_id"]), ("search index", status["index"]),
        ("local state", status["state"]),
    ):  # fmt: skip
        assert [line for line in lines if line.split("  ")[0] == label and line.endswith(value)]


def test_names_ids_and_paths_are_never_broken(
    placed_shell: Shell, tmp_path: Path, columns: int
) -> None:
    url = placed_shell.environ["COMMONPLACE_URL"]
    saved = placed_shell.ask("save", TEXT, "--scope", "/org/acme/project/mech-fighters")["memory"]
    folder = str(tmp_path / f"backups {LONG}")
    exported, restored = str(tmp_path / "export.jsonl"), f"vault:{tmp_path / 'restored'}"
    placed_shell.ask("recall", "nightly build")
    placed_shell.ask("fact", "set", "docs.address", ADDRESS)
    [event, *_] = placed_shell.ask("history", saved["id"])["events"]
    source = tmp_path / "sources" / LONG
    source.mkdir(parents=True)
    placed_shell.ask("sources", "add", "docs", str(source))
    placed_shell.run("task", "start", TEXT, "--id", "docs-build")
    for command, parts in (
        (("init",), [url]),
        (("list",), [saved["slug"], saved["scope"]]),
        (("get", saved["id"]), [saved["id"], saved["slug"], saved["scope"]]),
        (("history", saved["id"]), [event["id"], saved["id"]]),
        (("audit", "list"), [event["id"], event["memory"], saved["scope"]]),
        (("audit", "recalls"), [saved["id"]]),
        (("fact", "list"), [ADDRESS]),
        (("changes", "--all"), [saved["slug"], f"commonplace revert {event['id']}"]),
        (("backup", "now", folder), [folder]),
        (("backup", "restore", "--from", folder, "--to", restored), [restored]),
        (("export", exported), [exported]),
        (("sources", "list"), [str(source)]),
        (("task", "list"), ["docs-build"]),
        (("doctor",), []),
    ):
        printed = placed_shell.run(*command).out
        for part in parts:
            assert part in printed, (command, part, printed)


def test_install_prints_whole_paths(placed_shell: Shell, columns: int) -> None:
    home = placed_shell.home / LONG
    settings = home / "settings.json"
    placed_shell.environ["CLAUDE_CONFIG_DIR"] = str(home)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('{"model": "opus"}\n')
    printed = placed_shell.run("install", "claude", "--no-mcp").out
    assert f"+++ {settings}\n" in printed
    backup = next((Path(placed_shell.environ["COMMONPLACE_STATE"]) / "hosts/claude").glob("*-*"))
    assert str(backup) in printed
    assert "Claude Code" in placed_shell.run("install").out


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("columns", WIDTHS)
def test_terminal_gets_whole_names(vault_shell: Shell, columns: int) -> None:
    saved = vault_shell.ask("save", TEXT, "--scope", "/org/acme/project/mech-fighters")["memory"]
    index = vault_shell.ask("status")["index"]
    for command, parts in (
        (("status",), [index]),
        (("list",), [saved["slug"], saved["scope"]]),
        (("recall", "nightly", "build"), [saved["slug"], saved["scope"]]),
    ):
        printed = _on_terminal(vault_shell, columns, *command)
        for part in parts:
            assert part in printed, (command, part, printed)


def _on_terminal(shell: Shell, columns: int, *arguments: str) -> str:
    """The output of a command whose standard output is a terminal of a given width."""
    reader, terminal = os.openpty()
    shell.environ |= {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm"}
    sized = f'stty columns {columns} <&1; exec {shlex.quote(sys.executable)} -m commonplace "$@"'
    with subprocess.Popen(
        ["/bin/sh", "-c", sized, "sh", *arguments],
        env=shell.environ, cwd=shell.folder, stdin=subprocess.DEVNULL,
        stdout=terminal, stderr=terminal,
    ) as process:  # fmt: skip
        os.close(terminal)
        parts: list[bytes] = []
        while part := _read(reader):
            parts.append(part)
        assert process.wait(timeout=60) == 0, b"".join(parts)
    os.close(reader)
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65_536)
    except OSError:  # Linux reports the end of a terminal as an error.
        return b""


@pytest.mark.parametrize("command", [(), ("status",)])
def test_a_new_book_is_shown_without_a_broken_word_in_a_narrow_terminal(
    bare_shell: Shell, command: tuple[str, ...]
) -> None:
    bare_shell.environ["COMMONPLACE_URL"] = "sqlite:b.db"
    bare_shell.run("init")
    shown = seen_at(bare_shell, 64, *command)
    assert any('commonplace save "We deploy from' in one for one in shown)
    # A path, or a command to copy, stays in one piece.
    broken = [one for one in shown if len(one) > 64 and "/" not in one and "Try: " not in one]
    assert broken == []


def seen_at(shell: Shell, columns: int, *command: str) -> list[str]:
    """The lines that a command writes to a terminal of so many columns."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", *command],
        stdout=writer, stdin=writer, cwd=shell.folder, check=True, timeout=60,
        env={**shell.environ, "TERM": "xterm", "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == 0
    os.close(writer)
    told = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal that nobody writes to so.
        while part := os.read(reader, 65_536):
            told += part
    os.close(reader)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", told.decode()).split("\r\n")
