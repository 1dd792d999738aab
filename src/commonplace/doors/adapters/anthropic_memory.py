"""Anthropic's memory tool over a book: files that Claude writes below /memories are memories.

    tool = BookMemoryTool(book)
    client.beta.messages.tool_runner(model=…, messages=[…], tools=[tool]).until_done()

Answers and errors have the wording of the SDK's own tool for local files.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from typing_extensions import override

from ...model.errors import CommonplaceError
from .conversations import require_extra
from .memory_files import MemoryFiles, parts_of

with require_extra("anthropic", extra="anthropic"):
    from anthropic.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anyio.to_thread import run_sync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818Command,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from ...book import Commonplace
    from .memory_files import Parts

MOST_LINES = 999_999
LEVELS = 2
FOLDER_SIZE = "4K"
"""Size of a folder on most file systems; here folders take no space."""


class BookMemoryTool(BetaAbstractMemoryTool):
    """The tool's six commands, over the scope that the book was opened with."""

    def __init__(
        self, book: Commonplace, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._book = book
        # A command reads and then writes; two threads of one agent must not do so at once.
        self._lock = threading.Lock()

    @override
    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Run a command; an error of the book becomes a ToolError for the model."""
        try:
            with self._lock:
                return cast("str", super().execute(command))
        except CommonplaceError as error:
            raise ToolError(str(error)) from error

    @override
    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or list a folder."""
        parts, files = parts_of(command.path), MemoryFiles(self._book)
        if files.is_folder(parts):
            listed = [f"{FOLDER_SIZE}\t{command.path}"]
            listed += (
                f"{size}\t{command.path}/{name}" for size, name in _list_folder(files, parts)
            )
            return (
                f"Here're the files and directories up to {LEVELS} levels deep in {command.path},"
                " excluding hidden items:\n" + "\n".join(listed)
            )
        if not files.is_file(parts):
            raise _missing_path(command.path)
        lines, first = files.text(parts).split("\n"), 0
        if len(lines) > MOST_LINES:
            raise ToolError(
                f"File {command.path} exceeds maximum line limit of {MOST_LINES:,} lines."
            )
        if command.view_range and len(command.view_range) == 2:
            first, last = max(1, command.view_range[0]) - 1, command.view_range[1]
            lines = lines[first : len(lines) if last == -1 else last]
        return f"Here's the content of {command.path} with line numbers:\n" + _numbered(
            lines, first
        )

    @override
    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file; an existing one is never overwritten."""
        parts, files = parts_of(command.path), MemoryFiles(self._book)
        if files.below_a_file(parts):
            raise _not_a_folder(command.path)
        if files.exists(parts):
            raise ToolError(f"File {command.path} already exists")
        files.write(parts, command.file_text)
        return f"File created successfully at: {command.path}"

    @override
    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once."""
        parts, files = parts_of(command.path), MemoryFiles(self._book)
        text = _read_text(files, parts, command.path)
        if (count := text.count(command.old_str)) == 0:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear"
                f" verbatim in {command.path}."
            )
        if count > 1:
            lines = ", ".join(str(line + 1) for line in _lines_with(text, command.old_str))
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str"
                f" `{command.old_str}` in lines: {lines}. Please ensure it is unique"
            )
        changed = next(_lines_with(text, command.old_str))
        new = text.replace(command.old_str, command.new_str)
        files.write(parts, new)
        first = max(0, changed - 2)
        return (
            "The memory file has been edited. Here is the snippet showing the change"
            " (with line numbers):\n" + _numbered(new.split("\n")[first : changed + 3], first)
        )

    @override
    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        parts, files = parts_of(command.path), MemoryFiles(self._book)
        lines = _read_text(files, parts, command.path).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        new = "\n".join(lines)
        files.write(parts, new if new.endswith("\n") else f"{new}\n")
        return f"The file {command.path} has been edited."

    @override
    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file or a folder; a person can restore it."""
        parts, files = parts_of(command.path), MemoryFiles(self._book)
        if not parts:
            raise ToolError("Cannot delete the /memories directory itself")
        if not files.exists(parts):
            raise ToolError(f"The path {command.path} does not exist")
        files.remove(parts)
        return f"Successfully deleted {command.path}"

    @override
    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder; an existing one is never overwritten."""
        old, new = parts_of(command.old_path), parts_of(command.new_path)
        files = MemoryFiles(self._book)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        if files.exists(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        if not files.below_a_file(new):
            files.make_folders(new[:-1])
        elif files.exists(old):
            raise _not_a_folder(command.new_path)
        if not files.exists(old):
            raise ToolError(f"The path {command.old_path} does not exist")
        if new[: len(old)] == old:
            raise ToolError(f"{command.old_path} cannot be moved into itself")
        files.move(old, new)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    @override
    def clear_all_memory(self) -> str:
        """Forget every file."""
        with self._lock:
            MemoryFiles(self._book).remove(())
        return "All memory cleared"


class AsyncBookMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for the asynchronous client; a thread asks the book."""

    def __init__(
        self, book: Commonplace, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = BookMemoryTool(book)

    @override
    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Run a command."""
        return await run_sync(self._tool.execute, command)

    @override
    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file with line numbers, or list a folder."""
        return await self.execute(command)

    @override
    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file; an existing one is never overwritten."""
        return await self.execute(command)

    @override
    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once."""
        return await self.execute(command)

    @override
    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line."""
        return await self.execute(command)

    @override
    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file or a folder; a person can restore it."""
        return await self.execute(command)

    @override
    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder; an existing one is never overwritten."""
        return await self.execute(command)

    @override
    async def clear_all_memory(self) -> str:
        """Forget every file."""
        return await run_sync(self._tool.clear_all_memory)


def _list_folder(files: MemoryFiles, folder: Parts) -> Iterator[tuple[str, str]]:
    """Sizes and names in a folder, two levels deep."""

    def below(place: Parts) -> Iterator[tuple[str, str]]:
        for one in files.inside(place):
            name = "/".join(one[len(folder) :])
            if files.is_file(one):
                yield _size(len(files.text(one).encode())), name
                continue
            yield FOLDER_SIZE, f"{name}/"
            if len(one) - len(folder) < LEVELS:
                yield from below(one)

    return below(folder)


def _size(octets: int) -> str:
    """A size as the SDK's own tool writes it: 0B, 900B, 1.5K."""
    step = min((max(octets, 1).bit_length() - 1) // 10, 3)
    size = octets / 1024**step
    return f"{int(size)}{'BKMG'[step]}" if size == int(size) else f"{size:.1f}{'BKMG'[step]}"


def _read_text(files: MemoryFiles, parts: Parts, path: str) -> str:
    if not files.exists(parts):
        raise _missing_path(path)
    if not files.is_file(parts):
        raise ToolError(f"The path {path} is not a file.")
    return files.text(parts)


def _lines_with(text: str, part: str) -> Iterator[int]:
    """Numbers of the lines, from 0, in which the part begins; overlaps count."""
    at = text.find(part)
    while at != -1:
        yield text.count("\n", 0, at)
        at = text.find(part, at + 1)


def _numbered(lines: list[str], first: int) -> str:
    width = len(str(MOST_LINES))
    return "\n".join(f"{first + n:{width}d}\t{line}" for n, line in enumerate(lines, 1))


def _missing_path(path: str) -> ToolError:
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")


def _not_a_folder(path: str) -> ToolError:
    return ToolError(f"The path {path} leads through a file, which is not a directory.")
