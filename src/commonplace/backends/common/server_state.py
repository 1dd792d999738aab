"""The server state of a book on one machine: files in its state folder.

Each token is a file; callers need a token once the folder of tokens exists, without a restart.
The time of a file says when a job last ran. Each process limits request rates for itself.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...model.errors import Busy, StoreUnavailable
from ...rules import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

    from ...ports.record_store import Lease
    from ...ports.server_state import Taken

    TakeLease = Callable[..., AbstractContextManager[Lease]]


class LocalServerState:
    """Tokens, jobs and request rates of the servers on one machine."""

    capabilities: frozenset[str] = frozenset()

    def __init__(
        self,
        state: str,
        *,
        lease: TakeLease | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self.folder = os.path.join(state, "tokens")
        self._lease = lease
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}
        self._turn = threading.Lock()

    def tokens_required(self) -> bool:
        """Whether callers need a token: true once one was ever made."""
        return os.path.isdir(self.folder)

    def put_token(self, id: str, text: str) -> None:
        """Store a new token, or raise StoreUnavailable and leave everything as it was."""
        first = not self.tokens_required()
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            # Created with its mode, so that no other user can read it in between.
            made = os.open(self._path(id), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(made, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(made)
        except OSError as error:
            self._unmake(id, first=first)
            raise StoreUnavailable(
                f"The token cannot be stored in {self.folder}.", hint="Check disk and permissions."
            ) from error

    def token(self, id: str) -> str | None:
        """The text of a token; None without one of that id."""
        try:
            with open(self._path(id), encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError):
            return None

    def tokens(self) -> dict[str, str]:
        """The text of every valid token, by its id."""
        try:
            names = os.listdir(self.folder)
        except OSError:
            return {}
        ids = [id for id, ending in map(os.path.splitext, names) if ending == ".json"]
        return {id: text for id in ids if (text := self.token(id)) is not None}

    def drop_token(self, id: str) -> None:
        """Revoke a token, for every server and from the next request on."""
        try:
            os.unlink(self._path(id))
        except FileNotFoundError:
            pass  # Another process revoked it in the same moment.
        except OSError as error:
            raise StoreUnavailable(
                f"The token {id} cannot be removed.", hint=f"Delete {self._path(id)} by hand."
            ) from error

    def drop_every_token(self) -> None:
        """Delete all tokens and their folder, after which callers need none."""
        for id in self.tokens():
            self.drop_token(id)
        try:
            with suppress(FileNotFoundError):
                shutil.rmtree(self.folder)
        except OSError as error:
            raise StoreUnavailable(
                f"The folder {self.folder} cannot be removed.", hint="Delete it by hand."
            ) from error

    def take(self, name: str, wanted: int, *, per_second: float, most: float) -> Taken:
        """Take up to `wanted` from a bucket that refills at `per_second` up to `most`."""
        with self._turn:
            now = self._clock()
            left, seen = self._levels.get(name, (most, now))
            taken = limits.take_from_bucket(
                left, now - seen, wanted, per_second=per_second, most=most
            )
            self._levels[name] = (taken.left, now)
        return taken

    @contextmanager
    def turn(self, name: str, *, every_s: float, at_once: bool = False) -> Generator[bool]:
        """Whether a job is due and no other caller has it; one that fails is due again."""
        before = self._claimed(name, every_s, at_once)
        if before is None:
            yield False
            return
        try:
            yield True
        except BaseException:
            with suppress(OSError):
                os.utime(self._mark(name), (before, before))
            raise

    def check(self) -> None:
        """Nothing to check: only the book itself is needed."""

    def close(self) -> None:
        """Nothing to close."""

    def _claimed(self, name: str, every_s: float, at_once: bool) -> float | None:
        """When the job last ran, after marking it as run now; None when it is not due."""
        try:
            if not self._due(name, every_s, at_once):
                return None
            # Under a lease, so that only one of two callers gets the job.
            with self._job_lease(name):
                if not self._due(name, every_s, at_once):
                    return None
                before = self._last(name) or 0.0
                self._touch(name)
                return before
        except Busy:
            return None
        except OSError as error:
            raise StoreUnavailable(
                f"The time of a job cannot be stored in {self._state}.",
                hint="Check disk and permissions.",
            ) from error

    def _job_lease(self, name: str) -> AbstractContextManager[object]:
        return self._turn if self._lease is None else self._lease(f"turn-{name}", wait_s=0.0)

    def _due(self, name: str, every_s: float, at_once: bool) -> bool:
        last = self._last(name)
        if last is None and not at_once:
            self._touch(name)
            return False
        return last is None or time.time() - last >= every_s

    def _last(self, name: str) -> float | None:
        try:
            return os.stat(self._mark(name)).st_mtime
        except FileNotFoundError:
            return None

    def _touch(self, name: str) -> None:
        with open(self._mark(name), "a", encoding="utf-8"):
            os.utime(self._mark(name))

    def _mark(self, name: str) -> str:
        return os.path.join(self._state, name)

    def _unmake(self, id: str, *, first: bool) -> None:
        """Remove a token that could not be stored; its folder alone would lock every caller out."""
        with suppress(OSError):
            os.unlink(self._path(id))
        if first:
            with suppress(OSError):  # Another token may have been made in the same moment.
                os.rmdir(self.folder)

    def _path(self, id: str) -> str:
        return os.path.join(self.folder, f"{id}.json")
