"""Find the definition of a name in a file of code.

It is found by a search for its first line, from which its end is looked for, since parsing a whole
file takes longer than a hook has. At a save, Python's own parser confirms what the search finds in
a Python file. `normal_form` says which changes of its code count.
"""

from __future__ import annotations

import re

from ...model.value import Value
from .normal_form import (
    TOKENS,
    family,
    indent_width,
    normal_code,
    parsed,
    plain_numbers,
    python_meaning,
    statements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_DEFINITIONS = 20


_ENGLISH = frozenset(("if", "else", "in", "is", "or", "and", "not", "for", "as", "any", "type"))
"""Words of code that sentences have as well."""
_PARAMETERS_END = re.compile(r"\)\s*(?:->|:|\{|=>|$)", re.MULTILINE)


_WORD = r"""(?P<quote>["']?)(?P<value>[-+]?[\w.:/-]{1,60})(?P=quote)"""


class Definition(Value):
    """One name's definition, or all of one that is written several times."""

    name: str
    """With its class, as in Engine.close."""
    path: str
    spans: tuple[str, ...]
    """The code as it stands, with decorators."""
    bodies: tuple[str, ...]
    """The same without decorators."""
    lines: tuple[tuple[int, int], ...]
    """First and last lines of the bodies, from 1."""

    @property
    def code(self) -> str:
        """All of it, in normal form: of Python what the parser reads, where it can."""
        python = family(self.path) == "python"
        read = (python_meaning(one) if python else "" for one in self.spans)
        return "\n\n".join(
            found or normal_code(one, self.path)
            for found, one in zip(read, self.spans, strict=True)
        )

    @property
    def constant(self) -> str:
        """The value of a constant that is a number or a word; empty for anything else."""
        name = re.escape(self.name.rpartition(".")[2])
        written = self.spans[0].strip() if len(self.spans) == 1 else ""
        found = re.search(rf"\b{name}\b[^=\n(]*=\s*{_WORD}\s*[;,]?\s*(?:(?:#|//).*)?$", written)
        if found is None:
            return ""
        return found["value"] if found["quote"] else plain_numbers(found["value"])

    @property
    def header(self) -> str:
        """The parameters of a function, in normal form; empty for anything else."""
        return "\n".join(filter(None, (_header(one, self.path) for one in self.bodies)))

    @property
    def parameters(self) -> tuple[str, ...] | None:
        """The names of a Python function's parameters, with their stars; None if unknown."""
        if family(self.path) != "python" or not self.header:
            return None
        found = [_python_parameters(one) for one in self.bodies]
        return None if None in found else tuple(name for one in found for name in one or ())

    @property
    def header_words(self) -> frozenset[str]:
        """The words of parameters, defaults, types and result, also as in typing.IO."""
        between = self.bodies[0].partition("(")[2]
        said = _PARAMETERS_END.split(between, maxsplit=1)[0]
        words = (*re.findall(r"\w+", said), *re.findall(r"\w+(?:\.\w+)+", said))
        return frozenset(words) - _ENGLISH


def find_definition(text: str, name: str, path: str) -> Definition | None:
    """The definition of a name, or of `Class.name`; None if the file has none."""
    parts = [part for part in re.split(r"\.|::", name) if part]
    if not parts or parts[-1] not in text:
        return None
    within = [(0, len(text))]
    for container in parts[:-1]:
        within = [
            (one.end, _container_end(text, one))
            for start, end in within
            for one in _containers(text, container, path, start, end)
        ]
    found = [one for span in within for one in _starts(text, parts[-1], path, *span)]
    if not found and len(parts) == 2 and family(path) != "python":
        found = _methods_outside(text, parts[0], parts[1], path)
    found = found[:MOST_DEFINITIONS]
    if not found:
        return None
    ends = [_end_of(text, one, path) for one in found]
    return Definition(
        ".".join(parts),
        path,
        tuple(
            text[_decorated(text, one.start) : end] for one, end in zip(found, ends, strict=True)
        ),
        tuple(text[one.start : end] for one, end in zip(found, ends, strict=True)),
        tuple(
            (_line(text, one.start), _line(text, end - 1))
            for one, end in zip(found, ends, strict=True)
        ),
    )


_BLOCK = (
    r"^(?P<indent>[ \t]*)(?:(?:unsafe|public|private|internal|fileprivate)[ \t]+)*"
    r"(?:extension|impl(?:[^\n{{]{{0,300}}\bfor\b|<[^\n{{]{{0,300}}>)?)[ \t]+(?:\w+::)*{name}\b"
    r"(?!(?:<[^\n{{]{{0,300}}>)?[ \t]+for\b)"
)
"""The first line of a block of methods: `impl Comb`, `impl Drain for Comb`, `extension Comb`."""


def _containers(text: str, name: str, path: str, start: int, end: int) -> list[_Start]:
    """Where a class begins, and the blocks with its methods that Rust and Swift write apart."""
    own = _starts(text, name, path, start, end)[:1]
    if not path.endswith((".rs", ".swift")):
        return own
    block = re.compile(_BLOCK.format(name=re.escape(name)), re.MULTILINE)
    opened = ((one, text.find("{", one.end())) for one in block.finditer(text, start, end))
    own += [_Start(one.start(), at, indent_width(one["indent"])) for one, at in opened if at > 0]
    return own[:MOST_DEFINITIONS]


def _methods_outside(text: str, container: str, name: str, path: str) -> list[_Start]:
    """Methods that name their type in their own first line, as Go's and Kotlin's may."""
    word = re.compile(rf"\b{re.escape(container)}\b")
    found = _starts(text, name, path, 0, len(text))
    return [one for one in found if word.search(text, one.start, one.end - len(name))]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# The first line of a definition

_NO_TYPES = frozenset((
    "return", "else", "new", "await", "throw", "case", "if", "while", "for", "switch", "yield",
    "do", "in", "delete", "typeof", "goto", "assert", "raise", "not", "and", "or", "elif", "print",
    "echo", "import", "from", "package", "using",
))  # fmt: skip
"""Words before a call that are no type of a C function."""
_MODIFIERS = (
    r"[ \t]*(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract"
    r"|async|pub(?:\([^)\n]*\))?|unsafe|extern|inline|constexpr|virtual|override|sealed|open|data"
    r"|suspend|local|readonly|partial)[ \t]+)*"
)
_KEYWORDS = (
    r"(?:function\*?|class|interface|struct|enum(?:[ \t]+class)?|union|trait|type|fn|func|fun|def"
    r"|defp|defmodule|module|namespace|const|let|var|val|static|macro_rules!|sub|record|object"
    r"|protocol|actor|message|service|typedef|(?i:create(?:[ \t]+or[ \t]+replace)?[ \t]+\w+)"
    r"|\#[ \t]*define)"
)
_WHOLE_WORD = re.compile(r"(?![\w$])")
_PYTHON_LINES = (
    (re.compile(r"[ \t]*(?:(?:async[ \t]+)?def|class|type)[ \t]+"), _WHOLE_WORD),
    (
        re.compile(r"[ \t]*"),
        re.compile(r"[ \t]*(?:(?::(?!=)[^=\n]*)?=(?!=)|:(?!=)[ \t]*\w)"),
    ),
)
_OTHER_LINES = (
    # With a keyword; Go's receiver or Lua's table may stand before the name.
    (
        re.compile(
            rf"{_MODIFIERS}{_KEYWORDS}[ \t]+(?:mut[ \t]+)?(?:\([^)\n]*\)[ \t]*|[\w.]+[.:]+)?"
        ),
        _WHOLE_WORD,
    ),
    # A method of a class, a function of a shell, or a value.
    (
        re.compile(rf"{_MODIFIERS}(?:[gs]et[ \t]+)?"),
        re.compile(
            r"[ \t]*(?:(?:<[^>\n]*>)?\([^;\n]*[{,(][ \t]*$|(?::[^=\n]+)?:?=(?![=>~]))",
            re.MULTILINE,
        ),
    ),
    # A function or a value of C and its relatives.
    (
        re.compile(rf"{_MODIFIERS}(?P<type>[A-Za-z_]\w*)\b[\w:<>,*&\[\] \t]*[ \t*&]"),
        re.compile(r"[ \t]*(?:\([^;\n]*$|=(?!=))", re.MULTILINE),
    ),
)
"""Patterns for the text before and after a name in the first line of its definition."""
MOST_BEFORE, MOST_LINE = 200, 2_000
"""Characters before a name in the first line of its definition, and of that line."""
MOST_PLACES = 20_000
"""Places of a name that are looked at in one file."""


class _Start(Value):
    """The first line of a definition."""

    start: int
    end: int
    width: int
    """How far the line is indented."""


def _starts(text: str, name: str, path: str, start: int, end: int) -> list[_Start]:
    """The first lines of definitions, the outermost ones only."""
    patterns = _PYTHON_LINES if family(path) == "python" else _OTHER_LINES
    found: list[_Start] = []
    at = text.find(name, start, end)
    for _ in range(MOST_PLACES):
        if at < 0:
            break
        if one := _start_at(text, at, at + len(name), patterns):
            found.append(one)
        at = text.find(name, at + len(name), end)
    least = min((one.width for one in found), default=0)
    return [one for one in found if one.width == least]


def _start_at(
    text: str, at: int, after: int, patterns: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
) -> _Start | None:
    line = text.rfind("\n", max(0, at - MOST_BEFORE), at) + 1
    if not line and at > MOST_BEFORE:
        return None  # Of a file in one long line, as programs write them.
    for before, behind in patterns:
        left = before.fullmatch(text, line, at)
        if left is None or left.groupdict().get("type") in _NO_TYPES:
            continue
        if behind.match(text, after, min(len(text), after + MOST_LINE)):
            bare = text[line:at].lstrip(" \t")
            return _Start(line, after, indent_width(text[line : at - len(bare)]))
    return None


# Its end

_CLOSERS = (")", "]", "}", "end", "{", "fi", "done", "esac")
"""Lines as far out as a definition that begin with one of these belong to it."""
_OPENERS = ("{", "(", "[", ":", ",", "do", "then")


def _end_of(text: str, start: _Start, path: str) -> int:
    """Where a definition ends, after its last line."""
    width = start.width
    if family(path) == "python":
        return _python_end(text, start.start, width)
    return _indented_end(text, start.start, width)


MOST_DECORATION = 200
"""Lines above a definition that are searched for its decorators."""
_DECORATION = ("@", "#", ")", "]", "}")
_INDENT = re.compile(r"[ \t]*")
_OUTER_LINE = re.compile(r"^([ \t]*)(?![ \t]*(?:$|[#)\]}'\"]|//))", re.MULTILINE)


def _container_end(text: str, start: _Start) -> int:
    """About where a class ends: before the next line that stands no deeper."""
    width = start.width
    for line in _OUTER_LINE.finditer(text, _after_line(text, start.end)):
        if indent_width(line[1]) <= width:
            return line.start()
    return len(text)


def _python_end(text: str, at: int, width: int) -> int:
    """The end of a statement: of its first line that closes all brackets, or of its block."""
    depth, end = 0, at
    for token in TOKENS["python"].finditer(text, at):
        found = token[0]
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth = max(0, depth - 1)
        elif found == "\n" and not depth:
            end = token.end()
            line = _next_line(text, end, comment="#")
            if line is None or indent_width(line[0]) <= width:
                return end
    return len(text)


def _next_line(text: str, at: int, comment: str = "") -> tuple[str, str] | None:
    """Indentation and text of the next line that is not blank, and no such comment."""
    while at < len(text):
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)]
        bare = line.lstrip(" \t")
        if bare.strip() and not (comment and bare.startswith(comment)):
            return line[: len(line) - len(bare)], bare.strip()
        if stop < 0:
            return None
        at = stop + 1
    return None


