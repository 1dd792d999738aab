"""Parts that adapters share: context for conversations, named texts, turns, missing packages.

A conversation gets each memory once. Its turns wait in the session store; when it ends, or its
host compacts it, what the user taught is saved.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from ...distribution import install_command
from ...model.errors import BackendMissing, BadInput, Refused
from ...model.memory import LIVE, STATUSES, Draft, Memory
from ...rules.handed_over.digest import Budget, Limit
from ...rules.handed_over.quotation import without_echo
from ...rules.session_ids import storable_session_id
from ..hooks.answer import PROMPT_CHARACTERS, TURN_CHARACTERS, cut_middle
from ..hooks.host_events import MOST_CHARACTERS, MOST_TOKENS
from .langgraph_items import label, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from ...book import Commonplace
    from ...rules.handed_over.digest import Digest

    Answer = TypeVar("Answer")


TIMEOUT_S = 5.0
"""Seconds that a hook may take; after that the host gets no answer."""
_HOST_BUDGET = Budget(total=Limit(characters=MOST_CHARACTERS, tokens=MOST_TOKENS))
_ID_CHARACTERS = 100
_TIME = r"\d{8}T\d{12}"
_log = logging.getLogger(__name__)


async def quietly(work: Callable[[], Answer], *, otherwise: Answer, timeout_s: float) -> Answer:
    """Run work in a thread; log any failure, and return `otherwise`.

    The adapters catch everything only here: a missing memory must not crash the host.
    """
    try:
        return await asyncio.wait_for(asyncio.to_thread(work), timeout_s)
    except Exception:
        _log.warning("The book could not answer a hook.", exc_info=True)
        return otherwise


class Conversations:
    """The conversations of one program, with one book."""

    def __init__(self, book: Commonplace, *, host: str, capture: bool = True) -> None:
        self._book = book
        self._host = host
        self._capture = capture
        self._handed: dict[str, dict[str, None]] = {}
        """Ids of the memories that each conversation was given."""
        self._names: dict[str, str] = {}
        self._books: dict[str, Commonplace] = {}
        """The book in the project of each conversation's folder."""
        self._lock = threading.Lock()

    def enter(self, id: str, folder: str) -> None:
        """Say which folder a conversation began in; its project is the conversation's."""
        with self._lock:
            if id not in self._books:
                self._books[id] = self._book.in_folder(folder)

    def _book_of(self, id: str) -> Commonplace:
        return self._books.get(id, self._book)

    def start(self, id: str) -> str:
        """The context for the start of a conversation."""
        made = self._within(lambda budget: self._book_of(id).session_start(budget=budget))
        with self._lock:
            self._handed[id] = dict.fromkeys(made.ids)
        return made.text

    def has_started(self, id: str) -> bool:
        """Whether a conversation has got its first context."""
        return id in self._handed

    def context_for_first_prompt(self, id: str, text: str) -> str:
        """The context for the start of a conversation and its first prompt, in one."""
        return self._add_context(id, text, self._book_of(id).digest)

    def context_for_prompt(self, id: str, text: str) -> str:
        """The context for a prompt, without memories that the conversation was given before."""
        return self._add_context(id, text, self._book_of(id).prompt)

    def _add_context(self, id: str, text: str, make: Callable[..., Digest]) -> str:
        said = without_echo(text)
        if not said.strip():
            return ""
        self._record(id, said, role="user")
        question, already = cut_middle(said, PROMPT_CHARACTERS), tuple(self._handed.get(id, ()))
        made = self._within(lambda budget: make(question, already=already, budget=budget))
        with self._lock:
            self._handed.setdefault(id, {}).update(dict.fromkeys(made.ids))
        return made.text

    def record_answer(self, id: str, text: str) -> None:
        """Record the agent's answer; a repeated one is recorded once."""
        if text.strip():
            self._record(id, without_echo(text), role="assistant")

    def save(self, id: str) -> None:
        """Save what the user taught; later turns belong to a new conversation."""
        name = self._name(id)
        with self._lock:
            self._handed.pop(id, None)
            self._names.pop(id, None)
        if self._capture:
            self._book_of(id).session(name).end()

    def save_all(self) -> None:
        """Save what the user taught in every open conversation."""
        for id in list(self._names):
            self.save(id)

    def _record(self, id: str, text: str, *, role: str) -> None:
        if not self._capture:
            return
        session = self._book_of(id).session(self._name(id))
        text = cut_middle(text, TURN_CHARACTERS)
        newest = session.entries(limit=1)
        if not newest or (newest[0].role, newest[0].content) != (role, text):
            session.add(text, role=role)

    def _name(self, id: str) -> str:
        """The session's id in the store; a session that a dead process left is continued."""
        with self._lock:
            if id not in self._names:
                prefix = f"{self._host}-{plain_id(id)}-"
                known = (name.rpartition("/session/")[2] for name in self._book_of(id).sessions())
                fresh = f"{prefix}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
                # Another id may begin with this one, so only a time may follow.
                ours = re.compile(re.escape(prefix) + _TIME)
                left = (name for name in known if ours.fullmatch(name))
                self._names[id] = next(left, fresh)
            return self._names[id]

    @staticmethod
    def _within(make: Callable[[Budget | None], Digest]) -> Digest:
        """A digest within the person's limits and the hosts' limits."""
        made = make(None)
        too_much = made.characters > MOST_CHARACTERS or made.tokens > MOST_TOKENS
        return make(_HOST_BUDGET) if too_much else made


