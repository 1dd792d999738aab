"""Find the projects that memories of the whole book belong to, and move them there."""

from __future__ import annotations

import os
import re

from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..engine.embed import embed_one
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadScope
from ..model.memory import LIVE
from ..model.results import ScopesMoved, ScopeSuggestion, StayedBehind
from ..model.scope import EVERYTHING, Scope
from ..notes.layout import WORK
from ..ports.search_index import Where
from ..projects import is_within, known_roots
from ..rules import access, authority
from ..rules.talk import lessons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

PAGE = 1_000
STAYING_KINDS = frozenset({"profile", "override", "proposal", WORK})
"""Kinds that concern the person or an agent type, not a project."""
LEAST_NAME = 3
COMMON_NAMES = frozenset({
    "api", "app", "apps", "backend", "bin", "book", "build", "cli", "client", "code", "core",
    "data", "demo", "dev", "docs", "frontend", "game", "home", "infra", "lib", "library", "main",
    "master", "notes", "project", "projects", "python", "scripts", "server", "service", "site",
    "src", "test", "tests", "tmp", "tool", "tools", "ui", "utils", "web", "website", "work",
})  # fmt: skip
"""Names that a text may mention without meaning the project."""

_PATH = re.compile(r"(?<![\w/.:])(?:~|[A-Za-z]:)?/[\w.+@~-]+(?:/[\w.+@~-]+)+")


def suggest_scopes(engine: Engine) -> list[ScopeSuggestion]:
    """Memories of the whole book that speak of one project, with the evidence."""
    access.require_owner(engine.context)
    return with_index(engine, lambda: _suggest(engine))


def apply_scopes(engine: Engine, suggestions: Sequence[ScopeSuggestion]) -> ScopesMoved:
    """Move memories as suggested; what was changed since, or is a person's, stays behind."""
    access.require_owner(engine.context)
    moved: list[Memory] = []
    left: list[StayedBehind] = []
    for one in suggestions:
        done = _move(engine, one)
        if isinstance(done, StayedBehind):
            left.append(done)
        else:
            moved.append(done)
            embed_one(engine, done)
    return ScopesMoved(tuple(moved), tuple(left))


def _suggest(engine: Engine) -> list[ScopeSuggestion]:
    evidence = _Evidence(engine)
    found: list[ScopeSuggestion] = []
    for memory in _candidates(engine):
        if chosen := evidence.project_of(memory):
            project, why = chosen
            found.append(ScopeSuggestion(memory, f"/project/{project}", why))
    return found


def _candidates(engine: Engine) -> Iterator[Memory]:
    where = Where(scopes=("/",), statuses=LIVE, in_conversation=False)
    offset = 0
    while page := engine.index.select(
        where, visible=EVERYTHING, order="oldest", limit=PAGE, offset=offset
    ):
        offset += PAGE
        for one in page:
            mine = one.kind == "preference" and lessons.is_about_person(one.content)
            if one.kind not in STAYING_KINDS and one.owner != "personal" and not mine:
                yield one


