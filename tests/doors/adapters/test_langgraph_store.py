"""A LangGraph store over a book keeps what LangGraph's own store in memory keeps."""

from __future__ import annotations

import asyncio
import itertools
import math
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from commonplace import BadInput, Commonplace
from commonplace.doors.adapters.langgraph_store import BookStore
from tests.conftest import Clock, OpenBook

NAMESPACES = st.lists(
    st.sampled_from(["a", "ab", "A", "b%", "_", "a\n", "ä", "users", "*x", "a "]),
    min_size=1,
    max_size=3,
).map(tuple)
KEYS = st.sampled_from(["k", "K", "k\n", "a.b", "k%", "longer key", "7"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, "", "tea", "\x00\x7f"])
)
VALUES = st.dictionaries(
    st.sampled_from(["n", "t", "x y"]), SCALARS | st.lists(SCALARS, max_size=2), max_size=3
)
PUTS = st.tuples(NAMESPACES, KEYS, VALUES | st.none()).map(lambda put: PutOp(*put))


def contents(store: BaseStore, prefix: tuple[str, ...] = ()) -> dict[Any, Any]:
    found = store.search(prefix, limit=1_000)
    return {(item.namespace, item.key): item.value for item in found}


@pytest.mark.parametrize(("store", "scripts"), [("vault", 8), ("sqlite", 25)])
def test_random_puts_leave_what_the_store_in_memory_holds(
    store: str, scripts: int, tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"{store}:{tmp_path / 'book'}")
    fresh = itertools.count()

    @settings(max_examples=scripts, deadline=None)
    @given(st.lists(st.lists(PUTS, min_size=1, max_size=4), max_size=5), NAMESPACES, KEYS)
    def same(batches: list[list[PutOp]], prefix: tuple[str, ...], key: str) -> None:
        ours = BookStore(book.as_context({"user": f"user-{next(fresh)}"}))
        theirs = InMemoryStore()
        for ops in batches:
            assert ours.batch(ops) == theirs.batch(ops)
        assert contents(ours) == contents(theirs)
        assert contents(ours, prefix) == contents(theirs, prefix)
        one, other = ours.get(prefix, key), theirs.get(prefix, key)
        assert (one and one.value) == (other and other.value)
        held = {namespace for namespace, _ in contents(theirs)}
        assert ours.list_namespaces(limit=100) == sorted(held)
        conditions = (MatchCondition("prefix", (prefix[0],)), MatchCondition("suffix", ("*",)))
        listed = [ListNamespacesOp(conditions, max_depth=2, limit=100, offset=0)]
        full = InMemoryStore()
        full.batch([PutOp(namespace, "k", {}) for namespace in held])
        assert ours.batch(listed) == full.batch(listed)

    same()


@pytest.fixture
def store(book: Commonplace, clock: Clock) -> BookStore:
    return BookStore(book, now=clock)


def test_a_new_value_takes_the_place_of_the_old_one_which_stays_in_history(
    store: BookStore, book: Commonplace
) -> None:
    store.put(("users", "ada"), "diet", {"text": "Ada eats everything"})
    store.put(("users", "ada"), "diet", {"text": "Ada is a vegetarian"})
    item = store.get(("users", "ada"), "diet")
    assert item is not None
    assert item.value == {"text": "Ada is a vegetarian"}
    memory = book.recall("vegetarian")[0].memory
    assert [one.content for one in book.history(memory.id).versions] == [
        '{"text": "Ada eats everything"}', '{"text": "Ada is a vegetarian"}',
    ]  # fmt: skip
    store.delete(("users", "ada"), "diet")
    assert store.get(("users", "ada"), "diet") is None
    assert store.search(("users",), query="vegetarian") == []


def test_search_with_a_query_is_recall_within_the_prefix(store: BookStore) -> None:
    store.put(("docs", "cats"), "1", {"text": "Cats sleep sixteen hours a day"})
    store.put(("docs", "dogs"), "2", {"text": "Dogs need a walk twice a day"})
    store.put(("docsy",), "3", {"text": "Cats sleep here, too"})
    store.put(
        ("docs", "cats"), "4", {"text": "Cats sleep, but nobody may search for it"}, index=False
    )
    found = store.search(("docs",), query="how long do cats sleep?")
    assert found[0].key == "1"
    assert found[0].score is not None
    assert {item.key for item in found} <= {"1", "2"}
    assert [item.key for item in store.search(("docs", "cats"))] == ["4", "1"]


