"""What becomes of a memory that belongs together with another, or contradicts others."""

from __future__ import annotations

from ...ports.searching import Where
from ...rules import identity
from ...rules.comparing import conflicts, joining, parts, versions
from ...rules.comparing.contradiction import judge
from ...rules.learning import proposals
from ..catch_up import with_index
from ..commit import commit
from ..notices import contradicted
from .drafting import summarized
from .plan import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Memory
    from ...ports.reasoning import Judged, Merged
    from ..engine import Engine
    from .judgements import Asking
    from .plan import Plan


def merge(engine: Engine, page: Page, asking: Asking, new: Memory, old: Memory) -> Plan | None:
    """Both as one memory; None where that may not be, or would lose something."""
    if not joining.may_merge(new, old):
        return None
    newer, older = sorted((new, old), key=lambda memory: memory.created, reverse=True)
    merged = asking.merge(newer.content, older.content)
    if not joining.loses_nothing(merged, newer.content, older.content):
        return None
    text = identity.normalized(merged.text)
    if text == identity.normalized(old.content):
        return page.refresh(old, new, automatic=True)
    if text == identity.normalized(new.content):
        richer = versions.refreshed(new, old)
        return page.replace(richer, [old], action="merged", automatic=True)
    return _joined(engine, page, asking, new, old, merged)


def settle(
    engine: Engine,
    page: Page,
    asking: Asking,
    new: Memory,
    against: Sequence[tuple[Memory, Judged]],
) -> Plan:
    """The newcomer takes the place of what it contradicts, waits, or a person is asked."""
    outcomes = _outcomes(engine, new, against)
    page.events.append(contradicted(engine, new, [old.id for old, _ in against]))
    if stronger := outcomes[conflicts.STAGE]:
        return page.stage(new, stronger)
    beaten = outcomes[conflicts.SUPERSEDE]
    if (
        len(against) == 1
        and beaten
        and (plan := _change_part(engine, page, asking, new, beaten[0]))
    ):
        return plan
    # What else a memory says must not go with the one thing that is no longer so.
    partly = [old for old in beaten if parts.parted(new.content, old.content).left]
    beaten = [old for old in beaten if old not in partly]
    doubtful = outcomes[conflicts.REVIEW] + partly
    asked = doubtful + outcomes[conflicts.ASK]
    if asked:
        new = new.but(status="review", always_load=False)
    plan = page.replace(new, beaten, automatic=True) if beaten else page.create(new)
    if asked:
        page.doubt(doubtful, by=new)
        words = "; ".join(judged.words for old, judged in against if old in asked)
        page.propose(new, asked, f"Which one holds? {words}".strip())
    return plan


def ask(engine: Engine, new: Memory, old: Memory) -> None:
    """Ask a person which of two memories holds, unless that is asked already."""
    where = Where(kinds=(proposals.KIND,), derived_from=new.id, statuses=("staged",))
    asked = with_index(engine, lambda: engine.index.select(where, visible=engine.visible))
    if any(old.id in one.derived_from for one in asked):
        return
    page = Page(engine)
    page.events.append(contradicted(engine, new, [old.id]))
    page.doubt([new], by=old)
    words = judge(new.content, old.content).words
    page.propose(new, [old], f"Which one holds? {words}".strip())
    with engine.store.lease() as lease:
        commit(engine, lease, list(page.puts.values()), page.events)


def _outcomes(
    engine: Engine, new: Memory, against: Sequence[tuple[Memory, Judged]]
) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {name: [] for name in conflicts.OUTCOMES}
    for old, judged in against:
        gates = engine.settings.gates
        found[conflicts.outcome(new, old, sure=judged.sure, settings=gates)].append(old)
    return found


def _change_part(
    engine: Engine, page: Page, asking: Asking, new: Memory, old: Memory
) -> Plan | None:
    """The old memory with what is no longer so replaced; None when nothing else is in it."""
    if not joining.may_merge(new, old):
        return None
    merged = parts.joined(new.content, old.content, asking.merge)
    return _joined(engine, page, asking, new, old, merged) if merged else None


def _joined(
    engine: Engine, page: Page, asking: Asking, new: Memory, old: Memory, merged: Merged
) -> Plan:
    both = summarized(engine, new.but(content=merged.text), asking)
    return page.join(new, old, merged.text, summary=both.summary)
