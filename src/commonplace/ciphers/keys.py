"""Where a book's keys are kept: in the environment, or in the system's keyring.

Keys are a list, newest first: new texts are sealed with the first, old ones may need any.
"""

from __future__ import annotations

from ..errors import BackendMissing, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

VARIABLE = "COMMONPLACE_KEY"
SERVICE = "commonplace"


class EnvironmentKeys:
    """Keys that whoever starts the process hands over, separated by spaces."""

    keeps = False

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.where = f"the environment variable {VARIABLE}"

    def read(self) -> list[str]:
        """The keys, newest first."""
        return self._environ[VARIABLE].replace(",", " ").split()

    def write(self, keys: Sequence[str]) -> None:
        """Nobody but the person can change what the environment will be next time."""
        raise Unavailable(
            f"The keys come from {VARIABLE}, which only you can change.",
            hint="Make a key with `commonplace key new --print`; put it first, before the old one.",
        )


class KeyringKeys:
    """Keys in the keyring of the operating system, an entry for each book."""

    keeps = True

    def __init__(self, book: str) -> None:
        self._book = book
        self.where = f"the system's keyring: service {SERVICE}, entry {book}"

    def read(self) -> list[str]:
        """The keys, newest first; none when the book has no entry."""
        kept: str | None = self._call("get_password", SERVICE, self._book)
        return kept.split() if kept else []

    def write(self, keys: Sequence[str]) -> None:
        """Keep these keys instead."""
        self._call("set_password", SERVICE, self._book, " ".join(keys))

    def _call(self, name: str, *arguments: str) -> Any:
        try:
            import keyring
            from keyring.errors import KeyringError
        except ImportError as error:
            raise missing() from error
        try:
            return getattr(keyring, name)(*arguments)
        except (KeyringError, OSError) as error:
            raise Unavailable(
                "The system's keyring cannot be used.",
                hint=f"Set {VARIABLE} to what `commonplace key new --print` prints.",
            ) from error


def keys_of(book: str, environ: Mapping[str, str]) -> EnvironmentKeys | KeyringKeys:
    """Where the keys of a book are: the environment wins."""
    if environ.get(VARIABLE, "").strip():
        return EnvironmentKeys(environ)
    return KeyringKeys(book)


def missing() -> BackendMissing:
    """What to say where the packages for sealing are not installed."""
    return BackendMissing(
        "Sealed memories need two more packages.",
        hint="Run: pip install 'commonplace[encryption]'",
    )
