"""The book: one facade, one method per verb."""

from __future__ import annotations

import os

from .model.errors import BadInput
from .model.memory import LIVE, STATUSES
from .model.quick_decorators import contextmanager
from .model.scope import Context, Scope, Tenant
from .ports.search_index import Where
from .rules.access import require_owner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime
    from types import TracebackType
    from typing import Any, Self, Unpack

    from .agent.archive import Report
    from .agent.profile import Profile
    from .agent.sessions import Session, SessionEnded
    from .agent.sources import SourceAnswers, Sources
    from .agent.task import Task
    from .agent.task_end import Completed
    from .agent.work_note import Work
    from .engine.engine import Engine
    from .model.checkout import GitHead
    from .model.conditions import (
        Axis,
        Conditions,
        ExportConditions,
        ListConditions,
        MomentLike,
        Order,
        ScopeLike,
    )
    from .model.memory import Draft, Event, Link, Memory, Problem, Recalled, Retrieval, Use
    from .model.results import (
        Corrected,
        Exported,
        Forgotten,
        Imported,
        LeftOut,
        Links,
        MemoryMarks,
        Moved,
        Overview,
        Promoted,
        Purged,
        Restored,
        Revealed,
        Reverted,
        Rotated,
        Saved,
        ScopesMoved,
        ScopeSuggestion,
        Status,
        Synced,
        Verified,
    )
    from .ports.backups import Snapshot
    from .ports.cipher import Keys
    from .ports.server_state import ServerState
    from .ports.session_store import SessionEntry
    from .ports.source import Source
    from .rules.handed_over.digest import Budget, Digest
    from .rules.handed_over.digest_settings import DigestSettings
    from .verbs.accept_many import DecidedMany
    from .verbs.backup import BackedUp
    from .verbs.bisect import Bisected
    from .verbs.bisect_log import BisectRun
    from .verbs.erase import Erased, ErasureChecked
    from .verbs.forget_about import ForgottenAbout, Previewed, PurgedAbout
    from .verbs.health import BookFigures, PeriodFigures
    from .verbs.history import CuratedChange, History
    from .verbs.inbox import Decided, InboxEntry
    from .verbs.learn import Learned
    from .verbs.links import Graph
    from .verbs.maintain.plan import Maintained
    from .verbs.recall import Browsed, ExplainedRecall
    from .verbs.replay import Replayed
    from .verbs.repository import RepositoryShown
    from .verbs.self_test import OwnEvaluation
    from .verbs.undo import Undone
    from .verbs.verify import AnchorsVerified
    from .verbs.why_not import WhyNot

    type_list = list
    Memories = list[Memory]


