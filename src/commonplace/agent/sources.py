"""Search sources outside the book, all at once and within a time limit; nothing is stored."""

from __future__ import annotations

from itertools import zip_longest
from threading import Event, Lock, Thread
from time import monotonic

from ..language import tokens
from ..model.errors import BadInput, CommonplaceError, Conflict, NotFound, Unavailable
from ..model.value import Value
from ..rules import access
from ..rules.handed_over import quotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..engine.engine import Engine
    from ..ports.source import Passage, Source

TIMEOUT_S = 5.0
PASSAGE_CHARACTERS = 2_000
LABEL_CHARACTERS = 500
"""Longest origin or title."""
MOST_PASSAGES = 50
MOST_UNANSWERED = 4
"""Unanswered questions per source, at most: each one holds a thread."""


class SourceAnswers(Value):
    """Passages with their origins, and the sources that failed."""

    passages: tuple[Passage, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    """Name of each source that failed, and why."""

    @property
    def text(self) -> str:
        """The passages for a prompt, quoted and marked unverified, so that none is saved back."""
        return quotation.frame([_line(one) for one in self.passages])


class Sources:
    """The sources of one book, by name."""

    def __init__(self, opened: Sequence[Source], *, wrap: Callable[[str, Any], Source]) -> None:
        self._sources = {one.name: one for one in opened}
        self._wrap = wrap
        self._unanswered: dict[str, list[_Question]] = {}
        self._lock = Lock()

    @property
    def names(self) -> list[str]:
        """Names of the sources."""
        return list(self._sources)

    def add(self, name: str, source: Source | Callable[[str, int], Any]) -> None:
        """Add a source, or any function of a question and a limit."""
        if name in self._sources:
            raise Conflict(f"A source is already called {name}.", hint="Choose another name.")
        any_source: Any = source
        is_source = hasattr(any_source, "search")
        self._sources[name] = any_source if is_source else self._wrap(name, any_source)

    def ask(
        self,
        query: str,
        *,
        names: Sequence[str] | None = None,
        limit: int = 5,
        timeout_s: float = TIMEOUT_S,
    ) -> SourceAnswers:
        """Passages from the sources, the best of each first. A slow source delays no other."""
        if not query.strip():
            raise BadInput("The question is empty.", hint="Ask in a few words.")
        if not 0 < limit <= MOST_PASSAGES or timeout_s <= 0:
            raise BadInput(
                f"Ask for 1 to {MOST_PASSAGES} passages and a timeout above 0.",
                hint="Change limit or timeout_s.",
            )
        if unknown := [name for name in names or () if name not in self._sources]:
            known = ", ".join(self._sources) or "none yet"
            raise NotFound(f"No source is called {unknown[0]!r}.", hint=f"There are: {known}.")
        chosen = self._sources if names is None else dict.fromkeys(names)
        deadline = monotonic() + timeout_s
        questions = [self._question(one, query, limit, timeout_s) for one in chosen]
        for one in questions:
            one.finished.wait(max(0.0, deadline - monotonic()))
        answers = [one.answer() for one in questions]
        rounds = zip_longest(*(found for found, _ in answers))
        mixed = [_bounded(one) for row in rounds for one in row if one is not None]
        failed = [(one.source.name, why) for one, (_, why) in zip(questions, answers, strict=True)]
        return SourceAnswers(tuple(mixed[:limit]), tuple(pair for pair in failed if pair[1]))

    def _question(self, name: str, query: str, limit: int, timeout_s: float) -> _Question:
        with self._lock:
            pending = [one for one in self._unanswered.get(name, ()) if not one.finished.is_set()]
            new = _Question(self._sources[name])
            if len(pending) < MOST_UNANSWERED:
                pending.append(new)
                new.ask(query, limit, timeout_s)
            else:
                new.give_up("It has not answered earlier questions yet.")
            self._unanswered[name] = pending
        return new

    def close(self) -> None:
        """Close the sources that can be closed."""
        for one in self._sources.values():
            if hasattr(one, "close"):
                one.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def open_sources(engine: Engine) -> Sources:
    """The sources of a book, for its owner only, because documents have no scopes."""
    access.require_owner(engine.context)
    if engine.lazy_sources is None:
        raise Unavailable("This book has no sources.", hint="Open it with commonplace.open.")
    return engine.lazy_sources.get()


class _Question:
    """One question to one source, in a thread that is abandoned if it hangs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.finished = Event()
        self._found: list[Passage] = []
        self._failure = ""

    def ask(self, *question: Any) -> None:
        """Start the thread."""
        name = f"source {self.source.name}"
        Thread(target=self._run, args=question, name=name, daemon=True).start()

    def give_up(self, why: str) -> None:
        """Fail without asking the source."""
        self._failure = why
        self.finished.set()

    def _run(self, query: str, limit: int, timeout_s: float) -> None:
        try:
            self._found = self.source.search(query, limit=limit, timeout_s=timeout_s)
        except CommonplaceError as error:
            self._failure = error.sentence
        except Exception as error:
            self._failure = Unavailable(f"It failed ({type(error).__name__}).").sentence
        finally:
            self.finished.set()

    def answer(self) -> tuple[list[Passage], str]:
        """The passages found, and the reason if it failed."""
        if not self.finished.is_set():
            return [], "It did not answer in time."
        return self._found, self._failure


def _bounded(one: Passage) -> Passage:
    cut = tokens.shortened(
        one.text, price_limit=PASSAGE_CHARACTERS * tokens.UNIT, characters=PASSAGE_CHARACTERS
    )
    origin, title = one.origin[:LABEL_CHARACTERS], one.title[:LABEL_CHARACTERS]
    return one.but(text=cut, origin=origin, title=title)


def _line(one: Passage) -> str:
    origin = quotation.quote_label(one.origin, longest=100)
    return f"- [external] (passage, unverified, from {origin}) {quotation.quote(one.text)}"
