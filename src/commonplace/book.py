"""The book: one facade, one method per verb."""

from __future__ import annotations

from .ports import Where
from .rules.scoping import require_owner
from .scope import Context, Scope
from .verbs import find, recall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date, datetime
    from types import TracebackType
    from typing import Any, Literal, Self

    from .model import (
        Corrected,
        Draft,
        Event,
        Forgotten,
        Link,
        Links,
        Memory,
        Problem,
        Promoted,
        Purged,
        Recalled,
        Restored,
        Retrieval,
        Reverted,
        Saved,
        Status,
        Synced,
        Use,
        Verified,
    )
    from .rules.digest import Budget, Digest
    from .rules.digest_settings import DigestSettings
    from .verbs.engine import Engine
    from .verbs.evaluate_own import OwnEvaluation
    from .verbs.graph import Graph
    from .verbs.history import History
    from .verbs.why import Explained

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
    ) -> type_list[Saved]:
        """Remember many things at once; all are checked before the first is written."""
        from .rules.drafts import draft
        from .verbs.save import save_many

        return save_many(self._engine, [draft(one) for one in drafts], progress=progress)

    def save_personal(self, name: str, content: str) -> str:
        """Write a note of the person's own, outside the book, and return its path.

        The one deliberate way into personal space; it never overwrites.
        """
        from .verbs.personal import save_personal

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
        as_of: date | None = None,
        expand: int = 0,
        include_archive: bool = False,
        include_inbox: bool = False,
    ) -> Recalled:
        """The memories that answer a question best, best first, each saying why it is here.

        `as_of` asks what the book would have said then, or on that day; `episodes` looks in
        those conversations only; `expand` adds so many turns before and after each hit.
        """
        where = _where(
            kinds=kinds,
            scope=scope,
            topic=topic,
            tags=tags,
            statuses=find.statuses(include_archive=include_archive, include_inbox=include_inbox),
        ).but(episodes=_several(episodes))
        found = recall.recall(self._engine, query, where=where, limit=limit, as_of=as_of)
        return recall.expanded(self._engine, found, expand) if expand else found

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

    def session_start(self, *, agent: str | None = None, topic: str | None = None) -> Digest:
        """What is handed over once, before anything is asked."""
        from .verbs.digest import session_start

        return session_start(
            self._engine, settings=self._digest_settings(agent), agent=agent, topic=topic
        )

    def prompt(self, text: str, *, agent: str | None = None, already: Sequence[str] = ()) -> Digest:
        """What one prompt calls for, without what the session's start handed over."""
        from .verbs.digest import prompt

        return prompt(
            self._engine,
            text,
            settings=self._digest_settings(agent),
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
        from .verbs.facts import recall_fact

        return recall_fact(self._engine, key, namespace=namespace)

    def fact_list(
        self, *, namespace: str | None = None, scope: ScopeLike | None = None
    ) -> Memories:
        """Every visible fact with a key."""
        from .verbs.facts import list_facts

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
        from .verbs.graph import graph

        return graph(self._engine, ref, hops=hops)

    def rename(self, ref: str, name: str) -> Memory:
        """Give a memory a new name; links to it follow."""
        from .verbs.links import rename

        return rename(self._engine, ref, name)

    # History and undo

    def history(self, ref: str) -> History:
        """Every version of a memory and every audited change to it."""
        from .verbs.history import history

        return history(self._engine, ref)

    def revert(self, ref: str) -> Reverted:
        """Undo one change, by its event's id, or the last change to a memory."""
        from .verbs.history import revert

        return revert(self._engine, ref)

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

    def why(self, ref: str = "last") -> Explained:
        """Why a recall came out as it did: the last, one by its id, or the last with a memory."""
        from .verbs.why import why

        return why(self._engine, ref)

    def uses(self, ids: Sequence[str]) -> Mapping[str, Use]:
        """How often memories were recalled, and when last."""
        return self._engine.ledger.uses(self._engine.store.read(ids, visible=self._engine.visible))

    # Care

    def sync(
        self, *, rebuild: bool = False, progress: Callable[[int], object] = lambda _: None
    ) -> Synced:
        """Bring the index in line with the store and finish what a crash interrupted."""
        from .verbs.sync import sync

        require_owner(self._engine.context)
        return sync(self._engine, rebuild=rebuild, progress=progress)

    def status(self) -> Status:
        """Where the book is and what it holds."""
        from .verbs.health import status

        return status(self._engine)

    def doctor(self) -> type_list[Problem]:
        """Everything a person should look at, worst first."""
        from .verbs.health import doctor

        return doctor(self._engine)

    def evaluate_own(
        self, *, progress: Callable[[int, int], object] = lambda done, of: None
    ) -> OwnEvaluation:
        """Ask the book about itself: what comes back, what does not, and how that has changed."""
        from .verbs.evaluate_own import evaluate_own

        return evaluate_own(self._engine, progress=progress)

    # The book as an object

    @property
    def embedder(self) -> str:
        """The model that vectors come from; `none` where full text is all there is."""
        return self._engine.embedder.model if self._engine.embedder else "none"

    @property
    def context(self) -> Context:
        """Who is asking."""
        return self._engine.context

    def as_context(self, context: Context | Mapping[str, Any]) -> Commonplace:
        """The same open book, asked by somebody else."""
        return Commonplace(self._engine.but(context=Context.of(context)))

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
