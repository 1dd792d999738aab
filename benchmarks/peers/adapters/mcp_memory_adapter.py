"""The official MCP memory server (`@modelcontextprotocol/server-memory`), over stdio.

Mode: an entity per memory with one observation, by `create_entities`; a scope is the entity's type.
`search_nodes` finds entities that contain the query as it stands, in no order. A question finds
nothing so; the adapter asks for each word of four letters or more, as an agent would, and puts
entities with more of the words first.
Cannot: search by meaning, rank, or know that a fact changed. Time and memory are those of Node.
"""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
from typing import Any

from protocol import Adapter, Item, serve


class McpMemory(Adapter):
    def open(self, folder: str) -> None:
        environment = {**os.environ, "MEMORY_FILE_PATH": f"{folder}/memory.jsonl"}
        self.server = subprocess.Popen(
            ["node", os.environ["PEERS_PROGRAM"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.asked = 0
        self._call(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "peers", "version": "1"},
        )
        self._send({"method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.server.stdin
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.server.stdin.flush()

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": parameters})
        assert self.server.stdout
        for line in self.server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                if "error" in answer or answer["result"].get("isError"):
                    raise RuntimeError(json.dumps(answer)[:300])
                return answer["result"]
        raise RuntimeError("The server ended.")

    def _tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self._call("tools/call", name=name, arguments=arguments)["structuredContent"]

    def fill(self, items: list[Item]) -> None:
        entities = [
            {"name": one["id"], "entityType": one["scope"], "observations": [one["text"]]}
            for one in items
        ]
        self._tool("create_entities", entities=entities)

    def save(self, item: Item) -> None:
        self.fill([item])

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        count: collections.Counter[str] = collections.Counter()
        for word in dict.fromkeys(re.findall(r"\w{4,}", text.lower())):
            for one in self._tool("search_nodes", query=word)["entities"]:
                if one["entityType"] == scope:
                    count[one["name"]] += 1
        return [name for name, _ in count.most_common(limit)]

    def kept(self, scope: str) -> list[str]:
        entities = self._tool("read_graph")["entities"]
        return [one["name"] for one in entities if one["entityType"] == scope]

    def close(self) -> None:
        assert self.server.stdin
        self.server.stdin.close()
        try:
            self.server.wait(2)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()


if __name__ == "__main__":
    serve(McpMemory())
