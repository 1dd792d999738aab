"""Statements of a repository's own pages and build files: conventions, and commands with uses."""

from __future__ import annotations

import re

from ...language.statements import sentences
from ...model.value import Value
from .anchor import MOST_VALUE_CHARACTERS, Anchor, span_hash
from .settings_keys import all_settings, build_targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PAGES = (
    "AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "CONTRIBUTING.rst", ".github/CONTRIBUTING.md",
    ".github/copilot-instructions.md", "GEMINI.md", ".cursorrules", ".windsurfrules",
    "docs/CONTRIBUTING.md",
)  # fmt: skip
"""Pages on which a repository says how to work in it."""
FOR_PEOPLE = ("CONTRIBUTING.md", "CONTRIBUTING.rst")
"""Pages whose plain sentences mostly greet and explain; on the others every sentence is meant."""
BUILD_FILES = ("Makefile", "justfile", "package.json", "pyproject.toml")
_TARGET_FILES = ("Makefile", "justfile")
WORKFLOWS = ".github/workflows/"
SHORTEST, LONGEST = 20, 300
"""Characters of a statement."""
MOST_OF_A_FILE = 30
MOST_SENTENCES = 12
"""Sentences of a paragraph of which an old statement may have been made."""
_ITEM_SIGN = "\x00"
QUOTE = 60
"""Characters of a statement by which its anchor names it."""
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_RULE = re.compile(
    r"(?i)`|\b(?:always|never|must|should|shall|do not|don't|use|run|prefer|avoid|keep|write|make"
    r" sure|ensure|please|only|before|after|instead|require[sd]?|needs?|name[sd]?|tests?"
    r"|commits?)\b"
)
_GREETING = re.compile(
    r"(?i)(?:many )?thank|we(?:'re| are)? (?:so |very |always )?(?:love|welcome|happy|glad|excited)"
    r"|welcome|happy "
)
"""Beginnings of sentences that are kind, and no rules."""
_GOES_ON = re.compile(
    r"(?:it|its|this|that|these|those|they|then|otherwise|but|and|so|also|however|both)\b", re.I
)
"""Words by which a sentence goes on from the one before."""
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
"""Signs of bold, italic and code, which are no change of what is said."""
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[ \t]*(\w*)")
_SHELLS = ("", "sh", "bash", "shell", "zsh", "console")
_TOOL = re.compile(
    r"(?:\$ )?((?:make|just|npm|npx|pnpm|yarn|bun|uvx?|poetry|pdm|hatch|tox|nox|pip|pytest|python3?"
    r"|ruff|mypy|cargo|go|mvn|gradle|docker|dotnet|bundle|rake|mix|composer|terraform|kubectl|bazel"
    r"|cmake|ctest|pre-commit|\./[\w./-]+) [^#\n]*[^#\s])(?:\s+#+\s*(.*\S))?"
)
"""A command of a code block, and its comment."""
_TOLD_BY_BUILD_FILE = re.compile(r"(?:make|just|(?:npm|pnpm|yarn|bun) run) [\w:.-]+")
_NO_COMMAND = re.compile(r"[|>]|$|\w+: ")
"""The value of a `run` that is a text of several lines, or a mapping."""
_STATEMENT = re.compile(r"[A-Z`](?:\S*\s+){3,}\S+[.`)]")
"""A plain sentence, such as `Timestamps are stored in UTC.`"""
_BLOCK = re.compile(r"(?m)^([ \t]*)(?:-[ \t]+)?run:[ \t]*([|>])[-+]?[ \t]*$")
_NO_STEP = re.compile(
    r"(?:if|then|else|elif|fi|for|while|do|done|case|esac|echo|export|set|cd|exit|mkdir)\b|[#{}()]|\w+="
)
"""Lines of a script that say nothing by themselves."""
_HIDDEN = re.compile(
    r"(?P<code>`[^`\n]+`)|<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>\w+)\b[^<>\n]{0,200}(?:\bhidden\b|display:\s*none)[^<>\n]{0,200}>.*?(?:</(?P=tag)>|\Z)"
    r"|^[ ]{0,3}\[[^\]\n]+\]:[ \t]*\S+[ \t]*(?:[\"'(][^\n]*)?$",
    re.DOTALL | re.MULTILINE,
)
"""Text that readers of a page do not see: comments, hidden elements, definitions of links."""
_HIDDEN_RST = re.compile(r"^[ \t]*\.\.[ \t](?![^\n]*::)[^\n]*(?:\n[ \t]+\S[^\n]*)*", re.MULTILINE)
_INSTALL_SCRIPTS = (
    "preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare",
    "preuninstall", "uninstall", "postuninstall",
)  # fmt: skip
"""Scripts that npm runs by itself."""
_SKIPPED_TARGETS = ("all", "help", "default", "clean", "distclean", ".default", "install")


