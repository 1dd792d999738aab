"""Limits: what one tenant may keep and write, the same through every door and every process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.model.errors import Refused
from commonplace.model.scope import Scope, Tenant
from commonplace.rules.parameters import TenantLimits
from commonplace.settings import Settings, load
from tests import ROOT, as_person
from tests.conftest import Clock

PROJECT = ROOT
Limited = Callable[..., Commonplace]


@pytest.fixture
def limited(url: str, tmp_path: Path, clock: Clock) -> Iterator[Limited]:
    """Open the book with limits, as often as a test likes."""
    opened: list[Commonplace] = []

    def open_one(**limits: int) -> Commonplace:
        settings = Settings(
            state=str(tmp_path / "state"), embedder="none", limits=TenantLimits(**limits)
        )
        opened.append(open_book(url, settings=settings, now=clock, background=False))
        return opened[-1]

    yield open_one
    for book in opened:
        book.close()


def ada(book: Commonplace) -> Commonplace:
    return book.as_context({"org": "acme", "user": "ada", "role": "member"})


def test_a_full_space_takes_nothing_new_until_something_is_purged(limited: Limited) -> None:
    book = ada(limited(memories=3))
    first = book.save("Ada drinks green tea")
    book.save("Ada bikes to work", scope="/org/acme/user/ada/project/mech")
    book.save("Ada reads at night", scope="/org/acme/user/ada/project/mech/task/7")
    with pytest.raises(Refused, match=r"/org/acme/user/ada is full: 3 of 3 memories") as refused:
        book.save("Ada speaks French")
    assert "urge" in refused.value.hint
    # What is known already is no new memory, and neither is a change of its labels.
    assert book.save("Ada drinks green tea").action == "deduplicated"
    book.edit(first.id, tags=["drinks"])
    as_person(book).purge(first.id)
    book.save("Ada speaks French")


def test_one_tenant_s_limit_is_not_another_s(limited: Limited) -> None:
    book = limited(memories=1)
    for scope in ("/org/acme/user/ada", "/org/acme/user/ad", "/org/acme", "/user/ada", "/"):
        book.save("The door code changes monthly", scope=scope)
    for scope in ("/org/acme/user/ada/project/x", "/org/acme/project/x", "/project/x"):
        with pytest.raises(Refused, match="full"):
            book.save("Trains run on rails", scope=scope)


def test_a_batch_that_does_not_fit_is_refused_as_a_whole(limited: Limited) -> None:
    book = limited(memories=5)
    with pytest.raises(Refused, match="full"):
        book.save_many([f"Fact number {n} about trains" for n in range(6)])
    assert book.list() == []
    assert [event.action for event in book.audit()] == ["refused"]
    assert len(book.save_many([f"Fact number {n} about trains" for n in range(5)])) == 5


def test_room_is_counted_in_bytes_as_stored(limited: Limited) -> None:
    book = limited(bytes=4_000)
    book.save("Trains run on rails. " * 100)
    with pytest.raises(Refused, match=r"of 4,000 bytes are taken"):
        book.save("Ships sail the seas. " * 100)
    book.save("Ben likes jazz")


def test_writes_a_minute_run_out_and_come_back(limited: Limited, clock: Clock) -> None:
    book = limited(writes_a_minute=3)
    for n in range(3):
        book.save(f"Fact number {n} about trains", scope="/user/ada")
    with pytest.raises(Refused, match=r"3 writes in the last minute; 3 are allowed"):
        book.save("Ships sail the seas", scope="/user/ada")
    book.save("Ships sail the seas", scope="/user/ben")
    clock.now += timedelta(minutes=1)
    book.save("Ships sail the seas", scope="/user/ada")


def test_tidying_is_not_held_up_by_a_full_space(limited: Limited, clock: Clock) -> None:
    open_ended = limited()
    for value in ("red", "green", "blue", "teal", "grey", "pink", "gold"):
        open_ended.fact_store("colour", value, scope="/project/paint")
    open_ended.save("The launch event is on Tuesday", expires=clock.now)
    clock.pass_days(100)
    assert limited(memories=1, writes_a_minute=1).maintain().changes


def test_a_book_without_limits_counts_nothing(book: Commonplace) -> None:
    book.save("Trains run on rails")
    assert not book._engine.settings.limits.is_set
    assert load({"HOME": "/nowhere", "COMMONPLACE_LIMITS_MEMORIES": "7"}).limits.memories == 7


def test_several_processes_together_keep_to_one_limit(
    url: str, limited: Limited, tmp_path: Path
) -> None:
    book = limited(memories=20)
    script = """
import sys
from commonplace.books.open import open_book
from commonplace.model.errors import Refused
from commonplace.rules.parameters import TenantLimits
from commonplace.settings import Settings
settings = Settings(state=sys.argv[2], embedder="none", limits=TenantLimits(memories=20))
saved = 0
with open_book(sys.argv[1], settings=settings) as book:
    for n in range(30):
        try:
            book.save(f"{sys.argv[3]} keeps note number {n} about trains", scope="/user/ada")
            saved += 1
        except Refused:
            continue
print(saved)
"""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", script, url, tmp_path / "state", who],
            stdout=subprocess.PIPE,
            text=True,
            cwd=PROJECT,
        )
        for who in ("Ada", "Ben", "Eve")
    ]
    told = [run.communicate(timeout=120)[0] for run in runs]
    assert sum(map(int, told)) == 20
    assert book.status().memories == 20


@pytest.mark.parametrize(
    ("org", "user", "mine", "others"),
    [
        ("acme", "ada", ["/org/acme/user/ada", "/org/acme/user/ada/task/7"],
         ["/org/acme/user/adam", "/org/acme", "/user/ada", "/", "/org/acme/project/ada"]),
        ("acme", None, ["/org/acme", "/org/acme/project/x", "/org/acme/agent/a/task/7"],
         ["/org/acme/user/ada", "/org/acme2", "/"]),
        (None, None, ["/", "/project/x", "/agent/a", "/task/7"], ["/user/ada", "/org/acme"]),
        (None, "ada", ["/user/ada", "/user/ada/project/x"], ["/org/acme/user/ada", "/user/ada0"]),
    ],
)  # fmt: skip
def test_a_tenant_knows_its_own_scopes(
    org: str | None, user: str | None, mine: list[str], others: list[str]
) -> None:
    tenant = Tenant(org, user)
    assert all(tenant.has(path) for path in mine)
    assert not any(tenant.has(path) for path in others)
    assert {Tenant.of(Scope.parse(path)) for path in mine} == {tenant}
    assert tenant not in {Tenant.of(Scope.parse(path)) for path in others}


def test_being_refused_is_no_write_and_is_counted_as_a_refusal(
    limited: Limited, clock: Clock
) -> None:
    book = limited(writes_a_minute=2)
    mine = ada(book)
    mine.save("Ada drinks green tea")
    mine.save("Ada bikes to work")
    for _ in range(3):
        with pytest.raises(Refused, match="2 writes in the last minute"):
            mine.save("Ada reads at night")
        clock.now += timedelta(seconds=25)
    assert mine.save("Ada reads at night").action == "created"
    told = [event for event in book.audit() if event.action == "refused"]
    assert len(told) == 3
    assert all('"limit"' in event.before for event in told)
