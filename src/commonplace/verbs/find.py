"""Find memories by id, name, exact text, conditions or fact key, without a search."""

from __future__ import annotations

from ..engine.branch_view import (
    as_live,
    as_standing,
    branch_names,
    branch_view,
    holding_here,
    holds_here,
    merged_here,
    only_merged,
    present_branch,
    with_former_names,
    with_standing,
)
from ..engine.catch_up import find_purged, with_index
from ..model.checkout import is_branch
from ..model.errors import BadInput, Conflict, NotFound
from ..model.identity import SHORT_ID_CHARACTERS, content_hash, normalized
from ..model.memory import LIVE, SUMMARIES, TIERS
from ..notes.display import NAMESPACE_SEPARATOR, key_readings
from ..ports.search_index import Where
from ..rules import branches
from ..rules.authority import is_persons
from .inbox_count import count_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from ..engine.engine import Engine
    from ..model.conditions import Axis, Order
    from ..model.memory import Memory
    from ..model.results import Overview


MOST = 1_000
MOST_KEY_CHARACTERS = 300
MOST_NAMED = 8
"""Branches that an error names, the most similar ones."""
NO_OPTIONS = ("mcp",)
"""Doors whose ways to name one memory take no branch."""


def get(engine: Engine, ref: str, *, by_text: bool = True, branch: str | None = None) -> Memory:
    """The memory with that id, slug, title, alias, fact key or exact text, or an id that ends so.

    Only a whole id means one version; all else means the newest that holds where the caller works,
    or with `branch` the one that was learned there. `by_text` is false for a verb that changes
    every copy of a text, and looks for texts itself.
    """
    named = all_named(engine, ref, by_text=by_text, branch=branch)
    meant = next((one for one in named if one.status in LIVE), named[0])
    return meant if meant.id == ref else newest_version(engine, meant, branch=branch)


def get_shown(engine: Engine, ref: str, *, branch: str | None = None) -> Memory:
    """The memory of that name as a reader sees it: a live one, if it holds here."""
    return shown_here(engine, [get(engine, ref, branch=branch)])[0]


