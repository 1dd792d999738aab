"""The folders scopes really have: a person's own spelling is used, two tenants never share one."""

from __future__ import annotations

import os
import unicodedata

from ...errors import BadScope, Conflict
from ...rules.notes.layout import BOOK, FOLDERS
from ...rules.notes.places import folder_name, folder_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...scope import Scope


class ScopeFolders:
    """Finds or chooses the folder of a scope; what was found once is remembered."""

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
        """A layout folder, whatever case a person gave it."""
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
