"""Work that follows the saves and answers of a book that stays open: vectors, reviews, looks.

One thread does it in small steps while nobody saves or asks, so that it takes nothing from them. A
reader who needs a result sooner does the steps itself (`settle`).
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from threading import TIMEOUT_MAX, Condition, Lock, Thread

from ..model.errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator


IDLE_S = 0.1
"""A book is idle if nobody has saved or asked for so long."""
PAUSE_FACTOR = 10
"""A book that is never idle gets its next step after so many times the last step's duration."""
LINGER_S = 10.0
"""The thread waits so long for more work before it ends."""
FAILED_PAUSE_S = 30.0
"""Pause after a step that failed, as when an endpoint is down."""
LONGEST_SETTLE_S = 5.0
"""A recall waits no longer than this for the vectors of what was just saved."""
FEW_REVIEWS = 4
"""Reading or listing memories waits for so many reviews; more are left to the thread."""
LONGEST_CLOSE_S = 30.0
"""Closing a book waits no longer than this for the work that its saves left."""


class Background:
    """The steps that wait, and the thread that does them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._step_lock = Lock()
        self._thread: Thread | None = None
        self._embed: Callable[[], int] | None = None
        self._due = 0
        """Memories saved here that wait for a vector; others may wait as well."""
        self._reviews: dict[str, tuple[str, Callable[[], object]]] = {}
        self._look: Callable[[], object] | None = None
        self._touched = self._failed = float("-inf")
        self._last_step_s = 0.0
        self._closed = False
        self.vectors: dict[str, bytes] = {}
        """Texts whose reviews wait, with their vectors as soon as those are made."""

    def touch(self) -> None:
        """Let the next step wait, because somebody saves or asks."""
        self._touched = time.monotonic()

    def embed(self, step: Callable[[], int], *, due: int = 0) -> None:
        """Call `step` until it returns 0; it embeds a few memories and returns their number.

        `due` is how many of them were saved just now.
        """
        with self._changed:
            self._embed = step
            self._due += due
            self._wake()

    def review(self, id: str, text: str, step: Callable[[], object]) -> None:
        """Call `step` for a memory once the vectors are made."""
        with self._changed:
            self._reviews[id] = text, step
            self.vectors.setdefault(text, b"")
            self._wake()

    def look(self, step: Callable[[], object]) -> None:
        """Call `step` once, when nothing else waits; it looks for edits. Closing does not."""
        with self._changed:
            self._look = step
            self._wake()

    def settle(self, ids: Callable[[], Collection[str]]) -> None:
        """Make the vectors of what was saved here, then do the reviews of some memories.

        A step that the thread is doing, such as a long text's vectors, is not waited for longer.
        """
        end = time.monotonic() + LONGEST_SETTLE_S
        while self._due and time.monotonic() < end and self._do_embed(end):
            pass
        wanted = ids() if self._reviews else ()
        for id in list(self._reviews):
            if id in wanted:
                self._do_review(id, end)

    def settle_few(self) -> None:
        """Do the reviews of what was just saved; more than a few are left to the thread."""
        if len(self._reviews) <= FEW_REVIEWS:
            self.settle(lambda: set(self._reviews))

    @property
    def has_work(self) -> bool:
        """Whether saves of this book wait for a vector or a review."""
        return bool(self._due or self._reviews)

    def wait(self, *, longest_s: float = float("inf")) -> None:
        """Do everything that waits, now."""
        self._finish(time.monotonic() + longest_s, all_vectors=True)

    def close(self) -> None:
        """Do what the saves of this book left, and end the thread after its current step."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._finish(time.monotonic() + LONGEST_CLOSE_S)
        if self._thread is not None:
            self._thread.join()

    def _finish(self, end: float, *, all_vectors: bool = False) -> None:
        while (self._due or all_vectors) and time.monotonic() < end and self._do_embed():
            pass
        while self._reviews and time.monotonic() < end:
            self._do_review(next(iter(self._reviews), ""))

    def _wake(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            self._changed.notify_all()
        elif not self._closed:
            self._thread = Thread(target=self._run, name="commonplace-background", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while self._awaits_step():
            if not self._do_embed() and not self._do_review(next(iter(self._reviews), "")):
                self._do_look()

    def _awaits_step(self) -> bool:
        """Wait until a step may be done; False if none comes."""
        ended = since = time.monotonic()
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                if not (self._may_embed(now) or self._reviews or self._look):
                    if now >= ended + LINGER_S:
                        self._thread = None
                        return False
                    self._changed.wait(ended + LINGER_S - now)
                    since = time.monotonic()
                    continue
                at = min(self._touched, since + PAUSE_FACTOR * self._last_step_s) + IDLE_S
                if now >= at:
                    return True
                self._changed.wait(at - now)
        return False

    def _may_embed(self, now: float) -> bool:
        return self._embed is not None and now >= self._failed + FAILED_PAUSE_S

    @contextmanager
    def _alone(self, end: float) -> Generator[bool]:
        """Do nothing beside a step of another thread; False if that one goes on beyond `end`."""
        seconds = min(max(0.0, end - time.monotonic()), TIMEOUT_MAX)
        if not self._step_lock.acquire(timeout=seconds):
            yield False
            return
        try:
            yield True
        finally:
            self._step_lock.release()

    def _do_embed(self, end: float = float("inf")) -> bool:
        """Embed a few memories; False if none waits, or none can be embedded now."""
        with self._alone(end) as alone:
            if not alone:
                return False
            began, step = time.monotonic(), self._embed
            if step is None or not self._may_embed(began):
                return False
            try:
                done = step()
            except CommonplaceError:
                # Both stay in line: the next save, recall or process tries again.
                self._failed, done = began, 0
            with self._changed:
                self._due = max(0, self._due - done)
                if not done and self._embed is step:
                    self._embed, self._due = None, 0
            self._last_step_s = time.monotonic() - began
            return done > 0

    def _do_look(self) -> None:
        with self._step_lock:
            began, step = time.monotonic(), self._look
            self._look = None
            if step is not None:
                # A look that fails stays left, for the next answer.
                with suppress(CommonplaceError):
                    step()
            self._last_step_s = time.monotonic() - began

    def _do_review(self, id: str, end: float = float("inf")) -> bool:
        """Do one review, if there is one; `maintain` compares what cannot be compared now."""
        with self._alone(end) as alone:
            if not alone:
                return False
            began, (text, step) = time.monotonic(), self._reviews.get(id, ("", None))
            if step is None:
                return False
            try:
                with suppress(CommonplaceError):
                    step()
            finally:
                with self._changed:
                    # Only now, so that a reader who needs the result waits for this step.
                    del self._reviews[id]
                    self.vectors.pop(text, None)
                self._last_step_s = time.monotonic() - began
            return True
