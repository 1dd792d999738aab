"""Texts that only their owner can read."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol

else:
    Protocol = object


class Keys(Value):
    """The keys of a book, by their ids, newest first. The keys themselves are nobody's to read."""

    where: str
    """Where they are kept, in words for a person."""
    ids: tuple[str, ...] = ()
    keeps: bool = True
    """Whether a new key can be put there by us."""


class Cipher(Protocol):
    """Keeps authorized secrets unreadable to whoever has the files but not the key."""

    def encrypt(self, text: str) -> str:
        """A text as one line of letters that names the key it was made with."""
        ...

    def decrypt(self, sealed: str) -> str:
        """The text again. Raises NotAllowed when its key is not at hand."""
        ...

    def keys(self) -> Keys:
        """Which keys there are; the first is the one that texts are sealed with."""
        ...

    def new_key(self) -> str:
        """Make a key, keep it before the others, and say its id."""
        ...

    def drop_keys(self, ids: Collection[str]) -> None:
        """Forget keys; what is still sealed with one of them can never be read again."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...
