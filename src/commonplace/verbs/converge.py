"""Settle what a file sync tool has left in several files, so that all devices have one book.

A tool knows no memories: where two devices changed one file, it keeps both and names one of them
otherwise. `rules.convergence` decides which text stays in place. The text of every other file is in
the inbox before that file is removed; a process killed in between finds it there and goes on.
"""

from __future__ import annotations

from ..engine.catch_up import MOST_EVENTS, find_purged
from ..engine.change_set import ChangeSet
from ..engine.commit import commit, index_changes
from ..model.codec import to_fields
from ..model.errors import Conflict
from ..model.identity import is_derived
from ..model.memory import LIVE
from ..model.quick_json import parse_json
from ..model.scope import EVERYTHING
from ..model.value import Value
from ..notes.conflict_copies import original_name
from ..ports.search_index import Where
from ..rules import convergence, proposals
from ..rules.convergence import SettledConflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Event, Memory
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
        done = [_settle(engine, one) for one in conflicts.found if not _is_own_copy(engine, one)]
        asked += sum(count for count in done if count is not None)
        finished = sum(count is not None for count in done)
        settled += finished
        left = conflicts.arriving + sum(count is None for count in done)
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
        conflict, decided = _decide(engine, conflict)
        questions = [*decided.asked, *_questions_about_versions(engine, conflict.sides)]
        named = {one.id for one in questions} | {one.supersedes or "" for one in questions}
        known = engine.store.read(named, visible=EVERYTHING)
        changes = ChangeSet()
        for one in questions:
            if one.id not in known and not _is_said_by_successor(one, known, conflict.sides):
                about = one.derived_from if one.kind == proposals.PROPOSAL_KIND else ()
                related = about or ((one.supersedes,) if one.supersedes else ())
                changes.change("staged", one, related=related, automatic=True)
        kept = decided.kept if conflict.sides else None
        if kept is not None and not convergence.same_text(kept, conflict.sides[0]):
            changes.record("edited", kept, before=conflict.sides[0], automatic=True)
        try:
            if changes.events:
                commit(engine, lease, changes, same_meaning=True)
            engine.store.settle_conflict(conflict, kept, lease)
        except Conflict:
            return None  # Somebody writes to one of the files at this moment.
        return len(changes.puts)


def _is_said_by_successor(
    question: Memory, known: Mapping[str, Memory], sides: Sequence[Memory]
) -> bool:
    """Whether the memory that replaced the sides has the text that would be asked about."""
    successor = known.get(question.supersedes or "")
    if successor is None or any(successor.id == side.id for side in sides):
        return False
    return convergence.same_text(question, successor)


def _decide(engine: Engine, conflict: SyncConflict) -> tuple[SyncConflict, SettledConflict]:
    """The memory that stays and the questions, and the conflict with the place that it gets."""
    if not conflict.sides:
        asked: dict[str, Memory] = {}
        for kept, other in conflict.rivals:
            question = convergence.other_side(other, kept)
            asked.setdefault(question.id, question)
        return conflict, SettledConflict(kept=None, asked=tuple(asked.values()))
    logged = LoggedStates(engine, conflict.sides)
    settled = convergence.settle_sides(
        conflict.sides, is_unedited=logged.is_unedited, is_earlier=logged.is_earlier
    )
    if not conflict.at_home:
        checksums = {checksum for _, checksum in conflict.files}
        if len(checksums) < len(conflict.files) and not is_derived(conflict.sides[0].id):
            # Another text won where the tool made this copy, and may be on its way.
            settled = convergence.renewed(settled, conflict.sides)
        return conflict, settled
    return _at_chosen_place(logged, conflict, settled)


