"""A machine with a book and hosts on it: events go to the real command, as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from commonplace import Commonplace, Settings
from commonplace.books.open import open_book
from commonplace.doors.hooks import session_files
from commonplace.locations import TAKEN

HERE = Path(__file__).parent
HOSTS = ("claude", "codex", "gemini", "copilot", "cursor", "opencode")
ASKED = "which branch do we deploy from?"


def recorded(host: str) -> list[dict[str, Any]]:
    """What a host says in a session, in order."""
    lines = (HERE / f"{host}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def event_of(host: str, name: str) -> dict[str, Any]:
    """The first event of that name."""
    return next(
        one for one in recorded(host) if name in (one.get("hook_event_name"), one.get("command"))
    )


class Machine:
    """A home folder, a book in it, and the command line."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.url = f"vault:{home / 'book'}"
        self.state = home / "state"
        self.environ = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            # Not what the system has: this repository may lie among its temporary files.
            "TMPDIR": tempfile.gettempdir(),
            "COMMONPLACE_URL": self.url,
            "COMMONPLACE_STATE": str(self.state),
            "COMMONPLACE_CONFIG": str(home / "config.yaml"),
            "COMMONPLACE_EMBEDDER": "none",
            # Promises about time are kept by benchmarks; a busy machine must not fail a test.
            "COMMONPLACE_HOOK_SECONDS": "30",
        }

    def book(self, **context: str) -> Commonplace:
        """The book, opened beside the hooks."""
        settings = Settings(state=str(self.state), embedder="none")
        return open_book(self.url, settings=settings, context=context, source="cli")

    def told(self, host: str, event: object, *, environ: dict[str, str] | None = None) -> str:
        """What a host hears of an event; the hook must end well and never complain."""
        done = self.run(host, event, environ=environ)
        assert done.returncode == 0, done
        assert done.stderr == b"", done
        return done.stdout.decode("ascii")

    def run(
        self,
        host: str,
        event: object,
        *,
        environ: dict[str, str] | None = None,
        python: tuple[str, ...] = (),
        options: tuple[str, ...] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Tell of an event: a recorded one, or any bytes."""
        named: tuple[str, ...] = ()
        if isinstance(event, dict):
            event = dict(event)
            named = (event.pop("command"),) if "command" in event else ()
            event = json.dumps(event).encode()
        assert isinstance(event, bytes)
        return subprocess.run(
            [sys.executable, *python, "-m", "commonplace", "hook", host, *named, *options],
            input=event,
            env={**self.environ, **(environ or {})},
            capture_output=True,
            timeout=60,
            check=False,
        )

    def drain(self, *options: str) -> None:
        """Look through the sessions that are over, and wait for what another process reads."""
        self.run("drain", b"", options=options)
        deadline = time.monotonic() + 60
        while any(self.state.glob(f"hooks/*/*{TAKEN}")):
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end_without_drain(self, session: str) -> None:
        """Note that a session has ended, as a hook does whose drain never began."""
        folder = session_files.book_folder(str(self.state), self.url)
        one = session_files.files_for_session(folder, session)
        one.capture({"at": time.time(), "key": "end", "end": "other"}, header={})

    @property
    def log(self) -> list[str]:
        """The faults that hooks have written down."""
        log = self.state / "hooks.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def waiting(self) -> list[dict[str, Any]]:
        """Everything captured that nobody has looked at yet."""
        lines = [
            line
            for file in sorted(self.state.glob("hooks/*/*.jsonl"))
            for line in file.read_text(encoding="utf-8").splitlines()
        ]
        return [json.loads(line) for line in lines]


def context_in(said: str) -> str:
    """The context that a host's answer carries, wherever that host wants it."""
    if not said:
        return ""
    answer = json.loads(said)
    inner = answer.get("hookSpecificOutput", answer)
    return inner.get("additionalContext") or inner["additional_context"]
