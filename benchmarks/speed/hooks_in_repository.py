"""What a prompt costs in a repository, beside the same prompt where nothing is compared with it.

    python benchmarks/speed/hooks_in_repository.py [--notes 10000] [--runs 40] [--profile]

A book of 10,000 notes that were saved in a git repository, so that all belong to a commit; the
notes about its code have anchors, and 60 others were replaced on a branch that is not merged, so
that the repository has the old ones and the rest of the project the new ones. Each prompt is a
cold process, as Claude Code starts it: once in the repository, where branches and files are
compared, and once elsewhere in the same project. Every second prompt is about code. Runs
alternate; the result is the ratio of the medians of processor time. Target: at most 1.1.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from parts.making import QUESTION, environment, notes

import commonplace

ROUNDS = iter(range(10**9))
FILES, FUNCTIONS, CLAIMS, REPLACED = 40, 10, 120, 60
LIMIT = 1.1
IN_ONE_PROCESS = (
    "import os; from commonplace.doors.hooks import entrypoint; del os.fork\n"
    "entrypoint.run(['claude'], os.environ)"
)
"""A hook that answers itself: the processor time of a process that it left behind is not known."""
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as room:
        said = {"COMMONPLACE_HOOK_SECONDS": "30", "COMMONPLACE_PROJECT": "shop"}
        environ = environment(room, **said)
        shop = Path(room, "shop")
        _write_repository(shop)
        anchored = _fill(environ, shop, options.notes)
        print(f"{options.notes:,} notes, {anchored} of {CLAIMS} claims about code have anchors")
        if options.profile:
            for at in range(2):
                _ask(environ, str(shop), _question(at), profile=True)
            return
        kept = _report(_measured(environ, str(shop), options.runs))
    sys.exit(not kept)


def _measured(environ: dict[str, str], shop: str, runs: int) -> dict[tuple[str, bool], list[float]]:
    """Processor seconds by the kind of prompt, and whether it was asked in the repository."""
    times: dict[tuple[str, bool], list[float]] = {}
    for at in range(runs + 4):
        question = _question(at)
        kind = "about code" if at % 2 else "other"
        for here in (True, False):
            spent = _ask(environ, shop if here else "/", question)
            if at >= 4:
                times.setdefault((kind, here), []).append(spent)
    return times


def _question(at: int) -> str:
    if at % 2 == 0:
        return f"{QUESTION} Number {at}."
    number = at // 2 % CLAIMS
    file, one = number % FILES, number // FILES
    return f"What did we agree with Ada about `job_{file}_{one}` and matter {number}?"


def _report(times: dict[tuple[str, bool], list[float]]) -> bool:
    ratios: list[float] = []
    for kind in ("about code", "other"):
        here, there = (statistics.median(times[kind, one]) for one in (True, False))
        ratios.append(here / there)
        print(f"  {kind:<11} {1000 * here:6.1f} ms in the repository, {1000 * there:6.1f} elsewhere"
              f"   ratio {here / there:.3f}")  # fmt: skip
    mix = statistics.mean(ratios)
    print(f"  both        ratio {mix:.3f}   (target: at most {LIMIT})")
    return mix <= LIMIT


def _ask(environ: dict[str, str], folder: str, question: str, *, profile: bool = False) -> float:
    event = {
        "session_id": f"session-{next(ROUNDS)}", "cwd": folder, "transcript_path": "/t.jsonl",
        "hook_event_name": "UserPromptSubmit", "prompt": question,
    }  # fmt: skip
    before = _children_s()
    more = ("-X", "importtime") if profile else ()
    done = subprocess.run(
        [sys.executable, *more, "-c", IN_ONE_PROCESS],
        env=environ,
        input=json.dumps(event).encode(),
        capture_output=True,
        check=True,
    )
    spent = _children_s() - before
    if profile:
        print(done.stderr.decode())
        print(done.stdout.decode())
    assert bool(done.stdout), done
    for root, _, files in os.walk(os.path.join(environ["COMMONPLACE_STATE"], "hooks")):
        for file in files:
            os.remove(os.path.join(root, file))
    return spent


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _fill(environ: dict[str, str], shop: Path, count: int) -> int:
    settings = commonplace.Settings(
        url=environ["COMMONPLACE_URL"],
        state=environ["COMMONPLACE_STATE"],
        embedder=environ["COMMONPLACE_EMBEDDER"],
    )
    with commonplace.open(settings=settings, context={"project": "shop"}) as book:
        here = book.working_in(str(shop))
        here.save_many([{**one, "scope": "/project/shop"} for one in notes(count)])
        claims = [here.save(_claim(number)).memory for number in range(CLAIMS)]
        saved = [here.save(_pallets(number, "Bergen")).memory for number in range(REPLACED)]
        _git(shop, "checkout", "-q", "-b", "other")
        _git(shop, "commit", "-q", "--allow-empty", "-m", "other")
        there = book.working_in(str(shop))
        for number, one in enumerate(saved):
            there.correct(one.id, _pallets(number, "Oslo"))
        _git(shop, "checkout", "-q", "topic")
        return sum(bool(one.anchors) for one in claims)


def _pallets(number: int, town: str) -> str:
    return f"Warehouse {number} sends its pallets by rail to {town}."


def _claim(number: int) -> str:
    file, one = number % FILES, number // FILES
    return (
        f"Matter {number}: we agreed with Ada that `job_{file}_{one}` in src/module_{file}.py"
        f" runs before `job_{file}_{one + 1}`, whatever the till says."
    )


def _write_repository(shop: Path) -> None:
    (shop / "src").mkdir(parents=True)
    for file in range(FILES):
        parts = [
            f'def job_{file}_{number}(basket, voucher=None):\n    """Job {number}."""\n'
            + "".join(f"    step_{step} = sum(basket) + {step}\n" for step in range(20))
            + "    return step_1\n\n\n"
            for number in range(FUNCTIONS)
        ]
        (shop / "src" / f"module_{file}.py").write_text("".join(parts))
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "begin")):
        _git(shop, *command)
    _git(shop, "checkout", "-q", "-b", "topic")
    _git(shop, "commit", "-q", "--allow-empty", "-m", "topic")


def _git(shop: Path, *command: str) -> None:
    subprocess.run([*GIT, *command], cwd=shop, check=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--profile", action="store_true", help="print what two prompts import")
    return parser.parse_args()


if __name__ == "__main__":
    main()
