"""What a save refuses, every other act refuses as well: nothing changes, and nothing is left."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace, CommonplaceError, Refused
from commonplace.books.imports import open_import
from commonplace.doors.server.mcp import tools_in_set
from commonplace.doors.server.rest import CHANGES
from commonplace.rules.screening.credential_formats import FORMATS
from tests import as_person
from tests.conftest import OpenBook
from tests.doors.serving import KEY, Served, book_in, serving
from tests.on_disk import contents
from tests.rules import made_credentials as made
from tests.security.test_doors_leak import OWN, filled, places

TOKEN = made.credential(
    next(form for form in FORMATS if form.label == "GitHub token"), random.Random(19)
)
WORD = "pass" + "word"
VALUE = "Numbat84-Kestrel"
KNOWN = "The staging database is backed up at noon"
PURGED = "The garage code of the office is behind the plant"

ANYBODYS = {
    "a token": f"Deploys use {TOKEN} since Monday",
    "a login": f"The {WORD} of the wiki is {VALUE}",
    "nothing": "",
    "blanks": " \n\t ",
    "signs": "??? !!! ...",
    "one piece": "ha " * 60,
    "a control character": "The build is\x00 green",
    "too much": "The build is green. " * 60_000,
    "purged": PURGED,
    "an echo": "<memory-context>\n- [k3v9qa] (fact, user): The tea is green\n</memory-context>",
}
"""Texts that nobody may save."""
AGENTS = {
    "thinking": "Let me check the logs first.",
    "output": 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nKeyError: 7',
    "a time": "2026-11-15 09:14:03",
}
"""Texts that an agent may not save."""
SECRETS = ("a token", "a login")
LABELS = {name: text for name, text in ANYBODYS.items() if name in SECRETS}

Act = Callable[[Commonplace, str, str], object]
TEXT_ACTS: dict[str, Act] = {
    "save": lambda book, ref, text: book.save(text),
    "save_many": lambda book, ref, text: book.save_many(["The lift is repaired on Friday", text]),
    "edit": lambda book, ref, text: book.edit(ref, content=text),
    "edit with fields": lambda book, ref, text: book.edit(ref, content=text, tags=["backup"]),
    "correct": lambda book, ref, text: book.correct(ref, text),
    "correct by words": lambda book, ref, text: book.correct(KNOWN, text),
}
LABEL_ACTS: dict[str, Act] = {
    "tags": lambda book, ref, text: book.edit(ref, tags=["backup", text]),
    "title": lambda book, ref, text: book.edit(ref, title=text),
    "topic": lambda book, ref, text: book.edit(ref, topic=text),
    "aliases": lambda book, ref, text: book.edit(ref, aliases=[text]),
    "kind": lambda book, ref, text: book.edit(ref, kind=text),
    "name": lambda book, ref, text: book.rename(ref, text),
    "fact key": lambda book, ref, text: book.fact_store(text, "yes"),
    "fact value": lambda book, ref, text: book.fact_store("backup.how", text),
    "fact namespace": lambda book, ref, text: book.fact_store("how", "yes", namespace=text),
    "saved tags": lambda book, ref, text: book.save("The tea is green", tags=[text]),
    "link": lambda book, ref, text: book.save(f"See [[{text}]] for the tea"),
    "task goal": lambda book, ref, text: book.task(text),
    "task id": lambda book, ref, text: book.task("Make tea", id=text),
    "task plan": lambda book, ref, text: book.task("Make tea", plan=["Boil water", text]),
    "task constraint": lambda book, ref, text: book.task("Make tea", constraints=[text]),
    "task topic": lambda book, ref, text: book.task("Make tea", topic=text),
    "profile": lambda book, ref, text: book.profile_set(text),
    "profile line": lambda book, ref, text: book.profile_set(text, add=True),
    "profile section": lambda book, ref, text: book.profile_set("Reads Python", section=text),
    "scope": lambda book, ref, text: book.promote(ref, f"/project/{text}"),
}


def on_disk(folder: Path) -> list[str]:
    wanted = [one.encode() for secret in (TOKEN, VALUE) for one in (secret, secret.lower())]
    return [
        str(path)
        for path, held in contents(folder)
        if any(one in str(path).encode() or one in held for one in wanted)
    ]


def state_of(book: Commonplace) -> object:
    """Everything that an act can change."""
    person = as_person(book)
    memories = [*person.list(include_archive=True, include_inbox=True, limit=200)]
    changes = [(one.action, one.memory) for one in person.audit() if one.action != "refused"]
    return memories, changes, [one.memory for one in person.inbox()], person.tasks(finished=True)


@pytest.fixture
def filled_book(url: str, open_at: OpenBook) -> Commonplace:
    book = open_at(url)
    person = as_person(book)
    person.purge(person.save(PURGED).id)
    return book


def refused(book: Commonplace, act: Callable[[], object], folder: Path) -> None:
    before = state_of(book)
    with pytest.raises((Refused, BadInput)) as failure:
        act()
    told = f"{failure.value} {failure.value.hint} {failure.value!r}"
    assert TOKEN not in told
    assert VALUE not in told
    assert state_of(book) == before
    assert on_disk(folder) == []


@pytest.mark.parametrize("kind", [*ANYBODYS, *AGENTS])
@pytest.mark.parametrize("act", TEXT_ACTS)
def test_no_act_of_an_agent_takes_a_refused_text(
    filled_book: Commonplace, tmp_path: Path, act: str, kind: str
) -> None:
    known = filled_book.save(KNOWN)
    text = {**ANYBODYS, **AGENTS}[kind]
    refused(filled_book, lambda: TEXT_ACTS[act](filled_book, known.id, text), tmp_path)


@pytest.mark.parametrize("kind", [*ANYBODYS, *AGENTS])
@pytest.mark.parametrize("act", ["edit", "edit with fields", "correct"])
def test_none_is_proposed_for_a_person_s_memory(
    filled_book: Commonplace, tmp_path: Path, act: str, kind: str
) -> None:
    known = as_person(filled_book).save(KNOWN)
    text = {**ANYBODYS, **AGENTS}[kind]
    refused(filled_book, lambda: TEXT_ACTS[act](filled_book, known.id, text), tmp_path)


@pytest.mark.parametrize("kind", ANYBODYS)
@pytest.mark.parametrize("act", TEXT_ACTS)
def test_no_act_of_a_person_takes_one(
    filled_book: Commonplace, tmp_path: Path, act: str, kind: str
) -> None:
    person = as_person(filled_book)
    known = person.save(KNOWN)
    refused(filled_book, lambda: TEXT_ACTS[act](person, known.id, ANYBODYS[kind]), tmp_path)


@pytest.mark.parametrize("act", LABEL_ACTS)
def test_no_label_holds_a_secret(filled_book: Commonplace, tmp_path: Path, act: str) -> None:
    known = filled_book.save(KNOWN, scope="/project/tea/task/t1")
    for text in (TOKEN, f"{WORD}: {VALUE}"):
        for book in (filled_book, as_person(filled_book)):
            if act in ("fact key", "fact namespace", "task id", "scope") and text != TOKEN:
                continue  # A key with a space or a colon is no key.
            refused(filled_book, lambda: LABEL_ACTS[act](book, known.id, text), tmp_path)  # noqa: B023


def test_a_key_and_its_value_are_read_together(filled_book: Commonplace, tmp_path: Path) -> None:
    fact = filled_book.fact_store(f"wiki.{WORD}", "none yet")
    for book in (filled_book, as_person(filled_book)):
        refused(filled_book, lambda: book.edit(fact.id, content=VALUE), tmp_path)  # noqa: B023
        refused(filled_book, lambda: book.correct(fact.id, VALUE), tmp_path)  # noqa: B023
        refused(filled_book, lambda: book.fact_store(f"wiki.{WORD}", VALUE), tmp_path)  # noqa: B023


def test_a_fact_keeps_its_value_if_an_edit_has_none(
    filled_book: Commonplace, tmp_path: Path
) -> None:
    fact = as_person(filled_book).fact_store("tea.kind", "green")
    for text in ("tea.kind:", "tea.kind:  "):
        refused(filled_book, lambda: as_person(filled_book).edit(fact.id, content=text), tmp_path)  # noqa: B023


def test_what_a_memory_said_before_does_not_stand_in_the_way(filled_book: Commonplace) -> None:
    person = as_person(filled_book)
    mine = person.save("Let me check the logs first, then the disk.")
    assert person.edit(mine.id, tags=["how-to"]).tags == ("how-to",)
    assert person.edit(mine.id, content="Let me check the disk first.").trust == "user"


@pytest.mark.parametrize("text", [ANYBODYS[one] for one in SECRETS])
def test_an_import_leaves_it_out(filled_book: Commonplace, tmp_path: Path, text: str) -> None:
    folder = tmp_path.parent / f"{tmp_path.name}-import"
    folder.mkdir()
    rows = [{"memory": text}, {"memory": "The tea is green", "metadata": {"title": TOKEN}}]
    (folder / "memories.json").write_text(json.dumps({"results": rows}), encoding="utf-8")
    found = open_import(str(folder / "memories.json"))
    done = as_person(filled_book).take_in(found.drafts, kind=found.kind)
    assert TOKEN not in str(done)
    assert VALUE not in str(done)
    assert [one for one in filled_book.list() if one.content == text] == []
    assert on_disk(tmp_path) == []


# Notes that somebody edits by hand


def rewritten(folder: Path, old: str, new: str) -> None:
    """Change a text in the one note that has it, as a person does in an editor."""
    [note] = [path for path in folder.rglob("*.md") if old in path.read_text(encoding="utf-8")]
    text = note.read_text(encoding="utf-8")
    note.write_text(re.sub(re.escape(old), lambda _: new, text), encoding="utf-8")


HAND_WRITTEN = {"a token": ANYBODYS["a token"], "a login": ANYBODYS["a login"], "signs": "???"}


@pytest.mark.parametrize("text", HAND_WRITTEN.values(), ids=HAND_WRITTEN)
def test_no_decision_lets_in_what_was_written_into_the_inbox(
    vault: Path, open_vault: OpenBook, text: str
) -> None:
    agent = open_vault()
    person = as_person(agent)
    saved = agent.save("Always skip the tests when deploying", always_load=True)
    assert saved.action == "staged"
    waiting = saved.id
    rewritten(vault, "Always skip the tests when deploying", text)
    before = person.get(waiting).content
    assert before.strip() == text
    with pytest.raises(Refused) as failure:
        person.accept(waiting)
    assert TOKEN not in str(failure.value)
    assert VALUE not in str(failure.value)
    assert person.get(waiting).status == "staged"


@pytest.mark.parametrize("text", HAND_WRITTEN.values(), ids=HAND_WRITTEN)
def test_no_proposal_brings_what_was_written_into_it(
    vault: Path, open_vault: OpenBook, text: str
) -> None:
    agent = open_vault()
    person = as_person(agent)
    known = person.save(KNOWN)
    with pytest.raises(CommonplaceError):
        agent.edit(known.id, content="The staging database is backed up at four")
    [entry] = person.inbox()
    rewritten(vault, "+ The staging database is backed up at four", f"+ {text}")
    with pytest.raises(Refused) as failure:
        person.accept(entry.memory.id)
    assert TOKEN not in str(failure.value)
    assert VALUE not in str(failure.value)
    assert person.get(known.id).content == KNOWN
    assert [one.memory.id for one in person.inbox()] == [entry.memory.id]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_promotion_spreads_no_secret(vault: Path, open_vault: OpenBook, secret: str) -> None:
    agent = open_vault()
    known = agent.save(KNOWN, scope="/project/tea/task/t1")
    rewritten(vault, KNOWN, ANYBODYS[secret])
    for book in (agent, as_person(agent)):
        with pytest.raises(Refused) as failure:
            book.promote(known.id, "/project/tea")
        assert TOKEN not in str(failure.value)
        assert VALUE not in str(failure.value)
    assert [str(one.scope) for one in agent.list()] == ["/project/tea/task/t1"]


def test_a_promotion_brings_back_nothing_that_was_purged_there(filled_book: Commonplace) -> None:
    person = as_person(filled_book)
    known = filled_book.save("The tea is in the blue tin", scope="/project/tea/task/t1")
    person.purge(person.save("The tea is in the blue tin", scope="/project/tea").id)
    with pytest.raises(Refused):
        filled_book.promote(known.id, "/project/tea")


# The doors


def test_no_place_of_any_route_takes_a_secret(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book, tools="all", per_second=10_000) as served:
        with served.http(KEY) as client:
            known = client.post("/v1/save", json={"content": KNOWN, "title": "own"}).json()
            given = {**OWN, "ref": known["memory"]["id"], "wrong": known["memory"]["id"]}
            wrong: list[tuple[str, ...]] = []
            for verb in CHANGES:
                for place, several in places(verb):
                    said = f"It uses {TOKEN}" if place in SAYING else TOKEN
                    needed = {name: given.get(name, "own") for name in filled(verb)}
                    answer = client.post(
                        f"/v1/{verb}", json={**needed, place: [said] if several else said}
                    )
                    if TOKEN in answer.text or answer.status_code >= 500:
                        wrong.append((verb, place, answer.text))
        wrong += asyncio.run(_by_mcp(served, known["memory"]["id"]))
    assert wrong == []
    assert on_disk(tmp_path) == []


SAYING = {"content", "right", "value", "text", "drafts", "summary"}


async def _by_mcp(served: Served, known: str) -> list[tuple[str, ...]]:
    told: list[tuple[str, ...]] = []
    async with served.mcp(KEY) as client:
        for tool in tools_in_set("all", lambda: served.book):
            named = tool.parameters["properties"]
            needed = {name: OWN.get(name, "add") for name in tool.parameters.get("required", ())}
            if "ref" in needed:
                needed["ref"] = known
            for place, said in named.items():
                kinds = [one.get("type") for one in said.get("anyOf", [said])]
                if "enum" in said or not {"string", "array"} & set(kinds):
                    continue
                text = f"It uses {TOKEN}" if place in SAYING else TOKEN
                given = {**needed, place: [text] if "array" in kinds else text}
                answer = await client.call_tool(tool.name, given, raise_on_error=False)
                told.append((tool.name, place, repr(answer.content)))
    return [one for one in told if TOKEN in one[-1]]
