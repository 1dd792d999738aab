"""Leave out memories of branches that the caller's HEAD does not have.

A hidden memory may have replaced another one, which holds as long as the branch is not merged: it
is put in its place.
"""

from __future__ import annotations

from ..model.checkout import HERE, UNMERGED, GitHead, LearnedAt
from ..model.memory import LIVE
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import branches
from .trace import omit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import TypeVar

    from ..model.memory import Hit, Memory
    from ..ports.checkout import Checkout
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
    checkout: Checkout | None = None

    def hides(self, memory: Memory) -> bool:
        """Whether a memory belongs to a branch that is not merged here."""
        return bool(self.compared) and branches.is_hidden(memory, self.compared)

    def warning(self, memory: Memory) -> str:
        """Where a memory was learned, and why HEAD does not have its commit; empty if it has."""
        if self.checkout is None:
            return ""
        return branches.warning(memory, self.compared, self.checkout.present_name)


EVERYTHING_SHOWN = BranchView()


def _limit_s(engine: Engine) -> float:
    return QUICK_S if engine.source in HASTY else PATIENT_S


def branch_view(engine: Engine, memories: Iterable[Memory]) -> BranchView:
    """Compare the commits of memories with the caller's HEAD; outside a repository nothing is."""
    if engine.checkout is None:
        return EVERYTHING_SHOWN
    places = {
        (one.commit, one.branch or "", one.repository or "") for one in memories if one.commit
    }
    asked = [LearnedAt(*place) for place in places]
    if not asked:
        return EVERYTHING_SHOWN
    compared = engine.checkout.compare(asked, limit_s=_limit_s(engine))
    if all(verdict == HERE for verdict in compared.values()):
        return EVERYTHING_SHOWN
    return BranchView(compared, engine.checkout)


def present_branch(engine: Engine, memory: Memory) -> str:
    """The name that a memory's branch has now; empty if it has none, or the branch is gone."""
    if engine.checkout is None or not memory.branch:
        return memory.branch or ""
    return engine.checkout.present_name(memory.branch, memory.commit or "")


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
    where = with_former_names(engine, where)
    if engine.checkout is None or retired:
        return where
    there = engine if where.branch is None else _on_branch(engine, where.branch)
    return where.but(standing=_standing(there) if there.checkout else None)


def with_former_names(engine: Engine, where: Where) -> Where:
    """The conditions, met by memories that carry a name which the branch had before, too."""
    if engine.checkout is None or where.branch is None or where.former:
        return where
    return where.but(former=engine.checkout.former_names(where.branch))


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


