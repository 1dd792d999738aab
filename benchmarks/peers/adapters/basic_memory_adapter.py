"""basic-memory: markdown notes with an index in SQLite, words and vectors together.

Mode: its MCP server, asked in one process by an MCP client (`write_note`, `search_notes`); many at
once as files that are indexed, as `basic-memory reindex` does. Search is hybrid, its default where
vectors are there, without a least similarity; a scope is a project. Vectors are handed in by a
provider of its own protocol.
Cannot: know that a fact changed; an agent edits the note.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from protocol import DIMENSIONS, Adapter, Item, embed, load_extensions, serve

QUIET_S = 1.0


class Handed:
    """An embedding provider that has its vectors from the driver."""

    model_name = "bge-small-en-v1.5"
    dimensions = DIMENSIONS
    last = 0.0

    async def embed_query(self, text: str) -> list[float]:
        return embed([text])[0]

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.last = time.monotonic()
        return embed(texts)

    def runtime_log_attrs(self) -> dict[str, Any]:
        return {}


class BasicMemory(Adapter):
    def open(self, folder: str) -> None:
        os.environ.update(
            HOME=folder,
            BASIC_MEMORY_HOME=f"{folder}/notes",
            BASIC_MEMORY_CONFIG_DIR=f"{folder}/config",
            BASIC_MEMORY_FORCE_LOCAL="true",
            BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="true",
            BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY="0",
            BASIC_MEMORY_LOG_LEVEL="ERROR",
        )
        load_extensions()
        import basic_memory.repository.embedding_provider_factory as factory

        self.handed = Handed()
        factory.create_embedding_provider = lambda config: self.handed
        import basic_memory.mcp.tools  # noqa: F401 (registers the tools)
        from basic_memory.mcp.server import mcp
        from fastmcp import Client

        self.folder = folder
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = Client(mcp)
        self._wait(self.client.__aenter__())

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def _tool(self, name: str, **given: Any) -> Any:
        done = self._wait(self.client.call_tool(name, {**given, "output_format": "json"}))
        return done.data if done.data is not None else done.structured_content

    def fill(self, items: list[Item]) -> None:
        for item in items:
            self._project(item["scope"])
            place = Path(self.folder, "projects", item["scope"], "notes", f"{item['id']}.md")
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"---\ntitle: {item['id']}\n---\n\n{item['text']}\n", "utf-8")
        self._wait(self._index({item["scope"] for item in items}))

    async def _index(self, scopes: set[str]) -> None:
        """Index the files of projects, as `basic-memory reindex` does."""
        from basic_memory import db
        from basic_memory.index import local_project
        from basic_memory.repository import ProjectRepository

        async with db.scoped_session(db._session_maker) as session:
            projects = await ProjectRepository().get_active_projects(session)
        for project in projects:
            if project.name in scopes:
                index = local_project.run_local_project_index_for_project
                factory = local_project.LocalProjectIndexRuntimeFactory()
                await index(project, runtime_factory=factory)

    def save(self, item: Item) -> None:
        self._project(item["scope"])
        note = {"title": item["id"], "content": item["text"], "project": item["scope"]}
        self._tool("write_note", directory="notes", **note)

    def _project(self, scope: str) -> None:
        place = f"{self.folder}/projects/{scope}"
        if not os.path.isdir(place):
            self._tool("create_memory_project", project_name=scope, project_path=place)

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        found = self._tool("search_notes", query=text, project=scope, page_size=limit)
        return list(dict.fromkeys(one["title"] for one in found["results"]))

    def kept(self, scope: str) -> list[str]:
        # Its tools list no more than a page of everything; its index knows all.
        db = sqlite3.connect(f"{self.folder}/config/memory.db")
        asked = "SELECT title FROM entity JOIN project ON project_id = project.id WHERE name = ?"
        return [title for (title,) in db.execute(asked, (scope,))]

    def settle(self) -> None:
        while time.monotonic() - self.handed.last < QUIET_S:
            time.sleep(0.1)

    def close(self) -> None:
        self._wait(self.client.__aexit__(None, None, None))


if __name__ == "__main__":
    serve(BasicMemory())
