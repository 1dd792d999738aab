"""A person at a command line: a home folder of their own, and the real `main`."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commonplace.__main__ import main


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Typed(io.TextIOWrapper):
    """Standard input from a keyboard."""

    def isatty(self) -> bool:
        return True


class Shell:
    """Runs commands, in this process or as a process of their own."""

    def __init__(
        self,
        home: Path,
        url: str | None,
        capture: pytest.CaptureFixture[str],
        patch: pytest.MonkeyPatch,
    ) -> None:
        self.home = home
        self.folder = home
        """Where the commands are run."""
        self.environ = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            # Not what the system has: this repository may lie among its temporary files.
            "TMPDIR": tempfile.gettempdir(),
            "COMMONPLACE_STATE": str(home / "state"),
            "COMMONPLACE_CONFIG": str(home / "config.yaml"),
        }
        if url is not None:
            self.environ["COMMONPLACE_URL"] = url
        self._capture = capture
        self._patch = patch

    def try_(self, *arguments: str, stdin: bytes = b"") -> Answer:
        """Run a command and see what comes."""
        return self._with(io.TextIOWrapper(io.BytesIO(stdin)), *arguments)

    def at_terminal(self, *arguments: str, typed: str) -> Answer:
        """Run a command that asks something, and answer it."""
        return self._with(Typed(io.BytesIO(f"{typed}\n".encode() if typed else b"")), *arguments)

    def person(self, *arguments: str) -> Answer:
        """Run a command that must succeed, as a person at a terminal."""
        answer = self.at_terminal(*arguments, typed="")
        assert answer.code == 0, answer
        return answer

    def _with(self, stdin: io.TextIOWrapper, *arguments: str) -> Answer:
        self._capture.readouterr()
        with self._patch.context() as patch:
            patch.setattr(sys, "stdin", stdin)
            # A person's home is no project; the repository of these tests would be one.
            patch.chdir(self.folder)
            if stdin.isatty():
                # A terminal without colours, as wide as a pipe is taken to be.
                patch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
                for name, value in (("TERM", "dumb"), ("NO_COLOR", "1"), ("COLUMNS", "120")):
                    patch.setenv(name, value)
            code = main(arguments, self.environ)
        told = self._capture.readouterr()
        return Answer(code, told.out, told.err)

    def run(self, *arguments: str, stdin: bytes = b"") -> Answer:
        """Run a command that must succeed."""
        answer = self.try_(*arguments, stdin=stdin)
        assert answer.code == 0, answer
        return answer

    def ask(self, *arguments: str, stdin: bytes = b"") -> Any:
        """Run a command that must succeed, and read its JSON."""
        return self.run(*arguments, "--json", stdin=stdin).json

    def process(
        self, *arguments: str, python: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as a process of its own."""
        return subprocess.run(
            [sys.executable, *python, "-m", "commonplace", *arguments],
            env=self.environ,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
