"""Links lead somewhere: as a graph to look at, and as a way for recall to find more."""

from __future__ import annotations

import pytest

from commonplace import BadInput, Commonplace


@pytest.fixture
def linked(book: Commonplace) -> Commonplace:
    book.save("Ada owns [[Billing]]", title="Ada")
    book.save("It stores invoices in [[Quokka]]", title="Billing")
    book.save("A cluster of three machines", title="Quokka")
    book.save("Lunch is at noon", title="Lunch")
    return book


def test_recall_follows_links_from_what_it_finds(linked: Commonplace) -> None:
    hits = linked.recall("what does Ada own?")
    assert [hit.memory.title for hit in hits] == ["Ada", "Billing", "Quokka"]
    assert hits[1].why[0].words == "is linked with Ada"
    assert hits[0].score > hits[1].score > hits[2].score


def test_links_do_not_cross_scopes_or_show_what_is_forgotten(linked: Commonplace) -> None:
    linked.forget("Billing")
    assert [hit.memory.title for hit in linked.recall("what does Ada own?")] == ["Ada"]
    bob = linked.as_context({"user": "bob", "role": "member"})
    bob.save("Ada told me about [[Diary]]")
    ann = linked.as_context({"user": "ann", "role": "member"})
    ann.save("Secret plans", title="Diary")
    assert {hit.memory.title for hit in bob.recall("what did Ada tell me?")} == {"", "Ada"}


def test_a_graph_has_typed_edges_within_so_many_steps(linked: Commonplace) -> None:
    near, far = linked.graph("Ada"), linked.graph("Ada", hops=2)
    assert {memory.title for memory in near.memories} == {"Ada", "Billing"}
    assert {memory.title for memory in far.memories} == {"Ada", "Billing", "Quokka"}
    assert {edge.kind for edge in far.edges} == {"links_to"}
    newer = linked.correct("Lunch", "Lunch is at one")
    shown = linked.graph(newer.memory.id)
    assert [edge.kind for edge in shown.edges] == ["supersedes"]
    with pytest.raises(BadInput):
        linked.graph("Ada", hops=9)
