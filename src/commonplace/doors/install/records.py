"""Records of changed settings files, with copies of them; and the state of each connection."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from typing import Any

from ...model.errors import BadInput, StoreUnavailable
from ...model.memory import Problem
from ...model.value import Value
from ...projects import working_folder
from ..hooks import session_files
from .hook_permissions import hooks_blocked, own_plugin, trust_missing
from .hosts import HOSTS, ConnectionPlan
from .pieces import NAME, Handler, Member, PluginFile, TomlTable
from .program import program
from .settings_file import naming_file, read_settings
from .settings_json import find, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from .hosts import Host
    from .pieces import Piece


_RECORD = "changed.json"


class Record(Value):
    """The changed files of one host."""

    folder: str
    files: Mapping[str, Any] = {}

    def untouched(self, path: str, text: str) -> bool:
        """Whether a file is exactly as `install` left it, and the original is known."""
        if path not in self.files or self.files[path]["after"] != _hash(text):
            return False
        return self.made(path) or self.original(path, text) is not None

    def original(self, path: str, text: str) -> str | None:
        """A file as it was before; None without a copy, the text itself if it was not changed."""
        if path not in self.files:
            return text
        kept = self.backup(path)
        if kept is None or self.files[path].get("doubtful"):
            return None
        try:
            with open(kept, "rb") as file:
                return file.read().decode("utf-8")
        except OSError:
            return None  # The copy was deleted.

    def backup(self, path: str) -> str | None:
        """Path of the copy of a file."""
        name = self.files.get(path, {}).get("backup")
        return os.path.join(self.folder, name) if name else None

    def made(self, path: str) -> bool:
        """Whether `install` created the file."""
        return path in self.files and self.files[path]["backup"] is None

    def folders(self, path: str) -> list[str]:
        """Folders that were created for a file."""
        return list(self.files.get(path, {}).get("folders", ()))

    def made_folders(self, paths: Iterable[str]) -> list[str]:
        """Folders that were created for these files, innermost first."""
        made = {folder for path in paths for folder in self.folders(path)}
        return sorted(made, key=len, reverse=True)

    def without(self, paths: Collection[str]) -> Record:
        """The record without these files."""
        left = {path: entry for path, entry in self.files.items() if path not in paths}
        return self.but(files=left)

    def drop_copy(self, path: str) -> None:
        """Delete the copy of a file, unless it may be the copy of another file."""
        kept = self.backup(path)
        if kept and not self.files[path].get("doubtful"):
            with suppress(FileNotFoundError):
                os.remove(kept)


def read_record(state: str, host: str) -> Record:
    """The record of a host; empty if there is none."""
    folder = os.path.join(state, "hosts", host)
    try:
        with open(os.path.join(folder, _RECORD), encoding="utf-8") as file:
            return Record(folder, _mark_doubtful(json.load(file)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Record(folder)  # Damaged: every file counts as changed by somebody else.


def _mark_doubtful(files: dict[str, Any]) -> dict[str, Any]:
    """Mark copies that two files share, as earlier versions made them for equal names."""
    names = [entry["backup"] for entry in files.values()]
    return {
        path: {**entry, "doubtful": True}
        if entry["backup"] and names.count(entry["backup"]) > 1
        else entry
        for path, entry in files.items()
    }


def keep_record(
    state: str, host: str, path: str, original: str | None, after: str, *, server: Any = None
) -> None:
    """Record a file before it is changed, with the MCP server entry that is added."""
    record = read_record(state, host)
    backup = None if original is None else f"{_hash(path)[:16]}-{os.path.basename(path)}"
    folders = record.folders(path) or _missing_folders(path)
    entry = {"backup": backup, "after": _hash(after), "folders": folders, "server": server}
    now = record.but(files={**record.files, path: entry})
    try:
        os.makedirs(record.folder, mode=0o700, exist_ok=True)
        if backup is not None:
            _write(os.path.join(record.folder, backup), original or "")
        _write(os.path.join(record.folder, _RECORD), json.dumps(dict(now.files), indent=2))
        if record.backup(path) != now.backup(path):
            record.drop_copy(path)
    except OSError as error:
        raise StoreUnavailable(
            f"No copy of {path} can be written to {record.folder}; the file was not changed.",
            hint="Check disk space and permissions, then try again.",
        ) from error


def drop_record(
    state: str, host: str, paths: Collection[str], *, but_copies: Collection[str]
) -> None:
    """Remove files from the record, and their copies except `but_copies`."""
    record = read_record(state, host)
    left = record.without(paths)
    place = os.path.join(record.folder, _RECORD)
    try:
        if left.files:
            _write(place, json.dumps(dict(left.files), indent=2))
        else:
            with suppress(FileNotFoundError):
                os.remove(place)
        for path in paths:
            if path not in but_copies:
                record.drop_copy(path)
    except OSError as error:
        raise StoreUnavailable(
            f"The copies in {record.folder} cannot be deleted.",
            hint="The agent is disconnected; delete them by hand.",
        ) from error
    for folder in (record.folder, os.path.dirname(record.folder)):
        with suppress(OSError):  # Something is still in it, or it is gone.
            os.rmdir(folder)


def _missing_folders(path: str) -> list[str]:
    missing: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _write(path: str, text: str) -> None:
    half = f"{path}.half"
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode())
    os.replace(half, path)  # A full disk does not destroy the older copy.


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_LATE_HINT = (
    "Run `commonplace serve`, or give hooks more time: set COMMONPLACE_HOOK_SECONDS, such as to 2."
)


class HostConnection(Value):
    """The state of one host's connection."""

    host: str
    title: str
    present: bool
    """Whether the host's program or its settings are on this machine."""
    hooks: bool = False
    mcp: bool = False
    trouble: str = ""
    """A problem, or empty."""
    hint: str = ""
    """The advice that `doctor` prints below the problem, or below the connection."""
    plugin: str = ""
    """Name of the host's plugin that brings hooks and MCP, if it does."""

    @property
    def ways(self) -> str:
        """How the host calls us: by its plugin or its settings; empty if it does not."""
        if self.plugin:
            return "its plugin"
        return " and ".join(
            way for way, there in (("hooks", self.hooks), ("MCP", self.mcp)) if there
        )


