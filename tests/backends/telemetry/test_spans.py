"""Spans by the GenAI memory conventions: one for each call of a verb, without its content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from commonplace import verbs
from commonplace.backends.telemetry import provider
from commonplace.backends.telemetry.spans import OPERATIONS, SpanObserver
from commonplace.book import Commonplace
from commonplace.books.imports import open_import
from commonplace.books.open import get_engine, open_book
from commonplace.model.errors import BackendMissing, NotFound
from commonplace.settings import Settings
from tests.trace_collector import attributes, collector, spans

ADA = {"org": "lovelace-works", "user": "ada-king", "project": "engine-of-brass"}
NAMES = ("lovelace", "ada-king", "brass", "Cremona", "violin")


class Traced:
    """A book whose spans are kept in memory by OpenTelemetry's own SDK."""

    def __init__(
        self,
        room: Path,
        *,
        content: bool = False,
        ends_soon: bool = False,
        source: str = "library",
    ) -> None:
        self._exporter = InMemorySpanExporter()
        self._provider = TracerProvider()
        self._provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self._provider.get_tracer("commonplace")
        settings = Settings(state=str(room / "state"), embedder="none", otel_content=content)
        opened = open_book(
            f"vault:{room / 'vault'}",
            settings=settings,
            context=ADA,
            source=source,
            background=False,
        )
        observer = SpanObserver("1", content=content, ends_soon=ends_soon, tracer=self.tracer)
        self.book = Commonplace(get_engine(opened).but(observer=observer))

    def finished(self) -> list[ReadableSpan]:
        found = list(self._exporter.get_finished_spans())
        self._exporter.clear()
        return found

    def one(self) -> dict[str, Any]:
        """The attributes of the only span since the last time."""
        (span,) = self.finished()
        assert span.attributes is not None
        assert span.name == span.attributes["gen_ai.operation.name"]
        assert span.kind is SpanKind.INTERNAL
        return dict(span.attributes)


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[Traced]:
    made = Traced(tmp_path, source="cli")  # Only a person may purge.
    with made.book:
        yield made


def test_every_verb_is_one_span_with_its_operation_and_how_many_memories(traced: Traced) -> None:
    book = traced.book
    first = book.save("The violins of Cremona are varnished with amber")
    saved = traced.one()
    assert saved["gen_ai.operation.name"] == "upsert_memory"
    assert saved["gen_ai.provider.name"] == "commonplace"
    assert saved["gen_ai.memory.store.id"] == book.id
    assert saved["gen_ai.memory.record.id"] == first.id
    assert saved["gen_ai.memory.record.count"] == 1
    assert saved["commonplace.verb"] == "save"
    assert saved["commonplace.action"] == "created"

    book.recall("what are the violins of Cremona varnished with?")
    found = traced.one()
    assert found["gen_ai.operation.name"] == "search_memory"
    assert found["gen_ai.memory.record.count"] == 1
    assert found["commonplace.verb"] == "recall"
    assert found["commonplace.sure"] == "strong"
    assert found["commonplace.door"] == "cli"
    assert found["commonplace.scope.kind"] == "org/user/project"

    book.prompt("varnish of the violins of Cremona")
    assert traced.one()["commonplace.verb"] == "prompt"
    book.digest("varnish of the violins of Cremona")
    assert traced.one()["commonplace.verb"] == "digest"

    right = book.correct(first.id, "The violins of Cremona are varnished with propolis")
    corrected = traced.one()
    assert corrected["gen_ai.operation.name"] == "update_memory"
    assert corrected["gen_ai.memory.record.id"] == right.memory.id

    book.forget(right.memory.id)
    assert traced.one()["gen_ai.operation.name"] == "delete_memory"
    book.purge(right.memory.id)
    purged = traced.one()
    assert purged["gen_ai.operation.name"] == "delete_memory"
    assert purged["gen_ai.memory.record.count"] >= 1

    book.fact_store("varnish", "amber")
    assert traced.one()["gen_ai.operation.name"] == "upsert_memory"
    book.session_start()
    start = traced.one()
    assert start["gen_ai.operation.name"] == "search_memory"
    assert start["commonplace.verb"] == "session_start"
    assert start["gen_ai.memory.record.count"] == 1

    book.save_many(["Spruce is for the belly", "Maple is for the back"])
    many = traced.one()
    assert many["gen_ai.memory.record.count"] == 2
    assert "gen_ai.memory.record.id" not in many


