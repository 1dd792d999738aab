"""What people download for the base install, and what of it is never loaded."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

from benchmarks.speed import install_size

from tests import ROOT

BASE = {
    "annotated-doc", "apsw", "markdown-it-py", "mdurl", "numkong", "phonenumberslite", "pygments",
    "python-stdnum", "rich", "ruamel-yaml", "shellingham", "typer",
}  # fmt: skip


def test_the_base_requires_no_other_packages() -> None:
    # On Windows Typer requires one more, for colours.
    assert {*install_size.required()} - {"colorama"} == BASE


def test_the_base_stays_small() -> None:
    program = str(ROOT / "benchmarks" / "speed" / "install_size.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    *packages, said = done.stdout.splitlines()[1:]
    assert {line.split()[0] for line in packages} - {"colorama"} == {
        *BASE,
        install_size.OURS,
        "together",
    }
    [found] = re.findall(r"^without debug information: ([\d.]+) MB of (\d+)$", said)
    assert float(found[0]) <= float(found[1])


def library(path: Path, sections: dict[str, int]) -> Path:
    """A file with the header and the table of sections of a library, by their sizes."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in sections)
    header, each = 64, 64
    table = header + len(names)
    rows = [struct.pack("<IIQQQQ", 0, 3, 0, 0, header, len(names))]
    rows += [
        struct.pack("<IIQQQQ", names.index(name.encode()), 1, 0, 0, 0, size)
        for name, size in sections.items()
    ]
    start = b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q", table)
    end = struct.pack("<HHH", each, len(rows), 0)
    whole = start.ljust(58, b"\0") + end + names + b"".join(row.ljust(each, b"\0") for row in rows)
    path.write_bytes(whole)
    return path


def test_debug_information_is_what_its_sections_hold(tmp_path: Path) -> None:
    made = library(tmp_path / "it.so", {".text": 7, ".debug_info": 300, ".debug_line": 40})
    assert install_size.debug_size(made) == 340
    assert install_size.debug_size(library(tmp_path / "none.so", {".text": 7})) == 0
    (tmp_path / "other.so").write_bytes(b"\xcf\xfa\xed\xfe" + bytes(100))
    assert install_size.debug_size(tmp_path / "other.so") == 0
