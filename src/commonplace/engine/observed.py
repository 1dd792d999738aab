"""The one place where verbs are observed: `@observed` marks those that a book reports."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from ..ports.observer import VerbCall
    from .engine import Engine

    Given = ParamSpec("Given")
    Result = TypeVar("Result")

SEARCHES = ("recall", "digest", "prompt")
"""Verbs whose first argument is a question, or holds one."""


def observed(
    verb: Callable[Concatenate[Engine, Given], Result],
) -> Callable[Concatenate[Engine, Given], Result]:
    """Report each call of a verb to the book's observer, if it has one.

    A rehearsal is not reported, as it is not logged.
    """

    def run(engine: Engine, *given: Given.args, **named: Given.kwargs) -> Result:
        observer = engine.observer
        if observer is None or engine.untracked:
            return verb(engine, *given, **named)
        asked = given[0] if given else named.get("query", named.get("text", ""))
        call = _call(engine, verb.__name__, asked)
        return observer.observe(call, lambda: verb(engine, *given, **named))

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    return run


def _call(engine: Engine, verb: str, asked: object) -> VerbCall:
    # Imported here, because most books have no observer.
    from ..ports.observer import VerbCall

    query = ""
    if verb in SEARCHES and engine.settings.otel_content:
        from ..rules.screening.screen import loggable
        from ..rules.talk import off_record

        query = str(getattr(asked, "query", asked))
        kept_out = off_record.read_wish(query).this
        query = "" if kept_out else loggable(query, engine.settings.screening)
    return VerbCall(verb, engine.source, engine.context.scope, engine.store.store_id, query=query)
