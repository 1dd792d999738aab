"""Take the screenshots of the panel for docs/images, from a small example book.

python scripts/screenshots.py [folder]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from playwright.sync_api import sync_playwright

from commonplace.books.open import open_book
from commonplace.doors.server.sockets import port_socket
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace import Commonplace

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WIDTH, HEIGHT = 1180, 740
PROJECT = "/project/mech-fighters"
NOTES = (
    ("We deploy from the branch main, every Friday before noon", "workflow", "shipping", 24),
    ("Ada prefers tea in the morning and no meetings before ten", "preference", "habits", 21),
    ("The staging server forgets its cache every night; warm it with `make warm`", "fix", "", 19),
    (
        "Robots are balanced in pairs, so test changes against [[Titan]] and [[Wasp]]",
        "insight",
        "",
        12,
    ),
    ("Titan is slow and strong, see [[Balance sheet]]", "domain-reference", "robots", 11),
    ("Wasp is fast and weak, see [[Balance sheet]]", "domain-reference", "robots", 9),
    (
        "Every change of a robot is entered in [[Titan]]'s line and explained",
        "workflow",
        "robots",
        6,
    ),
    ("Prefer small pull requests; Ada reviews in the afternoon", "preference", "habits", 4),
    ("The build needs 4 GB of memory since the new textures", "fix", "shipping", 2),
)
TITLES = {4: "Titan", 5: "Wasp", 6: "Balance sheet"}
QUESTIONS = ("which branch do we deploy from?", "what does Ada like?", "how is Titan balanced?")


class Clock:
    """A clock that can be set back by days."""

    def __init__(self) -> None:
        self._today = datetime.now(UTC)
        self.days_ago = 0.0

    def __call__(self) -> datetime:
        """Now, minus `days_ago`."""
        return self._today - timedelta(days=self.days_ago)


def fill(book: Commonplace, clock: Clock) -> str:
    """Fill a book as a small team might; returns the id of a memory with a history."""
    for number, (text, kind, topic, days) in enumerate(NOTES):
        clock.days_ago = days
        book.save(
            text,
            kind=kind,
            topic=topic or None,
            title=TITLES.get(number, ""),
            scope=PROJECT if number > 2 else "/",
            tags=["robots"] if "robot" in text.lower() else [],
        )
        for question in QUESTIONS[: 1 + number % 3]:
            book.recall(question)
    clock.days_ago = 1
    person = book.as_context(book.context, source="cli")
    person.profile_set(
        "## Role\nLead of Mech Fighters\n\n## How I work\nShort answers, tests first."
    )
    person.fact_store("release.day", "Friday")
    book.fact_store("release.day", "Thursday")
    deploy = book.recall(QUESTIONS[0])[0].memory
    clock.days_ago = 0
    right = person.correct(deploy.id, "We deploy from the branch release, every Friday before noon")
    for question in QUESTIONS:
        book.recall(question)
    book.prompt("Deploy the new robots on Friday")
    return right.memory.id


def main() -> None:
    """Serve the book and take the screenshots."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="commonplace-pictures-") as room:
        settings = Settings(state=f"{room}/state", embedder="none")
        url, clock = f"vault:{room}/notes", Clock()
        with open_book(url, settings=settings, background=False, now=clock) as book:
            memory_id = fill(book, clock)
        with port_socket("127.0.0.1", 0) as bound:
            port = bound.getsockname()[1]
        process = _serve(room, port)
        try:
            _take(f"http://127.0.0.1:{port}", memory_id, folder)
        finally:
            process.terminate()
            process.wait()


def _serve(room: str, port: int) -> subprocess.Popen[bytes]:
    environ = {
        **os.environ,
        "COMMONPLACE_URL": f"vault:{room}/notes",
        "COMMONPLACE_STATE": f"{room}/state",
        "COMMONPLACE_CONFIG": f"{room}/config.yaml",
        "COMMONPLACE_EMBEDDER": "none",
    }
    serve = [sys.executable, "-m", "commonplace", "serve", "--port", str(port), "--json"]
    process = subprocess.Popen(serve, env=environ, stdout=subprocess.DEVNULL)  # noqa: S603
    while process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/health")
            return process
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("The server ended before it answered; see above.")


def _take(url: str, memory_id: str, folder: Path) -> None:
    pictures = (
        ("panel-browse", "/", "light"),
        ("panel-memory", f"/memory/{memory_id}", "light"),
        ("panel-graph", "/graph", "dark"),
        ("panel-lab", "/lab?q=which branch do we deploy from?", "light"),
        ("panel-health", "/vitals", "dark"),
        ("panel-timeline", "/timeline", "light"),
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path, scheme in pictures:
            page = browser.new_page(
                base_url=url,
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page.goto(path)
            page.wait_for_selector("h1")
            page.wait_for_timeout(2_000)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
