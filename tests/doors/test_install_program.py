"""`install` registers a command that lasts and starts, or says why it does not."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.install import program
from commonplace.model.errors import BadInput, Unavailable

from .shell import Shell

WORKS = f"exec {shlex.quote(sys.executable)} -P -m commonplace"
"""A line of a shell script that goes on as the real command."""


@pytest.fixture
def shell(vault_shell: Shell) -> Shell:
    vault_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    vault_shell.run("init")
    return vault_shell


def environment(folder: Path, command: str = "") -> Path:
    """An environment of Python with our packages, and a command of its own; its Python."""
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text("\n".join(one for one in sys.path if one), encoding="utf-8")
    # Without one of its own, it has the extras and the source of the environment of the tests.
    about = packages / "commonplace_memory-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: commonplace-memory\nVersion: 0.1.0\n", encoding="utf-8"
    )
    if command:
        script(folder / "bin" / "commonplace", command)
    return folder / "bin" / "python"


def script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(0o755)
    return path


def run(shell: Shell, python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-m", "commonplace", *arguments],
        env=shell.environ,
        cwd=shell.home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def settings_of(shell: Shell) -> tuple[Any, Any]:
    """What Claude Code runs at a session's start, and as an MCP server."""
    hooks = json.loads((shell.home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    servers = json.loads((shell.home / ".claude.json").read_text(encoding="utf-8"))
    [group] = hooks["hooks"]["SessionStart"]
    return group["hooks"][0], servers["mcpServers"]["commonplace"]


# Programs that do not last


def test_a_program_among_temporary_files_is_refused(shell: Shell, tmp_path: Path) -> None:
    shell.environ["HOME"] = str(tmp_path / "home")
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    shell.environ["TMPDIR"] = str(tmp_path / "temporary")
    python = environment(tmp_path / "temporary" / "try", f'{WORKS} "$@"')
    told = run(shell, python, "install", "claude")
    assert told.returncode == 2
    assert f"temporary files {tmp_path / 'temporary'}" in told.stderr
    assert "uv tool install commonplace-memory" in told.stderr
    assert list((tmp_path / "home").rglob("*.json")) == []


def test_a_program_in_a_cache_is_refused(shell: Shell) -> None:
    cache = shell.home / ".cache" / "pipx"
    python = environment(cache / "0123", f'{WORKS} "$@"')
    (cache / "CACHEDIR.TAG").touch()
    told = run(shell, python, "install", "claude", "--dry-run")
    assert told.returncode == 2
    assert f"in the cache {cache}" in told.stderr


@pytest.mark.parametrize(
    ("path", "environ", "lasts"),
    [
        ("/opt/venv/bin/commonplace", {}, True),
        ("/tmp/venv/bin/commonplace", {}, False),
        ("/var/tmp/venv/bin/commonplace", {}, False),
        ("/tmpfiles/venv/bin/commonplace", {}, True),
        ("/scratch/1/venv/bin/commonplace", {"TMPDIR": "/scratch"}, False),
        ("/home/ada/Temp/venv/bin/commonplace", {"TEMP": "/home/ada/Temp"}, False),
        # A home that is a temporary folder itself goes with what is installed in it.
        ("/tmp/ada/.local/bin/commonplace", {"HOME": "/tmp/ada"}, True),
        ("/tmp/other/.local/bin/commonplace", {"HOME": "/tmp/ada"}, False),
    ],
)
def test_what_lasts(path: str, environ: dict[str, str], lasts: bool) -> None:
    home = {"HOME": "/home/ada", **environ}
    if lasts:
        program.require_lasting((path,), home)
        return
    with pytest.raises(BadInput, match="temporary files"):
        program.require_lasting((path,), home)


def test_under_uvx_the_line_of_uvx_is_registered(shell: Shell) -> None:
    cache = shell.home / ".cache" / "uv"
    python = environment(cache / "archive-v0" / "x")
    (cache / "CACHEDIR.TAG").touch()
    uvx = script(shell.home / "bin" / "uvx", "shift", f'{WORKS} "$@"')
    shell.environ["UV"] = str(shell.home / "bin" / "uv")
    told = run(shell, python, "install", "claude")
    assert told.returncode == 0, told.stderr
    hook, server = settings_of(shell)
    assert hook["command"] == server["command"] == str(uvx)
    assert hook["args"] == ["commonplace-memory", "hook", "claude"]
    assert server["args"] == ["commonplace-memory", "mcp"]
    assert "nothing was changed" in run(shell, python, "install", "claude").stdout
    run(shell, python, "uninstall", "claude")
    assert not (shell.home / ".claude.json").exists()


# Programs that do not start

BROKEN = {
    "without its packages": (
        'echo "The server needs fastapi." >&2; echo "Install it." >&2; exit 3',
        "does not start: The server needs fastapi. Nothing",
        "Install it. To connect the hooks alone, add --no-mcp.",
    ),
    "with a traceback": (
        'printf "Traceback:\\n  File x\\nImportError: no module\\n" >&2; exit 1',
        "does not start: ImportError: no module. Nothing",
        "--no-mcp",
    ),
    "with no word": ("exit 0", "The MCP server does not start. Nothing", "--no-mcp"),
    "with another protocol": ("echo hello; sleep 5", "does not start. Nothing", "--no-mcp"),
    "with an error": (
        'echo \'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}\'; cat',
        "does not start. Nothing",
        "--no-mcp",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_server_that_does_not_start_is_not_connected(shell: Shell, how: str) -> None:
    body, sentence, hint = BROKEN[how]
    python = environment(shell.home / "env", f'[ "$1" = hook ] && exit 0; {body}')
    told = run(shell, python, "install", "claude")
    assert told.returncode != 0
    assert sentence in told.stderr
    assert hint in told.stderr
    assert "Traceback" not in told.stderr
    assert not (shell.home / ".claude").exists()
    assert not (shell.home / ".claude.json").exists()
    assert run(shell, python, "install", "claude", "--no-mcp").returncode == 0


def test_hooks_that_do_not_start_are_not_connected(shell: Shell) -> None:
    python = environment(shell.home / "env", 'echo "bad interpreter" >&2; exit 126')
    told = run(shell, python, "install", "claude", "--no-mcp")
    assert "The hooks do not start: bad interpreter." in told.stderr
    assert not (shell.home / ".claude").exists()


def test_a_server_that_never_answers_is_not_waited_for(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "START_S", 0.3)
    monkeypatch.setattr(program, "_END_S", 0.3)
    silent = str(script(tmp_path / "silent", "exec sleep 60"))
    with pytest.raises(Unavailable, match=r"did not answer within 0\.3 seconds"):
        program.check_mcp((silent,), shell.environ)
    with pytest.raises(Unavailable, match=r"did not end within 0\.3 seconds"):
        program.check_hooks((silent,), "claude", shell.environ)


def test_a_command_that_is_gone_is_said(shell: Shell) -> None:
    for check in (
        lambda: program.check_mcp(("/no/such/commonplace",), shell.environ),
        lambda: program.check_hooks(("/no/such/commonplace",), "codex", shell.environ),
    ):
        with pytest.raises(Unavailable, match="No such file"):
            check()


def test_the_check_leaves_nothing_behind(bare_shell: Shell) -> None:
    command = program.program()
    program.check_hooks(command, "copilot", bare_shell.environ)
    program.check_mcp(command, bare_shell.environ)
    assert [one.name for one in bare_shell.home.rglob("*") if one.is_file()] == []


# What is registered is what was checked


def test_an_entry_of_an_older_installation_is_brought_up_to_date(shell: Shell) -> None:
    old, new = (
        environment(shell.home / name, f'{WORKS} "$@"').with_name("commonplace")
        for name in ("old", "new")
    )
    for host in ("claude", "codex"):
        run(shell, old.with_name("python"), "install", host)
    path = shell.home / ".claude.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    known["mcpServers"]["commonplace"]["env"] = {"COMMONPLACE_PROJECT": "mech-fighters"}
    path.write_text(json.dumps(known), encoding="utf-8")
    for host in ("claude", "codex"):
        assert run(shell, new.with_name("python"), "install", host).returncode == 0
    _, server = settings_of(shell)
    assert server["command"] == str(new)
    assert server["env"] == {"COMMONPLACE_PROJECT": "mech-fighters"}
    codex = shell.home / ".codex" / "config.toml"
    table = tomllib.loads(codex.read_text(encoding="utf-8"))["mcp_servers"]["commonplace"]
    assert table["command"] == str(new)
    for host in ("claude", "codex"):
        run(shell, new.with_name("python"), "uninstall", host)
    assert not codex.exists()
    assert not path.exists() or json.loads(path.read_text(encoding="utf-8")) == {}


def test_a_running_server_takes_the_place_of_our_own(shell: Shell) -> None:
    shell.run("install", "gemini")
    shell.run("install", "gemini", "--mcp-url", "http://127.0.0.1:8765/mcp")
    known = json.loads((shell.home / ".gemini" / "settings.json").read_text(encoding="utf-8"))
    assert known["mcpServers"]["commonplace"] == {"httpUrl": "http://127.0.0.1:8765/mcp"}
    shell.run("uninstall", "gemini")
    assert not (shell.home / ".gemini").exists()


@pytest.mark.parametrize("option", ["--url", "--project", "--user"])
def test_options_that_cannot_be_registered_are_refused(shell: Shell, option: str) -> None:
    told = shell.try_("install", "claude", option, "vault:elsewhere")
    assert told.code == 2
    assert f"{option} cannot be registered" in told.err
    assert not (shell.home / ".claude").exists()


def test_installing_makes_the_book_that_hooks_will_use(bare_shell: Shell) -> None:
    assert bare_shell.ask("install", "claude", "--no-mcp", "--dry-run")["book"] == ""
    assert not (bare_shell.home / "commonplace").exists()
    made = bare_shell.ask("install", "claude", "--no-mcp")["book"]
    assert made == f"vault:{bare_shell.home / 'commonplace'}"
    assert bare_shell.ask("status")["url"] == made
    assert os.path.isdir(bare_shell.home / "commonplace")
