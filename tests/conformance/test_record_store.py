"""What every store of truth promises."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import pairwise
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.model.errors import Busy, Conflict, StoreUnavailable
from commonplace.model.memory import Memory
from commonplace.model.scope import DIMENSIONS, EVERYTHING, Context, Scope, Visible, subsets
from commonplace.ports.record_store import Document, Put, RecordStore
from commonplace.rules.access import visible_to

from .opening import Opener, finish
from .samples import NOON, memory

same_store = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def save(store: RecordStore, *memories: Memory) -> list[Memory]:
    with store.lease() as lease:
        return [done.memory for done in store.write([Put(one) for one in memories], lease=lease)]


def change(store: RecordStore, old: Memory, new: Memory) -> Memory:
    with store.lease() as lease:
        return store.write([Put(new, expect=old)], lease=lease)[0].memory


def erase(store: RecordStore, *ids: str) -> list[str]:
    with store.lease() as lease:
        return store.erase(ids, lease=lease)


def feed(store: RecordStore, since: int = 0, visible: Visible = EVERYTHING) -> list[Document]:
    return [one for batch in store.changes(since, visible=visible) for one in batch.documents]


def ids_in(documents: list[Document]) -> set[str]:
    return {one.id for document in documents for one in document.memories}


def everything(store: RecordStore, *ids: str) -> dict[str, Memory]:
    return store.read(ids, visible=EVERYTHING)


# Writing and reading


def test_a_store_says_how_large_it_is(store: RecordStore) -> None:
    save(store, memory("Ada likes tea"))
    before = store.size()
    # Of no two parts alike, lest a database keeps it smaller than it is.
    leaves = [f"Tea number {n} is {random.Random(n).randbytes(6_000).hex()}" for n in range(20)]
    save(store, *map(memory, leaves))
    assert before > 0
    assert store.size() - before > 20 * 6_000


def test_memory_reads_back_as_it_was_written(store: RecordStore) -> None:
    rich = memory(
        '# Tea\n\nAda likes *Darjeeling*, не кофе, 紅茶 — "no sugar".\n\n---\ntail  ',
        "/org/acme/user/ada/project/mech-fighters",
        kind="preference",
        status="review",
        sensitivity="sensitive",
        trust="user",
        source="import:mem0",
        title="Tea",
        summary="Tea, not coffee",
        aliases=("Darjeeling", "a: b"),
        tags=("drinks", "home"),
        topic="kitchen",
        confidence=0.6,
        importance=0.8,
        episode="talk-7",
        position=3,
        speaker="Ada",
        version=4,
        supersedes="older",
        derived_from=("one", "two"),
        source_tasks=("t1",),
        source_agent="coding",
        valid_from=NOON - timedelta(days=3),
        valid_until=NOON + timedelta(days=3, milliseconds=7),
        review_after=NOON + timedelta(days=30),
        expires=NOON + timedelta(days=300),
        imported_id="mem0-17",
        anchors=("src/tea.py#brew() @0123456789ab", "tea.toml#pot.size = 2, or 3"),
    )
    (stored,) = save(store, rich)
    assert stored == rich
    assert everything(store, rich.id) == {rich.id: rich}


def test_unknown_ids_are_simply_not_there(store: RecordStore) -> None:
    tea = memory()
    save(store, tea)
    assert everything(store, tea.id, "no-such-id", "../../etc/passwd", "") == {tea.id: tea}
    assert everything(store) == {}


@same_store
@given(content=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_reads_back_exactly(store: RecordStore, content: str) -> None:
    one = memory(f"{content}x")
    save(store, one)
    assert everything(store, one.id)[one.id].content == f"{content}x"


def test_metadata_changes_in_place(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    later = tea.but(status="stale", tags=("drinks",), updated=NOON + timedelta(days=1))
    assert change(store, tea, later) == later
    assert everything(store, tea.id) == {tea.id: later}


def test_superseded_version_keeps_its_own_record(store: RecordStore) -> None:
    (tea,) = save(store, memory("Ada likes tea"))
    (coffee,) = save(store, memory("Ada likes coffee", supersedes=tea.id, version=2))
    old = change(store, tea, tea.but(status="superseded", superseded_by=coffee.id))
    assert everything(store, tea.id, coffee.id) == {tea.id: old, coffee.id: coffee}


def test_what_was_written_is_there_after_reopening(opener: Opener) -> None:
    first = opener.open().store
    (tea,) = save(first, memory())
    revision = first.revision()
    first.close()
    second = opener.open().store
    assert (second.store_id, second.url) == (first.store_id, first.url)
    assert second.revision() == revision
    assert everything(second, tea.id) == {tea.id: tea}


def test_closed_store_says_so(opener: Opener) -> None:
    store = opener.open().store
    store.close()
    with pytest.raises(StoreUnavailable):
        save(store, memory())


def test_healthy_store_has_no_problems(store: RecordStore) -> None:
    save(store, memory(), memory("The deploy needs Node 18", "/project/mech-fighters"))
    assert store.problems() == []


# Compare-and-swap


def test_new_record_never_overwrites_one_with_its_id(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    with pytest.raises(Conflict):
        save(store, tea.but(content="Ada likes coffee"))
    assert everything(store, tea.id) == {tea.id: tea}


def test_change_based_on_an_old_reading_is_a_conflict(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    mine = change(store, tea, tea.but(tags=("mine",)))
    with pytest.raises(Conflict):
        change(store, tea, tea.but(tags=("theirs",)))
    assert everything(store, tea.id) == {tea.id: mine}


def test_change_of_an_erased_record_is_a_conflict(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    erase(store, tea.id)
    with pytest.raises(Conflict):
        change(store, tea, tea.but(tags=("late",)))
    assert everything(store, tea.id) == {}


def test_conflict_in_a_batch_leaves_all_of_it_unwritten(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    before = store.revision()
    coffee, cocoa = memory("Bob likes coffee", "/user/bob"), memory("Eve likes cocoa", "/user/eve")
    with store.lease() as lease, pytest.raises(Conflict):
        store.write([Put(coffee), Put(tea), Put(cocoa)], lease=lease)
    assert everything(store, coffee.id, cocoa.id, tea.id) == {tea.id: tea}
    assert store.revision() == before
    assert ids_in(feed(store)) == {tea.id}


# The feed of changes


def test_feed_tells_every_record_once_and_ends(store: RecordStore) -> None:
    saved = save(store, *(memory(f"Fact number {n}") for n in range(12)))
    assert sorted(m.id for d in feed(store) for m in d.memories) == sorted(m.id for m in saved)
    assert feed(store, store.revision()) == []


def test_feed_goes_on_where_the_reader_stopped(store: RecordStore) -> None:
    save(store, memory("Ada likes tea"))
    reached = store.revision()
    (coffee,) = save(store, memory("Bob likes coffee", "/user/bob"))
    assert ids_in(feed(store, reached)) == {coffee.id}


def test_revisions_grow_with_every_write(store: RecordStore) -> None:
    seen = [store.revision()]
    (tea,) = save(store, memory())
    seen.append(store.revision())
    change(store, tea, tea.but(tags=("drinks",)))
    seen.append(store.revision())
    erase(store, tea.id)
    seen.append(store.revision())
    assert all(before < after for before, after in pairwise(seen)), seen


def test_batches_come_in_the_order_of_revisions(store: RecordStore) -> None:
    for n in range(3):
        save(store, *(memory(f"Fact {n}.{m}") for m in range(300)))
    reached = [batch.revision for batch in store.changes(0, visible=EVERYTHING)]
    assert reached == sorted(set(reached))
    assert reached[-1] == store.revision()


def test_changed_record_comes_again_as_it_is_now(store: RecordStore) -> None:
    tea, _ = save(store, memory("Ada likes tea"), memory("Bob likes coffee", "/user/bob"))
    reached = store.revision()
    stale = change(store, tea, tea.but(status="stale"))
    assert [m for document in feed(store, reached) for m in document.memories] == [stale]


def test_reading_the_feed_twice_gives_the_same(store: RecordStore) -> None:
    tea, coffee = save(store, memory("Ada likes tea"), memory("Bob likes coffee", "/user/bob"))
    change(store, tea, tea.but(tags=("drinks",)))
    erase(store, coffee.id)
    assert feed(store) == feed(store)


# Erasing


def test_erased_record_is_gone_and_the_feed_says_where_from(store: RecordStore) -> None:
    tea, coffee = save(store, memory("Ada likes tea"), memory("Bob likes coffee", "/user/bob"))
    where = {m.id: document.locator for document in feed(store) for m in document.memories}
    reached = store.revision()
    assert erase(store, tea.id, "no-such-id") == [tea.id]
    assert everything(store, tea.id, coffee.id) == {coffee.id: coffee}
    assert Document(where[tea.id]) in feed(store, reached)
    assert erase(store, tea.id) == []


def test_no_file_holds_a_byte_of_erased_text(opener: Opener) -> None:
    store = opener.open().store
    save(store, *(memory(f"Filler {n} " + "about nothing " * n, "/user/bob") for n in range(60)))
    (secret,) = save(store, memory("The vault code is marmalade-4711 for now"))
    change(store, secret, secret.but(tags=("kitchen",)))
    assert b"marmalade-4711" in opener.everything_on_disk()
    erase(store, secret.id)
    assert b"marmalade-4711" not in opener.everything_on_disk()


def test_erased_id_may_be_written_again(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    erase(store, tea.id)
    save(store, tea)
    assert everything(store, tea.id) == {tea.id: tea}


# Who sees what


SCOPES = [
    str(scope)
    for org, user in (("acme", "ada"), ("acme", "bob"), ("globex", "ada"))
    for scope in subsets([("org", org), ("user", user), ("project", "x"), ("task", "7")])
]


@pytest.fixture
def populated(store: RecordStore) -> tuple[RecordStore, list[Memory]]:
    scopes = sorted(set(SCOPES))
    return store, save(store, *(memory(f"Known to {scope}", scope) for scope in scopes))


@same_store
@given(
    scopes=st.frozensets(st.sampled_from(SCOPES), max_size=6),
    parents=st.frozensets(st.sampled_from(SCOPES), max_size=3),
)
def test_nothing_but_the_visible_is_ever_read(
    populated: tuple[RecordStore, list[Memory]], scopes: frozenset[str], parents: frozenset[str]
) -> None:
    store, memories = populated
    visible = Visible(scopes=scopes, task_parents=parents)
    allowed = {one.id for one in memories if visible.allows(one.scope)}
    assert store.read([one.id for one in memories], visible=visible).keys() == allowed
    assert ids_in(feed(store, visible=visible)) == allowed


@same_store
@given(
    context=st.builds(
        Context,
        org=st.sampled_from(["acme", "globex"]),
        user=st.sampled_from(["ada", "bob"]),
        project=st.sampled_from([None, "x"]),
        task=st.sampled_from([None, "7"]),
        role=st.just("member"),
    )
)
def test_no_context_reads_a_siblings_memory(
    populated: tuple[RecordStore, list[Memory]], context: Context
) -> None:
    store, memories = populated
    read = store.read([one.id for one in memories], visible=visible_to(context))
    for one in read.values():
        assert {d: v for d, v in one.scope.pairs if d != "task"}.items() <= {
            d: getattr(context, d) for d in DIMENSIONS
        }.items()


def test_nobody_sees_anything_without_scopes(
    populated: tuple[RecordStore, list[Memory]],
) -> None:
    store, memories = populated
    assert store.read([one.id for one in memories], visible=Visible()) == {}
    assert ids_in(feed(store, visible=Visible())) == set()


def test_tasks_are_read_by_those_who_may_read_their_parent(store: RecordStore) -> None:
    task = memory("Step two is done", "/user/ada/task/7")
    other = memory("Step three is done", "/user/bob/task/7")
    save(store, task, other)
    parent = Visible(task_parents=frozenset({"/user/ada"}))
    assert store.read([task.id, other.id], visible=parent) == {task.id: task}
    scope_alone = Visible(scopes=frozenset({"/user/ada"}))
    assert store.read([task.id, other.id], visible=scope_alone) == {}


def test_moved_record_is_seen_from_its_new_scope_only(store: RecordStore) -> None:
    (tea,) = save(store, memory(scope="/user/ada"))
    moved = change(store, tea, tea.but(scope=Scope.parse("/user/bob")))
    assert store.read([tea.id], visible=Visible(scopes=frozenset({"/user/ada"}))) == {}
    assert store.read([tea.id], visible=Visible(scopes=frozenset({"/user/bob"}))) == {tea.id: moved}


# Many writers


def test_two_holders_of_the_lease_exclude_each_other(opener: Opener) -> None:
    mine, theirs = opener.open().store, opener.open().store
    with mine.lease(), pytest.raises(Busy) as caught, theirs.lease(wait_s=0.05):
        raise AssertionError("both hold the lease")
    assert "process" in caught.value.sentence
    with theirs.lease(wait_s=0.05) as lease:
        lease.check()


def test_lease_nests_in_one_thread(store: RecordStore) -> None:
    with store.lease() as outer, store.lease() as inner:
        tea = memory()
        store.write([Put(tea)], lease=inner)
        outer.check()
    assert everything(store, tea.id) == {tea.id: tea}


def test_leases_of_different_names_do_not_meet(opener: Opener) -> None:
    mine, theirs = opener.open().store, opener.open().store
    with mine.lease("write"), theirs.lease("maintain", wait_s=0.05):
        pass


def test_lease_that_was_let_go_cannot_write_or_erase(store: RecordStore) -> None:
    (tea,) = save(store, memory())
    with store.lease() as lease:
        pass
    coffee = memory("Bob likes coffee")
    with pytest.raises(Busy):
        store.write([Put(coffee)], lease=lease)
    with pytest.raises(Busy):
        store.erase([tea.id], lease=lease)
    assert everything(store, tea.id, coffee.id) == {tea.id: tea}


def test_two_processes_writing_at_once_both_land(opener: Opener) -> None:
    store = opener.open().store
    script = """