class RepositoryStatement(Value):
    """Something that a repository says about itself, and where."""

    text: str
    anchor: Anchor


class RepositoryFile(Value):
    """A file of a repository that was read for statements."""

    path: str
    statements: tuple[RepositoryStatement, ...] = ()
    passed: tuple[str, ...] = ()
    """Paragraphs that say nothing lasting, and commands, or of them those too long or short."""


def read_file(path: str, text: str) -> RepositoryFile:
    """The statements of one file: a page, a build file or a workflow."""
    if path in PAGES:
        text, hidden = _visible(text, path)
        given = [one for paragraph in _paragraphs(text) for one in _parts(paragraph)]
        lines = [one for one in given if SHORTEST <= len(one) <= LONGEST]
        rules = [one for one in lines if _RULE.search(one) and not _GREETING.match(one)]
        plain = [] if path.endswith(FOR_PEOPLE) else list(filter(_STATEMENT.fullmatch, lines))
        texts = dict.fromkeys((*rules, *plain))
        found = [RepositoryStatement(one, line_anchor(path, one)) for one in texts]
        commands = dict(_shell_commands(text))
        given = [*hidden, *given, *(_command(line) or line for line in _shell_lines(text))]
        found += _listed_commands(path, commands)
    elif path in _TARGET_FILES:
        found = list(_target_statements(path, text))
        known = {one.anchor.name for one in found[:MOST_OF_A_FILE]}
        given = [
            one.value
            for one in all_settings(text, path)
            if one.name[:1].isalpha() and one.name not in known
        ]
    else:
        found = list(_commands(path, text))
        given = [one.value for one in all_settings(text, path) if _is_command(path, one.name)]
        given = [one for one in given if not one.startswith(("|", ">"))]
        if path.startswith(WORKFLOWS):
            given += _block_lines(text)
            found += _block_statements(path, text)
    kept = tuple(found[:MOST_OF_A_FILE])
    said = "\n".join(one.text for one in kept)
    return RepositoryFile(path, kept, tuple(one for one in given if one and one not in said))


def _visible(text: str, path: str) -> tuple[str, list[str]]:
    """A page as its readers see it, and the comments and such that they do not see."""
    hidden: list[str] = []

    def shown(found: re.Match[str]) -> str:
        if code := found.groupdict().get("code"):
            return code
        hidden.append(" ".join(found[0].split()))
        return ""

    pattern = _HIDDEN_RST if path.endswith(".rst") else _HIDDEN
    return pattern.sub(shown, text), hidden


def is_install_script(anchor: Anchor) -> bool:
    """Whether an anchor names a script that npm runs by itself."""
    section, _, name = anchor.name.rpartition(".")
    return anchor.path == "package.json" and section == "scripts" and name in _INSTALL_SCRIPTS


def _block_lines(text: str) -> list[str]:
    """The lines of a workflow's steps that are scripts, each whole."""
    found: list[str] = []
    for block in _BLOCK.finditer(text):
        depth, whole, folded = len(block[1]), "", block[2] == ">"
        for line in [*text[block.end() :].split("\n")[1:], ""]:
            if line.strip() and len(line) - len(line.lstrip()) <= depth:
                break
            whole = f"{whole} {line.strip()}".strip()
            if whole.endswith("\\"):
                whole = whole[:-1].rstrip()
            elif whole and not (folded and line.strip()):  # A folded line goes on.
                found.append(whole)
                whole = ""
        found += [whole] if whole else []
    return found


