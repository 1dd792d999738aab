"""Spans for OpenTelemetry by its GenAI memory conventions: one for each call of a verb.

The conventions are those of the repository semantic-conventions-genai, in development: the span
`gen_ai.memory.client`. A span holds numbers, ids and our own names. Only with `content` it holds
texts, questions and the names in a scope.

A process that ends soon imports OpenTelemetry after its answer: the import takes longer than a
prompt may wait.
"""

from __future__ import annotations

from contextvars import ContextVar
from time import time_ns
from typing import cast

from ...model.memory import Hit, Memory
from ...model.quick_json import write_json
from ...model.results import Corrected, Forgotten, Imported, Saved
from ...model.value import Value
from ...notes.display import without_sealed
from ...rules.handed_over.digest import Digest
from .provider import SERVICE, own_provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

    from ...model.scope import Scope
    from ...ports.observer import VerbCall

    Result = TypeVar("Result")
    Attributes = dict[str, str | int]

OPERATIONS = {
    "recall": "search_memory", "digest": "search_memory", "prompt": "search_memory",
    "session_start": "search_memory",
    "save": "upsert_memory", "save_many": "upsert_memory", "import_memories": "upsert_memory",
    "correct": "update_memory", "edit": "update_memory",
    "forget": "delete_memory", "forget_about": "delete_memory", "take_back": "delete_memory",
    "purge": "delete_memory", "purge_about": "delete_memory",
}  # fmt: skip
"""The conventions' operation of each verb. A save may merge or replace, as an upsert does."""
WHOLE_BOOK = "book"
MOST_RECORDS = 100
"""Texts in one span; the count is always whole."""

_inside: ContextVar[bool] = ContextVar("commonplace_observed", default=False)
"""Whether a verb is being reported, of which others are parts."""


class FinishedCall(Value):
    """A call whose span is made later."""

    began_ns: int
    ended_ns: int
    operation: str
    attributes: Attributes


class SpanObserver:
    """Makes a span of each call; behind the port `Observer`."""

    def __init__(
        self,
        version: str,
        *,
        content: bool = False,
        ends_soon: bool = False,
        tracer: Tracer | None = None,
    ) -> None:
        self._version = version
        self._content = content
        self._ends_soon = ends_soon
        self._tracer = tracer
        self._provider: TracerProvider | None = None
        self._waiting: list[FinishedCall] = []

    def observe(self, call: VerbCall, run: Callable[[], Result]) -> Result:
        """Run a verb within a span, unless it is a part of one that has a span."""
        if _inside.get():
            return run()
        token = _inside.set(True)
        try:
            return self._run_later(call, run) if self._ends_soon else self._run_now(call, run)
        finally:
            _inside.reset(token)

    def flush(self) -> None:
        """Make the spans that wait, and send them."""
        for one in self._waiting:
            span = self._open(one.operation, one.attributes, began_ns=one.began_ns)
            _end(span, one.attributes, ended_ns=one.ended_ns)
        self._waiting.clear()
        if self._provider is not None:
            self._provider.force_flush()

    def close(self) -> None:
        """Send the spans that wait; a provider of the caller's own stays open."""
        self.flush()
        if self._provider is not None:
            self._provider.shutdown()
        self._provider = self._tracer = None

    def _run_now(self, call: VerbCall, run: Callable[[], Result]) -> Result:
        from opentelemetry.trace import use_span

        span = self._open(OPERATIONS[call.verb], _described(call, content=self._content))
        # Calls of the verb, such as one of a model, are a part of its span.
        with use_span(span, record_exception=False, set_status_on_exception=False):
            try:
                result = run()
            except BaseException as error:
                _end(span, _failure(error))
                raise
        _end(span, _outcome(result, content=self._content))
        return result

    def _run_later(self, call: VerbCall, run: Callable[[], Result]) -> Result:
        described, began = _described(call, content=self._content), time_ns()

        def finish(found: Attributes) -> None:
            attributes = {**described, **found}
            operation = OPERATIONS[call.verb]
            self._waiting.append(FinishedCall(began, time_ns(), operation, attributes))

        try:
            result = run()
        except BaseException as error:
            finish(_failure(error))
            raise
        finish(_outcome(result, content=self._content))
        return result

    def _open(self, operation: str, attributes: Attributes, *, began_ns: int | None = None) -> Span:
        from opentelemetry.trace import SpanKind

        return self._tracer_to_use().start_span(
            operation, kind=SpanKind.INTERNAL, attributes=attributes, start_time=began_ns
        )

    def _tracer_to_use(self) -> Tracer:
        """The tracer of the program's own provider, or of ours if the program has set none."""
        if self._tracer is None:
            from opentelemetry import trace

            provider = trace.get_tracer_provider()
            if isinstance(provider, trace.ProxyTracerProvider):
                provider = self._provider = own_provider(self._version, ends_soon=self._ends_soon)
            self._tracer = provider.get_tracer(SERVICE, self._version)
        return self._tracer