def _at_chosen_place(
    logged: LoggedStates, conflict: SyncConflict, settled: SettledConflict
) -> tuple[SyncConflict, SettledConflict]:
    homes = logged.homes(conflict)
    paths = [path for path, _ in conflict.files]
    files = list(zip(paths, conflict.sides, homes, strict=True))
    # A name that a tool gave is no place that a person chose.
    own = [one for one in files if original_name(one[0].rpartition("/")[2]) is None] or files
    place = convergence.place_of_moved(own)
    kept = settled.kept
    if kept is not None:
        # The old text may be a person's own copy: unless the note was edited in its old place, it
        # is not thrown away unasked.
        asked = [one for one in files if one[2]] or files
        left = (
            convergence.other_side(side, kept)
            for _, side, _ in asked
            if logged.is_unedited(side) and not convergence.same_text(side, kept)
        )
        settled = SettledConflict(kept, (*settled.asked, *left))
    there = conflict.sides[paths.index(place)]
    settled = convergence.settle_moved(settled, conflict.sides, there)
    return conflict.but(place=place), settled


def _is_own_copy(engine: Engine, conflict: SyncConflict) -> bool:
    """Whether a person may have copied the note on purpose, so that both files stay."""
    if not conflict.at_home:
        return False
    logged = LoggedStates(engine, conflict.sides)
    homes = logged.homes(conflict)
    if len({checksum for _, checksum in conflict.files}) == 1 and any(homes):
        return True  # Nobody has changed either; or the old file of a moved note is yet to go.
    touches = [set(one) for one in conflict.touches]
    if any("\r\n" in one for one in touches):
        return False  # Another system's editor saved one of them, and perhaps both alike.
    copied = [one for one, home in zip(touches, homes, strict=True) if not home]
    if any(
        one - other for one, home in zip(touches, homes, strict=True) if home for other in copied
    ):
        return False  # A copy would have what somebody had given the note itself.
    sides = list(zip(conflict.sides, homes, strict=True))
    return convergence.may_be_own_copies(sides, is_unedited=logged.has_logged_words)


class LoggedStates:
    """The states of one memory that the log knows, to tell what was edited in a file since."""

    def __init__(self, engine: Engine, sides: Sequence[Memory]) -> None:
        self._engine = engine
        self._sides = sides
        self._newest = sides[0].updated
        id = sides[0].id
        self._events: list[Event] = []
        if not is_derived(id):
            logged = engine.ledger.events(visible=EVERYTHING, memories=[id], limit=MOST_EVENTS)
            self._events = [event for event in logged if event.memory == id]
        self._digests = {event.digest for event in self._events if event.digest}
        self._before = [
            parse_json(event.before)
            for event in self._events
            # A state that was settled before is none that anybody left behind on purpose.
            if event.before != "{}" and not (event.automatic and event.action == "edited")
        ]

    def is_unedited(self, side: Memory) -> bool:
        """Whether a side has the one text that the log knows: nobody edited the file.

        Of two sides whose words are those of the log, and whose letters are not alike, one was
        edited, and nobody knows which.
        """
        others = (one for one in self._sides if convergence.reads_otherwise(one, side))
        return self.has_logged_words(side) and not any(map(self.has_logged_words, others))

    def has_logged_words(self, side: Memory) -> bool:
        """Whether a side has the words of the one text that the log knows.

        If the log knows several texts, each may be somebody's edit. It does not know the first
        text of a note that a person wrote without an id.
        """
        return len(self._digests) == 1 and self._engine.content_fingerprint(side) in self._digests

    def is_earlier(self, side: Memory, name: str) -> bool:
        """Whether a side has a value that a later change on the newest side has replaced."""
        if side.updated >= self._newest:
            return False
        fields = to_fields(side)
        return any(
            before.get("updated") == fields["updated"] and before.get(name) == fields.get(name)
            for before in self._before
        )

    def homes(self, conflict: SyncConflict) -> list[int]:
        """Whether the log knows each file's place as the note's: 1 for the last one, 2 before it.

        0 is where a person put it. A note lies in several that it knows if the program moved it,
        or changed it where a person had.
        """
        places = [*dict.fromkeys(event.scope for event in self._events)]
        agents = any(side.owner == "agent" for side in conflict.sides)
        return [
            # People take notes out of an agent's folder, and seldom put them there.
            _rank(str(side.scope), places)
            if at_home and (side.owner == "agent" or not agents)
            else 0
            for at_home, side in zip(conflict.at_home, conflict.sides, strict=True)
        ]


def _rank(scope: str, places: list[str]) -> int:
    if not places:
        return 1
    return places.index(scope) + 1 if scope in places else 0


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
