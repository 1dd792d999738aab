"""The table of import formats, and their detection."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from ...model.errors import BadInput
from ...model.results import LeftOut
from ...model.value import Value
from . import claude_ai, conversations, databases, memories, notes, portable
from .json_reader import first_entry, json_lines
from .memories import is_chatgpt_memories, read_chatgpt_memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ...model.memory import Draft
    from ...rules.faults.links import DeadLink
    from .archive_file import ArchiveFile

    Read = Callable[[ArchiveFile, str], Iterator[Draft | LeftOut]]

SAMPLED_LINES = 20
"""Number of lines of a JSON Lines file that are read to detect the format."""
BY_LINE = (".jsonl", ".ndjson")
IN_JSON = (".json", ".af", *BY_LINE)
VAULT = "_meta/vault.json"
_FORMATS: dict[str, tuple[Callable[[Any], bool], Read]] = {
    "mcp-memory": (memories.is_mcp_memory, memories.read_mcp_memory),
    "claude-code": (conversations.is_claude_code, conversations.read_claude_code),
    "chatgpt": (conversations.is_chatgpt, conversations.read_chatgpt),
    "claude": (claude_ai.is_claude_ai, claude_ai.read_claude_ai),
    "mem0": (memories.is_mem0, memories.read_mem0),
    "letta": (memories.is_letta, memories.read_letta),
    "commonplace": (memories.is_commonplace, memories.read_commonplace),
}
_NOTES = ("commonplace", "basic-memory", "claude-memory", "markdown")
KINDS = (
    *_FORMATS, "claude-mem", "basic-memory", "claude-memory", "markdown", "chatgpt-memories",
    portable.AI_MEMORY, portable.BUNDLE,
)  # fmt: skip
"""Formats that can be imported, by the names that `--as` takes."""
_IGNORED_FILES = frozenset({
    "export_manifest.json", "user.json", "users.json", "message_feedback.json",
    "shared_conversations.json", "model_comparisons.json",
    "shopping.json", "group_chats.json",
})  # fmt: skip
"""Files in vendors' exports that hold no conversations."""


class RecognizedImport(Value):
    """A file, folder or zip file whose format is known."""

    kind: str
    archive: ArchiveFile
    files: tuple[tuple[str, Read], ...]

    @property
    def size(self) -> int:
        """The bytes of the files that are read."""
        return sum(self.archive.size(name) for name, _ in self.files)

    def drafts(self) -> Iterator[Draft | LeftOut]:
        """Its memories, read one by one; may be called again."""
        return (one for _, one in self.named_drafts())

    def named_drafts(self) -> Iterator[tuple[str, Draft | LeftOut]]:
        """The same, each with the name of its file."""
        for _ in range(self.archive.links):
            yield "", LeftOut("A link, which may lead out of the folder.")
        for name, read in self.files:
            for one in read(self.archive, name):
                yield name, one

    def dead_links(self) -> dict[str, tuple[DeadLink, ...]]:
        """The dead links of its notes, by file; other formats have none."""
        return notes.dead_note_links(
            self.archive, [name for name, _ in self.files if name.lower().endswith(notes.ENDINGS)]
        )

    def close(self) -> None:
        """Close the file."""
        self.archive.close()


