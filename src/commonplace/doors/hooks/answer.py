"""Answer a host's event: capture the turn, and return context from the server or the book."""

from __future__ import annotations

from ...model.errors import BadInput
from ...registry import canonical_url, start_prefetch
from ...settings import load
from . import host_events, session_files
from .caller_context import context, head_of, host_settings, is_switched_off
from .deadlines import END, PROMPT_S, STARTING
from .host_events import MOST_CHARACTERS, MOST_TOKENS
from .prefetch import prefetch_book
from .server_client import HookQuestion
from .session_files import NO_ANSWER, HookAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...book import Commonplace
    from ...model.scope import Context
    from ...rules.handed_over.digest import Budget
    from ...settings import Settings
    from .host_events import HookEvent
    from .session_files import SessionFiles


ECHO_CHARACTERS = 100_000
"""Characters of a text that are searched for context which a hook inserted before."""
SERVER_SHARE = 0.45
"""Share of the time limit for the server; the rest is for opening the book here."""
PROMPT_CHARACTERS, TURN_CHARACTERS = 4_000, 8_000
"""Characters of a prompt that the book is asked with, and of a turn that is captured."""
_SPEAKERS = {host_events.PROMPT: "user", host_events.TURN: "assistant"}
_LEFT_OPEN: list[Commonplace] = []
"""Books that stay open: the system closes files faster, and every write is complete."""


def answer_event(
    arguments: Sequence[str],
    said: bytes,
    environ: Mapping[str, str],
    say: Callable[[bytes], object],
    *,
    limit_s: float = PROMPT_S,
) -> None:
    """Pass the answer to a host's event to `say`, in one piece, within `limit_s` if possible.

    At the start of a session `say` gets STARTING first, since a start has more time than a prompt.
    """
    host, name = (*arguments, "", "")[:2]
    if host not in host_events.HOSTS:
        raise BadInput(f"{host!r} is not a host.", hint=f"Use {', '.join(host_events.HOSTS)}.")
    event = host_events.read_event(host, name, said)
    chosen = load(environ)
    if event is None or not chosen.url:
        say(END)
        return
    if event.moment == host_events.START:
        _announce_start(say)
    if host_events.takes_context(event):
        prefetch_book(chosen.url, chosen.state)
    folder = session_files.book_folder(chosen.state, chosen.url)
    session = session_files.files_for_session(folder, event.session)
    now = session_files.moment()
    if not session.claim(event, now=now):
        say(END)
        return
    who = context(environ, chosen, event.cwd)
    already, late = _earlier_context(session, event, now)
    question = HookQuestion(
        host_settings(chosen, host, who),
        who,
        agent=who.agent or host,
        already=(*already, *late.ids),
        folder=event.cwd,
        server_s=SERVER_SHARE * limit_s,
    )
    wishes = [event.text] if event.moment == host_events.PROMPT else []

    def obey() -> None:
        while wishes:
            _take_back(wishes.pop(), question)

    try:
        answer = _answer(session, event, question, late, now=now, environ=environ)
        _deliver(say, session, event, answer, now, question, obey)
    finally:
        obey()  # Also if there is no answer, or nobody waits for it any more.
        # Also if the answer was too late: a slow machine would never drain otherwise.
        if _has_work(question.settings, session, event):
            from .background_drain import start_drain

            start_drain(chosen, environ)
        else:
            for book in _LEFT_OPEN:
                book.leave()


def answer_without_deadline(host: str, event: str, said: bytes, environ: Mapping[str, str]) -> str:
    """The answer to an event, however long it takes: for a person or a program that tries hooks."""
    parts: list[bytes] = []
    answer_event([host, event], said, environ, parts.append)
    return b"".join(parts).decode("ascii").lstrip("+")


def _answer(
    session: SessionFiles,
    event: HookEvent,
    question: HookQuestion,
    late: HookAnswer,
    *,
    now: float,
    environ: Mapping[str, str],
) -> HookAnswer:
    """Ask for context, capture the turn meanwhile, and add the answer that came too late before."""
    text = without_echo(event.text)
    kept = _kept_text(session, event, text) if question.settings.hook_capture else text
    try:
        wait = _request_for_event(event, text, question.but(private=kept != text))
    finally:
        # While the server works, and before a book is opened that may take too long.
        if question.settings.hook_capture:
            _capture_turn(session, event, kept, question, now=now, environ=environ)
    try:
        return with_late(late, wait())
    except BaseException:
        session.keep_late(late, now)
        raise


