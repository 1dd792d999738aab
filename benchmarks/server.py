"""What the server adds to a recall, and whether 50 sessions at once lose anything.

    python benchmarks/server.py [--memories 10000] [--seconds 60] [--sessions 50]

The server is the real command in a process of its own; words only, so that the book answers fast
and the server's own share shows.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

import commonplace
from commonplace import Commonplace, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SYLLABLES = ("ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po", "re", "tha", "gu", "li")
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
ROUNDS = 200
READS_PER_WRITE = 4


def main() -> None:
    options = _options()
    chance = random.Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]

    def text(most: int = 30) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(6, most)))

    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        with _open(room) as book:
            people = ({"content": text(), "scope": f"/user/{n % 20}"} for n in itertools.count())
            book.save_many(list(itertools.islice(people, options.memories)))
            book.recall("settle")
        began = time.perf_counter()
        with _serving(room) as known:
            _row("from the command to the first answer", f"{time.perf_counter() - began:.1f} s", "")
            with _open(room) as book:
                # The server looks for hand-made edits beside its answers; so nobody does here.
                _compare(book.watched().as_context({"user": "7"}), known, text)
                failed = asyncio.run(_crowd(book, known, text, options))
    sys.exit(1 if failed else 0)


def _compare(mine: Commonplace, known: dict[str, Any], text: Callable[..., str]) -> None:
    """One question after the other by each way, in turn, so that noise meets all alike."""
    here: list[float] = []
    empty: list[float] = []
    there: list[float] = []
    with httpx.Client(base_url=known["url"], headers=_headers(known), timeout=60) as client:
        for _ in range(ROUNDS):
            query = text(12)
            here.append(_seconds(lambda query=query: mine.recall(query, limit=3)))
            empty.append(_seconds(lambda: _ask(client, "server/discover", {})))
            call = {"name": "memory_recall", "arguments": {"query": query}}
            there.append(_seconds(lambda call=call: _ask(client, "tools/call", call)))
    for what, times in (("in process", here), ("empty MCP round trip", empty), ("MCP", there)):
        middle, late = _share(times, 0.5), _share(times, 0.95)
        _row(f"recall, {what}", f"{middle * 1000:.1f} ms", f"p95 {late * 1000:.1f} ms")
    allowed = 2 * _share(here, 0.95) + _share(empty, 0.95)
    ratio = _share(there, 0.95) / allowed
    _row("MCP p95 : 2 x in process + empty", f"{ratio:.2f}", "at most 1")


async def _crowd(
    book: Commonplace, known: dict[str, Any], text: Callable[..., str], options: Any
) -> int:
    """Sessions that read and write at once; afterwards every acknowledged write must be there."""
    saved: list[str] = []
    problems: list[str] = []
    reads = 0
    until = time.monotonic() + options.seconds

    async def session(number: int) -> None:
        nonlocal reads
        async with httpx.AsyncClient(
            base_url=known["url"], headers=_headers(known), timeout=60
        ) as client:
            for turn in itertools.count():
                if time.monotonic() > until:
                    return
                if turn % (READS_PER_WRITE + 1) == 0:
                    content = f"session {number} turn {turn}: {text()}"
                    call: dict[str, Any] = {
                        "name": "memory_append",
                        "arguments": {"content": content},
                    }
                else:
                    call = {"name": "memory_search", "arguments": {"query": text(8), "limit": 5}}
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
    _row(f"{options.sessions} sessions, {options.seconds:.0f} s", f"{done:,.0f} /s", "")
    _row("  reads and writes", f"{reads:,} + {len(saved):,}", "")
    _row("  errors and lost writes", f"{len(problems)} + {len(lost)}", "none")
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


def _request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    headers = {"mcp-protocol-version": VERSION, "mcp-method": method}
    if "name" in params:
        headers["mcp-name"] = params["name"]
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return {"json": body, "headers": headers}


def _headers(known: dict[str, Any]) -> dict[str, str]:
    return {
        "authorization": f"Bearer {known['token']}",
        "accept": "application/json, text/event-stream",
        "commonplace-context": "/user/7",
    }


@contextmanager
def _serving(room: str) -> Iterator[dict[str, Any]]:
    environ = {
        **os.environ,
        "COMMONPLACE_URL": f"vault:{room}/notes",
        "COMMONPLACE_STATE": f"{room}/state",
        "COMMONPLACE_CONFIG": f"{room}/none.yaml",
        "COMMONPLACE_EMBEDDER": "none",
    }
    command = [sys.executable, "-m", "commonplace", "serve", "--port", "0"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout or ():
            if "Ctrl-C" in line:
                break
        with open(f"{room}/state/server.json", encoding="utf-8") as file:
            known = json.load(file)
        httpx.get(f"{known['url']}/health", timeout=60)
        yield known
    finally:
        process.terminate()
        process.wait()


def _open(room: str) -> Commonplace:
    settings = Settings(state=f"{room}/state", embedder="none")
    return commonplace.open(f"vault:{room}/notes", settings=settings)


def _seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _share(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _row(what: str, measured: str, limit: str) -> None:
    print(f"{what:45} {measured:>16}   {limit}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sessions", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
