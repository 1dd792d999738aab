"""The id of a session as it may be stored."""

from __future__ import annotations

SHORTEST_CREDENTIAL = 16
_UUID_LENGTHS = [8, 4, 4, 4, 12]
_HEX = frozenset("0123456789abcdefABCDEF")


def storable_session_id(id: str) -> str:
    """The id, or a hash of it if it holds a credential.

    Callers choose ids freely, and ids become file names, aliases and names in the session store.
    """
    if _is_uuid(id) or _is_short_name(id):
        return id  # The ids of most hosts, which need no import of the detectors.
    from .screening.screen import credentials_removed

    if credentials_removed(id) == id:
        return id
    from hashlib import sha256

    return f"session-{sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _is_uuid(id: str) -> bool:
    parts = id.split("-")
    return [len(one) for one in parts] == _UUID_LENGTHS and _HEX.issuperset("".join(parts))


def _is_short_name(id: str) -> bool:
    """Whether the id is too short for a credential, and has no sign before a password."""
    return len(id) < SHORTEST_CREDENTIAL and id.isascii() and id.replace("-", "").isalnum()