def shown_here(engine: Engine, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Stored memories as a reader sees them: live ones, where only other branches replaced them."""
    return tuple(as_live(one) if _holds(engine, one) else one for one in memories)


def _holds(engine: Engine, memory: Memory) -> bool:
    """Whether a superseded memory holds where the caller works."""
    if engine.checkout is None or memory.status != "superseded":
        return False
    return with_index(engine, lambda: holds_here(engine, memory))


def all_named(
    engine: Engine, ref: str, *, by_text: bool = True, branch: str | None = None
) -> list[Memory]:
    """The memories that a reference names, at most one of them live, as they are stored.

    Raises NotFound if there is none, and Conflict if several live ones are named so.
    """
    if not ref.strip():
        hint = "Give its id, name, key or exact text; find it with `recall` or `list`."
        raise BadInput("No memory is named.", hint=hint)
    ref = ref.encode("utf-8", "replace").decode()
    found = engine.store.read([ref], visible=engine.visible)
    if found and not find_purged(engine, list(found.values())):
        return [found[ref]]
    # A record is titled with the first words of what it tells of: these mean the memory that says
    # them, if there is one.
    likeliest: list[Memory] = []
    for titled in (False, True) if by_text else (False,):
        for where in _readings(ref, by_text=by_text):
            meant = with_former_names(engine, where.but(branch=branch))
            if meant.id_end and likeliest:
                break
            named = _meeting(engine, meant, ref, titled=titled)
            if any(is_persons(one) for one in named):
                return named
            if not likeliest and _is_own_name(named, ref):
                return named
            # A title or alias that an agent gave may be the key or text of a person's memory.
            likeliest = likeliest or named
        if likeliest:
            return likeliest
    if branch:
        raise _not_on_branch(engine, ref, branch, by_text=by_text)
    raise NotFound(
        f"No memory is called {quoted_ref(ref)}.", hint="Find it with `recall` or `list`."
    )


def _is_own_name(named: Sequence[Memory], ref: str) -> bool:
    """Whether a reference is the slug or key of a memory, and no title or alias."""
    name = normalized(ref)
    return any(name in map(normalized, (one.slug or "", one.key or "")) for one in named)


def _not_on_branch(engine: Engine, ref: str, branch: str, *, by_text: bool) -> NotFound:
    """Why a branch has no memory of that name: it is elsewhere, nowhere, or there is no branch."""
    called = quoted_ref(ref)
    try:
        check_branch(engine, branch)
    except NotFound as unknown:
        return unknown
    try:
        other = present_branch(engine, all_named(engine, ref, by_text=by_text)[0])
    except NotFound as error:
        other = error.branch
        if not other:
            return NotFound(
                f"No memory is called {called} or has that text, on the branch {branch} or"
                " elsewhere.",
                hint=f"`commonplace list --branch {branch}` shows what was learned there.",
            )
    except Conflict:
        other = ""  # Several have it, none of them on that branch.
    learned = f"on the branch {other}" if other else "on no branch or several others"
    hint = f"Name the branch {other}, or none." if other else "Leave the branch out."
    return NotFound(f"{called} was learned {learned}, not on {branch}.", hint=hint).only_on(
        other or branch
    )


def check_branch(engine: Engine, branch: str | None) -> None:
    """Raise NotFound if neither git nor any memory knows a branch that was asked for."""
    checkout = engine.checkout
    if branch is None or (checkout is not None and checkout.present_name(branch)):
        return
    where = with_former_names(engine, Where(branch=branch))
    if with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=1)):
        return
    # Imported here, because only an error lists the branches.
    import difflib

    names = with_index(engine, lambda: _known_branches(engine))
    nearest = difflib.get_close_matches(branch, names, n=MOST_NAMED, cutoff=0)
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    hint = f"Known branches: {', '.join(nearest)}{more}." if nearest else "Leave the branch out."
    raise NotFound(
        f"No memory was learned on a branch called {quoted_ref(branch)}, and there is no such"
        " branch here.",
        hint=hint,
    ).only_on(branch)


def _known_branches(engine: Engine) -> set[str]:
    """The branches of git, and those that memories were learned on, by the names they have now."""
    checkout = engine.checkout
    found = set(checkout.branches()) if checkout else set[str]()
    for place in engine.index.places(Where(), visible=engine.visible):
        commit, _, branch = place.partition(" ")
        if is_branch(branch) and branch not in found:
            found.add(checkout.present_name(branch, commit) if checkout else branch)
    return found - {""}


def _readings(ref: str, *, by_text: bool) -> Iterator[Where]:
    """Yield the readings of a reference, likeliest first: name, fact's key, text, end of an id."""
    yield Where(name=ref)
    if len(ref) <= MOST_KEY_CHARACTERS:
        for namespace, key in key_readings(ref.strip()):
            yield Where(key=key, namespace=namespace)
    if by_text and ref.strip():
        yield Where(content_hashes=(content_hash(ref),))
    # An agent was handed the short id of a version that may have been edited since.
    if end := id_end(ref):
        yield Where(id_end=end)


def _without_purged(engine: Engine, found: Sequence[Memory]) -> list[Memory]:
    """Memories without those that a purge removed while the index could not hear of it."""
    purged = find_purged(engine, found)
    return [one for one in found if one.id not in purged]


def id_end(ref: str) -> str:
    """The end of an id that a reference may be; empty if it can be none."""
    end = ref.strip().strip("[]")
    possible = len(end) >= SHORT_ID_CHARACTERS and end.isascii() and not set(end) & set("%_\\ ")
    return end if possible else ""


def _meeting(engine: Engine, where: Where, ref: str, *, titled: bool) -> list[Memory]:
    """The stored memories that meet a reading; raises Conflict if several are meant.

    Records that only have the name as their title are among them if `titled` is true.
    """
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible, limit=20))
    if where.name is not None and not titled:
        found = [one for one in found if not _is_titled_record(one, ref)]
    # A purge that was killed half-way leaves what it had not removed yet to `sync`.
    found = [one for one in _without_purged(engine, found) if _says(one, where, ref)]
    if not where.id_end:
        found = around(engine, found)
    if where.branch is None:
        found = _without_other_branches(engine, found, where, ref)
    live = [memory for memory in found if memory.status in LIVE]
    if where.id_end and len(live or found) > 1:
        raise Conflict(
            f"Several ids end in {quoted_ref(where.id_end)}.",
            hint=f"Name one: {', '.join(one.id for one in live or found)}.",
        )
    if len(live) > 1:
        # What an agent calls by the same name neither hides a person's memory nor confuses it.
        nearest = narrowest(engine, [one for one in live if is_persons(one)] or live)
        if len(nearest) > 1:
            raise several_named(engine, ref, nearest)
        found = [one for one in found if one.status not in LIVE or one is nearest[0]]
    stored = engine.store.read([one.id for one in found], visible=engine.visible)
    return [stored[one.id] for one in found if one.id in stored]


