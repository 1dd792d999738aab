"""What a person has set about digests, as it holds for one host.

A host is an agent like any other: under its name in `digest: agents:` it has settings of its own,
unless the environment says which agent it is.
"""

from __future__ import annotations

import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...scope import Context
    from ...settings import Settings


def for_host(chosen: Settings, host: str, who: Context) -> Settings:
    """The settings, with those of the host's own laid over what holds for every agent."""
    given = chosen.digest
    agents: Any = given.get("agents")
    if who.agent is not None or not _named(agents) or host not in agents:
        return chosen
    default: Any = given.get("default")
    own: Any = agents[host]
    if own is None or not _named(default or own, own):
        return chosen
    return chosen.but(digest={**given, "default": _laid_over(default or {}, own)})


def switched_off(chosen: Settings, who: Context) -> bool:
    """Whether nothing is to be handed over at all."""
    if not chosen.digest:
        return False
    from ...rules.digest.settings import resolve

    return not resolve(chosen.digest, who.agent).enabled


def mark(digest: Mapping[str, Any]) -> int:
    """Tells whether two processes have been set the same."""
    if not digest:
        return 0
    import json

    return zlib.crc32(json.dumps(digest, default=str).encode("ascii"))


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    laid = {**under}
    for name, value in over.items():
        below: Any = laid.get(name)
        laid[name] = _laid_over(below, value) if _named(below, value) else value
    return laid


def _named(*values: object) -> bool:
    """Whether these are settings with names; what is not is complained of where it is used."""
    return all(isinstance(value, dict) for value in values)
