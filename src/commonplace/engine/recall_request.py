"""One question to the book, as asked and as prepared for the search."""

from __future__ import annotations

from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date, datetime

    from ..rules.ranking.questions import Question

ARMS = ("keyword", "vector")


class RecallRequest(Value):
    """One question to the book, and the limits within which it is answered."""

    query: str
    where: Where = Where(statuses=LIVE)
    limit: int = 10
    as_of: date | None = None
    """Answer as the book would have at this moment, or at the end of this day."""
    arms: Collection[str] = ARMS
    ignore: Collection[str] = ()
    """Ids that are no answers, such as that of the note the question is about."""


class PreparedRecall(Value):
    """A request, and the values derived from it once."""

    request: RecallRequest
    question: Question
    as_of: datetime | None
    now: datetime
    """The moment asked about: `as_of`, or else the present."""
    where: Where
    """The request's conditions at that moment."""
    archive_closed: bool
    """Whether archived summaries answer only what they match strongly."""
