"""Wheel and sdist as people get them: built, checked, installed, and the README followed.

Nothing but the loopback index is asked once the other packages are downloaded.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import __version__
from tests import ROOT
from tests.loopback_index import loopback_index

BIN = Path(sys.executable).parent
NAME = "commonplace-memory"
INSTALLERS = ("uv", "pipx", "pip")
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "person", "version": "1"},
        },
    }
)


def run(*command: str, environ: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """Run a command that must succeed; what it says."""
    done = subprocess.run(
        command,
        env=environ,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our wheel and sdist, and every package that they need."""
    folder = tmp_path_factory.mktemp("shelf")
    run(sys.executable, "-m", "hatchling", "build", "-d", str(folder))
    [wheel] = folder.glob("*.whl")
    # By the machine's own configuration of pip, wherever that takes packages from.
    needed = (f"{wheel}[panel]", "pip", "setuptools", "hatchling")
    run(
        sys.executable, "-m", "pip", "download", "-q", "--prefer-binary", "-d", str(folder), *needed
    )
    return folder


@pytest.fixture(scope="module")
def index(shelf: Path) -> Iterator[str]:
    with loopback_index(shelf) as url:
        yield url


class Person:
    """A home with nothing in it but Python and an installer."""

    def __init__(self, home: Path, index: str, installer: str) -> None:
        self.home = home
        tools = home / "tools"
        tools.mkdir()
        for name in {"uv": ("uv", "uvx"), "pipx": ("pipx",), "pip": ()}[installer]:
            (tools / name).symlink_to(BIN / name)
        self.environ = {
            "HOME": str(home),
            "PATH": f"{home / '.local' / 'bin'}:{tools}:/usr/bin:/bin",
            # Not what the system has: this repository may lie among its temporary files.
            "TMPDIR": tempfile.gettempdir(),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": index,
            "PIP_NO_CACHE_DIR": "1",
            "PIPX_DEFAULT_BACKEND": "pip",
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "UV_DEFAULT_INDEX": index,
            "UV_NO_CONFIG": "1",
            "UV_PYTHON": os.path.realpath(sys.executable),
            "UV_PYTHON_DOWNLOADS": "never",
            "COMMONPLACE_EMBEDDER": "none",
        }
        if installer == "pip":
            run(os.path.realpath(sys.executable), "-m", "venv", str(home / "venv"))
            self.environ["PATH"] = f"{home / 'venv' / 'bin'}:{self.environ['PATH']}"

    def types(self, line: str) -> str:
        """Run a line of the shell that must succeed; what it says."""
        return run("/bin/sh", "-c", line, environ=self.environ, cwd=self.home)

    def registered(self) -> list[str]:
        """The command by which Claude Code starts the MCP server."""
        known = json.loads((self.home / ".claude.json").read_text(encoding="utf-8"))
        server = known["mcpServers"]["commonplace"]
        return [server["command"], *server["args"]]