def _indented_end(text: str, at: int, width: int) -> int:
    """The end of a definition in another language: of what is indented further, and its closer."""
    end = _after_line(text, at)
    open_ended = text[at:end].rstrip().endswith(_OPENERS)
    while end < len(text):
        line = _next_line(text, end)
        if line is None:
            return end
        indent, bare = line
        inside = indent_width(indent) > width
        if not inside and not (indent_width(indent) == width and bare.startswith(_CLOSERS)):
            return end
        end = _after_line(text, text.index(bare, end))
        if not inside:
            open_ended = bare.endswith(_OPENERS)
            if not open_ended:
                return end
    return end


def _after_line(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def _decorated(text: str, at: int) -> int:
    """The start of the decorators or attributes right above a definition.

    These may go on for several lines, which stand deeper or close a bracket.
    """
    first, width = at, indent_width(_indent_at(text, at))
    for _ in range(MOST_DECORATION):
        above = text.rfind("\n", 0, at - 1) + 1
        line = text[above:at].strip()
        own = indent_width(_indent_at(text, above)) if line else -1
        if at <= 0 or own < width or (own == width and not line.startswith(_DECORATION)):
            break
        at = above
        if own == width and line.startswith(("@", "#[")):
            first = at
    return first


def _indent_at(text: str, at: int) -> str:
    found = _INDENT.match(text, at)
    return found[0] if found else ""


_RESULT = re.compile(r"\)(?:->.*)?:.*$", re.DOTALL)


def _header(code: str, path: str) -> str:
    """The code of a function from its parameters up to its body; empty for other definitions."""
    if family(path) == "python":
        first = normal_code(code, path).partition("\n")[0].partition(":")[2]
        taken = first.partition("(")[2] if first.startswith(("def", "asyncdef")) else ""
        return _RESULT.sub(")", taken)
    before = normal_code(code, path).partition("{")[0].partition("=>")[0]
    return before.partition("(")[2]


def _python_parameters(code: str) -> tuple[str, ...] | None:
    read = statements(code)
    if not read:
        return None
    node = read[0]
    return tuple(_parameter_names(node.args)) if hasattr(node, "args") else ()


def _parameter_names(taken: Any) -> Iterator[str]:
    yield from (one.arg for one in (*taken.posonlyargs, *taken.args))
    if taken.vararg or taken.kwonlyargs:
        yield f"*{taken.vararg.arg if taken.vararg else ''}"
    yield from (one.arg for one in taken.kwonlyargs)
    if taken.kwarg:
        yield f"**{taken.kwarg.arg}"


# What the parser says of Python


def python_definitions(text: str) -> dict[str, list[tuple[int, int]]] | None:
    """First and last lines of everything that a module and its classes define, by name.

    None if the parser cannot read the file, which may be written for a newer Python.
    """
    tree = parsed(text)
    if tree is None:
        return None
    found: dict[str, list[tuple[int, int]]] = {}
    _collect(tree.body, "", found)
    return found


def _collect(body: list[Any], prefix: str, found: dict[str, list[tuple[int, int]]]) -> None:
    for node in body:
        kind = type(node).__name__
        for name in _defined(node, kind):
            found.setdefault(f"{prefix}{name}", []).append((node.lineno, node.end_lineno))
        if kind == "ClassDef":
            _collect(node.body, f"{prefix}{node.name}.", found)
        elif kind in ("If", "Try", "TryStar", "With"):
            _collect(node.body, prefix, found)
            _collect(getattr(node, "orelse", []), prefix, found)
            for handler in getattr(node, "handlers", []):
                _collect(handler.body, prefix, found)


def _defined(node: Any, kind: str) -> list[str]:
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        return [node.name]
    targets = node.targets if kind == "Assign" else [node.target] if kind == "AnnAssign" else []
    return [one.id for one in targets if type(one).__name__ == "Name"]


def confirmed_name(name: str, known: dict[str, list[tuple[int, int]]]) -> str | None:
    """The name with its class, as the parser knows it; None if there is none, or several."""
    if name in known:
        return name
    several = [one for one in known if one.endswith(f".{name}")]
    return several[0] if len(several) == 1 else None
