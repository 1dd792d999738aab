"""Measure the overhead of the server on a recall, and check 50 concurrent sessions for losses.

    python benchmarks/speed/server.py [--memories 10000] [--seconds 60] [--sessions 50]

The server runs as its own process, without vectors, so that its overhead is visible.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import httpx
from parts.making import short_words
from parts.serving import served
from parts.timing import in_turn, row

import commonplace
from commonplace import Commonplace, Settings

if TYPE_CHECKING:
    from parts.making import Language
    from tests.doors.machines import Machine

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
ROUNDS = 200
READS_PER_WRITE = 4


def main() -> None:
    options = _options()
    language = short_words(20_000)
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        with _open(room) as book:
            book.save_many(
                {"content": language.text(6, 30), "scope": f"/user/{n % 20}"}
                for n in range(options.memories)
            )
            book.recall("settle")
        began = time.perf_counter()
        with served(f"vault:{room}/notes", room) as server:
            httpx.get(f"{server.url}/health", timeout=60)
            row("from the command to the first answer", f"{time.perf_counter() - began:.1f} s")
            with _open(room) as book:
                # The server looks for hand-made edits beside its answers; so nobody does here.
                _compare(book.watched().as_context({"user": "7"}), server, language)
                failed = asyncio.run(_crowd(book, server, language, options))
    sys.exit(1 if failed else 0)


def _compare(mine: Commonplace, server: Machine, language: Language) -> None:
    """Compare a recall in process with an empty MCP call and a recall by MCP."""
    with httpx.Client(base_url=server.url, headers=_headers(server), timeout=60) as client:
        ways = (
            lambda query: mine.recall(query, limit=3),
            lambda _: _ask(client, "server/discover", {}),
            lambda query: _ask(client, "tools/call", _call("memory_recall", query=query)),
        )
        here, empty, there = in_turn(ways, [language.text(6, 12) for _ in range(ROUNDS)])
    for what, times in (("in process", here), ("empty MCP round trip", empty), ("MCP", there)):
        middle, late = _share(times, 0.5), _share(times, 0.95)
        row(f"recall, {what}", f"{middle * 1000:.1f} ms", f"p95 {late * 1000:.1f} ms")
    allowed = 2 * _share(here, 0.95) + _share(empty, 0.95)
    ratio = _share(there, 0.95) / allowed
    row("MCP p95 : 2 x in process + empty", f"{ratio:.2f}", "at most 1")


async def _crowd(book: Commonplace, server: Machine, language: Language, options: Any) -> int:
    """Concurrent sessions that read and write; every acknowledged write must exist afterwards."""
    saved: list[str] = []
    problems: list[str] = []
    reads = 0
    until = time.monotonic() + options.seconds

    async def session(number: int) -> None:
        nonlocal reads
        async with httpx.AsyncClient(
            base_url=server.url, headers=_headers(server), timeout=60
        ) as client:
            for turn in itertools.count():
                if time.monotonic() > until:
                    return
                if turn % (READS_PER_WRITE + 1) == 0:
                    content = f"session {number} turn {turn}: {language.text(6, 30)}"
                    call = _call("memory_append", content=content)
                else:
                    call = _call("memory_search", query=language.text(6, 8), limit=5)
                    reads += 1
                response = await client.post("/mcp", **_request("tools/call", call))
                told = response.json().get("result", {}) if response.is_success else {}
                if told.get("isError") is not False and "structuredContent" not in told:
                    problems.append(response.text[:300])
                elif call["name"] == "memory_append":
                    saved.append(told["structuredContent"]["memory"]["id"])

    await asyncio.gather(*(session(number) for number in range(options.sessions)))
    lost = [id for id in saved if not _there(book, id)]
    done = (reads + len(saved)) / options.seconds
    row(f"{options.sessions} sessions, {options.seconds:.0f} s", f"{done:,.0f} /s")
    row("  reads and writes", f"{reads:,} + {len(saved):,}")
    row("  errors and lost writes", f"{len(problems)} + {len(lost)}", "none")
    for one in problems[:5]:
        print(one)
    return len(problems) + len(lost)


def _there(book: Commonplace, id: str) -> bool:
    try:
        return book.get(id).status == "active"
    except commonplace.NotFound:
        return False


def _ask(client: httpx.Client, method: str, params: dict[str, Any]) -> None:
    response = client.post("/mcp", **_request(method, params))
    response.raise_for_status()
    assert "result" in response.json(), response.text


def _call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


def _request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    headers = {"mcp-protocol-version": VERSION, "mcp-method": method}
    if "name" in params:
        headers["mcp-name"] = params["name"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return {"json": body, "headers": headers}


def _headers(server: Machine) -> dict[str, str]:
    return {
        "authorization": f"Bearer {server.key}",
        "accept": "application/json, text/event-stream",
        "commonplace-context": "/user/7",
    }


def _open(room: str) -> Commonplace:
    settings = Settings(state=f"{room}/state", embedder="none")
    return commonplace.open(f"vault:{room}/notes", settings=settings)


def _share(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sessions", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
