"""Changes that wait for a person: a proposal is a memory of its own, in the inbox, in plain words.

The inbox is therefore readable in any editor, travels with the notes, and is scoped, audited and
undone like every memory.
"""

from __future__ import annotations

from ..model import identity
from ..model.codec import iso
from ..model.errors import BadInput
from ..model.memory import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

PROPOSAL_KIND = "proposal"
ACTIONS = (
    "archive", "merge", "contradiction", "promote", "supersede", "pattern", "flagged", "confirm",
)  # fmt: skip


def make_proposal(
    action: str,
    targets: Sequence[Memory],
    *,
    id: str,
    now: datetime,
    reason: str,
    text: str = "",
    kind: str = "",
) -> Memory:
    """A staged memory that proposes to change others; `text` is what would be remembered.

    Its tags name the action and the kind of what it would make; `derived_from` names what it is
    about; accepting applies it.
    """
    if action not in ACTIONS:
        raise BadInput(f"{action!r} is no proposal.", hint=f"Known are {', '.join(ACTIONS)}.")
    first = targets[0]
    content = f"{reason}\n\n{text}" if text else reason
    return Memory(
        id=id,
        content=content,
        created=now,
        updated=now,
        scope=first.scope,
        kind=PROPOSAL_KIND,
        owner=first.owner if first.owner != "personal" else "curated",
        status="staged",
        sensitivity=max((m.sensitivity for m in targets), key=_secrecy),
        trust="system",
        source="maintain",
        slug=identity.slug(reason, id),
        tags=(action, kind) if kind else (action,),
        derived_from=tuple(target.id for target in targets),
    )


def proposal_id(action: str, targets: Sequence[Memory]) -> str:
    """One proposal about the same memories, as they are, has one id on every device."""
    newest = max(target.updated for target in targets)
    about = sorted(f"{target.id} {iso(target.updated)}" for target in targets)
    return identity.computed_id(int(newest.timestamp() * 1000), action, *about)


def action_of(memory: Memory) -> str:
    """The action of a proposal."""
    return next((tag for tag in memory.tags if tag in ACTIONS), "")


def kind_of(memory: Memory) -> str:
    """The kind of memory that accepting creates."""
    return next((tag for tag in memory.tags if tag not in ACTIONS), "insight")


def proposed_text(memory: Memory) -> str:
    """The text that accepting saves; empty when the proposal has none."""
    return memory.content.partition("\n\n")[2]


def _secrecy(sensitivity: str) -> int:
    return ("public", "private", "sensitive").index(sensitivity)
