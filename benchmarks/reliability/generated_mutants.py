"""Mutants of the write path, made by program: how many does `commonplace torture` catch?

    .venv/bin/python -m benchmarks.reliability.generated_mutants [--sample 40] [--at-once 2]

Each mutant is one small change of one function that every write of a vault goes through: a call is
left out, two statements are swapped, a condition is always or never true. The program is tortured
with it for a short time, every fault in turn. A torture that finds a loss, cannot go on or does not
end has caught the mutant. A mutant that changes nothing which the law is about is equivalent, for a
reason that `EQUIVALENT` or `UNREACHED` states; it is counted apart.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Body = list[ast.stmt]

WRITE_PATH = {
    "commonplace.engine.commit": ("commit", "index_changes"),
    "commonplace.backends.vault.ledger": ("append",),
    "commonplace.backends.vault.event_files": ("append", "_append", "_write", "_cut_torn_line"),
    "commonplace.backends.vault.writer": (
        "write", "_require_unchanged", "_require_vault", "_replace", "_remove", "_remember",
    ),
    "commonplace.backends.vault.files": ("prepare", "_make_folder", "write_whole", "sync_folder"),
    "commonplace.backends.common.lease": ("hold", "guard", "_try", "_release"),
}  # fmt: skip
"""Functions that every write of a vault goes through, by module."""
_LIMITS = "limits of a tenant are no part of the law, and the tortured book has none"
_AUTHORITY = "each verb asks whose memory it is before; the law is about a person's own changes"
_SLOWER = "only slower: what is read again says the same"
_MORE_SYNCS = "only slower: what is synced already is synced again"
_TURNS = "only the turns of waiting writers change, which nobody promises"
_WOKEN_LATER = "a waiter that hears no bell looks by itself, every twentieth of a second"
_LEFT_OVER = "the caller removes the same temporary file"
_CHECKED_AGAIN = "`guard` asks again before anything is put in place; until then all is temporary"
_NOT_OURS = "no caller brings the lease of another store"
_NEVER_DURABLE = "a vault asks for no durable transaction: its database is made again from notes"
_TORN_LINE = "a torn line has no answer; nobody misses it, whether or not the tables can be written"
_SHORTER = "the file was read in the same transaction, and is never shorter than its whole lines"
_NO_FOLDER = "the folder of the log is not made without the one above it: refused in other words"
EQUIVALENT = {
    "commit.commit: `if engine.settings.limits.is_set and (not all((one.automatic f…` always false":
        _LIMITS,
    "commit.commit: `if engine.settings.limits.is_set and (not all((one.automatic f…` always true":
        _LIMITS,
    "commit.commit: without `_refuse_over_limits(engine, puts)`": _LIMITS,
    "commit.commit: `if not same_meaning` always false": _AUTHORITY,
    "commit.commit: without `authority.require_authority(engine.source, puts, at)`": _AUTHORITY,
    "commit.index_changes: without `index_new_changes(engine, look=False)`":
        "every reader lets the index follow before it asks, as after a kill",
    "event_files._append: `if not os.path.isdir(os.path.dirname(self.folder))` always false":
        _NO_FOLDER,
    "event_files._append: without `raise LedgerUnavailable('The vault is not there.', hint='Mo…`":
        _NO_FOLDER,
    "event_files._append: `self._remember(db, name, EventFileState(size, modified, siz…` before"
    " `self._events.add(db, name, linked, lines)`": "both are rows of one transaction",
    "event_files._cut_torn_line: `os.truncate(self._path(name), whole)` before"
    " `self._database.connection.require_file()`": _TORN_LINE,
    "event_files._cut_torn_line: without `self._database.connection.require_file()`": _TORN_LINE,
    "event_files._write: `sync_folder(os.path.dirname(self.folder))` before"
    " `sync_folder(self.folder)`": "both folders are synced before the answer, in either order",
    "event_files._write: `if new` always true": "a folder that is there is not made again",
    "event_files._write: `if new` always true (2)": _MORE_SYNCS,
    "event_files._write: `if os.fstat(file.fileno()).st_size > after` always true": _SHORTER,
    "files._make_folder: `if made == folder` always false": "the loop ends by its own condition",
    "files.prepare: `if not os.path.isdir(folder)` always true": _MORE_SYNCS,
    "files.sync_folder: `if os.name == 'nt'` always false": "it never is where torture runs",
    "files.write_whole: without `os.unlink(path)` (2)": _LEFT_OVER,
    "writer.write: without `lease.check()`": _CHECKED_AGAIN,
    "lease._release: `self._bell(lease.name).ring()` before `with self.reading():"
    " self.connection.execute('UPDATE leases…`": _WOKEN_LATER,
    "lease._release: without `self._bell(lease.name).ring()`": _WOKEN_LATER,
    "lease._release: `if not released` always true":
        "a lease without a holder is free, whatever this process remembers of it",
    "lease._try: `if not self._first(waiter)` always false": _TURNS,
    "lease._try: without `self._queue(waiter)`": _TURNS,
    "lease.guard: `if not isinstance(lease, SqliteLease) or lease.leases is not s…` always false":
        _NOT_OURS,
    "lease.guard: without `raise Busy('The lease does not belong to this store.', hint…`":
        _NOT_OURS,
    "lease.guard: `if outermost` always false": _NEVER_DURABLE,
    "lease.guard: `if outermost` always false (2)": _NEVER_DURABLE,
    "lease.guard: `if outermost` always true": _MORE_SYNCS,
    "lease.guard: `if outermost` always true (2)": _NEVER_DURABLE,
    "lease.guard: without `self.connection.execute('PRAGMA synchronous=FULL')`": _NEVER_DURABLE,
    "lease.guard: without `self.connection.execute('PRAGMA synchronous=NORMAL')`": _NEVER_DURABLE,
    "lease.guard: without `self._require_file()`":
        "the notes are on the disk all the same, and the next process finds them there",
    "writer._require_unchanged: `if self._files.stat_hash(path) == (before.stat_hash if before …`"
    " always false": _SLOWER,
    "writer._remember: without `self._manifest.adjust_folder(folder, add=add, take=take, be…`":
        _SLOWER,
}  # fmt: skip
"""Mutants that break no promise of the law, with the reason."""
UNREACHED = {
    "lease.hold": ("outer", "no verb takes a lease that its thread has; stores promise more"),
}
"""Functions with a part that no verb reaches: a word that only that part has, and the reason. A
test makes every change of a book and finds the part unused; the stores' own tests use it."""
LEAST_SHARE = 0.95
ROUNDS = 22
"""Every fault twice, in an order that the seed gives."""
STUCK_S = 1200.0
_HOOK = """\
import importlib.util, os, sys
NAME, PLACE = os.environ.get("MUTATED_MODULE"), os.environ.get("MUTATED_SOURCE")
class Finder:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, PLACE) if name == NAME else None
if NAME:
    sys.meta_path.insert(0, Finder())
"""


