"""Find in a project's files what a text speaks of; `anchor_checks` compares it with them later.

A save looks up the names that its text has: paths by a look at the file, definitions and keys in
the files that the text names, and only then, within limits, in the others.
"""

from __future__ import annotations

from ..rules.anchors import definitions, normal_form, settings_keys
from ..rules.anchors.anchor import (
    CALL,
    FULL_CALL,
    MOST_ANCHORS,
    MOST_CHARACTERS,
    MOST_VALUE_CHARACTERS,
    Anchor,
    span_hash,
    value_hash,
)
from ..rules.anchors.mentions import find_mentions, is_secret_key
from ..work_tree import TimeLimit
from .anchor_checks import definition_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from ..rules.anchors.definitions import Definition
    from ..rules.anchors.settings_keys import Setting
    from ..work_tree import WorkTree

FIND_S = 0.25
"""Seconds of processor time to look for names whose file a text does not say, at a save."""
MOST_SEARCHED, MOST_SEARCHED_BYTES = 2_000, 12_000_000
"""Files and characters that are read for such names."""
_DOCUMENTS = (".md", ".rst", ".txt", ".html", ".css", ".scss", ".xml", ".csv", ".svg", ".ipynb")
_TOOL_FILES = {
    "make": (("Makefile", ""), ("makefile", ""), ("GNUmakefile", "")),
    "just": (("justfile", ""), ("Justfile", ""), (".justfile", "")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), (("package.json", "scripts."),)),
    "composer": (("composer.json", "scripts."),),
}
"""Files with the commands of a tool, and where in the file they stand."""
_PYTHON_SCRIPTS = ("project.scripts.", "tool.poetry.scripts.", "tool.pdm.scripts.",
                   "tool.hatch.envs.default.scripts.", "tool.poe.tasks.", "tool.rye.scripts.",
                   "tool.taskipy.tasks.")  # fmt: skip


def find_anchors(
    text: str, tree: WorkTree, *, limit_s: float = FIND_S, confirmed: bool = False
) -> tuple[str, ...]:
    """The anchors of a text: names of files, definitions, keys and commands that are there.

    Where the text gives a key another value than its file, the anchor has that of the text, unless
    a person has `confirmed` the text.
    """
    found = dict.fromkeys(map(str, _Finder(text, tree, limit_s, confirmed).anchors()))
    return tuple(line for line in found if len(line) <= MOST_CHARACTERS)[:MOST_ANCHORS]