def _kept_text(session: SessionFiles, event: HookEvent, text: str) -> str:
    """The text to capture of an event: a mark in the place of what the user asked not to keep."""
    speaker = _SPEAKERS.get(event.moment)
    if not speaker or not text.strip():
        return text
    try:
        return session.with_wish_obeyed(speaker, text)
    except OSError:
        # A full disk. A turn that is lost is better than one that is kept against a wish.
        from ...rules.talk.off_record import NOT_KEPT

        return NOT_KEPT


def _deliver(
    say: Callable[[bytes], object],
    session: SessionFiles,
    event: HookEvent,
    answer: HookAnswer,
    now: float,
    question: HookQuestion,
    obey: Callable[[], object],
) -> None:
    """Say an answer; one that nobody waits for any more is kept for the next prompt."""
    # The ids are recorded after the text is delivered, and before the host goes on. A matter that
    # shall be forgotten is gone by then, too: the next event must not find it.
    try:
        say(host_events.render_answer(event, answer.text))
        _record_handed(session, answer)
        obey()
        say(END)
    except BrokenPipeError:
        try:
            # Before it is kept, because the next prompt may take it at once and mark it again.
            _mark_digests(question, (*answer.digests, *answer.left_out), late=True)
        finally:
            if host_events.PROMPT in host_events.CONTEXT_MOMENTS[event.host]:
                session.keep_late(answer, now)
        raise
    # Nobody waits any more.
    _mark_digests(question, answer.left_out, late=True)
    _mark_digests(question, answer.were_late, late=False)


def _take_back(text: str, question: HookQuestion) -> None:
    """Forget what is known of a matter that the prompt asks to forget."""
    from ...rules.talk.off_record import wish_to_forget

    if wish := wish_to_forget(without_echo(text)):
        from ...books.open import get_engine
        from ...verbs.forget_about import take_back

        with _open(question) as book:
            take_back(get_engine(book), wish)


def _mark_digests(question: HookQuestion, ids: Sequence[str], *, late: bool) -> None:
    """Let the log say which digests no agent got, or got after all."""
    if not ids:
        return
    from ...books.open import get_engine
    from ...verbs.retrieval_log import mark_digests

    with _open(question) as book:
        mark_digests(get_engine(book), ids, late=late)


def _announce_start(say: Callable[[bytes], object]) -> None:
    try:
        say(STARTING)
    except BrokenPipeError:
        return  # The host has stopped waiting, but there may be sessions to drain.


def _earlier_context(
    session: SessionFiles, event: HookEvent, now: float
) -> tuple[tuple[str, ...], HookAnswer]:
    """The ids that a session was given before, and the answer that came too late for it."""
    late = session.take_late(now) if host_events.takes_context(event) else NO_ANSWER
    if event.moment == host_events.START and not session.continues(event):
        return (), NO_ANSWER  # Its answer has everything.
    already = tuple(session.handed_ids())
    return already, NO_ANSWER if set(late.ids) <= set(already) else late


def with_late(late: HookAnswer, answer: HookAnswer) -> HookAnswer:
    """An answer after the one that came too late for the last event; what is too much waits."""
    if not late.text:
        return answer
    if not answer.text:
        return late.but(were_late=late.digests)
    from ...language.tokens import estimate

    text = f"{late.text}\n\n{answer.text}"
    if len(text) > MOST_CHARACTERS or estimate(text) > MOST_TOKENS:
        return late.but(were_late=late.digests, left_out=answer.digests)
    digests = (*late.digests, *answer.digests)
    return HookAnswer(text, (*late.ids, *answer.ids), digests, were_late=late.digests)


def without_echo(text: str) -> str:
    """A text without memories that a hook inserted into it before."""
    text = cut_middle(text, ECHO_CHARACTERS)
    if "- [" not in text and "- (" not in text and "memory-context" not in text.lower():
        return text
    from ...rules.handed_over.quotation import without_echo

    return without_echo(text)


