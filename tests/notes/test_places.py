"""Where memories live in a vault, and what a path says about the note there."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from commonplace.model.errors import BadInput, BadLocator, BadScope, NotAllowed
from commonplace.model.memory import Memory
from commonplace.model.scope import DIMENSIONS, Scope, checked_value
from commonplace.notes.places import (
    Place,
    checked_locator,
    file_name,
    folder_name,
    folder_value,
    path_for,
    place_at,
    scope_folder,
)

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def memory(scope: str = "/", **fields: Any) -> Memory:
    values: dict[str, Any] = {
        "id": "01hx", "content": "Rust", "created": NOON, "updated": NOON, "slug": "rust-01hx",
    }  # fmt: skip
    return Memory(scope=Scope.parse(scope), **(values | fields))


def values() -> st.SearchStrategy[str]:
    """Every text that may be a dimension's value."""
    spice = st.sampled_from([*list("aAbZ ._-%+#^[]é½ßİıςſΚKßＡ漢字🎉~'()&́"), "con", "NUL", "%41"])
    return st.lists(st.one_of(spice, st.characters()), min_size=1, max_size=20).map("".join)


def legal(text: str) -> str:
    try:
        return checked_value("project", text)
    except BadScope:
        assume(False)
        raise


def folded(name: str) -> set[str]:
    """What a name becomes on disks that ignore case or normalize, by any of their rules."""
    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    return {change(form) for form in forms for change in (str.casefold, str.lower, str.upper)}


@pytest.mark.parametrize(
    ("scope", "folder"),
    [
        ("/", "system"),
        ("/project/mech-fighters", "projects/mech-fighters"),
        ("/project/x/agent/coding", "projects/x/agent-types/coding"),
        ("/agent/coding", "agent-types/coding"),
        ("/org/acme/user/42/task/t-1", "orgs/acme/users/42/tasks/t-1"),
        ("/project/MechFighters", "projects/+mech+fighters"),
        ("/user/ada@example.org", "users/ada@example.org"),
        ("/project/con", "projects/%63on"),
        ("/project/nul.txt", "projects/%6eul.txt"),
        ("/project/.hidden", "projects/%2ehidden"),
        ("/project/_meta", "projects/%5fmeta"),
        ("/project/ends.", "projects/ends%2e"),
        ("/project/50%", "projects/50%25"),
        ("/project/C#", "projects/+c%23"),
        ("/project/漢字", "projects/漢字"),
        ("/project/café", "projects/café"),
        ("/project/Éa", "projects/%c3%89a"),
    ],
)
def test_a_scope_has_its_folder(scope: str, folder: str) -> None:
    assert scope_folder(Scope.parse(scope)) == folder
    place = place_at(f"{folder}/memory/insight/a.md")
    assert place == Place(scope=Scope.parse(scope), owner="agent", kind="insight")


@settings(deadline=None)
@given(values())
@example("con.txt")
@example("COM1")
@example("a\u0301")
def test_a_value_reads_back_from_its_folder(text: str) -> None:
    value = legal(text)
    try:
        name = folder_name(value)
    except BadScope:
        assert len(value) > 20
        return
    assert folder_value(name) == value
    assert folder_value(unicodedata.normalize("NFD", name)) == value
    assert not set(name) & set('<>:"|?*\\/#^[]')
    assert name[0] not in "._ "
    assert name[-1] not in ". "
    assert name.casefold().partition(".")[0] not in ("con", "nul", "com1", "lpt9")


@settings(deadline=None)
@given(values(), values())
@example("straße", "strasse")
@example("K", "K")
@example("MechFighters", "mechfighters")
@example("ı", "i")
def test_two_values_never_share_a_folder_on_any_disk(one: str, other: str) -> None:
    first, second = legal(one), legal(other)
    assume(first != second)
    assert not folded(folder_name(first)) & folded(folder_name(second))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(DIMENSIONS), values()))
def test_a_scope_reads_back_from_its_path(pairs: dict[str, str]) -> None:
    scope = Scope(tuple((d, legal(v)) for d, v in pairs.items()))
    place = place_at(f"{scope_folder(scope)}/insight/a.md")
    assert place is not None
    assert place.scope == scope


def test_a_folder_made_by_hand_is_its_own_value() -> None:
    place = place_at("projects/MechFighters/notes.md")
    assert place is not None
    assert str(place.scope) == "/project/MechFighters"


def test_users_nested_under_a_project_stay_theirs() -> None:
    place = place_at("projects/x/users/42/diary.md")
    assert place is not None
    assert str(place.scope) == "/user/42/project/x"


