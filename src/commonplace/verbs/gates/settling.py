"""What becomes of a memory that belongs together with another, or contradicts others."""

from __future__ import annotations

from ...rules import conflicts, identity, joining, statements, versions
from ...rules.contradiction import judge
from ..notices import contradicted
from .drafting import summarized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Memory
    from ...ports.reasoning import Judged, Merged
    from ..engine import Engine
    from .asking import Asking
    from .plan import Page, Plan


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
    partly = [old for old in beaten if _still_said(new, old)]
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
    left = _still_said(new, old)
    if not left or not joining.may_merge(new, old):
        return None
    gone = len(statements.split(old.content)) - len(left)
    older = old.content if gone == 1 else statements.together(left)
    merged = asking.merge(new.content, older)
    changed = merged.changes or gone > 1
    if not changed or not joining.loses_nothing(merged, new.content, older):
        return None
    return _joined(engine, page, asking, new, old, merged)


def _still_said(new: Memory, old: Memory) -> list[statements.Statement]:
    """The statements of a memory that another one does not contradict, if it makes several."""
    said = statements.split(old.content)
    if len(said) == 1:
        return []
    left = [one for one in said if judge(new.content, one.text).relation != "contradicts"]
    return [] if all(one.heading for one in left) else left


def _joined(
    engine: Engine, page: Page, asking: Asking, new: Memory, old: Memory, merged: Merged
) -> Plan:
    both = summarized(engine, new.but(content=merged.text), asking)
    return page.join(new, old, merged.text, summary=both.summary)
