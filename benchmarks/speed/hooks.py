"""Measure hooks from a cold start, in multiples of a bare start of Python.

    python benchmarks/speed/hooks.py [--notes 10000] [--runs 40] [--vectors] [--no-server]

Runs alternate, so that a busy machine slows all alike; the result is the ratio of the medians. Each
session and prompt is new, because a repeated event is not answered. Targets for 10,000 notes: a
prompt 5 by words and 12 with vectors, a session start 5, and 3 with a running server.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from parts.making import QUESTION, environment, fill, program
from parts.serving import served
from parts.timing import timed

ROUNDS = iter(range(10**9))


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        said = {
            "COMMONPLACE_EMBEDDER": "bundled" if options.vectors else "none",
            # A late answer would be a short one: here it is waited for.
            "COMMONPLACE_HOOK_SECONDS": "30",
        }
        environ = environment(room, **said)
        fill(environ, options.notes)
        command = [*program(), "fact", "set", "deploy.branch", "main"]
        subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
        print(f"{options.notes:,} notes, {'with' if options.vectors else 'without'} vectors")
        report(measured(environ, options.runs), 12 if options.vectors else 5)
        if not options.no_server:
            with served(environ["COMMONPLACE_URL"], room, **said):
                print("with a server running")
                report(measured(environ, options.runs), 3)


def measured(environ: dict[str, str], runs: int) -> dict[str, float]:
    """The median duration of each command."""
    times: dict[str, list[float]] = {"bare python": [], "prompt": [], "start": [], "turn": []}
    for _ in range(3):
        for moment in ("start", "prompt", "turn"):
            hook(moment, environ)
    for _ in range(runs):
        times["bare python"].append(run([sys.executable, "-c", "pass"], environ))
        for moment in ("prompt", "start", "turn"):
            times[moment].append(hook(moment, environ))
    return {name: statistics.median(spent) for name, spent in times.items()}


def report(medians: dict[str, float], prompt_target: int) -> None:
    bare = medians.pop("bare python")
    print(f"  bare python {1000 * bare:7.1f} ms")
    targets = {"prompt": prompt_target, "start": min(5, prompt_target), "turn": 5}
    for name, spent in medians.items():
        ratio = f"{spent / bare:6.2f}   (target: at most {targets[name]})"
        print(f"  {name:<11} {1000 * spent:7.1f} ms   ratio {ratio}")


def hook(moment: str, environ: dict[str, str]) -> float:
    """Send one event as Claude Code does, and check that it is answered."""
    command = [*program(), "hook", "claude"]
    return run(command, environ, event(moment), answered=moment != "turn")


def event(moment: str) -> str:
    """A new event, as Claude Code sends it."""
    said = {
        "start": {"hook_event_name": "SessionStart", "source": "startup"},
        "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": QUESTION},
        "turn": {"hook_event_name": "Stop", "last_assistant_message": "From main."},
    }[moment]
    session = {"session_id": f"session-{next(ROUNDS)}", "cwd": "/", "transcript_path": "/t.jsonl"}
    return json.dumps(session | said)


def run(
    command: list[str], environ: dict[str, str], said: str = "", *, answered: bool = False
) -> float:
    """The duration of a command, which must print something if `answered`, else nothing."""
    spent, done = timed(
        lambda: subprocess.run(
            command, env=environ, input=said.encode(), capture_output=True, check=True
        )
    )
    assert bool(done.stdout) == answered, done
    # Work that waits in the background would slow down the next measurement.
    for folder, _, files in os.walk(os.path.join(environ["COMMONPLACE_STATE"], "hooks")):
        for file in files:
            os.remove(os.path.join(folder, file))
    return spent


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--vectors", action="store_true", help="with the vector arm (fills slowly)")
    parser.add_argument("--no-server", action="store_true", help="only without a server")
    return parser.parse_args()


if __name__ == "__main__":
    main()
