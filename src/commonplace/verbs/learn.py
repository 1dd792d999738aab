"""Propose memories from a repository's own pages and build files; a person decides about each.

The files may be anybody's, so their text is treated as that of an import: trusted as external,
screened, and left out if it gives orders to an agent.
"""

from __future__ import annotations

from functools import lru_cache

from ..engine.anchor_checks import AnchorChecker
from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..engine.drafts import draft_memories, refuse_purged
from ..engine.reasoner_cache import ReasonerCache
from ..engine.stale_marks import work_tree
from ..language.words import telling_terms
from ..model import identity
from ..model.errors import BadInput, Refused
from ..model.memory import LIVE, Draft
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.anchors.anchor import STALE, existing_anchors, joined_anchors
from ..rules.anchors.documents import (
    BUILD_FILES,
    PAGES,
    WORKFLOWS,
    is_install_script,
    is_line,
    is_reworded,
    read_file,
)
from ..rules.authority import PERSON, actor_of
from ..rules.faults.file_orders import file_order_reason
from ..rules.relations import replacement
from ..rules.screening.screen import forms_removed, loggable
from ..work_tree import TimeLimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..rules.anchors.anchor import Anchor
    from ..rules.anchors.documents import RepositoryFile, RepositoryStatement
    from ..work_tree import WorkTree

SOURCE = "import:repository"
WALK_S = 1.0
MOST_PASSED, PASSED_CHARACTERS = 5, 80
"""Texts of a file that are named because they were passed over, and characters of each."""
MOST_LOOKED_AT = 200
"""Texts of a file that are looked at for orders although they are not proposed."""
LINE_WORDS = 8
"""First words of a text by which its line is found."""
MOST_PROPOSED = 60
"""Proposals of one run; the next one goes on."""
ALIKE = 0.5
"""The share of words that a statement has in common with its new wording."""
MOST_KNOWN = 1_000
"""Accepted statements that are compared with the files."""


class FileLearned(Value):
    """A file that was read."""

    path: str
    statements: int
    """Statements found, new or known."""
    passed_over: int
    """Statements left out, paragraphs that are none, and commands too short or too long."""
    lines: tuple[int, ...] = ()
    """The lines where these begin."""
    passed: tuple[str, ...] = ()
    """The first texts that are no statement, for a person: an agent would read orders in them."""


class Learned(Value):
    """Result of reading a repository."""

    project: str
    proposed: tuple[Memory, ...] = ()
    """Memories that wait in the inbox now."""
    known: int = 0
    """Statements that were proposed before, or that the project knows."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Files with the reasons why they, or statements of theirs, were not proposed."""
    files: tuple[FileLearned, ...] = ()
    more: int = 0
    """Statements for which this run had no room."""


def learn(engine: Engine) -> Learned:
    """Put what the caller's repository says about itself into the inbox, each statement once."""
    project, tree = engine.context.project, work_tree(engine)
    if project is None or tree is None:
        raise BadInput(
            "This folder is no project that could be learned from.",
            hint="Run `commonplace learn` in the folder of a project, such as a git repository.",
        )
    files, left_out = _read(tree)
    left_out += [
        (file.path, f"{_said_line(one, file.path, tree)}{reason}")
        for file in files
        for one in file.passed[:MOST_LOOKED_AT]
        if (reason := file_order_reason(one))
    ]
    proposed: list[Memory] = []
    refused: set[str] = set()
    known = more = 0
    outdated = _outdated(engine, project, tree)
    for one in _once(files):
        try:
            memory = _proposal(engine.but(source=SOURCE), one, outdated)
        except Refused as error:
            line = _said_line(_start(one), one.anchor.path, tree)
            left_out.append((one.anchor.path, f"{line}{error.sentence}"))
            refused.add(one.text)
            continue
        if memory is None:
            known += 1
        elif len(proposed) < MOST_PROPOSED:
            proposed.append(memory)
        else:
            more += 1
    claimed = [one.supersedes for one in proposed]
    # If two could be the new wording, nobody can tell which one it is.
    proposed = [
        one.but(supersedes=one.supersedes if claimed.count(one.supersedes) == 1 else None)
        for one in proposed
    ]
    if proposed:
        waiting = {one.id: one for one in outdated.values() if one.status == "staged"}
        proposed = _stage(engine.but(source=SOURCE), proposed, waiting)
    read = tuple(_file_learned(engine, one, refused, tree) for one in files)
    return Learned(project, tuple(proposed), known, tuple(left_out), read, more)


def _file_learned(
    engine: Engine, file: RepositoryFile, refused: set[str], tree: WorkTree
) -> FileLearned:
    left = [one for one in file.statements if one.text in refused]
    starts = (*map(_start, left), *file.passed[:MOST_LOOKED_AT])
    lines = {_line_of(one, file.path, tree) for one in starts} - {0}
    return FileLearned(
        file.path,
        len(file.statements) - len(left),
        len(file.passed) + len(left),
        tuple(sorted(lines)),
        _passed(engine, file) if actor_of(engine.source) == PERSON else (),
    )


def _start(said: RepositoryStatement) -> str:
    """The first words of a statement as they are in its file."""
    return said.anchor.value or said.anchor.name.strip("“”")


def _said_line(start: str, path: str, tree: WorkTree) -> str:
    line = _line_of(start, path, tree)
    return f"Line {line}: " if line else ""


