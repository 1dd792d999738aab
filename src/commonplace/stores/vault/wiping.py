"""What one tenant has in a vault: how much it is, and taking the last of it out."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from ...errors import BadLocator, Conflict
from ...ports.records import Totals
from .files import disk, sync_folder
from .folders import ScopeFolders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...scope import Tenant
    from .files import Files
    from .manifest import Manifest


def totals(files: Files, manifest: Manifest, tenant: Tenant, *, sized: bool) -> Totals:
    """How many memories a tenant has, and, at the price of a look at each, how long they are."""
    held = manifest.held_by(tenant)
    size = 0
    for path in set(held) if sized else ():
        with suppress(FileNotFoundError):
            size += os.lstat(files.path(path)).st_size
    return Totals(len(held), size)


def remove_folder(files: Files, tenant: Tenant) -> str | None:
    """Remove a user's whole folder: attachments, drafts and copies go with the notes.

    Returns the folder, or None when there is none. What an org shares has no folder of its own.
    """
    if tenant.user is None:
        return None
    try:
        folder = ScopeFolders(files.root).of(tenant.scope)
    except Conflict:
        return None  # Another user's folder differs in upper and lower case only.
    # Checked like any note's path: a link must not lead the removal out of the vault.
    whole = os.path.dirname(files.path(f"{folder}/any.md"))
    if not os.path.isdir(whole):
        return None
    if os.path.islink(whole):
        raise BadLocator(f"{folder!r} is a link.", hint="Replace it by a folder in the vault.")
    with disk(files.root):
        shutil.rmtree(whole)
        sync_folder(os.path.dirname(whole))
    return folder
