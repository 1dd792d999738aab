"""Bring code into a form in which only what it says counts, for the hash of a definition.

Comments, blank lines, line breaks, spacing and parentheses that group what is grouped anyway are
lost; docstrings stay. Python's own parser reads Python; other languages are read sign by sign.
"""

from __future__ import annotations

import re

from ...model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PYTHON = (".py", ".pyi")
_HASH_COMMENTS = (
    ".sh", ".bash", ".zsh", ".rb", ".pl", ".r", ".jl", ".nim", ".tf", ".ex", ".exs", ".cr", ".ps1",
)  # fmt: skip
_SLASH_COMMENTS = (
    ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".go", ".rs", ".java", ".kt",
    ".kts", ".scala", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".cs", ".swift", ".php",
    ".dart", ".zig", ".sol", ".groovy", ".gradle", ".proto", ".vue", ".svelte", ".m", ".mm",
)  # fmt: skip
_DASH_COMMENTS = (".sql", ".lua", ".hs", ".elm")
CODE = (*PYTHON, *_HASH_COMMENTS, *_SLASH_COMMENTS, *_DASH_COMMENTS)
"""Endings of files in which definitions are looked for."""
MOST_PARSED = 200_000
"""Characters of a Python file that the parser reads; larger files are searched alone."""
ONLY_AST = 0x400
"""The flag of `compile` that returns a tree; the module `ast` takes longer to import."""
_STRING = (
    r'''"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'(?:[^\\]|\\.)*?(?:\'\'\'|\Z)'''
    r"""|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?"""
)
TOKENS = {
    "python": re.compile(
        rf"(?P<string>{_STRING})|(?P<comment>#[^\n]*)|(?P<break>\\\n)|[()\[\]{{}}\n]", re.DOTALL
    ),
    "hash": re.compile(rf"(?P<string>{_STRING})|(?P<comment>(?<!\S)#[^\n]*)", re.DOTALL),
    "dash": re.compile(rf"(?P<string>{_STRING})|(?P<comment>--[^\n]*)", re.DOTALL),
    "slash": re.compile(
        r'''(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)'''
        r"|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))",
        re.DOTALL,
    ),
}  # fmt: skip
_SPACE = re.compile(r"\s+")
_LAST_COMMA = re.compile(r",(?=[)\]}])")
_SEPARATED = lazy(r"(?<![\w$])\d\w*_\w*")


def family(path: str) -> str:
    """How comments and strings are written in a file: as in Python, or after #, -- or //."""
    ending = path[path.rfind(".") :].lower()
    if ending in PYTHON:
        return "python"
    if ending in _HASH_COMMENTS:
        return "hash"
    return "dash" if ending in _DASH_COMMENTS else "slash"


def indent_width(indent: str) -> int:
    """The columns of the space before a line."""
    return len(indent.expandtabs(8))


def plain_numbers(code: str) -> str:
    """Code whose numbers have no underscores: 4_000 is 4000."""
    if "_" not in code:
        return code  # A hook need not compile the pattern.
    return _SEPARATED.sub(lambda found: found[0].replace("_", ""), code)


def normal_code(code: str, path: str) -> str:
    """Code without comments and spacing; the lines of Python keep how deep they stand."""
    python = family(path) == "python"
    plain = "".join(_python_parts(code)) if python else _plain_code(code, path)
    return _LAST_COMMA.sub("", plain).strip()


_NO_SEMICOLONS = (
    ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".go", ".kt",
    ".kts", ".scala", ".swift", ".groovy", ".gradle",
)  # fmt: skip
"""Languages in which the end of a line ends a statement; in Rust a semicolon says something."""
_HINT = re.compile(r"#\[(?:inline|cold|allow|warn|expect|rustfmt::skip)(?:\([^\]]*\))?\]")
"""Attributes of Rust that are for the compiler alone."""
_VALUE_KEYWORD = re.compile(r"\b(return|await|yield|throw|case|in|of)\s*(?=\()")
_LAST_GROUP = re.compile(r"\)[ \t]*\n\s*(?=[\w$@}])")
_INNERMOST = re.compile(r"\(([^()]*)\)")
_TEXT, _AFTER_KEYWORD, _END, _KEPT, _KEPT_END = "\0\1\2\3\4"
"""Signs in place of a string, after a keyword, at the end of a statement, around a number."""
_SIGNS = re.compile("[\0-\4]")
_KEPT_GROUP = re.compile(f"{_KEPT}(\\d+){_KEPT_END}")
_PRODUCT = re.compile(rf"[\w$.{_TEXT}{_KEPT}{_KEPT_END}]+(?:[*/%][\w$.{_KEPT}{_KEPT_END}]+)*")
MOST_DEPTH = 40
"""How deep parentheses in parentheses are looked at."""


def _plain_code(code: str, path: str) -> str:
    """Code of other languages without comments, spacing and signs that say nothing."""
    if _SIGNS.search(code):
        return _SPACE.sub("", code)  # No text, whatever its name says.
    strings: list[str] = []
    parts: list[str] = []
    at = 0
    for token in TOKENS[family(path)].finditer(code):
        parts.append(code[at : token.start()])
        if token["string"]:
            strings.append(_SPACE.sub(" ", token["string"]))
            parts.append(_TEXT)
        at = token.end()
    bare = plain_numbers("".join((*parts, code[at:])))
    if path.endswith(_NO_SEMICOLONS):
        bare = _LAST_GROUP.sub(f"){_END}", bare.replace(";", _END))
    bare = _SPACE.sub("", _VALUE_KEYWORD.sub(rf"\1{_AFTER_KEYWORD}", bare))
    if path.endswith(".rs"):
        bare = _HINT.sub("", bare)
    found = _without_groups(bare).replace(_AFTER_KEYWORD, "").replace(_END, "")
    left = iter(strings)
    return re.sub(_TEXT, lambda _: next(left), found)


