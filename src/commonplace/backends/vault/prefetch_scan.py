"""Lists a vault in a child process while the parent is still starting.

Listing ten thousand notes takes about as long as the imports of a recall. A short-lived command
therefore starts the listing first, on another core, and reads the result once it is ready. A large
vault is not listed, because its answers look at folders alone.
"""

from __future__ import annotations

import marshal
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    FolderSignatures = dict[str, tuple[int, int]]

_begun: dict[str, tuple[int, int]] = {}
"""By root: the child's process id, and the pipe it writes to."""


def begin(address: str) -> None:
    """Start listing a vault; only for a process that has no threads yet."""
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
        _list_into(root, writer)
    finally:
        # When the pipe is empty, the parent lists the vault itself.
        os._exit(0)


def is_running(root: str) -> bool:
    """Whether a child lists this vault, or has a result that was not taken."""
    return root in _begun


def take_result(root: str) -> FolderSignatures | None:
    """Signature and time of each folder as the child found them, once; None without a child."""
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


def _list_into(root: str, writer: int) -> None:
    from . import listing

    # Answers from a large vault do not wait for a look at each file.
    if listing.holds_more(root, listing.LARGE):
        return
    blocked: dict[str, str] = {}
    found = {one.folder: (one.signature, one.modified) for one in listing.walk(root, blocked)}
    if not blocked:
        with open(writer, "wb") as pipe:
            pipe.write(marshal.dumps(found))
