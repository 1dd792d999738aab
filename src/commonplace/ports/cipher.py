"""The port for encryption of sensitive memories."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol

else:
    Protocol = object


class Keys(Value):
    """The ids of a book's keys, newest first; never the keys themselves."""

    where: str
    """Where the keys are stored, for a person."""
    ids: tuple[str, ...] = ()
    keeps: bool = True
    """Whether Commonplace can store a new key there."""


class Cipher(Protocol):
    """Encrypts texts, so that files without the key reveal nothing."""

    def encrypt(self, text: str) -> str:
        """The encrypted text as one line with the id of its key."""
        ...

    def decrypt(self, sealed: str) -> str:
        """The decrypted text. Raises NotAllowed if its key is missing."""
        ...

    def keys(self) -> Keys:
        """The keys; the first one encrypts."""
        ...

    def new_key(self) -> str:
        """Make a key, store it before the others, and return its id."""
        ...

    def drop_keys(self, ids: Collection[str]) -> None:
        """Delete keys; texts encrypted with them can never be read again."""
        ...

    def close(self) -> None:
        """Release resources."""
        ...
