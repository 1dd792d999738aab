"""A package index on loopback that serves the files of a folder."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote


@contextmanager
def loopback_index(folder: Path) -> Iterator[str]:
    """Serve wheels and sdists by the simple repository format; the address of the index."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path)
            if path.startswith("/files/"):
                file = folder / Path(path).name
                self._send(file.read_bytes() if file.is_file() else None, "application/zip")
                return
            wanted = path.removeprefix("/simple/").strip("/")
            found = [one.name for one in sorted(folder.iterdir()) if project(one.name) == wanted]
            links = "".join(
                f'<a href="/files/{quote(name)}">{html.escape(name)}</a><br>' for name in found
            )
            page = f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
            self._send(page if found else None, "text/html")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _send(self, body: bytes | None, kind: str) -> None:
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()


def project(file: str) -> str:
    """The normalized name of the project that a file belongs to."""
    name = file.split("-", maxsplit=1)[0] if file.endswith(".whl") else file.rpartition("-")[0]
    return re.sub(r"[-_.]+", "-", name).lower()