class _Finder:
    """Looks the names of one text up in a work tree."""

    def __init__(self, text: str, tree: WorkTree, limit_s: float, confirmed: bool) -> None:
        self._said = find_mentions(text)
        self._tree = tree
        self._limit = TimeLimit(limit_s)
        self._of_calls: set[str] = set()
        """Words of the parameters that the text speaks of: types, defaults."""
        self._confirmed = confirmed
        self._named_files: frozenset[str] = frozenset()

    def anchors(self) -> Iterator[Anchor]:
        files = self._files()
        self._named_files = frozenset(files.values())
        used: set[str] = set()
        values: set[str] = set()
        unknown: list[str] = []
        for name in self._said.names:
            if name in files or name.rpartition("/")[2] in files.values():
                continue
            if name in self._of_calls:
                continue
            own = [one for path in files.values() if (one := self._named_in(path, name))]
            yield from own
            used |= {one.path for one in own}
            values.update(one.value for one in own)
            if not own:
                unknown.append(name)
        for path in files.values():
            own = [*self._keys_with_values(path), *self._capitals(path)]
            values.update(one.value for one in own)
            own += self._values_alone(path, values)
            yield from own
            used |= {one.path for one in own}
        for command in self._commands():
            used.add(command.path)
            yield command
        yield from self._elsewhere([name for name in unknown if len(name) > 2])
        yield from filter(None, (self._file(path) for path in files.values() if path not in used))

    def _files(self) -> dict[str, str]:
        """The files and folders that the text names, by their names there."""
        found: dict[str, str] = {}
        for written in self._said.paths:
            if path := self._tree.resolve(written) or self._by_ending(written):
                found[written] = path
        return found

    def _by_ending(self, written: str) -> str | None:
        """The only file of the tree whose path ends so."""
        ending = written[written.rfind(".") :].lower()
        known = (*normal_form.CODE, *_DOCUMENTS)
        if ending not in known and not settings_keys.is_settings_file(written):
            return None
        walked = self._tree.walk(self._limit)
        several = [path for path in walked.paths if f"/{path}".endswith(f"/{written}")]
        return several[0] if len(several) == 1 and walked.whole else None

    def _file(self, path: str) -> Anchor | None:
        if path.endswith("/"):
            return Anchor(path)
        text = self._tree.read(path)
        return None if text is None else Anchor(path, hash=span_hash(text) if text else "")

    def _named_in(self, path: str, name: str) -> Anchor | None:
        """The anchor of a name in a file."""
        if settings_keys.is_settings_file(path):
            text = self._tree.read(path)
            return self._setting(path, settings_keys.find_settings(text or "", name, path), name)
        return self._definition(path, name) if path.endswith(normal_form.CODE) else None

    def _definition(self, path: str, name: str) -> Anchor | None:
        text = self._tree.read(path)
        if not text or name.rpartition(".")[2] not in text:
            return None
        full: str | None = name
        known = definitions.python_definitions(text) if path.endswith(normal_form.PYTHON) else None
        if known is not None:
            full = definitions.confirmed_name(name, known)
        found = definitions.find_definition(text, full, path) if full else None
        if found is None or (known is not None and not {*found.lines} <= {*known[found.name]}):
            return None
        if found.constant and self._is_bounded(found.name):
            return Anchor(path, found.name)
        if valued := self._constant(path, found):
            return valued
        mark = self._part(found)
        return Anchor(path, f"{found.name}{mark}", hash=definition_hash(found, mark))

    def _constant(self, path: str, found: Definition) -> Anchor | None:
        """The anchor of a constant that the text gives a value: that of the file, or another."""
        value = found.constant
        if not value or len(value) > MOST_VALUE_CHARACTERS or is_secret_key(found.name):
            return None
        if self._said.has_value(value):
            return Anchor(path, found.name, value)
        said = self._said.said_of(found.name.rpartition(".")[2], value)
        if not said or (self._confirmed and said != value):
            return None
        return Anchor(path, found.name, said, "" if said == value else value_hash(value))

    def _is_bounded(self, name: str) -> bool:
        """Whether another value of a constant or key may fit the text as well."""
        return self._said.bounds(name.rpartition(".")[2])

    def _part(self, found: Definition) -> str:
        """The part of a definition that the text speaks of: its parameters, or all of it."""
        words = found.header_words if found.header else frozenset[str]()
        if not found.header or not self._said.speaks_of_parameters(found.name, words):
            return ""
        self._of_calls |= words
        names = found.parameters
        if names is None:
            return FULL_CALL
        details = words - {one.lstrip("*") for one in names}
        whole = self._said.speaks_of_defaults() or self._said.has_one_of(details)
        return FULL_CALL if whole else CALL

    def _setting(self, path: str, found: Sequence[Setting], name: str) -> Anchor | None:
        """The anchor of a key; of several keys with one ending, the one whose value is named."""
        exact = [one for one in found if one.name == name] or found
        near = [one for one in self._below_named(exact) if self._has_value(path, one)]
        valued = near or [one for one in exact if self._said.has_value(one.value)] or exact
        if len({one.name for one in valued}) != 1:
            return None
        one = valued[0]
        if is_secret_key(one.name) or path.rpartition("/")[2].startswith(".env"):
            return Anchor(path, one.name)
        if self._is_bounded(one.name):
            return Anchor(path, one.name)
        plain = len(one.value) <= MOST_VALUE_CHARACTERS and " @" not in one.value
        if plain and self._said.has_value(one.value):
            return Anchor(path, one.name, one.value)
        if plain and (said := self._said_instead(path, one)):
            agrees = settings_keys.has_item(one.value, said)
            shown = settings_keys.shown_value(one.value)
            return Anchor(path, one.name, said, "" if agrees else value_hash(shown))
        return Anchor(path, one.name, hash=settings_keys.settings_hash(one.name, found))

    def _keys_with_values(self, path: str) -> Iterator[Anchor]:
        """Keys that are plain words, which count if their values are named as well."""
        text = self._tree.read(path) if settings_keys.is_settings_file(path) else None
        words = set(self._said.words)
        by_key: dict[str, list[Setting]] = {}
        for one in settings_keys.all_settings(text or "", path):
            key = one.name.rpartition(".")[2]
            if key in words:
                by_key.setdefault(key, []).append(one)
        for meant in map(self._below_named, by_key.values()):
            for one in meant:
                only = len({other.name for other in meant}) == 1
                value = self._said.has_value(one.value) or (only and self._has_value(path, one))
                if value and (anchor := self._setting(path, [one], one.name)):
                    yield anchor

    def _below_named(self, found: Sequence[Setting]) -> Sequence[Setting]:
        """The settings whose section the text names, such as `server` of `server.port`; or all."""
        words = {*self._said.words, *self._said.names}
        return [one for one in found if words & {*one.name.split(".")[:-1]}] or found

    def _has_value(self, path: str, one: Setting) -> bool:
        """Whether the text gives a key a value: that of the file, or another one."""
        return self._said.has_value(one.value) or bool(self._said_instead(path, one))

    def _said_instead(self, path: str, one: Setting) -> str:
        """The value that the text gives a key of a file that it names."""
        if path not in self._named_files:
            return ""
        said = self._said.said_of(one.name.rpartition(".")[2], one.value)
        return "" if self._confirmed and said != one.value else said

    def _values_alone(self, path: str, values: Container[str]) -> Iterator[Anchor]:
        """Values without their keys, such as the port of a list, that a file has once."""
        text = (self._tree.read(path) if settings_keys.is_settings_file(path) else None) or ""
        wanted = [one for one in self._said.telling_values() if one not in values and one in text]
        known = settings_keys.leaves(text, path) if wanted else []
        for value in wanted:
            own = [one for one in known if settings_keys.has_item(one.value, value)]
            if len(own) != 1 or is_secret_key(own[0].name) or self._is_bounded(own[0].name):
                continue
            yield Anchor(path, own[0].name, value)

    def _capitals(self, path: str) -> Iterator[Anchor]:
        """Constants of one word, and classes, in a file of code that the text names."""
        if path.endswith(normal_form.CODE):
            words = (one for one in self._said.capitals if one not in self._of_calls)
            yield from filter(None, (self._definition(path, one) for one in words))

    def _commands(self) -> Iterator[Anchor]:
        for tool, name in self._said.commands:
            program = tool.split()[0]
            places = _TOOL_FILES.get(program)
            if places is None:
                places = tuple(("pyproject.toml", prefix) for prefix in _PYTHON_SCRIPTS)
            for path, prefix in places:
                text = self._tree.read(path)
                found = settings_keys.find_settings(text or "", f"{prefix}{name}", path)
                exact = [one for one in found if one.name == f"{prefix}{name}"]
                if exact and (anchor := self._setting(path, exact, exact[0].name)):
                    yield anchor
                    break

    def _elsewhere(self, names: Sequence[str]) -> Iterator[Anchor]:
        """Names whose files the text does not say: in common settings files, then in all code."""
        left: list[str] = []
        for name in names:
            own = (self._named_in(path, name) for path in settings_keys.COMMON_FILES)
            first = next(filter(None, own), None)
            if first:
                yield first
            else:
                left.append(name)
        if left:
            yield from self._in_code(left)

    def _in_code(self, names: Sequence[str]) -> Iterator[Anchor]:
        """Definitions anywhere, of names that only one file defines."""
        walked = self._tree.walk(self._limit)
        code = [path for path in walked.paths if path.endswith(normal_form.CODE)]
        if not walked.whole or len(code) > MOST_SEARCHED:
            return  # Others may define the same name.
        places: dict[str, list[str]] = {name: [] for name in names}
        read = 0
        for path in code:
            text = self._tree.read(path) or ""
            read += len(text)
            if read > MOST_SEARCHED_BYTES or self._limit.is_over():
                return
            for name, known in places.items():
                if name.rpartition(".")[2] in text and definitions.find_definition(
                    text, name, path
                ):
                    known.append(path)
        for name, known in places.items():
            source = [path for path in known if not _is_test(path)] or known
            if len(source) == 1 and (anchor := self._definition(source[0], name)):
                yield anchor


def _is_test(path: str) -> bool:
    return path.startswith(("test", "spec")) or "/test" in path or "_test." in path
