"""Whatever can happen has one name in one place, and what is said of it there is so."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import commonplace
from commonplace.rules import audit, proposals
from commonplace.verbs import undo

SOURCE = Path(commonplace.__file__).parent
WRITING = ("model", "engine", "verbs", "agent")
"""Where events are made."""
OF_THE_INBOX = {*proposals.ACTIONS, "proposed", "remember"}
"""What a person is asked, which is called an action too; no event has these words."""


def trees() -> dict[str, ast.Module]:
    """Every module that may make an event, by its name."""
    files = [
        file
        for place in WRITING
        for file in (SOURCE / place, *(SOURCE / place).rglob("*.py"))
        if file.is_file()
    ]
    return {
        ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): ast.parse(file.read_text(encoding="utf-8"))
        for file in files
    }


def places_of_actions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions and values that are given an `action`, with its place among what they are given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [one.arg for one in node.args.args if one.arg != "self"]
        elif isinstance(node, ast.ClassDef):
            fields = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
            names = [one.id for one in fields if isinstance(one, ast.Name)]
        else:
            continue
        if "action" in names:
            yield node.name, names.index("action")


def words(given: ast.expr, module: str) -> Iterator[str]:
    """The words that something given stands for; none for what was itself given."""
    match given:
        case ast.Constant(str(word)):
            yield word
        case ast.IfExp():
            yield from (*words(given.body, module), *words(given.orelse, module))
        case ast.Name(name) if name.isupper():
            yield getattr(import_module(module), name)
        case ast.Attribute(ast.Name(place), name) if name.isupper():
            yield getattr(getattr(import_module(module), place), name)


def written(modules: dict[str, ast.Module]) -> set[str]:
    """Every action that the source gives to something that makes or passes on events."""
    places = [one for tree in modules.values() for one in places_of_actions(tree)]
    found: set[str] = set()
    for module, tree in modules.items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            given = [one.value for one in call.keywords if one.arg == "action"]
            called = getattr(call.func, "id", getattr(call.func, "attr", ""))
            given += [
                call.args[place]
                for name, place in places
                if name == called and place < len(call.args)
            ]
            found |= {word for one in given for word in words(one, module)}
    return found


def test_every_action_that_is_written_is_named_and_every_name_is_written() -> None:
    assert written(trees()) - OF_THE_INBOX == audit.ALL_ACTIONS


@pytest.mark.parametrize(
    "code",
    [
        'event(engine, "painted", memory)',
        'Event(id=id, at=now, action="painted", memory="", scope="/", by="cli")',
        'event(engine, "painted" if new else "created", memory)',
        'def paint(engine, action): event(engine, action, memory)\npaint(engine, "painted")',
        "event(engine, PAINTED, memory)",
    ],
)
def test_that_check_finds_an_action_without_a_name(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    painting = type(sys)("painting")
    monkeypatch.setattr(painting, "PAINTED", "painted", raising=False)
    monkeypatch.setitem(sys.modules, "painting", painting)
    assert "painted" in written({**trees(), "painting": ast.parse(code)})


def test_what_is_said_to_be_undoable_is_what_undo_knows() -> None:
    assert undo._UNDO.keys() == audit.UNDOABLE_ACTIONS


def test_no_question_is_named_like_something_that_happened() -> None:
    assert OF_THE_INBOX.isdisjoint(audit.ALL_ACTIONS)


def test_what_makes_a_memory_can_be_undone() -> None:
    assert {*audit.DERIVING} < {*audit.MAKING} < audit.UNDOABLE_ACTIONS


def test_each_action_has_its_name_once() -> None:
    groups = (
        audit.LEARNED, audit.PUT_RIGHT, audit.RETIRED, audit.BROUGHT_BACK, audit.MAINTAINED,
        audit.TOMBSTONES, audit.TEXT_UNCHANGED, (audit.MOVED, audit.ABANDONED),
    )  # fmt: skip
    names = [name for group in groups for name in group]
    assert sorted(names) == sorted(audit.ALL_ACTIONS)
