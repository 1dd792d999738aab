"""The person's own notes, which lie outside the vault and are written only by an explicit call."""

from __future__ import annotations

import os

from ...errors import Conflict, NotAllowed
from ...rules.notes.places import checked_locator
from .files import Files, atomically, disk


def write_personal(folder: str | None, name: str, content: str, *, vault: str) -> str:
    """Add a note to the person's folder and say where; never replaces one."""
    if not folder:
        raise NotAllowed(
            "No folder for personal notes is set.",
            hint="Set `personal` in the settings to the folder with your own notes.",
        )
    root = os.path.realpath(folder)
    if _nested(root, vault):
        raise NotAllowed(
            "The folder for personal notes and the vault are one inside the other.",
            hint="Set `personal` to a folder outside the vault.",
        )
    locator = checked_locator(name if name.endswith(".md") else f"{name}.md")
    with disk(root):
        os.makedirs(root, exist_ok=True)
        path = Files(root).path(locator)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            atomically(path, content.encode(), replace=False)
        except FileExistsError as error:
            raise Conflict(
                f"There already is a personal note called {name}.", hint="Use another name."
            ) from error
    return path


def _nested(one: str, other: str) -> bool:
    return f"{one}{os.sep}".startswith(f"{other}{os.sep}") or f"{other}{os.sep}".startswith(
        f"{one}{os.sep}"
    )
