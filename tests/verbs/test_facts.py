"""Facts by key, and overrides: the most specific scope speaks first."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.model.errors import BadInput
from tests.conftest import OpenBook

PLACES = ("/", "/agent/coding", "/project/mech", "/project/mech/agent/coding")


@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_a_key_is_answered_by_the_most_specific_scope_that_has_it(
    book: Commonplace, known: int
) -> None:
    for place in PLACES[:known]:
        book.fact_store("test_command", f"run in {place}", scope=place)
    agent = book.as_context({"project": "mech", "agent": "coding"})
    fact = agent.fact_recall("test_command")
    assert fact is not None
    assert fact.value == f"run in {PLACES[known - 1]}"
    assert len(agent.fact_list()) == known


def test_a_namespace_narrows_a_key(book: Commonplace) -> None:
    book.fact_store("branch", "main")
    book.fact_store("branch", "release", namespace="deploy")
    plain, deploy = book.fact_recall("branch"), book.fact_recall("branch", namespace="deploy")
    assert plain is not None
    assert deploy is not None
    assert (plain.value, deploy.value) == ("main", "release")
    assert book.fact_recall("branch", namespace="nowhere") is None


def test_a_person_s_pages_are_recalled_as_they_are_edited(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault(context={"project": "mech", "agent": "coding"})
    project = vault / "projects" / "mech"
    (project / "overrides").mkdir(parents=True)
    (project / "facts.md").write_text("# Facts\n- engine: Godot\n\n## deploy\n- branch: main\n")
    (project / "overrides" / "coding.md").write_text("Use composition for game entities.\n")
    assert [f.value for f in book.fact_list()] == ["Godot", "main"]
    hit = book.recall("composition of entities")[0]
    assert (hit.memory.kind, str(hit.memory.scope)) == (
        "override",
        "/project/mech/agent/coding",
    )
    (project / "facts.md").write_text("- engine: Bevy\n")
    engine = book.fact_recall("engine")
    assert engine is not None
    assert engine.value == "Bevy"
    assert book.fact_recall("branch") is None
    elsewhere = book.as_context({"project": "other", "agent": "coding"})
    assert elsewhere.recall("composition of entities") == []


def test_facts_of_two_namespaces_are_told_apart_wherever_they_are_read(book: Commonplace) -> None:
    book.fact_store("db.host", "db.internal", namespace="production")
    book.fact_store("db.host", "db-stage.internal", namespace="staging")
    book.fact_store("db.port", "5432", namespace="production")
    book.fact_store("db.port", "5432", namespace="staging")
    start = book.session_start().text
    for line in (
        "production/db.host: db.internal",
        "staging/db.host: db-stage.internal",
        "production/db.port: 5432",
        "staging/db.port: 5432",
    ):
        assert line in start
    pushed = book.prompt("Which host is the db.host of staging?").text
    assert " staging/db.host: db-stage.internal" in pushed
    assert {hit.memory.namespace for hit in book.recall("db.port")[:2]} == {"production", "staging"}


def test_a_key_that_only_namespaces_have_is_not_chosen_among_them(book: Commonplace) -> None:
    book.fact_store("db.host", "db.internal", namespace="production")
    only = book.fact_recall("db.host")
    assert only is not None
    assert only.value == "db.internal"
    book.fact_store("db.host", "db-stage.internal", namespace="staging")
    with pytest.raises(BadInput, match="production, staging") as asked:
        book.fact_recall("db.host")
    assert "production/db.host" in asked.value.hint
    for name, value in (("production", "db.internal"), ("staging", "db-stage.internal")):
        fact = book.fact_recall(f"{name}/db.host")
        assert fact is not None
        assert fact.value == value
    book.fact_store("db.host", "localhost")
    plain = book.as_context({"project": "mech"}).fact_recall("db.host")
    assert plain is not None
    assert plain.value == "localhost"


def test_a_key_with_a_slash_is_a_key_before_it_is_a_namespace(book: Commonplace) -> None:
    book.fact_store("src/main.py", "the entrance")
    book.fact_store("main.py", "something else", namespace="src")
    fact = book.fact_recall("src/main.py")
    assert fact is not None
    assert fact.value == "the entrance"


def test_a_value_without_room_in_a_note_is_refused_and_changes_nothing(
    open_vault: OpenBook,
) -> None:
    book = open_vault(source="person")
    book.fact_store("motto", "Slow is smooth")
    events = len(book.audit())
    for change in (book.fact_store, book.correct):
        with pytest.raises(BadInput, match="The value has 60,000 bytes") as refused:
            change("motto", "éa" * 20_000)
        assert "without a key" in refused.value.hint
    fact = book.fact_recall("motto")
    assert fact is not None
    assert fact.value == "Slow is smooth"
    assert len(book.audit()) == events
    assert book.fact_store("motto", '"' * 44_000 + ".").action == "superseded"