def _is_titled_record(memory: Memory, ref: str) -> bool:
    named = (memory.slug, *memory.aliases)
    return memory.kind in SUMMARIES and normalized(ref) not in map(normalized, named)


def around(engine: Engine, found: Sequence[Memory]) -> list[Memory]:
    """The memories of scopes around the caller's place; all of them if there are none."""
    here = set(engine.here.pairs)
    # A caller without a context means any of them.
    near = [one for one in found if here.issuperset(one.scope.pairs)] if here else []
    return near or list(found)


def narrowest(engine: Engine, found: Sequence[Memory]) -> list[Memory]:
    """The memories of the narrowest scope around the caller's place, of several with one name."""
    if not engine.here.pairs:
        return list(found)
    near = around(engine, found)
    deepest = max(len(one.scope.pairs) for one in near)
    return [one for one in near if len(one.scope.pairs) == deepest]


def saying_the_same(engine: Engine, memory: Memory) -> list[Memory]:
    """Other memories in use that say what a memory says, or have its key, in the same place."""
    place = (str(memory.scope),)
    where = Where(scopes=place, content_hashes=(content_hash(memory.content),), statuses=LIVE)
    if memory.key is not None:
        where = Where(scopes=place, key=memory.key, statuses=LIVE)
    found = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    known = engine.store.read([one.id for one in found], visible=engine.visible).values()
    fact = (memory.key, memory.namespace)
    own = (memory.id, memory.supersedes)
    same = [one for one in known if one.id not in own and (one.key, one.namespace) == fact]
    view = branch_view(engine, [memory, *same])
    if view.hides(memory):
        return []  # It comes back on its branch, where what is said here may not hold.
    return [one for one in same if one.status in LIVE and not view.hides(one)]


def in_use_again(memory: Memory, again: Memory) -> Conflict:
    """Why a retired memory does not come back: another one has its text or its key now."""
    name = again.slug or again.id
    if again.content != memory.content:
        said = f"The key {memory.key!r} has another value now, {name}"
    else:
        said = f"The same text was saved again and is in use, as {name}"
    return Conflict(
        f"{said}; nothing was changed.",
        hint=f"To have the earlier one back instead, run `commonplace forget {again.id}` first.",
    )


def several_named(engine: Engine, ref: str, found: Sequence[Memory]) -> Conflict:
    """The error for a reference that names several memories."""
    return Conflict(
        f"Several memories are called {quoted_ref(ref)}.",
        hint=f"Name one by its id: {', '.join(_candidate(engine, one) for one in found)}.",
    )


def _without_other_branches(
    engine: Engine, found: list[Memory], where: Where, ref: str
) -> list[Memory]:
    """Drop the memories of unmerged branches, and put in what each replaced at the caller's HEAD.

    What is put in has the name or text as well, else a text of a branch would mean another one.
    A name or the end of an id may mean a memory of another branch; a key or a text never does.
    Raises NotFound if only other branches have it.
    """
    live = [one for one in found if one.status in LIVE]
    held = holding_here(engine, live)
    if not held:
        return found
    here = {one.id: one for given in live for one in held.get(given.id, (given,))}
    replaced = where.but(ids=tuple(here))
    meeting = engine.index.select(replaced, visible=engine.visible, limit=MOST) if here else ()
    kept = {one.id for one in meeting if _says(one, where, ref)}
    if named := [one for one in here.values() if one.id in kept]:
        return named
    view = branch_view(engine, found)
    if gone := [one for one in found if one.status == "deleted" and not view.hides(one)]:
        return gone
    if where.name is not None or where.id_end is not None:
        return found
    last = live[0]
    why = "it is not merged here" if view.hides(last) else "a later version holds here"
    by_id = f"Name it by its id: {last.id}."
    branch = present_branch(engine, last)
    if not branch:
        learned = f"{quoted_ref(ref)} was {branches.learned_on(last, None)}"
        raise NotFound(f"{learned}, and {why}.", hint=by_id)
    verbs = "`get`, `edit`, `correct`, `forget`, `promote`, `why-not`"
    option = f" {verbs} also take --branch {branch}."
    raise NotFound(
        f"Only the branch {branch} has {quoted_ref(ref)}, and {why}.",
        hint=by_id if engine.source in NO_OPTIONS else f"{by_id}{option}",
    ).only_on(branch)


