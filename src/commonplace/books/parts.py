"""The backends behind one book, and what their openers share."""

from __future__ import annotations

import errno
import os

from .. import registry
from ..locations import place_suffix
from ..model.errors import BadInput, StoreUnavailable
from ..model.quick_decorators import contextmanager, suppress
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ..ports.ledger import Ledger
    from ..ports.record_store import RecordStore
    from ..ports.search_index import SearchIndex
    from ..ports.server_state import ServerState
    from ..ports.vector_engine import VectorEngine
    from ..settings import Settings


class BookParts(Value):
    """The backends behind one book."""

    store: RecordStore
    index: SearchIndex
    ledger: Ledger
    state: str
    """The folder that holds everything device-local about this book."""
    open_server_state: Callable[[], ServerState] | None = None
    """Opens the state that servers share, where that is not in the state folder."""


def state_folder(settings: Settings, store_id: str, path: str) -> str:
    """The device-local folder of one book."""
    return os.path.join(settings.state, f"{store_id}{place_suffix(path)}")


def known_id(settings: Settings, path: str) -> str | None:
    """The id of the book at a path, from its state folder; None unless there is just one."""
    try:
        names = os.listdir(settings.state)
    except OSError:
        return None
    suffix = place_suffix(path)
    ids = [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
    return ids[0] if len(ids) == 1 else None


def refuse_absent(settings: Settings, path: str) -> None:
    """Raise StoreUnavailable if this device knows a book at a path where nothing is now.

    Its disk may not be mounted: a new, empty book in its place would hide the real one.
    """
    if _has_content(path):
        return
    try:
        names = os.listdir(settings.state)
    except OSError:
        return
    suffix = place_suffix(path)
    known = [name for name in names if name.endswith(suffix)]
    if known:
        state = os.path.join(settings.state, known[0])
        raise StoreUnavailable(
            f"The book at {path} is away: this device knows it, but nothing is there.",
            hint=f"Mount its disk or move it back. For a new book there, remove {state} first.",
        )


def _has_content(path: str) -> bool:
    """Whether a file or a folder with files is there, or may be there without being readable."""
    try:
        with os.scandir(path) as there:
            return any(not one.name.startswith(".") and one.name != "lost+found" for one in there)
    except (FileNotFoundError, NotADirectoryError):
        return os.path.lexists(path)
    except OSError:
        return True


@contextmanager
def new_place(path: str, what: str) -> Generator[None]:
    """Make a file or folder with what is above it; raise BadInput if its place allows none.

    A place that allows none is as it was afterwards.
    """
    if os.path.lexists(path):
        yield
        return
    missing = _missing(path)
    try:
        yield
    except StoreUnavailable as error:
        _remove_empty(missing)
        if os.path.lexists(path) or not (why := _obstacle(path, missing)):
            raise
        raise BadInput(
            f"No {what} can be made at {path}: {why}.", hint=f"Name a {what} elsewhere."
        ) from error


def refuse_state(state: str) -> None:
    """Raise BadInput if this device's folder is not there and cannot be made."""
    if os.path.isdir(state):
        return
    why = f"{state} is a file" if os.path.lexists(state) else _obstacle(state, _missing(state))
    if why:
        raise BadInput(
            f"No folder for this device's own files can be made at {state}: {why}.",
            hint="Set COMMONPLACE_STATE to a folder elsewhere.",
        )


def _missing(path: str) -> list[str]:
    """The folders of a path that do not exist yet, the innermost first."""
    missing: list[str] = []
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        missing.append(path)
        path = os.path.dirname(path)
    return missing


def _remove_empty(folders: list[str]) -> None:
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)


def _obstacle(path: str, missing: list[str]) -> str:
    """Why nothing can be made at a path; empty if it can, or for a fault of the disk."""
    above = os.path.dirname(missing[-1]) if missing else path
    if not os.path.isdir(above):
        return f"{above} is a file"
    try:
        os.makedirs(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            return ""
        reasons = {
            errno.EACCES: f"{above} may not be written",
            errno.EPERM: f"{above} may not be written",
            errno.EROFS: f"the disk of {above} is read-only",
            errno.ENAMETOOLONG: "a name in it is too long",
        }
        return reasons.get(error.errno or 0, f"{above} holds no folders or files of ours")
    finally:
        _remove_empty(missing)
    return ""


def vector_engine(
    settings: Settings, state: str, *, book: str | None = None
) -> VectorEngine | None:
    """The engine that the settings name for the vectors of the store's own index, if any.

    The vectors of a book that many machines share are stored once, under the book's id. Every
    other book has an index on each device, and vectors for each.
    """
    if not settings.index:
        return None
    scheme, address = registry.split(settings.index)
    opener = registry.find(scheme, among=registry.VECTOR_ENGINES)
    return opener(address, book or f"{os.path.basename(state)}_{_device_suffix(state)}")


def _device_suffix(state: str) -> str:
    """A random word that keeps this device's vectors apart from other devices' vectors."""
    from contextlib import suppress

    path = os.path.join(state, "device-index")
    if os.path.isdir(path):
        from ..backends.common.repair import set_aside

        set_aside(path)
    os.makedirs(state, mode=0o700, exist_ok=True)
    if not os.path.exists(path):
        fresh = f"{path}.{os.getpid()}"
        with open(fresh, "w", encoding="ascii") as file:
            file.write(os.urandom(4).hex())
        # If two processes start at once, the first one's word holds for both.
        with suppress(FileExistsError):
            os.link(fresh, path)
        os.unlink(fresh)
    with open(path, encoding="ascii", errors="replace") as file:
        # A damaged word is another word: its vectors are made again.
        return "".join(letter for letter in file.read() if letter.isalnum())


def require_module(module: str, backend: registry.Backend) -> None:
    """Raise BackendMissing, with the install command, unless the backend's driver is installed."""
    try:
        __import__(module)
    except ImportError as error:
        raise registry.backend_missing(backend) from error
