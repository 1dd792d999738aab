"""`facts.md`: one line, one fact, and everything else a person wrote stays."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from commonplace.model.errors import BadInput
from commonplace.model.scope import Scope
from commonplace.notes import facts

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
FILE = (
    "---\ncssclass: wide\n---\n"
    "# Facts about the game\n"
    "\n"
    "What everybody should know.\n"
    "- engine: Godot 4\n"
    "language: GDScript   \n"
    "\n"
    "## build\n"
    "* tool: scons\n"
    "```yaml\n"
    "tool: not this one\n"
    "```\n"
    "### detail\n"
    "- flags: -O2: fast\n"
    "See https://example.org/build for more\n"
)


def told(text: str) -> dict[tuple[str | None, str], str]:
    return {(line.namespace, line.key): line.value for line in facts.fact_lines(text)}


def test_lines_that_state_a_fact_are_read() -> None:
    assert told(FILE) == {
        (None, "engine"): "Godot 4",
        (None, "language"): "GDScript",
        ("build", "tool"): "scons",
        ("build", "flags"): "-O2: fast",
    }


def test_a_fact_is_a_critical_memory_of_its_scope() -> None:
    scope = Scope.parse("/project/mech")
    found = facts.read_facts(FILE, scope=scope, modified=NOON).memories[0]
    assert found.content == "engine: Godot 4"
    assert (found.kind, found.tier, found.owner, found.trust, found.source) == (
        "fact", "critical", "curated", "user", "hand",
    )  # fmt: skip
    assert found.id == facts.fact_id(scope, None, "engine")
    assert found.id != facts.fact_id(Scope(), None, "engine")


def test_a_changed_fact_changes_its_line_only() -> None:
    text = facts.set_fact(FILE, "build", "tool", "meson")
    assert text == FILE.replace("* tool: scons", "* tool: meson")
    assert facts.set_fact(FILE, None, "language", "C#") == FILE.replace("GDScript", "C#")


def test_a_new_fact_goes_to_the_end_of_its_namespace() -> None:
    text = facts.set_fact(FILE, None, "license", "MIT")
    assert text == FILE.replace("GDScript   \n", "GDScript   \n- license: MIT\n")
    assert facts.set_fact(FILE, "people", "lead", "Ada") == FILE + "\n## people\n\n- lead: Ada\n"
    assert facts.set_fact("", None, "lead", "Ada") == "- lead: Ada\n"
    assert facts.set_fact("a: b", None, "lead", "Ada") == "a: b\n- lead: Ada\n"


def test_a_removed_fact_takes_its_line_with_it() -> None:
    assert facts.remove_fact(FILE, "build", "tool") == FILE.replace("* tool: scons\n", "")
    assert facts.remove_fact(FILE, None, "tool") == FILE


def test_of_a_key_named_twice_the_last_counts_and_it_is_reported() -> None:
    found = facts.read_facts("a: 1\nb: 2\na: 3\n", scope=Scope(), modified=NOON)
    assert [m.value for m in found.memories] == ["3", "2"]
    assert found.problem == "A key is named again in line 3; the last one counts."
    assert facts.set_fact("a: 1\na: 3\n", None, "a", "4") == "a: 1\na: 4\n"
    assert facts.remove_fact("a: 1\na: 3\n", None, "a") == ""


def test_windows_line_ends_stay() -> None:
    text = facts.set_fact("a: 1\r\nb: 2\r\n", None, "a", "9")
    assert text == "a: 9\r\nb: 2\r\n"
    assert facts.set_fact(text, None, "c", "3") == "a: 9\r\nb: 2\r\n- c: 3\r\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [("a: b", "c"), ("a", "b\nc"), ("", "x"), ("a", ""), ("# a", "b"), ("a", " b")],
)
def test_what_does_not_fit_on_a_line_is_refused(key: str, value: str) -> None:
    with pytest.raises(BadInput):
        facts.set_fact(FILE, None, key, value)


def test_a_line_is_never_added_inside_a_code_block() -> None:
    with pytest.raises(BadInput, match="code block"):
        facts.set_fact("a: 1\n```\nb: 2\n", None, "c", "3")
    assert facts.set_fact("a: 1\n```\nb: 2\n", None, "a", "3") == "a: 3\n```\nb: 2\n"


words = st.text(max_size=12) | st.sampled_from(["a", "tool", "## x", "- a", "a: b"])
plain_words = words.map(lambda word: re.sub(r"[\s:`#=*-]+", " ", word).strip() or "a") | words
lines = st.sampled_from([line for line in FILE.split("\n") if "```" not in line]) | words


@settings(deadline=None)
@given(
    st.lists(lines).map("\n".join),
    st.none() | plain_words,
    plain_words,
    plain_words,
)
def test_setting_a_fact_leaves_all_others_as_they_were(
    text: str, namespace: str | None, key: str, value: str
) -> None:
    assume(facts.fits_one_line(namespace, key, value) and "```" not in text)
    before = told(text)
    after = told(facts.set_fact(text, namespace, key, value))
    assert after == before | {(namespace, key): value}
    gone = told(facts.remove_fact(facts.set_fact(text, namespace, key, value), namespace, key))
    assert gone == {at: v for at, v in before.items() if at != (namespace, key)}