def test_a_value_too_long_for_a_folder_is_refused() -> None:
    with pytest.raises(BadScope):
        folder_name("漢" * 67)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, "projects/x/memory/insight/rust-01hx.md"),
        ({"owner": "curated"}, "projects/x/insight/rust-01hx.md"),
        ({"status": "review"}, "projects/x/memory/insight/rust-01hx.md"),
        ({"status": "staged"}, "projects/x/memory/_inbox/rust-01hx.md"),
        ({"status": "staged", "owner": "curated"}, "projects/x/_inbox/rust-01hx.md"),
        ({"status": "superseded"}, "projects/x/memory/_archive/rust-01hx.md"),
        ({"status": "deleted", "owner": "curated"}, "projects/x/_archive/rust-01hx.md"),
        ({"always_load": True}, "projects/x/memory/_always-load/rust-01hx.md"),
        ({"always_load": True, "status": "archived"}, "projects/x/memory/_archive/rust-01hx.md"),
        ({"kind": "idea"}, "projects/x/memory/_idea-incubator/rust-01hx.md"),
        ({"kind": "idea", "owner": "curated"}, "projects/x/idea/rust-01hx.md"),
        ({"kind": "profile", "owner": "curated"}, "projects/x/profile.md"),
        ({"kind": "profile"}, "projects/x/memory/profile/rust-01hx.md"),
        ({"kind": "team-rule"}, "projects/x/memory/team-rule/rust-01hx.md"),
        ({"kind": "fact"}, "projects/x/memory/fact/rust-01hx.md"),
    ],
)
def test_axes_decide_the_place(fields: dict[str, Any], path: str) -> None:
    made = memory("/project/x", **fields)
    assert path_for(made) == path
    place = place_at(path)
    assert place is not None
    assert (place.scope, place.owner) == (made.scope, made.owner)


def test_the_books_profile_is_at_the_root_and_an_override_beside_its_project() -> None:
    assert path_for(memory(kind="profile", owner="curated")) == "profile.md"
    override = memory("/project/x/agent/coding", kind="override", owner="curated")
    assert path_for(override) == "projects/x/overrides/coding.md"
    place = place_at("projects/x/overrides/coding.md")
    assert place == Place(
        scope=Scope.parse("/project/x/agent/coding"), kind="override", form="override"
    )


@pytest.mark.parametrize("kind", ["Insight", "memory", "projects", "a b", "", "../x", "x" * 50])
def test_a_kind_that_cannot_be_a_folder_is_refused(kind: str) -> None:
    with pytest.raises(BadInput):
        path_for(memory(kind=kind))


def test_a_personal_memory_has_no_place_in_the_vault() -> None:
    with pytest.raises(NotAllowed):
        path_for(memory(owner="personal"))


@pytest.mark.parametrize(
    ("path", "kind", "shelf", "form"),
    [
        ("profile.md", "profile", "", "profile"),
        ("projects/x/facts.md", "fact", "", "facts"),
        ("projects/x/memory/facts.md", "insight", "", "note"),
        ("projects/x/insights/a.md", "insight", "", "note"),
        ("projects/x/task-summaries/a.md", "task-summary", "", "note"),
        ("projects/x/fixes/2024/a.md", "fix", "", "note"),
        ("projects/x/design/a.md", "design", "", "note"),
        ("projects/x/My Stuff/a.md", "note", "", "note"),
        ("projects/x/a.md", "note", "", "note"),
        ("projects/x/work/plan.md", "work", "", "note"),
        ("projects/x/_archive/a.md", "note", "_archive", "note"),
        ("projects/x/memory/_idea-incubator/a.md", "idea", "_idea-incubator", "note"),
        ("_always-load/a.md", "note", "_always-load", "note"),
        ("Recipes/soup.md", "note", "", "note"),
        ("Daily.md", "note", "", "note"),
    ],
)
def test_a_path_says_what_a_note_is(path: str, kind: str, shelf: str, form: str) -> None:
    place = place_at(path)
    assert place is not None
    assert (place.kind, place.shelf, place.form) == (kind, shelf, form)


@pytest.mark.parametrize(
    "path",
    [
        "_index.md", "projects/x/_index.md", ".obsidian/a.md", "projects/.git/a.md", "_meta/a.md",
        "projects/x/_private/a.md", "a.txt", "projects/x/.a.md.1-2.tmp", ".trash/a.md",
    ],
)  # fmt: skip
def test_what_is_not_a_note_has_no_place(path: str) -> None:
    assert place_at(path) is None


@settings(deadline=None)
@given(st.text(max_size=400))
@example("a" * 300)
@example("../../etc/passwd")
@example("con")
@example("facts")
def test_a_file_name_is_safe_whatever_the_slug(slug: str) -> None:
    name = file_name(slug.encode("utf-8", "replace").decode())
    assert name.endswith(".md")
    assert len(name.encode()) <= 190
    assert not set(name) & set('<>:"|?*\\/#^[]\0\n')
    assert name[0] not in "._ "
    assert name not in ("facts.md", "profile.md", "con.md")
    checked_locator(f"projects/x/{name}")


@pytest.mark.parametrize(
    "locator",
    ["../a.md", "a/../../b.md", "/etc/passwd", "a\\b.md", "C:/a", "a\0.md", "", "a//b", "./a"],
)
def test_a_locator_cannot_leave_the_root(locator: str) -> None:
    with pytest.raises(BadLocator):
        checked_locator(locator)
