"""The book: one facade, one method per verb."""

from __future__ import annotations

from .model.memory import LIVE, STATUSES
from .model.scope import Context, Scope, Tenant
from .ports.search_index import Where
from .rules.access import require_owner
from .verbs import find
from .verbs.recall import expanded, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime
    from types import TracebackType
    from typing import Any, Literal, Self

    from .agent.archive import Report
    from .agent.profile import Profile
    from .agent.sessions import Filled, Session
    from .agent.sources import SourceAnswers, Sources
    from .agent.task import Task
    from .agent.task_end import Completed
    from .agent.work_note import Work
    from .engine.engine import Engine
    from .model.memory import Draft, Event, Hit, Link, Memory, Problem, Recalled, Retrieval, Use
    from .model.results import (
        Corrected,
        Exported,
        Forgotten,
        Imported,
        LeftOut,
        Links,
        Moved,
        Promoted,
        Purged,
        Restored,
        Revealed,
        Reverted,
        Rotated,
        Saved,
        Status,
        Synced,
        Verified,
    )
    from .ports.backups import Snapshot
    from .ports.cipher import Keys
    from .ports.server_state import ServerState
    from .ports.session_store import SessionEntry
    from .ports.source import Source
    from .rules.digest import Budget, Digest
    from .rules.digest_settings import DigestSettings
    from .verbs.backup import BackedUp
    from .verbs.erase import Erased, ErasureChecked
    from .verbs.health import Standing, Vitals
    from .verbs.history import History
    from .verbs.inbox import Decided, Waiting
    from .verbs.links import Graph
    from .verbs.maintain.plan import Maintained
    from .verbs.recall import ExplainedRecall
    from .verbs.self_test import OwnEvaluation
    from .verbs.undo import CuratedChange, Undone

    type_list = list
    Memories = list[Memory]
    ScopeLike = Scope | str | Mapping[str, str]


