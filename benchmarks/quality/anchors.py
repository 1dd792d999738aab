"""Replay a repository's history: are stale claims about its code found, and others left alone?

    python benchmarks/quality/anchors.py [REPOSITORY] [--claims 500] [--spans 8] [--seed 7] [--list]

Claims are sentences made from the code of a commit: what a function takes, what it does, what a
constant or a key is, what a command runs, where a file is. Each is anchored to that commit's files
as a save does it, and checked at later commits. Whether it has become stale is read from both
commits by other means than ours: Python's `ast`, `tomllib`, `json` and a YAML library. `--spans` is
the number of pairs of commits; the claims are divided among them. `--list` prints each mistake.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.engine.anchor_checks import AnchorChecker
from commonplace.engine.anchors import find_anchors
from commonplace.work_tree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LEAST_FOUND, MOST_ALARMS = 0.95, 0.02
PREFIXES = ("Remember: ", "We found that ", "", "Ada says that ", "Note that ")
UNREAD = "unread"
"""A file that its own library does not read: whether claims about it hold cannot be said."""
KINDS = ("parameters", "signature", "function", "constant", "key", "command", "file")


class Claim(NamedTuple):
    """A sentence, and what decides whether it holds."""

    kind: str
    text: str
    path: str
    name: str
    truth: str


def main() -> None:
    options = _options()
    chance = random.Random(options.seed)
    commits = _commits(options.repository)
    if len(commits) < 3:
        sys.exit("The repository has too few commits.")
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    times: list[float] = []
    share = max(1, options.claims // options.spans)
    for _ in range(options.spans):
        first, second = sorted(chance.sample(range(len(commits)), 2))
        with tempfile.TemporaryDirectory() as folder:
            then = _export(options.repository, commits[first], Path(folder, "then"))
            now = _export(options.repository, commits[second], Path(folder, "now"))
            _replay(then, now, share, chance, counts, times, show=options.list)
    _print(counts, times)


def _replay(
    then: Path,
    now: Path,
    most: int,
    chance: random.Random,
    counts: Mapping[str, Counter[str]],
    times: list[float],
    *,
    show: bool,
) -> None:
    truths: dict[tuple[str, str, str], str] = {}
    for one in _claims(now):
        truths[one.kind, one.path, one.name] = one.truth
    unread = {path for kind, path, _ in truths if kind == UNREAD}
    known = [one for one in _claims(then) if one.kind == "file" or one.path not in unread]
    by_kind = {kind: [one for one in known if one.kind == kind] for kind in KINDS}
    chosen: list[Claim] = []
    for kind, several in by_kind.items():
        stale = [one for one in several if truths.get((kind, one.path, one.name)) != one.truth]
        fresh = [one for one in several if truths.get((kind, one.path, one.name)) == one.truth]
        # As many stale ones as others, where there are enough.
        part = max(1, most // len(KINDS))
        chosen += chance.sample(stale, min(len(stale), part // 2))
        chosen += chance.sample(fresh, min(len(fresh), part - part // 2))
    for claim in chosen:
        text = chance.choice(PREFIXES) + claim.text
        anchors = find_anchors(text, WorkTree(str(then)), limit_s=10)
        began = perf_counter()
        states = AnchorChecker(WorkTree(str(now)), limit_s=5).check(anchors)
        times.append(perf_counter() - began)
        told = any(one.state in ("changed", "gone", "moved") for one in states)
        stale = truths.get((claim.kind, claim.path, claim.name)) != claim.truth
        count = counts[claim.kind]
        count["claims"] += 1
        count["anchored"] += bool(anchors)
        count["stale" if stale else "fresh"] += 1
        count["found" if stale else "alarms"] += told
        if show and told != stale:
            print(f"{'missed' if stale else 'alarm'}: {text} {anchors} {[s.state for s in states]}")


def _print(counts: Mapping[str, Counter[str]], times: list[float]) -> None:
    print("kind        claims  anchored  stale  found  share  fresh  alarms  share")
    total: Counter[str] = Counter()
    for kind, count in counts.items():
        total += count
        _row(kind, count)
    _row("all", total)
    times.sort()
    print(f"a check: median {1_000 * times[len(times) // 2]:.2f} ms, with cold files")
    found, alarms = _share(total, "found", "stale"), _share(total, "alarms", "fresh")
    kept = found >= LEAST_FOUND and alarms <= MOST_ALARMS
    print(f"{'kept' if kept else 'NOT KEPT'}: found >= {LEAST_FOUND}, alarms <= {MOST_ALARMS}")
    sys.exit(not kept)


def _row(name: str, count: Counter[str]) -> None:
    print(
        f"{name:11} {count['claims']:6} {count['anchored']:9} {count['stale']:6} {count['found']:6}"
        f" {_share(count, 'found', 'stale'):6.3f} {count['fresh']:6} {count['alarms']:7}"
        f" {_share(count, 'alarms', 'fresh'):6.3f}"
    )


def _share(count: Counter[str], part: str, of: str) -> float:
    return count[part] / count[of] if count[of] else 0.0


# Claims, and what is true of a commit


def _claims(root: Path) -> Iterator[Claim]:
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root).as_posix()
        if not path.is_file() or path.stat().st_size > 200_000 or "#" in place:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        yield Claim("file", f"the rules for this stand in {place}.", place, "", "there")
        if path.suffix == ".py":
            yield from _python_claims(text, place)
        elif path.name == "Makefile":
            yield from _make_claims(text, place)
        else:
            yield from _key_claims(text, place, path.suffix)


def _python_claims(text: str, path: str) -> Iterator[Claim]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        yield Claim(UNREAD, "", path, "", "")
        return
    seen: Counter[str] = Counter()
    found: list[tuple[str, ast.stmt]] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append((node.name, node))
        if isinstance(node, ast.ClassDef):
            found += [
                (f"{node.name}.{one.name}", one)
                for one in node.body
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.append((node.targets[0].id, node))
    seen.update(name for name, _ in found)
    for name, node in found:
        if seen[name] > 1 or name.startswith("__"):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = [
                one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            ]
            said = ", ".join(one for one in taken if one not in ("self", "cls")) or "no arguments"
            names = [*taken, *(one.arg for one in (node.args.vararg, node.args.kwarg) if one)]
            about = f"the function `{name}` in {path} takes"
            yield Claim("parameters", f"{about} {said}.", path, name, str(names))
            if len(whole := ast.unparse(node.args)) > len(", ".join(names)):
                about = f"`{name}` in {path} has the signature"
                yield Claim("signature", f"{about} ({whole}).", path, name, whole)
            said = f"`{name}` ({path}) does what its callers rely on."
            yield Claim("function", said, path, name, ast.dump(node))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            said = f"{name} in {path} is {str(node.value.value)[:60]}."
            if len(name) > 3:
                yield Claim("constant", said, path, name, ast.dump(node.value))


def _key_claims(text: str, path: str, suffix: str) -> Iterator[Claim]:
    try:
        if suffix == ".toml":
            loaded: Any = tomllib.loads(text)
        elif suffix == ".json":
            loaded = json.loads(text)
        elif suffix in (".yaml", ".yml"):
            from ruamel.yaml import YAML

            documents = list(YAML(typ="safe", pure=True).load_all(text))
            loaded = documents[0] if len(documents) == 1 else None
        else:
            return
    except Exception:  # A file that its own library does not read has no truth.
        yield Claim(UNREAD, "", path, "", "")
        return
    for name, value in _leaves(loaded, ()):
        said = f"the key `{name}` in {path} is {value}."
        if len(str(value)) < 60 and not set("`\n") & set(str(value)):
            yield Claim("key", said, path, name, repr(value))


def _leaves(value: Any, above: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(key, str) and "." not in key and " " not in key:
                yield from _leaves(inner, (*above, key))
    elif isinstance(value, str | int | float) and above:
        said = str(value).lower() if isinstance(value, bool) else value
        yield ".".join(above), said


def _make_claims(text: str, path: str) -> Iterator[Claim]:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        name, colon, _ = line.partition(":")
        if not colon or not name.replace("-", "").isalnum() or "=" in line:
            continue
        recipe = [line.partition("#")[0].strip()]
        for below in lines[at + 1 :]:
            if not below.startswith("\t"):
                break
            recipe.append(below.strip())
        if path == "Makefile":
            yield Claim("command", f"we run `make {name}` for that.", path, name, str(recipe))


# Commits


def _commits(repository: str) -> list[str]:
    said = _git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").decode()
    return said.split()


def _export(repository: str, commit: str, folder: Path) -> Path:
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(_git(repository, "archive", commit))) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _git(repository: str, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", repository, *arguments], check=True, capture_output=True
    ).stdout


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", nargs="?", default=str(Path(__file__).parents[2]))
    parser.add_argument("--claims", type=int, default=500)
    parser.add_argument("--spans", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
