"""`install` and `uninstall`: the change to a host's settings, shown and made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import settings
from ...value import Value
from . import plan, records
from .hosts import Wanted, host, program

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_BOOK = "There is no book yet, so there is nothing to remember with: run `commonplace init`."


class ChangedFile(Value):
    """One file that was changed, or would be."""

    path: str
    diff: str
    backup: str | None = None
    """Where the file is kept as it was."""


class Changed(Value):
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
) -> Changed:
    """Connect a host, once: what is there already stays as it is."""
    one = host(name)
    chosen = settings.load(environ)
    wanted = Wanted(program(), mcp=mcp, mcp_url=mcp_url)
    edits = plan.connecting(one, environ, wanted, chosen.state)
    if not dry_run:
        plan.connect(one, edits, chosen.state)
    record = records.read(chosen.state, name)
    files = tuple(ChangedFile(edit.path, edit.diff, record.backup(edit.path)) for edit in edits)
    left_to_do = NO_BOOK if not chosen.url else one.next if edits else ""
    return Changed(name, one.title, files, dry_run, left_to_do)


def uninstall(name: str, environ: Mapping[str, str], *, dry_run: bool = False) -> Changed:
    """Disconnect a host: its files are as they were, or as others have changed them since."""
    one = host(name)
    state = settings.load(environ).state
    edits = plan.disconnecting(one, environ, state)
    if not dry_run:
        plan.disconnect(one, environ, edits, state)
    files = tuple(ChangedFile(edit.path, edit.diff) for edit in edits)
    return Changed(name, one.title, files, dry_run)
