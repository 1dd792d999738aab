"""The folders of scopes as a person spelled them, the vault's map, and a tenant's whole folder."""

from __future__ import annotations

import os
import shutil
import unicodedata
from contextlib import suppress

from ...model.errors import BadLocator, BadScope, Conflict
from ...notes.conflict_copies import possible_originals
from ...notes.layout import ATTACHMENTS, BOOK, FOLDERS, MAP, META
from ...notes.places import folder_name, folder_value
from ...ports.record_store import Totals
from .files import disk_errors, sync_folder
from .identity import CARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.scope import Scope, Tenant
    from .files import Files
    from .manifest import Manifest


class ScopeFolders:
    """Finds or chooses the folder of a scope, and remembers it. Two tenants never share one."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._known: dict[Scope, str] = {}

    def of(self, scope: Scope) -> str:
        """The scope's folder, as it is spelled on this disk."""
        known = self._known.get(scope)
        # A person may have renamed it since.
        if known is None or not os.path.isdir(os.path.join(self._root, known)):
            known = self._known[scope] = self._find(scope)
        return known

    def _find(self, scope: Scope) -> str:
        if not scope.pairs:
            return self._spelled("", BOOK)
        folder = ""
        for dimension, value in scope.pairs:
            above = self._spelled(folder, FOLDERS[dimension])
            folder = f"{above}/{self._value(above, value)}"
        return folder

    def _spelled(self, above: str, name: str) -> str:
        """A folder of the layout, in the case that a person gave it."""
        names = self._names(above)
        found = name if name in names else next((n for n in names if n.casefold() == name), name)
        return f"{above}/{found}" if above else found

    def _value(self, above: str, value: str) -> str:
        wanted = folder_name(value)
        names = self._names(above)
        if wanted in names:
            return wanted
        for name in names:
            try:
                if folder_value(name) == value:
                    return name
            except BadScope:
                continue
        for name in names:
            if _folded(name) == _folded(wanted):
                raise Conflict(
                    f"The folder {above}/{name} differs from {wanted} only in upper and lower"
                    " case, which many disks cannot tell apart.",
                    hint=f"Use {folder_value(name)} as it is spelled, or rename that folder.",
                )
        return wanted

    def _names(self, folder: str) -> list[str]:
        try:
            return sorted(os.listdir(os.path.join(self._root, folder)))
        except (FileNotFoundError, NotADirectoryError):
            return []


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


MAX_LINKS = 2_000
_TITLE = "# Map of this book\n\nMade by `commonplace sync`; changes to this file are replaced.\n"


def render_map(inventory: list[tuple[str, str, str]]) -> str:
    """The text of `_index.md`: a heading per scope, a list per kind, at most `MAX_LINKS` links."""
    groups: dict[str, dict[str, list[str]]] = {}
    for scope, kind, path in inventory:
        groups.setdefault(scope, {}).setdefault(kind, []).append(path)
    lines = [_TITLE]
    left = MAX_LINKS
    for scope, kinds in sorted(groups.items()):
        lines.append(f"\n## {scope}\n")
        for kind, paths in sorted(kinds.items()):
            distinct = sorted(set(paths))
            lines.append(f"\n### {kind} ({len(paths)})\n\n")
            shown = distinct[: max(left, 0)]
            lines += [f"- {link(path)}\n" for path in shown]
            if len(shown) < len(distinct):
                lines.append(f"- … and {len(distinct) - len(shown)} more\n")
            left -= len(shown)
    return "".join(lines)


def remove_generated_copies(root: str, vault_id: str) -> None:
    """Remove conflict copies of the map and of the vault's card: they hold nothing of their own."""
    for name in os.listdir(root):
        if name != MAP and MAP in possible_originals(name):
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                generated = file.read(len(_TITLE)) == _TITLE
            if generated:
                os.unlink(os.path.join(root, name))
    card = os.path.basename(CARD)
    for name in os.listdir(os.path.join(root, META)):
        path = os.path.join(root, META, name)
        if card in possible_originals(name) and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                same = f'"{vault_id}"' in file.read()
            if same:
                os.unlink(path)


def link(path: str) -> str:
    """A wikilink to a note by its path, shown by its name."""
    whole = path.removesuffix(".md")
    return f"[[{whole}|{whole.rpartition('/')[2]}]]"


def tenant_totals(files: Files, manifest: Manifest, tenant: Tenant, *, sized: bool) -> Totals:
    """How many memories a tenant has and, if `sized`, the bytes of their files."""
    held = manifest.paths_of_tenant(tenant)
    size = 0
    for path in set(held) if sized else ():
        with suppress(FileNotFoundError):
            size += os.lstat(files.path(path)).st_size
    for folder in {path.rpartition("/")[0] for path in held} if sized else ():
        size += _attachment_bytes(files, folder)
    return Totals(len(held), size)


def _attachment_bytes(files: Files, folder: str) -> int:
    """The bytes of the very large originals beside the notes of a folder."""
    try:
        with os.scandir(os.path.join(files.root, folder, ATTACHMENTS)) as found:
            return sum(one.stat(follow_symlinks=False).st_size for one in found)
    except FileNotFoundError:
        return 0


def remove_tenant_folder(files: Files, tenant: Tenant) -> str | None:
    """Remove a user's whole folder: attachments, drafts and copies go with the notes.

    Returns the folder, or None when there is none. An org's shared memories have no such folder.
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
    with disk_errors(files.root):
        shutil.rmtree(whole)
        sync_folder(os.path.dirname(whole))
    return folder
