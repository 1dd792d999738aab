"""`install` and `uninstall`: compute the edits of a host's settings files, show and apply them.

The state folder keeps each file as it was. If nobody has changed the file since, `uninstall`
restores it byte for byte; otherwise it removes only what `install` added.
"""

from __future__ import annotations

import difflib
import os
import shlex
from typing import Any

from ... import settings
from ...model.errors import BadInput, StoreUnavailable
from ...model.value import Value
from ...projects import working_folder
from ..default_book import create_book
from . import records
from .hook_permissions import hooks_blocked, own_plugin, without_trust
from .hosts import ConnectionPlan, host
from .pieces import (
    NAME,
    OWN_FILES,
    PLUGIN_NAME,
    SKILL,
    Handler,
    Member,
    SkillFile,
    TomlTable,
    pruned,
)
from .program import (
    accepts_connections,
    check_hooks,
    check_mcp,
    program,
    require_http,
    require_lasting,
)
from .settings_file import naming_file, read_settings
from .settings_json import EMPTY, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .hosts import Host
    from .pieces import Piece
    from .records import Record


class SettingsEdit(Value):
    """A file before and after a change; None where there is no file."""

    path: str
    before: str | None
    after: str | None
    original: str | None = None
    """The file without the added pieces."""
    server: Any = None
    """The MCP server entry that was added."""

    @property
    def diff(self) -> str:
        """The change as a unified diff, without the credentials that stand near it."""
        # Imported here: a host that is connected has no diff.
        from ...rules.screening.screen import credentials_removed

        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            self.path if self.before is not None else os.devnull,
            self.path if self.after is not None else os.devnull,
            lineterm="",
        )
        return credentials_removed("\n".join(lines))


def connect_edits(
    host: Host, environ: Mapping[str, str], plan: ConnectionPlan, state: str
) -> list[SettingsEdit]:
    """The edits that connect a host; none if it is connected."""
    record = records.read_record(state, host.name)
    # An earlier installation may have added the MCP server.
    possible = _by_file(host.wants(environ, plan.but(mcp=True)))
    edits: list[SettingsEdit] = []
    for path, pieces in _by_file(host.wants(environ, plan)).items():
        before = read_settings(path)
        empty = "" if isinstance(pieces[0], (TomlTable, *OWN_FILES)) else EMPTY
        after = before if before and before.strip() else empty
        if isinstance(pieces[0], SkillFile) and before and record.untouched(path, before):
            after = empty  # A skill of an earlier version makes way for this one.
        with naming_file(path):
            for piece in pieces:
                after = _with_written(record, path, piece, before).put(after)
            if after != before:
                ours = [_with_written(record, path, piece, before) for piece in possible[path]]
                original = _original(record, path, ours, before)
                edits.append(
                    SettingsEdit(path, before, after, original, _server(ours, before, after))
                )
    return edits


def disconnect_edits(host: Host, environ: Mapping[str, str], state: str) -> list[SettingsEdit]:
    """The edits that remove everything that was added."""
    record = records.read_record(state, host.name)
    edits: list[SettingsEdit] = []
    for path, pieces in _possible(host, environ).items():
        before = read_settings(path)
        if before is None:
            continue
        with naming_file(path):
            ours = [_with_written(record, path, piece, before) for piece in pieces]
            after = _original(record, path, ours, before)
            if after is not None and not record.untouched(path, before):
                after = without_trust(host, environ, path, after)
        if after != before:
            edits.append(SettingsEdit(path, before, after, record.original(path, before)))
    return edits


def connect(host: Host, edits: Sequence[SettingsEdit], state: str) -> None:
    """Apply edits, and keep the files as they were in the state folder."""
    for edit in edits:
        records.keep_record(
            state, host.name, edit.path, edit.original, edit.after or "", server=edit.server
        )
        _write(edit.path, edit.after)


def disconnect(
    host: Host, environ: Mapping[str, str], edits: Sequence[SettingsEdit], state: str
) -> None:
    """Apply edits, and remove folders that were created for the files.

    Settings of the host in another folder stay connected.
    """
    _require_writable(edits)
    record = records.read_record(state, host.name)
    for edit in edits:
        _write(edit.path, edit.after)
    paths = _possible(host, environ).keys()
    for folder in record.made_folders(paths):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)
    # The copy of a file that could not be restored exactly is kept.
    missed = {one.path for one in edits if one.after != one.original}
    records.drop_record(state, host.name, paths, but_copies=missed)