class _Evidence:
    """Evidence about projects, from the book and from this device."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        counts = engine.index.count(Where(statuses=LIVE), visible=EVERYTHING, by="scope")
        scopes = (Scope.parse(path) for path in counts)
        named = {one.value("project") for one in scopes if len(one.pairs) == 1}
        self._roots = known_roots(engine.settings.state)
        projects = {*filter(None, named), *self._roots.values()}
        self._names = {_plain(name): name for name in sorted(projects) if _tells(name)}
        self._tasks = _projects_of_tasks(engine)

    def project_of(self, memory: Memory) -> tuple[str, tuple[str, ...]] | None:
        """The one project that the best evidence names, and that evidence in words."""
        for found in (self._by_task, self._by_origin, self._by_path, self._by_name):
            named: dict[str, list[str]] = {}
            for project, why in found(memory):
                named.setdefault(project, []).append(why)
            if len(named) == 1:
                [(project, why)] = named.items()
                return project, tuple(dict.fromkeys(why))
            if named:
                return None
        return None

    def _by_task(self, memory: Memory) -> Iterator[tuple[str, str]]:
        for task in memory.source_tasks:
            if project := self._tasks.get(task):
                yield project, f"learned in the task {task}"

    def _by_origin(self, memory: Memory) -> Iterator[tuple[str, str]]:
        ids = [*memory.derived_from, *filter(None, [memory.supersedes])]
        for one in self._engine.store.read(ids, visible=EVERYTHING).values() if ids else ():
            if project := one.scope.value("project"):
                yield project, f"made from {one.slug or one.id}"

    def _by_path(self, memory: Memory) -> Iterator[tuple[str, str]]:
        for written in dict.fromkeys(_PATH.findall(memory.content)):
            path = os.path.realpath(os.path.expanduser(written))
            roots = [root for root in self._roots if is_within(path, root)]
            if roots:
                yield self._roots[max(roots, key=len)], f"names {written}"

    def _by_name(self, memory: Memory) -> Iterator[tuple[str, str]]:
        labels = (memory.title, memory.topic or "", memory.namespace or "", *memory.tags)
        text = f" {_plain(' | '.join((*labels, memory.content)))} "
        found = [plain for plain in self._names if f" {plain} " in text]
        for plain in found:
            # `chess engine` also says `chess`, and means the longer one.
            if not any(plain != other and f" {plain} " in f" {other} " for other in found):
                yield self._names[plain], f"mentions {self._names[plain]}"


def _projects_of_tasks(engine: Engine) -> dict[str, str]:
    """The projects of tasks, by the tasks' ids."""
    found: dict[str, str] = {}
    where = Where(kinds=(WORK, "task-summary"))
    for one in engine.index.select(where, visible=EVERYTHING, limit=PAGE):
        if project := one.scope.value("project"):
            found.update(dict.fromkeys((*one.aliases, *one.source_tasks), project))
    return found


def _tells(name: str) -> bool:
    return len(name) >= LEAST_NAME and _plain(name) not in COMMON_NAMES


def _plain(text: str) -> str:
    """Words in lower case: mech-fighters, Mech Fighters and MECH_FIGHTERS are the same."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _move(engine: Engine, suggestion: ScopeSuggestion) -> Memory | StayedBehind:
    """Move one memory, if it is still as it was."""
    old = suggestion.memory
    with engine.store.lease() as lease:
        now = engine.store.read([old.id], visible=EVERYTHING).get(old.id)
        if now is None or now.status not in LIVE or now.content != old.content:
            return StayedBehind(old, "It was changed meanwhile.")
        if now.scope != old.scope:
            return StayedBehind(now, "It was moved meanwhile.")
        if authority.verdict(engine.source, now) != authority.AT_ONCE:
            return StayedBehind(now, "It is a person's, and only a person moves it.")
        try:
            target = Scope.parse(suggestion.scope)
        except BadScope as error:
            return StayedBehind(now, error.sentence)
        moved = now.but(scope=target, updated=to_millisecond(engine.now()))
        if why := with_index(engine, lambda: _collision(engine, moved), look=False):
            return StayedBehind(now, why)
        changes = ChangeSet()
        changes.change("rescoped", moved, before=now)
        return commit(engine, lease, changes).first


def _collision(engine: Engine, moved: Memory) -> str:
    """Why the target has no room for a memory; empty if it has."""
    scopes = (str(moved.scope),)
    if moved.key is not None:
        facts = engine.index.select(
            Where(scopes=scopes, statuses=LIVE, key=moved.key), visible=EVERYTHING
        )
        if _any_with_namespace(facts, moved):
            return f"{moved.scope} has a value for {moved.key!r} already."
    text = (identity.content_hash(moved.content),)
    same = Where(scopes=scopes, statuses=LIVE, content_hashes=text, in_conversation=False)
    if engine.index.select(same, visible=EVERYTHING, limit=1):
        return f"{moved.scope} says the same already."
    return ""


def _any_with_namespace(facts: Iterable[Memory], moved: Memory) -> bool:
    return any(one.namespace == moved.namespace for one in facts)