def _says(memory: Memory, where: Where, ref: str) -> bool:
    """False if a memory was found by the hash of another text."""
    return where.content_hashes is None or normalized(memory.content) == normalized(ref)


def _candidate(engine: Engine, memory: Memory) -> str:
    """An id, and a name that tells it from others."""
    branch = present_branch(engine, memory)
    place = f"{memory.scope}, branch {branch}" if branch else str(memory.scope)
    return f"{memory.id} ({memory.slug or memory.key or memory.kind}, {place})"


def quoted_ref(ref: str) -> str:
    """A reference for an error message, shortened and without credentials."""
    # Imported here, because only an error quotes a name.
    from ..rules.screening.screen import credentials_removed

    return repr(credentials_removed(ref)[:80])


def newest_version(engine: Engine, memory: Memory, *, branch: str | None = None) -> Memory:
    """The newest version of a memory found by an older version's name.

    Versions of branches that are not merged here do not count, unless `branch` names one.
    """
    passed = {memory.id}
    while memory.superseded_by:
        newer = _successor(engine, memory, anywhere=branch is not None)
        if newer is None or newer.id in passed:
            break
        passed.add(newer.id)
        memory = newer
    return memory


def _successor(engine: Engine, memory: Memory, *, anywhere: bool) -> Memory | None:
    """The version that replaced a memory; None if only branches that are not merged here did."""
    read = engine.store.read([memory.superseded_by or ""], visible=engine.visible)
    newer = next(iter(read.values()), None)
    if newer is None or anywhere:
        return newer
    view = branch_view(engine, [memory, newer])
    if view.hides(memory) or not view.hides(newer):
        return newer
    # Imported here, because few names are those of a version that a branch replaced.
    from ..rules.relations.replacement import replaces

    # The branch replaced it last; before that it may have been replaced here.
    claims = Where(supersedes=memory.id)
    heirs = with_index(engine, lambda: engine.index.select(claims, visible=engine.visible))
    view = branch_view(engine, heirs)
    stored = engine.store.read([one.id for one in heirs], visible=engine.visible)
    here = (stored[one.id] for one in heirs if one.id in stored and not view.hides(one))
    return next((one for one in here if replaces(one, memory)), None)


def list_memories(
    engine: Engine,
    where: Where,
    *,
    order: Order,
    limit: int,
    offset: int,
) -> list[Memory]:
    """Memories that meet the conditions, in order, a page at a time.

    What only branches have replaced that are not merged here is listed as well, as it holds here.
    """
    if not 0 < limit <= MOST:
        raise BadInput(f"A page has 1 to {MOST} memories.", hint="Change the limit.")
    if offset < 0:
        raise BadInput("The offset is negative.", hint="Use 0 or more.")

    def read() -> list[Memory]:
        met = with_standing(engine, where)
        found = engine.index.select(
            met, visible=engine.visible, order=order, limit=limit, offset=offset
        )
        return as_standing(_without_purged(engine, found), met)

    listed_here = with_index(engine, read)
    if not listed_here:
        check_branch(engine, where.branch)
    return listed_here


def overview(engine: Engine, where: Where, *, limit: int) -> Overview:
    """Counts of the memories that meet the conditions, the largest first, and the newest ones.

    In a repository those that hold at the caller's HEAD, or that were learned on a branch.
    """
    where = with_index(engine, lambda: only_merged(engine, where))
    left_out = with_index(engine, lambda: branch_names(engine, where.not_ids or ()))
    newest = list_memories(engine, where, order="newest", limit=limit, offset=0)

    def counted(by: Literal["scope", "kind", "topic"]) -> tuple[tuple[str, int], ...]:
        found = engine.index.count(met, visible=engine.visible, by=by)
        return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    met = with_standing(engine, where)
    by_kind = counted("kind")
    total = sum(count for _, count in by_kind)
    from ..model.results import Overview

    return Overview(total, by_kind, counted("scope"), counted("topic"), tuple(newest), left_out)