def _original(record: Record, path: str, pieces: Sequence[Piece], text: str | None) -> str | None:
    """A file without the added pieces."""
    if text is None or not text.strip():
        return text
    if record.untouched(path, text):
        return record.original(path, text)
    left = _without(pieces, text, record.original(path, text))
    own = record.made(path) or isinstance(pieces[0], OWN_FILES)
    return None if own and _is_empty(left) else left


def _without(pieces: Sequence[Piece], text: str, original: str | None) -> str:
    """A file that was changed since, without the added pieces."""
    for piece in pieces:
        text = piece.removed(text)
        if isinstance(piece, Handler | Member):
            text = pruned(text, piece.path, original)
    return text


def _possible(host: Host, environ: Mapping[str, str]) -> dict[str, list[Piece]]:
    """All pieces that may have been added to a host's files."""
    return _by_file(host.wants(environ, ConnectionPlan(program(environ))))


def _with_written(record: Record, path: str, piece: Piece, text: str | None) -> Piece:
    """The piece with the entry that was written, so that a person's own entry is kept."""
    if not isinstance(piece, Member | TomlTable) or path not in record.files:
        return piece
    if text is None or not text.strip():
        return piece
    if "server" in (entry := record.files[path]):
        return piece.but(written=entry["server"])
    # Earlier versions did not record it: an entry that was not in the original was added.
    empty = "" if isinstance(piece, TomlTable) else EMPTY
    before = empty if record.made(path) else record.original(path, text)
    put_in = before is not None and piece.found(before if before.strip() else empty) is None
    return piece.but(written=piece.found(text)) if put_in else piece


def _server(pieces: Sequence[Piece], before: str | None, text: str) -> Any:
    """The MCP server entry that was added to a file."""
    for one in pieces:
        if not isinstance(one, Member | TomlTable):
            continue
        if one.found(text) != (one.found(before) if before and before.strip() else None):
            return one.value
        if one.ours(text):
            return one.value if one.found(text) == one.value else one.written
    return None


def _by_file(pieces: Sequence[Piece]) -> dict[str, list[Piece]]:
    files: dict[str, list[Piece]] = {}
    for piece in pieces:
        files.setdefault(os.path.abspath(piece.file), []).append(piece)
    return files


def _is_empty(text: str) -> bool:
    return not text.strip() or (
        # opencode adds $schema to every settings file.
        text.startswith("{") and not set(parse_json(text).value) - {"version", "$schema"}
    )


def _require_writable(edits: Sequence[SettingsEdit]) -> None:
    """Refuse before the first change where somebody made a file read-only."""
    for edit in edits:
        if edit.before is not None and not os.stat(edit.path).st_mode & 0o222:
            raise StoreUnavailable(
                f"{edit.path} is read-only; nothing was changed.",
                hint=f"Allow it with `chmod u+w {shlex.quote(edit.path)}`, then try again.",
            )


def _write(path: str, text: str | None) -> None:
    """Replace a file atomically, with its permissions; a link stays a link."""
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
            f"{path} cannot be written: {error.strerror}.", hint="The file was not changed."
        ) from error


class ChangedFile(Value):
    """A file that was changed, or would be with --dry-run."""

    path: str
    diff: str
    backup: str | None = None
    """Path of the file as it was before."""
    own: str = ""
    """`skill` or `plugin`, which are ours as a whole; empty for settings of the person."""
    verb: str = "Changes"
    """The verb for the preview of a file: Adds, Changes or Removes."""


class SettingsChanged(Value):
    """Result of an installation or its removal."""

    host: str
    title: str
    files: tuple[ChangedFile, ...] = ()
    dry_run: bool = False
    book: str = ""
    """URL of the book, if it was created."""
    next: str = ""
    """Next step for the person."""
    left: tuple[str, ...] = ()
    """Files and entries of the installation that stay, because somebody edited them since."""


