"""Keys and values of settings files, and the commands of build files, found by a tolerant reading.

TOML, INI, .env, YAML, JSON, Makefile, justfile. Each key has a dotted name, such as
tool.ruff.line-length; items of lists have the name of their list.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from ...model.value import Value
from .anchor import span_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST_CHARACTERS = 200_000
"""Characters of a settings file that is read; lock files are larger, and nobody speaks of them."""
MOST_LINE = 1_000
"""Characters of a line that are read."""
COMMON_FILES = (
    "pyproject.toml", "package.json", "Cargo.toml", "Makefile", "justfile", "setup.cfg", "tox.ini",
    "tsconfig.json", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml",
    ".env", ".env.example", "config.toml", "config.yaml", "config.yml", "config.json",
    "settings.toml", "settings.yaml", "settings.yml", "settings.json", "ruff.toml", "mypy.ini",
    "pytest.ini", "go.mod", "Dockerfile",
)  # fmt: skip
"""Files at the top of a work tree for keys whose file a text does not name."""
_MAKE = ("makefile", "gnumakefile", "justfile", ".justfile")
_LINES = (".toml", ".ini", ".cfg", ".conf", ".env", ".properties", ".mod", ".editorconfig")
_YAML, _JSON = (".yaml", ".yml"), (".json", ".jsonc", ".json5")
SECRET = re.compile(r"(?i)secret|passw|token|credential|api_?key|private|(?:^|[._-])(?:key|pwd)$")
"""Keys whose values must not leave a hash behind, since a short secret could be guessed from it."""


class Setting(Value):
    """One key with its value, in normal form."""

    name: str
    value: str


class BuildTarget(Value):
    """One target of a Makefile or recipe of a justfile."""

    name: str
    needs: str
    """The targets that are made first, as the line names them behind its colon."""
    recipe: tuple[str, ...]
    """Its lines, as they are in the file."""

    def steps(self) -> list[str]:
        """The commands, each whole: a line that ends with a backslash goes on."""
        return "\n".join(self.recipe).replace("\\\n", "").split("\n") if self.recipe else []


def is_settings_file(path: str) -> bool:
    """Whether a file has keys or commands, by its name."""
    return _reader(path) is not None


def find_settings(text: str, name: str, path: str) -> list[Setting]:
    """The settings with a name, or whose dotted names end with it."""
    last = re.split(r"[.\s]", name)[-1]
    if last not in text:
        return []
    ending = f".{name}"
    known = all_settings(text, path)
    return [one for one in known if one.name == name or one.name.endswith(ending)]


# Several memories speak of one file.
@lru_cache(maxsize=16)
def all_settings(text: str, path: str) -> tuple[Setting, ...]:
    """Every key of a file."""
    reader = _reader(path)
    return tuple(reader(text)) if reader and len(text) <= MOST_CHARACTERS else ()


def leaves(text: str, path: str) -> list[Setting]:
    """The keys of a file that have no keys below them, and are neither .env's nor commands."""
    base = path.rpartition("/")[2].lower()
    if base.startswith(".env") or _reader(path) is _make:
        return []
    known = all_settings(text, path)
    above = {one.name.rpartition(".")[0] for one in known}
    return [one for one in known if one.name not in above]


def has_item(value: str, said: str) -> bool:
    """Whether a value is what a text says, or a list with it: 5433 is in - "5433:5432"."""
    value, said = _same_spelling(value), _same_spelling(said)
    if value == said or not value.startswith(("- ", "[")):
        return value == said
    return bool(re.search(rf"(?<![\w.]){re.escape(said)}(?![\w.])", value))


def shown_value(value: str) -> str:
    """A value for people; a list without its signs."""
    return re.sub(r"(?:^|(?<= ))- |\"", "", value) if value.startswith("- ") else value


def settings_hash(name: str, found: Iterable[Setting]) -> str:
    """The hash of all values of a key; the items of a list share its name."""
    return span_hash("\n".join(_same_spelling(one.value) for one in found if one.name == name))


_GROUPED = re.compile(r"(?<![\w.])\d+(?:_\d+)+(?!\w)")
_TRUTH = re.compile(r"(?i)(?:^|(?<=: ))(?:(true|yes|on)|false|no|off)(?=$|[ ,}])")


def _same_spelling(value: str) -> str:
    """A value of which 8_443 is 8443, and yes and on are true."""
    plain = _TRUTH.sub(lambda found: "true" if found[1] else "false", value)
    return _GROUPED.sub(lambda found: found[0].replace("_", ""), plain)


