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
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from ...rules.digest.building import Budget, Limit
from ...rules.digest.framing import without_echo
from ..hooks.answering import ASKED, KEPT, middle_cut
from ..hooks.rendering import MOST_CHARACTERS, MOST_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...book import Commonplace
    from ...rules.digest.building import Digest

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
