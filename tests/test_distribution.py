"""People install `commonplace-memory`; on the package index `commonplace` is another project."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import distribution
from tests import ROOT

ANOTHER = r"commonplace(?![-\w/\\@]|[.:]\w)"
"""The bare name: no path, no module, and not ours."""
WRONG = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![-\w./]){ANOTHER}(?=\[\s*['\"]?[a-z])",
        # An installer, its options, perhaps other packages, then the name.
        rf"\b(?:pip3?|pipx|uv|uvx|poetry|pdm|conda|mamba)(?:\.exe)?[\s\"',\[\]]+"
        rf"(?:(?:pip|tool|install|add|run|inject|upgrade|reinstall|uninstall)[\s\"',]+)*"
        rf"(?:(?:-+[\w-]+(?:=\S+)?|[\w.-]+[<>=~]=?[\w.]+)[\s\"',]+)*['\"]?{ANOTHER}",
        rf"\buvx\W+args\W+{ANOTHER}",
        rf"--(?:from|spec|with)[\s=\"',]+{ANOTHER}",
        r"pypi\.org/(?:project|simple)/commonplace(?![-\w])",
    )
)
SHOWN = (".md", ".toml", ".json", ".yml", ".yaml", ".sh", ".txt", ".service", ".html", ".js")
NAMES = ("Dockerfile", "Makefile", "Caddyfile", "NOTICE")


def wrong_names(text: str) -> list[str]:
    """The parts of a text that tell people to install another project."""
    return [found[0] for pattern in WRONG for found in pattern.finditer(text)]


def texts(path: Path) -> Iterator[str]:
    """What people read of a file: all of a page, the texts and comments of a program."""
    whole = path.read_text(encoding="utf-8")
    yield whole
    if path.suffix == ".py":
        # Texts that are written in several pieces are one text for who reads them.
        for node in ast.walk(ast.parse(whole)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(one.value) if isinstance(one, ast.Constant) else "x" for one in node.values
                )


def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [
        ROOT / one
        for one in listed
        if one.endswith((".py", *SHOWN)) or one.rpartition("/")[2] in NAMES
        if not one.startswith(("training/", "tests/")) and (ROOT / one).exists()
    ]


def test_no_message_and_no_page_tells_people_to_install_another_project() -> None:
    told = {
        f"{path.relative_to(ROOT)}: {found}"
        for path in files()
        for text in texts(path)
        for found in wrong_names(text)
    }
    assert told == set()


@pytest.mark.parametrize(
    "line",
    [
        "pip install commonplace",
        "pip3 install -U commonplace",
        "python -m pip install --upgrade 'commonplace[server]'",
        'Run: pip install "commonplace[server,panel]"',
        "`pip install --force-reinstall --no-deps commonplace`",
        "pip install commonplace==0.1.0",
        "pip install rich>=13 commonplace",
        "pipx install commonplace",
        "pipx run commonplace tour",
        "pipx run --spec commonplace commonplace tour",
        "uv tool install commonplace",
        "uv tool install 'commonplace[panel]'",
        "uv tool run commonplace",
        "uv pip install commonplace",
        "uv add commonplace",
        "poetry add commonplace",
        "To repair it, pip install commonplace.",
        "uvx commonplace",
        "uvx commonplace mcp",
        "uvx --from commonplace commonplace mcp",
        "uvx --from 'commonplace[server]' commonplace",
        '{"command": "uvx", "args": ["commonplace", "mcp"]}',
        '{"command": "uvx", "args": ["--from", "commonplace", "commonplace", "mcp"]}',
        "the extra commonplace[postgres] is missing",
        "https://pypi.org/project/commonplace/",
    ],
)
def test_another_project_s_name_is_noticed(line: str) -> None:
    assert wrong_names(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install commonplace-memory",
        "pip install 'commonplace-memory[server,panel]'",
        "uv tool install commonplace-memory    # then: commonplace init",
        "uvx commonplace-memory mcp",
        "uvx --from 'commonplace-memory[server]' commonplace mcp",
        '{"command": "uvx", "args": ["commonplace-memory", "mcp"]}',
        "pip install /source/commonplace",
        "pip install --editable . && commonplace tour",
        "commonplace install claude",
        "commonplace uninstall claude",
        "Install the extra, then run commonplace serve",
        "/plugin install commonplace@commonplace",
        "import commonplace",
    ],
)
def test_our_own_name_is_no_offence(line: str) -> None:
    assert wrong_names(line) == []


def test_the_project_is_called_as_its_messages_call_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == distribution.NAME
    # `uvx NAME` and `pipx run NAME` look for a command of that name.
    assert project["scripts"] == dict.fromkeys(
        ("commonplace", distribution.NAME), "commonplace.__main__:main"
    )
    extras = project["optional-dependencies"]
    own = [one for needed in extras.values() for one in needed if "commonplace" in one]
    assert {*own} == {f"{distribution.NAME}[server]"}


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an environment, marked as a cache, as installers mark theirs."""
    folder = tmp_path / "venvs" / distribution.NAME
    folder.mkdir(parents=True)
    (folder / "CACHEDIR.TAG").touch()
    monkeypatch.setattr(sys, "prefix", str(folder))
    return folder


