"""Whether the server runs, and how much it does."""

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ... import __version__
from ...errors import NotAllowed

router = APIRouter(tags=["watching"])
WATCHERS = ("owner", "admin")


@router.head("/health", include_in_schema=False)
@router.get("/health", operation_id="health")
def health() -> dict[str, str]:
    """Answers as long as the server runs; needs no token and says nothing about the book."""
    return {"status": "ok", "version": __version__}


@router.get("/metrics", operation_id="metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Figures for Prometheus, see docs/monitoring.md; for the owner and admins."""
    if request.state.caller.context.role not in WATCHERS:
        raise NotAllowed("Metrics are for the owner and admins.", hint="Use an admin's token.")
    return Response(request.app.state.metrics.told(), media_type=CONTENT_TYPE_LATEST)


def not_so() -> None:
    """Said here, because the panel would take the path for a page that it does not know."""
    raise HTTPException(405, headers={"allow": "GET, HEAD"})


for _path in ("/health", "/metrics"):
    router.add_api_route(
        _path,
        not_so,
        methods=["POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        include_in_schema=False,
    )
