"""`commonplace hook`: answer a host's event within its time limit, or print nothing.

A host waits for its hooks and shows their failures as its own. A child process makes the answer;
this process prints it if it comes in time. A late child goes on for a while, so that its work,
such as indexing new notes, is done for the next event; the next prompt hands over its answer.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from .deadlines import CHILD_S, END, STARTING, seconds_since_start, time_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


MOST_BYTES = 64 * 1024 * 1024


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Answer the event on standard input for `commonplace hook <arguments>`; always 0."""
    try:
        if any(one.startswith("-") for one in arguments):
            from .options import environ_with_options, split_options

            arguments, given = split_options(arguments)
            environ = environ_with_options(given, environ)
        if arguments[:1] == ["drain"]:
            _drain(environ)
        else:
            _run(arguments, environ)
    except BaseException as error:  # A host must never see a failure of a hook, of any kind.
        _log_fault(arguments, environ, error)
    return 0


def _drain(environ: Mapping[str, str]) -> None:
    """Read ended sessions and say how many; no host reads that, but a script or an agent may."""
    from ..cli.text_format import line
    from .background_drain import drain_now

    said = "".join(f"{line(one)}\n" for one in drain_now(environ).lines)
    os.write(1, said.encode("ascii", "backslashreplace"))


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    gc.disable()
    limits = time_limits(environ, seconds_since_start())
    if not hasattr(os, "fork"):
        _run_in_thread(arguments, environ, limits)
        return
    reader, writer = os.pipe()
    if not os.fork():
        os.close(reader)
        _run_child(writer, arguments, environ, limits[0])
    os.close(writer)
    if said := _listen(reader, limits):
        os.write(1, said)


def _run_child(
    writer: int, arguments: Sequence[str], environ: Mapping[str, str], limit_s: float
) -> None:
    """Answer in the child process, and exit."""
    try:
        # The host waits until its pipes are closed, so the child keeps only its input.
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        _end_after(CHILD_S)
        _answer(arguments, environ, lambda part: os.write(writer, part), limit_s)
    finally:
        os._exit(0)


def _end_after(seconds: int) -> None:
    # Importing `signal` builds enums, which takes a millisecond.
    import _signal  # pyright: ignore[reportMissingImports]

    _signal.alarm(seconds)  # pyright: ignore[reportUnknownMemberType]


def _answer(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    say: Callable[[bytes], object],
    limit_s: float,
) -> None:
    try:
        said = sys.stdin.buffer.read(MOST_BYTES)
        # The scan takes about as long as everything after it, so that it comes first.
        from .prefetch import prefetch_for_event

        prefetch_for_event(arguments, said, environ)
        from .answer import answer_event

        answer_event(arguments, said, environ, say, limit_s=limit_s)
    except BrokenPipeError:
        pass  # Too late: the parent has gone.
    except BaseException as error:  # As above; this is the child process.
        _log_fault(arguments, environ, error)


def _log_fault(arguments: Sequence[str], environ: Mapping[str, str], error: BaseException) -> None:
    from .session_files import log_fault, log_folders

    # Reading the settings takes time, and after a timeout the host must not wait.
    state = "" if isinstance(error, TimeoutError) else log_folders(environ)[0]
    log_fault(environ, " ".join(arguments), f"{type(error).__name__}: {error}", state=state)


def _listen(reader: int, limits: tuple[float, float]) -> bytes:
    """Read the child's whole answer; raise TimeoutError if it is late.

    The pipe is closed at once then, so that the child knows that nobody read its answer.
    """
    import select

    began = time.monotonic()
    waiting = select.poll()
    waiting.register(reader, select.POLLIN)
    said = b""
    while not said.endswith(END):
        limit = limits[said.startswith(STARTING)]
        left = began + limit - time.monotonic()
        if waiting.poll(max(left, 0) * 1_000):
            part = os.read(reader, 65_536)
            if not part:
                return b""  # The child failed, and has logged why.
            said += part
        elif left <= 0:
            os.close(reader)
            raise TimeoutError(f"was not ready in time, after {limit:.2f} s")
    return said.removeprefix(STARTING).strip(END)


def _run_in_thread(
    arguments: Sequence[str], environ: Mapping[str, str], limits: tuple[float, float]
) -> None:
    """Answer where processes cannot fork: a thread exits this process at the time limit."""
    import _thread

    said: list[bytes] = []

    def expire() -> None:
        time.sleep(limits[0])
        if said[:1] == [STARTING]:
            time.sleep(limits[1] - limits[0])
        os._exit(0)

    _thread.start_new_thread(expire, ())
    _answer(arguments, environ, said.append, limits[0])
    whole = b"".join(said)
    if whole.endswith(END):
        os.write(1, whole.removeprefix(STARTING).strip(END))
