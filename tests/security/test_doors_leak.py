"""Another tenant's ids, names and scopes, in every place of every door: nothing comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp.exceptions import FastMCPError
from mcp import MCPError

from commonplace.doors.plain_data import plain
from commonplace.doors.server.mcp import tools_in_set
from commonplace.doors.server.rest import READS, VERBS
from commonplace.doors.server.signatures import arguments_model
from tests.doors.serving import KEY, Served, book_in, serving

SECRET = "xylophone4711"
ADA: dict[str, Any] = {"org": "acme", "user": "ada", "role": "member"}
STRANGERS: dict[str, dict[str, Any]] = {
    "a colleague": {"org": "acme", "user": "bob", "role": "member"},
    "the same name elsewhere": {"org": "globex", "user": "ada", "role": "member"},
    "an admin of the org": {"org": "acme", "role": "admin"},
    "somebody without an org": {"user": "ada", "role": "member"},
    "somebody with a grant": {
        "org": "globex", "user": "eve", "role": "member",
        "grants": frozenset({"/org/acme/user/ada", "/org/acme"}),
    },
}  # fmt: skip
OWN = {
    "query": "instrument", "content": "A note of my own", "ref": "own", "wrong": "own",
    "right": "A better note of my own", "to": "/", "key": "own.key", "value": "own value",
    "name": "another name", "text": "instrument", "ids": ["own"], "drafts": ["A draft of my own"],
    "since": "2026-01-01T00:00:00Z", "id": "own",
}  # fmt: skip
"""Something harmless for whatever must be given."""
NAMING = {
    "ref", "wrong", "id", "ids", "work", "supersedes", "derived_from", "scope", "to", "target_id",
}  # fmt: skip
"""Places that name a memory or a scope: everything is tried there, elsewhere an id."""


class Victim:
    """Ada, and every way of naming what is hers."""

    def __init__(self, served: Served) -> None:
        self.book = served.book.as_context(ADA)
        memory = self.book.save(
            f"Her instrument is a {SECRET}",
            title="Ada's diary",
            aliases=["diary"],
            tags=["private"],
        ).memory
        other = self.book.save(f"The {SECRET} is in [[Ada's diary]]", topic="music").memory
        fact = self.book.fact_store("ada.pin", SECRET).memory
        task = self.book.as_context({**ADA, "task": "t1"}).save(f"{SECRET} task").memory
        asked = self.book.recall(f"{SECRET}")
        self.ids = [one.id for one in (memory, other, fact, task)]
        self.names = [
            *self.ids, memory.slug, "Ada's diary", "diary", "ada.pin", asked.id,
            self.book.audit()[0].id, str(memory.scope), str(task.scope), "private", "music", "t1",
        ]  # fmt: skip

    def everything(self) -> Any:
        return [plain(self.book.get(id)) for id in self.ids]

    def names_for(self, place: str) -> list[str]:
        return self.names if place in NAMING else self.ids[:1]


@contextmanager
def serving_tenants(folder: Path) -> Iterator[Served]:
    with (
        book_in(folder, store="sqlite") as book,
        serving(book, tools="all", per_second=10_000) as one,
    ):
        yield one


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving_tenants(tmp_path_factory.mktemp("leaks")) as one:
        yield one


@pytest.fixture(scope="module")
def victim(served: Served) -> Victim:
    return Victim(served)


def places(verb: str) -> list[tuple[str, bool]]:
    """Every argument that takes text, and whether it takes several."""
    found: list[tuple[str, bool]] = []
    for name, said in arguments_model(verb).model_json_schema().get("properties", {}).items():
        kinds = [one.get("type") for one in said.get("anyOf", [said])]
        if "string" in kinds or "array" in kinds:
            found.append((name, "array" in kinds))
    return found


def filled(verb: str) -> dict[str, Any]:
    fields = arguments_model(verb).model_fields
    return {name: OWN.get(name, "own") for name, field in fields.items() if field.is_required()}


@pytest.mark.parametrize("who", STRANGERS)
def test_nothing_of_another_tenant_comes_back_by_rest(
    served: Served, victim: Victim, who: str
) -> None:
    before = victim.everything()
    tried = 0
    with served.http(served.token(**STRANGERS[who])) as client:
        client.post("/v1/save", json={"content": "Mine by REST", "title": "own"})
        for verb in VERBS:
            for place, several in places(verb):
                for name in victim.names_for(place):
                    given = {**filled(verb), place: [name] if several else name}
                    answer = client.post(f"/v1/{verb}", json=given)
                    assert SECRET not in answer.text, (verb, given)
                    assert answer.status_code < 500, (verb, given, answer.text)
                    tried += 1
        for verb in READS:
            answer = client.get(f"/v1/{verb}", params={**filled(verb), "limit": 200})
            assert SECRET not in answer.text, verb
        for word in (SECRET, "instrument", "task", "private"):
            hits = client.post("/v1/recall", json={"query": word, "include_archive": True}).json()
            assert SECRET not in json.dumps(hits["hits"])
    assert tried > 200
    assert victim.everything() == before


@pytest.mark.parametrize("who", STRANGERS)
def test_another_tenant_s_id_is_as_unknown_as_one_that_never_was(tmp_path: Path, who: str) -> None:
    with serving_tenants(tmp_path) as served, served.http(served.token(**STRANGERS[who])) as client:
        victim = Victim(served)
        never = "0" * len(victim.ids[0])
        for verb in VERBS:
            if "ref" not in arguments_model(verb).model_fields:
                continue
            for id in victim.ids:
                told = client.post(f"/v1/{verb}", json={**filled(verb), "ref": id})
                unknown = client.post(f"/v1/{verb}", json={**filled(verb), "ref": never})
                assert told.status_code == unknown.status_code, verb
                assert told.text.replace(id, "") == unknown.text.replace(never, ""), verb


def test_nothing_of_another_tenant_comes_back_by_mcp(served: Served, victim: Victim) -> None:
    before = victim.everything()
    for who in ("a colleague", "the same name elsewhere"):
        told = asyncio.run(_by_mcp(served, victim, served.token(**STRANGERS[who])))
        assert len(told) > 100
        assert not [one for one in told if SECRET in one[-1]], who
    assert victim.everything() == before


async def _by_mcp(served: Served, victim: Victim, token: str) -> list[tuple[str, ...]]:
    told: list[tuple[str, ...]] = []
    async with served.mcp(token) as client:
        await client.call_tool("memory_save", {"content": "Mine by MCP", "title": "own"})
        for tool in tools_in_set("all", lambda: served.book):
            named = tool.parameters["properties"]
            needed = {name: OWN.get(name, "add") for name in tool.parameters.get("required", ())}
            for place, said in named.items():
                kinds = [one.get("type") for one in said.get("anyOf", [said])]
                if "enum" in said or not {"string", "array"} & set(kinds):
                    continue
                for name in victim.names_for(place):
                    given = {**needed, place: [name] if "array" in kinds else name}
                    if tool.name == "memory_write":
                        given |= {"action": "update" if place == "target_id" else "add"}
                        given.setdefault("content", f"about {place}")
                    answer = await client.call_tool(tool.name, given, raise_on_error=False)
                    told.append((tool.name, place, name, repr(answer)))
        for name in victim.names:
            try:
                read = await client.read_resource(f"memory://{name.strip('/').replace('/', '%2F')}")
            except (MCPError, FastMCPError, ValueError) as error:
                read = error
            told.append(("resource", name, repr(read)))
        told.append(("newest", repr(await client.read_resource("memory://newest"))))
        told += [
            ("prompt", repr(await client.get_prompt("session_start", given)))
            for given in ({}, {"agent": "ada"}, {"topic": "music"})
        ]
    return told


def test_one_session_id_does_not_carry_one_caller_s_rights_to_another(
    served: Served, victim: Victim
) -> None:
    assert victim.ids
    asked = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "memory_search", "arguments": {"query": "instrument"}},
    }  # fmt: skip
    accept = {"accept": "application/json, text/event-stream"}
    with served.http(served.token(**ADA), **accept) as ada:
        mine = ada.post("/mcp", json=asked)
        assert SECRET in mine.text
        session = mine.headers.get("mcp-session-id", "made-up")
    with served.http(served.token(**STRANGERS["a colleague"]), **accept) as bob:
        assert SECRET not in bob.post("/mcp", json=asked, headers={"mcp-session-id": session}).text


def test_where_things_are_on_the_machine_is_told_to_its_owner_only(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book) as served:
        mine = book.as_context(ADA).save("Her boat is called Zephyr").id
        tokens = [served.token(**ADA), served.token(org="acme", role="admin")]

        def asked(token: str) -> Iterator[str]:
            with served.http(token) as client:
                for verb in ("status", "doctor"):
                    yield client.get(f"/v1/{verb}").text
                for verb, given in (("get", {"ref": mine}), ("save", {"content": "No"})):
                    yield client.post(f"/v1/{verb}", json=given).text

        async def called(token: str) -> str:
            async with served.mcp(token) as client:
                answer = await client.call_tool(
                    "memory_forget", {"ref": mine}, raise_on_error=False
                )
                return str(answer.content)

        with served.http(KEY) as owner:
            assert str(tmp_path) in owner.get("/v1/status").text
        told = [one for token in tokens for one in asked(token)]
        (tmp_path / "book").rename(tmp_path / "unplugged")
        told += [one for token in tokens for one in (*asked(token), asyncio.run(called(token)))]
        with served.http(KEY) as owner:
            failed = owner.post("/v1/get", json={"ref": mine})
            assert (failed.status_code, str(tmp_path) in failed.text) == (503, True)
        (tmp_path / "unplugged").rename(tmp_path / "book")
    assert any("store_unavailable" in one for one in told), "programs know that it may pass"
    assert any("ask the operator of the server" in one for one in told)
    assert not [one for one in told if str(tmp_path) in one]
