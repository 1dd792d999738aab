"""Sealing with Fernet (AES and HMAC, from `cryptography`); each text names the key it needs."""

from __future__ import annotations

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


# Sealing with Fernet (AES and HMAC, from `cryptography`); each text names the key it needs.


class FernetCipher:
    """Seals texts with the newest key of a book, and opens them with any of its keys."""

    def __init__(self, kept: EnvironmentKeys | KeyringKeys) -> None:
        self._kept = kept

    def encrypt(self, text: str) -> str:
        """A text as one line that names the key it was made with."""
        for id, fernet in self._fernets().items():
            return display.line(id, fernet.encrypt(text.encode()).decode())
        raise Refused(
            "This book has no key to seal a memory with.",
            hint=f"Make one with `commonplace key new`, or set {VARIABLE}.",
        )

    def decrypt(self, sealed: str) -> str:
        """The text again."""
        from cryptography.fernet import InvalidToken

        parts = display.parts(sealed)
        if parts is None:
            raise Damaged("This is not a sealed text.", hint="Restore the note from a backup.")
        id, token = parts
        fernet = self._fernets().get(id)
        if fernet is None:
            raise NotAllowed(
                f"The key {id} that this memory is sealed with is not at hand.",
                hint=f"Keys are looked for in {self._kept.where}.",
            )
        try:
            return fernet.decrypt(token.encode()).decode()
        except InvalidToken as error:
            raise Damaged(
                "The sealed text was changed since it was sealed.",
                hint="Restore the note from a backup.",
            ) from error

    def keys(self) -> Keys:
        """Which keys there are, by their ids, and where they are kept."""
        return Keys(self._kept.where, tuple(self._fernets()), self._kept.keeps)

    def new_key(self) -> str:
        """Make a key, keep it before the others, and say its id."""
        key = make_key()
        self._kept.write([key, *(self._kept.read() if self._kept.keeps else ())])
        return key_id(key)

    def drop_keys(self, ids: Collection[str]) -> None:
        """Forget keys; what is still sealed with one of them can never be read again."""
        self._kept.write([key for key in self._kept.read() if key_id(key) not in ids])

    def close(self) -> None:
        """Nothing is held: keys are read when they are needed."""

    def _fernets(self) -> dict[str, Fernet]:
        try:
            from cryptography.fernet import Fernet
        except ImportError as error:
            raise missing() from error
        try:
            return {key_id(key): Fernet(key) for key in self._kept.read()}
        except ValueError as error:
            raise BadInput(
                f"What is in {self._kept.where} is not a key.",
                hint="Make one with `commonplace key new --print`.",
            ) from error


def make_key() -> str:
    """A new key, as text."""
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        raise missing() from error
    return Fernet.generate_key().decode()


def key_id(key: str) -> str:
    """What a key is called: enough to find it again, and nothing about it."""
    import hashlib

    return hashlib.sha256(key.encode()).hexdigest()[:8]
