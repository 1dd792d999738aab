"""Failures as a caller over HTTP sees them: problem details (RFC 9457), with a hint what to do."""

from __future__ import annotations

import json
import logging
from typing import Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from ...model.errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    from ...model.scope import Context


OURS = 500
"""From this status on a failure is the server's and not the caller's."""


def fit_for(error: CommonplaceError, who: Context) -> CommonplaceError:
    """The failure as this caller may hear it: of the same kind, for programs that try again."""
    if error.http_status < OURS or who.role == "owner":
        return error
    log.error("The book failed a caller: %s", error)
    return type(error)(
        "The book cannot do this right now.",
        hint="Try again later, or ask whoever runs the server.",
    )


# Failures as a caller over HTTP sees them: problem details (RFC 9457), with a hint what to do.


MEDIA_TYPE = "application/problem+json"
UNAVAILABLE = 503
COME_BACK_S = 2
"""When a caller may try again what could not be done just now."""
log = logging.getLogger("commonplace.server")
_WORDED = {
    "missing_keyword_only_argument": "Field required",
    "unexpected_keyword_argument": "Extra inputs are not permitted",
}
"""What is said of a call's arguments in place of the words of the language they are written in."""


class HttpProblem(BaseModel):
    """What went wrong: one sentence, a code for programs, and a hint for people."""

    type: str = Field(description="Names the kind of problem; ends in its code.")
    title: str
    status: int
    detail: str = Field(description="What happened, in one sentence.")
    code: str
    hint: str = Field(default="", description="The next thing to do.")
    errors: list[str] = Field(default=[], description="Each value that cannot be used, and why.")


def problem(
    status: int,
    code: str,
    detail: str,
    hint: str = "",
    *,
    errors: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One failure as an answer."""
    told: dict[str, Any] = {
        "type": f"urn:commonplace:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "detail": detail,
        "code": code,
        "hint": hint,
    }
    if errors:
        told["errors"] = errors
    # Backslash escapes, so that half a surrogate pair in an error never becomes a second one.
    return Response(json.dumps(told), status, dict(headers or {}), media_type=MEDIA_TYPE)


def of_error(error: CommonplaceError) -> Response:
    """The answer for one of our own errors."""
    later = {"retry-after": str(COME_BACK_S)} if error.http_status == UNAVAILABLE else {}
    return problem(error.http_status, error.code, error.sentence, error.hint, headers=later)


def install(app: FastAPI) -> None:
    """Answer every failure of the app with problem details."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    app.exception_handler(CommonplaceError)(_ours)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(Exception)(_unforeseen)


def slips(errors: Sequence[Mapping[str, Any]], *, within: int = 0) -> Iterator[str]:
    """The first few values that cannot be used, each with why."""
    for one in errors[:10]:
        place = ".".join(str(part)[:80] for part in one["loc"][within:]) or "body"
        yield f"{place}: {_WORDED.get(one['type']) or one['msg']}"


def _ours(request: Request, error: CommonplaceError) -> Response:
    return of_error(fit_for(error, request.state.caller.context))


def _invalid(_: Request, error: RequestValidationError) -> Response:
    told = tuple(slips(error.errors(), within=1))
    return problem(
        422,
        "bad_input",
        "The request has values that cannot be used.",
        "See errors, and /v1/openapi.json.",
        errors=told,
    )


def _http(_: Request, error: HTTPException) -> Response:
    code = {404: "not_found", 405: "wrong_method"}.get(error.status_code, "http_error")
    hint = "See /v1/openapi.json for what there is." if error.status_code in (404, 405) else ""
    return problem(
        error.status_code, code, f"{str(error.detail).rstrip('.')}.", hint, headers=error.headers
    )


def _unforeseen(_: Request, error: Exception) -> Response:
    log.error("A request failed in a way that nobody foresaw.", exc_info=error)
    return problem(500, "error", "The server failed.", "Its log says more.")