class Commonplace:
    """A memory for agents. Open one with `commonplace.open`; use it as a context manager."""

    def __init__(self, engine: Engine) -> None:
        if isinstance(engine, str | os.PathLike):
            raise BadInput(
                "A book is not made from its address.",
                hint='Open it: commonplace.open("vault:~/notes").',
            )
        self._engine = engine

    # Save

    def save(self, content: str, **fields: Any) -> Saved:
        """Save a memory. Fields are those of `Draft`: scope, kind, topic, tags, key, …

        Saving the same text twice gives one memory; a fact with a known key becomes a new version.
        """
        from .rules.drafts import make_draft
        from .verbs.save import save

        return save(self._engine, make_draft(content, **fields))

    def save_many(
        self,
        drafts: Iterable[Draft | Mapping[str, Any] | str],
        *,
        progress: Callable[[int], object] = lambda _: None,
        embedding: Callable[[int, int], object] = lambda done, of: None,
    ) -> type_list[Saved]:
        """Save many memories; all are checked before the first is written.

        `progress` gets the number saved, `embedding` the number embedded and the total.
        """
        from .rules.drafts import make_draft
        from .verbs.save import save_many

        given = [make_draft(one) for one in drafts]
        return save_many(self._engine, given, progress=progress, embedding=embedding)

    def save_personal(self, name: str, content: str) -> str:
        """Write a note into the person's own folder, and return its path; never overwrites."""
        from .verbs.save import save_personal

        return save_personal(self._engine, name, content)

    def learn(self) -> Learned:
        """Propose memories from the pages and build files of the caller's repository.

        They wait in the inbox, and each is proposed once.
        """
        from .verbs.learn import learn

        return learn(self._engine)

    # Find

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        episodes: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        as_of: date | None = None,
        expand: int = 0,
        **conditions: Unpack[Conditions],
    ) -> Recalled:
        """The memories that answer a question best, best first, each with its reasons.

        `as_of` answers as the book would have at that moment or on that day; `episodes` and `ids`
        limit the search to those conversations or memories; `expand` adds that many turns before
        and after each hit. `since` and `until` take a time, a day or a period such as 7d.
        """
        where = _where(self._engine.now(), **conditions).but(
            episodes=_several(episodes), ids=_several(ids)
        )
        # Imported here, because the start of a session asks nothing.
        from .engine.search import RecallRequest
        from .verbs.recall import recall, with_turns_around

        with self._answering(self._engine) as engine:
            found = recall(engine, RecallRequest(query, where, limit, as_of))
        return with_turns_around(self._engine, found, expand) if expand else found

    def get(self, ref: str, *, branch: str | None = None) -> Memory:
        """A memory by id, slug, title, alias, exact text or the key of its fact.

        In a repository one that holds there, before those of branches that are not merged;
        `branch` asks for one that was learned there.
        """
        from .verbs.find import get_shown

        return get_shown(self._settled, ref, branch=branch)

    def marks(self, memories: Iterable[Memory]) -> dict[str, MemoryMarks]:
        """The warnings about memories, by id; a memory without one is left out.

        A mark says that a branch is not merged where the caller works, that the files there say
        otherwise, or that a question in the inbox asks whether the memory holds.
        """
        from .engine.stale_marks import marks_of

        return marks_of(self._engine, list(memories))

    def list(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        order: Order = "newest",
        **conditions: Unpack[ListConditions],
    ) -> Memories:
        """Memories that meet the conditions, a page at a time.

        Summaries of tasks and sessions, and turns of conversations, are listed with
        `include_archive`, or by their kind.
        """
        from .verbs.find import list_memories, listed

        where = _where_listed(self._engine.now(), **conditions)
        archive = conditions.get("include_archive", False)
        where = listed(where, include_archive=archive)
        return list_memories(self._settled, where, order=order, limit=limit, offset=offset)

    def overview(self, *, limit: int = 20, **conditions: Unpack[Conditions]) -> Overview:
        """Count the memories of a scope, or of all visible ones, by kind, scope and topic.

        The overview also names the newest memories. Summaries count as in `list`.
        """
        from .verbs.find import listed, overview

        where = _where(self._engine.now(), **conditions)
        archive = conditions.get("include_archive", False)
        where = listed(where, include_archive=archive)
        return overview(self._engine, where, limit=limit)

    def browse(
        self,
        query: str = "",
        *,
        where: Where | None = None,
        order: Order = "newest",
        limit: int = 50,
        offset: int = 0,
        as_of: datetime | None = None,
        fitting: bool = False,
    ) -> Browsed:
        """A page of memories for a person; nothing is logged or counted as a use.

        A query ranks as recall does, and `fitting` leaves out what does not fit it; `as_of` shows
        the memories that were current at a moment.
        """
        from .verbs.recall import browse

        return browse(
            self._engine,
            query,
            where or Where(statuses=LIVE),
            order=order,
            limit=limit,
            offset=offset,
            as_of=as_of,
            fitting=fitting,
        )

    def count_by(self, by: Axis, *, where: Where | None = None) -> dict[str, int]:
        """The number of memories that meet the conditions, by one of their axes."""
        from .verbs.find import count_by

        return count_by(self._engine, where or Where(statuses=LIVE), by)

    # Export, import, move

    def export(self, **conditions: Unpack[ExportConditions]) -> Iterator[Memory]:
        """Every memory that meets the conditions, oldest first, read in batches.

        `everything` adds retired, forgotten and staged memories.
        """
        from .verbs.export import read_export

        return read_export(self._engine, _where_exported(self._engine.now(), **conditions))

    def export_to(
        self,
        path: str,
        *,
        format: str | None = None,
        replace: bool = False,
        **conditions: Unpack[ExportConditions],
    ) -> Exported:
        """Write memories to a file (.jsonl, .json, .zip) or a folder of notes, as `export` does.

        `.pam.json` and `.mem` are the open formats `portable-ai-memory` and `portable-memory`.
        """
        from .verbs.export import export_to

        return export_to(
            self.export(**conditions), path, now=self._engine.now(),
            owner=self._engine.context.user, format=format, replace=replace,
        )  # fmt: skip

    def take_in(
        self,
        contents: Callable[[], Iterable[Draft | LeftOut]],
        *,
        kind: str,
        scope: ScopeLike | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> Imported:
        """Import a file as external text; doing it again changes nothing.

        `commonplace.books.imports.open_import` recognizes a file and gives kind and contents.
        """
        from .verbs.import_memories import import_memories

        named = None if scope is None else Scope.of(scope)
        return import_memories(
            self._engine, contents, kind=kind, scope=named, dry_run=dry_run, progress=progress
        )

    def make_room_for(self, book: Commonplace) -> bool:
        """Give an empty book the id of one that moves here; True if it must be reopened."""
        from .verbs.restore import claim_empty_store

        return claim_empty_store(self._engine, book.id)

    def move(
        self,
        target: Commonplace,
        *,
        anyway: bool = False,
        progress: Callable[[str, int, int], object] = lambda step, done, of: None,
    ) -> Moved:
        """Copy everything to the target that `books.open.open_move_target` opened, and compare."""
        from .verbs.move import move

        return move(self._engine, target._engine, anyway=anyway, progress=progress)

    # Digests for agents

    def digest(
        self,
        query: str = "",
        *,
        budget: Budget | None = None,
        phase: str | None = None,
        agent: str | None = None,
        topic: str | None = None,
        already: Sequence[str] = (),
    ) -> Digest:
        """The text an agent should read now: role, profile, facts, topic and relevant memories.

        `already` names memories that the agent has been given before.
        """
        from .verbs.digest import digest

        with self._answering(self._engine) as engine:
            return digest(
                engine,
                query,
                settings=self._digest_settings(agent),
                budget=budget,
                phase=phase,
                agent=agent,
                topic=topic,
                already=already,
            )

    def session_start(
        self,
        *,
        budget: Budget | None = None,
        agent: str | None = None,
        topic: str | None = None,
    ) -> Digest:
        """The digest for the start of a session, before any question."""
        from .verbs.digest import session_start

        with self._answering(self._settled) as engine:
            return session_start(
                engine,
                settings=self._digest_settings(agent),
                budget=budget,
                agent=agent,
                topic=topic,
            )

    def prompt(
        self,
        text: str,
        *,
        budget: Budget | None = None,
        agent: str | None = None,
        already: Sequence[str] = (),
    ) -> Digest:
        """The memories for one prompt, without those of the session's start."""
        from .verbs.digest import prompt

        with self._answering(self._engine) as engine:
            return prompt(
                engine,
                text,
                settings=self._digest_settings(agent),
                budget=budget,
                agent=agent,
                already=already,
            )

    def _digest_settings(self, agent: str | None) -> DigestSettings:
        from .rules.handed_over.digest_settings import resolve_digest_settings

        return resolve_digest_settings(
            self._engine.settings.digest, agent or self._engine.context.agent
        )

    # Change

    def edit(
        self,
        ref: str,
        *,
        expect: Memory | None = None,
        branch: str | None = None,
        **changes: Any,
    ) -> Memory:
        """Change a memory: new content makes a new version, other fields change in place.

        `expect` is the memory as you read it; raises Conflict if it changed since. `branch` is as
        for `get`.
        """
        from .verbs.correct import edit

        return edit(self._engine, ref, expect=expect, branch=branch, **changes)

    def correct(self, wrong: str, right: str, *, branch: str | None = None) -> Corrected:
        """Correct a memory, named by id, slug or its words, and every copy of it.

        In a repository the correction holds where the caller's commit is merged, as a save does.
        """
        from .verbs.correct import correct

        return correct(self._engine, wrong, right, branch=branch)

    def forget(self, ref: str, *, branch: str | None = None) -> Forgotten:
        """Stop recalling a memory; `restore` brings it back. `branch` is as for `get`."""
        from .verbs.forget import forget

        return forget(self._engine, ref, branch=branch)

    def restore(self, ref: str) -> Restored:
        """Recall a forgotten or archived memory again."""
        from .verbs.forget import restore

        return restore(self._engine, ref)

    def purge(self, ref: str) -> Purged:
        """Remove a memory and its versions for good; the same text cannot be saved again."""
        from .verbs.forget import purge

        return purge(self._engine, ref)

    def about(
        self, description: str, *, scope: ScopeLike | None = None, purge: bool = False
    ) -> Previewed:
        """Preview what `forget_about` would forget, or `purge_about` remove with `purge`.

        Nothing is changed. The id of the preview confirms exactly these memories.
        """
        from .verbs.forget_about import about

        return about(self._engine, description, scope=scope, purge=purge)

    def forget_about(
        self,
        description: str,
        confirm: str,
        *,
        also: Sequence[str] = (),
        scope: ScopeLike | None = None,
    ) -> ForgottenAbout:
        """Forget all memories of a preview by its id; `revert` brings them back together.

        `also` names memories near to the description that go as well.
        """
        from .verbs.forget_about import forget_about

        return forget_about(self._engine, description, confirm, also=also, scope=scope)

    def purge_about(
        self,
        description: str,
        confirm: str,
        *,
        also: Sequence[str] = (),
        scope: ScopeLike | None = None,
    ) -> PurgedAbout:
        """Remove all memories of a preview for good, and return a receipt. It has no undo."""
        from .verbs.forget_about import purge_about

        return purge_about(self._engine, description, confirm, also=also, scope=scope)

    def promote(
        self, ref: str, to: ScopeLike | None = None, *, branch: str | None = None
    ) -> Promoted:
        """Copy a memory to a broader scope, linked back to its origin.

        Without a scope the memory itself holds on every branch of its repository from now on.
        `branch` is as for `get`; an exact text is found on every branch.
        """
        from .verbs.promote import promote

        return promote(self._engine, ref, None if to is None else Scope.of(to), branch=branch)

    def suggest_scopes(self) -> list[ScopeSuggestion]:
        """Memories of the whole book that seem to belong to a project, with the evidence."""
        from .verbs.suggest_scopes import suggest_scopes

        return suggest_scopes(self._engine)

    def apply_scopes(self, suggestions: Sequence[ScopeSuggestion]) -> ScopesMoved:
        """Move memories as suggested; each move can be reverted."""
        from .verbs.suggest_scopes import apply_scopes

        return apply_scopes(self._engine, suggestions)

    # Facts

    def fact_store(self, key: str, value: str, **fields: Any) -> Saved:
        """Store a fact under a key; a new value supersedes the old one in the same scope."""
        return self.save(f"{key}: {value}", key=key, value=value, **fields)

    def fact_recall(
        self, key: str, *, namespace: str | None = None, branch: str | None = None
    ) -> Memory | None:
        """The fact with that key, from the most specific scope that has one."""
        from .verbs.find import recall_fact

        return recall_fact(self._engine, key, namespace=namespace, branch=branch)

    def fact_list(
        self,
        *,
        namespace: str | None = None,
        scope: ScopeLike | None = None,
        branch: str | None = None,
    ) -> Memories:
        """Every visible fact with a key that holds here, by scope and key.

        With `branch`, those that were learned there.
        """
        from .verbs.find import list_facts

        named = str(Scope.of(scope)) if scope is not None else None
        return list_facts(self._engine, namespace=namespace, scope=named, branch=branch)

    # Links

    def links(self, ref: str) -> Links:
        """The wikilinks out of a memory and into it."""
        from .verbs.links import links

        return links(self._engine, ref)

    def broken_links(self) -> type_list[Link]:
        """Every wikilink to a memory that does not exist."""
        from .verbs.links import broken_links

        return broken_links(self._engine)

    def graph(self, ref: str, *, hops: int = 1) -> Graph:
        """The memories within `hops` steps of one, by links, supersession and derivation."""
        from .verbs.links import graph

        return graph(self._engine, ref, hops=hops)

    def newest_graph(self, *, where: Where | None = None, limit: int = 100) -> Graph:
        """The newest memories and their neighbours, with the edges between them."""
        from .verbs.links import newest_graph

        return newest_graph(self._engine, where or Where(statuses=LIVE), limit=limit)

    def rename(self, ref: str, name: str) -> Memory:
        """Give a memory a new name; links to it follow."""
        from .verbs.links import rename

        return rename(self._engine, ref, name)

    # Sealed memories

    def reveal(self, ref: str) -> Revealed:
        """The text of a sealed memory; the access is audited."""
        from .verbs.seal import reveal

        return reveal(self._engine, ref)

    def keys(self) -> Keys:
        """Ids of the keys that memories are sealed with, and where the keys are stored."""
        require_owner(self._engine.context)
        return self._engine.cipher.keys()

    def new_key(self) -> str:
        """Make a key for new sealed memories and return its id; older keys still reveal."""
        require_owner(self._engine.context)
        return self._engine.cipher.new_key()

    def rotate_key(self, *, progress: Callable[[int], object] = lambda _: None) -> Rotated:
        """Seal everything with a new key; safe to interrupt and to run again."""
        from .verbs.seal import rotate_key

        return rotate_key(self._engine, progress=progress)

    # History and undo

    def history(self, ref: str) -> History:
        """Every version of a memory and every audited change to it."""
        from .verbs.history import history

        return history(self._settled, ref)

    def revert(self, ref: str) -> Reverted:
        """Undo a change by its event id, or the last change to a memory.

        Memories derived from it automatically are undone with it.
        """
        from .verbs.undo import undo

        return undo(self._engine, ref)

    def undo_automatic(
        self,
        since: datetime,
        *,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> Undone:
        """Undo every automatic change since a moment, newest first."""
        from .verbs.undo import undo_automatic

        return undo_automatic(self._engine, since, progress=progress)

    def changes(
        self,
        since: datetime,
        *,
        owners: Sequence[str] = ("curated",),
        automatic: bool | None = None,
        limit: int = 1_000,
    ) -> type_list[CuratedChange]:
        """Changes to curated memories since a moment, newest first, each with its undo command."""
        from .verbs.history import changes

        return changes(self._engine, since, owners=tuple(owners), automatic=automatic, limit=limit)

    def audit(self, *, since: datetime | None = None, limit: int = 100) -> type_list[Event]:
        """Audited changes, newest first."""
        from .verbs.history import audit_log

        return audit_log(self._engine, since=since, limit=limit)

    def audit_verify(self) -> Verified:
        """Check that no audit event was changed, removed or reordered."""
        require_owner(self._engine.context)
        return self._engine.ledger.verify()

    def retrievals(self, *, limit: int = 20) -> type_list[Retrieval]:
        """The last logged questions, with the memories returned."""
        return self._engine.ledger.retrievals(visible=self._engine.own_log, limit=limit)

    def digests(self, *, limit: int = 20) -> type_list[Replayed]:
        """The last digests that were handed over, newest first."""
        from .verbs.replay import digests

        return digests(self._engine, limit=limit)

    def replay(self, id: str = "last") -> Replayed:
        """The last digest, or the one with an id, byte for byte as it was handed over.

        Notes stand in place of memories that were forgotten or purged since.
        """
        from .verbs.replay import replay

        return replay(self._engine, id)

    def why(self, ref: str = "last") -> ExplainedRecall:
        """Explain the last recall, the one with an id, or the last that returned a memory."""
        from .verbs.recall import explain

        return explain(self._engine, ref)

    def why_not(
        self,
        query: str,
        ref: str,
        *,
        budget: Budget | None = None,
        agent: str | None = None,
        already: Sequence[str] = (),
        branch: str | None = None,
    ) -> WhyNot:
        """Which step leaves a memory out of the digest for a question or a digest's id.

        `already` names memories that the agent has been given before; `branch` says where the one
        that is asked about was learned.
        """
        from .verbs.why_not import why_not

        settings = self._digest_settings(agent)
        return why_not(
            self._engine,
            query,
            ref,
            settings=settings,
            budget=budget,
            agent=agent,
            already=already,
            branch=branch,
        )

    def bisect(
        self,
        command: str,
        query: str = "",
        *,
        timeout_s: float | None = None,
        restart: bool = False,
        progress: Callable[[BisectRun], object] = lambda _: None,
    ) -> Bisected:
        """Find the memories that make a command fail, by switching them off in halves.

        `query` is a question, the id of a digest, or empty for every visible memory. The command
        finds the digest in COMMONPLACE_DIGEST_FILE. An interrupted bisection goes on where it
        stopped unless `restart`; the book is not changed.
        """
        from .verbs.bisect import bisect

        return bisect(
            self._engine,
            command,
            query,
            settings=self._digest_settings(None),
            timeout_s=timeout_s,
            restart=restart,
            progress=progress,
        )

    def uses(self, ids: Sequence[str]) -> Mapping[str, Use]:
        """Number of recalls and time of the last one, per memory."""
        return self._engine.ledger.uses(self._engine.store.read(ids, visible=self._engine.visible))

    def crystallize(self, work: str) -> Saved:
        """Save a summary of the lessons of a finished task or conversation."""
        from .verbs.crystallize import crystallize

        return crystallize(self._engine, work)

    # The inbox

    def inbox(self, *, limit: int = 1_000) -> type_list[InboxEntry]:
        """Pending decisions: proposals of maintenance, and staged memories."""
        from .verbs.inbox import inbox

        return inbox(self._settled, limit=limit)

    def inbox_count(self) -> int:
        """The number of decisions that wait in the inbox."""
        from .verbs.find import count_inbox

        return count_inbox(self._engine)

    def inbox_show(self, ref: str) -> InboxEntry:
        """One entry of the inbox, with its memories."""
        from .verbs.inbox import inbox_entry

        return inbox_entry(self._engine, ref)

    def accept(self, ref: str, *, keep: str | None = None) -> Decided:
        """Accept a proposal; of a contradiction, `keep` names the memory that holds, or `both`."""
        from .verbs.inbox import accept

        return accept(self._engine, ref, keep=keep)

    def accept_many(self, refs: Sequence[str]) -> DecidedMany:
        """Accept several proposals; those that need a choice stay in the inbox."""
        from .verbs.accept_many import accept_many

        return accept_many(self._engine, refs)

    def reject(self, ref: str) -> Decided:
        """Reject a proposal; it is not made again."""
        from .verbs.inbox import reject

        return reject(self._engine, ref)

    # Maintenance and health

    def maintain(
        self,
        *,
        dry_run: bool = False,
        trust_clock: bool = False,
        progress: Callable[[str, int, int], object] = lambda step, done, of: None,
    ) -> Maintained:
        """Age, merge, compact and reflect; `dry_run` only reports the changes.

        Every change can be undone; decisions for a person go to the inbox.
        """
        from .verbs.maintain.run import maintain

        require_owner(self._engine.context)
        return maintain(self._engine, dry_run=dry_run, trust_clock=trust_clock, progress=progress)

    def sync(
        self,
        *,
        rebuild: bool = False,
        quiet_s: float | None = None,
        progress: Callable[[int], object] = lambda _: None,
        embedding: Callable[[int, int], object] = lambda done, of: None,
    ) -> Synced:
        """Update the index from the store, finish interrupted changes, settle conflict copies.

        Conflict copies of a file sync tool that changed within `quiet_s`, 10 seconds unless you
        say otherwise, may still be arriving and are left for the next time.
        """
        from .verbs.converge import QUIET_S
        from .verbs.sync import sync

        require_owner(self._engine.context)
        return sync(
            self._engine,
            rebuild=rebuild,
            quiet_s=QUIET_S if quiet_s is None else quiet_s,
            progress=progress,
            embedding=embedding,
        )

    def status(self) -> Status:
        """Where the book is and how much it holds."""
        from .verbs.status import status

        return status(self._engine)

    def standing(self) -> BookFigures:
        """Figures on the present state: counts, staleness, pending decisions, size."""
        from .verbs.health import book_figures

        return book_figures(self._engine)

    def vitals(self, since: datetime) -> PeriodFigures:
        """Figures since a moment: writes, questions, refusals, most and least used memories."""
        from .verbs.health import period_figures

        return period_figures(self._engine, since)

    def verify(self, project: str | None = None) -> AnchorsVerified:
        """Compare the memories of the caller's project, or of one that was seen on this machine,
        with the files that they speak of."""
        from .verbs.verify import verify

        return verify(self._engine, project)

    def repositories(self, folder: str = "") -> tuple[str, ...]:
        """Projects with memories that belong to a commit, and the project of a folder, if any."""
        from .verbs.repository import repositories

        return repositories(self._engine, folder)

    def repository(self, project: str, *, look: bool = True) -> RepositoryShown:
        """A project's memories by branch; `look` compares them with its folder on this machine."""
        from .verbs.repository import repository

        return repository(self._engine, project, look=look)

    def doctor(self) -> type_list[Problem]:
        """Every problem of the book, worst first."""
        from .verbs.status import doctor

        return doctor(self._engine)

    def evaluate_own(
        self, *, progress: Callable[[int, int], object] = lambda done, of: None
    ) -> OwnEvaluation:
        """Test recall on the book's own memories, and compare with earlier tests."""
        from .verbs.self_test import evaluate_own

        return evaluate_own(self._engine, progress=progress)

    # Backups and erasure

    def backup(
        self, place: str = "", *, progress: Callable[[int], object] = lambda _: None
    ) -> BackedUp:
        """Back up to a folder, by default the configured one, while others go on writing."""
        from .verbs.backup import backup

        return backup(self._engine, place, progress=progress)

    def backup_if_due(self) -> BackedUp | None:
        """Back up if the settings say so; None if no backup is due."""
        from .verbs.backup import backup_if_due

        return backup_if_due(self._engine)

    def backups(self, place: str = "") -> type_list[Snapshot]:
        """The snapshots in a folder, newest first."""
        from .verbs.backup import list_backups

        return list_backups(self._engine, place)

    def erase_user(self, user: str, *, org: str | None = None) -> Erased:
        """Remove all data of a user for good, and return a receipt."""
        from .verbs.erase import erase_user

        return erase_user(self._engine, user, org=org)

    def erased_since(self, since: datetime) -> bool:
        """Whether the calling user was erased after a moment."""
        from .verbs.erasures import erased_since

        return erased_since(self._engine, Tenant.of(self._engine.context.scope), since)

    def verify_erasure(self, receipt: Erased) -> ErasureChecked:
        """Check that the book still matches the receipt of an erasure."""
        from .verbs.erase import verify_erasure

        return verify_erasure(self._engine, receipt)

    # Tasks, profile, archive, sources, sessions

    def task(
        self,
        goal: str | None = None,
        *,
        resume: str | None = None,
        context: Context | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Task:
        """Start or resume a task: the one object that an agent's loop calls.

        Options are plan, constraints and id for a new task; agent, topic, phase and budget_tokens
        for both.
        """
        from .agent import task

        engine = self._engine
        if context is not None:
            engine = engine.but(context=Context.of(context))
        if resume is not None:
            return task.resume(engine, resume, **options)
        return task.start(engine, goal or "", **options)

    def task_done(
        self, id: str, *, summary: str = "", failed: bool = False, abandoned: bool = False
    ) -> Completed:
        """End a task and save its lessons; ending it twice is harmless."""
        from .agent.task import finish
        from .agent.task_end import chosen_outcome

        outcome = chosen_outcome(failed=failed, abandoned=abandoned)
        return finish(self._engine, id, outcome=outcome, summary=summary)

    def tasks(self, *, finished: bool = False) -> type_list[Work]:
        """Open tasks, and finished ones if wanted, the most recently changed first."""
        from .agent.work_note import list_work

        return list_work(self._engine, finished=finished)

    def task_show(self, id: str) -> Work:
        """Goal, plan, constraints and findings of a task."""
        from .agent.work_note import get_work

        return get_work(self._engine, id)

    def profile(self, *, scope: ScopeLike | None = None) -> Profile:
        """The profile of the person, which every digest includes."""
        from .agent.profile import show_profile

        return show_profile(self._engine, None if scope is None else Scope.of(scope))

    def profile_set(
        self,
        text: str,
        *,
        section: str | None = None,
        add: bool = False,
        scope: ScopeLike | None = None,
    ) -> Profile:
        """Set the profile or one section of it, or add a line, within 1,000 characters."""
        from .agent.profile import write_profile

        named = None if scope is None else Scope.of(scope)
        return write_profile(self._engine, text, section=section, add=add, scope=named)

    def timeline(
        self,
        *,
        since: MomentLike | None = None,
        until: MomentLike | None = None,
        limit: int = 100,
    ) -> Memories:
        """Summaries of tasks and conversations, newest first."""
        from .agent.archive import timeline

        first, last = _range(since, until, self._engine.now())
        return timeline(self._engine, since=first, until=last, limit=limit)

    def report(self, period: str = "day", *, day: date | None = None) -> Report:
        """A report on a day or a week, as markdown."""
        from .agent.archive import report

        return report(self._engine, period, day=day)

    def sources(self) -> type_list[str]:
        """Names of the sources outside the book."""
        return self._sources.names

    def source_add(self, name: str, source: Source | Callable[[str, int], Any]) -> None:
        """Add a source, or a function of a question and a limit, until the book is closed."""
        self._sources.add(name, source)

    def sources_search(
        self,
        query: str,
        *,
        names: Sequence[str] | None = None,
        limit: int = 5,
        timeout_s: float = 5.0,
    ) -> SourceAnswers:
        """Passages from sources outside the book, each with its origin; never stored."""
        return self._sources.ask(query, names=names, limit=limit, timeout_s=timeout_s)

    @property
    def _sources(self) -> Sources:
        from .agent.sources import open_sources

        return open_sources(self._engine)

    def session(self, id: str) -> Session:
        """The memory of one conversation."""
        from .agent.sessions import Session

        return Session(self._engine, id)

    def session_add(
        self, id: str, text: str, *, role: str = "observation", importance: float = 0.5
    ) -> SessionEntry:
        """Add an entry to a session; the first entry starts it."""
        return self.session(id).add(text, role=role, importance=importance)

    def session_show(
        self, id: str, *, query: str = "", limit: int = 100
    ) -> type_list[SessionEntry]:
        """Entries of a session, oldest first; with a query, the fitting ones, best first."""
        session = self.session(id)
        return session.search(query, limit=limit) if query else session.entries(limit=limit)

    def session_end(self, id: str) -> SessionEnded:
        """End a session: save missing lessons and a summary, drop the entries."""
        return self.session(id).end()

    def sessions(self) -> type_list[str]:
        """Ids of the live sessions."""
        from .agent.sessions import live_sessions

        return live_sessions(self._engine)

    # Properties, other callers, closing

    @property
    def embedder(self) -> str:
        """Name of the embedding model, or `none`."""
        return self._engine.embedder.model if self._engine.embedder else "none"

    @property
    def context(self) -> Context:
        """The caller."""
        return self._engine.context

    @property
    def state(self) -> str:
        """The device-local folder with index, counters and locks."""
        return self._engine.state

    @property
    def server_state(self) -> ServerState:
        """State that the servers of the book share: tokens, rate limits, job leases."""
        return self._engine.server_state

    @property
    def id(self) -> str:
        """The id of the book, which a move keeps."""
        return self._engine.store.store_id

    @property
    def source(self) -> str:
        """The door that the book is used through."""
        return self._engine.source

    @property
    def url(self) -> str:
        """URL of the book."""
        return self._engine.store.url

    @property
    def waits_for_others(self) -> bool:
        """Whether calls may wait for another process: a database, or a model at an address."""
        engine = self._engine
        shared = "shared" in engine.server_state.capabilities
        return shared or ":" in f"{engine.settings.embedder}{engine.settings.reasoner}"

    def as_context(
        self,
        context: Context | Mapping[str, Any],
        *,
        source: str | None = None,
        on_this_machine: bool = False,
    ) -> Commonplace:
        """The same open book for another caller, and another door if one is named.

        A caller `on_this_machine`, its user, may be told what its files say: without a folder of
        their own, each memory is compared with the folder of its project.
        """
        engine = self._engine
        return Commonplace(
            engine.but(
                context=Context.of(context),
                source=source or engine.source,
                on_this_machine=on_this_machine or engine.on_this_machine,
            )
        )

    def in_folder(self, folder: str) -> Commonplace:
        """The same open book, in the project of a folder's repository unless it has one."""
        from .projects import with_project

        engine = self._engine
        context = with_project(engine.context, engine.settings, folder, os.environ)
        return self.working_in(folder).as_context(context)

    def working_in(self, folder: str, head: GitHead | None = None) -> Commonplace:
        """The same open book for a caller who works in a folder, at HEAD or as HEAD was then.

        What is saved and handed over is compared with the folder's files. In a repository, saves
        carry its commit and branch, and what is unmerged is not recalled.
        """
        opened = self._engine.open_checkout
        checkout = opened(folder, head) if opened and folder else None
        return Commonplace(self._engine.but(checkout=checkout, folder=folder))

    def rehearsed(self, **ranking: Any) -> Commonplace:
        """The same open book with other ranking weights; recalls are not logged or counted."""
        settings = self._engine.settings
        settings = settings.but(ranking=settings.ranking.but(**ranking))
        return Commonplace(self._engine.but(settings=settings, untracked=True))

    @property
    def revision(self) -> int:
        """Revision of the store, which grows with every known change."""
        return self._engine.store.revision()

    def watched(self) -> Commonplace:
        """The same open book for a process that calls `look` regularly, so that reads need not."""
        return Commonplace(self._engine.but(edits_watched=True))

    def look(self) -> int:
        """Read edits made outside, and return the number of changed places.

        In a book that stays open, a thread embeds what has no vector yet.
        """
        from .engine.catch_up import catch_up_or_rebuild
        from .engine.embed import embed_in_background

        changed = catch_up_or_rebuild(self._engine)
        embed_in_background(self._engine)
        return changed

    @property
    def waiting_for_vectors(self) -> int:
        """How many memories wait for a vector, and are found by their words alone until then."""
        from .engine.embed import waiting_for_vectors

        return waiting_for_vectors(self._engine)

    def embed_waiting(self, most: int = 1_000) -> int:
        """Embed at most so many memories that wait for a vector, for a minute at most."""
        from .engine.embed import embed_waiting

        return embed_waiting(self._engine, most=most)

    @property
    def _settled(self) -> Engine:
        """The engine, after the models were asked about what was just saved."""
        if self._engine.background is not None:
            self._engine.background.settle_few()
        return self._engine

    @contextmanager
    def _answering(self, engine: Engine) -> Generator[Engine]:
        """The engine for one answer, which looks at a large book in part and leaves the rest."""
        from .engine.full_look import AnswerLook

        look = AnswerLook(engine.store)
        yield engine.but(answer_look=look)
        rest = look.leave_rest()
        if rest is None or engine.full_look is None:
            return
        engine.full_look.leave(rest)
        if engine.background is not None:
            engine.background.look(self.look)

    def leave(self) -> None:
        """Start what `close` would start, and let the end of the process close the files."""
        if self._engine.observer is not None:
            self._engine.observer.flush()
        if self._engine.full_look is not None:
            self._engine.full_look.close()

    def close(self) -> None:
        """Finish what saves left to do, and close files and connections."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _where(
    now: datetime,
    *,
    kinds: Sequence[str] | None = None,
    scope: ScopeLike | None = None,
    topic: str | None = None,
    tags: Sequence[str] | None = None,
    since: MomentLike | None = None,
    until: MomentLike | None = None,
    sensitivities: Sequence[str] | None = None,
    keyed: bool | None = None,
    branch: str | None = None,
    include_archive: bool = False,
    include_inbox: bool = False,
) -> Where:
    from .verbs.find import readable_statuses

    created = _range(since, until, now)
    return Where(
        kinds=_several(kinds),
        scopes=(str(Scope.of(scope)),) if scope is not None else None,
        topics=(topic,) if topic is not None else None,
        tags=_several(tags),
        sensitivities=_several(sensitivities),
        keyed=keyed,
        branch=branch,
        statuses=readable_statuses(include_archive=include_archive, include_inbox=include_inbox),
        created_from=created[0],
        created_until=created[1],
    )


def _range(
    since: MomentLike | None, until: MomentLike | None, now: datetime
) -> tuple[datetime | None, datetime | None]:
    if since is None and until is None:
        return None, None
    from .language.periods import read_range

    return read_range(since, until, now=now)


def _where_listed(
    now: datetime,
    *,
    not_kinds: Sequence[str] | None = None,
    statuses: Sequence[str] | None = None,
    owners: Sequence[str] | None = None,
    **conditions: Unpack[Conditions],
) -> Where:
    where = _where(now, **conditions)
    where = where.but(not_kinds=_several(not_kinds), owners=_several(owners))
    return where.but(statuses=_several(statuses)) if statuses else where


def _where_exported(
    now: datetime,
    *,
    ids: Sequence[str] | None = None,
    everything: bool = False,
    **conditions: Unpack[ListConditions],
) -> Where:
    where = _where_listed(now, **conditions).but(ids=_several(ids))
    return where.but(statuses=STATUSES) if everything else where


def _several(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """A single name as a tuple."""
    if values is None:
        return None
    return (values,) if isinstance(values, str) else tuple(values)
