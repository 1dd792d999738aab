"""What becomes of two memories that cannot both be true; where in doubt, a person is asked."""

from __future__ import annotations

from ...model import TRUSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory
    from ..gate_settings import Gates

OUTCOMES = SUPERSEDE, STAGE, REVIEW, ASK = "supersede", "stage", "review", "ask"


def outcome(new: Memory, old: Memory, *, sure: float, settings: Gates) -> str:
    """The newcomer supersedes, waits in the inbox, or both stand until a person decides.

    Text from outside never touches what was said here, and nothing but a person's own word
    changes what a person curates: then only the newcomer is marked, and the person asked (ASK).
    """
    gap = new.confidence - old.confidence
    trust = TRUSTS.index(new.trust) - TRUSTS.index(old.trust)
    if new.trust == "external" and trust < 0:
        return STAGE
    if sure < settings.sure:
        return ASK if _protected(new, old) else REVIEW
    if gap <= -settings.confidence_gap and trust <= 0:
        return STAGE
    if _protected(new, old):
        return ASK
    clear = abs(gap) < settings.confidence_gap
    if clear and trust == 0 and new.created < old.created:
        # Said earlier, and only learned later: the newer statement stands.
        return STAGE
    wins = gap >= settings.confidence_gap or clear
    return SUPERSEDE if wins and trust >= 0 else REVIEW


def _protected(new: Memory, old: Memory) -> bool:
    return old.owner != "agent" and new.trust != "user"
