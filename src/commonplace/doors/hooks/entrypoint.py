"""`commonplace hook`: answer a host's event in time, or not at all.

A host waits for its hooks, and takes their faults for its own. So the answer is made in a child,
while this process only listens: it prints what comes in time, and otherwise ends without a word.
The child may go on for a while, since what it was late with, such as reading many new notes, is
then done for the next event.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from ...locations import PREFIX
from ...model.errors import BadInput
from ...model.scope import DIMENSIONS
from .deadlines import AFTERWARDS_S, END, STARTING, allowed
from .prefetch import begin_at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


MOST_BYTES = 64 * 1024 * 1024


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Answer the event on standard input for `commonplace hook <arguments>`; always 0."""
    try:
        if any(one.startswith("-") for one in arguments):
            arguments, given = words_of(arguments)
            environ = laid_over(given, environ)
        if arguments[:1] == ["drain"]:
            from .background_drain import drain_now

            drain_now(environ)
        else:
            _run(arguments, environ)
    except BaseException as error:  # A host must never see a fault of ours, of whatever kind.
        _record(arguments, environ, error)
    return 0


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    gc.disable()
    limits = allowed(environ)
    if not hasattr(os, "fork"):
        _run_here(arguments, environ, limits)
        return
    reader, writer = os.pipe()
    if not os.fork():
        os.close(reader)
        _answer_into(writer, arguments, environ)
    os.close(writer)
    if said := _listen(reader, limits):
        os.write(1, said)


def _answer_into(writer: int, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """The child's part; it never returns."""
    try:
        # The host waits until nobody holds its pipes, so this process lets go of all but its input.
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        _end_after(AFTERWARDS_S)
        _answer(arguments, environ, lambda part: os.write(writer, part))
    finally:
        os._exit(0)


def _end_after(seconds: int) -> None:
    # `signal` itself first makes enums of every number, which takes a millisecond.
    import _signal  # pyright: ignore[reportMissingImports]

    _signal.alarm(seconds)  # pyright: ignore[reportUnknownMemberType]


def _answer(
    arguments: Sequence[str], environ: Mapping[str, str], say: Callable[[bytes], object]
) -> None:
    try:
        told = sys.stdin.buffer.read(MOST_BYTES)
        begin_at_once(arguments, told, environ)
        from .answer import answer

        answer(arguments, told, environ, say)
    except BrokenPipeError:
        pass  # Too late: nobody listens any more.
    except BaseException as error:  # As above: this is another process.
        _record(arguments, environ, error)


def _record(arguments: Sequence[str], environ: Mapping[str, str], error: BaseException) -> None:
    from .session_files import record, roots

    # Settings take a while to read, which nobody is to wait for when time is up.
    state = "" if isinstance(error, TimeoutError) else roots(environ)[0]
    record(environ, " ".join(arguments), f"{type(error).__name__}: {error}", state=state)


def _listen(reader: int, limits: tuple[float, float]) -> bytes:
    """What the child said, whole. Raises TimeoutError when it was not in time."""
    import select

    began = time.monotonic()
    waiting = select.poll()
    waiting.register(reader, select.POLLIN)
    said = b""
    while not said.endswith(END):
        limit = limits[said.startswith(STARTING)]
        left = began + limit - time.monotonic()
        if left <= 0:
            raise TimeoutError("was not ready in time")
        if waiting.poll(left * 1_000):
            part = os.read(reader, 65_536)
            if not part:
                return b""  # It failed, and has recorded why.
            said += part
    return said.removeprefix(STARTING).strip(END)


def _run_here(
    arguments: Sequence[str], environ: Mapping[str, str], limits: tuple[float, float]
) -> None:
    """The same where processes cannot fork: a thread ends this one when time is up."""
    import _thread

    said: list[bytes] = []

    def expire() -> None:
        time.sleep(limits[0])
        if said[:1] == [STARTING]:
            time.sleep(limits[1] - limits[0])
        os._exit(0)

    _thread.start_new_thread(expire, ())
    _answer(arguments, environ, said.append)
    whole = b"".join(said)
    if whole.endswith(END):
        os.write(1, whole.removeprefix(STARTING).strip(END))


# The options that every command shares, where a host calls us with them.


SHARED = ("url", *DIMENSIONS)


def words_of(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The words of a command line, and the options by their names.

    One that we do not know is refused: it may have said who is asking.
    """
    words: list[str] = []
    given: dict[str, str] = {}
    rest = iter(arguments)
    for one in rest:
        name, equals, value = one.partition("=")
        if not one.startswith("-"):
            words.append(one)
        elif name.removeprefix("--") in SHARED:
            given[name.removeprefix("--")] = value if equals else next(rest, "")
        elif one != "--json":
            raise BadInput(
                f"{name} is not an option of a hook.",
                hint=f"Use {', '.join(f'--{name}' for name in SHARED)}.",
            )
    return words, given


def laid_over(given: Mapping[str, str | None], environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as it would be with the options set there."""
    laid = dict(environ)
    for name, value in given.items():
        if value is not None:
            if not value:
                raise BadInput(f"--{name} is empty.", hint="Give it a value, or leave it out.")
            laid[f"{PREFIX}{name.upper()}"] = value
    return laid
