"""Leave out memories of branches that the caller's HEAD does not have.

A hidden memory may have replaced another one, which holds as long as the branch is not merged: it
is put in its place.
"""

from __future__ import annotations

from ..model.checkout import HERE, UNMERGED, GitHead
from ..model.memory import LIVE
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import branches
from .trace import omit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from ..model.memory import Hit, Memory
    from .engine import Engine

    T = TypeVar("T")

QUICK_S, PATIENT_S = 0.1, 5.0
"""How long git is waited for by a hook, which has a third of a second, and by others."""
HASTY = ("hook", "rest")
"""Doors that a hook waits for."""
MOST_PASSES = 5
MOST_VERSIONS = 20
PAGE = 1_000
MOST_STANDING = 1_000
"""Memories of branches that are looked at for what they replaced, the newest first."""


class BranchView(Value):
    """How memories stand to a caller's HEAD."""

    compared: Mapping[str, str] = {}

    def hides(self, memory: Memory) -> bool:
        """Whether a memory belongs to a branch that is not merged here."""
        return bool(self.compared) and branches.is_hidden(memory, self.compared)

    def warning(self, memory: Memory) -> str:
        """What a reader should know of a memory's commit."""
        return branches.warning(memory, self.compared) if self.compared else ""


EVERYTHING_SHOWN = BranchView()


def branch_view(engine: Engine, memories: Iterable[Memory]) -> BranchView:
    """Compare the commits of memories with the caller's HEAD; outside a repository nothing is."""
    if engine.checkout is None:
        return EVERYTHING_SHOWN
    asked = {where for one in memories if (where := branches.learned_at(one))}
    if not asked:
        return EVERYTHING_SHOWN
    limit_s = QUICK_S if engine.source in HASTY else PATIENT_S
    compared = engine.checkout.compare(asked, limit_s=limit_s)
    if all(verdict == HERE for verdict in compared.values()):
        return EVERYTHING_SHOWN
    return BranchView(compared)


def unmerged(engine: Engine, where: Where) -> tuple[str, ...] | None:
    """The places that are known not to be merged here, unless a branch is asked for by name."""
    if engine.checkout is None or where.branch is not None:
        return None
    found = engine.checkout.unmerged()
    return tuple(one for one in found if branches.branch_of(one)) or None


def until_settled(engine: Engine, where: Where, read: Callable[[Where], T]) -> T:
    """Read without what is unmerged, and again as long as that finds more of it."""
    hidden = unmerged(engine, where)
    for _ in range(MOST_PASSES):
        found = read(where.but(not_learned=hidden))
        if (now := unmerged(engine, where)) == hidden:
            return found
        hidden = now
    return read(where.but(not_learned=hidden))


def with_standing(engine: Engine, where: Where) -> Where:
    """The conditions, met by what only unmerged branches replaced as if it were live.

    It holds at the caller's HEAD, or at the tip of the branch that is asked for by name. The index
    is up to date; what it finds is shown by `as_standing`.
    """
    retired = where.statuses is not None and LIVE[0] not in where.statuses
    # A hook finds such a memory by the text that replaced it, which costs no further look.
    if engine.checkout is None or engine.source in HASTY or retired:
        return where
    there = engine if where.branch is None else _on_branch(engine, where.branch)
    return where.but(standing=_standing(there) if there.checkout else None)


def as_standing(memories: Iterable[Memory], where: Where) -> list[Memory]:
    """The memories, with those that only unmerged branches replaced shown as live.

    `where` comes from `with_standing`, which names them, and is what the index was asked.
    """
    standing = frozenset(where.standing or ())
    return [as_live(one) if one.id in standing else one for one in memories]


def only_merged(engine: Engine, where: Where) -> Where:
    """The conditions, without what the caller's HEAD does not have, unless a branch is asked for.

    The index is up to date.
    """
    if engine.checkout is None or where.branch is not None:
        return where
    tied = where.but(tied=True)
    hidden: list[str] = []
    passed, more = 0, True
    while more:
        page = engine.index.select(tied, visible=engine.visible, limit=PAGE, offset=passed)
        view = branch_view(engine, page)
        hidden += [one.id for one in page if view.hides(one)]
        passed, more = passed + len(page), len(page) == PAGE
    return where.but(not_ids=tuple(hidden)) if hidden else where