def _without_groups(code: str) -> str:
    """Code without parentheses around what is one value anyway, as formatters add and remove."""
    kept: list[str] = []

    def replaced(found: re.Match[str]) -> str:
        if _says_nothing(found):
            return found[1]
        kept.append(found[0])
        return f"{_KEPT}{len(kept) - 1}{_KEPT_END}"

    for _ in range(MOST_DEPTH):
        code, count = _INNERMOST.subn(replaced, code)
        if not count:
            break
    while _KEPT in code:
        code = _KEPT_GROUP.sub(lambda found: kept[int(found[1])], code)
    return code


def _says_nothing(group: re.Match[str]) -> bool:
    """Whether parentheses cannot matter, by what stands in and around them."""
    inner, whole = group[1], group.string
    start, end = group.span()
    before, behind = whole[max(0, start - 2) : start], whole[end : end + 2]
    first, last = before[-1:], behind[:1]
    called = bool(re.match(rf"[\w$)\]>}}?!.{_TEXT}{_KEPT_END}]", first)) and before != "=>"
    if called or not inner or "," in inner or ":" in inner or behind in ("=>", "->"):
        return False
    left = first in f"=([{{,;{_AFTER_KEYWORD}" or before == "=>"
    left = left and before not in ("==", "!=", "<=", ">=")
    right = last in f";,)]}}{_END}"
    if not re.search(r"&&|\|\||[?=]", re.sub(r"[=!<>]=+", "", inner)):
        # It binds closer than && and ||.
        left, right = left or before in ("&&", "||"), right or behind in ("&&", "||")
    if _PRODUCT.fullmatch(inner):
        left, right = left or first in "+-", right or last in "+-"
    return left and right


def _python_parts(code: str) -> Iterator[str]:
    at, depth, begins = 0, 0, True
    widths: list[int] = []
    for token in [*TOKENS["python"].finditer(code), None]:
        between = code[at : token.start() if token else len(code)]
        found = token[0] if token else "\n"
        if begins and (between.strip() or not (found == "\n" or found.startswith("#"))):
            yield f"\n{_level(widths, between)}:"
            begins = False
        yield _SPACE.sub("", between)
        at = token.end() if token else at
        if token is None or token["comment"] or token["break"]:
            continue
        if token["string"]:
            yield _normal_string(found)
        elif found == "\n":
            begins = begins or not depth
        else:
            depth = max(0, depth + (1 if found in "([{" else -1))
            yield found


def _level(widths: list[int], before: str) -> int:
    """How many blocks deep a line stands."""
    width = indent_width(before[: len(before) - len(before.lstrip(" \t"))])
    while widths and widths[-1] > width:
        widths.pop()
    if not widths or widths[-1] < width:
        widths.append(width)
    return len(widths)


def _normal_string(text: str) -> str:
    quote = text[:3] if text.startswith(('"""', "'''")) else text[:1]
    inner = text[len(quote) : -len(quote)] if text.endswith(quote) else text[len(quote) :]
    if len(quote) == 3:
        return f'"{_SPACE.sub(" ", inner).strip()}"'
    return text if '"' in inner else f'"{inner}"'


# What the parser says of Python


def python_meaning(code: str) -> str:
    """A statement as the parser reads it, so that only its looks are lost; empty if it cannot."""
    read = statements(code)
    parts: list[str] = []
    # No recursion: long sums are deep. Every part says how much follows, so that none is mistaken.
    left: list[Any] = [] if read is None else [read]
    while left:
        one = left.pop()
        kind = type(one).__name__
        if kind == "list":
            parts.append(f"[{len(one)}")
            left += reversed(one)
        elif not hasattr(one, "_fields"):
            parts.append(repr(one))
        elif kind == "Constant":
            parts.append(_constant(one.value))
        elif kind == "Expr" and isinstance(getattr(one.value, "value", None), str):
            parts.append(repr(" ".join(one.value.value.split())))  # A docstring.
        else:
            given = {name: getattr(one, name, None) for name in one._fields if name != "ctx"}
            # Newer Pythons have more fields, which older code leaves empty.
            filled = {name: value for name, value in given.items() if value not in (None, [])}
            parts.append(f"{kind}({','.join(filled)}")
            left += reversed([*filled.values()])
    return " ".join(parts)


def _constant(value: object) -> str:
    """A value; how deep the lines of a long text are indented does not count."""
    if isinstance(value, str) and "\n" in value:
        return repr([" ".join(line.split()) for line in value.split("\n")])
    return repr(value)


def statements(code: str) -> list[Any] | None:
    """The syntax trees of an indented or plain piece of Python; None if it is no valid Python."""
    inside = code[:1] in " \t"
    tree = parsed(f"if 1:\n{code}" if inside else code)
    if tree is None:
        return None
    return tree.body[0].body if inside else tree.body


def parsed(text: str) -> Any:
    """The tree of some code; None if it is too large, or no Python that is known here."""
    if len(text) > MOST_PARSED:
        return None
    import warnings

    try:
        with warnings.catch_warnings(action="ignore"):
            return compile(text, "<anchor>", "exec", ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
