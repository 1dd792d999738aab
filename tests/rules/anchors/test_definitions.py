"""Definitions are found as Python's parser finds them, and compared by what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import commonplace
from commonplace.rules.anchors.definitions import find_definition, python_definitions
from commonplace.rules.anchors.normal_form import normal_code

SOURCES = sorted(Path(commonplace.__file__).parent.glob("rules/**/*.py"))
CODE = '''@cache
def load(path, *, retries=3):
    """Load a file.

    def load(fake): pass
    """
    rows = {
        'a': 1,  # one
    }
    return rows, f"{path} #{retries}"

LIMIT: int = 5
NAMES = (
    "x",
)
class Reader:
    size: int = 1

    def load(self):
        return 2
'''


def test_the_search_finds_what_the_parser_finds() -> None:
    missed: list[str] = []
    count = 0
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for name, lines in (python_definitions(text) or {}).items():
            count += 1
            found = find_definition(text, name, str(path))
            if found is None or [*found.lines] != sorted(lines):
                missed.append(f"{path.name}: {name}")
    assert count > 2_000
    assert len(missed) <= count // 500, missed


@pytest.mark.parametrize(
    ("name", "lines"),
    [("load", (2, 10)), ("Reader.load", (19, 20)), ("LIMIT", (12, 12)), ("NAMES", (13, 15)),
     ("Reader", (16, 20)), ("Reader.size", (17, 17))],
)  # fmt: skip
def test_each_definition_of_a_module_has_its_lines(name: str, lines: tuple[int, int]) -> None:
    found = find_definition(CODE, name, "a.py")
    assert found
    assert found.lines == (lines,)


SAME = {
    "a comment": CODE.replace("# one", "# the first"),
    "a comment above": CODE.replace("    return rows", "    # Both.\n    return rows"),
    "blank lines": CODE.replace("    return rows", "\n\n    return rows"),
    "one line": CODE.replace("{\n        'a': 1,  # one\n    }", "{'a': 1}"),
    "quotes": CODE.replace("'a'", '"a"'),
    "an edit below": CODE + "X = 1\n",
    "an edit above": "X = 1\n\n\n" + CODE,
    "parentheses": CODE.replace("return rows, ", "return (rows), "),
    "the docstring's lines": CODE.replace("a file.\n\n    def", "a file.\n    def"),
    "windows": CODE.replace("    return rows", "    return rows  "),
}
OTHER = {
    "a value": CODE.replace("'a': 1", "'a': 2"),
    "a parameter": CODE.replace("retries=3", "retries=4"),
    "a decorator": CODE.replace("@cache\n", ""),
    "the docstring": CODE.replace("Load a file.", "Load two files."),
    "a hash in a string": CODE.replace("#{retries}", "# {retries}"),
    "another grouping": CODE.replace("'a': 1", "'a': (1 + 2) * 3"),
    "the depth": CODE.replace("    return rows", "    if rows:\n        return rows"),
}


@pytest.mark.parametrize("edit", SAME)
def test_what_does_not_change_the_code_does_not_count(edit: str) -> None:
    before, after = (find_definition(text, "load", "a.py") for text in (CODE, SAME[edit]))
    assert before
    assert after
    assert after.code == before.code


@pytest.mark.parametrize("edit", OTHER)
def test_what_changes_the_code_counts(edit: str) -> None:
    before, after = (find_definition(text, "load", "a.py") for text in (CODE, OTHER[edit]))
    assert before
    assert after
    assert after.code != before.code


OTHERS = {
    "a.ts": ("export async function load(arg: string) {\n  return arg;\n}\nexport const MAX = 5;\n"
             "class Till {\n  private close(\n    now: Date,\n  ): void {\n    stop();\n  }\n}\n"),
    "a.go": ("func (s *Shop) load(arg int) error {\n\treturn nil\n}\nconst MAX = 5\n"
             "type Till struct {\n\tOpen bool\n}\nfunc close() {}\n"),
    "a.rs": ("pub(crate) fn load(arg: &str) -> u8 {\n    1\n}\npub const MAX: u8 = 5;\n"
             "pub struct Till {\n    open: bool,\n}\nfn close() {}\n"),
    "a.c": ("static int load(int arg)\n{\n    return arg;\n}\n#define MAX 5\n"
            "struct Till {\n    int open;\n};\nvoid close(void) {\n    stop();\n}\n"),
    "a.rb": "def load(arg)\n  arg\nend\nMAX = 5\nclass Till\n  def close\n    stop\n  end\nend\n",
    "a.sh": "load() {\n  echo arg\n}\nMAX=5\nTill=1\nfunction close {\n  exit\n}\n",
    "A.java": ("public class Till {\n    public static final int MAX = 5;\n"
               "    private int load(String arg) {\n        return 1;\n    }\n"
               "    void close() {\n        stop();\n    }\n}\n"),
}  # fmt: skip


@pytest.mark.parametrize("path", OTHERS)
@pytest.mark.parametrize("name", ["load", "MAX", "Till", "close"])
def test_definitions_of_other_languages_are_found_and_compared(path: str, name: str) -> None:
    text = OTHERS[path]
    found = find_definition(text, name, path)
    assert found
    assert find_definition(f"\n\n{text}\n", name, path) == found.but(
        lines=tuple((first + 2, last + 2) for first, last in found.lines)
    )
    assert find_definition(text, "absent", path) is None
    inner = {"load": "arg", "MAX": "5", "Till": "open", "close": "stop"}[name]
    if inner in found.spans[0]:
        changed = find_definition(text.replace(inner, f"{inner}2"), name, path)
        assert changed
        assert changed.code != found.code


BODIES = {
    "a.ts": (
        ("return a + 1;", "return a + 1", True), ("return a + 1;", "return (a + 1);", True),
        ("x = a > 1 && b;", "x = (a > 1) && b;", True), ("f(g(1) + 2);", "f((g(1) + 2))", True),
        ("x = (g(a, b) + 1);\n  return x;", "x = g(a, b) + 1\n  return x", True),
        ("x = (a) => a + 1;", "x = (a) => (a + 1);", True),
        ("return (a + 1) * 2;", "return a + 1 * 2;", False), ("return a();", "return a;", False),
        ("return !(a && b);", "return !a && b;", False), ("x('a (b);');", "x('a b');", False),
        ("x = a === (b && c);", "x = a === b && c;", False), ("f((a, b));", "f(a, b);", False),
    ),
    "a.go": (("return a + b*c", "return a + (b * c)", True), ("a - (b - c)", "a - b - c", False)),
    "a.rs": (("1", "(1)", True), ("g()", "g();", False), ("(1, 2)", "1, 2", False)),
}  # fmt: skip
LOOKS = [
    ("a.rs", "fn f() {\n    1\n}\n", "#[inline]\nfn f() {\n    1\n}\n", True),
    ("a.rs", "fn f() {\n    1\n}\n", "#[test]\nfn f() {\n    1\n}\n", False),
    ("a.py", "def f():\n    a + b\n", "def f():\n    (\n        a + b\n    )\n", True),
    ("a.py", "class A:\n    f = 1_000\n", "class A:\n    f = (1000)\n", True),
    ("a.py", "def f():\n    return a, b\n", "def f():\n    return (a), b\n", True),
    ("a.py", "def f():\n    return 'a\\nb'\n", "def f():\n    return 'a\\n\\nb'\n", False),
    ("a.py", "def f():\n    return a + 1\n", "def f():\n    return a - 1\n", False),
    ("a.py", "def f():\n    del a.b\n", "def f():\n    del a.c\n", False),
    ("a.py", "def f():\n    global a\n", "def f():\n    global b\n", False),
    ("a.py", "def f():\n    return {**a}\n", "def f():\n    return {a: b}\n", False),
    *(
        (path, f"function f(a) {{\n  {old}\n}}\n", f"function f(a) {{\n  {new}\n}}\n", same)
        for path, bodies in BODIES.items()
        for old, new, same in bodies
    ),
]


@pytest.mark.parametrize(("path", "old", "new", "same"), LOOKS)
def test_only_an_edit_of_what_code_says_counts(path: str, old: str, new: str, same: bool) -> None:
    before, after = (find_definition(text, "f", path) for text in (old, new))
    assert before
    assert after
    assert (after.code == before.code) is same


@given(st.text(alphabet="def load(a):\n\t '\"#{}[]\\=@x1"), st.sampled_from(["a.py", "a.ts"]))
def test_no_text_makes_the_search_fail(text: str, path: str) -> None:
    find_definition(text, "load", path)
    find_definition(text, "a.load", path)
    normal_code(text, path)


DECORATED = """import click
@click.command()
@click.option("--home", envvar="HOME",
              help="Where to look.")
