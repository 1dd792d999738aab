"""Stores of other systems, written with faults whose places are known."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
KINDS = {
    "junk": "junk",
    "duplicate": "duplicates",
    "contradiction": "contradictions",
    "secret": "secrets",
    "personal": "personal data",
    "path": "stale paths",
    "date": "stale dates",
    "order": "orders",
    "link": "dead links",
}
VALUES = {
    "password": "Wq7!" + "rT4nKz92",
    "github": "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO" + "0pINUx",
    "aws": "AKIA" + "QYLPMN5HFIQR7BBB",
    "openai": "sk-proj-" + "T3BlbkFJq8Zx1Vb6Nw2Rk9Lm4Ps7Yd" + "0HtUcEaGi5",
    "slack": "xoxb-" + "2468013579-9753108642-" + "aBcDeFgHiJkLmNoPqRsTuVwX",
    "pin": "4711" + "93",
    "mail": "h.okafor" + "@" + "nordlicht-verlag.de",
    "card": "4539 1488 " + "0343 6467",
    "iban": "NO93 8601 " + "1117 947",
    "ssn": "536-22-" + "8726",
}
BEGUN = datetime(2025, 6, 1, 9, tzinfo=UTC)
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Planted(NamedTuple):
    """One statement, its fault and the group it belongs to."""

    fault: str
    group: str
    text: str
    at: datetime

    @property
    def pair(self) -> str:
        """Equal for two statements that repeat or contradict each other."""
        kind = {"copy": "duplicate", "rival": "contradiction"}.get(self.fault, self.fault)
        return f"{kind} {self.group}" if self.group else self.text


def stores(name: str, here: Path) -> dict[str, list[Planted]]:
    """The planted statements of each store of a set."""
    found: dict[str, list[Planted]] = {}
    values = {**VALUES, "here": str(here), "home": "/home/w.lindqvist"}
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("== "):
            found[line[3:]] = []
        elif " | " in line and not line.startswith("#"):
            fault, text = line.split(" | ", 1)
            kind, _, group = fault.partition(" ")
            for key, value in values.items():
                text = text.replace(f"{{{key}}}", value)
            store = list(found.values())[-1]
            store.append(Planted(kind, group, text, BEGUN + timedelta(hours=7 * len(store))))
    return found


def chunks(planted: Sequence[Planted], size: int = 9) -> Iterator[list[Planted]]:
    """Parts of a store, none of which parts a pair."""
    part: list[Planted] = []
    for one in planted:
        if len(part) >= size and one.pair != part[-1].pair:
            yield part
            part = []
        part.append(one)
    yield part


def mem0(folder: Path, planted: Sequence[Planted]) -> Path:
    """A history database, with an update and a deletion before the last state."""
    path = folder / "history.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT,"
            " new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME,"
            " is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        add = "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, NULL, ?, NULL, 'user')"
        for number, one in enumerate(planted):
            at = one.at.isoformat()
            db.execute(add, (f"e{number}", f"m{number}", None, one.text, "ADD", at, 0))
        at = BEGUN.isoformat()
        db.execute(add, ("x1", "gone", None, "The wiki is read-only.", "ADD", at, 0))
        db.execute(add, ("x2", "gone", "The wiki is read-only.", None, "DELETE", at, 1))
    return path


def mcp_memory(folder: Path, planted: Sequence[Planted]) -> Path:
    """A file of the reference memory server."""
    path = folder / "memory.jsonl"
    lines: list[dict[str, object]] = []
    names: list[str] = []
    for number, part in enumerate(chunks(planted, 14)):
        names.append(("Tomasz", "search service", "Kestrel Labs", "crawler")[number % 4])
        observed = [one.text for one in part]
        lines.append(
            {"type": "entity", "name": f"{names[-1]} {number}", "entityType": "thing",
             "observations": observed}
        )  # fmt: skip
    relations: list[dict[str, object]] = [
        {"type": "relation", "from": f"{names[number]} {number}",
         "to": f"{names[number + 1]} {number + 1}", "relationType": "belongs_to"}
        for number in range(len(names) - 1)
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(line) for line in [*lines, *relations]))
    return path


def basic_memory(folder: Path, planted: Sequence[Planted]) -> Path:
    """Notes with observations and relations, the last one's to the first."""
    home = folder / "notes"
    home.mkdir()
    parts = list(chunks(planted))
    for number, part in enumerate(parts):
        observed = "\n".join(f"- [technique] {one.text}" for one in part)
        (home / f"note-{number}.md").write_text(
            f"---\ntitle: Note {number}\ntype: note\npermalink: notes/note-{number}\n---\n\n"
            f"# Note {number}\n\n## Observations\n{observed}\n\n"
            f"## Relations\n- relates_to [[Note {(number + 1) % len(parts)}]]\n"
        )
    return home