def readme_lines() -> list[str]:
    """The lines for the shell in the README, without what only a clone can run."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    return [
        line.partition(" #")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if not line.startswith(("make ", "#"))
    ]


def test_wheel_and_sdist_pass_the_checks_of_the_package_index(shelf: Path) -> None:
    ours = [str(one) for one in shelf.glob("commonplace_memory-*")]
    assert len(ours) == 2
    run(str(BIN / "twine"), "check", "--strict", *ours)
    run(str(BIN / "check-wheel-contents"), *(one for one in ours if one.endswith(".whl")))


def test_wheel_holds_the_package_and_its_licence_alone(shelf: Path) -> None:
    [wheel] = shelf.glob("commonplace_memory-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    about = f"commonplace_memory-{__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"commonplace", about}
    assert {f"{about}/licenses/{name}" for name in ("LICENSE", "NOTICE")} <= names
    files = subprocess.run(
        ["git", "ls-files", "src/commonplace"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {name.removeprefix("src/") for name in files} <= names


def test_sdist_builds_the_same_wheel(shelf: Path, tmp_path: Path) -> None:
    [sdist] = shelf.glob("commonplace_memory-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = tmp_path.iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=source)
    [again], [wheel] = tmp_path.glob("*.whl"), shelf.glob("commonplace_memory-*.whl")
    listed = [
        {one.filename: one.CRC for one in zipfile.ZipFile(file).infolist()}
        for file in (again, wheel)
    ]
    assert listed[0] == listed[1]


@pytest.mark.parametrize("installer", INSTALLERS)
def test_the_readme_can_be_followed_by_who_has_nothing_but_python(
    tmp_path: Path, index: str, installer: str
) -> None:
    person = Person(tmp_path, index, installer)
    lines = readme_lines()
    install = [line for line in lines if line.split()[0] == installer]
    assert len(install) == 1, "the README has one line for each installer"
    person.types(install[0])
    assert person.types("commonplace --version") == f"commonplace {__version__}\n"
    said = {line: follow(person, line) for line in lines if line.startswith("commonplace ")}
    assert "Claude Code is connected." in said["commonplace install claude"]
    assert Path(person.registered()[0]).is_relative_to(tmp_path)
    recalled = next(told for line, told in said.items() if " recall " in line)
    assert "The deploy branch is main" in recalled
    assert f"vault:{tmp_path / 'commonplace'}" in said["commonplace serve"]
    greeting = person.types("commonplace")
    assert f"Book       vault:{tmp_path / 'commonplace'}" in greeting
    assert "Claude Code (connected by hooks and MCP)" in greeting
    assert [one.name for one in tmp_path.glob("*") if (one / "_meta").is_dir()] == ["commonplace"]


def follow(person: Person, line: str) -> str:
    """Type a line of the README; a server is stopped once it says where it is."""
    if line != "commonplace serve":
        return person.types(line)
    server = subprocess.Popen(
        ["/bin/sh", "-c", "exec commonplace serve --port 0"],
        env=person.environ,
        cwd=person.home,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stdout is not None
        told = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        rest = server.stdout.read()
    assert "Panel" in rest
    return told


@pytest.mark.parametrize("installer", INSTALLERS)
def test_the_base_is_enough_for_the_command_line_and_hooks(
    tmp_path: Path, index: str, installer: str
) -> None:
    person = Person(tmp_path, index, installer)
    person.types(
        {"uv": "uv tool install ", "pipx": "pipx install ", "pip": "pip install "}[installer] + NAME
    )
    assert "Your book is ready" in person.types("commonplace")
    person.types('commonplace save "We deploy from the branch main"')
    assert "branch main" in person.types("commonplace recall branch")
    assert "is connected" in person.types("commonplace install claude")
    command = person.registered()
    assert command[-1] == "mcp"
    assert '"serverInfo"' in person.types(f"echo '{INITIALIZE}' | {shlex.join(command)}")
    assert "is connected by hooks and MCP" in person.types("commonplace doctor")
    person.types("commonplace uninstall claude")


def test_uvx_runs_it_and_is_what_agents_are_told_to_run(tmp_path: Path, index: str) -> None:
    person = Person(tmp_path, index, "uv")
    [line] = [line for line in readme_lines() if line.startswith("uvx ")]
    assert "$ commonplace save" in person.types(line)
    install = f"uvx {NAME} install claude"
    assert "Claude Code is connected." in person.types(install)
    uvx, *rest = person.registered()
    assert Path(uvx).name == "uvx"
    assert rest == [NAME, "mcp"]
    shutil.rmtree(tmp_path / ".cache")
    assert "nothing was changed" in person.types(install)


def test_uvx_is_told_the_extras_that_are_there(tmp_path: Path, index: str) -> None:
    person = Person(tmp_path, index, "uv")
    person.types(f"uvx --from '{NAME}[server]' commonplace install claude")
    _, from_, named, *rest = person.registered()
    # Extras whose packages came along with another may be named too; the environment is the same.
    assert re.fullmatch(rf"{NAME}\[[\w,-]*\bserver\b[\w,-]*\]", named)
    assert [from_, *rest] == ["--from", "commonplace", "mcp"]


def started_by_shelves() -> dict[str, tuple[list[str], dict[str, str]]]:
    """What each shelf starts as an MCP server, and in which environment."""
    plugin = json.loads((ROOT / "plugins" / "commonplace" / "mcp.json").read_text("utf-8"))
    server = plugin["mcpServers"]["commonplace"]
    [package] = json.loads((ROOT / "server.json").read_text("utf-8"))["packages"]
    arguments = [one["value"] for one in package["packageArguments"]]
    pinned = f"{package['identifier']}=={package['version']}"
    bundle = ROOT / "plugins" / "mcpb"
    packed = json.loads((bundle / "manifest.json").read_text("utf-8"))["server"]["mcp_config"]
    return {
        "plugin": ([server["command"], *server["args"]], {}),
        "registry": ([package["runtimeHint"], pinned, *arguments], {}),
        "bundle": ([packed["command"], *packed["args"]], packed["env"]),
    }


@pytest.mark.parametrize("name", started_by_shelves())
def test_what_a_shelf_starts_is_a_memory(tmp_path: Path, index: str, name: str) -> None:
    person = Person(tmp_path, index, "uv")
    command, environ = started_by_shelves()[name]
    unpacked = shutil.copytree(ROOT / "plugins" / "mcpb", tmp_path / "bundle")
    with (unpacked / "pyproject.toml").open("a") as file:
        # The loopback index has the packages for this system alone.
        file.write(f"\n[tool.uv]\nenvironments = [\"sys_platform == '{sys.platform}'\"]\n")
    if name != "bundle":  # Which makes a book by itself.
        person.types("uvx commonplace-memory")
    asked = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "memory_append", "arguments": {"content": "We deploy from the branch main"}}},
    ]  # fmt: skip
    done = subprocess.run(
        [word.replace("${__dirname}", str(unpacked)) for word in command],
        input="".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked),
        env={**person.environ, **environ},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done
    said = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines())}
    assert said[1]["serverInfo"] == {"name": "commonplace", "version": __version__}, done
    assert said[2]["isError"] is False
    [note] = (tmp_path / "commonplace").rglob("we-deploy-from-the-branch-main-*.md")
    assert "project" not in str(note.relative_to(tmp_path))


def test_the_hooks_of_the_plugin_start_by_uvx(tmp_path: Path, index: str) -> None:
    person = Person(tmp_path, index, "uv")
    person.types("uvx commonplace-memory")
    person.types("uvx commonplace-memory save 'The deploy branch is main' --always-load")
    hooks = json.loads((ROOT / "plugins/commonplace/hooks/claude.json").read_text("utf-8"))
    [start] = hooks["hooks"]["SessionStart"][0]["hooks"]
    event = {"hook_event_name": "SessionStart", "session_id": "one", "source": "startup"}
    done = subprocess.run(
        [start["command"], *start["args"]],
        input=json.dumps({**event, "cwd": str(tmp_path)}),
        env={**person.environ, "COMMONPLACE_HOOK_SECONDS": "30"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "The deploy branch is main" in done.stdout, done


def test_an_extra_is_added_as_the_hint_says(tmp_path: Path, index: str) -> None:
    person = Person(tmp_path, index, "uv")
    person.types(f"uv tool install {NAME}")
    assert hinted(person, "commonplace serve --no-panel") == f"uv tool install '{NAME}[server]'"
    line = hinted(person, "commonplace serve")
    assert line == f"uv tool install '{NAME}[panel]'"
    person.types(line)
    assert "Serve the book" in person.types("commonplace serve --help")


def hinted(person: Person, line: str) -> str:
    """The command in the hint of a line of the shell that fails."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env=person.environ,
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0, done
    [command] = re.findall(r"`(.*)`", done.stderr)
    return str(command)
