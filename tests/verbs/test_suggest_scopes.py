"""Memories of the whole book find their project, are moved on request, and can be moved back."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace, NotAllowed
from commonplace.projects import Repository, claimed_name
from tests import as_person


@pytest.fixture
def filled(book: Commonplace, tmp_path: Path) -> Commonplace:
    """A book with two projects, and memories that were filed before there were any."""
    code = tmp_path / "code" / "arena"
    code.mkdir(parents=True)
    settings = book._engine.settings  # pyright: ignore[reportPrivateUsage]
    claimed_name(Repository(str(code), "arena"), settings.state)
    book.save("Fights are turn based", scope="/project/mech-fighters")
    book.save("Bishops move diagonally", scope="/project/chess")
    book.as_context({"project": "chess"}).task("Fix castling", id="castling").complete()
    return book


def suggested(book: Commonplace) -> dict[str, tuple[str, str]]:
    return {
        one.memory.content.split(":")[0]: (one.scope, "; ".join(one.why))
        for one in book.suggest_scopes()
    }


def test_evidence_is_the_task_the_origin_a_path_or_a_name(
    filled: Commonplace, tmp_path: Path
) -> None:
    origin = filled.list(scope="/project/chess", kinds=["insight"])[0]
    filled.save("Task: the king may not be in check", source_tasks=["castling"])
    filled.save("Origin: pieces move by their own rules", derived_from=[origin.id])
    filled.save(f"Path: the loop is in {tmp_path}/code/arena/src/loop.py")
    filled.save("Name: Mech Fighters needs a lobby")
    filled.save("Tagged: the lobby closes at ten", tags=["mech_fighters"])
    found = suggested(filled)
    assert {name: scope for name, (scope, _) in found.items()} == {
        "Task": "/project/chess",
        "Origin": "/project/chess",
        "Path": "/project/arena",
        "Name": "/project/mech-fighters",
        "Tagged": "/project/mech-fighters",
    }
    assert found["Task"][1] == "learned in the task castling"
    assert found["Path"][1].startswith("names /")
    assert found["Name"][1] == "mentions mech-fighters"


def test_what_is_unclear_or_the_person_s_is_not_suggested(filled: Commonplace) -> None:
    filled.save("Both: chess and mech-fighters share a launcher")
    filled.save("Neither: the build takes ten minutes")
    filled.save("I prefer chess engines that explain themselves.", kind="preference")
    filled.save("Chessboards: are made of maple")
    assert suggested(filled) == {}


def test_a_move_changes_the_scope_alone_and_can_be_reverted(filled: Commonplace) -> None:
    saved = filled.save("Name: Mech Fighters needs a lobby", tags=["lobby"]).memory
    done = filled.apply_scopes(filled.suggest_scopes())
    assert [one.id for one in done.moved] == [saved.id]
    moved = filled.get(saved.id)
    assert moved == saved.but(scope=moved.scope, updated=moved.updated)
    assert str(moved.scope) == "/project/mech-fighters"
    inside = filled.as_context({"project": "mech-fighters"}).recall("lobby")
    assert inside[0].memory.id == saved.id
    assert not [
        hit for hit in filled.as_context({"project": "chess"}).recall("lobby")
        if hit.memory.id == saved.id
    ]  # fmt: skip
    assert filled.suggest_scopes() == []
    filled.revert(saved.id)
    assert str(filled.get(saved.id).scope) == "/"
    assert filled.recall("lobby", scope="/")[0].memory.id == saved.id


def test_only_a_person_moves_a_person_s_memory(filled: Commonplace) -> None:
    person = as_person(filled)
    mine = person.save("Name: Mech Fighters needs a lobby").memory
    by_agent = filled.apply_scopes(filled.suggest_scopes())
    assert by_agent.moved == ()
    assert "only a person" in by_agent.left[0].why
    assert str(filled.get(mine.id).scope) == "/"
    assert [one.id for one in person.apply_scopes(person.suggest_scopes()).moved] == [mine.id]


def test_a_move_never_makes_two_of_one(filled: Commonplace) -> None:
    filled.save("Mech Fighters needs a lobby", scope="/project/mech-fighters")
    filled.save("Mech Fighters needs a lobby")
    filled.fact_store("lobby.size", "four, in Mech Fighters", scope="/project/mech-fighters")
    filled.fact_store("lobby.size", "eight, in Mech Fighters")
    stale = filled.suggest_scopes()
    done = filled.apply_scopes(stale)
    assert done.moved == ()
    assert sorted(one.why for one in done.left) == [
        "/project/mech-fighters has a value for 'lobby.size' already.",
        "/project/mech-fighters says the same already.",
    ]
    other = filled.save("Chess needs a clock").memory
    [late] = [one for one in filled.suggest_scopes() if one.memory.id == other.id]
    filled.forget(other.id)
    assert filled.apply_scopes([late]).left[0].why == "It was changed meanwhile."


def test_only_the_owner_moves_memories_of_the_whole_book(filled: Commonplace) -> None:
    member = filled.as_context({"org": "acme", "user": "ada", "role": "member"})
    with pytest.raises(NotAllowed):
        member.suggest_scopes()


@pytest.mark.usefixtures("filled")
def test_nothing_is_moved_without_asking(book: Commonplace) -> None:
    book.save("Name: Mech Fighters needs a lobby")
    book.suggest_scopes()
    assert [str(one.scope) for one in book.list() if "lobby" in one.content] == ["/"]
