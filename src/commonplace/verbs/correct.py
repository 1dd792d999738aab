"""Correct a wrong memory and its copies, or edit one memory."""

from __future__ import annotations

from ..engine.branch_view import as_live, branch_view
from ..engine.catch_up import catch_up_or_rebuild, with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import audited_refusals, commit, decide_and_commit
from ..engine.drafts import screen_fields
from ..engine.embed import embed_one
from ..engine.observed import observed
from ..engine.propose import proposed_change, require_or_propose
from ..engine.revisions import (
    checked_changes,
    earlier_versions,
    edit_conflict,
    next_version,
    read_current,
)
from ..language.statements import Statement, replace_statements
from ..model import identity
from ..model.codec import to_millisecond
from ..model.errors import BadInput
from ..model.memory import BASES, LIVE, Memory
from ..model.results import Corrected
from ..notes import profile
from ..notes.display import is_sealed
from ..ports.search_index import Where
from ..rules import access, authority, drafts
from ..rules.quoted_parts import with_part_replaced
from ..rules.relations import replacement
from .find import get
from .find_wrong import find_wrong
from .threshold import learn_from_correction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..engine.engine import Engine
    from .find_wrong import WrongMemory

EDITABLE = frozenset({
    "content", "tags", "topic", "tier", "title", "aliases", "sensitivity", "always_load",
    "confidence", "importance", "owner", "kind", "valid_from", "valid_until", "review_after",
    "expires",
})  # fmt: skip
"""Fields that an edit may change; scope, identity and origin are not the caller's to set."""
MOST_COPIES = 1_000
MOST_STEPS = 5
"""Steps over which memories derived from the wrong one are followed."""


@observed
def correct(engine: Engine, wrong: str, right: str, *, branch: str | None = None) -> Corrected:
    """Replace what is wrong by what is right, everywhere the caller may write.

    `wrong` is an id, a slug, the memory's words, or `last` for the first result of the last recall;
    with `branch` a memory that was learned there, else one that holds where the caller works.
    Copies in broader and narrower scopes and the same statements in derived memories are corrected
    as well; memories derived from it in other words are marked for review. A fact gets the value
    that a sentence states for its key; raises BadInput if it is not clear which part that is.
    """
    found = find_wrong(engine, wrong, branch=branch)
    return correct_memory(engine, found, _right_value(found, right))


def _right_value(found: WrongMemory, right: str) -> str:
    """The new text of the wrong memory: a sentence with its subject; for a fact, only the value."""
    # Imported here, because a hook's correction has come through these rules before.
    from ..rules.talk.exchange import corrected_value, with_subject

    memory = found.memory
    if found.part and memory.value is None:
        said = found.statements[0].text
        if whole := with_part_replaced(said, found.part, right):
            return whole
    if memory.key is None or memory.value is None:
        return with_subject(found.statements[0].text if found.statements else memory.content, right)
    if value := corrected_value(memory.value, right, key=memory.key):
        return value
    raise BadInput(
        f"It is not clear which part of that sentence is the value of {memory.key}.",
        hint="Give the value alone; nothing was changed.",
    )


def correct_memory(
    engine: Engine, found: WrongMemory, right: str, *, also: Sequence[Memory] = ()
) -> Corrected:
    """Correct a memory, or some of its statements, and its copies.

    `also` are memories that say the same wrong thing in other words.
    """
    text = found.replaced_by(right)
    _require_valid(engine, found.memory, text)
    if not _says(found.memory, text):
        ordered = authority.becomes_order(found.memory, found.memory.but(content=text))
        require_or_propose(engine, "correct", found.memory, text=text, decided=ordered)

    def decide() -> tuple[ChangeSet, tuple[_Correction, Memory, Memory]]:
        old = read_current(engine, found.memory)
        now = found.but(memory=old)
        correction = _Correction(engine, now, right, also)
        text = now.replaced_by(right)
        if _says(old, text):
            return ChangeSet(), (correction, old, old)
        new = correction.plan(next_version(engine, old, text))
        return correction.changes, (correction, old, new)

    done, (correction, old, new) = decide_and_commit(
        engine, [found.memory.scope], lambda: with_index(engine, decide, look=False)
    )
    if new is old:
        return Corrected(old, old)
    learn_from_correction(engine, old.id)
    made = done.memories[new.id]
    elsewhere = tuple(done.memories[id] for id in correction.renewed)
    for one in (made, *elsewhere):
        embed_one(engine, one)
    return Corrected(made, old, tuple(correction.retired), elsewhere, tuple(correction.review))