def recognize_format(
    archive: ArchiveFile, kind: str | None = None, *, vaults: bool = False
) -> RecognizedImport:
    """Detect the format, or take `kind`; BadInput when it cannot be imported.

    A vault is no format to import, because `export` and `move` keep more of it; `vaults` reads one
    all the same.
    """
    if kind is not None and kind not in KINDS:
        raise BadInput(f"{kind!r} is not a format.", hint=f"Use {', '.join(KINDS)}.")
    if VAULT in archive.names:
        if vaults:
            return RecognizedImport("commonplace", archive, _vault_files(archive))
        raise BadInput(
            f"{archive.name} is a vault.",
            hint="Export it first: `commonplace export all.jsonl --url vault:…`; or `move` it.",
        )
    for recognize in (
        _database_import, _bundle_import, _ai_memory_import, _json_import, _notes_import,
        _pasted_import,
    ):  # fmt: skip
        if found := recognize(archive, kind):
            return found
    if kind is not None:
        raise BadInput(
            f"{archive.name} holds nothing in the format {kind}.",
            hint="Leave out `--as` to detect the format.",
        )
    _refuse_damaged_json(archive)
    if archive.names and not any(map(archive.size, archive.names)):
        raise BadInput(f"{archive.name} is empty.", hint="Download or export it again.")
    raise BadInput(
        f"Unrecognized format: {archive.name}.",
        hint=f"It can be one of: {', '.join(KINDS)}. On the command line `--as` names it.",
    )


def _vault_files(archive: ArchiveFile) -> tuple[tuple[str, Read], ...]:
    return tuple((name, notes.read_vault_file) for name in archive.ending(".md"))


def _database_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    chosen = kind
    files: list[tuple[str, Read]] = []
    for name in archive.ending(*databases.ENDINGS):
        found = databases.database_kind(archive, name)
        if found is not None and found[0] == (chosen or found[0]):
            chosen = found[0]
            files.append((name, found[1]))
    return RecognizedImport(chosen, archive, tuple(files)) if chosen and files else None


def _bundle_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    if kind not in (None, portable.BUNDLE):
        return None
    manifest = portable.bundle_manifest(archive, named=kind is not None)
    files = ((manifest, portable.read_bundle),) if manifest else ()
    return RecognizedImport(portable.BUNDLE, archive, files) if files else None


def _ai_memory_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    if kind not in (None, portable.AI_MEMORY):
        return None
    names = portable.ai_memory_files(archive) or (archive.ending(".json") if kind else [])
    files = tuple((name, portable.read_ai_memory) for name in names)
    return RecognizedImport(portable.AI_MEMORY, archive, files) if files else None


def _json_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    chosen = kind
    files: list[tuple[str, Read]] = []
    for name in _json_files(archive):
        begins = [] if kind else _first_entries(archive, name)
        for known, (fits, read) in _FORMATS.items():
            # The first recognized file decides the format of all.
            if known == (chosen or known) and (kind or any(map(fits, begins))):
                chosen = known
                files.append((name, read))
                break
    return RecognizedImport(chosen, archive, tuple(files)) if chosen and files else None


def _json_files(archive: ArchiveFile) -> list[str]:
    names = archive.ending(*IN_JSON)
    return [name for name in names if name.rpartition("/")[2] not in _IGNORED_FILES]


def _refuse_damaged_json(archive: ArchiveFile) -> None:
    """Raise BadInput for the first file whose JSON breaks off before its format can be seen."""
    for name in _json_files(archive):
        if not name.lower().endswith(BY_LINE):
            first_entry(archive, name)


def _first_entries(archive: ArchiveFile, name: str) -> list[Any]:
    """The entries of a file by which its format is detected; none of a damaged one."""
    if not name.lower().endswith(BY_LINE):
        with suppress(BadInput):
            return [first_entry(archive, name)]
        return []
    return [one for one in islice(json_lines(archive, name), SAMPLED_LINES) if one is not None]


def _notes_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    names = archive.ending(*notes.ENDINGS)
    if not names or (kind is not None and kind not in _NOTES):
        return None
    files = tuple((name, notes.read_note) for name in names)
    return RecognizedImport(kind or notes.notes_kind(archive), archive, files)


def _pasted_import(archive: ArchiveFile, kind: str | None) -> RecognizedImport | None:
    if kind not in (None, "chatgpt-memories"):
        return None
    names = [n for n in archive.ending(".txt") if kind or is_chatgpt_memories(archive.text(n))]
    files: tuple[tuple[str, Read], ...] = tuple((name, read_chatgpt_memories) for name in names)
    return RecognizedImport("chatgpt-memories", archive, files) if files else None
