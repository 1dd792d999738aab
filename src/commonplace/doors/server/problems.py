"""Failures over HTTP as problem details (RFC 9457) with a hint."""

from __future__ import annotations

import json
import logging
from typing import Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from ...model.errors import CommonplaceError, Proposed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    from ...model.scope import Context


MEDIA_TYPE = "application/problem+json"
SERVER_ERROR, UNAVAILABLE = 500, 503
RETRY_AFTER_S = 2
log = logging.getLogger("commonplace.server")
_PLAIN_MESSAGES = {
    "missing_keyword_only_argument": "Field required",
    "unexpected_keyword_argument": "Extra inputs are not permitted",
}
"""Messages of pydantic that speak of Python, and their replacements."""


class HttpProblem(BaseModel):
    """A failure: one sentence, a code for programs and a hint for people."""

    type: str = Field(description="URN of the kind of problem; ends with `code`.")
    title: str
    status: int
    detail: str = Field(description="What happened, in one sentence.")
    code: str
    hint: str = Field(default="", description="The next thing to do.")
    errors: list[str] = Field(default=[], description="Each invalid value, with the reason.")


def problem(
    status: int,
    code: str,
    detail: str,
    hint: str = "",
    *,
    errors: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The response for one failure."""
    fields: dict[str, Any] = {
        "type": f"urn:commonplace:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "detail": detail,
        "code": code,
        "hint": hint,
    }
    if errors:
        fields["errors"] = errors
    # ASCII only, because half a surrogate pair cannot be encoded as UTF-8.
    return Response(json.dumps(fields), status, dict(headers or {}), media_type=MEDIA_TYPE)


def problem_from(error: CommonplaceError) -> Response:
    """The response for one of our own errors, or for a change that waits for a person."""
    later = {"retry-after": str(RETRY_AFTER_S)} if error.http_status == UNAVAILABLE else {}
    if isinstance(error, Proposed):
        later = {"location": f"/v1/inbox_show?ref={error.proposal}"}
    return problem(error.http_status, error.code, error.sentence, error.hint, headers=later)


def redacted_for(error: CommonplaceError, caller: Context) -> CommonplaceError:
    """The error as this caller may see it: only the owner sees details of a server failure."""
    if error.http_status < SERVER_ERROR or caller.role == "owner":
        return error
    log.error("A request failed: %s", error)
    return type(error)(
        "The book cannot do this right now.",
        hint="Try again later, or ask the operator of the server.",
    )


def install_handlers(app: FastAPI) -> None:
    """Answer every failure of the app with problem details."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    app.exception_handler(CommonplaceError)(_book_error)
    app.exception_handler(RequestValidationError)(_invalid_request)
    app.exception_handler(HTTPException)(_http_error)
    app.exception_handler(Exception)(_unexpected_error)


def argument_errors(errors: Sequence[Mapping[str, Any]], *, within: int = 0) -> Iterator[str]:
    """The first invalid values, each with the reason."""
    for one in errors[:10]:
        place = ".".join(str(part)[:80] for part in one["loc"][within:]) or "body"
        yield f"{place}: {_PLAIN_MESSAGES.get(one['type']) or one['msg']}"


def _book_error(request: Request, error: CommonplaceError) -> Response:
    return problem_from(redacted_for(error, request.state.caller.context))


def _invalid_request(_: Request, error: RequestValidationError) -> Response:
    return problem(
        422,
        "bad_input",
        "The request has invalid values.",
        "See errors, and /v1/openapi.json.",
        errors=tuple(argument_errors(error.errors(), within=1)),
    )


def _http_error(_: Request, error: HTTPException) -> Response:
    code = {404: "not_found", 405: "wrong_method"}.get(error.status_code, "http_error")
    hint = "See /v1/openapi.json for all paths." if error.status_code in (404, 405) else ""
    return problem(
        error.status_code, code, f"{str(error.detail).rstrip('.')}.", hint, headers=error.headers
    )


def _unexpected_error(_: Request, error: Exception) -> Response:
    log.error("A request failed unexpectedly.", exc_info=error)
    return problem(500, "error", "The server failed.", "See its log.")
