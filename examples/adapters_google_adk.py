"""An app of Google's Agent Development Kit whose memory is a book.

This plays the runner's part itself, so it runs without a key or network. In your app, pass the
service to the runner: `Runner(..., memory_service=BookMemoryService(book))`.

    python examples/adapters_google_adk.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

import commonplace
from commonplace.doors.adapters.google_adk import BookMemoryService

APP = "zoo"
SAID = (
    ("user", "The heron only eats fish that is still cold."),
    ("keeper", "I will tell the kitchen."),
)


async def talk(memory: BookMemoryService) -> None:
    """A session goes into the memory; another user's question does not find it, Ada's does."""
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=APP, user_id="ada")
    for author, text in SAID:
        content = types.Content(role=author, parts=[types.Part(text=text)])
        await sessions.append_event(session, Event(author=author, content=content))
        await memory.add_session_to_memory(session)
    for user in ("bob", "ada"):
        found = await memory.search_memory(
            app_name=APP, user_id=user, query="What does the heron eat?"
        )
        told = [(entry.content.parts or [types.Part()])[0].text for entry in found.memories]
        sys.stdout.write(f"{user} finds: {told[0] if told else 'nothing'}\n")


def main(arguments: list[str]) -> None:
    """All of it, in a book of its own or in the one that is named."""
    with tempfile.TemporaryDirectory() as folder:
        url = arguments[0] if arguments else f"vault:{Path(folder) / 'book'}"
        with commonplace.open(url) as book:
            asyncio.run(talk(BookMemoryService(book)))


if __name__ == "__main__":
    main(sys.argv[1:])
