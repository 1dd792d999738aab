"""The structure is checked, and the checks themselves are shown to bite."""

from __future__ import annotations

import ast
import gc
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from commonplace.model import errors
from commonplace.model.memory import Event, Link, Memory, Retrieval
from commonplace.ports.ledger import Ledger
from commonplace.ports.record_store import Changes, RecordStore
from commonplace.ports.search_index import Gathered, SearchIndex
from tests import ROOT

SOURCE = ROOT / "src/commonplace"
TOLD = (Memory, Changes, Gathered, Link, Event, Retrieval)
"""What a caller must be allowed to see."""
IN_PLAIN_TYPES = {RecordStore: (), SearchIndex: ("count", "speakers"), Ledger: ()}
"""The ports, and their reads whose answers do not look like it."""


def hands_out(method: Callable[..., object], kind: type) -> bool:
    answer = str(inspect.signature(method).return_annotation)
    return re.search(rf"\b{kind.__name__}\b", answer) is not None


def reads(kind: type) -> dict[str, Callable[..., object]]:
    """Methods that hand out memories, or what is said of them."""
    plain = {name for names in IN_PLAIN_TYPES.values() for name in names}
    return {
        name: method
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
        and (name in plain or any(hands_out(method, told) for told in TOLD))
    }


def reads_without_scopes(kind: type) -> list[str]:
    """Reads that do not require `visible`."""
    asked = {
        name: inspect.signature(of).parameters.get("visible") for name, of in reads(kind).items()
    }
    return [
        name
        for name, visible in asked.items()
        if visible is None or visible.default is not inspect.Parameter.empty
    ]


def backends() -> dict[type, list[type]]:
    """Every class behind a port that keeps or finds memories."""
    from commonplace.backends.sql.postgres.index import PostgresIndex
    from commonplace.backends.sql.postgres.ledger import PostgresLedger
    from commonplace.backends.sql.postgres.store import PostgresStore
    from commonplace.backends.sql.sqlite.index import SqliteIndex
    from commonplace.backends.sql.sqlite.ledger import SqliteLedger
    from commonplace.backends.sql.sqlite.store import SqliteStore
    from commonplace.backends.vault.ledger import VaultLedger
    from commonplace.backends.vault.store import VaultStore

    return {
        RecordStore: [VaultStore, SqliteStore, PostgresStore],
        SearchIndex: [SqliteIndex, PostgresIndex],
        Ledger: [VaultLedger, SqliteLedger, PostgresLedger],
    }


BEHIND = [(port, kind) for port, kinds in backends().items() for kind in kinds]


@pytest.mark.parametrize("port", IN_PLAIN_TYPES)
def test_every_read_of_a_port_requires_the_visible_scopes(port: type) -> None:
    assert reads_without_scopes(port) == []


@pytest.mark.parametrize(("port", "kind"), BEHIND)
def test_every_read_of_a_backend_requires_the_visible_scopes(port: type, kind: type) -> None:
    assert reads_without_scopes(kind) == []
    assert reads(port).keys() <= reads(kind).keys(), "what is a read for the port is one behind it"


@pytest.mark.parametrize("told", TOLD)
def test_every_kind_of_answer_is_one_that_a_port_still_gives(told: type) -> None:
    given = [
        name for port in IN_PLAIN_TYPES for name, of in reads(port).items() if hands_out(of, told)
    ]
    assert given


@pytest.mark.parametrize(
    ("port", "name"), [(port, name) for port, names in IN_PLAIN_TYPES.items() for name in names]
)
def test_every_read_that_is_named_is_still_there(port: type, name: str) -> None:
    assert name in reads(port)


def test_the_backends_are_all_that_a_book_can_be_made_of() -> None:
    imported = re.findall(
        r"from \.\.backends[\w.]* import (\w+(?:Store|Index|Ledger))\b",
        "".join(
            opener.read_text(encoding="utf-8")
            for opener in (ROOT / "src/commonplace/books").glob("*.py")
        ),
    )
    assert {kind.__name__ for _, kind in BEHIND} == {*imported}


def test_that_check_finds_a_store_reading_without_scopes() -> None:
    class Careless:
        def read(self, ids: list[str]) -> dict[str, Memory]:
            return {}

        def links(self, *, visible: object = None) -> list[Link]:
            return []

        def retrievals(self, *, visible: object) -> list[Retrieval]:
            return []

        def gather(self) -> Gathered:
            return Gathered()

        def count(self) -> dict[str, int]:
            return {}

    assert reads_without_scopes(Careless) == ["count", "gather", "links", "read"]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_verb_that_imports_a_backend_breaks_the_build(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    verb = tmp_path / "src/commonplace/verbs/recall.py"
    verb.write_text(verb.read_text() + "\nfrom ..backends.sql.sqlite.store import SqliteStore\n")
    broken = lint_imports(tmp_path)
    assert broken.returncode != 0
    assert "commonplace.verbs.recall" in broken.stdout


@cache
def parsed(file: Path) -> ast.Module:
    """The syntax tree of a file. Collecting garbage meanwhile fails on early releases of 3.11."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    finally:
        if was_enabled:
            gc.enable()


def imports_of(file: Path, modules: set[str]) -> set[str]:
    """Modules of the package that a file imports anywhere, for types alone included."""
    package = file.relative_to(SOURCE.parent).parent.parts
    found: set[str] = set()
    for node in ast.walk(parsed(file)):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = ".".join((*package[: len(package) - node.level + 1], node.module or "")).rstrip(".")
        for name in node.names:
            whole = f"{base}.{name.name}"
            found.add(whole if whole in modules else base)
    return found & modules


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one import circle, or nothing."""
    done: set[str] = set()

    def follow(module: str, path: tuple[str, ...]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for other in sorted(graph[module]):
            if found := follow(other, (*path, module)):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(graph) if (found := follow(module, ()))), [])


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {
        ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts): file
        for file in SOURCE.rglob("*.py")
        if file.name != "__init__.py"
    }
    graph = {name: imports_of(file, {*files}) - {name} for name, file in files.items()}
    assert len(graph["commonplace.book"]) > 5, "imports are read"
    assert circle_in(graph) == []
    assert circle_in({**graph, "commonplace.model.value": {"commonplace.book"}})


def test_no_two_classes_share_a_name() -> None:
    classes = [
        (node.name, file.name)
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ClassDef)
    ]
    names = [name for name, _ in classes]
    assert [one for one in classes if names.count(one[0]) > 1] == []


def test_every_module_says_what_it_holds() -> None:
    said = {str(file): ast.get_docstring(parsed(file)) for file in SOURCE.rglob("*.py")}
    assert [file for file, words in said.items() if not words or len(words) < 12] == []


def test_every_error_says_how_a_door_reports_it() -> None:
    classes = [
        kind for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.CommonplaceError)
    ]  # fmt: skip
    own = [kind.code for kind in classes]
    assert len(set(own)) == len(own), "each error has a code of its own"
    for kind in classes:
        assert 1 <= kind.exit_code <= 99
        # A proposal is the one answer that is no failure: 202, accepted for a person's decision.
        statuses = (202,) if kind is errors.Proposed else range(400, 600)
        assert kind.http_status in statuses
        assert kind.__doc__
    tree = errors.__doc__ or ""
    assert all(kind.__name__ in tree for kind in classes), "the tree is drawn in errors.py"
