"""Connect a host and disconnect it: work out the change to each file, show it, make it, undo it.

What a file was before is kept in the state folder. As long as nobody else has changed the file,
undoing puts that back, byte for byte; otherwise only what is ours is taken out.
"""

from __future__ import annotations

import difflib
import os
from contextlib import contextmanager
from typing import Any

from ... import settings
from ...model.errors import BadInput, StoreUnavailable
from ...model.value import Value
from . import records
from .hosts import Wanted, host, program
from .pieces import Handler, Member, TomlBlock, pruned
from .settings_json import EMPTY, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from .hosts import Host
    from .pieces import Piece
    from .records import Record


class Edit(Value):
    """One file as it is and as it should be; None where there is, or should be, no file."""

    path: str
    before: str | None
    after: str | None
    original: str | None = None
    """The file as it is without us."""
    server: Any = None
    """What there is of us among the host's servers."""

    @property
    def diff(self) -> str:
        """The change, as people are used to see it."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            self.path if self.before is not None else os.devnull,
            self.path if self.after is not None else os.devnull,
            lineterm="",
        )
        return "\n".join(lines)


def connecting(host: Host, environ: Mapping[str, str], wanted: Wanted, state: str) -> list[Edit]:
    """What has to change so that a host is connected; nothing once it is."""
    record = records.read_record(state, host.name)
    # What is not wanted now may be there from the last time.
    possible = _by_file(host.wants(environ, wanted.but(mcp=True)))
    edits: list[Edit] = []
    for path, pieces in _by_file(host.wants(environ, wanted)).items():
        before = _read(path)
        empty = "" if isinstance(pieces[0], TomlBlock) else EMPTY
        after = before if before and before.strip() else empty
        with _naming(path):
            for piece in pieces:
                after = piece.put(after)
            if after != before:
                ours = [_knowing(record, path, piece, before) for piece in possible[path]]
                original = _original(record, path, ours, before)
                edits.append(Edit(path, before, after, original, _server(ours, after)))
    return edits


def disconnecting(host: Host, environ: Mapping[str, str], state: str) -> list[Edit]:
    """What has to change so that nothing of ours is left with a host."""
    record = records.read_record(state, host.name)
    edits: list[Edit] = []
    for path, pieces in _possible(host, environ).items():
        before = _read(path)
        if before is None:
            continue
        with _naming(path):
            ours = [_knowing(record, path, piece, before) for piece in pieces]
            after = _original(record, path, ours, before)
        if after != before:
            edits.append(Edit(path, before, after, record.original(path, before)))
    return edits


def connect(host: Host, edits: Sequence[Edit], state: str) -> None:
    """Change the files, with what they were before kept in the state folder."""
    for edit in edits:
        records.keep_record(
            state, host.name, edit.path, edit.original, edit.after or "", server=edit.server
        )
        _write(edit.path, edit.after)


def disconnect(host: Host, environ: Mapping[str, str], edits: Sequence[Edit], state: str) -> None:
    """Change the files back, and the folders that were made for them.

    Where the host has settings elsewhere, too, those stay connected.
    """
    record = records.read_record(state, host.name)
    for edit in edits:
        _write(edit.path, edit.after)
    paths = _possible(host, environ).keys()
    for folder in record.made_folders(paths):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)
    # A file that was not put back as it was leaves its copy behind, in case it is missed.
    missed = {one.path for one in edits if one.after != one.original}
    records.drop_record(state, host.name, paths, but_copies=missed)


def _original(record: Record, path: str, pieces: Sequence[Piece], text: str | None) -> str | None:
    """A file as it is without us."""
    if text is None or not text.strip():
        return text
    if record.untouched(path, text):
        return record.original(path, text)
    left = _without(pieces, text, record.original(path, text))
    return None if record.made(path) and _says_nothing(left) else left


def _without(pieces: Sequence[Piece], text: str, original: str | None) -> str:
    """A file that others have changed since, without what is ours."""
    for piece in pieces:
        text = piece.taken(text)
        if isinstance(piece, Handler | Member):
            text = pruned(text, piece.path, original)
    return text


def _possible(host: Host, environ: Mapping[str, str]) -> dict[str, list[Piece]]:
    """Whatever we may have put into the files of a host."""
    return _by_file(host.wants(environ, Wanted(program())))


def _knowing(record: Record, path: str, piece: Piece, text: str | None) -> Piece:
    """A piece that knows what was put in as it, so that nobody else's is taken for ours."""
    if not isinstance(piece, Member) or path not in record.files:
        return piece
    if text is None or not text.strip():
        return piece
    if "server" in (entry := record.files[path]):
        return piece.but(written=entry["server"])
    # Earlier versions did not note it: what was not in the file before us, we put there.
    before = EMPTY if record.made(path) else record.original(path, text)
    put_in = before is not None and piece.found(before or EMPTY) is None
    return piece.but(written=piece.found(text)) if put_in else piece