def _end(span: Span, found: Attributes, *, ended_ns: int | None = None) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attributes(found)
    if "error.type" in found:
        span.set_status(StatusCode.ERROR)
    span.end(ended_ns)


def _described(call: VerbCall, *, content: bool) -> Attributes:
    described: Attributes = {
        "gen_ai.operation.name": OPERATIONS[call.verb],
        "gen_ai.provider.name": SERVICE,
        "gen_ai.memory.store.id": call.book,
        "commonplace.verb": call.verb,
        "commonplace.door": call.door,
        "commonplace.scope.kind": _kind(call.scope),
    }
    if content:
        described["commonplace.scope.path"] = str(call.scope)
        if call.query:
            described["gen_ai.memory.query.text"] = call.query
    return described


def _failure(error: BaseException) -> Attributes:
    return {"error.type": type(error).__name__}


def _outcome(result: object, *, content: bool) -> Attributes:
    """How many records a verb found or changed, and the id of a single one."""
    found: Attributes = {"gen_ai.memory.record.count": _count(result)}
    if isinstance(result, Saved):
        found["commonplace.action"] = result.action
    if sure := getattr(result, "sure", ""):
        found["commonplace.sure"] = sure
    hits = _hits(result)
    if len(hits) == 1 and not isinstance(result, list):
        memory = hits[0][0]
        found["gen_ai.memory.record.id"] = memory.id
        found["commonplace.scope.kind"] = _kind(memory.scope)
        if content:
            found["commonplace.scope.path"] = str(memory.scope)
    if content and hits:
        found["gen_ai.memory.records"] = write_json(
            [_record(memory, score) for memory, score in hits[:MOST_RECORDS]]
        )
    elif content and isinstance(result, Digest) and result.text:
        found["gen_ai.memory.records"] = write_json([{"content": result.text}])
    return found


def _count(result: object) -> int:
    if isinstance(result, Digest):
        return len(result.items)
    if isinstance(result, Imported):
        return result.saved + result.updated
    if isinstance(result, Corrected):
        return 1 + len(result.also) + len(result.elsewhere)
    if (ids := getattr(result, "ids", None)) is not None:
        return len(ids)
    return len(_hits(result))


def _hits(result: object) -> Sequence[tuple[Memory, float | None]]:
    """The memories of a result, with their scores if they were searched for."""
    if isinstance(result, Memory):
        return [(result, None)]
    if isinstance(result, Hit):
        return [(result.memory, result.score)]
    if isinstance(result, Saved | Corrected | Forgotten):
        return [(result.memory, None)]
    if isinstance(result, list | tuple):
        return [one for part in cast("Sequence[object]", result) for one in _hits(part)]
    return _hits(list(getattr(result, "memories", ())))


def _record(memory: Memory, score: float | None) -> dict[str, Any]:
    record: dict[str, Any] = {"id": memory.id, "content": without_sealed(memory.content)}
    return record if score is None else {**record, "score": score}


def _kind(scope: Scope) -> str:
    """The dimensions of a scope without their values: `user/project`."""
    return "/".join(dimension for dimension, _ in scope.pairs) or WHOLE_BOOK