def test_an_import_is_one_span_with_what_it_brought(traced: Traced, tmp_path: Path) -> None:
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": [{"id": "1", "memory": "Ada plays the violin"}]}))
    opened = open_import(str(file))
    traced.book.take_in(opened.drafts, kind=opened.kind)
    imported = traced.one()
    assert imported["gen_ai.operation.name"] == "upsert_memory"
    assert imported["gen_ai.memory.record.count"] == 1


def test_a_task_of_the_library_is_traced_too(traced: Traced) -> None:
    traced.book.fact_store("varnish", "amber")
    with traced.book.task("Varnish a violin") as task:
        task.before_model_call("which varnish do I take?")
    verbs_seen = {(one.attributes or {})["commonplace.verb"] for one in traced.finished()}
    assert {"session_start", "prompt", "save"} <= verbs_seen


def test_a_failure_has_its_class_and_no_word_of_its_message(traced: Traced) -> None:
    with pytest.raises(NotFound):
        traced.book.forget("the violins of Cremona")
    (span,) = traced.finished()
    assert span.status.status_code is StatusCode.ERROR
    assert (span.attributes or {})["error.type"] == "NotFound"
    assert not span.events
    assert "Cremona" not in span.to_json()


def test_no_name_and_no_text_is_in_a_span_unless_content_is_on(traced: Traced) -> None:
    book = traced.book
    saved = book.save("The violins of Cremona are varnished with amber")
    book.recall("violins of Cremona")
    book.prompt("violins of Cremona")
    book.session_start()
    book.correct(saved.id, "The violins of Cremona are varnished with propolis")
    told = "".join(span.to_json() for span in traced.finished())
    assert told
    assert not [name for name in NAMES if name in told]


def test_with_content_on_a_span_has_question_records_and_scope(tmp_path: Path) -> None:
    traced = Traced(tmp_path, content=True)
    with traced.book as book:
        saved = book.save("The violins of Cremona are varnished with amber")
        records = json.loads(traced.one()["gen_ai.memory.records"])
        assert records == [{"id": saved.id, "content": saved.memory.content}]
        book.recall("varnish of Cremona, my password is hunter2-Xk29vQ")
        found = traced.one()
        assert (
            found["commonplace.scope.path"]
            == "/org/lovelace-works/user/ada-king/project/engine-of-brass"
        )
        assert found["gen_ai.memory.query.text"].startswith("varnish of Cremona")
        assert "hunter2" not in found["gen_ai.memory.query.text"]
        (record,) = json.loads(found["gen_ai.memory.records"])
        assert record["id"] == saved.id
        assert record["score"] > 0
        book.prompt("varnish of the violins of Cremona")
        (handed,) = json.loads(traced.one()["gen_ai.memory.records"])
        assert "amber" in handed["content"]


def test_a_span_stands_in_the_trace_of_the_program_around_it(traced: Traced) -> None:
    with traced.tracer.start_as_current_span("the agent's turn") as turn:
        traced.book.recall("violins")
    inner, outer = traced.finished()
    assert inner.parent == turn.get_span_context()
    assert outer.name == "the agent's turn"


def test_a_process_that_ends_soon_makes_its_spans_after_the_answer(tmp_path: Path) -> None:
    traced = Traced(tmp_path, ends_soon=True)
    traced.book.save("The violins of Cremona are varnished with amber")
    with pytest.raises(NotFound):
        traced.book.forget("nothing of the kind")
    assert traced.finished() == []
    traced.book.leave()
    saved, failed = traced.finished()
    assert (saved.attributes or {})["gen_ai.memory.record.count"] == 1
    assert saved.start_time is not None
    assert saved.end_time is not None
    assert saved.end_time > saved.start_time
    assert failed.status.status_code is StatusCode.ERROR
    traced.book.close()


