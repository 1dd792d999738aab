"""Mount the panel in the server's app."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

ICON = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="5" y="3" width="22" height="26"
 rx="3" fill="#2e5e4e"/><path d="M10 3v26" stroke="#faf8f4" stroke-width="1.5"/><path d="M14 11h9M14
 16h9M14 21h6" stroke="#faf8f4" stroke-width="2" stroke-linecap="round"/></svg>"""


def panel_installed() -> bool:
    """Whether NiceGUI is installed."""
    return find_spec("nicegui") is not None


def mount(app: FastAPI) -> None:
    """Serve the panel's pages at every path without another route."""
    from nicegui.ui_run_with import run_with  # pyright: ignore[reportUnknownVariableType]

    from . import pages

    assert pages  # Importing the pages declares them.
    run_with(
        app,
        title="Commonplace",
        favicon=ICON,
        language="en-US",
        dark=None,
        tailwind=False,
        gzip_middleware_factory=None,  # PanelGate compresses, after it has set the policy.
        show_welcome_message=False,
        binding_refresh_interval=None,
        reconnect_timeout=30.0,
    )