def branch_names(engine: Engine, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The branches that memories were learned on, by the names they have now, the latest first."""
    if not ids:
        return ()
    found = engine.index.select(Where(ids=ids), visible=engine.visible, limit=len(ids))
    return tuple(dict.fromkeys(filter(None, (present_branch(engine, one) for one in found))))


def _on_branch(engine: Engine, branch: str) -> Engine:
    """The engine of somebody who works on a branch; without a checkout if there is none."""
    if engine.checkout is None or engine.open_checkout is None:
        return engine
    branch = engine.checkout.present_name(branch) or branch
    head, tip = engine.checkout.head(), engine.checkout.tip(branch)
    if head is not None and head.branch == branch:
        return engine
    there = engine.open_checkout(engine.folder, GitHead(tip, branch)) if tip else None
    return engine.but(checkout=there)


def _standing(engine: Engine) -> tuple[str, ...] | None:
    """The superseded memories that hold at HEAD, because no branch that replaced them is merged."""
    where = Where(statuses=LIVE, superseding=True)
    hidden = _hidden_places(engine, engine.index.places(where, visible=engine.visible))
    if not hidden:
        return None
    where = where.but(learned=tuple(hidden))
    newer = engine.index.select(where, visible=engine.visible, limit=MOST_STANDING)
    replaced = replaced_by_each(engine, newer)
    found = {old.id: old for older in replaced.values() for old in older}
    valued = _facts_with_value(engine, found.values())
    return tuple(id for id, old in found.items() if _fact(old) not in valued) or None


def _hidden_places(engine: Engine, places: Mapping[str, str]) -> list[str]:
    """The places, each given with the id of a memory, that are not merged at the caller's HEAD.

    Few are met for the first time: only of those the memory is read, which has its repository.
    """
    assert engine.checkout is not None
    limit_s = _limit_s(engine)
    compared = dict(engine.checkout.compared(places, limit_s=limit_s))
    if new := tuple(id for place, id in places.items() if place not in compared):
        memories = engine.index.select(Where(ids=new), visible=engine.visible, limit=len(new))
        compared |= branch_view(engine, memories).compared
    return [one for one in places if compared.get(one) == UNMERGED and branches.branch_of(one)]


def _facts_with_value(engine: Engine, memories: Iterable[Memory]) -> set[tuple[object, ...]]:
    """The facts of these memories that have a live value which holds here."""
    keyed = [one for one in memories if one.key is not None]
    if not keyed:
        return set()
    where = Where(keys=tuple({one.key or "" for one in keyed}), statuses=LIVE)
    facts = set(map(_fact, keyed))
    found = engine.index.select(where, visible=engine.visible, limit=PAGE)
    values = [one for one in found if _fact(one) in facts]
    view = branch_view(engine, values)
    return {_fact(one) for one in values if not view.hides(one)}


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
    replaced = replaced_by_each(engine, hidden)
    for one in hidden:
        omit(engine.trace, one.id, "unmerged", branch=one.branch)
        older = replaced[one.id]
        held[one.id] = [old for old in older if old.id not in shown and _fact(old) not in facts]
        shown |= {old.id for old in older}
    return held


def _outdated(engine: Engine, shown: Sequence[Memory]) -> list[Memory]:
    """Versions in whose place HEAD has one of a later commit, as a branch has beside `main`.

    Both replaced the same memory, or are values of one fact.
    """
    if engine.checkout is None:
        return []
    limit_s = _limit_s(engine)
    found: list[Memory] = []
    for one, rivals in _with_rivals(engine, [one for one in shown if one.commit]):
        for rival in rivals:
            if engine.checkout.precedes(one.commit or "", rival.commit or "", limit_s=limit_s):
                omit(engine.trace, one.id, "later_version", branch=rival.branch)
                found.append(one)
                break
    return found


def _with_rivals(
    engine: Engine, shown: Sequence[Memory]
) -> Iterable[tuple[Memory, Sequence[Memory]]]:
    """Each memory with other versions, of other commits, that hold here as well."""
    claimed = tuple({one.supersedes for one in shown if one.supersedes})
    heirs: list[Memory] = [one for one in shown if one.supersedes]
    if claimed:
        where = Where(heirs_of=claimed, statuses=LIVE, not_ids=tuple(one.id for one in heirs))
        others = engine.index.select(where, visible=engine.visible, limit=PAGE)
        view = branch_view(engine, others) if others else EVERYTHING_SHOWN
        heirs += [one for one in others if one.commit and not view.hides(one)]
    versions: dict[tuple[object, ...], list[Memory]] = {}
    for one in heirs:
        versions.setdefault((one.supersedes,), []).append(one)
    for one in shown:
        if one.key is not None:
            versions.setdefault(_fact(one), []).append(one)
    for one in shown:
        rivals = (*versions.get(_fact(one), ()), *versions.get((one.supersedes,), ()))
        yield one, [rival for rival in rivals if rival.commit != one.commit]


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


def replaced_by_each(engine: Engine, memories: Collection[Memory]) -> dict[str, list[Memory]]:
    """For hidden memories, by their ids: the versions that each replaced and that hold here.

    They are shown as live ones. One generation after the other is read for all memories at once.
    """
    found: dict[str, list[Memory]] = {one.id: [] for one in memories}
    seen = {id: {id} for id in found}
    waiting = {one.id: (one, {one.id}) for one in memories}
    """Versions whose predecessors are to be read, with the memories that go back to them."""
    while waiting:
        older = _replaced(engine, [one for one, _ in waiting.values()])
        every = {one.id: one for each in older.values() for one in each}
        view = branch_view(engine, every.values())
        shown = [one for one in every.values() if not view.hides(one)]
        held = _holding(engine, shown, [one for one, _ in waiting.values()])
        further: dict[str, tuple[Memory, set[str]]] = {}
        for newer, (_, roots) in waiting.items():
            for one in older[newer]:
                for root in roots:
                    if one.id in seen[root] or len(seen[root]) > MOST_VERSIONS:
                        continue
                    seen[root].add(one.id)
                    if view.hides(one):
                        further.setdefault(one.id, (one, set()))[1].add(root)
                    elif one.id in held:
                        found[root].append(as_live(one))
        waiting = further
    return found


def _replaced(engine: Engine, memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """The superseded memories that each one replaced, also those another branch replaced since."""
    found: dict[str, list[Memory]] = {one.id: [] for one in memories}
    if not found:
        return found
    where = Where(replaced_by=tuple(found), statuses=("superseded",))
    for old in engine.index.select(where, visible=engine.visible, limit=PAGE):
        found.get(old.superseded_by or "", []).append(old)
    missing = [
        one
        for one in memories
        if one.supersedes and all(old.id != one.supersedes for old in found[one.id])
    ]
    if missing:
        named = Where(ids=tuple({one.supersedes or "" for one in missing}), statuses=where.statuses)
        read = engine.index.select(named, visible=engine.visible, limit=PAGE)
        older = {old.id: old for old in read}
        for one in missing:
            found[one.id] += [older[old] for old in (one.supersedes or "",) if old in older]
    return found


def holds_here(engine: Engine, old: Memory) -> bool:
    """Whether a superseded memory holds at the caller's HEAD, where nothing that replaced it does.

    The index is up to date.
    """
    return bool(_holding(engine, [old]))


def _holding(engine: Engine, older: Iterable[Memory], newer: Sequence[Memory] = ()) -> set[str]:
    """The ids of the superseded memories that hold here; `newer` was read already."""
    asked = {one.id: one for one in older if one.status == "superseded"}
    if engine.checkout is None or not asked:
        return set()
    claims = Where(heirs_of=tuple(asked), not_ids=tuple(one.id for one in newer))
    found = [*newer, *engine.index.select(claims, visible=EVERYTHING, limit=PAGE)]
    heirs: dict[str, dict[str, Memory]] = {id: {} for id in asked}
    for one in found:
        old = asked.get(one.supersedes or "")
        if old is not None and (one.id == old.superseded_by or _replaces(one, old)):
            heirs[old.id][one.id] = one
    known = {one.id: one for one in found}
    successors = {id: one.superseded_by for id, one in asked.items() if one.superseded_by}
    if unread := set(successors.values()).difference(known):
        known |= engine.store.read(list(unread), visible=EVERYTHING)
    for id, successor in successors.items():
        if successor in known:
            heirs[id][successor] = known[successor]
    view = branch_view(engine, [*asked.values(), *known.values()])
    return {
        id
        for id, each in heirs.items()
        if each and not view.hides(asked[id]) and all(map(view.hides, each.values()))
    }


def _replaces(one: Memory, old: Memory) -> bool:
    # Imported here, because few prompts meet a version that two branches replaced.
    from ..rules.relations.replacement import replaces

    return replaces(one, old)


def held_elsewhere(engine: Engine, gone: Memory) -> list[Memory]:
    """The memories of other branches that `gone` replaced, where its commit is not merged."""
    where = branches.learned_at(gone)
    if engine.checkout is None or engine.open_checkout is None or where is None:
        return []
    found: list[Memory] = []
    for old in _replaced(engine, [gone])[gone.id]:
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
