"""A host that has started `commonplace mcp` and talks to it, line by line."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
WAIT_S = 60.0


class Pipe:
    """The process, and what it has said."""

    def __init__(
        self, environ: Mapping[str, str], *options: str, folder: Path | None = None, log: Any = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "commonplace", "mcp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if log is None else log,
            env=dict(environ),
            cwd=folder,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._count = 0

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def __enter__(self) -> Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def send(self, line: bytes | dict[str, Any]) -> None:
        """Send a line: a message, or any bytes."""
        assert self.process.stdin
        data = line if isinstance(line, bytes) else json.dumps(line).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def next(self, timeout: float = WAIT_S) -> dict[str, Any]:
        """The next message that comes; everything that comes is one."""
        message = json.loads(self._lines.get(timeout=timeout))
        assert message.pop("jsonrpc") == "2.0"
        return message

    def silent(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for a while."""
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def request(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        self._count += 1
        self.send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        return self._count

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request, as the next message."""
        id = self.request(method, **params)
        answer = self.next()
        assert answer.pop("id") == id
        return answer

    def modern(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request of the modern era."""
        return self.ask(method, **params, _meta=ENVELOPE)

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        """Begin a session, and return what the server says of itself."""
        me = {"name": "host", "version": "1"}
        given = {"protocolVersion": version, "capabilities": {}, "clientInfo": me}
        result = self.ask("initialize", **given)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def end(self) -> tuple[int, str]:
        """Close the input, and return the exit code and the log."""
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(WAIT_S)
        self._reader.join()
        return code, self.process.stderr.read().decode() if self.process.stderr else ""