class Commonplace:
    """A memory for agents. Open one with `commonplace.open`; use it as a context manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # Remembering

    def save(self, content: str, **fields: Any) -> Saved:
        """Remember something. Fields are those of `Draft`: scope, kind, topic, tags, key, …

        Saying the same thing twice is one memory; a fact with a known key becomes its new version.
        """
        from .rules.drafts import draft
        from .verbs.save import save

        return save(self._engine, draft(content, **fields))

    def save_many(
        self,
        drafts: Iterable[Draft | Mapping[str, Any] | str],
        *,
        progress: Callable[[int], object] = lambda _: None,
        embedding: Callable[[int, int], object] = lambda done, of: None,
    ) -> type_list[Saved]:
        """Remember many things at once; all are checked before the first is written.

        `progress` is told how many are saved, `embedding` how many of how many have got vectors.
        """
        from .rules.drafts import draft
        from .verbs.save import save_many

        given = [draft(one) for one in drafts]
        return save_many(self._engine, given, progress=progress, embedding=embedding)

    def save_personal(self, name: str, content: str) -> str:
        """Write a note of the person's own, outside the book, and return its path.

        The one deliberate way into personal space; it never overwrites.
        """
        from .verbs.save import save_personal

        return save_personal(self._engine, name, content)

    # Finding

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        scope: ScopeLike | None = None,
        topic: str | None = None,
        tags: Sequence[str] | None = None,
        episodes: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        as_of: date | None = None,
        expand: int = 0,
        include_archive: bool = False,
        include_inbox: bool = False,
    ) -> Recalled:
        """The memories that answer a question best, best first, each saying why it is here.

        `as_of` asks what the book would have said then, or on that day; `episodes` looks in
        those conversations only, `ids` among those memories only; `expand` adds so many turns
        before and after each hit.
        """
        where = _where(
            kinds=kinds,
            scope=scope,
            topic=topic,
            tags=tags,
            statuses=find.statuses(include_archive=include_archive, include_inbox=include_inbox),
        ).but(episodes=_several(episodes), ids=_several(ids))
        found = recall(self._engine, query, where=where, limit=limit, as_of=as_of)
        return expanded(self._engine, found, expand) if expand else found

    def get(self, ref: str) -> Memory:
        """One memory, by id, slug, title or alias."""
        return find.get(self._engine, ref)

    def list(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        order: Literal["newest", "oldest", "updated", "name"] = "newest",
        kinds: Sequence[str] | None = None,
        scope: ScopeLike | None = None,
        topic: str | None = None,
        tags: Sequence[str] | None = None,
        statuses: Sequence[str] | None = None,
        owners: Sequence[str] | None = None,
        include_archive: bool = False,
        include_inbox: bool = False,
    ) -> Memories:
        """Memories that meet the conditions, a page at a time."""
        shown = statuses or find.statuses(
            include_archive=include_archive, include_inbox=include_inbox
        )
        where = _where(
            kinds=kinds, scope=scope, topic=topic, tags=tags, statuses=shown, owners=owners
        )
        return find.list_memories(self._engine, where, order=order, limit=limit, offset=offset)

    def browse(
        self,
        query: str = "",
        *,
        where: Where | None = None,
        order: Literal["newest", "oldest", "updated", "name"] = "newest",
        limit: int = 50,
        offset: int = 0,
        as_of: datetime | None = None,
    ) -> type_list[Hit]:
        """Look through the book as a person does: nothing is logged or counted as a use.

        With a query the order is that of recall; `as_of` shows what the book held at that moment.
        """
        from .verbs.recall import browse

        where = where or Where(statuses=LIVE)
        return browse(
            self._engine, query, where, order=order, limit=limit, offset=offset, as_of=as_of
        )

    # Taking away and in

    def export(
        self,
        *,
        ids: Sequence[str] | None = None,
        everything: bool = False,
        kinds: Sequence[str] | None = None,
        scope: ScopeLike | None = None,
        topic: str | None = None,
        tags: Sequence[str] | None = None,
        statuses: Sequence[str] | None = None,
        owners: Sequence[str] | None = None,
        include_archive: bool = False,
        include_inbox: bool = False,
    ) -> Iterator[Memory]:
        """Every memory that meets the conditions of `list`, oldest first, a piece at a time.

        With `everything` also what was retired, forgotten or waits; `ids` names single ones.
        """
        from .verbs.export import exported

        shown = STATUSES if everything else statuses or find.statuses(
            include_archive=include_archive, include_inbox=include_inbox
        )  # fmt: skip
        where = _where(
            kinds=kinds, scope=scope, topic=topic, tags=tags, statuses=shown, owners=owners
        )
        return exported(self._engine, where.but(ids=_several(ids)))

    def export_to(
        self, path: str, *, format: str | None = None, replace: bool = False, **conditions: Any
    ) -> Exported:
        """Write memories to a file (.jsonl, .json, .zip) or a folder of notes, as `export` does."""
        from .verbs.export import export_to

        memories = self.export(**conditions)
        return export_to(memories, path, format=format, replace=replace)

    def take_in(
        self,
        contents: Callable[[], Iterable[Draft | LeftOut]],
        *,
        kind: str,
        scope: ScopeLike | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> Imported:
        """Import a file, as text from outside; doing it again changes nothing.

        `commonplace.books.imports.open_import` recognizes a file and gives kind and contents.
        """
        from .verbs.import_memories import take_in

        named = None if scope is None else Scope.of(scope)
        return take_in(
            self._engine, contents, kind=kind, scope=named, dry_run=dry_run, progress=progress
        )

    def make_room_for(self, book: Commonplace) -> bool:
        """Become another book that moves here, if this one is empty; then it is opened again."""
        from .verbs.restore import make_room

        return make_room(self._engine, book.id)

    def move(
        self,
        target: Commonplace,
        *,
        anyway: bool = False,
        progress: Callable[[str, int, int], object] = lambda step, done, of: None,
    ) -> Moved:
        """Copy everything to the place that `books.open.open_in_place_of` opened, and compare."""
        from .verbs.move import move

        return move(self._engine, target._engine, anyway=anyway, progress=progress)

    # Handing over

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
        """What an agent should know now, as one text within its budget.

        Who it is, what always holds, what belongs to the topic, and what answers the question;
        `already` names memories it has been handed before.
        """
        from .verbs.digest import digest

        return digest(
            self._engine,
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
        """What is handed over once, before anything is asked."""
        from .verbs.digest import session_start

        return session_start(
            self._engine,
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
        """What one prompt calls for, without what the session's start handed over."""
        from .verbs.digest import prompt

        return prompt(
            self._engine,
            text,
            settings=self._digest_settings(agent),
            budget=budget,
            agent=agent,
            already=already,
        )

    def _digest_settings(self, agent: str | None) -> DigestSettings:
        from .rules.digest_settings import resolve

        return resolve(self._engine.settings.digest, agent or self._engine.context.agent)

    # Changing

    def edit(self, ref: str, *, expect: Memory | None = None, **changes: Any) -> Memory:
        """Change a memory: new content makes a new version, other fields change in place.

        `expect` is the memory as you read it; if it changed since, nothing happens but a Conflict.
        """
        from .verbs.correct import edit

        return edit(self._engine, ref, expect=expect, **changes)

    def correct(self, wrong: str, right: str) -> Corrected:
        """Replace a wrong memory, named by id, slug or its words, everywhere it was repeated."""
        from .verbs.correct import correct

        return correct(self._engine, wrong, right)

    def forget(self, ref: str) -> Forgotten:
        """Stop recalling a memory; `restore` brings it back."""
        from .verbs.forget import forget

        return forget(self._engine, ref)

    def restore(self, ref: str) -> Restored:
        """Recall a forgotten or archived memory again."""
        from .verbs.forget import restore

        return restore(self._engine, ref)

    def purge(self, ref: str) -> Purged:
        """Remove a memory and its versions for good; the same text will not come back."""
        from .verbs.forget import purge

        return purge(self._engine, ref)

    def promote(self, ref: str, to: ScopeLike) -> Promoted:
        """Copy a memory to a broader scope, linked back to its origin."""
        from .verbs.promote import promote

        return promote(self._engine, ref, Scope.of(to))

    # Facts

    def fact_store(self, key: str, value: str, **fields: Any) -> Saved:
        """Store a fact under a key; a new value supersedes the old one in the same scope."""
        return self.save(f"{key}: {value}", key=key, value=value, **fields)

    def fact_recall(self, key: str, *, namespace: str | None = None) -> Memory | None:
        """The fact with that key, from the most specific scope that has one."""
        from .verbs.find import recall_fact

        return recall_fact(self._engine, key, namespace=namespace)

    def fact_list(
        self, *, namespace: str | None = None, scope: ScopeLike | None = None
    ) -> Memories:
        """Every visible fact with a key."""
        from .verbs.find import list_facts

        named = str(Scope.of(scope)) if scope is not None else None
        return list_facts(self._engine, namespace=namespace, scope=named)

    # Links

    def links(self, ref: str) -> Links:
        """The wikilinks out of a memory and into it."""
        from .verbs.links import links

        return links(self._engine, ref)

    def broken_links(self) -> type_list[Link]:
        """Every wikilink that leads nowhere."""
        from .verbs.links import broken_links

        return broken_links(self._engine)

    def graph(self, ref: str, *, hops: int = 1) -> Graph:
        """The memories within so many steps of one, by links, supersession and derivation."""
        from .verbs.links import graph

        return graph(self._engine, ref, hops=hops)

    def rename(self, ref: str, name: str) -> Memory:
        """Give a memory a new name; links to it follow."""
        from .verbs.links import rename

        return rename(self._engine, ref, name)

    # Sealed memories

    def reveal(self, ref: str) -> Revealed:
        """The text of a sealed memory; that it was shown is audited."""
        from .verbs.seal import reveal

        return reveal(self._engine, ref)

    def keys(self) -> Keys:
        """Which keys memories are sealed with, by their ids, and where they are kept."""
        require_owner(self._engine.context)
        return self._engine.cipher.keys()

    def new_key(self) -> str:
        """Make a key to seal memories with from now on; old ones stay readable. Says its id."""
        require_owner(self._engine.context)
        return self._engine.cipher.new_key()

    def rotate_key(self, *, progress: Callable[[int], object] = lambda _: None) -> Rotated:
        """Seal everything with a new key; safe to interrupt and to run again."""
        from .verbs.seal import rotate

        return rotate(self._engine, progress=progress)

    # History and undo

    def history(self, ref: str) -> History:
        """Every version of a memory and every audited change to it."""
        from .verbs.history import history

        return history(self._engine, ref)

    def revert(self, ref: str) -> Reverted:
        """Undo one change, by its event's id, or the last change to a memory.

        What was derived from it by itself goes with it.
        """
        from .verbs.undo import undo

        return undo(self._engine, ref)

    def undo_automatic(
        self,
        since: datetime,
        *,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> Undone:
        """Undo every change since then that nobody asked for, newest first."""
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
        """What changed in curated space since then, newest first, each with its way back."""
        from .verbs.undo import changes

        return changes(self._engine, since, owners=tuple(owners), automatic=automatic, limit=limit)

    def audit(self, *, since: datetime | None = None, limit: int = 100) -> type_list[Event]:
        """Audited changes, newest first."""
        return self._engine.ledger.events(visible=self._engine.visible, since=since, limit=limit)

    def audit_verify(self) -> Verified:
        """Whether no audit event was changed, removed or reordered."""
        require_owner(self._engine.context)
        return self._engine.ledger.verify()

    def retrievals(self, *, limit: int = 20) -> type_list[Retrieval]:
        """What was asked lately, and which memories came back."""
        return self._engine.ledger.retrievals(visible=self._engine.own_log, limit=limit)

    def why(self, ref: str = "last") -> ExplainedRecall:
        """Why a recall came out as it did: the last, one by its id, or the last with a memory."""
        from .verbs.recall import explain

        return explain(self._engine, ref)

    def uses(self, ids: Sequence[str]) -> Mapping[str, Use]:
        """How often memories were recalled, and when last."""
        return self._engine.ledger.uses(self._engine.store.read(ids, visible=self._engine.visible))

    def crystallize(self, work: str) -> Saved:
        """Sum up what one task, or one conversation, taught, when it is over."""
        from .verbs.crystallize import crystallize

        return crystallize(self._engine, work)

    # The inbox

    def inbox(self, *, limit: int = 1_000) -> type_list[Waiting]:
        """What waits for a person's word: proposals of tidying, and memories put aside."""
        from .verbs.inbox import inbox

        return inbox(self._engine, limit=limit)

    def inbox_show(self, ref: str) -> Waiting:
        """One thing in the inbox, with the memories it is about."""
        from .verbs.inbox import look

        return look(self._engine, ref)

    def accept(self, ref: str, *, keep: str | None = None) -> Decided:
        """Do what the inbox proposes. Of a contradiction, `keep` names the memory that holds."""
        from .verbs.inbox import accept

        return accept(self._engine, ref, keep=keep)

    def reject(self, ref: str) -> Decided:
        """Leave things as they are; the same is not proposed again."""
        from .verbs.inbox import reject

        return reject(self._engine, ref)

    # Care

    def maintain(
        self,
        *,
        dry_run: bool = False,
        trust_clock: bool = False,
        progress: Callable[[str, int, int], object] = lambda step, done, of: None,
    ) -> Maintained:
        """Tidy the book: age, merge, compact, reflect; with `dry_run` only say what would be done.

        Everything it does can be undone, and what a person should decide goes to the inbox.
        """
        from .verbs.maintain.run import maintain

        require_owner(self._engine.context)
        return maintain(self._engine, dry_run=dry_run, trust_clock=trust_clock, progress=progress)

    def sync(
        self,
        *,
        rebuild: bool = False,
        progress: Callable[[int], object] = lambda _: None,
        embedding: Callable[[int, int], object] = lambda done, of: None,
    ) -> Synced:
        """Bring the index in line with the store and finish what a crash interrupted."""
        from .verbs.sync import sync

        require_owner(self._engine.context)
        return sync(self._engine, rebuild=rebuild, progress=progress, embedding=embedding)

    def status(self) -> Status:
        """Where the book is and what it holds."""
        from .verbs.status import status

        return status(self._engine)

    def standing(self) -> Standing:
        """How the book stands now: what it holds, how stale that is, what waits, how large."""
        from .verbs.health import standing

        return standing(self._engine)

    def vitals(self, since: datetime) -> Vitals:
        """How the book fared since then: what was written and asked, what is stale, hot or cold."""
        from .verbs.health import vitals

        return vitals(self._engine, since)

    def doctor(self) -> type_list[Problem]:
        """Everything a person should look at, worst first."""
        from .verbs.status import doctor

        return doctor(self._engine)

    def evaluate_own(
        self, *, progress: Callable[[int, int], object] = lambda done, of: None
    ) -> OwnEvaluation:
        """Ask the book about itself: what comes back, what does not, and how that has changed."""
        from .verbs.self_test import evaluate_own

        return evaluate_own(self._engine, progress=progress)

    # Backups and erasure

    def backup(
        self, place: str = "", *, progress: Callable[[int], object] = lambda _: None
    ) -> BackedUp:
        """Back up this very moment to a folder, or to the one that is set; others go on writing."""
        from .verbs.backup import backup

        return backup(self._engine, place, progress=progress)

    def backup_if_due(self) -> BackedUp | None:
        """Back up as the settings say; None when it is not time yet."""
        from .verbs.backup import backup_if_due

        return backup_if_due(self._engine)

    def backups(self, place: str = "") -> type_list[Snapshot]:
        """The moments that are kept, newest first."""
        from .verbs.backup import opened

        require_owner(self._engine.context)
        return opened(self._engine, place).moments()

    def erase_user(self, user: str, *, org: str | None = None) -> Erased:
        """Remove everything of a user for good, wherever it is; the answer is a receipt."""
        from .verbs.erase import erase_user

        return erase_user(self._engine, user, org=org)

    def erased_since(self, since: datetime) -> bool:
        """Whether the user who is asking was erased after a moment."""
        from .verbs.erasures import erased_since

        return erased_since(self._engine, Tenant.of(self._engine.context.scope), since)

    def verify_erasure(self, receipt: Erased) -> ErasureChecked:
        """Whether an erasure was done as its receipt says, and is still so."""
        from .verbs.erase import verify_erasure

        return verify_erasure(self._engine, receipt)

    # Within and around one piece of work

    def task(
        self,
        goal: str | None = None,
        *,
        resume: str | None = None,
        context: Context | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Task:
        """Begin a task, or go on with one: the one object that an agent's loop calls.

        Options are plan, constraints and id for a new one; agent, topic, phase and budget_tokens
        for both.
        """
        from .agent import task

        engine = self._engine
        if context is not None:
            engine = engine.but(context=Context.of(context))
        if resume is not None:
            return task.resume(engine, resume, **options)
        return task.start(engine, goal or "", **options)

    def task_done(self, id: str, *, summary: str = "", failed: bool = False) -> Completed:
        """Finish a task: what it taught is kept. Doing it twice is harmless."""
        from .agent.task import finish

        return finish(self._engine, id, outcome="failed" if failed else "done", summary=summary)

    def tasks(self, *, finished: bool = False) -> type_list[Work]:
        """The tasks that are open, the most recently changed first."""
        from .agent.work_note import all_work

        return all_work(self._engine, finished=finished)

    def task_show(self, id: str) -> Work:
        """One task: its goal, plan, constraints and findings."""
        from .agent.work_note import show_work

        return show_work(self._engine, id)

    def profile(self, *, scope: ScopeLike | None = None) -> Profile:
        """What is always handed over about the person: its text, and how full it is."""
        from .agent.profile import show

        return show(self._engine, None if scope is None else Scope.of(scope))

    def profile_set(
        self,
        text: str,
        *,
        section: str | None = None,
        add: bool = False,
        scope: ScopeLike | None = None,
    ) -> Profile:
        """Set the profile or one section of it, or add a line. It holds 1,000 characters."""
        from .agent.profile import write

        named = None if scope is None else Scope.of(scope)
        return write(self._engine, text, section=section, add=add, scope=named)

    def timeline(
        self, *, since: datetime | None = None, until: datetime | None = None, limit: int = 100
    ) -> Memories:
        """Summaries of tasks and conversations, newest first."""
        from .agent.archive import timeline

        return timeline(self._engine, since=since, until=until, limit=limit)

    def report(self, period: str = "day", *, day: date | None = None) -> Report:
        """What a day or a week was about, as markdown from the archive."""
        from .agent.archive import report

        return report(self._engine, period, day=day)

    def sources(self) -> type_list[str]:
        """The names of places outside the book that can be asked."""
        return self._sources.names

    def source_add(self, name: str, source: Source | Callable[[str, int], Any]) -> None:
        """Let a source, or any function of a question and a limit, be asked while this is open."""
        self._sources.add(name, source)

    def sources_search(
        self,
        query: str,
        *,
        names: Sequence[str] | None = None,
        limit: int = 5,
        timeout_s: float = 5.0,
    ) -> SourceAnswers:
        """Passages from outside, each with its origin; they are shown and never stored."""
        return self._sources.ask(query, names=names, limit=limit, timeout_s=timeout_s)

    @property
    def _sources(self) -> Sources:
        from .agent.sources import sources_of

        return sources_of(self._engine)

    def session(self, id: str) -> Session:
        """One conversation's own memory, which ends with it."""
        from .agent.sessions import Session

        return Session(self._engine, id)

    def session_add(
        self, id: str, text: str, *, role: str = "observation", importance: float = 0.5
    ) -> SessionEntry:
        """Note something in one conversation's own memory, which begins with its first entry."""
        return self.session(id).add(text, role=role, importance=importance)

    def session_show(
        self, id: str, *, query: str = "", limit: int = 100
    ) -> type_list[SessionEntry]:
        """What a conversation holds, oldest first; with a question, what fits it, best first."""
        session = self.session(id)
        return session.search(query, limit=limit) if query else session.entries(limit=limit)

    def session_end(self, id: str) -> Filled:
        """Save what the user taught and nobody saved, file a summary, and let go of the rest."""
        return self.session(id).end()

    def sessions(self) -> type_list[str]:
        """The conversations that are being remembered."""
        from .agent.sessions import live

        return live(self._engine)

    # The book as an object

    @property
    def embedder(self) -> str:
        """The model that vectors come from; `none` where full text is all there is."""
        return self._engine.embedder.model if self._engine.embedder else "none"

    @property
    def context(self) -> Context:
        """Who is asking."""
        return self._engine.context

    @property
    def state(self) -> str:
        """The device-local folder of this book: index, counters, locks."""
        return self._engine.state

    @property
    def server_state(self) -> ServerState:
        """What the book's servers agree on: who is let in, how often, and whose turn a job is."""
        return self._engine.server_state

    @property
    def id(self) -> str:
        """The book's own id, which it keeps wherever it moves."""
        return self._engine.store.store_id

    @property
    def source(self) -> str:
        """The door that it is used through."""
        return self._engine.source

    @property
    def url(self) -> str:
        """Where the book is."""
        return self._engine.store.url

    def as_context(
        self, context: Context | Mapping[str, Any], *, source: str | None = None
    ) -> Commonplace:
        """The same open book, asked by somebody else, through another door if one is named."""
        source = source or self._engine.source
        return Commonplace(self._engine.but(context=Context.of(context), source=source))

    def rehearsed(self, **ranking: Any) -> Commonplace:
        """The same open book with other numbers of ranking; what is asked leaves no trace."""
        settings = self._engine.settings
        settings = settings.but(ranking=settings.ranking.but(**ranking))
        return Commonplace(self._engine.but(settings=settings, rehearsing=True))

    @property
    def revision(self) -> int:
        """Grows with every change that is known of."""
        return self._engine.store.revision()

    def watched(self) -> Commonplace:
        """The same open book, in a process that calls `look` now and then so reads need not."""
        return Commonplace(self._engine.but(watched=True))

    def look(self) -> int:
        """Notice what was edited outside, and say in how many places."""
        from .engine.catch_up import catch_up

        return catch_up(self._engine)

    def close(self) -> None:
        """Let go of files and connections."""
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
    *,
    kinds: Sequence[str] | None,
    scope: ScopeLike | None,
    topic: str | None,
    tags: Sequence[str] | None,
    statuses: Sequence[str],
    owners: Sequence[str] | None = None,
) -> Where:
    return Where(
        kinds=_several(kinds),
        scopes=(str(Scope.of(scope)),) if scope is not None else None,
        topics=(topic,) if topic is not None else None,
        tags=_several(tags),
        statuses=_several(statuses),
        owners=_several(owners),
    )


def _several(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """One name is as good as a list of one."""
    if values is None:
        return None
    return (values,) if isinstance(values, str) else tuple(values)