def _line_of(start: str, path: str, tree: WorkTree) -> int:
    """The line of a file where a text begins; 0 if it cannot be told.

    The text may go on in the next line, so ever fewer of its first words are looked for.
    """
    lines = _normal_lines(tree.read(path) or "")
    words = start.split()[:LINE_WORDS]
    for count in range(len(words), 0, -1):
        first = " ".join(words[:count])
        for at, line in enumerate(lines, 1):
            # Two first words of a longer text may be elsewhere by chance, not at a line's start.
            anywhere = count > 2 or count == len(words)
            if first in line if anywhere else line.lstrip("-*+>@ ").startswith(first):
                return at
    return 0


# Many texts of one file are looked for.
@lru_cache(maxsize=4)
def _normal_lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n")]


def _passed(engine: Engine, file: RepositoryFile) -> tuple[str, ...]:
    """The first texts of a file that were passed over, without secrets."""
    policy = engine.settings.screening
    # Half a secret, after a cut, would not be known for one.
    first = (forms_removed(loggable(one, policy)) for one in file.passed[:MOST_PASSED])
    return tuple(one[:PASSED_CHARACTERS] for one in first)


def _outdated(engine: Engine, project: str, tree: WorkTree) -> dict[Anchor, Memory]:
    """The memories that were learned here, accepted or waiting, whose statement has changed."""
    where = Where(sources=(SOURCE,), statuses=(*LIVE, "staged"))
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=MOST_KNOWN)
    )
    check = AnchorChecker(tree, limit_s=0.0)
    return {
        one.anchor: memory
        for memory in found
        if memory.scope.value("project") == project
        for one in check.check(memory.anchors)
        # Others of its anchors are only named in the statement.
        if one.state in STALE and memory.id == _statement_id(memory, one.anchor.path)
    }


def _statement_id(memory: Memory, path: str) -> str:
    """One statement has one id, so that a rejected one does not come back."""
    return identity.computed_id(0, "learn", str(memory.scope), path, memory.content)


def _read(tree: WorkTree) -> tuple[list[RepositoryFile], list[tuple[str, str]]]:
    """The files that say something about the repository, and those that cannot be read."""
    walked = tree.walk(TimeLimit(WALK_S)).paths
    workflows = (path for path in walked if path.startswith(WORKFLOWS))
    files: list[RepositoryFile] = []
    left_out: list[tuple[str, str]] = []
    for path in (*PAGES, *BUILD_FILES, *workflows):
        text = tree.read(path)
        if text is not None:
            files.append(read_file(path, text))
        elif tree.kind(path) == "file":
            left_out.append((path, "It is binary, larger than 1 MB, or cannot be read."))
    return files, left_out


def _once(files: Iterable[RepositoryFile]) -> Iterator[RepositoryStatement]:
    """The statements, each once: CLAUDE.md is often a copy of AGENTS.md."""
    seen: set[str] = set()
    for one in (one for file in files for one in file.statements):
        if one.text not in seen:
            seen.add(one.text)
            yield one


def _proposal(
    engine: Engine, said: RepositoryStatement, outdated: Mapping[Anchor, Memory]
) -> Memory | None:
    """The memory of a statement; None if it was proposed before or is known.

    A new wording is to take the place of the old one, once somebody accepts it.
    """
    installs = "npm runs it by itself at an install." if is_install_script(said.anchor) else ""
    if reason := installs or file_order_reason(said.text):
        raise Refused(reason, hint="Read the file before you trust it.").because("order")
    draft = Draft(said.text, kind="workflow", basis="stated")
    [(_, memory)] = draft_memories(engine, [draft], ReasonerCache(engine))
    id = _statement_id(memory, said.anchor.path)
    if engine.store.read([id], visible=EVERYTHING) or _is_known(engine, memory):
        return None
    refuse_purged(engine, [memory])
    # An anchor must not show what screening has removed.
    own = (str(said.anchor),) if memory.content == said.text else ()
    before = [old for anchor, old in outdated.items() if _is_reworded(anchor, old, said)]
    if len(before) == 1 and before[0].scope == memory.scope:
        memory = memory.but(supersedes=before[0].id)
    return memory.but(
        id=id,
        slug=identity.slug(memory.content[:300], id),
        status="staged",
        # "CI runs `make test`" holds, whatever the target runs by now.
        anchors=joined_anchors(existing_anchors(memory.anchors), own),
    )


def _is_reworded(anchor: Anchor, old: Memory, said: RepositoryStatement) -> bool:
    """Whether a statement has the place of an old one, or most of its words in the same file."""
    if is_reworded(anchor, said.anchor):
        return True
    one, other = telling_terms(old.content), telling_terms(said.text)
    alike = bool(one & other) and len(one & other) >= ALIKE * len(one | other)
    return anchor.path == said.anchor.path and is_line(anchor) and alike


def _is_known(engine: Engine, memory: Memory) -> bool:
    where = Where(
        scopes=(str(memory.scope),),
        content_hashes=(identity.content_hash(memory.content),),
        statuses=(*LIVE, "staged"),
    )
    return bool(with_index(engine, lambda: engine.index.select(where, visible=EVERYTHING, limit=1)))


def _stage(engine: Engine, memories: list[Memory], waiting: Mapping[str, Memory]) -> list[Memory]:
    """Put memories into the inbox; one that waits in an old wording leaves it for the new one."""
    changes = ChangeSet()
    staged: list[Memory] = []
    for memory in memories:
        old = waiting.get(memory.supersedes or "")
        new = memory.but(supersedes=None) if old else memory
        changes.change("staged", new)
        staged.append(new)
        if old:
            told = replacement.retired_version(old, new)
            changes.change("superseded", told, before=old, related=[new.id])
    with engine.store.lease(scopes=changes.scopes) as lease:
        commit(engine, lease, changes)
    return staged
