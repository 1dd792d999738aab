"""Sources by the settings that name them, and any function as one."""

from __future__ import annotations

import os
from itertools import islice

from ..errors import BadInput, Unavailable
from ..rules.identity import derived_id, name_slug
from .folder import FolderSource
from .http import HttpSource, passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ..ports.sources import Passage, Source

KEY = "COMMONPLACE_SOURCE_KEY_"
"""The variable with the key of a source is this and its name."""


def open_source(name: str, target: str, *, state: str, environ: Mapping[str, str]) -> Source:
    """A folder by its path, or an endpoint by its address."""
    scheme, _, rest = target.partition(":")
    if scheme in ("http", "https"):
        key = environ.get(KEY + name.upper().replace("-", "_"), "").strip()
        return HttpSource(name, target, key=key)
    root = rest if scheme == "folder" else target
    if not root.strip():
        raise BadInput(f"The source {name} names no folder.", hint="Give a path or an address.")
    index = os.path.join(state, "sources", f"{_file_name(name)}.db")
    return FolderSource(name, root, index=index)


def _file_name(name: str) -> str:
    """No two sources share an index, even where their names differ by a space only."""
    slug = name_slug(name)
    return slug if slug == name else derived_id(f"{slug or 'source'}-", name)


class CallableSource:
    """Any function of a question and a limit that returns texts, mappings or passages."""

    def __init__(self, name: str, ask: Callable[[str, int], Iterable[Any]]) -> None:
        self._name, self._ask = name, ask

    @property
    def name(self) -> str:
        """What people call it."""
        return self._name

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """What the function returns; whoever asks it waits no longer than it likes."""
        del timeout_s
        try:
            told = list(islice(self._ask(query, limit), limit))
            found = [passage(one, self._name) for one in told]
        # It is somebody else's code: whatever it raises is the same to whoever asked.
        except Exception as error:
            raise Unavailable(
                f"The source {self._name} failed ({type(error).__name__}).",
                hint="Look at the function behind it.",
            ) from error
        return [one for one in found if one is not None]