def test_a_filter_finds_what_answers_however_much_answers_better(
    store: BookStore, book: Commonplace
) -> None:
    louder = {f"{n:03}": {"text": f"Tea, tea and tea again: {n}", "of": "bob"} for n in range(260)}
    store.batch([PutOp(("notes",), key, value) for key, value in louder.items()])
    long = "is served with biscuits on the terrace when the weather is fine and guests are there"
    store.put(("notes",), "ada", {"text": f"Tea {long}", "of": "ada"})
    store.put(("notes", "again"), "ada", {"text": f"Tea {long}", "of": "ada"})
    store.put(("notes",), "apart", {"text": "Coffee is for the night", "of": "ada"})
    store.put(("notes",), "hidden", {"text": "Tea nobody may find", "of": "ada"}, index=False)
    found = store.search(("notes",), query="tea", filter={"of": "ada"})
    assert [(item.namespace, item.key) for item in found] == [
        (("notes", "again"), "ada"), (("notes",), "ada"),
    ]  # fmt: skip
    assert all(item.score for item in found)
    several = store.search(("notes",), query="tea", filter={"of": "bob"}, limit=300)
    assert len(several) == 260
    assert (
        store.search(("notes",), query="tea", filter={"of": "bob"}, limit=5, offset=255)
        == (several[255:])
    )


def test_a_namespace_is_matched_label_by_label(store: BookStore) -> None:
    for namespace in (("a",), ("ab",), ("A",), ("a%",), ("a_",), ("a\n",), ("a", "b")):
        store.put(namespace, "k", {"n": 1})
    assert {item.namespace for item in store.search(("a",))} == {("a",), ("a", "b")}
    assert {item.namespace for item in store.search(("a\n",))} == {("a\n",)}
    assert {item.namespace for item in store.search(("a%",))} == {("a%",)}
    assert len(store.search(())) == 7
    assert store.list_namespaces(suffix=("b",)) == [("a", "b")]
    assert store.list_namespaces(max_depth=1, limit=2, offset=1) == [("a",), ("a\n",)]


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"n": 1}, {"one"}), ({"n": True}, {"yes"}), ({"n": {"$eq": 1}}, {"one"}),
        ({"n": {"$ne": 1}}, {"two", "yes", "word", "none"}), ({"n": {"$gt": 1}}, {"two"}),
        ({"n": {"$gte": 1, "$lt": 2}}, {"one", "yes"}), ({"n": {"$lte": "z"}}, {"word"}),
        ({"n": {"$gt": 0}, "t": "x"}, {"two"}), ({"m": {"deep": 1}}, {"one"}),
        ({"m": [1, 2]}, {"two"}),
    ],
)  # fmt: skip
def test_filters_compare_as_json_does(
    store: BookStore, wanted: dict[str, Any], keys: set[str]
) -> None:
    for key, value in {
        "one": {"n": 1, "m": {"deep": 1, "more": 2}}, "two": {"n": 2, "t": "x", "m": [1, 2]},
        "yes": {"n": True}, "word": {"n": "tea"}, "none": {},
    }.items():  # fmt: skip
        store.put(("f",), key, value)
    assert {item.key for item in store.search(("f",), filter=wanted)} == keys
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search(("f",), filter={"n": {"$like": "x"}})


def test_an_item_ends_with_its_time_and_a_read_lets_it_live_again(
    book: Commonplace, clock: Clock
) -> None:
    store = BookStore(book, ttl={"default_ttl": 60, "refresh_on_read": True}, now=clock)
    store.put(("t",), "read", {"n": 1})
    store.put(("t",), "unread", {"n": 2})
    store.put(("t",), "stays", {"n": 3}, ttl=None)
    clock.pass_days(50 / 1440)
    assert store.get(("t",), "read") is not None
    assert store.get(("t",), "unread", refresh_ttl=False) is not None
    clock.pass_days(20 / 1440)
    assert store.get(("t",), "unread") is None
    assert {item.key for item in store.search(("t",), refresh_ttl=False)} == {"read", "stays"}
    clock.pass_days(1)
    assert {item.key for item in store.search(("t",))} == {"stays"}
    store.put(("t",), "read", {"n": 1})
    assert store.get(("t",), "read") is not None