class _Correction:
    """Collects the changes of one correction, as far as the caller may see and write them."""

    def __init__(
        self, engine: Engine, found: WrongMemory, right: str, also: Sequence[Memory] = ()
    ) -> None:
        self.changes = ChangeSet()
        self.renewed: list[str] = []
        """New versions of copies and derived memories."""
        self.retired: list[str] = []
        """Copies and old versions of derived memories."""
        self.review: list[str] = []
        self._engine = engine
        self._found = found
        self._old = found.memory
        self._right = right
        self._also = {one.id for one in also}

    def plan(self, new: Memory) -> Memory:
        """Plan the new version, then its copies and derived memories; returns that version."""
        copies = self._copies()
        if self._also:
            where = Where(statuses=LIVE, ids=tuple(self._also))
            copies += self._writable(where, {self._old.id, *(one.id for one in copies)})
        same_place = [
            one
            for one in copies
            if one.scope == new.scope and one.key is None and self._may_change(one)
        ]
        new = self.changes.replace(
            new, self._old, action="corrected", related=[one.id for one in same_place]
        ).new
        for copy in copies:
            if not self._may_change(copy):
                text = self._found.replaced_by(self._right)
                self.changes.stage(proposed_change(self._engine, "correct", copy, text))
            elif copy in same_place:
                self._retire(copy, new)
            else:
                self._renew(copy, self._copied(copy, new), new)
        wrong, right = self._found.statements, self._right
        if not wrong:
            wrong, right = (Statement(self._old.content),), new.content
        for derived in self._derived({self._old.id, *(copy.id for copy in copies)}):
            text = replace_statements(derived.content, wrong, right)
            if text == derived.content or not self._may_change(derived):
                self._mark_for_review(derived, new)
            else:
                self._renew(derived, next_version(self._engine, derived, text), new)
        return new

    def _copies(self) -> list[Memory]:
        """Other live memories that are copies of this one, as after a promotion.

        Turns of conversations are none: every `ok` of a conversation is a memory of its own.
        """
        text = identity.content_hash(self._old.content)
        where = Where(statuses=LIVE, content_hashes=(text,), in_conversation=False)
        found = self._writable(where, {self._old.id})
        return [one for one in found if replacement.is_copy(self._old, one)]

    def _derived(self, known: set[str]) -> list[Memory]:
        """Memories derived from the wrong one or from its earlier versions, step by step."""
        before = earlier_versions(self._engine, self._old)
        edge = {*known, *(one.id for one in before)}
        known = set(edge)
        found: list[Memory] = []
        for _ in range(MOST_STEPS):
            reached: dict[str, Memory] = {}
            for origin in sorted(edge):
                where = Where(statuses=LIVE, derived_from=origin)
                reached |= {one.id: one for one in self._writable(where, known)}
            if not reached:
                break
            known |= reached.keys()
            found += reached.values()
            edge = set(reached)
        return found

    def _writable(self, where: Where, known: set[str]) -> list[Memory]:
        found = self._engine.index.select(
            where, visible=self._engine.visible, limit=MOST_COPIES, order="oldest"
        )
        wanted = [
            one.id
            for one in found
            if one.id not in known and access.may_write(self._engine.context, one.scope)
        ]
        current = self._engine.store.read(wanted, visible=self._engine.visible)
        live = [current[id] for id in wanted if id in current and current[id].status in LIVE]
        return self._of_same_branch(live)

    def _of_same_branch(self, found: list[Memory]) -> list[Memory]:
        """Without memories of unmerged branches, unless the wrong one is of the same branch."""
        view = branch_view(self._engine, [self._old, *found])
        hidden = view.hides(self._old)
        return [
            one
            for one in found
            if view.hides(one) == hidden and (not hidden or one.branch == self._old.branch)
        ]

    def _may_change(self, memory: Memory) -> bool:
        return authority.verdict(self._engine.source, memory) == authority.AT_ONCE

    def _retire(self, copy: Memory, new: Memory) -> None:
        self.retired.append(copy.id)
        gone = replacement.retired_version(copy, new)
        self.changes.change("superseded", gone, before=copy, related=(new.id,))

    def _copied(self, copy: Memory, new: Memory) -> Memory:
        version = next_version(self._engine, copy, self._found.replaced_by(self._right))
        # Sealed twice a text looks different, and the next correction would not find the copy.
        return version.but(content=new.content, value=new.value) if is_sealed(new) else version

    def _renew(self, old: Memory, version: Memory, new: Memory) -> None:
        made = self.changes.replace(version, old, action="corrected", related=(new.id,))
        self.renewed.append(made.new.id)
        self.retired.append(made.gone.id)

    def _mark_for_review(self, derived: Memory, new: Memory) -> None:
        """A derived memory may repeat in its own words what was wrong."""
        self.review.append(derived.id)
        if derived.status != "review":
            now = to_millisecond(self._engine.now())
            marked = derived.but(status="review", updated=now)
            self.changes.change("reviewed", marked, before=derived, related=(new.id,))


