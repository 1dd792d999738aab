"""REST: every verb answers `POST /v1/<verb>` with its arguments as a JSON object.

Verbs that only read also answer `GET` with the same arguments in the query string.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Body, Depends, Query, Request
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from ...book import Commonplace
from ..plain_data import marked, memories_in, plain
from .callers import OWNER
from .problems import MEDIA_TYPE, HttpProblem
from .signatures import Arguments, arguments_model, result_model
from .turns import CHANGE, LONG, READ

if TYPE_CHECKING:
    from .turns import Turns

READS = (
    "recall", "get", "list", "overview", "digest", "session_start", "prompt", "fact_recall",
    "fact_list", "links", "broken_links", "graph", "history", "audit", "audit_verify", "retrievals",
    "why", "uses", "status", "doctor", "inbox", "inbox_show", "changes", "tasks", "task_show",
    "sessions", "session_show", "profile", "timeline", "report", "about", "digests", "replay",
    "why_not",
)  # fmt: skip
CHANGES = (
    "save", "save_many", "fact_store", "edit", "correct", "rename", "promote", "forget", "restore",
    "purge", "accept", "accept_many", "reject", "revert", "undo_automatic", "task_done",
    "profile_set", "crystallize", "forget_about", "purge_about", "maintain", "sync", "session_add",
    "session_end",
)  # fmt: skip
LONG_VERBS = frozenset((
    "doctor", "audit_verify", "graph", "report", "save_many", "accept_many", "crystallize",
    "maintain", "sync", "session_end", "task_done",
))  # fmt: skip
"""Verbs for which no short one should wait."""
VERBS = READS + CHANGES
"""Verbs with a route; a new verb needs an entry here or in NOT_SERVED."""
_NO_TENANTS = "sources know no tenants, so only the owner may search them"
_WHOLE_BOOK = "it concerns the whole book: use the command line"
_LOCAL_BACKUPS = "backups belong to the machine that makes them"
_OPERATOR = "the operator erases users, at the command line"
_IN_PROCESS = "it returns an object that only works in the same process"
_LOCAL_FILES = "it reads the files of a folder on its caller's machine"
_LOCAL_KEYS = "keys stay on the machine that has them"
MARKED = ("get", "list", "overview", "fact_list")
"""Verbs whose memories are shown with their marks."""
NOT_SERVED = {
    "export": _IN_PROCESS,
    "export_to": "it writes files on the machine that runs the server",
    "take_in": "files are imported at the command line or in the panel",
    "make_room_for": _WHOLE_BOOK,
    "move": _WHOLE_BOOK,
    "save_personal": "only the person writes their own space",
    "suggest_scopes": _WHOLE_BOOK,
    "apply_scopes": _WHOLE_BOOK,
    "bisect": "it runs commands on the machine that runs the server",
    "evaluate_own": "it takes minutes: use the command line",
    "in_folder": "a server does not know its caller's folders",
    "working_in": "a hook on the same machine names its folder in a header",
    "as_context": "the token of the request identifies the caller",
    "close": "the server closes the book when it ends",
    "leave": "the server closes the book when it ends",
    "watched": _IN_PROCESS,
    "rehearsed": _IN_PROCESS,
    "marks": "`get`, `list`, `overview` and `fact_list` have them",
    "learn": _LOCAL_FILES,
    "verify": _LOCAL_FILES,
    "repositories": "the panel uses it; programs use `list`",
    "repository": _LOCAL_FILES,
    "vitals": "the panel shows it; programs read `/metrics`",
    "standing": "`/metrics` has these figures, without reading the book at every request",
    "browse": "the panel uses it; programs use `recall` and `list`",
    "count_by": "the panel uses it; programs use `overview`",
    "newest_graph": "the panel uses it; programs use `graph`",
    "inbox_count": "the panel uses it; programs use `status`",
    "look": "the server does it by itself",
    "embed_waiting": "the server does it by itself",
    "backup": _LOCAL_BACKUPS,
    "backup_if_due": "the server does it by itself",
    "backups": _LOCAL_BACKUPS,
    "erase_user": _OPERATOR,
    "erased_since": _OPERATOR,
    "verify_erasure": _OPERATOR,
    "reveal": "an encrypted text is shown only on its owner's machine",
    "keys": _LOCAL_KEYS,
    "new_key": _LOCAL_KEYS,
    "rotate_key": _LOCAL_KEYS,
    "sources": _NO_TENANTS,
    "sources_search": _NO_TENANTS,
    "source_add": _IN_PROCESS,
    "task": _IN_PROCESS,
    "session": _IN_PROCESS,
}
"""Methods of the facade without a route, each with the reason."""


def router() -> APIRouter:
    """One route for every verb, two for those that only read."""
    routes = APIRouter(
        prefix="/v1",
        responses={
            "4XX": {"description": "The request was refused.", "content": _PROBLEM},
            "5XX": {"description": "The server or the book failed.", "content": _PROBLEM},
        },
        dependencies=[Depends(HTTPBearer(auto_error=False, description="See docs/server.md."))],
    )
    for verb in VERBS:
        _add_route(routes, verb, "POST")
        if verb in READS:
            _add_route(routes, verb, "GET")
    # Last, so that unknown paths below /v1 are refused here and not taken for panel pages.
    for path in ("", "/{path:path}"):
        routes.add_api_route(path, _unknown_path, methods=[*_METHODS], include_in_schema=False)
    return routes


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def _unknown_path(path: str = "") -> None:
    if path not in VERBS and path != "openapi.json":
        raise HTTPException(404)
    takes = {"openapi.json": "GET"}.get(path, "POST, GET" if path in READS else "POST")
    raise HTTPException(405, headers={"allow": takes})


_PROBLEM = {MEDIA_TYPE: {"schema": HttpProblem.model_json_schema()}}


def _add_route(routes: APIRouter, verb: str, method: str) -> None:
    text = (getattr(Commonplace, verb).__doc__ or "").strip()
    routes.add_api_route(
        f"/{verb}",
        _endpoint(verb, method),
        methods=[method],
        operation_id=verb if method == "POST" else f"{verb}_by_query",
        summary=verb.replace("_", " ").capitalize(),
        description="\n".join(line.strip() for line in text.splitlines()),
        tags=["read" if verb in READS else "change"],
        response_model=None,
        responses={200: {"model": result_model(verb), "description": "Done."}},
    )


def _endpoint(verb: str, method: str) -> Callable[..., Awaitable[Response]]:
    async def endpoint(request: Request, arguments: Any) -> Response:
        turns: Turns = request.app.state.turns
        call = partial(_call_verb, request, verb, arguments)
        return await turns.run(call, request.state.caller, kind)

    kind = LONG if verb in LONG_VERBS else READ if verb in READS else CHANGE
    model = arguments_model(verb)
    # Without required arguments an empty body counts as `{}`.
    optional = all(not field.is_required() for field in model.model_fields.values())
    body = Body(default_factory=model) if optional else Body()
    endpoint.__annotations__["arguments"] = Annotated[model, Query() if method == "GET" else body]
    return endpoint


def _call_verb(request: Request, verb: str, arguments: Arguments) -> Response:
    """Call a verb as the caller of the request; runs on a worker thread, because verbs block."""
    opened: Commonplace = request.app.state.book
    caller = request.state.caller
    source = "person" if caller.person else "rest"
    # Only this machine's user is told what its files say.
    local = caller.id == OWNER
    book = opened.as_context(caller.context, source=source, on_this_machine=local)
    if caller.folder:
        book = book.working_in(caller.folder)
    keywords = arguments.as_keywords(null_clears=verb == "edit")
    result = getattr(book, verb)(**keywords)
    headers = _next_page(request, keywords, len(result)) if verb == "list" else {}
    if verb in MARKED:
        return JSONResponse(marked(result, book.marks(memories_in(result))), headers=headers)
    return JSONResponse(plain(result), headers=headers)


def _next_page(request: Request, keywords: dict[str, Any], count: int) -> dict[str, str]:
    """The Link header to the next page, if this one is full."""
    limit = keywords.get("limit", arguments_model("list").model_fields["limit"].default)
    if count < limit:
        return {}
    query = {**keywords, "limit": limit, "offset": keywords.get("offset", 0) + limit}
    return {"link": f'<{request.url.path}?{urlencode(query, doseq=True)}>; rel="next"'}
