"""From a host's event to its answer: note what was said, and hand over what belongs there."""

from __future__ import annotations

from ...model.errors import BadInput
from ...model.value import Value
from ...registry import begin_ahead, whole
from ...settings import load
from . import host_events, session_files
from .caller_context import context, for_host, switched_off
from .deadlines import END, STARTING, allowed
from .host_events import MOST_CHARACTERS, MOST_TOKENS
from .prefetch import begin
from .server_client import HookQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...book import Commonplace
    from ...model.scope import Context
    from ...rules.digest import Budget
    from ...settings import Settings
    from .host_events import HookEvent
    from .session_files import SessionFiles


_LEFT_OPEN: list[Commonplace] = []
"""The system closes files faster than we do, and every write is already whole."""


class Handed(Value):
    """A context for an agent, and the memories in it."""

    text: str = ""
    ids: tuple[str, ...] = ()


NOTHING = Handed()


def ask(asked: HookQuestion) -> Callable[[], Handed]:
    """Ask what a prompt calls for, or what a session begins with; the result is the answer.

    A server that was asked thinks until the result is called.
    """
    if switched_off(asked.settings, asked.who):
        return lambda: NOTHING
    from .server_client import ServerUnavailable, ask_server

    try:
        wait = ask_server(asked)
    except ServerUnavailable:
        return lambda: _ask_here(asked)

    def answer() -> Handed:
        try:
            return Handed(*wait())
        except ServerUnavailable:
            return _ask_here(asked)

    return answer


def _ask_here(asked: HookQuestion) -> Handed:
    begin_ahead(asked.settings.url or "")
    from ...books.open import open_book

    book = open_book(context=asked.who, settings=asked.settings, source="hook", create=False)
    _LEFT_OPEN.append(book)
    budget = _budget(asked.settings, asked.who)
    if asked.prompt is None:
        made = book.session_start(budget=budget)
    else:
        made = book.prompt(asked.prompt, already=asked.already, budget=budget)
    return Handed(made.text, made.ids)


def _budget(chosen: Settings, who: Context) -> Budget:
    """What the hosts take, unless the person has set less."""
    from ...rules.digest import Budget, Limit
    from ...rules.digest_settings import resolve

    own = resolve(chosen.digest, who.agent).budget.total
    return Budget(
        total=Limit(
            characters=min(own.characters or MOST_CHARACTERS, MOST_CHARACTERS),
            tokens=min(own.tokens or MOST_TOKENS, MOST_TOKENS),
        )
    )


# From a host's event to its answer: note what was said, and hand over what belongs there.


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
    if host not in host_events.HOSTS:
        raise BadInput(f"{host!r} is not a host.", hint=f"Use {', '.join(host_events.HOSTS)}.")
    event = host_events.read(host, name, said)
    chosen = load(environ)
    if event is None or not chosen.url:
        say(END)
        return
    if event.moment == host_events.START:
        _say_starting(say)
    if host_events.takes(event):
        begin(chosen.url, chosen.state)
    folder = session_files.folder(chosen.state, chosen.url)
    session = session_files.session(folder, event.session)
    now = session_files.moment()
    if not session.claim(event, now=now):
        say(END)
        return
    who = context(environ, chosen.hook_project, event.cwd)
    text = without_echo(event.text)
    already = () if event.moment == host_events.START else tuple(session.already())
    asked = HookQuestion(
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
        say(host_events.render(event, handed.text))
        _remember(session, handed)
        say(END)
    finally:
        # Even if nobody listens any more: a machine that is always late would never look.
        if event.moment == host_events.START and _to_do(asked.settings, session):
            from .background_drain import begin_drain

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
    from ...rules.digest import without_echo

    return without_echo(text)


def middle_cut(text: str, longest: int) -> str:
    """The text, or its beginning and end: a question stands before or after what was pasted."""
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}\n…\n{text[-longest // 2 :]}"


def _note(
    session: SessionFiles,
    event: HookEvent,
    text: str,
    asked: HookQuestion,
    *,
    now: float,
    environ: Mapping[str, str],
) -> None:
    from ...rules.screening.screen import loggable

    try:
        _capture(session, event, loggable(text, asked.settings.screening), asked, now)
    except OSError as error:
        # A full disk is no reason to keep an answer back, but nobody else will tell.
        from .session_files import record

        what = f"What was said could not be kept: {error.strerror}."
        record(environ, event.host, what, state=asked.settings.state)


def _capture(
    session: SessionFiles, event: HookEvent, text: str, asked: HookQuestion, now: float
) -> None:
    speaker = {host_events.PROMPT: "user", host_events.TURN: "assistant"}.get(event.moment)
    if speaker and text.strip():
        line: dict[str, object] = {"speaker": speaker, "text": middle_cut(text, KEPT)}
    elif event.moment == host_events.END and session.has_turns:
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


def _to_do(chosen: Settings, session: SessionFiles) -> bool:
    places = session_files.folders(chosen.state, chosen.url or "")
    return any(session_files.to_do(place, but=session.name) for place in places)


def _remember(session: SessionFiles, handed: Handed) -> None:
    try:
        if handed.ids:
            session.handed(handed.ids)
    except OSError:
        return  # At worst it is handed over twice.


def _ask(event: HookEvent, text: str, asked: HookQuestion) -> Callable[[], Handed]:
    if not host_events.takes(event):
        return lambda: NOTHING
    if event.moment == host_events.START:
        return ask(asked)
    return ask(asked.but(prompt=middle_cut(text, ASKED))) if text.strip() else lambda: NOTHING


# Hooks without their haste: for a person who tries them, and for programs that embed us.


def answer_by_hand(host: str, event: str, said: bytes, environ: Mapping[str, str]) -> str:
    """What the host would hear, however long it takes."""
    parts: list[bytes] = []
    answer([host, event], said, environ, parts.append)
    return b"".join(parts).decode("ascii").lstrip("+")