def _block_statements(path: str, text: str) -> Iterator[RepositoryStatement]:
    for one in dict.fromkeys(_block_lines(text)):
        said = f"CI runs `{one}` ({path})."
        plain = not _NO_STEP.match(one) and "${{" not in one and "`" not in one
        if plain and SHORTEST <= len(said) <= LONGEST and len(one) <= MOST_VALUE_CHARACTERS:
            yield RepositoryStatement(said, line_anchor(path, one))


def _parts(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, each with those that go on from it; a short item whole."""
    item = paragraph.startswith(_ITEM_SIGN)
    bare = paragraph.removeprefix(_ITEM_SIGN)
    if item and len(bare) <= LONGEST:
        yield bare
        return
    held = ""
    for one in sentences(bare):
        if held and not (_GOES_ON.match(one) and len(held) + len(one) < LONGEST):
            yield held
            held = ""
        held = f"{held} {one}".strip()
    if held:
        yield held


def _runs(paragraph: str) -> Iterator[str]:
    """Everything in a paragraph that may be a statement: sentences that stand side by side."""
    bare = paragraph.removeprefix(_ITEM_SIGN)
    yield bare
    said = sentences(bare)[:MOST_SENTENCES]
    for start in range(len(said)):
        for end in range(start + 1, len(said) + 1):
            yield " ".join(said[start:end])


def _shell_lines(text: str) -> Iterator[str]:
    """The lines of the code blocks of a page that are for a shell, without comments."""
    shell = fenced = False
    for line in text.split("\n"):
        if fence := _FENCE.match(line):
            fenced = not fenced
            shell = fenced and fence[1].lower() in _SHELLS
        elif shell and (bare := line.strip()) and not bare.startswith("#"):
            yield bare


def _command(line: str) -> str:
    found = _TOOL.fullmatch(line)
    return found[1] if found else ""


def _shell_commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands in the code blocks of a page, with their comments."""
    for line in _shell_lines(text):
        if found := _TOOL.fullmatch(line):
            yield found[1], found[2] or ""


def _listed_commands(path: str, commands: Mapping[str, str]) -> Iterator[RepositoryStatement]:
    for command, about in commands.items():
        told = f": {about.rstrip('.')}" if about else ""
        said = f"{path} lists the command `{command}`{told}."
        # The commands of a target are proposed from its build file.
        known = _TOLD_BY_BUILD_FILE.fullmatch(command) and not about
        if not known and "`" not in command and len(said) <= LONGEST:
            yield RepositoryStatement(said, line_anchor(path, command))


def _paragraphs(text: str) -> Iterator[str]:
    """The items and paragraphs of a page, each on one line, without code, headings and tables.

    An item begins with a sign, so that it is not taken for a paragraph.
    """
    fenced = False
    held: list[str] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        item = _ITEM.match(line)
        ends = (
            fenced
            or not bare
            or item
            or bare.startswith(("#", "|", "```", "~~~", "<", "==", "--", "@"))
        )
        if ends and held:
            said = " ".join(" ".join(held).split())
            held = []
            if said.removeprefix(_ITEM_SIGN):
                yield said
        if fenced or not bare or (ends and not item):
            continue
        held.append(f"{_ITEM_SIGN}{line[item.end() :]}" if item else bare)


def line_anchor(path: str, said: str) -> Anchor:
    """The anchor of a statement of a page: its first words, and a hash of all."""
    start = re.split(r" = | @|#", said)[0][:QUOTE].rstrip()
    return Anchor(path, f"“{start}”", hash=span_hash(_MARKS.sub("", said)))


def is_line(anchor: Anchor) -> bool:
    """Whether an anchor names a statement of a page."""
    return anchor.name.startswith("“")


def is_reworded(old: Anchor, new: Anchor) -> bool:
    """Whether a statement has the place of another one: its key, or its first words."""
    if old.path != new.path or is_line(old) != is_line(new):
        return False
    if not is_line(old):
        return old.name == new.name
    first = old.name.strip("“”").split()[:2]
    return new.name.strip("“”").split()[:2] == first


def line_state(text: str, anchor: Anchor) -> str:
    """Whether a page still has a statement: unchanged, changed or gone."""
    start = _MARKS.sub("", anchor.name.strip("“”"))
    if anchor.path.startswith(WORKFLOWS):
        known = _block_lines(text)
    else:
        text, _ = _visible(text, anchor.path)
        known = [one for paragraph in _paragraphs(text) for one in _runs(paragraph)]
        known += dict(_shell_commands(text))
    plain = [_MARKS.sub("", one) for one in known]
    if any(span_hash(one) == anchor.hash for one in (*known, *plain)):
        return "unchanged"
    first = " ".join(start.split()[:2])
    return "changed" if any(one.startswith(first) for one in plain) else "gone"


def _commands(path: str, text: str) -> Iterator[RepositoryStatement]:
    base = path.rpartition("/")[2]
    for one in all_settings(text, path):
        said = ""
        key = one.name.rpartition(".")[2]
        if path.startswith(WORKFLOWS):
            if key == "run" and not _NO_COMMAND.match(one.value) and "${{" not in one.value:
                said = f"CI runs `{one.value}` ({path})."
        elif base == "package.json":
            if one.name.startswith("scripts."):
                said = f"`npm run {key}` runs `{one.value}`."
        elif base == "pyproject.toml":
            said = _python_setting(one.name, key, one.value)
        if len(one.value) > MOST_VALUE_CHARACTERS or " @" in one.value:
            continue  # Its anchor could not show it.
        if said and SHORTEST <= len(said) <= LONGEST and "\n" not in said:
            yield RepositoryStatement(said, Anchor(path, one.name, one.value))


def _target_statements(path: str, text: str) -> Iterator[RepositoryStatement]:
    """A statement for each target: `make x` runs the targets that x needs, then its commands."""
    tool = "just" if path == "justfile" else "make"
    values = {one.name: one.value for one in all_settings(text, path)}
    targets = list(build_targets(text))
    names = {one.name for one in targets}
    for one in targets:
        key, value = one.name, values.get(one.name, "")
        if key in _SKIPPED_TARGETS or not (key[:1].isalpha() and key.islower()):
            continue
        needed = [f"{tool} {need}" for need in one.needs.split() if need in names]
        run = [" ".join(step.split()) for step in (*needed, *one.steps())]
        said = f"`{tool} {key}` runs {_listed(run)}." if run else ""
        showable = len(value) <= MOST_VALUE_CHARACTERS and " @" not in value
        if showable and SHORTEST <= len(said) <= LONGEST:
            yield RepositoryStatement(said, Anchor(path, key, value))


def _listed(commands: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    *first, last = (f"`{one}`" for one in commands)
    return f"{', '.join(first)} and {last}" if first else last


def _is_command(path: str, name: str) -> bool:
    """Whether a key of a build file or a workflow has a command."""
    if path.startswith(WORKFLOWS):
        return name.rpartition(".")[2] == "run"
    if path.endswith("package.json"):
        return name.startswith("scripts.")
    if path.endswith("pyproject.toml"):
        return bool(_python_setting(name, name.rpartition(".")[2], ""))
    return False


def _python_setting(name: str, key: str, value: str) -> str:
    if name == "project.requires-python":
        return f"The code needs Python {value} (`requires-python` in pyproject.toml)."
    if key == "line-length":
        return f"Lines have at most {value} characters (`{name}` in pyproject.toml)."
    if name.startswith(("tool.poe.tasks.", "tool.pdm.scripts.", "tool.taskipy.tasks.")):
        return f"`{name.split('.')[1]} {key}` runs `{value}`."
    return ""
