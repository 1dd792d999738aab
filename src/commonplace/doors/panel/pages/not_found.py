"""The page for an address that has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from nicegui import Client, app, ui

from ..components import heading, link
from ..frame import frame

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastapi import Request, Response

_no_page = cast("Callable[[Request, Exception], Awaitable[Response]]", app.exception_handlers[404])


@app.exception_handler(404)
async def not_found(request: Request, error: Exception) -> Response:
    """Say that there is no such page; what is no page is answered as before."""
    if not hasattr(request.state, "panel_session") or request.method != "GET":
        return await _no_page(request, error)
    with Client(ui.page(""), request=request) as client, frame("Not found", ""):
        heading("There is no such page", "The address may be mistyped, or the page has moved.")
        link("All memories", "/", "cp-link")
    return client.build_response(request, 404)
