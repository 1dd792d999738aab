"""Statuses, changes, doors and tiers in the words that people read; JSON keeps the names.

Imports nothing, because `recall` needs it at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.memory import Memory

STATUSES = {
    "active": "in use",
    "deleted": "forgotten",
    "superseded": "replaced",
    "staged": "waiting",
}
"""Other statuses are plain words themselves."""
_ACTIONS = {
    "superseded": "replaced",
    "deduplicated": "said again",
    "staged": "put in the inbox",
    "generalized": "promoted to every branch",
    "reviewed": "marked for review",
    "staled": "marked as stale",
    "rescoped": "moved to another scope",
    "loaded": "set to be loaded always",
    "unloaded": "no longer loaded always",
}
_DOORS = {
    "cli": "by a person at a terminal",
    "panel": "by a person in the panel",
    "hand": "by a person in an editor",
    "person": "by a person",
    "tour": "by the tour",
    "shell": "by an agent or a script in a shell",
    "library": "by a program",
    "mcp": "by an agent over MCP",
    "rest": "by a program over REST",
    "hook": "by an agent's hook",
    "tool": "by a tool of an agent",
    "maintain": "by maintenance",
}
TIERS_LOADED = {
    "identity": "at the start of every session",
    "critical": "at the start of sessions in its scope",
    "topic": "with its topic",
    "search": "when a question finds it",
    "archive": "for questions about the past",
}
"""When the memories of each tier are loaded."""


def loaded(memory: Memory) -> str:
    """When a memory is loaded."""
    if memory.always_load:
        return "always"
    # These come unasked as well, although a question finds them.
    if memory.tier == "search" and (memory.kind == "preference" or memory.key is not None):
        return f"{TIERS_LOADED['critical']}, as far as there is room"
    return TIERS_LOADED[memory.tier]


_CAPABILITIES = {
    "files": "notes as files",
    "database": "one database",
    "shared": "shared by machines",
    "keyword": "search by words",
    "vector": "search by meaning",
    "map": "a map note",
    "personal": "personal notes",
}
_OWNERS = {
    "user": "a person",
    "agent": "an agent",
    "system": "maintenance",
    "external": "nobody here: the text is from outside",
}
"""Who said what a memory tells, in the words that people read, by the name of its trust."""


def owner(name: str, trust: str) -> str:
    """Who a memory belongs to: the person who wrote, edited or confirmed it, or else an agent."""
    return _OWNERS["user" if name in ("personal", "curated") else trust]


def status(name: str) -> str:
    """A memory's status."""
    return STATUSES.get(name, name)


def action(name: str) -> str:
    """The action of an audit event."""
    return _ACTIONS.get(name, name)


def capability(name: str) -> str:
    """The names of what a store or an index can do, in the words that people read."""
    return _CAPABILITIES.get(name, name)


def by_door(source: str) -> str:
    """Who came through a door, such as `by an agent over MCP`; of an import, its origin."""
    return _DOORS.get(source) or f"from {source.removeprefix('import:')}"
