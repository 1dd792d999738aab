"""How the book is: where it lives, what it holds, and what a person should look at."""

from __future__ import annotations

from ..errors import CommonplaceError
from ..model import Problem, Status
from ..ports import Where
from .catch_up import with_index
from .links import broken_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..model import Link
    from .engine import Engine


def status(engine: Engine) -> Status:
    """Where the book is and what is in it, as far as the caller may see."""

    def counted(by: Literal["scope", "kind", "status"]) -> tuple[tuple[str, int], ...]:
        found = engine.index.count(Where(), visible=engine.visible, by=by)
        return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    by_status = with_index(engine, lambda: counted("status"))
    return Status(
        url=engine.store.url,
        store_id=engine.store.store_id,
        state=engine.state,
        memories=sum(count for _, count in by_status),
        by_status=by_status,
        by_kind=counted("kind"),
        by_scope=counted("scope"),
        index=engine.index.location,
        embedder=_embedder(engine),
        capabilities=tuple(sorted(engine.store.capabilities | engine.index.capabilities)),
    )


def _embedder(engine: Engine) -> str:
    if engine.embedder is None:
        return "none"
    model = engine.embedder.model
    return model if engine.embedder.ready() else f"{model} (out of reach; recall goes by words)"


def doctor(engine: Engine) -> list[Problem]:
    """Everything a person should look at, worst first. Changes nothing but the index."""
    found: list[Problem] = []
    # What is wrong with files and chains names places of every tenant: only the owner's business.
    checks = (_store, _links, _audit) if engine.context.role == "owner" else (_links,)
    for check in checks:
        try:
            found += check(engine)
        except CommonplaceError as error:
            found.append(Problem("book", error.sentence, error.hint, severity="error"))
    rank = {"error": 0, "warning": 1, "notice": 2}
    return sorted(found, key=lambda problem: (rank[problem.severity], problem.where))


def _store(engine: Engine) -> list[Problem]:
    with_index(engine, lambda: None)
    return engine.store.problems()


def _links(engine: Engine) -> list[Problem]:
    def said(link: Link) -> Problem:
        return Problem(
            link.source, f"links to [[{link.target}]], which does not exist", severity="notice"
        )

    return [said(link) for link in broken_links(engine)]


def _audit(engine: Engine) -> list[Problem]:
    return list(engine.ledger.verify().problems)