class Mutant:
    """One change of one function, and the source of its module with it."""

    def __init__(self, module: str, function: str, change: str, source: str) -> None:
        self.module, self.source = module, source
        self.name = self.source_name = f"{module.rpartition('.')[2]}.{function}: {change}"


def mutants() -> list[Mutant]:
    """Every mutant of the write path; a second one with the same name gets a number."""
    found: dict[str, Mutant] = {}
    for one in _all_mutants():
        same = sum(known.source_name == one.name for known in found.values())
        one.source_name, one.name = one.name, f"{one.name} ({same + 1})" if same else one.name
        found[one.name] = one
    return list(found.values())


def equivalent(name: str) -> str:
    """Why a mutant breaks no promise of the law; empty if it does."""
    function, _, change = name.partition(": ")
    word, reason = UNREACHED.get(function, ("", ""))
    # A condition that is always true leads everybody into that part.
    unreached = word and word in change and not change.endswith("always true")
    return reason if unreached else EQUIVALENT.get(name, "")


def _all_mutants() -> Iterator[Mutant]:
    for module, functions in WRITE_PATH.items():
        spec = importlib.util.find_spec(module)
        assert spec
        assert spec.origin
        source = Path(spec.origin).read_text(encoding="utf-8")
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in functions:
                for change in _changes(node):
                    yield Mutant(module, node.name, change, ast.unparse(tree))


def _changes(function: ast.FunctionDef) -> Iterator[str]:
    """Make each change of a function in its tree, one at a time; each is taken back."""
    for body in _bodies(function):
        for place, statement in enumerate(body):
            if _is_call(statement) or isinstance(statement, ast.Raise):
                body[place] = ast.Pass()
                yield f"without `{_short(statement)}`"
                body[place] = statement
            if place and _may_swap(body[place - 1], statement):
                body[place - 1 : place + 1] = [statement, body[place - 1]]
                yield f"`{_short(statement)}` before `{_short(body[place])}`"
                body[place - 1 : place + 1] = [body[place], body[place - 1]]
            if isinstance(statement, ast.If):
                condition = statement.test
                for always in (True, False):
                    statement.test = ast.Constant(always)
                    yield f"`if {_short(condition)}` always {'true' if always else 'false'}"
                statement.test = condition


