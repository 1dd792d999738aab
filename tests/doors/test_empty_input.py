"""An empty or blank name, key, question or text is refused in one sentence, and changes nothing."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from commonplace import BadInput, Commonplace
from tests.doors.shell import Shell

GIVEN = {
    "ref": "kettle", "name": "teapot", "key": "tea.hour", "value": "four", "content": "Tea at four",
    "query": "when is tea?", "description": "the kettle", "confirm": "none", "user": "ada",
    "wrong": "The kettle is copper", "right": "The kettle is steel", "path": "tea.jsonl",
}  # fmt: skip
"""Good arguments, by the names that the verbs give them."""


def needed(verb: str) -> list[str]:
    """The names of the arguments that a verb cannot do without."""
    parameters = inspect.signature(getattr(Commonplace, verb)).parameters.values()
    required = (one for one in parameters if one.default is one.empty)
    return [one.name for one in required if one.kind is one.POSITIONAL_OR_KEYWORD][1:]


def texts() -> list[tuple[str, str]]:
    """Each verb with each text that it needs."""
    verbs = [name for name in dir(Commonplace) if inspect.isfunction(getattr(Commonplace, name))]
    return [
        (verb, name)
        for verb in verbs
        if not verb.startswith("_") and needed(verb) and GIVEN.keys() >= set(needed(verb))
        for name in needed(verb)
        if name != "confirm"
    ]


@pytest.mark.parametrize("empty", ["", " ", " \t\n"])
@pytest.mark.parametrize(("verb", "argument"), texts())
def test_no_verb_takes_an_empty_text(open_vault: Any, verb: str, argument: str, empty: str) -> None:
    book = open_vault(source="person")
    book.save("The kettle is copper", title="kettle")
    before = list(book.export(everything=True))
    given = GIVEN | {argument: empty}
    with pytest.raises(BadInput) as refused:
        getattr(book, verb)(*(given[name] for name in needed(verb)))
    assert refused.value.sentence
    assert refused.value.hint
    assert list(book.export(everything=True)) == before


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("fact", "set", "", "four"), "The key is empty."),
        (("fact", "set", " ", "four"), "The key is empty."),
        (("fact", "get", " "), "The key is empty."),
        (("fact", "set", "tea.hour", "four", "--namespace", " "), "The namespace is empty."),
        (("history", ""), "No memory is named."),
        (("get", " "), "No memory is named."),
        (("forget", " "), "No memory is named."),
        (("forget", "--about", ""), "The description is empty."),
        (("correct", " ", "four"), "It is not said what is wrong."),
        (("sources", "search", " "), "The question is empty."),
        (("audit", ""), "This names no file."),
        (("import", " "), "This names no file."),
    ],
)
def test_the_command_line_says_what_is_empty(
    shell: Shell, command: tuple[str, ...], sentence: str
) -> None:
    shell.run("save", "The kettle is copper")
    told = shell.try_(*command)
    said, hint = told.err.strip().splitlines()
    assert (told.code, told.out, said) == (2, "", sentence)
    assert hint
    assert len(shell.ask("list")) == 1