def _on_branch(engine: Engine, branch: str) -> Engine:
    """The engine of somebody who works on a branch; without a checkout if there is none."""
    if engine.checkout is None or engine.open_checkout is None:
        return engine
    head, tip = engine.checkout.head(), engine.checkout.tip(branch)
    if head is not None and head.branch == branch:
        return engine
    there = engine.open_checkout(engine.folder, GitHead(tip, branch)) if tip else None
    return engine.but(checkout=there)


def _standing(engine: Engine) -> tuple[str, ...] | None:
    """The superseded memories that hold at HEAD, because no branch that replaced them is merged."""
    where = Where(statuses=LIVE, superseding=True, tied=True)
    newer = engine.index.select(where, visible=engine.visible, limit=MOST_STANDING)
    view = branch_view(engine, newer)
    hidden = [one for one in newer if view.hides(one)]
    found = {old.id: old for one in hidden for old in replaced_by(engine, one)}
    return tuple(id for id, old in found.items() if not _has_value(engine, old)) or None


def _has_value(engine: Engine, old: Memory) -> bool:
    """Whether another value of the same fact holds here."""
    if old.key is None:
        return False
    where = Where(key=old.key, scopes=(str(old.scope),), statuses=LIVE)
    found = engine.index.select(where, visible=engine.visible, limit=MOST_VERSIONS)
    values = [one for one in found if _fact(one) == _fact(old)]
    view = branch_view(engine, values)
    return not all(map(view.hides, values))