@observed
def edit(
    engine: Engine,
    ref: str,
    *,
    expect: Memory | None = None,
    branch: str | None = None,
    **changes: Any,
) -> Memory:
    """Change a memory: a new text makes a new version, other fields change in place."""
    _require_editable(changes)
    old = get(engine, ref, branch=branch)
    if expect is not None and expect not in (old, as_live(old)):
        raise edit_conflict(old)
    content = changes.pop("content", None)
    with audited_refusals(engine):
        changes = screen_fields(engine, changes)
    if content is not None and _says(old, content):
        content = None
    if content is not None:
        _require_valid(engine, old, content)
    access.require_writable(engine.context, old.scope)
    wanted = old.but(**checked_changes(old, changes))
    if content is not None:
        wanted = wanted.but(content=content)
    if wanted != old:
        ordered = authority.becomes_order(old, wanted)
        require_or_propose(engine, "edit", old, text=content, fields=changes, decided=ordered)
    if content is not None:
        return _edit_text(engine, old, content, expect, changes)
    with engine.store.lease(scopes=[old.scope]) as lease:
        now = _expected(engine, old, expect)
        new = now.but(**checked_changes(now, changes))
        if new == now:
            return now
        edited = ChangeSet()
        if authority.actor_of(engine.source) == authority.PERSON and new.trust != "external":
            new = new.but(trust="user")
        edited.change("edited", new.but(updated=to_millisecond(engine.now())), before=now)
        return commit(engine, lease, edited).first


def _edit_text(
    engine: Engine, old: Memory, text: str, expect: Memory | None, changes: dict[str, Any]
) -> Memory:
    if authority.actor_of(engine.source) != authority.PERSON:
        changes = {"confidence": BASES["inferred"], **changes}
    with engine.store.lease(scopes=[old.scope]) as lease:
        catch_up_or_rebuild(engine, look=False)
        now = _expected(engine, old, expect)
        edited = ChangeSet()
        version = next_version(engine, now, text, changes)
        new = edited.replace(version, now, action="edited").new
        written = commit(engine, lease, edited).memories[new.id]
    embed_one(engine, written)
    return written


def _expected(engine: Engine, old: Memory, expect: Memory | None) -> Memory:
    now = read_current(engine, old)
    if expect is not None and expect not in (now, as_live(now)):
        raise edit_conflict(now)
    return now


def _says(memory: Memory, text: str) -> bool:
    return text in (memory.content, memory.value)


def _require_valid(engine: Engine, old: Memory, text: str) -> None:
    access.require_writable(engine.context, old.scope)
    drafts.checked_content(text)
    if old.kind == "profile":
        profile.require_room(text)


def _require_editable(changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if name not in EDITABLE:
            hint = "Use promote." if name == "scope" else f"Use {', '.join(sorted(EDITABLE))}."
            raise BadInput(f"An edit cannot change {name}.", hint=hint)
        if value is None and Memory.__defaults__.get(name, "") is not None:
            raise BadInput(f"{name} cannot be empty.", hint="Leave it out to keep it as it is.")
