"""The same question has the same answer through every door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.doors.plain_data import marked, plain
from commonplace.settings import Settings

from .serving import Served, serving
from .shell import Shell

TEXTS = (
    ("The deploy branch is main", {"tags": ["deploy"], "kind": "workflow"}),
    ("Releases are cut on Fridays from the deploy branch", {"topic": "shipping"}),
    ("Ada prefers tea in the morning", {"kind": "preference"}),
    ("The staging server forgets its cache every night", {"kind": "fix"}),
    ("Robots in Mech Fighters fight in pairs", {"scope": "/project/mech-fighters"}),
)
QUESTIONS = (
    {"query": "which branch do we deploy from?"},
    {"query": "what does Ada drink?", "limit": 1},
    {"query": "deploy.branch"},
    {"query": "branch", "kinds": ["workflow"]},
    {"query": "how do robots fight", "scope": "/project/mech-fighters"},
    {"query": "which branch do we deploy from", "since": "1d", "until": "2100-01-01"},
    {"query": "a question nobody can answer"},
)


@pytest.fixture
def filled(vault_shell: Shell) -> Iterator[Commonplace]:
    """The shell's own book, opened as a library too."""
    settings = Settings(state=vault_shell.environ["COMMONPLACE_STATE"], embedder="none")
    vault_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    with open_book(vault_shell.environ["COMMONPLACE_URL"], settings=settings) as book:
        for text, fields in TEXTS:
            book.save(text, **fields)
        book.fact_store("deploy.branch", "main")
        yield book


def by_command(shell: Shell, query: str, **given: Any) -> Any:
    options = [f"--{name.removesuffix('s')}={one}" for name, value in given.items()
               for one in (value if isinstance(value, list) else [value])]  # fmt: skip
    return shell.ask("recall", query, *options)


def by_mcp(served: Served, **given: Any) -> Any:
    async def asked() -> Any:
        async with served.mcp() as client:
            return (await client.call_tool("memory_search", given)).structured_content

    return asyncio.run(asked())


def comparable(answer: Any) -> Any:
    """An answer without what differs from one asking to the next: its id in the log."""
    told = json.loads(json.dumps(answer))
    del told["id"]
    for hit in told["hits"]:
        hit["score"] = round(hit["score"], 4)
        for why in hit["why"]:
            why["share"] = round(why["share"], 3)
    return told


def test_library_command_mcp_and_rest_agree(vault_shell: Shell, filled: Commonplace) -> None:
    with serving(filled) as served, served.http() as rest:
        for question in QUESTIONS:
            given = {"limit": 10, **question}
            told = comparable(plain(filled.recall(**given)))
            assert bool(told["hits"]) is ("nobody" not in given["query"])
            assert comparable(rest.post("/v1/recall", json=given).json()) == told
            assert comparable(rest.get("/v1/recall", params=given).json()) == told
            assert comparable(by_mcp(served, **given)) == told
            assert comparable(by_command(vault_shell, **given)) == told


def test_what_one_door_writes_every_other_reads(vault_shell: Shell, filled: Commonplace) -> None:
    with serving(filled, tools="all") as served, served.http() as rest:
        rest.post("/v1/save", json={"content": "Written by REST", "title": "rest"})
        vault_shell.run("save", "Written by command", "--title", "command")
        filled.save("Written by library", title="library")

        async def mcp(name: str) -> Any:
            async with served.mcp() as client:
                return await client.call_tool("memory_get", {"ref": name, "full": True})

        for name in ("rest", "command", "library"):
            told = vault_shell.ask("get", name)
            assert told["content"].endswith(name) or name == "rest"
            assert rest.get("/v1/get", params={"ref": name}).json() == told
            known = filled.get(name)
            assert marked(known, filled.marks([known])) == told
            assert asyncio.run(mcp(name)).structured_content == {**told, "cut": False}


def test_a_failure_has_the_same_code_and_words_through_every_door(
    vault_shell: Shell, filled: Commonplace, tmp_path: Path
) -> None:
    assert tmp_path.exists()
    told = vault_shell.try_("forget", "nothing-like-it", "--json").json["error"]
    with serving(filled) as served, served.http() as rest:
        problem = rest.post("/v1/forget", json={"ref": "nothing-like-it"}).json()
    assert (problem["code"], problem["detail"]) == (told["code"], told["message"])


def test_every_door_says_who_wrote_a_memory(vault_shell: Shell, filled: Commonplace) -> None:
    panel = filled.as_context(filled.context, source="panel")
    written = {
        panel.save("The lamp in the hall is green").memory.id: ("user", "panel", "a person"),
        filled.save("The lamp in the attic is red").memory.id: ("agent", "library", "an agent"),
    }

    async def by_tool(served: Served, ref: str) -> tuple[str, Any]:
        async with served.mcp() as client:
            told = await client.call_tool("memory_get", {"ref": ref})
            return str(told.content), told.structured_content

    with serving(filled, tools="all") as served, served.http() as rest:
        for id, (trust, source, owner) in written.items():
            text, by_mcp = asyncio.run(by_tool(served, id))
            assert f"{trust} via {source}" in text
            for told in (by_mcp, rest.get("/v1/get", params={"ref": id}).json(),
                         vault_shell.ask("get", id)):  # fmt: skip
                # What is as usual is left out, as it is in a note.
                said = {"trust": "agent", "source": "library", **told}
                assert (said["trust"], said["source"]) == (trust, source)
            lines = vault_shell.run("get", id).out.splitlines()
            assert f"owner {owner}" in [" ".join(line.split()) for line in lines]
            by = {"panel": "by a person in the panel", "library": "by a program"}[source]
            assert f"trust {trust}, {by}" in [" ".join(line.split()) for line in lines]
