"""What becomes of a memory that belongs together with another, or contradicts others."""

from __future__ import annotations

from ..model import identity
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import proposals
from ..rules.relations import contradiction, merge, versions
from ..rules.relations.contradiction import judge
from .catch_up import with_index
from .change_set import ChangeSet
from .commit import commit, contradicted, event
from .drafts import summarized
from .revisions import kept_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..model.memory import Event, Memory
    from ..ports.reasoner import Judged, Merged
    from ..rules.relations.versions import Replacement
    from .change_set import DraftPlan
    from .engine import Engine
    from .neighbours import ReasonerCache


def merge_into(
    engine: Engine, page: ChangeSet, asking: ReasonerCache, new: Memory, old: Memory
) -> DraftPlan | None:
    """Both as one memory; None where that may not be, or would lose something."""
    if not merge.may_merge(new, old):
        return None
    newer, older = sorted((new, old), key=lambda memory: memory.created, reverse=True)
    merged = asking.merge(newer.content, older.content)
    if not merge.loses_nothing(merged, newer.content, older.content):
        return None
    text = identity.normalized(merged.text)
    if text == identity.normalized(old.content):
        return page.refresh(old, new, automatic=True)
    if text == identity.normalized(new.content):
        richer = versions.refreshed(new, old)
        return page.replace(richer, [old], action="merged", automatic=True)
    return _joined(engine, page, asking, new, old, merged)


def settle_conflicts(
    engine: Engine,
    page: ChangeSet,
    asking: ReasonerCache,
    new: Memory,
    against: Sequence[tuple[Memory, Judged]],
) -> DraftPlan:
    """The newcomer takes the place of what it contradicts, waits, or a person is asked."""
    outcomes = _outcomes(engine, new, against)
    page.events.append(contradicted(engine, new, [old.id for old, _ in against]))
    if stronger := outcomes[contradiction.STAGE]:
        return page.stage(new, stronger)
    beaten = outcomes[contradiction.SUPERSEDE]
    if (
        len(against) == 1
        and beaten
        and (plan := _change_part(engine, page, asking, new, beaten[0]))
    ):
        return plan
    # What else a memory says must not go with the one thing that is no longer so.
    partly = [old for old in beaten if merge.contradicted_parts(new.content, old.content).left]
    beaten = [old for old in beaten if old not in partly]
    doubtful = outcomes[contradiction.REVIEW] + partly
    asked = doubtful + outcomes[contradiction.ASK]
    if asked:
        new = new.but(status="review", always_load=False)
    plan = page.replace(new, beaten, automatic=True) if beaten else page.create(new)
    if asked:
        page.doubt(doubtful, by=new)
        words = "; ".join(judged.words for old, judged in against if old in asked)
        page.propose(new, asked, f"Which one holds? {words}".strip())
    return plan


def ask_person(engine: Engine, new: Memory, old: Memory) -> None:
    """Ask a person which of two memories holds, unless that is asked already."""
    where = Where(kinds=(proposals.KIND,), derived_from=new.id, statuses=("staged",))
    asked = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    if any(old.id in one.derived_from for one in asked):
        return
    page = ChangeSet(engine)
    page.events.append(contradicted(engine, new, [old.id]))
    page.doubt([new], by=old)
    words = judge(new.content, old.content).words
    page.propose(new, [old], f"Which one holds? {words}".strip())
    with engine.store.lease() as lease:
        commit(engine, lease, list(page.puts.values()), page.events)


def _outcomes(
    engine: Engine, new: Memory, against: Sequence[tuple[Memory, Judged]]
) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {name: [] for name in contradiction.OUTCOMES}
    for old, judged in against:
        gates = engine.settings.gates
        found[contradiction.outcome(new, old, sure=judged.sure, settings=gates)].append(old)
    return found


def _change_part(
    engine: Engine, page: ChangeSet, asking: ReasonerCache, new: Memory, old: Memory
) -> DraftPlan | None:
    """The old memory with what is no longer so replaced; None when nothing else is in it."""
    if not merge.may_merge(new, old):
        return None
    merged = merge.join_parts(new.content, old.content, asking.merge)
    return _joined(engine, page, asking, new, old, merged) if merged else None


def _joined(
    engine: Engine, page: ChangeSet, asking: ReasonerCache, new: Memory, old: Memory, merged: Merged
) -> DraftPlan:
    both = summarized(engine, new.but(content=merged.text), asking)
    return page.join(new, old, merged.text, summary=both.summary)


# A memory that says several things gives way only where it contradicts the one that holds.


class PartlySuperseded(Value):
    """A memory, and the version of it that says what holds and all the rest."""

    old: Memory
    made: Replacement


def partly_superseded(
    engine: Engine, holds: Memory, others: Iterable[Memory]
) -> list[PartlySuperseded]:
    """Those of the others that say something else as well, put right."""
    return [
        PartlySuperseded(old, versions.replacement(_version(engine, old, text, holds), old))
        for old in others
        if old.status in LIVE and (text := merge.corrected_text(holds.content, old.content))
    ]


def partial_events(
    engine: Engine, changes: Iterable[PartlySuperseded], decision: Memory
) -> Iterator[Event]:
    """What is told of it, so that it is taken back together with the decision."""
    for one in changes:
        new, gone = one.made.new, one.made.gone
        yield event(engine, "edited", new, related=(gone.id, decision.id))
        yield event(engine, "superseded", gone, before=one.old, related=(new.id,))


def _version(engine: Engine, old: Memory, text: str, holds: Memory) -> Memory:
    new = kept_version(engine, old, text)
    # A later correction of what holds then reaches this one, too.
    sources = dict.fromkeys((*old.derived_from, holds.id))
    status = "active" if old.status == "review" else old.status
    return new.but(derived_from=tuple(sources), status=status)