def holding_here(engine: Engine, memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """For memories that do not hold at the caller's HEAD, what they replaced and what does hold."""
    given = list(memories)
    view = branch_view(engine, given)
    hidden: list[Memory] = []
    seen: list[Memory] = []
    for one in given:
        (hidden if view.hides(one) else seen).append(one)
    shown = {one.id for one in seen}
    facts = {_fact(one) for one in seen if one.key is not None}
    held: dict[str, list[Memory]] = {one.id: [] for one in _outdated(engine, seen)}
    for one in hidden:
        omit(engine.trace, one.id, "unmerged", branch=one.branch)
        older = replaced_by(engine, one)
        held[one.id] = [old for old in older if old.id not in shown and _fact(old) not in facts]
        shown |= {old.id for old in older}
    return held


def _outdated(engine: Engine, shown: Sequence[Memory]) -> list[Memory]:
    """Versions in whose place HEAD has one of a later commit, as a branch has beside `main`.

    Both replaced the same memory, or are values of one fact.
    """
    if engine.checkout is None:
        return []
    limit_s = QUICK_S if engine.source in HASTY else PATIENT_S
    found: list[Memory] = []
    for one in shown:
        commit = one.commit or ""
        for rival in _rivals(engine, one, shown) if commit else ():
            if engine.checkout.precedes(commit, rival.commit or "", limit_s=limit_s):
                omit(engine.trace, one.id, "later_version", branch=rival.branch)
                found.append(one)
                break
    return found


def _rivals(engine: Engine, memory: Memory, shown: Sequence[Memory]) -> list[Memory]:
    """Other versions at other commits that hold here as well."""
    keyed = memory.key is not None
    rivals = [one for one in shown if keyed and _fact(one) == _fact(memory)]
    if memory.supersedes:
        where = Where(supersedes=memory.supersedes, statuses=LIVE)
        rivals += engine.index.select(where, visible=engine.visible, limit=MOST_VERSIONS)
    rivals = [one for one in rivals if one.commit and one.commit != memory.commit]
    view = branch_view(engine, rivals) if rivals else EVERYTHING_SHOWN
    return [one for one in rivals if not view.hides(one)]


def both_merged(memories: Iterable[Memory]) -> dict[str, tuple[str, ...]]:
    """The texts that two merged branches wrote in place of one memory: each id with its rivals.

    Nobody has said which of them holds. Facts are left out: their newest value holds.
    """
    heirs: dict[str, list[Memory]] = {}
    for one in memories:
        if one.supersedes and one.commit and one.key is None:
            heirs.setdefault(one.supersedes, []).append(one)
    return {
        one.id: others
        for each in heirs.values()
        for one in each
        if (others := tuple(two.id for two in each if _says_otherwise(one, two)))
    }


def _says_otherwise(one: Memory, other: Memory) -> bool:
    return one.commit != other.commit and one.content.split() != other.content.split()


def merged_here(engine: Engine, memories: Iterable[Memory]) -> list[Memory]:
    """The memories that hold at the caller's HEAD: a hidden one gives way to what it replaced."""
    given = list(memories)
    held = holding_here(engine, given)
    return [here for one in given for here in held.get(one.id, (one,))] if held else given


def with_warnings(engine: Engine, hits: Iterable[Hit]) -> list[Hit]:
    """The hits, each with what a reader should know of its commit."""
    found = list(hits)
    view = branch_view(engine, [hit.memory for hit in found])
    if view is EVERYTHING_SHOWN:
        return found
    return [hit.but(warning=view.warning(hit.memory)) for hit in found]


def branch_warnings(engine: Engine, memories: Iterable[Memory]) -> dict[str, str]:
    """A sentence for each memory whose commit is not merged at HEAD or is unknown, by its id."""
    given = list(memories)
    view = branch_view(engine, given)
    return {one.id: said for one in given if (said := view.warning(one))}


def replaced_by(engine: Engine, memory: Memory) -> list[Memory]:
    """The versions that a hidden memory replaced and that hold here, as live ones."""
    found: list[Memory] = []
    waiting, seen = [memory], {memory.id}
    while waiting and len(seen) <= MOST_VERSIONS:
        older = _replaced(engine, waiting.pop())
        view = branch_view(engine, older)
        for one in older:
            if one.id not in seen:
                seen.add(one.id)
                waiting += [one] if view.hides(one) else []
                if not view.hides(one) and holds_here(engine, one):
                    found.append(as_live(one))
    return found


def _replaced(engine: Engine, newer: Memory) -> list[Memory]:
    """The superseded memories that one replaced, also those that another branch replaced since."""
    where = Where(superseded_by=newer.id, statuses=("superseded",))
    older = engine.index.select(where, visible=engine.visible, limit=MOST_VERSIONS)
    if newer.supersedes and all(one.id != newer.supersedes for one in older):
        named = Where(ids=(newer.supersedes,), statuses=("superseded",))
        older += engine.index.select(named, visible=engine.visible, limit=1)
    return older


def holds_here(engine: Engine, old: Memory) -> bool:
    """Whether a superseded memory holds at the caller's HEAD, where nothing that replaced it does.

    The index is up to date.
    """
    if engine.checkout is None or old.status != "superseded":
        return False
    # Imported here, because few prompts meet a version of another branch.
    from ..rules.relations.replacement import replaces

    claims = Where(supersedes=old.id)
    heirs = engine.index.select(claims, visible=EVERYTHING, limit=MOST_VERSIONS)
    heirs = [one for one in heirs if replaces(one, old) or one.id == old.superseded_by]
    if old.superseded_by and all(one.id != old.superseded_by for one in heirs):
        heirs += engine.store.read([old.superseded_by], visible=EVERYTHING).values()
    view = branch_view(engine, [old, *heirs])
    return bool(heirs) and not view.hides(old) and all(map(view.hides, heirs))


def held_elsewhere(engine: Engine, gone: Memory) -> list[Memory]:
    """The memories of other branches that `gone` replaced, where its commit is not merged."""
    where = branches.learned_at(gone)
    if engine.checkout is None or engine.open_checkout is None or where is None:
        return []
    found: list[Memory] = []
    for old in _replaced(engine, gone):
        if not old.branch or old.branch == gone.branch or old.superseded_by != gone.id:
            continue
        there = _on_branch(engine, old.branch).checkout
        if there and there.compare([where], limit_s=PATIENT_S)[str(where)] == UNMERGED:
            found.append(old)
    return found


def as_live(memory: Memory) -> Memory:
    """A superseded memory as it is shown where it holds."""
    return memory.but(status=LIVE[0], superseded_by=None)


def _fact(memory: Memory) -> tuple[object, ...]:
    return memory.scope, memory.namespace, memory.key
