"""Memories as notes and back, and a person's own formatting left alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.model.errors import BadInput
from commonplace.model.identity import derived_id
from commonplace.model.memory import SENSITIVITIES, STATUSES, TIERS, TRUSTS, Memory
from commonplace.model.scope import Scope
from commonplace.notes import note as notes
from commonplace.notes.places import Place, place_at

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
HERE = Place(owner="agent", kind="insight")


def memory(**fields: Any) -> Memory:
    values: dict[str, Any] = {
        "id": "01hx0000000000000000000000", "content": "Tea at four.",
        "created": NOON, "updated": NOON, "slug": "tea-000000",
    }  # fmt: skip
    return Memory(**(values | fields))


def read(text: str, path: str = "system/memory/insight/tea.md") -> notes.Reading:
    place = place_at(path)
    assert place is not None
    return notes.read_note(text, path=path, place=place, modified=NOON)


def texts() -> st.SearchStrategy[str]:
    tricky = [
        "---", "\n", "\r\n", "\r", "# ", "- ", ": ", " #", "[[Ada]]", '"', "'", "\\", "null", "~",
        "true", "12", "1e5", "2024-01-01", "yes", "\u2028", "\x85", "\x7f", "\ufeff", "漢字", "🎉",
        "{", "&a", "*a", "!x", "|", ">", "%", "@", "`", ",", "]", "  ", "\t", "a",
    ]  # fmt: skip
    plain = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    return st.lists(st.one_of(st.sampled_from(tricky), plain), max_size=12).map("".join)


def times() -> st.SearchStrategy[datetime]:
    return st.integers(0, 4_000_000_000_000).map(
        lambda ms: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    )


def words() -> st.SearchStrategy[str]:
    return texts().filter(bool)


def memories() -> st.SearchStrategy[Memory]:
    tags = st.lists(words().filter(lambda t: t[0] != "#"), max_size=3).map(tuple)
    maybe_time = st.none() | times()
    maybe = st.none() | words()
    return st.builds(
        Memory,
        id=st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=26, max_size=26),
        content=texts(), created=times(), updated=times(),
        scope=st.just(Scope()), owner=st.just("agent"),
        kind=st.sampled_from(["insight", "fix", "team-rule"]),
        tier=st.sampled_from(TIERS), status=st.sampled_from(STATUSES),
        sensitivity=st.sampled_from(SENSITIVITIES), trust=st.sampled_from(TRUSTS),
        source=words(), slug=words(), title=texts(), summary=texts(), aliases=tags, tags=tags,
        topic=maybe, always_load=st.booleans(), confidence=st.floats(0, 1),
        importance=st.none() | st.floats(0, 1),
        key=maybe, value=maybe, namespace=maybe, episode=maybe,
        position=st.none() | st.integers(), speaker=maybe, version=st.integers(1, 99),
        supersedes=maybe, superseded_by=maybe, derived_from=tags, source_tasks=tags, anchors=tags,
        valid_from=maybe_time, valid_until=maybe_time, review_after=maybe_time,
        expires=maybe_time, deleted_at=maybe_time, imported_id=maybe,
    )  # fmt: skip


def settled(memory: Memory) -> Memory:
    """A memory without a title takes its first heading for one."""
    return memory.but(title=memory.title or notes.first_heading(memory.content))


@settings(max_examples=50, deadline=None)
@given(memories())
@example(memory(content="---\nnot: frontmatter\n---\n"))
@example(memory(content="ends with a return\r", tags=("a, b", "[c]", "'d'")))
@example(memory(content="", topic="null", source="yes", slug="2024-01-01"))
def test_a_memory_reads_back_from_its_note_to_the_last_character(made: Memory) -> None:
    found = notes.read_note(notes.render_note(made), path="x.md", place=HERE, modified=NOON)
    assert found.memory == settled(made)
    assert found.problem == ""


@settings(max_examples=100, deadline=None)
@given(memories(), st.data())
@example(memory(content="# Tea\n\nAt four."), None)
@example(memory(tags=("#tea",)), None)
@example(memory(value=""), None)
@example(memory(slug=""), None)
@example(memory(updated=NOON + timedelta(microseconds=7)), None)
def test_a_note_said_to_read_back_does(made: Memory, data: st.DataObject | None) -> None:
    if data:
        names = st.sampled_from(["slug", "title", "value", "topic", "speaker", "episode"])
        made = made.but(**dict.fromkeys(data.draw(st.sets(names, max_size=2)), ""))
    made = made.but(status="active", always_load=False)
    found = notes.read_note(notes.render_note(made), path="x.md", place=HERE, modified=NOON)
    assert found.memory == made or not notes.reads_back(made)


@settings(max_examples=50, deadline=None)
@given(memories(), memories())
def test_an_update_makes_a_note_say_exactly_the_new_memory(old: Memory, new: Memory) -> None:
    text = notes.update_note(notes.render_note(old), new)
    assert notes.read_note(text, path="x.md", place=HERE, modified=NOON).memory == settled(new)


@settings(max_examples=50, deadline=None)
@given(memories())
def test_an_update_that_changes_nothing_changes_no_byte(made: Memory) -> None:
    text = notes.render_note(made)
    assert notes.update_note(text, settled(made)) == text


@settings(deadline=None)
@given(texts())
def test_any_text_is_a_note_and_is_kept_byte_for_byte(text: str) -> None:
    assert notes.join_note(notes.split_note(text)) == text
    read(text)


@settings(max_examples=50, deadline=None)
@given(memories())
def test_every_yaml_reader_reads_the_frontmatter_we_write(made: Memory) -> None:
    from ruamel.yaml import YAML

    block = notes.split_note(notes.render_note(made)).block
    assert block is not None
    loaded = YAML(typ="safe", pure=True).load(block.inner)
    assert loaded["id"] == made.id
    assert tuple(loaded["tags"]) == made.tags
    assert loaded.get("topic") == made.topic
    assert loaded.get("summary", "") == made.summary


def test_a_new_note_is_flat_and_short() -> None:
    made = memory(tags=("drinks",), scope=Scope.parse("/user/ada"), topic="[[Tea]]")
    assert notes.render_note(made) == (
        "---\n"
        "id: 01hx0000000000000000000000\n"
        "kind: insight\n"
        "status: active\n"
        "created: 2026-11-15T12:00:00.000Z\n"
        "updated: 2026-11-15T12:00:00.000Z\n"
        "tags: [drinks]\n"
        "slug: tea-000000\n"
        'topic: "[[Tea]]"\n'
        "---\n"
        "\n"
        "Tea at four.\n"
    )


BY_HAND = (
    "---\r\n"
    "# what I drink\r\n"
    "id:   01hx0000000000000000000000\r\n"
    "mood: 'good'   # really\r\n"
    "tags:\r\n"
    "  - drinks\r\n"
    "  - \"tea\"\r\n"
    "\r\n"
    "nested:\r\n"
    "  deep: [1, 2]\r\n"
    "status: active\r\n"
    "---\r\n"
    "Tea at four.  \r\n"
    "\r\n"
)  # fmt: skip


def test_only_the_changed_line_changes() -> None:
    old = read(BY_HAND).memory
    assert (old.tags, old.content) == (("drinks", "tea"), "Tea at four.  \r\n")
    text = notes.update_note(BY_HAND, old.but(status="archived"))
    assert text.replace("status: archived", "status: active").startswith(BY_HAND[:-60])
    kept = [line for line in BY_HAND.split("\r\n") if not line.startswith("status")]
    assert [line for line in text.split("\r\n") if line in kept] == kept
    assert read(text).memory.but(status="active") == old.but(slug="tea")


def test_a_list_in_several_lines_is_replaced_as_a_whole_and_its_neighbours_stay() -> None:
    text = notes.update_note(BY_HAND, read(BY_HAND).memory.but(tags=("coffee",)))
    assert "\r\ntags: [coffee]\r\n\r\nnested:\r\n  deep: [1, 2]\r\n" in text
    assert "# what I drink\r\n" in text
    assert "mood: 'good'   # really\r\n" in text


def test_a_note_without_frontmatter_is_a_persons_own_memory() -> None:
    found = read("# Tea\n\nAt four.\n", "projects/x/tea.md").memory
    assert found == Memory(
        id=derived_id("n", "projects/x/tea.md"),
        content="# Tea\n\nAt four.",
        created=NOON,
        updated=NOON,
        scope=Scope.parse("/project/x"),
        kind="note",
        owner="curated",
        trust="user",
        source="hand",
        slug="tea",
        title="Tea",
    )


def test_a_note_by_hand_keeps_its_id_when_it_is_changed() -> None:
    text = "# Tea\n\nAt four.\n"
    old = read(text, "projects/x/tea.md").memory
    moved = notes.update_note(text, old.but(status="archived"))
    assert moved.endswith("---\n\n# Tea\n\nAt four.\n")
    found = read(moved, "projects/x/_archive/tea.md").memory
    assert found == old.but(status="archived")


def test_a_persons_own_keys_are_not_taken_for_ours() -> None:
    text = "---\nstatus: in progress\nsource: https://x.org\nversion: 2.0\ntrust: external\n---\n"
    found = read(text)
    assert found.problem == ""
    assert (found.memory.status, found.memory.trust, found.memory.version) == ("active", "agent", 1)


def test_obsidian_forms_of_tags_and_aliases_are_read() -> None:
    assert read("---\ntags: '#tea, #drinks/hot'\n---\n").memory.tags == ("tea", "drinks/hot")
    assert read("---\ntags: tea drinks\n---\n").memory.tags == ("tea", "drinks")
    assert read("---\naliases:\n- Afternoon tea\n- Cuppa\n---\n").memory.aliases == (
        "Afternoon tea",
        "Cuppa",
    )
    assert read("---\ntags:\n---\n").memory.tags == ()
    assert read("---\ncreated: 2024-05-01\n---\n").memory.created == datetime(
        2024, 5, 1, tzinfo=UTC
    )


def test_frontmatter_says_the_kind_and_the_folder_says_the_rest() -> None:
    text = notes.render_note(memory(kind="fix"))
    found = read(text, "projects/x/insight/tea.md").memory
    assert (found.kind, str(found.scope), found.owner) == ("fix", "/project/x", "curated")
    assert read(text, "projects/x/_archive/tea.md").memory.status == "archived"
    assert read(text, "projects/x/memory/_inbox/tea.md").memory.status == "staged"
    assert read(text, "projects/x/_always-load/tea.md").memory.always_load
    deleted = notes.render_note(memory(status="deleted"))
    assert read(deleted, "projects/x/_archive/tea.md").memory.status == "deleted"


def test_the_root_profile_is_always_loaded() -> None:
    found = read("I am Ada.", "profile.md").memory
    assert (found.kind, found.tier, found.always_load) == ("profile", "identity", True)
    other = read("It is a game.", "projects/x/profile.md").memory
    assert (other.tier, other.always_load, str(other.scope)) == ("identity", False, "/project/x")


BOMB = "a: &a [x, x]\n" + "".join(
    f"b{n}: &b{n} [*{'a' if not n else f'b{n - 1}'}, *a]\n" for n in range(30)
)


@pytest.mark.parametrize(
    "bad",
    [
        "tags: [tea, drinks\n", "title: a: b\n", "title: 'open\n", BOMB,
        "x: !!python/object:os.system a\n", "x: " + "[" * 5_000 + "\n", "just words\n",
        "title: {a: b, c\n",
        "x: *missing\n", "\tx: 1\n",
    ],
)  # fmt: skip
def test_broken_yaml_costs_only_the_broken_key_and_is_reported(bad: str) -> None:
    found = read(f"---\nid: 01hx\nstatus: deleted\n{bad}---\n\nTea at four.\n")
    assert (found.memory.id, found.memory.status) == ("01hx", "deleted")
    assert found.memory.content == "Tea at four."
    assert found.problem.startswith("This note is read only in part")


def test_frontmatter_that_is_too_large_is_not_read() -> None:
    text = "---\nid: 01hx\nx: " + "y" * 70_000 + "\n---\n\nTea at four.\n"
    found = read(text)
    assert found.memory.content == "Tea at four."
    assert "too large" in found.problem
    with pytest.raises(BadInput):
        notes.update_note(text, found.memory.but(tags=("tea",)))


def test_an_open_fence_is_just_a_line() -> None:
    found = read("---\nnot closed\n")
    assert found.memory.content == "---\nnot closed"
    assert found.problem == ""


def test_a_heading_in_code_is_no_title() -> None:
    assert notes.first_heading("```sh\n# comment\n```\n") == ""
    assert notes.first_heading("Intro\n\n# Tea #\n") == "Tea"


@pytest.mark.parametrize("content", ["nul \0 here", "half \ud800 pair", "x" * 5_000_001])
def test_what_a_text_file_cannot_hold_is_refused(content: str) -> None:
    with pytest.raises(BadInput):
        notes.render_note(memory(content=content))
