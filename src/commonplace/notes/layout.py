"""The names of folders and files in a vault."""

from __future__ import annotations

FOLDERS = {
    "org": "orgs", "user": "users", "project": "projects", "agent": "agent-types", "task": "tasks",
}  # fmt: skip
"""The folder that holds a dimension's values."""
BOOK, AGENT, WORK, OVERRIDES = "system", "memory", "work", "overrides"
ALWAYS, INBOX, ARCHIVE, INCUBATOR = "_always-load", "_inbox", "_archive", "_idea-incubator"
SHELVES = (ALWAYS, INBOX, ARCHIVE, INCUBATOR)
"""The reserved folders that hold notes."""
ATTACHMENTS = "_attachments"
"""Holds very large originals beside their notes, and no notes."""
MAP, META, PROFILE, FACTS = "_index.md", "_meta", "profile.md", "facts.md"
