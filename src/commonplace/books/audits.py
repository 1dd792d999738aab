"""Audit a store at a path, with the judge and the embedder of this machine."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime

from ..model.errors import BadInput
from . import services

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings import Settings
    from ..verbs.audit_store import Progress, StoreAuditor

MAX_BYTES = 1024**3


def audit_store(
    path: str,
    kind: str | None = None,
    *,
    settings: Settings,
    now: datetime | None = None,
    progress: Progress = lambda stage, done, of: None,
) -> StoreAuditor:
    """Read a store and find its faults; nothing is written. BadInput when it cannot be read."""
    from ..backends.common.arithmetic import cosines
    from ..backends.imports.archive_file import archive_at
    from ..backends.imports.formats import recognize_format
    from ..verbs.audit_store import StoreAuditor

    archive = archive_at(path)
    with closing(archive):
        found = recognize_format(archive, kind, vaults=True)
        if found.size > MAX_BYTES:
            raise BadInput(
                f"{archive.name} has {found.size / 1024**3:.1f} GB; an audit reads at most 1 GB.",
                hint="Export a part of it, and audit that.",
            )
        return StoreAuditor(
            found.named_drafts(),
            kind=found.kind,
            links=found.dead_links(),
            reasoner=services.rules_reasoner(),
            embedder=services.embedder(settings),
            cosines=cosines,
            exists=_exists,
            now=now or datetime.now(UTC),
            progress=progress,
        )


def _exists(path: str) -> bool:
    """Whether a path is there, or cannot be looked at."""
    try:
        os.lstat(os.path.expanduser(path))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True
