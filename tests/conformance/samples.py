"""Memories and events with names one remembers."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from commonplace.model.identity import IdMaker, slug
from commonplace.model.memory import Event, Memory
from commonplace.model.scope import Scope

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
_new_id = IdMaker(os.urandom)


def new_id() -> str:
    return _new_id(int(NOON.timestamp() * 1000))


def memory(content: str = "Ada likes tea", scope: str = "/user/ada", **fields: Any) -> Memory:
    id = fields.pop("id", None) or new_id()
    values: dict[str, Any] = {
        "id": id,
        "content": content,
        "created": NOON,
        "updated": NOON,
        "scope": Scope.parse(scope),
        "slug": slug(content, id),
    }
    return Memory(**(values | fields))


def event(
    memory: str = "m-tea", action: str = "created", minute: float = 0, **fields: Any
) -> Event:
    values: dict[str, Any] = {
        "id": new_id(),
        "at": NOON + timedelta(minutes=minute),
        "action": action,
        "memory": memory,
        "scope": "/user/ada",
        "by": "cli",
    }
    return Event(**(values | fields))
