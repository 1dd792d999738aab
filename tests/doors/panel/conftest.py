"""A real server and a real Chromium: what a person does and sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from .serving import Panel, chromium

Opened = Callable[..., Page]
# A busy machine may take long to show what it will show.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with its file: while it is open, its event loop counts as running in this thread."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Panel]:
    """One server for the tests of a file; each test works with words of its own."""
    with Panel(tmp_path_factory.mktemp("panel")) as running:
        yield running


@pytest.fixture
def opened(
    browser: Browser, panel: Panel, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Opened]:
    """Opens pages of the panel; how each looked in the end is kept as a file of the test run."""
    contexts: list[BrowserContext] = []
    pages: list[Page] = []

    def open_page(path: str = "/", **options: object) -> Page:
        context = browser.new_context(base_url=panel.url, **options)  # pyright: ignore[reportArgumentType]
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        pages.append(page)
        page.goto(path)
        return page

    yield open_page
    folder = Path(os.environ.get("COMMONPLACE_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(pages):
        # A busy browser may refuse a picture, which nothing but the person who looks at it misses.
        with suppress(PlaywrightError):
            page.screenshot(path=folder / f"{request.node.name}-{number}.png")
    for context in contexts:
        context.close()
