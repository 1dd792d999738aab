"""Keys of settings files, and commands of build files, with their values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.anchors.anchor import Anchor, is_tree_path, read_anchor
from commonplace.rules.anchors.settings_keys import (
    all_settings,
    find_settings,
    has_item,
    is_settings_file,
    settings_hash,
)

FILES = {
    "a.toml": '# port = 1\n[server]\nport = 8080 # http\nname = "x # y"\n'
    'list = [\n  "a", # one\n  "b",\n]\n',
    "a.ini": "[server]\nport: 8080\nname=x # y\nlist = a b\n",
    "a.yaml": 'server:\n  port: 8080 # http\n  name: "x # y"\n  list:\n    - a\n    - b\n'
    "run: |\n  port: 1\n",
    "a.json": '{"server": {"port": 8080, "name": "x # y", "list": ["a", "b"]}}',
    "a.jsonc": '{\n  // port\n  "server": {"port": 8080, "name": "x # y", "list": ["a"]},\n}\n',
}  # fmt: skip


@pytest.mark.parametrize("path", FILES)
def test_a_key_is_found_by_its_name_and_by_its_place(path: str) -> None:
    for name in ("port", "server.port"):
        [found] = find_settings(FILES[path], name, path)
        assert (found.name, found.value) == ("server.port", "8080")
    assert find_settings(FILES[path], "absent", path) == []
    assert [one.name for one in find_settings(FILES[path], "list", path)] == ["server.list"]


@pytest.mark.parametrize("path", [one for one in FILES if one != "a.ini"])
def test_a_hash_within_quotes_is_part_of_the_value(path: str) -> None:
    assert find_settings(FILES[path], "name", path)[0].value == "x # y"


def test_variables_of_an_environment_and_of_a_container() -> None:
    env = "export PORT=8080\n# OLD=1\nNAME='a b'\n"
    assert [(one.name, one.value) for one in all_settings(env, ".env.example")] == [
        ("PORT", "8080"), ("NAME", "a b"),
    ]  # fmt: skip
    made = all_settings("FROM python:3.12\nENV PORT=8080\nEXPOSE 8080\n", "Dockerfile")
    assert ("FROM", "python:3.12") in [(one.name, one.value) for one in made]
    assert ("PORT", "8080") in [(one.name, one.value) for one in made]


def test_keys_of_a_table_in_one_line_are_keys() -> None:
    text = '[project]\nversion = {attr = "shop.__version__"}\nx = { y = { z = 1 }, l = [1, 2] }\n'
    found = {one.name: one.value for one in all_settings(text, "pyproject.toml")}
    assert found["project.version.attr"] == "shop.__version__"
    assert (found["project.x.y.z"], found["project.x.l"]) == ("1", "[1,2]")


def test_keys_of_a_yaml_mapping_in_one_line_are_keys() -> None:
    text = (
        'limits: {cpu: 2, mem: 512, tag: "a, b", url: http://x.example:80/y, in: {disk: 9}}\n'
        "many: {\n  cpu: 3,\n}\nlist: [1, 2]\n"
    )
    found = [(one.name, one.value) for one in all_settings(text, "a.yaml")]
    for name, value in (
        ("limits.cpu", "2"), ("limits.mem", "512"), ("limits.tag", "a, b"), ("many.cpu", "3"),
        ("limits.url", "http://x.example:80/y"), ("limits.in.disk", "9"), ("list", "[1, 2]"),
    ):  # fmt: skip
        assert [one for one in found if one[0] == name] == [(name, value)]


SAME_VALUES = [
    ("8_443", "8443"),
    ("true", "yes"),
    ("on", "True"),
    ("no", "off"),
    ("[1_000]", "[1000]"),
]
OTHER_VALUES = [("8_443", "8_444"), ("true", "no"), ("1_0", "1.0"), ("on", "once"), ("a_1", "a1")]


@pytest.mark.parametrize(("one", "other"), [*SAME_VALUES, *OTHER_VALUES])
def test_another_spelling_of_a_number_or_a_truth_value_is_no_change(one: str, other: str) -> None:
    same = (one, other) in SAME_VALUES
    assert has_item(one, other) is has_item(other, one) is same
    old, new = (all_settings(f"x: {value}\n", "a.yaml") for value in (one, other))
    assert (settings_hash("x", old) == settings_hash("x", new)) is same


def test_commands_are_what_they_run() -> None:
    make = "X ?= 1\n.PHONY: test\ntest: lint ## all\n\t@pytest -q\n\nlint:\n\truff check .\n"
    found = {one.name: one.value for one in all_settings(make, "Makefile")}
    assert found == {"X": "1", "test": "lint pytest -q", "lint": "ruff check ."}
    just = "test filter='':\n  pytest -k {{filter}}\n"
    assert find_settings(just, "test", "justfile")[0].value == "pytest -k {{filter}}"


@given(st.text(alphabet="ab:=[]{}\"'\n\t -#|,./\\"), st.sampled_from([*FILES, "Makefile", ".env"]))
def test_no_text_makes_the_reading_fail(text: str, path: str) -> None:
    assert is_settings_file(path)
    all_settings(text, path)


LINES = [
    Anchor("src/app.py"),
    Anchor("src/"),
    Anchor("src/app.py", hash="0123456789ab"),
    Anchor("src/my app.py", "load()", hash="0123456789ab"),
    Anchor("pyproject.toml", "tool.ruff.line-length", "100"),
    Anchor("a.toml", "x.y", ">=3.11, <4 = x"),
    Anchor("a.toml", "x.y", "a", "0123456789ab"),
]


@pytest.mark.parametrize("anchor", LINES, ids=str)
def test_an_anchor_reads_back_from_its_line(anchor: Anchor) -> None:
    assert read_anchor(str(anchor)) == anchor


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", ".git/config", "a\nb", "a\0b"]
)
def test_no_path_leads_out_of_the_tree(path: str) -> None:
    assert not is_tree_path(path)
    assert read_anchor(f"{path}#name") is None
