"""The open ends of past sessions that still stand: told by a session, and closed by none since."""

from __future__ import annotations

import re
from datetime import timedelta

from ...language import words
from ...language.vocabulary import CHATTER, STOPWORDS
from ...model.memory import SESSION_SUMMARY, TASK_SUMMARY
from ...model.value import Value
from ..session_summaries import CLOSED, open_ends, section_items
from .look_back import asks_for_last_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ...model.memory import Memory

CLOSING_OUTCOMES = frozenset({"done", "abandoned"})
KEPT_FOR = timedelta(days=30)
"""An open end of a session before the last one is old after this time."""
CLOSED_SHARE = 0.6
"""Share of an open end's words that a sentence has which closes it."""
_ABOUT_TIME = frozenset(
    words.terms(
        "still need needs left open todo tomorrow later yet until soon missing remaining remains"
        " outstanding pending unfinished undone points point"
    )
)
_IDLE = STOPWORDS | CHATTER | _ABOUT_TIME


class OpenEnd(Value):
    """Something that a session left open."""

    text: str
    summary: Memory
    """The summary of the last session that told it."""


def still_open(summaries: Sequence[Memory], *, now: datetime) -> list[OpenEnd]:
    """The open ends of sessions, the newest first.

    Given are the summaries of one project's sessions and tasks, the newest first. The last
    session's open ends stay however old they are.
    """
    found: list[OpenEnd] = []
    closing: list[str] = []
    ended_tasks = {task for one in summaries if _ends_task(one) for task in one.source_tasks}
    told = [one for one in summaries if one.kind == SESSION_SUMMARY]
    for summary in summaries:
        if _ends_task(summary):
            closing += _done_in_task(summary)
        elif summary.kind == SESSION_SUMMARY:
            fresh = summary is told[0] or summary.created >= now - KEPT_FOR
            if fresh and ended_tasks.isdisjoint(summary.source_tasks):
                left = without_closed(open_ends(summary), closing)
                known = [one.text for one in found]
                found += [OpenEnd(text, summary) for text in without_closed(left, known)]
            closing += section_items(summary, CLOSED)
    return found


def without_closed(left: Iterable[str], said: Iterable[str]) -> list[str]:
    """The open ends that none of these sentences closes.

    A sentence closes the open ends that it has most words of, and those it has every word of.
    """
    left = list(left)
    closed: set[str] = set()
    for sentence in said:
        shares = {text: shared_words(text, sentence) for text in left}
        most = max(shares.values(), default=0.0)
        closed |= {
            text for text, share in shares.items() if share >= CLOSED_SHARE and share in (most, 1.0)
        }
    return [text for text in left if text not in closed]


def shared_words(left: str, sentence: str) -> float:
    """The share of an open end's telling words that a sentence has."""
    every = frozenset(words.terms(left))
    mine = every - _IDLE or every
    # `dead-letter` gives its parts as well, which must not count three times.
    parts = {part for term in mine for part in re.split(r"[^\w]+|_", term) if part != term}
    mine = mine - parts or mine
    return len(mine & frozenset(words.terms(sentence))) / len(mine) if mine else 0.0


def _ends_task(summary: Memory) -> bool:
    return summary.kind == TASK_SUMMARY and not CLOSING_OUTCOMES.isdisjoint(summary.tags)


def _done_in_task(summary: Memory) -> list[str]:
    """The goal of an ended task, what was said of its end, and its steps."""
    said = summary.content.partition("\n## ")[0].splitlines()
    return [*filter(None, said), *section_items(summary, "Steps done")]


def only_looks_back(summary: Memory) -> bool:
    """Whether a session did no more than ask where the one before had stopped."""
    return summary.kind == SESSION_SUMMARY and asks_for_last_session(summary.title)
