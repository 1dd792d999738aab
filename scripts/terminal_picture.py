"""Draw docs/images/terminal.svg: the commands below, run in an empty home, with what they print.

python scripts/terminal_picture.py [file]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "terminal.svg"
COMMANDS = (
    'commonplace save "The deploy branch is main"',
    'commonplace save "The deploy branch is release"',
    'commonplace recall "which branch do we deploy?"',
    'commonplace recall "where does Ada live?"',
    'commonplace save "The database password is hunter2-Xy7"',
    'commonplace revert "The deploy branch is release"',
    "ls ~/commonplace/projects/web/memory/insight",
)
COLUMNS = 100
LETTER, LINE, EDGE = 7.8, 20, 16
"""Pixels: the width of a letter, the height of a line, the empty edge."""
TYPING_S, READING_S, REST_S = 0.9, 1.3, 5.0
"""A command is typed, its output is read; at the end the picture rests, then begins again."""

STYLE = """
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre;
  fill: #24292f; }
rect { fill: #f6f8fa; stroke: #d0d7de; }
.prompt { fill: #1a7f37; }
.typed { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect { fill: #0d1117; stroke: #30363d; }
  .prompt { fill: #3fb950; }
}
@media (prefers-reduced-motion: reduce) { g { animation: none !important; } }
"""


def played() -> list[tuple[str, list[str]]]:
    """Every command with the lines that a terminal shows after it."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "web")
        folder.mkdir()
        environ = {
            "HOME": home,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": str(COLUMNS),
        }
        for first in ("git init --quiet", "commonplace init"):
            _type(first, folder, environ)
        return [(command, _type(command, folder, environ)) for command in COMMANDS]


def _type(command: str, folder: Path, environ: dict[str, str]) -> list[str]:
    # Together and in order, as on a screen. A refusal is part of the picture.
    done = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", f"exec {command} 2>&1"],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return [
        line[at : at + COLUMNS]
        for line in done.stdout.splitlines()
        for at in range(0, max(len(line), 1), COLUMNS)
    ]


def drawn(steps: list[tuple[str, list[str]]]) -> str:
    """The picture, an animation in plain CSS; complete where motion is not wanted."""
    total_s = len(steps) * (TYPING_S + READING_S) + REST_S
    body: list[str] = []
    frames = [f"g {{ animation-duration: {total_s:g}s; animation-iteration-count: infinite; }}"]
    row = 0
    for number, (command, output) in enumerate(steps):
        typed = 100 * number * (TYPING_S + READING_S) / total_s
        shown = typed + 100 * TYPING_S / total_s
        frames += (
            f"@keyframes type{number} {{ 0%, {typed:.2f}% {{ clip-path: inset(0 100% 0 0); "
            f"animation-timing-function: steps({len(command)}, end); }} "
            f"{shown:.2f}%, 100% {{ clip-path: inset(0 0 0 0); }} }}",
            f"@keyframes show{number} {{ 0%, {shown:.2f}% {{ opacity: 0; }} "
            f"{shown + 0.01:.2f}%, 100% {{ opacity: 1; }} }}",
        )
        body.append(
            f'<g style="animation-name: type{number}">'
            + _text(row, f'<tspan class="prompt">$</tspan> {escape(command)}', "typed")
            + "</g>"
        )
        lines = "".join(_text(row + 1 + at, escape(line)) for at, line in enumerate(output))
        body.append(f'<g style="animation-name: show{number}">{lines}</g>')
        row += 1 + len(output)
    width, height = round(COLUMNS * LETTER) + 2 * EDGE, row * LINE + 2 * EDGE
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            "<title>Commonplace in a terminal: save, replace, recall, refuse, undo</title>",
            f"<style>{STYLE}",
            *frames,
            "</style>",
            f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
            *body,
            "</svg>\n",
        )
    )


def _text(row: int, content: str, name: str = "") -> str:
    marked = f' class="{name}"' if name else ""
    return f'<text x="{EDGE}" y="{EDGE + row * LINE + 14}"{marked}>{content}</text>'


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(drawn(played()), encoding="utf-8")
