"""The hosts themselves, with our hooks and our MCP server, and a model of our own."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.install.install import install, uninstall
from commonplace.doors.install.settings_json import parse_json

from .drivers import DRIVERS, Driver
from .machine import ASKED, Machine
from .model import model

pytestmark = pytest.mark.slow
WRONG = "No, that is wrong: we deploy from the branch release, not from main."


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Driver:
    return DRIVERS[request.param]


def machine_in(home: Path) -> Machine:
    """A machine whose book knows what an agent has saved; its person may correct that."""
    home.mkdir(exist_ok=True)
    made = Machine(home)
    with made.book() as book:
        book.as_context(book.context, source="mcp").save("We deploy from the branch main")
        book.fact_store("arena.name", "Colosseum")
    return made


def test_memories_and_tools_are_in_the_requests_and_the_turns_in_the_book(
    driver: Driver, tmp_path: Path
) -> None:
    machine = machine_in(tmp_path / "home")
    with model("From main, then.", call=("memory_search", {"query": "deploy branch"})) as one:
        driver.write_settings(machine, one.url)
        install(driver.name, machine.environ)
        assert "From main, then." in driver.run(machine, one.url, *driver.ask, ASKED)
    first, *_ = one.asked(ASKED)
    assert "arena.name: Colosseum" in str(first)
    assert ("We deploy from the branch main" in str(first)) == driver.at_prompt
    assert "We deploy from the branch main" in one.results()
    machine.drain()
    assert machine.waiting() == []
    assert machine.log == []
    with machine.book() as book:
        [summary] = book.list(kinds=["session-summary"])
    # Memories that were handed over are nobody's turn, however a host wraps them.
    assert summary.title.casefold().startswith(ASKED.rstrip("?"))
    assert "memory-context" not in summary.content
    assert "hook_context" not in summary.content


def test_a_correction_in_one_session_is_in_the_next(driver: Driver, tmp_path: Path) -> None:
    machine = machine_in(tmp_path / "home")
    with model("Understood.", call=("memory_search", {"query": "deploy branch"})) as one:
        driver.write_settings(machine, one.url)
        install(driver.name, machine.environ)
        driver.run(machine, one.url, *driver.ask, WRONG)
        machine.drain()
        one.heard.clear()
        driver.run(machine, one.url, *driver.ask, ASKED)
    told = one.said_to_it if driver.at_prompt else one.results()
    assert "the branch release" in told
    assert "We deploy from the branch main" not in told


def test_uninstall_after_the_host_rewrote_its_files_leaves_its_person_s_own(
    driver: Driver, tmp_path: Path
) -> None:
    ours, theirs = machine_in(tmp_path / "ours"), machine_in(tmp_path / "theirs")
    with model("From main, then.") as one:
        for machine in (ours, theirs):
            driver.write_settings(machine, one.url)
            if machine is ours:
                install(driver.name, machine.environ)
            driver.run(machine, one.url, *driver.add_server)
            driver.run(machine, one.url, *driver.ask, ASKED)
    rewritten = driver.settings(ours.home)
    assert any("commonplace" in text and "weather" in text for text in rewritten.values())
    uninstall(driver.name, ours.environ)
    left, alone = driver.settings(ours.home), driver.settings(theirs.home)
    assert "commonplace" not in str(left)
    assert {name: chosen(name, text) for name, text in left.items()} == {
        name: chosen(name, text) for name, text in alone.items()
    }
    for name, text in driver.own(one.url).items():
        for line in text.splitlines():
            comment = line.partition("#" if name.endswith(".toml") else "//")[2]
            assert comment in (left.get(name) or (ours.home / name).read_text("utf-8"))


def chosen(name: str, text: str) -> Any:
    """What a person has chosen in a settings file, without what the host counts in it."""
    if name.endswith(".toml"):
        return tomllib.loads(text)
    found = parse_json(text).value
    return found["mcpServers"] if name == ".claude.json" else json.loads(json.dumps(found))