def install(
    name: str,
    environ: Mapping[str, str],
    *,
    mcp: bool = True,
    mcp_url: str = "",
    dry_run: bool = False,
) -> SettingsChanged:
    """Connect a host once what it will run has started; repeating it changes nothing."""
    one = host(name)
    if mcp_url:
        require_http(mcp_url)
        if not mcp:
            raise BadInput("--mcp-url and --no-mcp exclude each other.", hint="Leave one out.")
    chosen = settings.load(environ)
    plan = ConnectionPlan(program(environ), mcp=mcp, mcp_url=mcp_url)
    require_lasting(plan.program, environ)
    edits = connect_edits(one, environ, plan, chosen.state)
    persons_server = _persons_server(one, environ, plan, edits) if mcp else ""
    book = ""
    if not dry_run:
        _require_writable(edits)
        check_hooks(plan.program, name, environ)
        if mcp and not mcp_url and not persons_server:
            check_mcp(plan.program, environ)
        if not chosen.url:
            book = create_book(None, environ).url
        connect(one, edits, chosen.state)
    record = records.read_record(chosen.state, name)
    files = tuple(_changed(edit, record.backup(edit.path)) for edit in edits)
    following = [_next_step(one, environ, changed=bool(edits))]
    if persons_server:
        stays = f"Your own MCP server {NAME!r} in {persons_server} stays; ours is not registered."
        following.insert(0, stays)
    elif mcp_url and not accepts_connections(mcp_url):
        following.insert(0, f"Nothing answers at {mcp_url} now; start that server.")
    return SettingsChanged(name, one.title, files, dry_run, book, " ".join(filter(None, following)))


def _next_step(host: Host, environ: Mapping[str, str], *, changed: bool) -> str:
    """Say why the host does not run our hooks, or what to do after a change; or nothing."""
    folder = working_folder()
    if plugin := own_plugin(host, environ, folder):
        return f"Its plugin connects {host.title} as well. {records.keep_one(host, plugin)}"
    blocked = hooks_blocked(host, environ, folder)
    if blocked and not (changed and blocked.until_trusted):
        return f"{host.title} {blocked.what}. {blocked.hint}"
    return host.next if changed else ""


def _persons_server(
    host: Host, environ: Mapping[str, str], plan: ConnectionPlan, edits: Sequence[SettingsEdit]
) -> str:
    """The file in which a server of the person's own has our name; empty if none has."""
    after = {edit.path: edit.after for edit in edits}
    for path, pieces in _by_file(host.wants(environ, plan)).items():
        for piece in pieces:
            if isinstance(piece, Member | TomlTable):
                text = after.get(path) or read_settings(path) or ""
                if not piece.registered(text):
                    return path
    return ""


def uninstall(name: str, environ: Mapping[str, str], *, dry_run: bool = False) -> SettingsChanged:
    """Disconnect a host."""
    one = host(name)
    state = settings.load(environ).state
    edits = disconnect_edits(one, environ, state)
    left = _left(one, environ, edits, state)
    if not dry_run:
        disconnect(one, environ, edits, state)
    files = tuple(_changed(edit) for edit in edits)
    return SettingsChanged(name, one.title, files, dry_run, left=left)


def _left(
    host: Host, environ: Mapping[str, str], edits: Sequence[SettingsEdit], state: str
) -> tuple[str, ...]:
    """The skills and MCP server entries that `install` wrote and somebody edited."""
    record = records.read_record(state, host.name)
    after = {edit.path: edit.after for edit in edits}
    left: list[str] = []
    for path, pieces in _possible(host, environ).items():
        text = after[path] if path in after else read_settings(path)
        if not text or not text.strip() or path not in record.files:
            continue
        for piece in pieces:
            if isinstance(piece, SkillFile):
                left.append(path)
            elif isinstance(piece, Member | TomlTable) and piece.found(text) is not None:
                ours = _with_written(record, path, piece, text)
                if getattr(ours, "written", None) is not None:
                    left.append(f"{path}: {'.'.join((*piece.path, NAME))}")
    return tuple(left)


def _changed(edit: SettingsEdit, backup: str | None = None) -> ChangedFile:
    verb = "Adds" if edit.before is None else "Removes" if edit.after is None else "Changes"
    own = {SKILL: "skill", PLUGIN_NAME: "plugin"}.get(os.path.basename(edit.path), "")
    return ChangedFile(edit.path, edit.diff, backup, own, verb)
