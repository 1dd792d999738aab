"""Measure how soon `commonplace mcp` answers its host, in multiples of a bare start of Python.

    python benchmarks/speed/mcp_start.py [--notes 1000] [--runs 40]

A host begins a session, lists the tools and searches once. Each time counts from the start of the
process. Runs alternate with bare starts, so that a busy machine slows both alike; the result is the
ratio of the medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from parts.making import QUESTION, environment, fill, program
from parts.timing import row, seconds

STEPS: list[tuple[str, dict[str, Any], str]] = [
    (
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        },
        "at most 15",
    ),
    ("tools/list", {}, "at most 20"),
    ("tools/call", {"name": "memory_search", "arguments": {"query": QUESTION}}, ""),
]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        environ = environment(room)
        fill(environ, options.notes)
        _session(environ)  # What is compiled the first time does not count.
        bare: list[float] = []
        sessions: list[list[float]] = []
        for _ in range(options.runs):
            bare.append(seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)))
            sessions.append(_session(environ))
    one = statistics.median(bare)
    row("bare start of Python", f"{1000 * one:.1f} ms")
    for (method, _, limit), times in zip(STEPS, zip(*sessions, strict=True), strict=False):
        row(f"until {method} is answered", f"{statistics.median(times) / one:.1f}", limit)


def _session(environ: dict[str, str]) -> list[float]:
    """The seconds from the start of the process to each answer."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*program(), "mcp"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    times: list[float] = []
    for id, (method, params, _) in enumerate(STEPS):
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        times.append(time.perf_counter() - began)
        assert "result" in answer, answer
    process.communicate()
    return times


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=40)
    return parser.parse_args()


if __name__ == "__main__":
    main()
