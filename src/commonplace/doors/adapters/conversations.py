"""What a host's conversations are handed, and what is kept of them: the same for every SDK.

Each conversation is handed a memory once. What was said waits in the session store; when the
conversation ends, or its host is about to forget it, what the user taught is saved.
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

from ...model.errors import BackendMissing, BadInput, Refused
from ...model.memory import LIVE, STATUSES, Draft, Memory
from ...rules.digest import Budget, Limit, without_echo
from ..hooks.answer import ASKED, KEPT, middle_cut
from ..hooks.host_events import MOST_CHARACTERS, MOST_TOKENS
from .langgraph_items import label, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from ...book import Commonplace
    from ...rules.digest import Digest

    Answer = TypeVar("Answer")


TIMEOUT_S = 5.0
"""A host waits for its hooks; later than this, it goes on without an answer."""
_HOSTS_MOST = Budget(total=Limit(characters=MOST_CHARACTERS, tokens=MOST_TOKENS))
_ID_CHARACTERS = 100
_TIME = r"\d{8}T\d{12}"
_log = logging.getLogger(__name__)


async def quietly(work: Callable[[], Answer], *, otherwise: Answer, timeout_s: float) -> Answer:
    """Do something in a thread; whatever goes wrong is logged, and the host goes on.

    The one place of the adapters that catches everything: a memory is never worth a crash.
    """
    try:
        return await asyncio.wait_for(asyncio.to_thread(work), timeout_s)
    except Exception:
        _log.warning("The book could not answer a hook.", exc_info=True)
        return otherwise


class Conversations:
    """The conversations that one program holds with one book."""

    def __init__(self, book: Commonplace, *, host: str, capture: bool = True) -> None:
        self._book = book
        self._host = host
        self._capture = capture
        self._handed: dict[str, dict[str, None]] = {}
        """The memories that each conversation holds."""
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()

    def start(self, id: str) -> str:
        """What a conversation begins with."""
        made = self._within(lambda budget: self._book.session_start(budget=budget))
        with self._lock:
            self._handed[id] = dict.fromkeys(made.ids)
        return made.text

    def begun(self, id: str) -> bool:
        """Whether a conversation was handed what it begins with."""
        return id in self._handed

    def opened(self, id: str, text: str) -> str:
        """What a conversation begins with and its first prompt calls for, in one."""
        return self._asked(id, text, self._book.digest)

    def asked(self, id: str, text: str) -> str:
        """What a prompt calls for, without what the conversation holds already."""
        return self._asked(id, text, self._book.prompt)

    def _asked(self, id: str, text: str, make: Callable[..., Digest]) -> str:
        said = without_echo(text)
        if not said.strip():
            return ""
        self._note(id, said, role="user")
        question, already = middle_cut(said, ASKED), tuple(self._handed.get(id, ()))
        made = self._within(lambda budget: make(question, already=already, budget=budget))
        with self._lock:
            self._handed.setdefault(id, {}).update(dict.fromkeys(made.ids))
        return made.text

    def answered(self, id: str, text: str) -> None:
        """Note what the agent said; told twice, it is noted once."""
        if text.strip():
            self._note(id, without_echo(text), role="assistant")

    def keep(self, id: str) -> None:
        """Save what was taught in a conversation; whatever is said later belongs to a new one."""
        name = self._name(id)
        with self._lock:
            self._handed.pop(id, None)
            self._names.pop(id, None)
        if self._capture:
            self._book.session(name).end()

    def keep_all(self) -> None:
        """The same for every conversation that is going on."""
        for id in list(self._names):
            self.keep(id)

    def _note(self, id: str, text: str, *, role: str) -> None:
        if not self._capture:
            return
        session = self._book.session(self._name(id))
        text = middle_cut(text, KEPT)
        newest = session.entries(limit=1)
        if not newest or (newest[0].role, newest[0].content) != (role, text):
            session.add(text, role=role)

    def _name(self, id: str) -> str:
        """What the session store calls it: a conversation that a process left behind goes on."""
        with self._lock:
            if id not in self._names:
                prefix = f"{self._host}-{plain_id(id)}-"
                known = (name.rpartition("/session/")[2] for name in self._book.sessions())
                fresh = f"{prefix}{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
                # Other ids may begin with this one: behind it comes a time and nothing else.
                ours = re.compile(re.escape(prefix) + _TIME)
                left = (name for name in known if ours.fullmatch(name))
                self._names[id] = next(left, fresh)
            return self._names[id]

    @staticmethod
    def _within(make: Callable[[Budget | None], Digest]) -> Digest:
        """A digest within the person's own limits, and within what hosts take."""
        made = make(None)
        too_much = made.characters > MOST_CHARACTERS or made.tokens > MOST_TOKENS
        return make(_HOSTS_MOST) if too_much else made


