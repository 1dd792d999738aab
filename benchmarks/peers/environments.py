"""The systems that are compared, and an environment for each, made from pinned versions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
AS_OF = "2026-11-17"
"""What the systems themselves require is resolved as of this day."""


LOADING_SQLITE = "pysqlite3==0.6.1"
"""Python's own module for SQLite, built so that it loads extensions."""


class NotInstalled(Exception):
    """A system that cannot be installed here, with the reason."""


@dataclass(frozen=True)
class System:
    """A system that is compared."""

    name: str
    adapter: str
    version: str
    """Of the package, or of what it is made of."""
    packages: tuple[str, ...] = ()
    npm: str = ""
    python: str = ""
    """The oldest Python that it runs on, where that is newer than ours."""
    loads_extensions: bool = False
    """Whether its SQLite must load an extension, which some builds of Python cannot."""


def _python(name: str, adapter: str, package: str, version: str, **more: Any) -> System:
    return System(name, adapter, version, packages=(f"{package}=={version}",), **more)


COMMONPLACE = "Commonplace"
SYSTEMS = (
    System(COMMONPLACE, "commonplace", "", packages=(str(REPOSITORY),)),
    _python("mem0", "mem0", "mem0ai", "2.2.1"),
    _python("MemPalace", "mempalace", "mempalace", "3.11.0"),
    _python("memsearch", "memsearch", "memsearch", "0.4.23"),
    _python(
        "LangGraph SqliteStore",
        "langgraph",
        "langgraph-checkpoint-sqlite",
        "3.1.2",
        loads_extensions=True,
    ),
    _python("Chroma", "chroma", "chromadb", "1.5.9"),
    System(
        "MCP memory server",
        "mcp_memory",
        "2026.8.31",
        npm="@modelcontextprotocol/server-memory",
    ),
    System("SQLite FTS5", "fts5", ""),
    _python(
        "basic-memory",
        "basic_memory",
        "basic-memory",
        "0.23.2",
        python=">=3.12",
        loads_extensions=True,
    ),
)


@dataclass(frozen=True)
class Environment:
    """Where a system is installed, and how its adapter is started."""

    system: System
    python: Path
    program: str
    version: str
    size_mb: float | None
    """None where nothing has to be installed."""

    @property
    def command(self) -> list[str]:
        """The adapter's program with its Python."""
        return [str(self.python), str(HERE / "adapters" / f"{self.system.adapter}_adapter.py")]

    def variables(self, vectors: str) -> dict[str, str]:
        """Nothing of the caller's own Python, and no way to a model's download."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        return {
            **kept,
            "PEERS_VECTORS": vectors,
            "PEERS_PROGRAM": self.program,
            "HF_HUB_OFFLINE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def make(system: System, folder: Path) -> Environment:
    """Install a system in a folder of its own, or take it as it was installed there before."""
    place = folder / system.adapter
    wanted = " ".join([*system.packages, system.npm, system.version, AS_OF]).strip()
    marker = place / "installed"
    ours = system.name == COMMONPLACE
    if ours or not marker.exists() or marker.read_text() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        _install(system, place)
        marker.write_text(wanted)
    own = place / "venv" / "bin" / "python"
    program = place / "node_modules" / system.npm / "dist" / "index.js" if system.npm else ""
    installed = place / "venv" / "lib" if system.packages else place / "node_modules"
    return Environment(
        system,
        own if own.exists() else Path(sys.executable),
        str(program),
        system.version or _version(system, own),
        megabytes(installed) if installed.exists() else None,
    )


def _install(system: System, place: Path) -> None:
    if system.packages:
        python = system.python or f"{sys.version_info.major}.{sys.version_info.minor}"
        try:
            _run(_uv(), "venv", "--quiet", "--python", python, str(place / "venv"))
        except NotInstalled as error:
            if not system.python:
                raise
            reason = f"it needs Python {system.python}, which this machine does not have"
            raise NotInstalled(reason) from error
        own = str(place / "venv" / "bin" / "python")
        # Compiled as pip compiles it, or the first start would pay for that.
        options = ["--quiet", "--compile-bytecode", "--exclude-newer", AS_OF, "--python", own]
        # Our own sources are built anew, whatever was built from them before.
        options += ["--refresh-package", "commonplace-memory"]
        _run(_uv(), "pip", "install", *options, *system.packages)
        if system.loads_extensions and not _loads_extensions(own):
            _run(_uv(), "pip", "install", *options, LOADING_SQLITE)
    if system.npm:
        if not shutil.which("node") or not shutil.which("npm"):
            raise NotInstalled("Node.js is missing")
        _run("npm", "install", "--silent", "--prefix", str(place), f"{system.npm}@{system.version}")


def _loads_extensions(python: str) -> bool:
    code = "import sqlite3; sqlite3.Connection.enable_load_extension"
    return not subprocess.run([python, "-c", code], check=False, capture_output=True).returncode


def _uv() -> str:
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    if not found:
        raise NotInstalled("uv is missing; `make peers` installs it")
    return found


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise NotInstalled(" ".join(line.strip() for line in lines[:6]))


def _version(system: System, python: Path) -> str:
    if system.packages:
        code = "import importlib.metadata as m; print(m.version('commonplace-memory'))"
        return subprocess.run(
            [python, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
    import sqlite3

    return sqlite3.sqlite_version


def megabytes(folder: Path) -> float:
    """What a folder takes on the disk."""
    seen = {
        (one.stat().st_dev, one.stat().st_ino): one for one in folder.rglob("*") if one.is_file()
    }
    return sum(one.stat().st_blocks for one in seen.values()) * 512 / 1e6
