"""The catalog is what FastMCP and pydantic make of the tools, and both doors say the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from commonplace import BadInput
from commonplace.doors.mcp import catalog
from commonplace.doors.mcp.arguments import checked_arguments
from commonplace.doors.mcp.tools import TOOLS
from commonplace.doors.server import tool_schemas
from tests import ROOT
from tests.doors.mcp.pipe import ENVELOPE, MODERN, Pipe
from tests.doors.serving import KEY, Served, book_in, serving

FILE = ROOT / "src" / "commonplace" / "doors" / "mcp" / "catalog.json"
LISTED = {one["tool"]["name"]: one["tool"] for one in catalog.read_catalog()["tools"]}


def test_the_catalog_is_what_fastmcp_makes_of_the_tools() -> None:
    assert FILE.read_text(encoding="utf-8") == tool_schemas.written(tool_schemas.catalog()), (
        "The catalog is stale. Make it again: "
        f"python -m commonplace.doors.server.tool_schemas > {FILE.relative_to(ROOT)}"
    )


@cache
def by_pydantic(tool: str) -> TypeAdapter[dict[str, Any]]:
    checked: Any = tool_schemas.annotated_tool(TOOLS[tool]).fn
    return TypeAdapter(checked)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, and arguments that are often right."""
    tool = draw(st.sampled_from(sorted(LISTED)))
    days = st.dates().map(str) | st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
    numbers = st.integers(-2, 60) | st.floats(allow_nan=False, allow_infinity=False)
    value = (
        st.none() | st.booleans() | numbers | st.text(max_size=5) | st.lists(st.text(), max_size=2)
        | st.lists(st.integers(), max_size=2) | days | numbers.map(str)
        | st.sampled_from(["true", "False", "L0", "add", "yes", "", "1e3", "nan", " 5 "])
    )  # fmt: skip
    names = [*LISTED[tool]["inputSchema"]["properties"], "unknown"]
    required = LISTED[tool]["inputSchema"].get("required", [])
    given = {name: draw(value) for name in required if draw(st.integers(0, 9))}
    return tool, given | draw(st.dictionaries(st.sampled_from(names), value, max_size=3))


@given(calls())
@settings(deadline=None, max_examples=600)
def test_arguments_are_read_as_their_schema_says_and_never_otherwise_than_by_pydantic(
    call: tuple[str, dict[str, Any]],
) -> None:
    tool, arguments = call
    schema = LISTED[tool]["inputSchema"]
    fits = Draft202012Validator(schema).is_valid(arguments)
    # The format of a date is no matter of validity in JSON Schema.
    fits = fits and not isinstance(arguments.get("as_of"), str)
    try:
        read = checked_arguments(tool, schema, arguments)
    except BadInput:
        assert not fits
        return
    try:
        theirs = by_pydantic(tool).validate_python(arguments)
    except ValidationError as error:  # pragma: no cover
        raise AssertionError(f"{arguments} was read as {read}") from error
    assert read == {name: theirs[name] for name in arguments}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-05-31T18:00", datetime(2026, 5, 31, 18, tzinfo=UTC)),
        ("2026-05-31T18:00:00+02:00", datetime(2026, 5, 31, 16, tzinfo=UTC)),
        ("2026-05-31T18:00:00Z", datetime(2026, 5, 31, 18, tzinfo=UTC)),
    ],
)
def test_a_moment_without_a_zone_is_in_utc(written: str, read: datetime) -> None:
    schema = LISTED["memory_search"]["inputSchema"]
    given = {"query": "tea", "as_of": written}
    assert checked_arguments("memory_search", schema, given)["as_of"] == read
    for wrong in ("yesterday", "2026-13-01", 7, "0001-01-01T00:00:00+14:00"):
        with pytest.raises(BadInput, match="such as 2026-05-31"):
            checked_arguments("memory_search", schema, {"query": "tea", "as_of": wrong})


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pipe, Served]]:
    """One book, open behind both doors."""
    folder: Path = tmp_path_factory.mktemp("both")
    environ = {
        "HOME": str(folder),
        "COMMONPLACE_URL": f"vault:{folder / 'book'}",
        "COMMONPLACE_STATE": str(folder / "state"),
        "COMMONPLACE_CONFIG": str(folder / "config.yaml"),
        "COMMONPLACE_EMBEDDER": "none",
    }
    with book_in(folder) as book, serving(book, tools="all") as served:
        book.save("The deploy branch is main", title="Deploy branch")
        with Pipe(environ, "--project", "none", "--tools", "all") as pipe:
            yield pipe, served


def over_http(served: Served, method: str, **params: Any) -> dict[str, Any]:
    headers = {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {KEY}",
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
    }
    if name := params.get("name") or params.get("uri"):
        headers["mcp-name"] = name
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": ENVELOPE}}
    answer = httpx.post(f"{served.url}/mcp", json=body, headers=headers, timeout=60).json()
    return {name: answer[name] for name in ("result", "error") if name in answer}


def without_notes(answer: Any) -> Any:
    """An answer without FastMCP's own notes."""
    if isinstance(answer, dict):
        return {
            name: without_notes(one)
            for name, one in answer.items()
            if not (name == "_meta" and "fastmcp" in one)
        }
    return [without_notes(one) for one in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
        ("skills/list", {}),
        ("skills/get", {"uri": catalog.SKILL_URI}),
        ("skills/get", {"uri": "skill://other/SKILL.md"}),
        ("resources/read", {"uri": catalog.SKILL_URI}),
        ("resources/read", {"uri": "skill://commonplace/_manifest"}),
        ("resources/read", {"uri": "skill://commonplace/../catalog.json"}),
        ("resources/read", {"uri": "memory://newest"}),
        ("resources/read", {"uri": "memory://Deploy%20branch"}),
        ("resources/read", {"uri": "memory://nothing-like-it"}),
        ("resources/read", {"uri": "memory://"}),
        ("resources/read", {"uri": "memory://a/b"}),
        ("resources/read", {"uri": "https://example.com"}),
        ("prompts/get", {"name": "session_start"}),
        ("prompts/get", {"name": "session_start", "arguments": {"agent": "chat"}}),
        ("prompts/get", {"name": "nothing"}),
        ("tools/call", {"name": "nothing", "arguments": {}}),
        ("tools/call", {"name": "memory_get", "arguments": {"ref": "deploy branch"}}),
        ("tools/call", {"name": "memory_get", "arguments": {"ref": "nothing"}}),
        ("tools/call", {"name": "memory_search", "arguments": {"query": "", "limit": 99}}),
        ("tools/call", {"name": "memory_browse"}),
        ("tools/call", {"name": "memory_profile", "arguments": None}),
        ("nothing/at/all", {}),
        ("ping", {}),
        ("initialize/again", {}),
    ],
)
def test_both_doors_answer_the_same(
    both: tuple[Pipe, Served], method: str, params: dict[str, Any]
) -> None:
    pipe, served = both
    assert pipe.modern(method, **params) == without_notes(over_http(served, method, **params))
