"""opencode's program, and its plugin called as opencode calls it."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .machine import ASKED, HERE
from .programs.install import NODE, PLACE


def opencode_program() -> Path:
    """The program for this machine, which the package's own script would otherwise put in place."""
    x64 = platform.machine().lower() in ("x86_64", "amd64")
    # The baseline runs on every processor.
    package = f"opencode-{sys.platform}-{'x64-baseline' if x64 else 'arm64'}"
    return PLACE / "node_modules" / package / "bin" / "opencode"


def opencode_session(
    environ: Mapping[str, str], *prompts: str, as_: str = "new", arguments: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A session with the plugin that is installed: the parts it added, and all their text.

    It is a `new` one, a `resumed` one or that of a `subagent`.
    """
    home = Path(environ["HOME"])
    asked = {
        "plugin": str(home / ".config" / "opencode" / "plugins" / "commonplace.js"),
        "directory": str(home),
        "prompts": prompts or [ASKED],
        "as": as_,
    }
    done = subprocess.run(
        [NODE, "--no-warnings", HERE / "opencode.mjs", *arguments],
        input=json.dumps(asked).encode(),
        env=dict(environ),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b""), done
    heard = json.loads(done.stdout)
    heard["context"] = "\n".join(part["text"] for parts in heard["told"] for part in parts)
    return heard
