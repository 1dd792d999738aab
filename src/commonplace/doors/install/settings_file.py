"""Read a settings file of a host; errors name the file."""

from __future__ import annotations

from contextlib import contextmanager

from ...model.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

REPAIR = "Repair it, then try again."


def read_settings(path: str) -> str | None:
    """The text of a file; None if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text.", hint=REPAIR) from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", hint=REPAIR) from error


@contextmanager
def naming_file(path: str) -> Generator[None]:
    """Add the path to errors about a file's text."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{path}: {error.sentence}", hint=error.hint) from error
