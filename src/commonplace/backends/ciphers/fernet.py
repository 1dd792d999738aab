"""Encryption with Fernet (AES and HMAC), and its keys in the environment or the system keyring."""

from __future__ import annotations

from ...distribution import install_command
from ...model.errors import BackendMissing, BadInput, Damaged, NotAllowed, Refused, Unavailable
from ...notes import display
from ...ports.cipher import Keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from cryptography.fernet import Fernet


VARIABLE = "COMMONPLACE_KEY"
SERVICE = "commonplace"


class EnvironmentKeys:
    """Keys in an environment variable, separated by spaces."""

    keeps = False

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.where = f"the environment variable {VARIABLE}"

    def read(self) -> list[str]:
        """The keys, newest first."""
        return self._environ[VARIABLE].replace(",", " ").split()

    def write(self, keys: Sequence[str]) -> None:
        """Always raises: only the user can change the environment."""
        raise Unavailable(
            f"The keys come from {VARIABLE}, which only you can change.",
            hint="Make a key with `commonplace key new --print` and put it before the old ones.",
        )


class KeyringKeys:
    """Keys in the keyring of the operating system, one entry per book."""

    keeps = True

    def __init__(self, book: str) -> None:
        self._book = book
        self.where = f"the system's keyring: service {SERVICE}, entry {book}"

    def read(self) -> list[str]:
        """The keys, newest first; empty if the book has no entry."""
        stored: str | None = self._call("get_password", SERVICE, self._book)
        return stored.split() if stored else []

    def write(self, keys: Sequence[str]) -> None:
        """Replace the keys."""
        self._call("set_password", SERVICE, self._book, " ".join(keys))

    def _call(self, name: str, *arguments: str) -> Any:
        try:
            import keyring
            from keyring.errors import KeyringError
        except ImportError as error:
            raise packages_missing() from error
        try:
            return getattr(keyring, name)(*arguments)
        except (KeyringError, OSError) as error:
            raise Unavailable(
                "The system's keyring cannot be used.",
                hint=f"Set {VARIABLE} to what `commonplace key new --print` prints.",
            ) from error


def key_store_for(book: str, environ: Mapping[str, str]) -> EnvironmentKeys | KeyringKeys:
    """The key store of a book: the environment if it has keys, else the keyring."""
    if environ.get(VARIABLE, "").strip():
        return EnvironmentKeys(environ)
    return KeyringKeys(book)


def packages_missing() -> BackendMissing:
    """The error for missing encryption packages."""
    return BackendMissing(
        "Encrypted memories need two more packages.",
        hint=f"Run: {install_command('encryption')}",
    )


class FernetCipher:
    """Encrypts with the newest key of a book and decrypts with any of its keys."""

    def __init__(self, key_store: EnvironmentKeys | KeyringKeys) -> None:
        self._key_store = key_store

    def encrypt(self, text: str) -> str:
        """The encrypted text as one line with the id of its key."""
        for id, fernet in self._fernets().items():
            return display.sealed_line(id, fernet.encrypt(text.encode()).decode())
        raise Refused(
            "This book has no key to encrypt a memory with.",
            hint=f"Make one with `commonplace key new`, or set {VARIABLE}.",
        )

    def decrypt(self, sealed: str) -> str:
        """The decrypted text."""
        from cryptography.fernet import InvalidToken

        parts = display.sealed_parts(sealed)
        if parts is None:
            raise Damaged("This is not an encrypted text.", hint="Restore the note from a backup.")
        id, token = parts
        fernet = self._fernets().get(id)
        if fernet is None:
            raise NotAllowed(
                f"The key {id} of this encrypted memory is missing.",
                hint=f"Keys are looked for in {self._key_store.where}.",
            )
        try:
            return fernet.decrypt(token.encode()).decode()
        except InvalidToken as error:
            raise Damaged(
                "The encrypted text was changed.",
                hint="Restore the note from a backup.",
            ) from error

    def keys(self) -> Keys:
        """The ids of the keys, and where they are stored."""
        return Keys(self._key_store.where, tuple(self._fernets()), self._key_store.keeps)

    def new_key(self) -> str:
        """Make a key, store it before the others, and return its id."""
        key = make_key()
        self._key_store.write([key, *(self._key_store.read() if self._key_store.keeps else ())])
        return key_id(key)

    def drop_keys(self, ids: Collection[str]) -> None:
        """Delete keys; texts encrypted with them can never be read again."""
        self._key_store.write([key for key in self._key_store.read() if key_id(key) not in ids])

    def close(self) -> None:
        """Nothing to close: keys are read when needed."""

    def _fernets(self) -> dict[str, Fernet]:
        try:
            from cryptography.fernet import Fernet
        except ImportError as error:
            raise packages_missing() from error
        try:
            return {key_id(key): Fernet(key) for key in self._key_store.read()}
        except ValueError as error:
            raise BadInput(
                f"The entry in {self._key_store.where} is not a key.",
                hint="Make one with `commonplace key new --print`.",
            ) from error


def make_key() -> str:
    """A new key, as text."""
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        raise packages_missing() from error
    return Fernet.generate_key().decode()


def key_id(key: str) -> str:
    """The id of a key, which reveals nothing about it."""
    import hashlib

    return hashlib.sha256(key.encode()).hexdigest()[:8]
