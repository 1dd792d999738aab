"""What `export` wrote: lines or a document of JSON; also a plain list of texts."""

from __future__ import annotations

from datetime import UTC, datetime

from ..errors import BadInput
from ..results import LeftOut
from ..rules.notes.exchange import FORMAT, VERSION, as_draft, is_history, of_fields
from .fields import mapping
from .parcel import damaged
from .streaming import elements, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..model import Draft
    from .parcel import Parcel

HISTORY = "An old version, or something that waits for a decision: `move` and `backup` keep those."


def fits(first: Any) -> bool:
    """Whether a file that begins so is one of ours."""
    if isinstance(first, set):
        return first <= {"format", "memories"}
    return isinstance(first, str) or {"format", "content"} & mapping(first).keys() != set()


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """Every memory in use; a line that is none makes the whole file a damaged one."""
    now = datetime.now(UTC)
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    found = lines(parcel, name) if by_line else elements(parcel, name, under=("memories",))
    for number, one in enumerate(found, 1):
        if number == 1 and mapping(one).get("format") == FORMAT:
            _require_known(parcel, one)
            continue
        try:
            memory = of_fields(one, now=now)
        except (ValueError, TypeError, KeyError, AttributeError, BadInput) as error:
            raise damaged(parcel, name, f"number {number} in it is no memory") from error
        if is_history(memory):
            yield LeftOut(HISTORY)
        else:
            draft = as_draft(memory)
            # Without a scope of its own it goes where whoever imports it is at home.
            yield draft if "scope" in mapping(one) else draft.but(scope=None)


def _require_known(parcel: Parcel, head: Any) -> None:
    if head.get("version") != VERSION:
        raise BadInput(
            f"{parcel.name} was exported by a newer Commonplace.", hint="Upgrade Commonplace."
        )
