"""What every store and ledger promises about one tenant's share, and about changing house."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace.model.errors import Conflict
from commonplace.model.memory import Event, Use
from commonplace.model.scope import EVERYTHING, Tenant
from commonplace.ports.ledger import Ledger
from commonplace.ports.record_store import Put, RecordStore, Totals
from commonplace.rules import audit

from .opening import Opener
from .samples import NOON, event, memory
from .test_ledger import handed, queries, retrieval

ADA = Tenant(None, "ada")


def write(store: RecordStore, *texts: tuple[str, str]) -> list[str]:
    made = [memory(content, scope) for content, scope in texts]
    with store.lease() as lease:
        store.write([Put(one) for one in made], lease=lease)
    return [one.id for one in made]


def erasure(**fields: object) -> Event:
    return event("", audit.ERASED, minute=9, **fields)


# Stores


def test_a_tenant_s_share_is_counted_and_nobody_else_s(store: RecordStore) -> None:
    assert store.totals(ADA) == Totals()
    write(
        store,
        ("Ada likes tea", "/user/ada"),
        ("Ada paints the fence", "/user/ada/project/fence/task/7"),
        ("Adam likes jazz", "/user/adam"),
        ("Ada of acme likes ships", "/org/acme/user/ada"),
        ("Trains run on rails", "/project/ada"),
    )
    share = store.totals(ADA)
    assert share.memories == 2
    assert 40 < share.bytes < 2_000
    assert store.totals(Tenant()).memories == 1
    assert store.totals(Tenant("acme", "ada")).memories == 1


def test_an_erased_record_no_longer_counts(store: RecordStore) -> None:
    tea, coffee = write(store, ("Ada likes tea", "/user/ada"), ("And coffee", "/user/ada"))
    with store.lease() as lease:
        store.erase([tea], lease=lease)
    assert store.totals(ADA).memories == 1
    assert coffee in store.read([coffee], visible=EVERYTHING)


def test_wiping_leaves_no_name_of_a_tenant_s_projects(opener: Opener) -> None:
    store = opener.open().store
    gone = write(store, ("Ada hides", "/user/ada/project/quincezanzibar/task/7"))
    kept = write(store, ("Adam stays", "/user/adam/project/mill"))
    with store.lease() as lease:
        store.erase(gone, lease=lease)
        store.wipe(ADA, lease=lease)
    # The feed still tells an index that follows it that the place is empty.
    places = [one for batch in store.changes(0, visible=EVERYTHING) for one in batch.documents]
    assert {m.id for place in places for m in place.memories} == set(kept)
    list(store.changes(store.revision(), visible=EVERYTHING))
    store.close()
    assert b"quincezanzibar" not in opener.everything_on_disk()
    assert b"mill" in opener.everything_on_disk()


def test_only_an_empty_store_takes_another_s_id(opener: Opener) -> None:
    store = opener.open().store
    store.adopt("0123456789abcdef")
    assert store.store_id == "0123456789abcdef"
    again = opener.open().store
    assert again.store_id == "0123456789abcdef"
    write(again, ("Ada likes tea", "/user/ada"))
    with pytest.raises(Conflict):
        again.adopt("fedcba9876543210")
    assert opener.open().store.store_id == "0123456789abcdef"


# Ledgers


def test_every_event_is_told_as_it_stands_and_what_follows_on_it(ledger: Ledger) -> None:
    first = [event(f"m-{n}", minute=n) for n in range(3)]
    ledger.append(first)
    told = list(ledger.lines())
    assert [audit.from_line(line).event for _, line in told] == first
    (name,) = {name for name, _ in told}
    ledger.append([more := event("m-more", minute=5)])
    assert [audit.from_line(line).event for _, line in ledger.lines({name: 3})] == [more]
    assert list(ledger.lines({name: 4})) == []


def test_a_ledger_goes_on_where_another_ended(opener: Opener, ledger: Ledger) -> None:
    purged = event("m-gone", "purged", minute=2, digest="d-gone")
    ledger.append([event("m-tea", minute=1), purged])
    ledger.count_use(["m-tea"], at=NOON)
    lines, uses = list(ledger.lines()), ledger.all_uses()
    assert uses == {"m-tea": Use(1, NOON)}
    other = Opener(opener.scheme, opener.place / "other")
    other.place.mkdir()
    try:
        new = other.open().ledger
        for _ in range(2):  # Once more changes nothing.
            new.import_history(lines, uses)
            assert list(new.lines()) == lines
        assert new.purged_keys(["m-gone", "d-gone", "m-tea"]) == {"m-gone", "d-gone"}
        assert new.uses(["m-tea"]) == uses
        new.append([event("m-coffee", minute=3)])
        assert new.verify().problems == ()
        assert new.verify().events == 3
    finally:
        other.close()


def test_events_of_another_kind_of_chain_are_linked_anew(ledger: Ledger) -> None:
    told = [event("m-tea", minute=1), event("m-coffee", minute=2)]
    linked = audit.link_events(told, audit.empty_chain("no such chain"))
    lines = [("no such chain", audit.to_line(one)) for one in linked]
    for _ in range(2):
        ledger.import_history(lines, {})
    assert ledger.events(visible=EVERYTHING) == told[::-1]
    assert ledger.verify().problems == ()


def test_writes_are_counted_by_tenant_and_time(ledger: Ledger) -> None:
    ledger.append([
        event("m-1", minute=1),
        event("m-2", minute=2, scope="/user/ada/task/7"),
        event("m-3", minute=3, scope="/user/adam"),
        event("m-4", minute=4, scope="/"),
    ])  # fmt: skip
    assert ledger.count_writes(ADA, since=NOON) == 2
    assert ledger.count_writes(ADA, since=NOON + timedelta(minutes=2)) == 1
    assert ledger.count_writes(Tenant(), since=NOON) == 1


def test_a_tenant_s_events_lose_their_words_and_keep_their_place(opener: Opener) -> None:
    ledger = opener.open().ledger
    word = '{"title": "quincezanzibar"}'
    ada = event("m-1", "edited", scope="/user/ada/project/quincezanzibar", before=word)
    copy = event("m-copy", "edited", minute=1, scope="/org/acme", before=word)
    bob = event("m-2", "edited", minute=2, scope="/user/bob", before='{"title": "Bees"}')
    erased = erasure()
    gone = event("m-copy", "purged", minute=9, scope="/org/acme", related=(erased.id,))
    ledger.append([ada, copy, bob, erased, gone])
    ledger.log(retrieval("quincezanzibar where?"))
    ledger.log(retrieval("bees where?", scope="/user/bob"))
    ledger.log_digest(handed("d-1", ("- [m-a] quincezanzibar",)))
    ledger.log_digest(handed("d-2", scope="/user/bob"))
    before = [audit.from_line(line).hash for _, line in ledger.lines()]
    assert ledger.wipe(ADA, erasure=erased) == 2
    assert ledger.wipe(ADA, erasure=erased) == 0
    assert queries(ledger) == ["bees where?"]
    assert [one.id for one in ledger.digests(visible=EVERYTHING)] == ["d-2"]
    assert [audit.from_line(line).hash for _, line in ledger.lines()] == before
    told = {one.id: one for one in ledger.events(visible=EVERYTHING)}
    assert told[bob.id] == bob
    assert told[ada.id].scope == "/user/ada"
    assert told[copy.id].scope == "/org/acme"
    assert audit.erasure_of(told[ada.id]) == audit.erasure_of(told[copy.id]) == erased.id
    assert ledger.verify().problems == ()
    ledger.append([event("m-after", minute=11)])
    again = opener.open(state="another device").ledger
    assert again.verify().problems == ()
    ledger.close()
    again.close()
    assert b"quincezanzibar" not in opener.everything_on_disk()
    assert b"Bees" in opener.everything_on_disk()