def _reader(path: str) -> Callable[[str], Iterator[Setting]] | None:
    base = path.rpartition("/")[2].lower()
    if base in _MAKE or base.endswith(".mk"):
        return _make
    if base.endswith(_YAML):
        return _yaml
    if base.endswith(_JSON):
        return _json
    if base.endswith(_LINES) or base.startswith((".env", "dockerfile")) or base == "procfile":
        return _lines
    return None


def _split(text: str) -> list[str]:
    # A pattern may take the square of a line's length.
    return [line[:MOST_LINE] for line in text.split("\n")]


# Lines of key and value, perhaps below [sections]

_SECTION = re.compile(r"\s*\[+\s*([^\]\n]+?)\s*\]+\s*(?:[#;].*)?$")
_PAIR = re.compile(
    r"\s*(?:export\s+|ENV\s+|ARG\s+)?(\"[^\"\n]+\"|'[^'\n]+'|[\w.\-/@*]+)\s*(?:=|:(?!//))\s*(.*)$"
)
_WORDS = re.compile(r"(go|toolchain|module|FROM|EXPOSE|USER|WORKDIR)\s+(\S.*)$")
"""Lines of go.mod and of a Dockerfile without a sign between key and value."""


def _lines(text: str) -> Iterator[Setting]:
    section = ""
    lines = iter(_split(text))
    for line in lines:
        if found := _SECTION.match(line):
            section = found[1].replace('"', "").replace("'", "")
        elif found := _PAIR.match(line) or _WORDS.match(line):
            if line.lstrip().startswith(("#", ";", "//")):
                continue
            key = found[1].strip("\"'")
            value = _whole_value(found[2], lines)
            name = f"{section}.{key}" if section else key
            yield Setting(name, value)
            if value.startswith("{"):
                yield from _inline(name, value)


_INLINE = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.)*\"|'[^']*')|(?P<sign>[{}\[\],=])|(?P<word>[^\s{}\[\],=\"']+)"
)


_FLOW = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.)*\"|'[^']*')|(?P<sign>[{}\[\],]|:(?=[\s{}\[\],]|$)|(?<=[\"']):)"
    r"|(?P<word>(?:[^\s{}\[\],:\"']|:(?![\s{}\[\],]|$))+)"
)
"""The same of YAML, where a colon within a word is part of it."""


def _inline(name: str, table: str, tokens: re.Pattern[str] = _INLINE) -> Iterator[Setting]:
    """The keys of a table in one line, as in `version = {attr = "shop.__version__"}`."""
    above, key, value, lists = [name], "", "", 0
    for token in tokens.finditer(table, 1):
        sign = token["sign"] if not lists or token["sign"] in ("[", "]") else None
        lists = max(0, lists + {"[": 1, "]": -1}.get(token["sign"] or "", 0))
        if sign in ("=", ":"):
            key, value = value.strip("\"'"), ""
        elif sign == "{":
            above.append(key)
            key = value = ""
        elif sign in (",", "}"):
            if key:
                yield Setting(".".join((*above, key)), normal_value(value))
            key = value = ""
            if sign == "}":
                above.pop()
                if not above:
                    return
        else:
            value += f" {token[0]}" if token["word"] and value[-1:].isalnum() else token[0]


def _whole_value(first: str, lines: Iterable[str]) -> str:
    """The value, with the lines that a list or a long text goes on for."""
    value = _without_comment(first)
    quote = next((one for one in ('"""', "'''") if value.startswith(one)), "")
    if quote and value.count(quote) < 2:
        for line in lines:
            value += f"\n{line}"
            if quote in line:
                break
    elif value[:1] in ("[", "{"):
        depth = _depth(value)
        while depth > 0 and (line := next(iter(lines), None)) is not None:
            bare = _without_comment(line)
            value += f" {bare}"
            depth += _depth(bare)
    return normal_value(value)


def _depth(text: str) -> int:
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", text)
    return sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")


_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|'[^']*')|(?:(?<=\s)|^)[#;].*$")


def _without_comment(text: str) -> str:
    return _COMMENT.sub(lambda found: found[1] or "", text).strip()


def normal_value(value: str) -> str:
    """A value without quotes, trailing commas and line breaks."""
    value = re.sub(r"\s+", " ", value).strip().rstrip(",").strip()
    value = re.sub(r",?\s*([\]}])", r"\1", re.sub(r"([\[{])\s+", r"\1", value))
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value


# YAML

