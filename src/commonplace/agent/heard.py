"""What was said and seen, as a session may keep it: people's own words, without secrets."""

from __future__ import annotations

import re

from ..ports.reasoning import Turn
from ..rules.digest import framing
from ..rules.learning import lessons
from ..rules.screening import loggable
from ..rules.sessions import IMPORTANT
from ..rules.text.plain_text import plain
from . import slots as working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports.sessions import Entry
    from ..verbs.engine import Engine

SAID = 0.3
"""How important a turn is that teaches nothing."""

_REMOVED = re.compile(r"\[[^\[\]\n]{1,60} removed\]")


def own_words(text: str) -> str:
    """A turn without what we handed out for it: memories, and working memory.

    And without a terminal's colours and the like, which would cost the whole session its summary.
    """
    return working.without(framing.without_echo(plain(text))).strip()


def keepable(engine: Engine, text: str) -> str:
    """The text with a note in place of everything that may not be written down."""
    return loggable(text, engine.settings.screening)


def is_redacted(text: str) -> bool:
    """Whether something was taken out of a text: what is left says too little to be a memory."""
    return _REMOVED.search(text) is not None


def teaches(text: str, reply: Entry | None) -> bool:
    """Whether a user's turn says something that gap-fill will look for when all is over.

    Such a turn, and the reply that it corrects, outlive the others of a long conversation.
    """
    before = [Turn("assistant", reply.content)] if reply else []
    return bool(lessons.extract([*before, Turn("user", text)]))


def lasting(entry: Entry) -> Entry:
    """An entry that stays for as long as its session."""
    return entry.but(importance=max(entry.importance, IMPORTANT))