def connections(environ: Mapping[str, str]) -> list[HostConnection]:
    """The connections of all hosts."""
    return [_connection(host, environ) for host in HOSTS.values()]


def problems(environ: Mapping[str, str]) -> list[Problem]:
    """The connections on this machine as problems and notices, for `doctor`."""
    found = [_problem(one) for one in connections(environ) if one.present]
    if last := session_files.last_fault(environ):
        found.append(
            Problem(
                "hooks",
                f"last failure: {last}",
                _LATE_HINT
                if "not ready in time" in last
                else f"See {session_files.log_path(environ)}.",
                "notice",
            )
        )
    return found


def _problem(one: HostConnection) -> Problem:
    if one.trouble:
        return Problem(one.title, one.trouble, one.hint, "warning")
    if one.ways:
        return Problem(one.title, f"is connected by {one.ways}", one.hint, "notice")
    return Problem(
        one.title, "is not connected", f"Run `commonplace install {one.host}`.", "notice"
    )


def _connection(host: Host, environ: Mapping[str, str]) -> HostConnection:
    made = HostConnection(host.name, host.title, host.is_here(environ))
    command = f"`commonplace install {host.name}`"
    again = f"Run {command}."
    folder = working_folder()
    try:
        wants = host.wants(environ, ConnectionPlan(program(environ)))
        hooks = [piece for piece in wants if isinstance(piece, Handler | PluginFile)]
        handlers = [_piece_state(piece) for piece in hooks]
        servers = [_piece_state(piece) for piece in wants if isinstance(piece, Member | TomlTable)]
    except BadInput as error:
        # Connecting would be refused until the file is repaired.
        what = f"has unreadable settings: {error.sentence.removesuffix('.')}"
        return made.but(trouble=what, hint=f"Repair that file. Then run {command}.")
    plugin = own_plugin(host, environ, folder)
    made = made.but(
        hooks=any(handlers) or bool(plugin), mcp=any(servers) or bool(plugin), plugin=plugin
    )
    if made.hooks and (blocked := hooks_blocked(host, environ, folder)):
        return made.but(trouble=blocked.what, hint=blocked.hint)
    if any(handlers) and not all(one == "current" for one in handlers):
        return made.but(trouble="has hooks of another version", hint=again)
    if plugin and any(handlers):
        return made.but(trouble=TWICE, hint=keep_one(host, plugin))
    return made.but(hint=trust_missing(host, environ, folder)) if made.ways else made


TWICE = "is connected twice, by its plugin and by its settings, so that every hook is started twice"


def keep_one(host: Host, plugin: str) -> str:
    """How to be connected once."""
    return f"Keep one: `commonplace uninstall {host.name}`, or type /plugin uninstall {plugin}."


def _piece_state(piece: Piece) -> str:
    """`current`, `other` for another version, or empty if missing."""
    text = read_settings(piece.file)
    if text is None or not text.strip():
        return ""
    with naming_file(piece.file):
        return _state_in(piece, text)


def _state_in(piece: Piece, text: str) -> str:
    if isinstance(piece, Member):
        return "current" if find(parse_json(text), (*piece.path, NAME)) else ""
    if isinstance(piece, PluginFile) and not piece.ours(text):
        return ""
    if piece.put(text) == text:
        return "current"
    return "other" if piece.removed(text) != text else ""