def test_reads_of_a_batch_see_what_was_there_before_it(store: BookStore) -> None:
    store.put(("a",), "k", {"n": 1})
    results = store.batch([
        PutOp(("a",), "k", {"n": 2}), GetOp(("a",), "k"), PutOp(("a",), "k", {"n": 3}),
        SearchOp(("a",)),
    ])  # fmt: skip
    got, found = cast("Item", results[1]), cast("list[Item]", results[3])
    assert results[0] is None
    assert got.value == {"n": 1}
    assert [item.value for item in found] == [{"n": 1}]
    assert contents(store) == {(("a",), "k"): {"n": 3}}


@pytest.mark.parametrize("namespace", [("a.b",), ("",), ("a\0b",)])
def test_operations_given_straight_to_batch_are_checked(
    store: BookStore, namespace: tuple[str, ...]
) -> None:
    for op in (PutOp(namespace, "k", {}), GetOp(namespace, "k"), SearchOp(namespace)):
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])


def test_what_no_json_can_hold_is_refused_and_nan_is_kept(store: BookStore) -> None:
    with pytest.raises(BadInput, match="JSON"):
        store.put(("a",), "k", {"x": object()})
    with pytest.raises(BadInput):
        store.batch([PutOp((), "k", {"x": 1})])
    for ttl in (math.nan, 1e300):
        with pytest.raises(BadInput, match="minutes"):
            store.put(("a",), "k", {"x": 1}, ttl=ttl)
    store.put(("a",), "k", {"x": math.inf})
    assert contents(store) == {(("a",), "k"): {"x": math.inf}}


def test_users_of_one_book_share_no_items(book: Commonplace) -> None:
    ada, bob = (BookStore(book.as_context({"user": name})) for name in ("ada", "bob"))
    ada.put(("notes",), "k", {"text": "Ada's door code is green"})
    assert bob.get(("notes",), "k") is None
    assert bob.search((), query="door code") == []
    assert bob.list_namespaces() == []
    bob.put(("notes",), "k", {"text": "Bob's"})
    bob.delete(("notes",), "k")
    assert contents(ada) == {(("notes",), "k"): {"text": "Ada's door code is green"}}


def test_what_a_person_corrects_is_what_the_graph_gets(store: BookStore, book: Commonplace) -> None:
    store.put(("a",), "k", {"text": "The demo is on Monday"})
    memory = book.recall("demo")[0].memory
    book.edit(memory.id, content='{"text": "The demo is on Tuesday"}')
    assert contents(store) == {(("a",), "k"): {"text": "The demo is on Tuesday"}}
    book.correct(book.recall("demo")[0].memory.id, "The demo is on Friday")
    assert contents(store) == {(("a",), "k"): {"text": "The demo is on Friday"}}
    store.put(("a",), "k", {"text": "The demo is off"})
    assert contents(store) == {(("a",), "k"): {"text": "The demo is off"}}


def test_threads_that_put_one_item_at_once_leave_one_item(store: BookStore) -> None:
    failed: list[BaseException] = []

    def put(number: int) -> None:
        try:
            for step in range(3):
                store.put(("race",), "k", {"by": number, "step": step})
                store.put(("race",), f"own-{number}", {"step": step})
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    held = contents(store)
    assert held.keys() == {(("race",), key) for key in ("k", "own-0", "own-1", "own-2", "own-3")}
    assert held[("race",), "k"]["step"] == 2


def test_the_asynchronous_methods_do_the_same(store: BookStore) -> None:
    async def use() -> list[Any]:
        await asyncio.gather(*(store.aput(("n",), str(n), {"n": n}) for n in range(4)))
        await store.adelete(("n",), "0")
        return [
            await store.aget(("n",), "1"),
            await store.asearch(("n",), filter={"n": {"$gt": 1}}),
            await store.alist_namespaces(prefix=("n",)),
        ]

    one, found, namespaces = asyncio.run(use())
    assert one.value == {"n": 1}
    assert {item.key for item in found} == {"2", "3"}
    assert namespaces == [("n",)]