def _bodies(function: ast.FunctionDef) -> Iterator[Body]:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and not isinstance(node, ast.Lambda):
                yield body


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Yield)


def _may_swap(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements are steps whose order matters, and not a name and its use."""
    return _is_call(other) and (_is_call(one) or isinstance(one, ast.For | ast.With))


def _short(node: ast.AST) -> str:
    line = " ".join(ast.unparse(node).split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def caught_by(
    mutant: Mutant, *, rounds: int, seed: int, folder: str | None = None, only: Sequence[str] = ()
) -> str:
    """Torture the program with a mutant; returns what was found, nothing if it survives."""
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        (place / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
        (place / "mutated.py").write_text(mutant.source, encoding="utf-8")
        environ = {
            **os.environ, "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(place), *_given_path()]),
            "MUTATED_MODULE": mutant.module, "MUTATED_SOURCE": str(place / "mutated.py"),
        }  # fmt: skip
        command = [
            sys.executable, "-m", "commonplace", "torture", str(place / "books"),
            "--rounds", str(rounds), "--seed", str(seed), "--json",
            *(part for fault in only for part in ("--only", fault)),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, env=environ, capture_output=True, text=True, check=False, timeout=STUCK_S
            )
        except subprocess.TimeoutExpired:
            return f"It did not end within {STUCK_S:.0f} s."
        if not done.returncode:
            return ""
        try:
            return json.loads(done.stdout)["broken"][0]
        except (ValueError, KeyError, IndexError):
            return f"It ended with code {done.returncode}: {done.stderr[-300:]}"
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _given_path() -> list[str]:
    """The folders that Python was told to look in, so that the program comes from there, too."""
    return [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]


def report(caught: Sequence[str], left: Sequence[str], harmless: Sequence[str]) -> float:
    """Print what was caught; returns its share, without the equivalent ones."""
    tried = len(caught) + len(left)
    share = len(caught) / tried if tried else 1.0
    for name in left:
        print(f"not caught: {name}")
    for name in harmless:
        print(f"equivalent: {name} ({equivalent(name)})")
    print(f"{len(caught)} of {tried} caught ({share:.0%}), {len(harmless)} equivalent")
    return share


def main() -> None:
    """Torture a sample of the mutants, and say how many were caught."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sample", type=int, help="how many; all unless told")
    parser.add_argument("--skip", type=int, default=0, help="how many to leave out before them")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=1, help="how many are tried side by side")
    parser.add_argument("--only", action="append", default=[], help="only this fault")
    parser.add_argument("--named", default="", help="only those with these words in their names")
    parser.add_argument("--folder", help="where the tortured books are made")
    parser.add_argument("--list", action="store_true", help="only print the names")
    given = parser.parse_args()
    found = mutants()
    random.Random(given.seed).shuffle(found)
    if given.list:
        print("\n".join(sorted(one.name for one in found)))
        return
    chosen = [one for one in found[given.skip :][: given.sample] if given.named in one.name]
    harmless = [one.name for one in chosen if equivalent(one.name)]
    caught: list[str] = []
    left: list[str] = []
    began = time.monotonic()

    def tried(one: Mutant) -> None:
        if equivalent(one.name) or time.monotonic() - began > given.seconds:
            return
        start = time.monotonic()
        found_by = caught_by(
            one, rounds=given.rounds, seed=given.seed + 1, folder=given.folder, only=given.only
        )
        (caught if found_by else left).append(one.name)
        lines = [f"{'caught' if found_by else 'left'}: {one.name}"]
        if found_by:
            lines.append(f"    {' '.join(found_by.split())[:160]}")
        lines.append(f"    {time.monotonic() - start:.0f} s")
        print("\n".join(lines), flush=True)

    with ThreadPoolExecutor(given.at_once) as threads:
        list(threads.map(tried, chosen))
    share = report(caught, left, harmless)
    raise SystemExit(os.EX_OK if share >= LEAST_SHARE else 1)


if __name__ == "__main__":
    main()
