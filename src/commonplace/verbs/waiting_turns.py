"""Read the turns that hooks captured and nobody has drained yet, and erase a user's."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from ..locations import (
    BISECTIONS,
    DIGEST,
    EVENTS,
    HOOKS,
    LATE,
    LOG_NAME,
    PIECE,
    TAKEN,
    TURNS,
    hook_folder,
)
from ..model.checkout import GitHead, is_branch, is_commit
from ..model.scope import Tenant
from ..model.value import Value
from ..ports.reasoner import Turn
from ..registry import LOCAL, absolute_url, canonical_url, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from ..settings import Settings


class RecordedSession(Value):
    """A session, read from its file."""

    host: str
    session: str
    context: Mapping[str, str]
    turns: tuple[Turn, ...] = ()
    began: float = 0.0
    ended: bool = False
    book: str = ""
    """Normal form of the book's URL; empty in files of older versions."""
    folder: str = ""
    """Where it worked."""
    head: GitHead | None = None
    """The commit and branch it worked on last."""
    heads: tuple[GitHead | None, ...] = ()
    """The commit and branch at each turn."""


def read_session(path: str) -> RecordedSession | None:
    """Read a session from its file, without incomplete lines and repetitions."""
    found: dict[str, Any] | None = None
    turns: dict[str, tuple[Turn, GitHead | None]] = {}
    ended, began = False, 0.0
    head: GitHead | None = None
    for line in _lines(path):
        if "context" in line:
            found = found or line
        elif "end" in line:
            ended = True
        elif "speaker" in line:
            ended = False  # It was resumed.
            began = began or float(line.get("at", 0))
            turn = Turn(str(line["speaker"]), str(line.get("text", "")))
            head = _head(line) or head
            turns.setdefault(f"{line.get('key')} {turn.text}", (turn, head))
    if found is None:
        return None
    return RecordedSession(
        found["host"],
        found["session"],
        found["context"],
        tuple(turn for turn, _ in turns.values()),
        began,
        ended,
        str(found.get("book", "")),
        str(found.get("cwd") or ""),
        head,
        tuple(then for _, then in turns.values()),
    )


def _head(line: Mapping[str, Any]) -> GitHead | None:
    commit, branch = str(line.get("commit", "")), str(line.get("branch", ""))
    return GitHead(commit, branch if is_branch(branch) else "") if is_commit(commit) else None


def _lines(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    value: Any = json.loads(line)
                except ValueError:
                    continue  # The disk was full, or the power went.
                if isinstance(value, dict):
                    yield value
    except OSError:
        return


def erase_waiting_turns(
    settings: Settings, url: str, tenant: Tenant, *, before: datetime | None = None
) -> int:
    """Remove a user's waiting sessions of a book, and return their number.

    Sessions that are being drained go, too, unless they began after `before`. So do the logs of
    hooks in the state folder, since they may quote any user.
    """
    remove_hook_logs(settings.state)
    remove_late_answers(settings.state)
    removed = 0
    for place, name in _turn_files(os.path.join(settings.state, HOOKS)):
        path = os.path.join(place, name)
        recorded = read_session(path)
        # A file without its header belongs to no known user and cannot be drained.
        if recorded is None or (
            _tenant(recorded) == tenant
            and (before is None or recorded.began <= before.timestamp())
            and _may_belong_to(recorded, place, settings, url)
        ):
            _remove_if_there(path)
            session = name.partition(TURNS)[0].partition(PIECE)[0]
            _remove_if_there(os.path.join(place, session + EVENTS))
            removed += recorded is not None
    return removed


def remove_late_answers(state: str) -> None:
    """Remove the answers that wait for a next prompt, since they may quote any memory."""
    for place, _, names in os.walk(os.path.join(state, HOOKS)):
        for name in names:
            if LATE in name:
                _remove_if_there(os.path.join(place, name))


def remove_bisected_digests(state: str, bisection: str = "") -> None:
    """Remove the digests that one bisection, or every one, has left in a book's state."""
    for place, _, names in os.walk(os.path.join(state, BISECTIONS)):
        for name in names:
            if name.startswith(bisection) and name.endswith(DIGEST):
                _remove_if_there(os.path.join(place, name))


def remove_hook_logs(folder: str) -> None:
    """Remove the logs of hooks in a folder."""
    for log in (LOG_NAME, f"{LOG_NAME}.old"):
        _remove_if_there(os.path.join(folder, log))


def _turn_files(hooks: str) -> Iterator[tuple[str, str]]:
    """Folder and name of every file of turns."""
    for place, _, names in os.walk(hooks):
        yield from ((place, name) for name in names if name.removesuffix(TAKEN).endswith(TURNS))


def _tenant(recorded: RecordedSession) -> Tenant:
    return Tenant(recorded.context.get("org"), recorded.context.get("user"))


def _may_belong_to(recorded: RecordedSession, place: str, settings: Settings, url: str) -> bool:
    """Whether a session may belong to a book: unless it clearly belongs to another one."""
    if not recorded.book:
        # An older file: only its folder says which book it belongs to.
        usual = settings.url or url
        if canonical_url(usual) == canonical_url(url):
            return True
        spellings = (canonical_url(usual), absolute_url(usual))
        return place not in [hook_folder(settings.state, one) for one in spellings]
    scheme, address = split(recorded.book)
    if scheme in LOCAL:
        # If the path is gone, the book may have been moved.
        return recorded.book == canonical_url(url) or not os.path.exists(address)
    # A server has many names, so any book of that scheme is possible.
    return scheme == split(url)[0]


def _remove_if_there(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
