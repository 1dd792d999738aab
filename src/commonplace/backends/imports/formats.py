"""Finds out what a file is, and reads it as drafts."""

from __future__ import annotations

from itertools import islice

from ...model.errors import BadInput
from ...model.value import Value
from . import conversations, memories, notes
from .streaming import first, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ...model.memory import Draft
    from ...model.results import LeftOut
    from .archive_file import ArchiveFile

    Read = Callable[[ArchiveFile, str], Iterator[Draft | LeftOut]]

LOOKED_AT = 20
"""So many lines tell what a file of lines is."""
BY_LINE = (".jsonl", ".ndjson")
IN_JSON = (".json", ".af", *BY_LINE)
VAULT = "_meta/vault.json"
_FORMATS: dict[str, tuple[Callable[[Any], bool], Read]] = {
    "mcp-memory": (memories.is_mcp_memory, memories.read_mcp_memory),
    "claude-code": (conversations.is_claude_code, conversations.read_claude_code),
    "chatgpt": (conversations.is_chatgpt, conversations.read_chatgpt),
    "claude": (conversations.is_claude_ai, conversations.read_claude_ai),
    "mem0": (memories.is_mem0, memories.read_mem0),
    "letta": (memories.is_letta, memories.read_letta),
    "commonplace": (memories.is_own, memories.read_own),
}
_NOTES = ("commonplace", "basic-memory", "markdown")
KINDS = (*_FORMATS, "basic-memory", "markdown", "chatgpt-memories")
"""What can be imported, by the names that `--as` takes."""
_ASIDE = frozenset({
    "export_manifest.json", "user.json", "users.json", "message_feedback.json",
    "shared_conversations.json", "model_comparisons.json", "projects.json",
    "shopping.json", "group_chats.json",
})  # fmt: skip
"""Files beside the conversations in what vendors export."""


class Opened(Value):
    """A parcel that was recognized."""

    kind: str
    parcel: ArchiveFile
    files: tuple[tuple[str, Read], ...]

    def drafts(self) -> Iterator[Draft | LeftOut]:
        """Everything in it, in order, a piece at a time; as often as it is asked for."""
        for name, read in self.files:
            yield from read(self.parcel, name)

    def close(self) -> None:
        """Let go of the file."""
        self.parcel.close()


def recognize(parcel: ArchiveFile, kind: str | None = None) -> Opened:
    """What a parcel is, or what somebody says it is; BadInput when it cannot be told."""
    if kind is not None and kind not in KINDS:
        raise BadInput(f"{kind!r} is no format.", hint=f"Use {', '.join(KINDS)}.")
    if VAULT in parcel.names:
        raise BadInput(
            f"{parcel.name} is a vault, and a book of its own.",
            hint="Export it first: `commonplace export all.jsonl --url vault:…`; or `move` it.",
        )
    for found in _in_json(parcel, kind), _in_notes(parcel, kind), _in_lines(parcel, kind):
        if found is not None:
            return found
    if kind is not None:
        raise BadInput(
            f"{parcel.name} holds nothing that could be {kind}.",
            hint="Leave out `--as` to let it be recognized.",
        )
    raise BadInput(
        f"{parcel.name} is no file that is known here.",
        hint=f"Known are {', '.join(KINDS)}; `commonplace import --as` says which it is.",
    )


def _in_json(parcel: ArchiveFile, kind: str | None) -> Opened | None:
    names = [n for n in parcel.ending(*IN_JSON) if n.rpartition("/")[2] not in _ASIDE]
    chosen = kind
    files: list[tuple[str, Read]] = []
    for name in names:
        begins = [] if kind else _beginnings(parcel, name)
        for known, (fits, read) in _FORMATS.items():
            # The first file that is known decides for all.
            if known == (chosen or known) and (kind or any(map(fits, begins))):
                chosen = known
                files.append((name, read))
                break
    return Opened(chosen, parcel, tuple(files)) if chosen and files else None


def _beginnings(parcel: ArchiveFile, name: str) -> list[Any]:
    """The first things in a file, one of which says what the rest is."""
    if not name.lower().endswith(BY_LINE):
        return [first(parcel, name)]
    return [one for one in islice(lines(parcel, name), LOOKED_AT) if one is not None]


def _in_notes(parcel: ArchiveFile, kind: str | None) -> Opened | None:
    names = parcel.ending(*notes.ENDINGS)
    if not names or (kind is not None and kind not in _NOTES):
        return None
    files = tuple((name, notes.read) for name in names)
    return Opened(kind or notes.kind_of(parcel), parcel, files)


def _in_lines(parcel: ArchiveFile, kind: str | None) -> Opened | None:
    if kind not in (None, "chatgpt-memories"):
        return None
    names = [n for n in parcel.ending(".txt") if kind or conversations.is_pasted(parcel.text(n))]
    files: tuple[tuple[str, Read], ...] = tuple((name, conversations.read_pasted) for name in names)
    return Opened("chatgpt-memories", parcel, files) if files else None
