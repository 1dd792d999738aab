"""The structure is checked, and the checks themselves are shown to bite."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace import errors
from commonplace.model import Link, Memory, Retrieval
from commonplace.ports.auditing import Ledger
from commonplace.ports.records import RecordStore
from commonplace.ports.searching import SearchIndex

ROOT = Path(__file__).parent.parent
READERS = {
    RecordStore: {"read", "changes"},
    SearchIndex: {"search", "select", "count", "links"},
    Ledger: {"events", "retrievals"},
}


def reads_without_scopes(kind: type) -> list[str]:
    """Methods that hand out memories, or what is said of them, without requiring `visible`."""
    told = {"Memory", "Match", "Changes", "Link", "Event", "Retrieval"}
    found: list[str] = []
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        signature = inspect.signature(method)
        if name.startswith("_") or not any(
            word in str(signature.return_annotation) for word in told
        ):
            continue
        visible = signature.parameters.get("visible")
        if visible is None or visible.default is not inspect.Parameter.empty:
            found.append(name)
    return found


def backends() -> list[type]:
    from commonplace.indexes.sqlite import SqliteIndex
    from commonplace.ledgers.sqlite import SqliteLedger
    from commonplace.ledgers.vault import VaultLedger
    from commonplace.stores.sqlite import SqliteStore
    from commonplace.stores.vault.store import VaultStore

    return [SqliteStore, VaultStore, SqliteIndex, SqliteLedger, VaultLedger]


@pytest.mark.parametrize("kind", [*READERS, *backends()])
def test_every_read_requires_the_visible_scopes(kind: type) -> None:
    assert reads_without_scopes(kind) == []


def test_that_check_finds_a_store_reading_without_scopes() -> None:
    class Careless:
        def read(self, ids: list[str]) -> dict[str, Memory]:
            return {}

        def links(self, *, visible: object = None) -> list[Link]:
            return []

        def retrievals(self, *, visible: object) -> list[Retrieval]:
            return []

    assert reads_without_scopes(Careless) == ["links", "read"]


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
    verb.write_text(verb.read_text() + "\nfrom ..stores.sqlite import SqliteStore\n")
    broken = lint_imports(tmp_path)
    assert broken.returncode != 0
    assert "commonplace.verbs.recall" in broken.stdout


def test_every_error_says_how_a_door_reports_it() -> None:
    classes = [
        kind for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.CommonplaceError)
    ]  # fmt: skip
    own = [kind.code for kind in classes]
    assert len(set(own)) == len(own), "each error has a code of its own"
    for kind in classes:
        assert 1 <= kind.exit_code <= 99
        assert 400 <= kind.http_status <= 599
        assert kind.__doc__
    tree = errors.__doc__ or ""
    assert all(kind.__name__ in tree for kind in classes), "the tree is drawn in errors.py"
