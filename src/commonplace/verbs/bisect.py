"""Find the memories that make a command fail: run it with lines of a digest switched off."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from ..engine.branch_view import as_standing, only_merged, with_standing
from ..engine.catch_up import with_index
from ..locations import BISECTIONS, DIGEST
from ..model.errors import BadInput
from ..model.memory import LIVE, HandedDigest
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.bisection import failing_set
from ..rules.handed_over.digest import Budget, build_digest
from ..rules.handed_over.handed_digest import memory_lines, with_only
from .bisect_log import BisectLog, BisectRun, open_log
from .digest import digest
from .offers import offer_of
from .replay import LAST, replay
from .waiting_turns import remove_bisected_digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..rules.handed_over.digest import Digest
    from ..rules.handed_over.digest_settings import DigestSettings

DIGEST_FILE, DIGEST_TEXT = "COMMONPLACE_DIGEST_FILE", "COMMONPLACE_DIGEST_TEXT"
"""Environment variables of the command: the path of the digest, and its text if it is short."""
MOST_TEXT_BYTES = 32_000
"""A longer text does not fit into an environment everywhere."""
MOST_MEMORIES = 5_000
TIMED_OUT = 124
FOUND, PASSES, FAILS_ANYWAY, FLAKY = "found", "passes", "fails_anyway", "flaky"


class Bisected(Value):
    """The memories that make a command fail, or why none was found."""

    outcome: str
    """found, passes, fails_anyway or flaky."""
    sentence: str
    memories: int
    """How many could be switched off."""
    culprits: tuple[str, ...] = ()
    """Ids of the memories that make the command fail together."""
    lines: tuple[str, ...] = ()
    """Their lines of the digest."""
    still_fails: bool = False
    """Whether the command also fails without the culprits, because of others."""
    runs: int = 0
    """How often the command was run, now and before an interruption."""
    resumed: int = 0
    """Number of the runs that an interrupted bisection had made."""
    log: str = ""
    """The file with every run."""


def bisect(
    engine: Engine,
    command: str,
    query: str = "",
    *,
    settings: DigestSettings | None = None,
    timeout_s: float | None = None,
    restart: bool = False,
    progress: Callable[[BisectRun], object] = lambda _: None,
) -> Bisected:
    """Run a command with memories switched off by halves until those that make it fail are found.

    `query` is a question, the id of a logged digest, or empty for every visible memory. An
    interrupted bisection goes on where it stopped unless `restart`. The book is not changed.
    """
    if not command.strip():
        raise BadInput("The command is empty.", hint="Give one that fails, such as `make test`.")
    if timeout_s is not None and not timeout_s > 0:
        raise BadInput("The time limit is not above 0 seconds.", hint="Leave it out for none.")
    handed = _digest(engine.but(untracked=True), query, settings)
    if not handed.memories:
        raise BadInput(
            "There is no memory to switch off: nothing is handed over for this.",
            hint="Ask another question, or leave it out to try every memory.",
        )
    folder = os.path.join(engine.state, BISECTIONS)
    log = open_log(folder, command, handed.text, count=len(handed.memories), restart=restart)
    digest_file = os.path.join(folder, f"{log.name}-{os.getpid()}{DIGEST}")
    try:
        found = _Bisection(command, handed, log, digest_file, timeout_s, progress).run()
    finally:
        # With the file of a process that was killed before this one went on.
        remove_bisected_digests(engine.state, log.name)
    log.finish(found.outcome, found.culprits)
    return found


def _digest(engine: Engine, query: str, settings: DigestSettings | None) -> HandedDigest:
    """The digest whose lines are switched off."""
    at, scope = engine.now(), str(engine.context.scope)
    logged = engine.ledger.digests(visible=engine.own_log, id=query, limit=1) if query else []
    if logged or query == LAST:
        again = replay(engine, query)
        whole = HandedDigest(again.id, at, scope, again.text, again.memories)
        gone = {one.id for one in again.withheld}
        kept = tuple(id for id in again.memories if id not in gone)
        return whole.but(text=with_only(whole, kept), memories=kept)
    made = digest(engine, query, settings=settings) if query.strip() else _everything(engine)
    return HandedDigest("", at, scope, made.text, made.ids)


def _everything(engine: Engine) -> Digest:
    """Every visible memory that holds here, oldest first, without a budget."""
    where = Where(statuses=LIVE, valid_at=engine.now())

    def read() -> list[Memory]:
        met = with_standing(engine, only_merged(engine, where))
        found = engine.index.select(
            met, visible=engine.visible, order="oldest", limit=MOST_MEMORIES + 1
        )
        return as_standing(found, met)

    found = with_index(engine, read)
    if len(found) > MOST_MEMORIES:
        raise BadInput(
            f"More than {MOST_MEMORIES:,} memories are visible.",
            hint="Ask a question, or bisect from a project with --project.",
        )
    return build_digest([offer_of(one, "relevant") for one in found], Budget())


class _Bisection:
    """One bisection: runs the command, each set of memories once, and logs every run."""

    def __init__(
        self,
        command: str,
        handed: HandedDigest,
        log: BisectLog,
        digest_file: str,
        timeout_s: float | None,
        progress: Callable[[BisectRun], object],
    ) -> None:
        self._command, self._handed, self._log = command, handed, log
        self._digest_file, self._timeout_s, self._progress = digest_file, timeout_s, progress
        self._all = range(len(handed.memories))

    def run(self) -> Bisected:
        """Check that the command fails with all memories and passes with none; then search."""
        with_all, with_none = self._twice(self._all), None
        if with_all is True:
            with_none = self._twice(())
        if with_all is False:
            return self._ended(PASSES, "The command does not fail with all memories.")
        if with_none is True:
            code = self._run((), 1).exit_code
            return self._ended(
                FAILS_ANYWAY,
                f"The command also fails without any memory (exit status {code}), so no memory is"
                " the reason.",
            )
        if with_none is None:
            return self._flaky()
        return self._culprits(failing_set(len(self._all), self._fails))

    def _twice(self, kept: Collection[int]) -> bool | None:
        """Whether the command fails with these; None if two runs differ."""
        first, second = (self._run(kept, attempt).fails for attempt in (1, 2))
        return first if first == second else None

    def _flaky(self) -> Bisected:
        return self._ended(
            FLAKY, "The command is flaky: with the same memories it failed once and passed once."
        )

    def _culprits(self, found: list[int]) -> Bisected:
        if self._twice(found) is None:
            return self._flaky()
        still = self._fails([place for place in self._all if place not in found])
        ids = tuple(self._handed.memories[place] for place in found)
        lines = memory_lines(self._handed)
        many = f"These {len(ids)} memories together make" if len(ids) > 1 else "This memory makes"
        them = "them" if len(ids) > 1 else "it"
        rest = f"Without {them}, the command passes."
        if still:
            rest = f"It also fails without {them}, because of others."
        return self._ended(
            FOUND,
            f"{many} the command fail. {rest}",
            culprits=ids,
            lines=tuple(lines[id] for id in ids),
            still_fails=still,
        )

    def _ended(self, outcome: str, sentence: str, **more: object) -> Bisected:
        return Bisected(
            outcome,
            sentence,
            len(self._all),
            runs=self._log.runs,
            resumed=self._log.resumed,
            log=self._log.path,
            **more,  # pyright: ignore[reportArgumentType]
        )

    def _fails(self, kept: Collection[int]) -> bool:
        return self._run(kept, 1).fails

    def _run(self, kept: Collection[int], attempt: int) -> BisectRun:
        told = self._log.runs
        run = self._log.known(kept, attempt)
        if run is None:
            ids = {self._handed.memories[place] for place in kept}
            began = time.monotonic()
            code = run_command(
                self._command, with_only(self._handed, ids), self._digest_file, self._timeout_s
            )
            run = self._log.add(kept, attempt, code, time.monotonic() - began)
        if self._log.runs > told:  # Several steps may ask about the same run.
            self._progress(run)
        return run


def run_command(command: str, text: str, digest_file: str, timeout_s: float | None) -> int:
    """Run a command in the shell with a digest in its environment; returns the exit status."""
    with open(os.open(digest_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "replace"))
    environ = {**os.environ, DIGEST_FILE: digest_file}
    environ.pop(DIGEST_TEXT, None)
    if len(text.encode("utf-8", "replace")) <= MOST_TEXT_BYTES:
        environ[DIGEST_TEXT] = text
    process = subprocess.Popen(  # noqa: S602 - the caller's own command
        command,
        shell=True,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return TIMED_OUT
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what a command has left running, if it was stopped."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
