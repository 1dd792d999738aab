"""Settle what a file sync tool has left in several files, so that all devices have one book.

A tool knows no memories: where two devices changed one file, it keeps both and names one of them
otherwise. `rules.convergence` decides which text stays in place. The text of every other file is in
the inbox before that file is removed; a process killed in between finds it there and goes on.
"""

from __future__ import annotations

from ..engine.catch_up import MOST_EVENTS, find_purged
from ..engine.change_set import ChangeSet
from ..engine.commit import commit, index_changes
from ..model.errors import Conflict
from ..model.identity import is_derived
from ..model.memory import LIVE
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import convergence, proposals
from ..rules.convergence import SettledConflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..ports.record_store import SyncConflict

QUIET_S = 10.0
"""Files of a conflict that changed within this time may still be arriving, and are left alone."""
MOST_PASSES = 5
MOST_SIDES = 1_000


class Converged(Value):
    """The result of settling conflicts."""

    settled: int = 0
    asked: int = 0
    """New entries of the inbox."""
    arriving: int = 0
    """Conflicts that are left for the next time, because a part of them may be missing."""


def converge(engine: Engine, *, quiet_s: float = QUIET_S) -> Converged:
    """Settle the conflicts in a book of files; the index is up to date."""
    if "files" not in engine.store.capabilities:
        return Converged()
    # Nobody's own change: a person's word must not be vouched for because they ran this.
    engine = engine.but(source="maintain", all_automatic=True)
    settled = asked = left = 0
    for _ in range(MOST_PASSES):
        conflicts = engine.store.sync_conflicts(quiet_s=quiet_s)
        done = [_settle(engine, one) for one in conflicts.found]
        asked += sum(count for count in done if count is not None)
        finished = sum(count is not None for count in done)
        settled += finished
        left = conflicts.arriving + len(done) - finished
        if not finished:
            break
        # A settled file may meet another one, as a note that was in two folders does.
        index_changes(engine)
    if settled:
        _close_answered(engine)
    return Converged(settled, asked, left)


def _settle(engine: Engine, conflict: SyncConflict) -> int | None:
    """Settle one conflict; returns the number of new questions, None if it is left for later."""
    with engine.store.lease() as lease:
        if find_purged(engine, conflict.sides) or not _successors_are_there(engine, conflict.sides):
            return None
        decided = _decide(engine, conflict)
        questions = [*decided.asked, *_questions_about_versions(engine, conflict.sides)]
        known = engine.store.read([one.id for one in questions], visible=EVERYTHING)
        changes = ChangeSet()
        for one in questions:
            if one.id not in known:
                about = one.derived_from if one.kind == proposals.PROPOSAL_KIND else ()
                related = about or ((one.supersedes,) if one.supersedes else ())
                changes.change("staged", one, related=related, automatic=True)
        kept = decided.kept if conflict.sides else None
        if kept is not None and kept.content != conflict.sides[0].content:
            changes.record("edited", kept, before=conflict.sides[0], automatic=True)
        try:
            if changes.events:
                commit(engine, lease, changes, same_meaning=True)
            engine.store.settle_conflict(conflict, kept, lease)
        except Conflict:
            return None  # Somebody writes to one of the files at this moment.
        return len(changes.puts)


def _decide(engine: Engine, conflict: SyncConflict) -> SettledConflict:
    if not conflict.sides:
        asked: dict[str, Memory] = {}
        for kept, other in conflict.rivals:
            question = convergence.other_side(other, kept)
            asked.setdefault(question.id, question)
        return SettledConflict(kept=None, asked=tuple(asked.values()))
    return convergence.settle_sides(
        conflict.sides, is_unedited=_text_as_logged(engine, conflict.sides[0].id)
    )


def _text_as_logged(engine: Engine, id: str) -> Callable[[Memory], bool]:
    """Whether a side has the one text that the log knows of its memory: nobody edited the file.

    If the log knows several texts, each may be somebody's edit. It does not know the first text
    of a note that a person wrote without an id.
    """
    if is_derived(id):
        return lambda _: False
    logged = engine.ledger.events(visible=EVERYTHING, memories=[id], limit=MOST_EVENTS)
    digests = {event.digest for event in logged if event.memory == id and event.digest}
    if len(digests) != 1:
        return lambda _: False
    return lambda side: engine.content_fingerprint(side) in digests


def _successors_are_there(engine: Engine, sides: Sequence[Memory]) -> bool:
    """Whether all versions that the sides were replaced by have arrived, or never will."""
    named = {side.superseded_by for side in sides if side.superseded_by}
    if len(named) < 2:
        return True
    missing = named - engine.store.known(named)
    return not missing - engine.ledger.purged_keys(missing)


def _questions_about_versions(engine: Engine, sides: Sequence[Memory]) -> list[Memory]:
    """Questions which version holds, if devices have replaced one memory by different ones."""
    named = {side.superseded_by for side in sides if side.superseded_by}
    if len(named) < 2:
        return []
    found = engine.store.read(named, visible=EVERYTHING).values()
    versions = [one for one in found if one.status in LIVE]
    versions.sort(key=lambda one: (one.created, one.id), reverse=True)
    if len(versions) < 2:
        return []
    newest, *others = versions
    return [_which_holds(newest, other) for other in others if other.content != newest.content]


def _which_holds(new: Memory, old: Memory) -> Memory:
    changes = ChangeSet()
    asked = changes.ask_which_holds(new, [old], now=max(new.created, old.created))
    id = convergence.rival_question_id(new, old)
    return asked.but(id=id, slug=f"{asked.slug.rpartition('-')[0]}-{id[-6:]}")


def _close_answered(engine: Engine) -> None:
    """Close questions about texts that are in place by now, because more of the log arrived."""
    waiting = engine.index.select(Where(statuses=("staged",)), visible=EVERYTHING, limit=MOST_SIDES)
    replaced = [one.supersedes for one in waiting if one.supersedes]
    there = engine.store.read(replaced, visible=EVERYTHING)
    for one in waiting:
        kept = there.get(one.supersedes or "")
        if kept is None or kept.status not in LIVE or not convergence.is_other_side(one, kept):
            continue
        with engine.store.lease() as lease:
            staged = engine.store.read([one.id], visible=EVERYTHING).get(one.id)
            if staged is None or staged.status != "staged":
                continue
            closed = staged.but(status="superseded", superseded_by=kept.id, updated=kept.updated)
            changes = ChangeSet()
            changes.change("superseded", closed, before=staged, related=(kept.id,), automatic=True)
            commit(engine, lease, changes, same_meaning=True)
