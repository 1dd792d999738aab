"""REST: the path is the verb, the arguments are the verb's own.

Every verb answers `POST /v1/<verb>` with its arguments as a JSON object; those that only read also
answer `GET` with the same arguments in the query string.
"""

import json
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ...book import Commonplace
from ..plain_data import plain
from .problems import MEDIA_TYPE, HttpProblem
from .signatures import Arguments, answer, arguments

READS = (
    "recall", "get", "list", "digest", "session_start", "prompt", "fact_recall", "fact_list",
    "links", "broken_links", "graph", "history", "audit", "audit_verify", "retrievals", "why",
    "uses", "status", "doctor", "inbox", "inbox_show", "changes", "tasks", "task_show", "sessions",
    "session_show", "profile", "timeline", "report",
)  # fmt: skip
CHANGES = (
    "save", "save_many", "fact_store", "edit", "correct", "rename", "promote", "forget", "restore",
    "purge", "revert", "undo_automatic", "task_done", "profile_set", "crystallize", "maintain",
    "sync", "session_add", "session_end",
)  # fmt: skip
VERBS = READS + CHANGES
"""What is served. A verb is not until somebody has named it here."""
_BY_A_PERSON = "a person decides that, at the command line or in the panel"
_NO_TENANTS = "places outside the book know no tenants, so that only their owner asks them"
_WHOLE_BOOK = "it concerns the whole book: the command line has it"
_AT_ITS_MACHINE = "where backups are is the business of the machine that makes them"
_BY_ITS_OWNER = "erasing somebody is for whoever answers for the book, at the command line"
_IN_PROCESS = "it hands out an object that works in the same process only"
NOT_SERVED = {
    "export": _IN_PROCESS,
    "export_to": "it writes files on the machine that runs the server",
    "take_in": "files are imported at the command line or in the panel",
    "make_room_for": _WHOLE_BOOK,
    "move": _WHOLE_BOOK,
    "save_personal": "a person's own space is written by that person alone",
    "evaluate_own": "it keeps the whole book busy for minutes: the command line has it",
    "as_context": "a request's own token says who asks",
    "close": "the server closes the book when it ends",
    "watched": _IN_PROCESS,
    "rehearsed": _IN_PROCESS,
    "vitals": "`/metrics` is for programs; this is how the panel draws the same to a person",
    "standing": "`/metrics` has these figures, without looking through the book at every request",
    "browse": "`recall` and `list` find memories; this is how the panel shows them to a person",
    "look": "the server looks by itself",
    "backup": _AT_ITS_MACHINE,
    "backup_if_due": "the server does so by itself",
    "backups": _AT_ITS_MACHINE,
    "erase_user": _BY_ITS_OWNER,
    "erased_since": _BY_ITS_OWNER,
    "verify_erasure": _BY_ITS_OWNER,
    "accept": _BY_A_PERSON,
    "reject": _BY_A_PERSON,
    "reveal": "a sealed text is shown at its owner's own machine only",
    "keys": "keys stay on the machine that has them",
    "new_key": "keys stay on the machine that has them",
    "rotate_key": "keys stay on the machine that has them",
    "sources": _NO_TENANTS,
    "sources_search": _NO_TENANTS,
    "source_add": _IN_PROCESS,
    "task": _IN_PROCESS,
    "session": _IN_PROCESS,
}
"""Methods of the facade that are no routes, and why."""


class JsonAnswer(Response):
    """JSON in the alphabet it was written in."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """One line of JSON."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def router() -> APIRouter:
    """A route, or two, for every verb."""
    made = APIRouter(
        prefix="/v1",
        responses={
            "4XX": {"description": "Not done.", "content": _PROBLEM},
            "5XX": {"description": "The server or the book cannot.", "content": _PROBLEM},
        },
        dependencies=[Depends(HTTPBearer(auto_error=False, description="See docs/server.md."))],
    )
    for verb in VERBS:
        _add(made, verb, "POST", _by_body(verb))
        if verb in READS:
            _add(made, verb, "GET", _by_query(verb))
    # Last, so that whatever else is under this name is ours to refuse, and no page of the panel.
    for path in ("", "/{path:path}"):
        made.add_api_route(path, _not_there, methods=[*_METHODS], include_in_schema=False)
    return made


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def _not_there(path: str = "") -> None:
    if path not in VERBS and path != "openapi.json":
        raise HTTPException(404)
    takes = {"openapi.json": "GET"}.get(path, "POST, GET" if path in READS else "POST")
    raise HTTPException(405, headers={"allow": takes})


_PROBLEM = {MEDIA_TYPE: {"schema": HttpProblem.model_json_schema()}}


def _add(made: APIRouter, verb: str, method: str, endpoint: Callable[..., Response]) -> None:
    words = (getattr(Commonplace, verb).__doc__ or "").strip()
    made.add_api_route(
        f"/{verb}",
        endpoint,
        methods=[method],
        operation_id=verb if method == "POST" else f"{verb}_by_query",
        summary=verb.replace("_", " ").capitalize(),
        description="\n".join(line.strip() for line in words.splitlines()),
        tags=["reading" if verb in READS else "changing"],
        response_model=None,
        responses={200: {"model": answer(verb), "description": "Done."}},
    )


def _by_body(verb: str) -> Callable[..., Response]:
    def endpoint(request: Request, given: Any) -> Response:
        return _answered(request, verb, given)

    # An empty body is as good as `{}` where nothing must be said.
    silent = all(not field.is_required() for field in arguments(verb).model_fields.values())
    default = Body(default_factory=arguments(verb)) if silent else Body()
    endpoint.__annotations__["given"] = Annotated[arguments(verb), default]
    return endpoint


def _by_query(verb: str) -> Callable[..., Response]:
    def endpoint(request: Request, given: Any) -> Response:
        return _answered(request, verb, given)

    endpoint.__annotations__["given"] = Annotated[arguments(verb), Query()]
    return endpoint


def _answered(request: Request, verb: str, given: Arguments) -> Response:
    """Ask the book as this request's caller. Runs on a thread of its own, as the book blocks."""
    opened: Commonplace = request.app.state.book
    book = opened.as_context(request.state.caller.context, source="rest")
    said = given.given(clears=verb == "edit")
    told = getattr(book, verb)(**said)
    headers = _next_page(request, said, len(told)) if verb == "list" else {}
    return JsonAnswer(plain(told), headers=headers)


def _next_page(request: Request, said: dict[str, Any], found: int) -> dict[str, str]:
    """Where the next page is, as long as this one was full."""
    limit = said.get("limit", arguments("list").model_fields["limit"].default)
    if found < limit:
        return {}
    onward = {**said, "limit": limit, "offset": said.get("offset", 0) + limit}
    return {"link": f'<{request.url.path}?{urlencode(onward, doseq=True)}>; rel="next"'}