for n in range(25):
    with parts.store.lease() as lease:
        parts.store.write([Put(memory(f"{arguments[0]} said {n}"))], lease=lease)
"""
    finish(opener.run(script, "Ada"), opener.run(script, "Bob"))
    said = sorted(m.content for document in feed(store) for m in document.memories)
    assert said == sorted(f"{who} said {n}" for who in ("Ada", "Bob") for n in range(25))


def test_only_one_of_two_processes_wins_a_change(opener: Opener) -> None:
    store = opener.open().store
    (tea,) = save(store, memory(tags=("0",)))
    script = """
from commonplace.model.errors import Conflict
from commonplace.model.scope import EVERYTHING
won = 0
while won < 20:
    old = parts.store.read([arguments[0]], visible=EVERYTHING)[arguments[0]]
    with parts.store.lease() as lease:
        try:
            new = old.but(tags=(str(int(old.tags[0]) + 1),))
            parts.store.write([Put(new, expect=old)], lease=lease)
            won += 1
        except Conflict:
            pass
"""
    finish(opener.run(script, tea.id), opener.run(script, tea.id))
    assert everything(store, tea.id)[tea.id].tags == ("40",)


def test_threads_of_one_process_write_at_once(store: RecordStore) -> None:
    failures: list[BaseException] = []

    def work(who: str) -> None:
        try:
            for n in range(15):
                (one,) = save(store, memory(f"{who} said {n}"))
                assert everything(store, one.id) == {one.id: one}
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work, args=(who,)) for who in ("Ada", "Bob", "Eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ids_in(feed(store))) == 45


def test_killed_holder_is_taken_over_at_once(opener: Opener) -> None:
    store = opener.open().store
    holder = opener.run("""
import time
with parts.store.lease():
    print("held", flush=True)
    time.sleep(60)
""")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Busy, match=str(holder.pid)), store.lease(wait_s=0.05):
        pass
    holder.kill()
    holder.communicate()
    with store.lease(wait_s=0.5) as lease:
        store.write([Put(memory())], lease=lease)
