"""Bookkeeping of recalls: cheap, patient for a moment only, and forgetful on request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from commonplace.backends.common.sqlite import be_patient, connect, transaction
from commonplace.backends.sql.sqlite.ledger import SqliteLedger
from commonplace.model.errors import Busy
from commonplace.model.memory import Event, Retrieval, Use
from commonplace.model.scope import EVERYTHING

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(str(tmp_path / "memory.db"), state=str(tmp_path / "state"))
    yield opened
    opened.close()


def asked(query: str, details: str = "{}") -> Retrieval:
    return Retrieval(f"r-{query}", NOON, query, "/user/ada", (), details)


def test_recall_is_not_held_up_by_another_process(ledger: SqliteLedger, tmp_path: Path) -> None:
    other = connect(str(tmp_path / "state" / "ledger.db"), durable=False)
    with transaction(other):
        other.execute("DELETE FROM uses")
        began = time.monotonic()
        ledger.count_use(["m-tea"], at=NOON)
        ledger.log(asked("how do we deploy?"))
        assert time.monotonic() - began < 2
    assert ledger.uses(["m-tea"]) == {"m-tea": Use()}
    assert ledger.retrievals(visible=EVERYTHING) == []
    ledger.count_use(["m-tea"], at=NOON)
    assert ledger.uses(["m-tea"]) == {"m-tea": Use(1, NOON)}


def test_recall_is_not_held_up_by_another_thread(ledger: SqliteLedger) -> None:
    local = ledger._device  # pyright: ignore[reportPrivateUsage]
    with local.writing():
        thread = Thread(target=lambda: ledger.log(asked("how do we deploy?")))
        thread.start()
        thread.join(timeout=5)
        assert not thread.is_alive()
    assert ledger.retrievals(visible=EVERYTHING) == []


def test_bookkeeping_waits_properly_again_afterwards(ledger: SqliteLedger) -> None:
    """The short patience is for counting only; an event is worth a wait."""
    ledger.log(asked("how do we deploy?"))
    ledger.append([Event("e1", NOON, "created", "m-tea", "/", "cli")])
    assert ledger.verify().sound


def test_scrub_says_when_a_reader_kept_the_text(ledger: SqliteLedger, tmp_path: Path) -> None:
    ledger.log(asked("The vault code is marmalade-4711"))
    reader = connect(str(tmp_path / "state" / "ledger.db"), durable=False)
    reader.execute("BEGIN; SELECT * FROM retrievals").fetchall()
    be_patient(ledger._device.connection, 0.01)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Busy, match="deleted"):
        ledger.scrub([], ["The vault code is marmalade-4711"])
    reader.execute("COMMIT")
    ledger.scrub([], ["The vault code is marmalade-4711"])
    for path in (tmp_path / "state").iterdir():
        assert b"marmalade" not in path.read_bytes()


@pytest.mark.parametrize(
    "details",
    [
        '{"query": {"expanded": ["Caf\\u00e9 \\"Zola\\"\\nat nine"]}}',
        'not JSON, but Café "Zola" at nine',
    ],
)
def test_scrub_looks_into_the_details(ledger: SqliteLedger, details: str) -> None:
    ledger.log(asked("something else", details))
    ledger.log(asked("kept", '{"query": "another place"}'))
    ledger.scrub([], ['Café "Zola"\n  at nine'])
    assert [one.query for one in ledger.retrievals(visible=EVERYTHING)] == ["kept"]


def test_damaged_event_hides_no_other(ledger: SqliteLedger, tmp_path: Path) -> None:
    ledger.append([Event(f"e{n}", NOON, "created", f"m{n}", "/", "cli") for n in range(3)])
    vandal = connect(str(tmp_path / "memory.db"), durable=False)
    vandal.execute("UPDATE events SET line='{' WHERE number=2")
    vandal.close()
    assert [one.id for one in ledger.events(visible=EVERYTHING)] == ["e2", "e0"]
    ledger.append([Event("e3", NOON, "created", "m3", "/", "cli")])
    assert [one.id for one in ledger.events(visible=EVERYTHING)] == ["e3", "e2", "e0"]
    assert not ledger.verify().sound


def test_event_filed_under_another_scope_is_found(ledger: SqliteLedger, tmp_path: Path) -> None:
    ledger.append([Event("e1", NOON, "created", "m1", "/user/ada", "cli")])
    vandal = connect(str(tmp_path / "memory.db"), durable=False)
    vandal.execute("UPDATE events SET scope='/user/eve'")
    vandal.close()
    assert "filed" in ledger.verify().problems[0].what
