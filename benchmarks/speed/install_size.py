"""Measure what the base install takes on the disk, package by package.

    python benchmarks/speed/install_size.py

Counts the files of what the base requires, as this environment has them, and the compiled files
that an installer adds. Debug information of libraries, which nothing loads, is shown apart.
"""

from __future__ import annotations

import marshal
import re
import struct
import tomllib
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
OURS = "commonplace-memory"
MOST_MB = 110
COMPILED_HEADER = 16
"""Bytes before the code in a compiled file."""


@dataclass
class Package:
    """The bytes of a package: all of them, its compiled files, and its debug information."""

    name: str
    whole: int
    compiled: int
    debug: int


def main() -> None:
    found = sorted(base(), key=lambda one: -one.whole)
    print(f"{'':20} {'MB':>6} {'compiled':>9} {'debug':>6}")
    for one in [*found, total(found)]:
        numbers = (part / 1e6 for part in (one.whole, one.compiled, one.debug))
        print("{:20} {:6.1f} {:9.1f} {:6.1f}".format(one.name, *numbers))
    every = total(found)
    print(f"without debug information: {(every.whole - every.debug) / 1e6:.1f} MB of {MOST_MB}")


def total(packages: Iterable[Package]) -> Package:
    """The sum of some packages."""
    rows = [(one.whole, one.compiled, one.debug) for one in packages]
    return Package("together", *map(sum, zip(*rows, strict=True)))


def base() -> Iterator[Package]:
    """What an install without extras puts on the disk: our own package, and all it requires."""
    yield _sized(OURS, _own_files())
    for name in required():
        places = distribution(name).files or ()
        yield _sized(name, (Path(str(one.locate())) for one in places))


def required() -> list[str]:
    """The packages that the base requires on this machine, and those that these require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    seen: dict[str, None] = {}
    waiting = [*project["dependencies"]]
    while waiting:
        asked = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", asked.name).lower()
        if name in seen or (asked.marker and not asked.marker.evaluate({"extra": ""})):
            continue
        seen[name] = None
        waiting += distribution(name).requires or ()
    return sorted(seen)


def _own_files() -> Iterator[Path]:
    package = ROOT / "src" / "commonplace"
    return (one for one in package.rglob("*") if one.is_file() and one.suffix != ".pyc")


def _sized(name: str, files: Iterable[Path]) -> Package:
    made = Package(name, 0, 0, 0)
    for file in files:
        if file.suffix == ".pyc" or not file.is_file():
            continue
        compiled = _compiled_size(file) if file.suffix == ".py" else 0
        made.whole += file.stat().st_size + compiled
        made.compiled += compiled
        made.debug += debug_size(file) if ".so" in file.suffixes else 0
    return made


def _compiled_size(file: Path) -> int:
    """The bytes of a module's compiled file; none where it is no Python of this version."""
    try:
        code = compile(file.read_bytes(), file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return 0
    return COMPILED_HEADER + len(marshal.dumps(code))


def debug_size(library: Path) -> int:
    """The bytes of the sections with debug information in a Linux library of 64 bits."""
    content = library.read_bytes()
    if content[:6] != b"\x7fELF\x02\x01":
        return 0
    (start,) = struct.unpack_from("<Q", content, 40)
    each, count, names = struct.unpack_from("<HHH", content, 58)
    sections = [
        struct.unpack_from("<IIQQQQ", content, start + each * number) for number in range(count)
    ]
    texts = sections[names][4]
    return sum(
        size for name, _, _, _, _, size in sections if content.startswith(b".debug_", texts + name)
    )


if __name__ == "__main__":
    main()