def plain_id(id: str) -> str:
    """An id as part of a name; cut and cleaned, two of them must not become one."""
    plain = re.sub(r"[^\w.-]", "-", id)[:_ID_CHARACTERS]
    return plain if plain == id else f"{plain}~{zlib.crc32(id.encode('utf-8', 'replace')):08x}"


PAGE = 1_000


class Documents:
    """The named texts of one kind, in one scope of a book."""

    def __init__(self, book: Commonplace, kind: str) -> None:
        self.book = book
        self.kind = kind
        self.home = book.context.scope

    def find(self, key: str, namespace: str) -> Memory | None:
        """The text with that name, if there is one."""
        found = self.book.fact_recall(key, namespace=namespace)
        if found is None or self._is(found, key, namespace):
            return found
        # Another scope that is visible from here has a text of that name, too.
        return next((one for one in self.every() if self._is(one, key, namespace)), None)

    def every(
        self, *, tags: Sequence[str] | None = None, statuses: Sequence[str] = LIVE
    ) -> Iterator[Memory]:
        """All of them, or those with all of these tags; the newest first."""
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
        """What to save so that this text is the newest with its name, in the place of a known one.

        The program that keeps the text has asked for this very change, so it holds even over a
        version that a person has edited; that one stays in the history.
        """
        replaced = known.id if known is not None else None
        return Draft(content, scope=self.home, kind=self.kind, supersedes=replaced, **fields)

    def _is(self, memory: Memory, key: str, namespace: str) -> bool:
        named = (memory.kind, memory.key, memory.namespace)
        return memory.scope == self.home and named == (self.kind, key, namespace)


# The turns of one conversation as memories: verbatim, in order, and found by recall.


KIND = "turn"
_turns_log = logging.getLogger(__name__)


class ConversationTurns:
    """One conversation in the scope that the book was opened with."""

    def __init__(self, book: Commonplace, id: str) -> None:
        self.book = book
        self.episode = name(id)
        self.aside = f"{self.episode} (aside)"
        """Where things go that nobody said, so that they do not stand between what was."""
        self._turns = Documents(book, KIND)
        self._tag = label("conversation", id)

    def every(self, *, gone: bool = False) -> list[Memory]:
        """What was said, in order; with `gone`, also what was forgotten since."""
        # What tidying has put into the archive was said all the same.
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
        """Save turns; one that may not be kept is left out, and the others are kept."""
        if not drafts:
            return
        try:
            self.book.save_many(drafts)
        except (Refused, BadInput) as error:
            if len(drafts) == 1:
                _turns_log.warning("A turn was not kept: %s", error)
                return
            for one in drafts:
                self.add([one])


# Say which extra an adapter needs when its framework is not installed.


@contextmanager
def require_extra(package: str, *, extra: str) -> Generator[None]:
    """Import a framework; one that is missing is named together with the command to install it."""
    try:
        yield
    except ImportError as error:
        raise BackendMissing(
            f"This adapter needs the package {package}, which is not installed.",
            hint=f"Install it with `pip install 'commonplace[{extra}]'`.",
        ) from error
