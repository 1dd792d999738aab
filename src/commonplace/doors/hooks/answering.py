"""From a host's event to its answer: note what was said, and hand over what belongs there."""

from __future__ import annotations

from ...errors import BadInput
from ...registry import whole
from ...settings import load
from . import events, rendering, sessions
from .asking import NOTHING, Asked, ask
from .chosen import for_host
from .deadlines import END, STARTING, allowed
from .early import begin
from .whose import context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...settings import Settings
    from .asking import Handed
    from .events import Event
    from .sessions import Session

LOOKED_AT = 100_000
"""Characters of a text that are looked at for what we ourselves had put there."""
SERVER_SHARE = 0.45
"""Of the time there is; the rest is for opening the book here if the server does not answer."""
ASKED, KEPT = 4_000, 8_000
"""Characters of a prompt that the book is asked with, and of a turn that wait to be read."""


def answer(
    arguments: Sequence[str],
    said: bytes,
    environ: Mapping[str, str],
    say: Callable[[bytes], object],
) -> None:
    """Say what the host should hear about the event that it told of, in one piece.

    `say` is told first when a session is starting, which has more time than a prompt.
    """
    host, name = (*arguments, "", "")[:2]
    if host not in events.HOSTS:
        raise BadInput(f"{host!r} is not a host.", hint=f"Use {', '.join(events.HOSTS)}.")
    event = events.read(host, name, said)
    chosen = load(environ)
    if event is None or not chosen.url:
        say(END)
        return
    if event.moment == events.START:
        _say_starting(say)
    if rendering.takes(event):
        begin(chosen.url, chosen.state)
    folder = sessions.folder(chosen.state, chosen.url)
    session = sessions.session(folder, event.session)
    now = sessions.moment()
    if not session.claim(event, now=now):
        say(END)
        return
    who = context(environ, chosen.hook_project, event.cwd)
    text = without_echo(event.text)
    already = () if event.moment == events.START else tuple(session.already())
    asked = Asked(
        for_host(chosen, host, who),
        who,
        already=already,
        server_s=SERVER_SHARE * allowed(environ)[0],
    )
    try:
        wait = _ask(event, text, asked)
    finally:
        # While a server thinks, before a book is opened that takes too long, and at any rate.
        if chosen.hook_capture:
            _note(session, event, text, asked, now=now, environ=environ)
    handed = wait()
    # In this order: what nobody took any more was not handed over, and what was is known at once.
    try:
        say(rendering.render(event, handed.text))
        _remember(session, handed)
        say(END)
    finally:
        # Even if nobody listens any more: a machine that is always late would never look.
        if event.moment == events.START and _to_do(asked.settings, session):
            from .later import begin_drain

            begin_drain(chosen, environ)


def _say_starting(say: Callable[[bytes], object]) -> None:
    try:
        say(STARTING)
    except BrokenPipeError:
        return  # Nobody waits for the answer any more, but there may be something to do.


def without_echo(text: str) -> str:
    """What somebody really said, without memories that were handed over before."""
    text = middle_cut(text, LOOKED_AT)
    if "- [" not in text and "memory-context" not in text.lower():
        return text
    from ...rules.digest.framing import without_echo

    return without_echo(text)


def middle_cut(text: str, longest: int) -> str:
    """The text, or its beginning and end: a question stands before or after what was pasted."""
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}\n…\n{text[-longest // 2 :]}"


def _note(
    session: Session,
    event: Event,
    text: str,
    asked: Asked,
    *,
    now: float,
    environ: Mapping[str, str],
) -> None:
    from ...rules.screening import loggable

    try:
        _capture(session, event, loggable(text, asked.settings.screening), asked, now)
    except OSError as error:
        # A full disk is no reason to keep an answer back, but nobody else will tell.
        from .faults import record

        what = f"What was said could not be kept: {error.strerror}."
        record(environ, event.host, what, state=asked.settings.state)


def _capture(session: Session, event: Event, text: str, asked: Asked, now: float) -> None:
    speaker = {events.PROMPT: "user", events.TURN: "assistant"}.get(event.moment)
    if speaker and text.strip():
        line: dict[str, object] = {"speaker": speaker, "text": middle_cut(text, KEPT)}
    elif event.moment == events.END and session.has_turns:
        line = {"end": event.source or "ended"}
    else:
        return
    header = {
        "host": event.host,
        "session": event.session,
        "context": dict(asked.who.scope.pairs),
        "cwd": event.cwd,
        "book": whole(asked.settings.url or ""),
    }
    session.capture({"at": now, "key": event.key, **line}, header=header)


def _to_do(chosen: Settings, session: Session) -> bool:
    places = sessions.folders(chosen.state, chosen.url or "")
    return any(sessions.to_do(place, but=session.name) for place in places)


def _remember(session: Session, handed: Handed) -> None:
    try:
        if handed.ids:
            session.handed(handed.ids)
    except OSError:
        return  # At worst it is handed over twice.


def _ask(event: Event, text: str, asked: Asked) -> Callable[[], Handed]:
    if not rendering.takes(event):
        return lambda: NOTHING
    if event.moment == events.START:
        return ask(asked)
    return ask(asked.but(prompt=middle_cut(text, ASKED))) if text.strip() else lambda: NOTHING