def cut_middle(text: str, longest: int) -> str:
    """The text without its middle: a question stands before or after pasted text."""
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}\n…\n{text[-longest // 2 :]}"


def _request_for_event(
    event: HookEvent, text: str, question: HookQuestion
) -> Callable[[], HookAnswer]:
    if host_events.takes_context(event):
        if event.moment == host_events.START:
            # A resumed conversation has it all; what is new since comes with the prompts.
            return (lambda: NO_ANSWER) if question.already else request_context(question)
        if text.strip():
            return request_context(question.but(prompt=cut_middle(text, PROMPT_CHARACTERS)))
    return lambda: NO_ANSWER


def request_context(question: HookQuestion) -> Callable[[], HookAnswer]:
    """Ask the server, or else the book, for context; the result waits for the answer."""
    if is_switched_off(question.settings, question.who):
        return lambda: NO_ANSWER
    if question.private:
        return lambda: _ask_book(question)  # A server would log the prompt.
    from .server_client import ServerUnavailable, ask_server

    try:
        wait = ask_server(question)
    except ServerUnavailable:
        return lambda: _ask_book(question)

    def answer() -> HookAnswer:
        try:
            return HookAnswer(*wait())
        except ServerUnavailable:
            return _ask_book(question)

    return answer


def _ask_book(question: HookQuestion) -> HookAnswer:
    start_prefetch(question.settings.url or "", question.settings.state)
    book = _open(question)
    _LEFT_OPEN.append(book)
    budget = _budget(question.settings, question.who)
    if question.prompt is None:
        made = book.session_start(budget=budget, agent=question.agent)
    else:
        made = book.prompt(question.prompt, already=question.already, budget=budget)
    return HookAnswer(made.text, made.ids, (made.id,) if made.id else ())


def _open(question: HookQuestion) -> Commonplace:
    from ...books.open import open_book

    settings = question.settings
    return open_book(
        context=question.who,
        settings=settings.but(retrieval_log=False) if question.private else settings,
        source="hook",
        create=False,
        folder=question.folder,
    )


def _budget(chosen: Settings, who: Context) -> Budget:
    """The hosts' limits, or less if the settings say so."""
    from ...rules.handed_over.digest import Budget, Limit
    from ...rules.handed_over.digest_settings import resolve_digest_settings

    own = resolve_digest_settings(chosen.digest, who.agent).budget.total
    return Budget(
        total=Limit(
            characters=min(own.characters or MOST_CHARACTERS, MOST_CHARACTERS),
            tokens=min(own.tokens or MOST_TOKENS, MOST_TOKENS),
        )
    )


def _capture_turn(
    session: SessionFiles,
    event: HookEvent,
    text: str,
    question: HookQuestion,
    *,
    now: float,
    environ: Mapping[str, str],
) -> None:
    try:
        if text.strip():
            from ...rules.screening.screen import loggable

            text = loggable(text, question.settings.screening)
        _write_turn(session, event, text, question, now)
    except OSError as error:
        # The answer still goes out; the log is the only place to report this.
        what = f"A turn could not be written: {error.strerror}."
        session_files.log_fault(environ, event.host, what, state=question.settings.state)


def _write_turn(
    session: SessionFiles, event: HookEvent, text: str, question: HookQuestion, now: float
) -> None:
    speaker = _SPEAKERS.get(event.moment)
    if speaker and text.strip():
        line: dict[str, object] = {"speaker": speaker, "text": cut_middle(text, TURN_CHARACTERS)}
        # The session is drained later, perhaps on another branch.
        line |= head_of(event.cwd)
    elif event.moment == host_events.END and session.has_turns:
        line = {"end": event.source or "ended"}
    else:
        return
    header = {
        "host": event.host,
        "session": event.session,
        "context": dict(question.who.scope.pairs),
        "cwd": event.cwd,
        "book": canonical_url(question.settings.url or ""),
    }
    session.capture({"at": now, "key": event.key, **line}, header=header)


def _record_handed(session: SessionFiles, answer: HookAnswer) -> None:
    try:
        if answer.ids:
            session.record_handed(answer.ids)
    except OSError:
        return  # At worst the memories are handed over twice.


def _has_work(chosen: Settings, session: SessionFiles, event: HookEvent) -> bool:
    """Whether there are sessions to drain: one that ends now, or earlier ones where one starts.

    At a start, also whether notes wait for a vector.
    """
    if event.moment != host_events.START:
        return event.moment == host_events.END and session.has_turns
    folders = session_files.book_folders(chosen.state, chosen.url or "")
    return any(session_files.has_work(folder, but=session.name) for folder in folders) or any(
        book.waiting_for_vectors for book in _LEFT_OPEN
    )
