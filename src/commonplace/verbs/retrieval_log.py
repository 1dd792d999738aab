"""Log what was recalled and handed over."""

from __future__ import annotations

from ..model.errors import Busy, LedgerUnavailable
from ..model.memory import HandedDigest, Retrieval
from ..model.quick_decorators import suppress
from ..model.quick_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..engine.engine import Engine
    from ..model.memory import Recalled
    from ..rules.handed_over.digest import Digest


def log_recall(
    engine: Engine,
    query: str,
    recalled: Recalled,
    used: Sequence[str],
    *,
    took_s: float,
    handed: bool = False,
) -> None:
    """Log a question with its answer, and count the memories that were used.

    `handed` says that they were put into a prompt, without the agent asking for them.
    """
    if engine.untracked:
        return
    # Imported here, because the start of a session asks nothing.
    from ..rules.screening.screen import loggable
    from ..rules.talk import off_record

    if off_record.read_wish(query).this:
        query = off_record.NOT_KEPT
    recalled.id = engine.id()
    details: dict[str, Any] = {
        "sure": recalled.sure,
        "by": engine.source,
        "ms": round(took_s * 1_000, 2),
    }
    if handed:
        found = {hit.memory.id for hit in recalled}
        details["handed"] = [id for id in used if id in found]
    details["why"] = [{why.part: round(why.share, 4) for why in hit.why} for hit in recalled]
    retrieval = Retrieval(
        id=recalled.id,
        at=engine.now(),
        query=loggable(query, engine.settings.screening)[:2_000],
        scope=str(engine.context.scope),
        results=tuple((hit.memory.id, round(hit.score, 6)) for hit in recalled),
        details=write_json(details),
    )
    try:
        if engine.settings.retrieval_log:
            engine.ledger.log(retrieval, used)
        else:
            engine.ledger.count_use(used, at=retrieval.at)
    except (LedgerUnavailable, Busy):
        # A full or read-only disk is no reason to keep an answer back.
        return


def log_digest(engine: Engine, made: Digest, id: str = "") -> Digest:
    """Log a digest under the id of its recall, or a new one; returns it with the id."""
    if engine.untracked or not engine.settings.retrieval_log:
        return made
    at = engine.now()
    id = id or engine.id()
    scope = str(engine.context.scope)
    try:
        engine.ledger.log_digest(HandedDigest(id, at, scope, made.text, made.ids, engine.source))
    except (LedgerUnavailable, Busy):
        # A full or read-only disk is no reason to keep an answer back.
        return made
    return made.but(id=id)


def mark_digests(engine: Engine, ids: Sequence[str], *, late: bool) -> None:
    """Mark logged digests as late, or as handed over after all."""
    if ids:
        with suppress(LedgerUnavailable, Busy):
            engine.ledger.mark_digests(ids, late=late)