@click.option(
    "--port",
    type=int,
)
# Of all of them the last.
@cache
def serve(home, port):
    return home
done(
    1
)
def stop():
    return 2
"""


def test_decorators_of_several_lines_belong_to_a_definition() -> None:
    [serve] = find_definition(DECORATED, "serve", "app.py").spans  # pyright: ignore[reportOptionalMemberAccess]
    assert serve.startswith("@click.command()\n")
    [stop] = find_definition(DECORATED, "stop", "app.py").spans  # pyright: ignore[reportOptionalMemberAccess]
    assert stop.startswith("def stop()")


COMB = """pub struct Comb<T> {
    cells: Vec<T>,
}

impl<T: Iterator<Item = u8>> Comb<T>
where
    T: Clone,
{
    pub fn seal(&mut self) {
        self.cells.clear();
    }
}

impl<T> Drain<T> for hive::Comb<T> {
    fn drain(&mut self) {}
}

impl From<Comb> for Hive {
    fn from(comb: Comb) -> Hive {}
}

impl Hive {
    fn seal(&self) {}
}
"""
METHODS = {
    "comb.rs": COMB,
    "comb.swift": "struct Comb {\n}\n\npublic extension Comb {\n    func seal() {\n    }\n}\n",
    "comb.go": "type Comb struct{}\n\n\nfunc (h *Hive) seal() {\n}\n\nfunc (c *Comb) seal() {\n}\n",
    "comb.kt": "class Comb {\n}\n\nfun Comb.seal(): Int {\n    return 1\n}\n",
}


@pytest.mark.parametrize(
    ("path", "name", "lines"),
    [
        ("comb.rs", "Comb.seal", (9, 11)),
        ("comb.rs", "Comb::drain", (15, 15)),
        ("comb.rs", "Hive.seal", (23, 23)),
        ("comb.rs", "Hive.from", (19, 19)),
        ("comb.rs", "Comb", (1, 3)),
        ("comb.swift", "Comb.seal", (5, 6)),
        ("comb.go", "Comb.seal", (7, 8)),
        ("comb.kt", "Comb.seal", (4, 6)),
    ],
)
def test_a_method_is_found_that_is_written_apart_from_its_type(
    path: str, name: str, lines: tuple[int, int]
) -> None:
    found = find_definition(METHODS[path], name, path)
    assert found
    assert found.lines == (lines,)


def test_a_method_of_another_type_is_not_taken() -> None:
    assert find_definition(COMB, "Comb.from", "comb.rs") is None
    assert find_definition(METHODS["comb.go"], "Drone.seal", "comb.go") is None