def test_a_rehearsal_leaves_no_span(traced: Traced) -> None:
    traced.book.save("The violins of Cremona are varnished with amber")
    traced.finished()
    traced.book.rehearsed().recall("violins of Cremona")
    assert traced.finished() == []


def test_each_observed_verb_has_an_operation_of_the_conventions() -> None:
    marked = {
        line.split("(")[0].removeprefix("def ")
        for file in Path(verbs.__path__[0]).glob("*.py")
        for before, line in pairwise(file.read_text(encoding="utf-8").splitlines())
        if before == "@observed"
    }
    assert marked == OPERATIONS.keys()
    assert set(OPERATIONS.values()) == {
        "search_memory", "upsert_memory", "update_memory", "delete_memory",
    }  # fmt: skip


def commonplace(room: Path, **environ: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    given = {
        **os.environ,
        "COMMONPLACE_URL": f"vault:{room / 'vault'}",
        "COMMONPLACE_STATE": str(room / "state"),
        "COMMONPLACE_CONFIG": str(room / "config.yaml"),
        "COMMONPLACE_EMBEDDER": "none",
        "HOME": str(room),
        **environ,
    }

    def run(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments],
            env=given, cwd=room, input=said, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


@pytest.mark.slow
def test_commands_and_hooks_send_their_spans_by_otlp_when_they_have_answered(
    tmp_path: Path,
) -> None:
    with collector() as (address, got):
        patient = {"COMMONPLACE_HOOK_SECONDS": "60", "OTEL_EXPORTER_OTLP_TIMEOUT": "30"}
        run = commonplace(
            tmp_path, COMMONPLACE_OTEL="1", OTEL_EXPORTER_OTLP_ENDPOINT=address, **patient
        )
        assert run("init", str(tmp_path / "vault")).returncode == 0
        assert run("save", "The violins of Cremona are varnished with amber").returncode == 0
        assert "amber" in run("recall", "violins of Cremona").stdout
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(tmp_path)}
        asked = json.dumps({**event, "prompt": "what are the violins of Cremona varnished with?"})
        assert "amber" in run("hook", "claude", said=asked).stdout
        # The hook's child process sends after its answer.
        found: list[Any] = []
        while "prompt" not in {one["commonplace.verb"] for one in found}:
            time.sleep(0.05)
            found = [attributes(span) for span in spans(got)]
    seen = {(one["commonplace.verb"], one["commonplace.door"]) for one in found}
    assert {("save", "shell"), ("recall", "shell"), ("prompt", "hook")} <= seen
    assert not [name for name in NAMES if name.encode() in b"".join(got)]


@pytest.mark.slow
def test_a_collector_that_is_away_costs_no_answer(tmp_path: Path) -> None:
    run = commonplace(
        tmp_path, COMMONPLACE_OTEL="1", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9"
    )
    assert run("init", str(tmp_path / "vault")).returncode == 0
    assert run("save", "The violins of Cremona are varnished with amber").returncode == 0
    recalled = run("recall", "violins of Cremona")
    assert recalled.returncode == 0
    assert "amber" in recalled.stdout


def test_nothing_of_opentelemetry_is_imported_when_it_is_off(tmp_path: Path) -> None:
    program = (
        "import sys, commonplace\n"
        "from commonplace.settings import Settings\n"
        f"chosen = Settings(state={str(tmp_path / 'state')!r}, embedder='none')\n"
        f"with commonplace.open('vault:{tmp_path / 'vault'}', settings=chosen) as book:\n"
        "    book.save('Spruce is for the belly')\n"
        "    book.recall('spruce')\n"
        "print([name for name in sys.modules if 'opentelemetry' in name or 'telemetry' in name])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_without_its_packages_the_setting_is_refused_with_the_line_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "PACKAGES", ("opentelemetry.sdk_not_there",))
    settings = Settings(state=str(tmp_path / "state"), embedder="none", otel=True)
    with pytest.raises(BackendMissing, match="not installed") as refused:
        open_book(f"vault:{tmp_path / 'vault'}", settings=settings)
    assert "otel" in refused.value.hint
