"""A memory is named by its id, its names, its exact text or the key of its fact."""

from __future__ import annotations

import pytest

from commonplace import Commonplace, Conflict, NotFound
from tests import as_person


def test_the_key_of_a_fact_is_a_reference(book: Commonplace) -> None:
    old = book.fact_store("deploy_branch", "main")
    book.fact_store("deploy_branch", "release")
    assert book.get("deploy_branch").value == "release"
    book.revert("deploy_branch")
    assert book.get("deploy_branch").id == old.id


def test_a_forgotten_fact_is_restored_by_its_key(book: Commonplace) -> None:
    book.fact_store("deploy_branch", "main")
    book.forget("deploy_branch")
    assert book.fact_recall("deploy_branch") is None
    book.restore("deploy_branch")
    assert book.fact_recall("deploy_branch") is not None


def test_a_key_may_name_its_namespace(book: Commonplace) -> None:
    book.fact_store("db.host", "db-1", namespace="production")
    stage = book.fact_store("db.host", "db-2", namespace="staging")
    with pytest.raises(Conflict) as several:
        book.forget("db.host")
    assert stage.id in str(several.value)
    assert book.forget("staging/db.host").memory.id == stage.id
    assert book.fact_recall("production/db.host") is not None


def test_the_exact_text_is_a_reference(book: Commonplace) -> None:
    saved = book.save("The deploy branch is main")
    assert book.get("the deploy branch is main.").id == saved.id
    assert book.forget("The deploy branch is main").memory.id == saved.id
    assert book.restore("The deploy branch is main").memory.id == saved.id


def test_a_part_of_a_text_is_no_reference(book: Commonplace) -> None:
    book.save("The deploy branch is main")
    with pytest.raises(NotFound):
        book.get("The deploy branch")


def test_an_ambiguous_text_lists_the_candidates_with_ids(book: Commonplace) -> None:
    one = book.save("Lunch is at noon", scope="/project/a")
    two = book.save("Lunch is at noon", scope="/project/b")
    with pytest.raises(Conflict) as several:
        book.forget("Lunch is at noon")
    assert one.id in str(several.value)
    assert two.id in str(several.value)
    assert len(book.list()) == 2


def test_an_older_text_means_the_newest_version(book: Commonplace) -> None:
    old = book.save("The deploy branch is main")
    new = book.edit(old.id, content="The deploy branch is release since May")
    assert book.get("The deploy branch is main").id == new.id


def test_a_title_comes_before_a_key_and_a_text(book: Commonplace) -> None:
    titled = book.save("Deploys go out on Friday", title="deploy_branch")
    book.fact_store("deploy_branch", "main")
    assert book.get("deploy_branch").id == titled.id


def test_purged_text_is_no_reference(book: Commonplace) -> None:
    as_person(book).purge(book.save("The deploy branch is main").id)
    with pytest.raises(NotFound):
        book.get("The deploy branch is main")
