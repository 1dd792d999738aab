"""Import memories from a file, as external text, through the same gates as a save."""

from __future__ import annotations

from itertools import islice

from ..engine.catch_up import catch_up_or_rebuild
from ..engine.drafts import draft_memories, refuse_purged, scope_of_draft
from ..engine.observed import observed
from ..engine.reasoner_cache import ReasonerCache
from ..model import identity
from ..model.errors import BadInput, NotAllowed, Refused
from ..model.memory import LIVE, STATUSES
from ..model.results import Imported, LeftOut
from ..ports.search_index import Where
from ..rules import drafts as rules
from .save import preview_saves, save_many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..engine.engine import Engine
    from ..model.memory import Draft, Memory
    from ..model.scope import Scope

    Contents = Callable[[], Iterable[Draft | LeftOut]]
    """Reads the file from its beginning."""

BATCH = 500
MOST_KNOWN = 10_000
"""Existing memories with the texts of one batch, at most."""


@observed
def import_memories(
    engine: Engine,
    contents: Contents,
    *,
    kind: str,
    scope: Scope | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Imported:
    """Import a file; doing it twice changes nothing.

    The whole file is read before the first memory is written, so that a damaged one changes
    nothing. `scope` overrides the scopes in the file.
    """
    run = ImportRun(engine.but(source=f"import:{kind}"), kind, dry_run=dry_run)
    total = sum(1 for _ in _checked(engine, contents, scope))
    catch_up_or_rebuild(engine)
    done = 0
    for batch in _batches(_checked(engine, contents, scope)):
        run.add(batch)
        done += len(batch)
        progress(done, total)
    return run.result()


class ImportRun:
    """One import, and the counts of its results so far."""

    def __init__(self, engine: Engine, kind: str, *, dry_run: bool) -> None:
        self._engine = engine
        self._dry_run = dry_run
        self._counts = Imported(kind, dry_run=dry_run)
        self._reasons: dict[str, int] = {}

    def result(self) -> Imported:
        """The counts, and the reasons for refusals."""
        often = sorted(self._reasons.items(), key=lambda one: (-one[1], one[0]))
        return self._counts.but(reasons=tuple(often))

    def add(self, batch: Sequence[Draft | LeftOut]) -> None:
        """Import one batch."""
        for one in batch:
            if isinstance(one, LeftOut):
                self._count("left_out", one.why)
        drafts = [one for one in batch if not isinstance(one, LeftOut)]
        self._save(self._new(drafts))

    def _new(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts that the book lacks; changed ones name the memory they supersede."""
        known = AlreadyImported(self._engine, drafts)
        new: list[Draft] = []
        for draft in drafts:
            earlier = known.earlier(draft)
            if known.has_text(draft) or (earlier is not None and not _has_new_text(draft, earlier)):
                self._count("known")
            elif earlier is not None:
                new.append(draft.but(supersedes=earlier.id))
            else:
                new.append(draft)
        return new

    def _save(self, drafts: Sequence[Draft]) -> None:
        while drafts:
            try:
                actions = self._actions(drafts)
            except Refused as error:
                drafts = self._without(drafts, error)
                continue
            for draft, action in zip(drafts, actions, strict=True):
                if action == "deduplicated":
                    self._count("known")
                else:
                    self._count("updated" if draft.supersedes else "saved")
                    if action == "superseded" and not draft.supersedes:
                        self._count("replaced")
                    elif draft.kind == "turn" and not draft.supersedes:
                        self._count("turns")
            return

    def _actions(self, drafts: Sequence[Draft]) -> list[str]:
        """Save the drafts; for a dry run only let the gates decide, so that both count alike."""
        if self._dry_run:
            return preview_saves(self._engine, drafts)
        return [one.action for one in save_many(self._engine, drafts)]

    def _without(self, drafts: Sequence[Draft], error: Refused) -> list[Draft]:
        """The drafts without the refused ones, which are counted."""
        refused = set(error.places or (range(1) if len(drafts) == 1 else ()))
        for place in sorted(refused):
            self._count("refused", self._refusal(drafts[place]) or error.sentence)
        if not refused:
            raise error
        return [one for place, one in enumerate(drafts) if place not in refused]

    def _refusal(self, draft: Draft) -> str:
        """Why a draft alone would be refused; empty if it would not."""
        try:
            made = draft_memories(self._engine, [draft], ReasonerCache(self._engine))
            refuse_purged(self._engine, [memory for _, memory in made])
        except Refused as error:
            return error.sentence
        return ""

    def _count(self, what: str, reason: str = "") -> None:
        self._counts = self._counts.but(**{what: getattr(self._counts, what) + 1})
        if reason:
            self._reasons[reason] = self._reasons.get(reason, 0) + 1


class AlreadyImported:
    """Finds drafts that the book already has, by import id and by text."""

    def __init__(self, engine: Engine, drafts: Sequence[Draft]) -> None:
        self._engine = engine
        ids = [draft.imported_id for draft in drafts if draft.imported_id]
        # A book's own export has its memories' ids as import ids.
        self._own = engine.store.read(ids, visible=engine.visible)
        hashes = tuple({identity.content_hash(draft.content) for draft in drafts})
        found = engine.index.select(
            Where(content_hashes=hashes, statuses=(*LIVE, "staged")),
            visible=engine.visible,
            limit=MOST_KNOWN,
        )
        self._texts = {(one.scope, *identity.wording(one)) for one in found}

    def earlier(self, draft: Draft) -> Memory | None:
        """The memory from an earlier import of the draft, or that it was exported from."""
        if draft.imported_id is None:
            return None
        if draft.imported_id in self._own:
            return self._own[draft.imported_id]
        where = Where(
            imported_id=draft.imported_id, scopes=(str(self._home(draft)),), statuses=STATUSES
        )
        found = self._engine.index.select(where, visible=self._engine.visible, limit=50)
        mine = [one for one in found if one.source == self._engine.source]
        # Newest first: the older ones are superseded.
        return next((one for one in mine if one.status in LIVE), mine[0] if mine else None)

    def has_text(self, draft: Draft) -> bool:
        """Whether the scope already has this text."""
        return (self._home(draft), *identity.wording(draft)) in self._texts

    def _home(self, draft: Draft) -> Scope:
        return scope_of_draft(self._engine.context, draft)


def _has_new_text(draft: Draft, earlier: Memory) -> bool:
    """Whether an import changes the text of a memory that is still as it was imported.

    A memory that a person has forgotten or corrected, or that came from this book, stays.
    """
    if earlier.status not in LIVE or earlier.trust != "external" or earlier.episode:
        return False
    said, known = identity.normalized(draft.content), identity.normalized(earlier.content)
    return (said, draft.value) != (known, earlier.value)


def _checked(engine: Engine, contents: Contents, scope: Scope | None) -> Iterator[Draft | LeftOut]:
    """Valid drafts of the file, and the reason for each other one."""
    seen: dict[str, int] = {}
    for one in contents():
        if isinstance(one, LeftOut):
            yield one
            continue
        try:
            draft = _with_unique_id(
                rules.make_draft(one if scope is None else one.but(scope=scope)), seen
            )
            scope_of_draft(engine.context, draft)
        except NotAllowed as error:
            raise NotAllowed(error.sentence, hint="Name a scope of your own.") from error
        except (BadInput, Refused) as error:
            yield LeftOut(error.sentence)
        else:
            yield draft


def _with_unique_id(draft: Draft, seen: dict[str, int]) -> Draft:
    """The draft with a number after its id, if the file uses the id several times."""
    if draft.imported_id is None:
        return draft
    seen[draft.imported_id] = number = seen.get(draft.imported_id, 0) + 1
    return draft if number == 1 else draft.but(imported_id=f"{draft.imported_id} #{number}")


def _batches(found: Iterator[Draft | LeftOut]) -> Iterator[list[Draft | LeftOut]]:
    while batch := list(islice(found, BATCH)):
        yield batch