def _server(pieces: Sequence[Piece], text: str) -> Any:
    """What is ours among the servers of a file."""
    for one in pieces:
        if isinstance(one, Member) and one.ours(text):
            return one.value if one.found(text) == one.value else one.written
    return None


def _by_file(pieces: Sequence[Piece]) -> dict[str, list[Piece]]:
    files: dict[str, list[Piece]] = {}
    for piece in pieces:
        files.setdefault(os.path.abspath(piece.file), []).append(piece)
    return files


def _says_nothing(text: str) -> bool:
    return not text.strip() or (
        text.startswith("{") and not set(parse_json(text).value) - {"version"}
    )


@contextmanager
def _naming(path: str) -> Generator[None]:
    """Let a complaint about a text say which file it is about."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{path}: {error.sentence}", hint=error.hint) from error


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read.", hint="Mend it, then try again.") from error


def _write(path: str, text: str | None) -> None:
    """Replace a file at once, keeping its permissions; a link to it stays a link."""
    path = os.path.realpath(path)
    try:
        if text is None:
            os.remove(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        new = f"{path}.{os.getpid()}.new"
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode())
        if os.path.exists(path):
            os.chmod(new, os.stat(path).st_mode & 0o777)
        os.replace(new, path)
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be written: {error.strerror}.", hint="Nothing else was changed in it."
        ) from error


# `install` and `uninstall`: the change to a host's settings, shown and made.


NO_BOOK = "There is no book yet, so there is nothing to remember with: run `commonplace init`."


class ChangedFile(Value):
    """One file that was changed, or would be."""

    path: str
    diff: str
    backup: str | None = None
    """Where the file is kept as it was."""


class SettingsChanged(Value):
    """What became of a host's settings."""

    host: str
    title: str
    files: tuple[ChangedFile, ...] = ()
    dry_run: bool = False
    next: str = ""
    """What is left for the person to do."""


def install(
    name: str,
    environ: Mapping[str, str],
    *,
    mcp: bool = True,
    mcp_url: str = "",
    dry_run: bool = False,
) -> SettingsChanged:
    """Connect a host, once: what is there already stays as it is."""
    one = host(name)
    chosen = settings.load(environ)
    wanted = Wanted(program(), mcp=mcp, mcp_url=mcp_url)
    edits = connecting(one, environ, wanted, chosen.state)
    if not dry_run:
        connect(one, edits, chosen.state)
    record = records.read_record(chosen.state, name)
    files = tuple(ChangedFile(edit.path, edit.diff, record.backup(edit.path)) for edit in edits)
    left_to_do = NO_BOOK if not chosen.url else one.next if edits else ""
    return SettingsChanged(name, one.title, files, dry_run, left_to_do)


def uninstall(name: str, environ: Mapping[str, str], *, dry_run: bool = False) -> SettingsChanged:
    """Disconnect a host: its files are as they were, or as others have changed them since."""
    one = host(name)
    state = settings.load(environ).state
    edits = disconnecting(one, environ, state)
    if not dry_run:
        disconnect(one, environ, edits, state)
    files = tuple(ChangedFile(edit.path, edit.diff) for edit in edits)
    return SettingsChanged(name, one.title, files, dry_run)
