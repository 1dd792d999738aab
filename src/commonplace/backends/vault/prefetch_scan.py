"""Looking at a vault while the process that asks is still starting.

To list ten thousand notes takes about as long as to import what answers a question. A short-lived
command therefore begins with the listing, in a child on another core, and goes on starting; by
the time it wants to know whether anything changed, the answer is there.
"""

from __future__ import annotations

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    Seen = dict[str, tuple[int, int]]

_begun: dict[str, tuple[int, int]] = {}
"""By root: the child, and the pipe that it writes to."""


def begin(address: str) -> None:
    """Start looking at a vault; only for a process that has no threads yet."""
    if not hasattr(os, "fork") or (os.cpu_count() or 1) < 2:
        return
    root = os.path.realpath(os.path.expanduser(address))
    if root in _begun:
        return
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        _begun[root] = (child, reader)
        return
    try:
        _look(root, writer)
    finally:
        # Whatever happened, the parent looks for itself when it finds nothing in the pipe.
        os._exit(0)


def looks(root: str) -> bool:
    """Whether a child looks at a vault, or has looked and was not asked yet."""
    return root in _begun


def seen(root: str) -> Seen | None:
    """Each folder's signature as the child found it, once; None when nobody looked ahead."""
    if root not in _begun:
        return None
    child, reader = _begun.pop(root)
    with open(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    try:
        return marshal.loads(said)  # noqa: S302 (written by our own child a moment ago)
    except (EOFError, ValueError):
        return None


def _look(root: str, writer: int) -> None:
    from .listing import walk

    blocked: dict[str, str] = {}
    found = {one.folder: (one.signature, one.modified) for one in walk(root, blocked)}
    if not blocked:
        with open(writer, "wb") as pipe:
            pipe.write(marshal.dumps(found))
