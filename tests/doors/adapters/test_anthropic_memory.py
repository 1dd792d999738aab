"""Anthropic's memory tool over a book answers like the SDK's own tool over local files."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.doors.adapters.anthropic_memory import AsyncBookMemoryTool, BookMemoryTool
from commonplace.rules.screening.credential_formats import FORMATS
from tests.conftest import OpenBook
from tests.rules import made_credentials

Command = dict[str, Any]

PATHS = st.one_of(
    st.sampled_from(
        ["/memories", "/memories/", "/memories/a", "/memories/b.md", "/memories/a/b.md",
         "/memories/a/c", "/memories/a/c/d.md", "/memories//a/b.md", "/memories/a/c/d.md/e"]
    ),
    st.lists(
        st.sampled_from(["a", "b.md", "c", "d.md", "ä ö", "A", "x-y_z%20", "50%"]),
        min_size=1, max_size=4,
    ).map(lambda names: "/".join(["/memories", *names])),
)  # fmt: skip
PIECES = st.sampled_from(
    ["a", "b", "a\n", "\n", "\r\n", " ", "tea", "ä", "\t", "x\n\n", "aa", "# t\n"]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
)
COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": PATHS},
        optional={"view_range": st.lists(st.integers(-2, 6), min_size=2, max_size=2)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries(
        {"command": st.just("str_replace"), "path": PATHS, "old_str": PIECES | st.just(""),
         "new_str": TEXTS}
    ),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": PATHS, "insert_line": st.integers(-1, 5),
         "insert_text": TEXTS}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)  # fmt: skip


def answer(tool: BookMemoryTool | BetaLocalFilesystemMemoryTool, command: Command) -> str:
    """What a model is told; where the SDK's tool lets a system error through, only that."""
    try:
        said = tool.call(command)
    except ToolError as error:
        return f"error: {error}"
    except OSError:
        return "error"
    assert isinstance(said, str)
    # A folder's own size is up to the file system.
    return re.sub(r"(?m)^[\d.]+[BKMG]\t(?=.*/$|/memories[^\n]*\Z)|(?<=:\n)[\d.]+[BKMG]\t", "", said)


@pytest.mark.parametrize(("store", "scripts"), [("vault", 12), ("sqlite", 40)])
def test_random_commands_get_the_answers_of_the_sdks_own_tool(
    store: str, scripts: int, tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"{store}:{tmp_path / 'book'}")
    fresh = itertools.count()

    @settings(max_examples=scripts, deadline=None)
    @given(st.lists(COMMANDS, min_size=3, max_size=12))
    @example([
        {"command": "create", "path": "/memories/a/b.md", "file_text": "tea\n"},
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/x/y"},
        {"command": "rename", "old_path": "/memories/x", "new_path": "/memories/x/z/w"},
        {"command": "view", "path": "/memories"},
        {"command": "delete", "path": "/memories/x/y/b.md"},
        {"command": "view", "path": "/memories/x"},
    ])  # fmt: skip
    def same(script: list[Command]) -> None:
        number = next(fresh)
        ours = BookMemoryTool(book.as_context({"user": f"user-{number}"}))
        theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / f"files-{number}"))
        looks = ({"command": "view", "path": path} for path in ("/memories", "/memories/a/b.md"))
        for command in (*script, *looks):
            expected, got = answer(theirs, command), answer(ours, command)
            if expected == "error":
                assert got.startswith("error: "), command
            else:
                assert got == expected, command

    same()


TRICKS = [
    "/etc/passwd", "memories/a", "/memoriesX", "/memories/../secret", "/memories/a/../../b",
    "/memories/%2e%2e/b", "/memories/%2E%2E%2Fb", "/memories/%252e%252e/b",
    "/memories/..\\..\\b", "/memories/a\\b", "/memories/a\0b", "/memories/a\nb",
    "/memories/.hidden", "/memories/./a", "/memories/．．/b", "/memories/‥/b",
    "/memories/a\u202eb", "/memories/\u200b", "/memories/a ", "/memories/" + "x" * 200, "",
]  # fmt: skip


@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename"])
def test_path_tricks_are_refused_by_every_command(
    tmp_path: Path, open_at: OpenBook, command: str
) -> None:
    tool = BookMemoryTool(open_at(f"sqlite:{tmp_path / 'book.db'}"))
    for path in TRICKS:
        given = {
            "command": command, "path": path, "file_text": "x", "old_str": "x", "new_str": "y",
            "insert_line": 0, "insert_text": "x", "old_path": "/memories/a", "new_path": path,
        }  # fmt: skip
        with pytest.raises(ToolError, match=r"[Pp]ath"):
            tool.call(given)
        if command == "rename":
            with pytest.raises(ToolError, match=r"[Pp]ath"):
                tool.call({**given, "old_path": path, "new_path": "/memories/b"})
    listed = str(tool.call({"command": "view", "path": "/memories"}))
    assert listed.splitlines()[1:] == ["4K\t/memories"]