def count_by(engine: Engine, where: Where, by: Axis) -> dict[str, int]:
    """The number of memories that meet the conditions, by one of their axes."""
    return with_index(
        engine,
        lambda: engine.index.count(with_standing(engine, where), visible=engine.visible, by=by),
    )


def count_inbox(engine: Engine) -> int:
    """The number of decisions that wait in the inbox."""
    return with_index(engine, lambda: count_waiting(engine, engine.visible))


def readable_statuses(*, include_archive: bool, include_inbox: bool) -> tuple[str, ...]:
    """Statuses that a read returns: live ones, and those of archive and inbox if included."""
    archive = ("superseded", "archived") if include_archive else ()
    return (*LIVE, *archive, *(("staged",) if include_inbox else ()))


def listed(where: Where, *, include_archive: bool) -> Where:
    """The conditions, without the archive and turns of conversations unless these are asked for."""
    tiers = listed_tiers(kinds=where.kinds, include_archive=include_archive)
    if tiers is None or where.episode or where.episodes or where.ids:
        return where.but(tiers=tiers)
    return where.but(tiers=tiers, in_conversation=False)


def listed_tiers(*, kinds: tuple[str, ...] | None, include_archive: bool) -> tuple[str, ...] | None:
    """Tiers that a list shows: all but the archive, unless the archive or a kind is asked for."""
    if include_archive or kinds:
        return None
    return tuple(tier for tier in TIERS if tier != "archive")


def is_listed(memory: Memory) -> bool:
    """Whether a list without conditions shows a memory."""
    return memory.status in LIVE and memory.tier != "archive" and memory.episode is None


def recall_fact(
    engine: Engine, key: str, *, namespace: str | None = None, branch: str | None = None
) -> Memory | None:
    """The fact with that key from the most specific scope that has it, here or on a branch.

    A key may name its namespace, as in `production/db.host`.
    """
    if not key.strip():
        raise BadInput("The key is empty.", hint="Name the fact, such as `deploy.branch`.")
    # Imported here, because the other ways to find a memory need no search.
    from ..engine.search import facts_with_key

    where = Where(statuses=LIVE, namespace=namespace, valid_at=engine.now(), branch=branch)
    where = with_former_names(engine, where)
    found = with_index(engine, lambda: facts_with_key(engine, key.strip(), where=where))
    if len(found) > 1:
        names = [one.namespace or "" for one in found]
        raise BadInput(
            f"Several namespaces have the key {key!r}: {', '.join(names)}.",
            hint=f"Name one, as in {names[0]}{NAMESPACE_SEPARATOR}{key}.",
        )
    if not found:
        check_branch(engine, branch)
    return found[0] if found else None


def list_facts(
    engine: Engine,
    *,
    namespace: str | None = None,
    scope: str | None = None,
    branch: str | None = None,
    limit: int = 1_000,
) -> list[Memory]:
    """Every visible fact with a key that holds here, sorted by scope, namespace and key.

    With `branch`, those that were learned there, merged or not.
    """
    where = Where(
        kinds=("fact",),
        statuses=LIVE,
        namespace=namespace,
        scopes=(scope,) if scope else None,
        valid_at=engine.now(),
        branch=branch,
    )
    where = with_former_names(engine, where)

    def read() -> list[Memory]:
        found = engine.index.select(where, visible=engine.visible, limit=limit)
        keyed = [one for one in _without_purged(engine, found) if one.key is not None]
        return keyed if branch or engine.checkout is None else _one_of_each(engine, keyed)

    facts = with_index(engine, read)
    if not facts:
        check_branch(engine, branch)
    return sorted(facts, key=lambda m: (str(m.scope), m.namespace or "", m.key or ""))


def _one_of_each(engine: Engine, facts: list[Memory]) -> list[Memory]:
    """The facts that hold where the caller works; of two that were merged, the one to look up."""
    from ..engine.search import precedence

    ordered = sorted(merged_here(engine, facts), key=precedence)
    return list({(one.scope, one.namespace, one.key): one for one in ordered}.values())
