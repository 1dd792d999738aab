"""Whatever is sent, within the OpenAPI document or beyond it, the server answers as it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from commonplace.doors.server.rest import READS, VERBS
from tests.doors.serving import Served, book_in, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with book_in(tmp_path_factory.mktemp("fuzzed")) as book, serving(book) as one:
        book.save("The deploy branch is main", tags=["deploy"], topic="shipping")
        book.fact_store("deploy.branch", "main")
        yield one


@pytest.fixture(scope="module")
def document(served: Served) -> Any:
    return schemathesis.openapi.from_url(f"{served.url}/v1/openapi.json")


@pytest.mark.parametrize(
    ("method", "verb"),
    [("POST", verb) for verb in VERBS] + [("GET", verb) for verb in READS],
)
def test_no_request_brings_the_server_down(document: Any, method: str, verb: str) -> None:
    operation = document[f"/v1/{verb}"][method]

    @given(case=operation.as_strategy())
    @settings(
        max_examples=6,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    def answers_as_documented(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    answers_as_documented()