def claude_mem(folder: Path, planted: Sequence[Planted]) -> Path:
    """The database of claude-mem, in the mode in which it leaves a log beside it."""
    path = folder / "claude-mem.db"
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA journal_mode=WAL;"
        "CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT);"
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT,"
        " text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,"
        " concepts TEXT, files_read TEXT, files_modified TEXT, created_at TEXT,"
        " created_at_epoch INTEGER);"
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT,"
        " project TEXT, request TEXT, learned TEXT, completed TEXT, created_at TEXT);"
    )
    for number, part in enumerate(chunks(planted, 3)):
        first, *rest = part
        at = first.at
        db.execute(
            "INSERT INTO observations VALUES (?, 's1', 'gallery', NULL, 'discovery', ?, NULL, ?, ?,"
            " '[]', '[]', '[]', ?, ?)",
            (number, f"Work {number}", json.dumps([one.text for one in rest]), first.text,
             at.isoformat(), int(at.timestamp() * 1000)),
        )  # fmt: skip
    db.commit()
    db.close()
    return path


def claude_auto_memory(folder: Path, planted: Sequence[Planted]) -> Path:
    """The folder in which Claude Code keeps what it learned about a project."""
    home = folder / "memory"
    home.mkdir()
    index = ["# Memory\n"]
    own, *topics = chunks(planted)
    index += [f"- {one.text}" for one in own]
    for number, part in enumerate(topics):
        body = "\n\n".join(one.text for one in part)
        (home / f"topic_{number}.md").write_text(
            f"---\nname: topic {number}\ndescription: what was learned {number}\n"
            f"type: feedback\n---\n\n{body}\n"
        )
        index.append(f"- [Topic {number}](topic_{number}.md) — what was learned")
    (home / "MEMORY.md").write_text("\n".join(index))
    return home


def chatgpt(folder: Path, planted: Sequence[Planted]) -> Path:
    """Conversations as ChatGPT exports them, with answers between the user's turns."""
    path = folder / "conversations.json"
    talks: list[dict[str, object]] = []
    for number, part in enumerate(chunks(planted)):
        nodes: dict[str, dict[str, object]] = {}
        parent: str | None = None
        for place, one in enumerate(part):
            answer = f"For shelf {number}-{place} a label in two colours is easy to find again."
            for role, text in (("user", one.text), ("assistant", answer)):
                id = f"{number}-{place}-{role}"
                nodes[id] = {
                    "parent": parent,
                    "children": [],
                    "message": {
                        "id": id,
                        "author": {"role": role},
                        "create_time": one.at.timestamp(),
                        "content": {"content_type": "text", "parts": [text]},
                    },
                }
                parent = id
        talks.append({"conversation_id": f"c{number}", "mapping": nodes, "current_node": parent})
    path.write_text(json.dumps(talks))
    return path


def notes_folders(folder: Path, files: Mapping[str, Sequence[Planted]]) -> dict[str, Path]:
    """Folders of plain notes by their names, with a list item for each statement."""
    for name, statements in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (one.text if one.fault == "head" else f"- {one.text}" for one in statements)
        path.write_text("\n".join(lines) + "\n")
    names = dict.fromkeys(name.split("/")[0] for name in files)
    return {name: folder / name for name in names}


WRITERS: dict[str, Callable[[Path, Sequence[Planted]], Path]] = {
    "mem0": mem0,
    "mcp-memory": mcp_memory,
    "basic-memory": basic_memory,
    "claude-mem": claude_mem,
    "claude-auto-memory": claude_auto_memory,
    "chatgpt": chatgpt,
}
