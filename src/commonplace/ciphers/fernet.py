"""Sealing with Fernet (AES and HMAC, from `cryptography`); each text names the key it needs."""

from __future__ import annotations

from ..errors import BadInput, Damaged, NotAllowed, Refused
from ..ports.sealing import Keys
from ..rules import sealing
from .keys import VARIABLE, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from cryptography.fernet import Fernet

    from .keys import EnvironmentKeys, KeyringKeys


class FernetCipher:
    """Seals texts with the newest key of a book, and opens them with any of its keys."""

    def __init__(self, kept: EnvironmentKeys | KeyringKeys) -> None:
        self._kept = kept

    def encrypt(self, text: str) -> str:
        """A text as one line that names the key it was made with."""
        for id, fernet in self._fernets().items():
            return sealing.line(id, fernet.encrypt(text.encode()).decode())
        raise Refused(
            "This book has no key to seal a memory with.",
            hint=f"Make one with `commonplace key new`, or set {VARIABLE}.",
        )

    def decrypt(self, sealed: str) -> str:
        """The text again."""
        from cryptography.fernet import InvalidToken

        parts = sealing.parts(sealed)
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
