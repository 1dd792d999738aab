"""The step that dreams: long chains of versions keep their ends at hand, the middle is history."""

from __future__ import annotations

from . import desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Memory
    from .desk import Desk

NEWEST_KEPT = 2


def compact(given: Desk) -> None:
    """Of many old versions, the first and the newest stay; those between move out of the way.

    Nothing is lost: every version still names the next, and `history` shows them all.
    """
    for chain in _chains(given):
        long = len(chain) > given.settings.chain_versions
        middle = given.not_put_back(chain[1:-NEWEST_KEPT]) if long else []
        if not middle:
            continue
        # All or none at once: half of it would look like a chain that is short enough.
        writes = [desk.altered(one, "archived", status="archived") for one in middle]
        words = f"{len(writes)} of {len(chain)} old versions of {desk.name(chain[-1])}"
        given.change("dream", "archived", words, writes)


def _chains(given: Desk) -> list[list[Memory]]:
    """Old versions by the memory that holds now, oldest first."""
    old = {memory.id: memory for memory in given.of_status("superseded")}
    by_newest: dict[str, list[Memory]] = {}
    for memory in old.values():
        here, passed = memory, {memory.id}
        while (following := here.superseded_by) in old and following not in passed:
            passed.add(following)
            here = old[following]
        by_newest.setdefault(here.superseded_by or here.id, []).append(memory)
    return [sorted(chain, key=lambda one: (one.created, one.id)) for chain in by_newest.values()]