_YAML_PAIR = re.compile(
    r"(?P<indent>[ ]*(?:- +)*)(?P<key>\"[^\"\n]+\"|'[^'\n]+'|[^\s#:\-\"'{\[][^:#\n]*?)\s*:"
    r"(?:\s+(?P<value>.*))?$"
)


def _yaml(text: str) -> Iterator[Setting]:
    above: list[tuple[int, str]] = []
    lines = _split(text)
    for at, line in enumerate(lines):
        found = _YAML_PAIR.match(line)
        if found is None:
            continue
        width, key = len(found["indent"]), found["key"].strip("\"'")
        while above and above[-1][0] >= width:
            above.pop()
        if any(name == "" for _, name in above):
            continue  # A line of a long text, which only looks like a key.
        name = ".".join((*(one for _, one in above), key))
        value = _without_comment(found["value"] or "")
        if not value or value[0] in "|>&[{":
            own = len(line) - len(line.lstrip(" "))
            value = f"{value} {' '.join(_deeper(lines, at + 1, own))}"
        yield Setting(name, normal_value(value))
        if value.startswith("{") and not _depth(found["value"]):
            yield from _inline(name, value, _FLOW)
        above.append((width, key))
        if (found["value"] or "").startswith(("|", ">")):
            above.append((width, ""))


def _deeper(lines: list[str], at: int, width: int) -> Iterator[str]:
    """The lines below a key: what stands deeper, and the items of its list."""
    for line in islice(lines, at, None):
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if bare and indent <= width and not (indent == width and bare.startswith("- ")):
            return
        if bare and not bare.startswith("#"):
            yield _without_comment(bare)


# JSON

_JSON_TOKEN = re.compile(
    r"\"(?P<text>(?:[^\"\\\n]|\\.)*)\"|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<sign>[{}\[\],:])"
    r"|(?P<word>[^\s{}\[\],:\"]+)",
    re.DOTALL,
)


def _json(text: str) -> Iterator[Setting]:
    above: list[str] = []
    starts: list[tuple[str, int]] = []
    key = ""
    for token in _JSON_TOKEN.finditer(text):
        sign = token["sign"]
        if token["comment"]:
            continue
        if sign in ("{", "["):
            above.append(key)
            starts.append((".".join(filter(None, above)) if key else "", token.start()))
            key = ""
        elif sign in ("}", "]") and above:
            above.pop()
            name, start = starts.pop()
            if name:
                yield Setting(name, normal_value(text[start : token.end()]))
            key = ""
        elif sign == ",":
            key = ""
        elif sign is None:
            rest = text[token.end() : token.end() + 20].lstrip()
            if token["text"] is not None and rest.startswith(":"):
                key = token["text"]
            elif key:
                yield Setting(".".join(filter(None, (*above, key))), normal_value(token[0]))


# Makefile and justfile

_TARGET = re.compile(
    r"(?P<names>[\w.%/$(){}-]+(?:[ \t]+[\w.%/+*='\"-]+)*)[ \t]*::?(?!=)(?P<needs>.*)$"
)
_VARIABLE = re.compile(r"(?:export[ \t]+)?(\w+)[ \t]*(?::|\?|\+|::)?=[ \t]*(.*)$")


def _make(text: str) -> Iterator[Setting]:
    for line in _split(text):
        if line and line[0] not in "# \t" and (found := _VARIABLE.match(line)):
            yield Setting(found[1], normal_value(_without_comment(found[2])))
    for one in build_targets(text):
        yield Setting(one.name, normal_value(f"{one.needs} {' '.join(one.recipe)}"))


def build_targets(text: str) -> Iterator[BuildTarget]:
    """The targets of a Makefile, or the recipes of a justfile."""
    lines = _split(text)
    for at, line in enumerate(lines):
        if not line or line[0] in "# \t" or _VARIABLE.match(line):
            continue
        if found := _TARGET.match(line):
            recipe = tuple(_recipe(islice(lines, at + 1, None)))
            needs = _without_comment(found["needs"])
            names = found["names"].split()
            for name in names if len(names) == 1 or not recipe else names[:1]:
                if name != ".PHONY":
                    yield BuildTarget(name, needs, recipe)


def _recipe(lines: Iterable[str]) -> Iterator[str]:
    goes_on = False
    for line in lines:
        bare = line.strip()
        if bare and line[0] not in " \t":
            return
        if bare and not bare.startswith("#"):
            yield bare if goes_on else bare.lstrip("@-")
            goes_on = bare.endswith("\\")