def plain_id(id: str) -> str:
    """An id in plain characters, with a checksum if it was changed."""
    id = storable_session_id(id)
    plain = re.sub(r"[^\w.-]", "-", id)[:_ID_CHARACTERS]
    return plain if plain == id else f"{plain}~{zlib.crc32(id.encode('utf-8', 'replace')):08x}"


PAGE = 1_000


class Documents:
    """Named texts of one kind, in one scope of a book."""

    def __init__(self, book: Commonplace, kind: str) -> None:
        self.book = book
        self.kind = kind
        self.home = book.context.scope

    def find(self, key: str, namespace: str) -> Memory | None:
        """The text with a name, if there is one."""
        found = self.book.fact_recall(key, namespace=namespace)
        if found is None or self._is(found, key, namespace):
            return found
        # A visible scope above has a text of that name, too.
        return next((one for one in self.every() if self._is(one, key, namespace)), None)

    def every(
        self, *, tags: Sequence[str] | None = None, statuses: Sequence[str] = LIVE
    ) -> Iterator[Memory]:
        """All texts, or those with all these tags, newest first."""
        offset = 0
        while True:
            page = self.book.list(
                kinds=[self.kind],
                scope=self.home,
                tags=tags,
                statuses=statuses,
                limit=PAGE,
                offset=offset,
            )
            yield from page
            if len(page) < PAGE:
                return
            offset += PAGE

    def draft(self, content: str, known: Memory | None, **fields: Any) -> Draft:
        """A draft that replaces `known` as the newest text of its name.

        The program asked for this change, so it wins even over a version that a person edited;
        that version stays in the history.
        """
        replaced = known.id if known is not None else None
        return Draft(content, scope=self.home, kind=self.kind, supersedes=replaced, **fields)

    def _is(self, memory: Memory, key: str, namespace: str) -> bool:
        named = (memory.kind, memory.key, memory.namespace)
        return memory.scope == self.home and named == (self.kind, key, namespace)


KIND = "turn"


class ConversationTurns:
    """The turns of one conversation as memories: verbatim, in order, found by recall."""

    def __init__(self, book: Commonplace, id: str) -> None:
        id = storable_session_id(id)
        self.book = book
        self.episode = name(id)
        self.aside = f"{self.episode} (aside)"
        """Episode of tool calls and results, so that they do not stand between turns."""
        self._turns = Documents(book, KIND)
        self._tag = label("conversation", id)

    def every(self, *, gone: bool = False) -> list[Memory]:
        """The turns in order; with `gone`, also forgotten ones."""
        # Turns that maintenance archived still belong to the conversation.
        statuses = STATUSES if gone else (*LIVE, "archived")
        found = self._turns.every(tags=[self._tag], statuses=statuses)
        mine = (one for one in found if one.episode in (self.episode, self.aside))
        return sorted(mine, key=lambda one: (one.position or 0, one.created, one.id))

    def draft(self, content: str, position: int, *, aside: bool = False, **fields: Any) -> Draft:
        """A turn to save."""
        return Draft(
            content,
            scope=self._turns.home,
            kind=KIND,
            episode=self.aside if aside else self.episode,
            position=position,
            tags=(self._tag,),
            **fields,
        )

    def add(self, drafts: Sequence[Draft]) -> None:
        """Save turns, except those that the book refuses."""
        if not drafts:
            return
        try:
            self.book.save_many(drafts)
        except (Refused, BadInput) as error:
            if len(drafts) == 1:
                _log.warning("A turn was not kept: %s", error)
                return
            for one in drafts:
                self.add([one])


@contextmanager
def require_extra(package: str, *, extra: str) -> Generator[None]:
    """Turn the ImportError of a framework into a hint how to install it."""
    try:
        yield
    except ImportError as error:
        raise BackendMissing(
            f"This adapter needs the package {package}, which is not installed.",
            hint=f"Install it with `{install_command(extra)}`.",
        ) from error