def test_what_claude_files_is_recalled_and_edited_like_any_memory(book: Commonplace) -> None:
    tool = BookMemoryTool(book)
    tool.call({
        "command": "create", "path": "/memories/team/deploy.md",
        "file_text": "We deploy on Thursdays from the release branch.\n",
    })  # fmt: skip
    found = book.recall("when do we deploy?")[0].memory
    assert found.content == "We deploy on Thursdays from the release branch.\n"
    assert book.get("/memories/team/deploy.md").id == found.id
    book.edit(found.id, content="We deploy on Fridays from the release branch.\n")
    shown = tool.call({"command": "view", "path": "/memories/team/deploy.md"})
    assert "     1\tWe deploy on Fridays" in str(shown)
    tool.call({"command": "delete", "path": "/memories/team"})
    assert [
        hit for hit in book.recall("when do we deploy?") if "Fridays" in hit.memory.content
    ] == []
    assert book.restore(book.history(found.id).versions[-1].id).memory.status == "active"
    shown = tool.call({"command": "view", "path": "/memories/team/deploy.md"})
    assert "     1\tWe deploy on Fridays" in str(shown)


def test_a_note_that_a_person_gave_a_strange_path_hides_no_other_file(
    tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"vault:{tmp_path / 'book'}")
    tool = BookMemoryTool(book)
    for name in ("ada", "bob"):
        tool.call({"command": "create", "path": f"/memories/{name}", "file_text": f"I am {name}."})
    note = next(one for one in (tmp_path / "book").rglob("*.md") if "I am bob" in one.read_text())
    note.write_text(note.read_text().replace("/memories/bob", "/memories/../bob"))
    listed = str(tool.call({"command": "view", "path": "/memories"}))
    assert "/memories/ada" in listed
    assert "bob" not in listed


def test_two_files_with_one_text_stay_two_files(book: Commonplace) -> None:
    tool = BookMemoryTool(book)
    for name in ("ada", "bob"):
        tool.call({"command": "create", "path": f"/memories/{name}", "file_text": "Likes tea."})
    tool.call({
        "command": "str_replace", "path": "/memories/bob", "old_str": "tea", "new_str": "coffee",
    })  # fmt: skip
    assert "Likes tea." in str(tool.call({"command": "view", "path": "/memories/ada"}))
    assert "Likes coffee." in str(tool.call({"command": "view", "path": "/memories/bob"}))


def test_tools_of_two_users_share_a_book_and_see_nothing_of_each_other(book: Commonplace) -> None:
    ada, bob = (BookMemoryTool(book.as_context({"user": name})) for name in ("ada", "bob"))
    ada.call({"command": "create", "path": "/memories/key.md", "file_text": "Ada's door is green"})
    bob.call({"command": "create", "path": "/memories/key.md", "file_text": "Bob's door is red"})
    assert "green" in str(ada.call({"command": "view", "path": "/memories/key.md"}))
    assert "red" in str(bob.call({"command": "view", "path": "/memories/key.md"}))
    ada.call({"command": "delete", "path": "/memories/key.md"})
    assert "red" in str(bob.call({"command": "view", "path": "/memories/key.md"}))


def test_a_task_has_files_of_its_own_even_under_the_same_path(book: Commonplace) -> None:
    user = BookMemoryTool(book.as_context({"user": "ada"}))
    task = BookMemoryTool(book.as_context({"user": "ada", "task": "t1"}))
    task.call({"command": "create", "path": "/memories/plan.md", "file_text": "the task's plan"})
    with pytest.raises(ToolError, match="does not exist"):
        user.call({"command": "view", "path": "/memories/plan.md"})
    user.call({"command": "create", "path": "/memories/plan.md", "file_text": "the user's plan"})
    assert "task's" in str(task.call({"command": "view", "path": "/memories/plan.md"}))
    assert "user's" in str(user.call({"command": "view", "path": "/memories/plan.md"}))


def test_a_credential_is_told_to_the_model_as_refused(book: Commonplace) -> None:
    tool = BookMemoryTool(book)
    form = next(form for form in FORMATS if form.label == "GitHub token")
    token = made_credentials.credential(form, random.Random(11))
    with pytest.raises(ToolError, match="credential") as refused:
        tool.call({"command": "create", "path": "/memories/x", "file_text": f"token {token}"})
    assert token not in str(refused.value)


def test_threads_of_one_agent_create_a_file_once(book: Commonplace) -> None:
    tool = BookMemoryTool(book)
    told: list[str] = []

    def create(text: str) -> None:
        told.append(answer(tool, {"command": "create", "path": "/memories/one", "file_text": text}))

    threads = [threading.Thread(target=create, args=(f"text {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told)[0] == "File created successfully at: /memories/one"
    assert set(sorted(told)[1:]) == {"error: File /memories/one already exists"}


def test_the_asynchronous_tool_does_the_same(book: Commonplace) -> None:
    tool = AsyncBookMemoryTool(book)

    async def use() -> list[object]:
        said = [
            await tool.call({"command": "create", "path": "/memories/a", "file_text": "one\n"}),
            await tool.call({
                "command": "insert", "path": "/memories/a", "insert_line": 1, "insert_text": "two",
            }),
            await tool.call({"command": "view", "path": "/memories/a", "view_range": [2, 2]}),
            await tool.call({
                "command": "rename", "old_path": "/memories/a", "new_path": "/memories/b",
            }),
            await tool.clear_all_memory(),
        ]  # fmt: skip
        with pytest.raises(ToolError):
            await tool.call({"command": "delete", "path": "/memories/b"})
        return said

    said = asyncio.run(use())
    assert said[2] == "Here's the content of /memories/a with line numbers:\n     2\ttwo"
    assert said[4] == "All memory cleared"
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