@pytest.mark.parametrize(
    ("left", "command"),
    [
        ("uv-receipt.toml", "uv tool install 'commonplace-memory[redis]'"),
        ("pipx_metadata.json", "pipx install --force 'commonplace-memory[redis]'"),
        ("../../CACHEDIR.TAG", "uvx --from 'commonplace-memory[redis]' commonplace"),
        (".gitignore", "pip install 'commonplace-memory[redis]'"),
    ],
)
def test_hints_name_the_installer_that_was_used(
    environment: Path, monkeypatch: pytest.MonkeyPatch, left: str, command: str
) -> None:
    monkeypatch.setattr(distribution, "_extras", lambda: iter(()))
    (environment / left).touch()
    assert distribution.install_command("redis") == command


def test_an_environment_of_uv_has_no_pip(environment: Path) -> None:
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.13.7\n", encoding="utf-8")
    assert distribution.install_command("llm") == "uv pip install 'commonplace-memory[llm]'"
    assert distribution.reinstall_command().startswith("uv pip install --force-reinstall")


def test_extras_that_are_there_stay_when_one_is_added(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = environment / "lib" / "commonplace_memory-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: commonplace-memory\nVersion: 0.1.0\n"
        "Requires-Dist: rich>=13\n"
        "Requires-Dist: pytest[some]>=8; extra == 'tested'\n"
        "Requires-Dist: commonplace-memory[tested]; extra == 'again'\n"
        "Requires-Dist: no-such-package>=1; extra == 'panel'\n"
        'Requires-Dist: hypothesis<99; extra == "laws"\n',
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(about.parent))
    (environment / "uv-receipt.toml").touch()
    assert distribution.install_command("redis") == (
        "uv tool install 'commonplace-memory[again,laws,redis,tested]'"
    )
    assert distribution.source() == ""
    (about / "direct_url.json").write_text(
        '{"url": "https://forge.example/x", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
        encoding="utf-8",
    )
    assert distribution.source() == "git+https://forge.example/x"


OPTIONAL = (
    "anthropic", "cryptography", "fastapi", "fastmcp", "keyring", "mcp", "nicegui", "openai",
    "opentelemetry", "prometheus_client", "psycopg", "psycopg_pool", "pydantic_ai",
    "pymilvus", "pypdf", "redis", "starlette", "uvicorn",
)  # fmt: skip


def test_commands_run_without_any_extra(tmp_path: Path) -> None:
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
        "from commonplace.__main__ import main\n"
        "for line in (['--version'], ['init'], ['save', 'We deploy from main'], ['list'],\n"
        "             ['install'], ['token', 'list'], ['serve', '--help'], ['doctor']):\n"
        "    assert main(line, dict(COMMONPLACE_EMBEDDER='none', HOME=sys.argv[1],\n"
        "                           COMMONPLACE_URL=f'vault:{sys.argv[1]}/book')) == 0, line\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={"HOME": str(tmp_path), "COMMONPLACE_EMBEDDER": "none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
