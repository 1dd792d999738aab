"""What each format holds, as drafts."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import BadInput, NotFound
from commonplace.backends.imports.archive_file import UploadedFile, archive_of
from commonplace.backends.imports.formats import KINDS, recognize_format
from commonplace.backends.imports.json_reader import JsonReader, list_elements
from commonplace.books.imports import open_import
from commonplace.model.memory import Draft
from commonplace.model.results import LeftOut
from commonplace.rules.handed_over.quotation import frame

from . import samples


def read(
    name: str, text: str | bytes, kind: str | None = None
) -> tuple[str, list[Draft], list[str]]:
    """The kind of a file, its drafts, and what was left out of it."""
    data = text if isinstance(text, bytes) else text.encode()
    opened = recognize_format(archive_of(name, data, most_bytes=1 << 20), kind)
    found = list(opened.drafts())
    drafts = [one for one in found if isinstance(one, Draft)]
    return opened.kind, drafts, [one.why for one in found if isinstance(one, LeftOut)]


@pytest.mark.parametrize("kind", samples.FILES)
def test_each_format_is_recognized_by_what_is_in_it(kind: str) -> None:
    assert read(*samples.FILES[kind])[0] == kind


def test_entities_of_an_mcp_memory_keep_their_relations_as_links() -> None:
    _, (ada, engine), left = read("memory.jsonl", samples.MCP_MEMORY)
    assert ada.content == (
        "Ada (person)\n- prefers tea\n- builds engines\n- works on [[Analytical Engine]]"
    )
    assert (ada.title, ada.tags, ada.imported_id) == ("Ada", ("person",), "entity:Ada")
    assert engine.content == "Analytical Engine (machine)"
    assert left == ["A malformed line."]


def test_users_of_mem0_stay_apart() -> None:
    _, (bike, nuts), left = read("export.json", samples.MEM0)
    assert (str(bike.scope), bike.imported_id) == ("/user/alex", "0b1")
    assert bike.created is not None
    assert bike.created.isoformat() == "2025-03-01T08:00:00-08:00"
    assert (str(nuts.scope), nuts.tags) == ("/user/kim/agent/cook-2", ("health",))
    assert left == ["A memory without text."]


def test_chatgpt_gives_the_branch_that_was_last_shown() -> None:
    _, turns, _ = read("conversations.json", samples.CHATGPT)
    assert [(one.speaker, one.content) for one in turns] == [
        ("user", "How do I prune roses?"),
        ("assistant", "Cut above an outward bud."),
        ("user", "Thanks, in March then."),
    ]
    assert [(one.episode, one.position) for one in turns] == [("chatgpt:c-1", n) for n in range(3)]
    assert turns[0].imported_id == "q"
    assert turns[0].created is not None


def test_claude_gives_what_was_said_without_tools_and_attachments() -> None:
    _, turns, _ = read("conversations.json", samples.CLAUDE)
    assert [(one.speaker, one.content) for one in turns] == [
        ("user", "How long does dough rest?"),
        ("assistant", "A night."),
    ]


def claude_export(**files: object) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        folder.writestr("conversations.json", samples.CLAUDE)
        folder.writestr("users.json", "[]")
        for name, content in files.items():
            folder.writestr(name.replace("__", "/") + ".json", json.dumps(content))
    return packed.getvalue()


REMEMBERED = {
    "conversations_memory": "**Work context**\n\nAda builds engines.\n\nShe reports to Grace.\n\n"
    "**Top of mind**\n\nThe move to Ghent.",
    "project_memories": {"p-1": "Bread rests a night.", "p-2": "A project that is gone."},
    "account_uuid": "a-1",
}
PROJECT = {
    "uuid": "p-1", "name": "Bread/Rolls", "description": "Baking at home", "prompt_template": "",
    "created_at": "2025-02-03T00:00:00Z",
    "docs": [{"uuid": "d-1", "filename": "flour.md", "content": "Use rye.",
              "created_at": "2025-02-04T00:00:00Z"}],
}  # fmt: skip


@pytest.mark.parametrize(
    "files",
    [
        {"memories": [REMEMBERED], "projects": [PROJECT]},
        {"memories__a-1": REMEMBERED, "projects__p-1": PROJECT},
    ],
    ids=["lists", "a file each"],
)
def test_claude_gives_what_it_remembers_and_its_projects(files: dict[str, object]) -> None:
    kind, drafts, left = read("data.zip", claude_export(**files))
    assert kind == "claude"
    found = {one.content: one for one in drafts}
    assert (found["Ada builds engines."].title, found["Ada builds engines."].scope) == (
        "Work context",
        None,
    )
    assert found["She reports to Grace."].title == "Work context"
    assert found["The move to Ghent."].title == "Top of mind"
    assert found["The move to Ghent."].basis == "inferred"
    assert str(found["Bread rests a night."].scope) == "/project/Bread-Rolls"
    assert str(found["A project that is gone."].scope) == "/project/p-2"
    assert str(found["Use rye."].scope) == str(found["Baking at home"].scope)
    assert found["Use rye."].title == "flour.md"
    assert found["Use rye."].created == datetime(2025, 2, 4, tzinfo=UTC)
    assert "A night." in found
    assert left == ["A part of a project without text."]
    assert len({one.imported_id for one in drafts}) == len(drafts)


def test_what_claude_remembers_can_be_imported_alone() -> None:
    kind, drafts, _ = read("memories.json", json.dumps([REMEMBERED]))
    assert (kind, len(drafts)) == ("claude", 5)


def test_an_agent_of_letta_said_what_it_sent_and_not_what_it_thought() -> None:
    def call(arguments: object) -> dict[str, object]:
        return {"function": {"name": "send_message", "arguments": arguments}}

    messages = [
        {"id": "1", "role": "user", "content": "Hello"},
        {"id": "2", "role": "assistant", "content": "The user greets me.",
         "tool_calls": [call(json.dumps({"message": "Good morning, Chad."}))]},
        {"id": "3", "role": "assistant", "content": [{"type": "text", "text": "Plainly said."}],
         "tool_calls": [call("{ torn"), {"function": {"name": "search", "arguments": "{}"}}]},
    ]  # fmt: skip
    _, turns, _ = read("sam.af", json.dumps({"agents": [{"id": "a", "messages": messages}]}))
    assert [one.content for one in turns] == ["Hello", "Good morning, Chad.", "Plainly said."]


def test_a_folder_of_notes_keeps_its_days_and_folders(tmp_path: Path) -> None:
    for name in ("Daily/2025-05-01.md", "Daily/2025-05-02 Friday.md", "Recipes/Rye.md", "Top.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"About {name}", encoding="utf-8")
    found = {
        one.title: one for one in open_import(str(tmp_path)).drafts() if isinstance(one, Draft)
    }
    assert found["2025-05-01"].created == datetime(2025, 5, 1, tzinfo=UTC)
    assert found["2025-05-02 Friday"].created == datetime(2025, 5, 2, tzinfo=UTC)
    assert (found["Rye"].topic, found["Rye"].created) == ("Recipes", None)
    assert found["Top"].topic is None


def test_a_transcript_gives_the_words_and_keeps_its_summary_apart() -> None:
    _, (summary, *turns), left = read("s-1.jsonl", samples.CLAUDE_CODE)
    assert (summary.kind, summary.basis, summary.episode) == ("session-summary", "inferred", None)
    assert [one.content for one in turns] == [
        "The build fails on Windows", "I will look.", "Line endings were the cause.",
    ]  # fmt: skip
    assert {one.episode for one in turns} == {"claude-code:s-1"}
    assert left == ["A malformed line."]


@pytest.mark.parametrize(
    ("folder", "cwd", "scope"),
    [
        ("", ["/home/ada/work/shop", "/home/ada/work/shop/src"], "/project/shop"),
        ("-home-ada-work-shop", ["/home/ada/work/shop/src"], "/project/shop"),
        ("-home-ada-work-my-shop", ["/home/ada/work/my.shop/docs"], "/project/my.shop"),
        ("C--work-shop", ["C:\\work\\shop"], "/project/shop"),
        ("-home-ada", ["/home/ada"], "None"),
        ("", [], "None"),
    ],
)
def test_a_transcript_belongs_to_the_project_that_its_session_began_in(
    folder: str, cwd: list[str], scope: str, tmp_path: Path
) -> None:
    rows = [
        samples.row(str(at), str(at - 1) if at else None, "user", f"Turn {at}", cwd=where)
        for at, where in enumerate(cwd or [""])
    ]
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "s-1.jsonl").write_text(samples.lines(*rows))
    found = open_import(str(tmp_path))
    drafts = [one for one in found.drafts() if isinstance(one, Draft)]
    assert {str(one.scope) for one in drafts} == {scope}


def test_prompts_of_claude_mem_belong_to_the_project_of_their_session(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE observations (id, memory_session_id, project, type, text, created_at);"
            "CREATE TABLE sdk_sessions (id, content_session_id, memory_session_id, project);"
            "CREATE TABLE user_prompts (id, content_session_id, prompt_text, created_at);"
            "INSERT INTO observations VALUES (1, 'm1', 'shop', 'change', 'Tests use pytest', 0);"
            "INSERT INTO sdk_sessions VALUES (1, 'c1', 'm1', 'shop');"
            "INSERT INTO user_prompts VALUES (1, 'c1', 'Run the tests', '2025-05-01'),"
            " (2, 'c2', 'Book a table', '2025-05-02');"
        )
    drafts = [one for one in open_import(str(path)).drafts() if isinstance(one, Draft)]
    assert {one.content: str(one.scope) for one in drafts} == {
        "Tests use pytest": "/project/shop", "Run the tests": "/project/shop",
        "Book a table": "None",
    }  # fmt: skip


def test_an_agent_file_gives_blocks_and_messages_and_no_code() -> None:
    _, (human, moved), left = read("sam.af", samples.LETTA)
    assert (human.title, human.content) == ("human", "The human is called Chad.")
    assert (moved.speaker, moved.content) == ("user", "I moved to Ghent")
    assert left == ["A block without text."]


def test_pasted_memories_are_dated_and_whole() -> None:
    _, (seats, cats), _ = read("from chatgpt.txt", samples.PASTED)
    assert seats.content == "Prefers window seats."
    assert cats.content == "Has two cats,\nAda and Grace."
    assert cats.created is not None
    assert cats.created.date().isoformat() == "2025-05-02"


def test_a_folder_of_basic_memory_keeps_titles_tags_and_links(tmp_path: Path) -> None:
    opened = open_import(str(samples.basic_memory(tmp_path / "notes")))
    water, brewing = sorted(
        (one for one in opened.drafts() if isinstance(one, Draft)), key=lambda one: one.content
    )[::-1]
    assert opened.kind == "basic-memory"
    assert (brewing.title, brewing.tags) == ("Coffee Brewing", ("coffee", "brewing"))
    assert (brewing.kind, brewing.imported_id) == ("note", "coffee/brewing")
    assert "relates_to [[Water]]" in brewing.content
    assert (water.title, water.content, water.scope) == ("Water", "Soft water is best.", None)


def test_a_packed_export_of_a_vendor_is_read_without_unpacking() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        folder.writestr("conversations-000.json", samples.CHATGPT)
        folder.writestr("user.json", "{}")
        folder.writestr("chat.html", "<html>")
        folder.writestr("../../evil.json", "[]")
    kind, turns, _ = read("export.zip", packed.getvalue())
    assert (kind, len(turns)) == ("chatgpt", 3)


def test_a_vault_is_a_book_and_no_folder_of_notes(tmp_path: Path) -> None:
    from commonplace.books.open import open_book
    from commonplace.settings import Settings

    with open_book(f"vault:{tmp_path / 'v'}", settings=Settings(state=str(tmp_path / "s"))) as book:
        book.save("Only this project knows", scope="/project/secret")
    with pytest.raises(BadInput, match="is a vault"):
        open_import(str(tmp_path / "v"))


def test_what_a_memory_handed_out_is_not_taken_in_again() -> None:
    quoted = frame(["- old news"])
    text = samples.lines(samples.row("1", None, "user", f"{quoted}\nWhat is new?"))
    _, (turn,), _ = read("s.jsonl", text)
    assert turn.content == "What is new?"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("conversations.json", samples.CHATGPT[:-40]),
        ("mem0.json", samples.MEM0[:-9]),
        ("mem0.json", '{"results": 5}'),
        ("sam.af", samples.LETTA[:300]),
        ("ours.jsonl", '{"format":"commonplace","version":1}\n{"id":"x"}\n'),
        ("ours.jsonl", '{"format":"commonplace","version":1}\n{"content":"a"\n'),
        ("ours.jsonl", '{"format":"commonplace","version":99}\n'),
        ("ours.json", '{"format":"commonplace","version":1,"memories":[{"content":7}]}'),
        ("deep.json", "[" * 100_000),
        ("note.md", "\0\0"),
        ("broken.zip", "PK not really"),
        ("picture.png", "\x89PNG"),
        ("empty.json", ""),
        ("numbers.json", "[1, 2]"),
    ],
)
def test_a_damaged_or_unknown_file_is_refused_in_one_sentence(name: str, text: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(name, text)
    assert refused.value.hint
    assert refused.value.sentence.count(". ") == 0


def test_what_is_not_there_or_called_otherwise_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_import(str(tmp_path / "nothing.json"))
    with pytest.raises(BadInput, match="not a format"):
        read("x.json", "[]", kind="outlook")
    with pytest.raises(BadInput, match="in the format letta"):
        read("x.md", "text", kind="letta")
    assert "mem0" in KINDS


def test_a_zip_that_grows_without_end_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("conversations.json", "[" + " " * (2 << 20) + "]")
    with pytest.raises(BadInput, match="too large"):
        read("bomb.zip", packed.getvalue())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(
    whole=st.lists(JSON, max_size=8), space=st.sampled_from(["", " ", "\n\t "]), wide=st.booleans()
)
def test_a_list_read_in_pieces_is_the_list(whole: list[object], space: str, wide: bool) -> None:
    text = json.dumps(whole, ensure_ascii=wide, indent=1 if space else None)
    data = (space + text + space).encode("utf-8", "surrogatepass")
    if not wide:
        data = data.decode("utf-8", "replace").encode()
        whole = json.loads(data)
    parcel = UploadedFile("x.json", data)
    assert list(list_elements(parcel, "x.json")) == whole
    inside = UploadedFile("x.json", b'{"a": {"b": [1]}, "results": ' + data + b', "z": 0}')
    assert list(list_elements(inside, "x.json", under=("results",))) == whole


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_bytes_make_a_reader_fail_in_words_of_python(data: bytes) -> None:
    for name in ("x.json", "x.jsonl", "x.af", "x.md", "x.txt", "x.zip"):
        try:
            read(name, data)
        except BadInput:
            continue


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.txt", "x.pam.json"])
def test_an_empty_file_is_said_to_be_empty(name: str) -> None:
    with pytest.raises(BadInput, match=rf"^{re.escape(name)} is empty\."):
        read(name, b"")


@pytest.mark.parametrize("text", ['[{"memory":', '{"results": [', '[{"memory": "Owls\n'])
def test_json_that_breaks_off_is_named_with_its_line(text: str) -> None:
    with pytest.raises(BadInput, match=r"its JSON is truncated or malformed at line 3\."):
        read("memories.json", f"\n\n{text}")


def test_the_line_of_damage_is_counted_beyond_a_piece() -> None:
    whole = json.dumps([{"memory": f"Owl {number}"} for number in range(20_000)], indent=0)
    damaged = whole.replace('"Owl 15000"', "Owl 15000")
    line = damaged[: damaged.index(" Owl 15000")].count("\n") + 1
    with pytest.raises(BadInput, match=f"at line {line:,}"):
        read("memories.json", damaged)


def test_values_longer_than_a_piece_are_whole() -> None:
    long = "x" * 200_000
    assert JsonReader(io.BytesIO(json.dumps(long).encode())).value() == long
