"""Status of the book, and the problems that `doctor` finds."""

from __future__ import annotations

from random import sample

from ..distribution import reinstall_command
from ..engine.branch_view import with_standing
from ..engine.catch_up import as_indexed, index_new_changes, with_index
from ..engine.embed import waiting_for_vectors
from ..model import identity
from ..model.errors import Busy, CommonplaceError, Unavailable
from ..model.memory import LIVE, Problem
from ..model.results import Status
from ..model.scope import EVERYTHING
from ..notes.display import is_sealed
from ..ports.search_index import Where
from ..rules.screening.findings import CREDENTIAL
from ..rules.screening.screen import screen
from .find import listed
from .inbox_count import count_waiting
from .links import broken_links
from .threshold import thresholds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Literal

    from ..engine.engine import Engine
    from ..model.memory import Link, Memory

MOST_VERSIONS = 1_000_000
MOST_NAMED = 10_000
PAGE = 500
SHOWN_WAITING = 3
"""Memories that `doctor` names of those without a vector."""
MOST_LOOKED_UP = 2_000
"""Memories whose words `doctor` looks up in the index."""
_NOT_NOW = ("The book cannot be read right now.", "Try again later, or ask its owner.")


def status(engine: Engine) -> Status:
    """Where the book is and how much it holds, within what the caller may see."""

    def counted(
        where: Where, by: Literal["scope", "kind", "status"]
    ) -> tuple[tuple[str, int], ...]:
        found = engine.index.count(where, visible=engine.visible, by=by)
        return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    by_status = with_index(engine, lambda: counted(Where(), "status"))
    used = with_standing(engine, listed(Where(statuses=LIVE), include_archive=False))
    by_kind = counted(used, "kind")
    # Only the owner sees paths of the machine.
    mine = engine.context.role == "owner"
    return Status(
        url=engine.store.url if mine else "",
        store_id=engine.store.store_id,
        state=engine.state if mine else "",
        memories=sum(count for _, count in by_kind),
        records=sum(count for _, count in by_status),
        by_status=by_status,
        by_kind=by_kind,
        by_scope=counted(used, "scope"),
        waiting=count_waiting(engine, engine.visible),
        index=engine.index.location if mine else "",
        embedder=_embedder(engine),
        sessions=_sessions(engine),
        capabilities=tuple(sorted(engine.store.capabilities | engine.index.capabilities)),
        reasoner=_reasoner(engine),
        thresholds=thresholds(engine),
        tokens=_tokens(engine) if mine else "",
    )


def _tokens(engine: Engine) -> str:
    """Whether callers of a server need a token."""
    if not engine.server_state.tokens_required():
        return "not needed"
    if kept := len(engine.server_state.tokens()):
        return f"needed; {kept} exist"
    return "needed, but there is none: a server refuses everyone"


def _sessions(engine: Engine) -> str:
    # Opening the local store would create its file.
    local = engine.settings.sessions == "local"
    return "local" if local else engine.sessions.status


def _embedder(engine: Engine) -> str:
    if engine.embedder is None:
        return "none"
    model = engine.embedder.model
    if not engine.embedder.ready():
        return f"{model} (out of reach; recall goes by words)"
    if failure := _vectors_failure(engine):
        return f"{model} ({failure.sentence} Recall goes by words.)"
    return f"{model}{_embedded(engine, model)}"


def _vectors_failure(engine: Engine) -> Unavailable | Busy | None:
    """The reason why vectors cannot be stored or compared right now."""
    try:
        engine.index.check_vectors()
    except (Unavailable, Busy) as error:
        return error
    return None


def _embedded(engine: Engine, model: str) -> str:
    """Progress of embedding; empty when it is complete."""
    if "vector" not in engine.index.capabilities:
        return ""
    models = engine.index.models()
    waiting = engine.index.waiting(model)
    total = sum(engine.index.count(Where(), visible=EVERYTHING, by="status").values())
    if not total or (models[:1] == [model] and not waiting):
        return ""
    done = 100 * (total - waiting) // total if model in models else 0
    if models and models[0] != model:
        return f" (re-embedding: {done} %; until then recall goes by {models[0]})"
    return f" (embedding: {done} %)"


def _reasoner(engine: Engine) -> str:
    """The reasoner, and the tokens and cost of its model this month."""
    if engine.settings.reasoner == "rules":
        return " ".join(("rules", *(f"({one.what})" for one in engine.reasoner.problems())))
    if engine.context.role != "owner":
        return engine.reasoner.name
    spent = engine.ledger.spent(_month(engine))
    used = f"{spent.asked} questions this month, {spent.input_tokens + spent.output_tokens} tokens"
    cost = f", cost {spent.cost:.2f}" if spent.cost else ""
    failed = f"; last answer not used: {spent.last_failure}" if spent.last_failure else ""
    return f"{engine.reasoner.name} ({used}{cost}{failed})"


def _month(engine: Engine) -> datetime:
    return engine.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def doctor(engine: Engine) -> list[Problem]:
    """Every problem of the book, worst first; changes nothing but the index."""
    found: list[Problem] = []
    # Problems of files and chains name places of every tenant, so only the owner sees them.
    owner = engine.context.role == "owner"
    owner_checks = (
        _state, _store, _unread, _index, exposed_credentials, version_cycles, _links, _empty,
        _audit, _model, _reader, _vectors, _backups, _locked_out,
    )  # fmt: skip
    checks = owner_checks if owner else (_links,)
    for check in checks:
        try:
            found += check(engine)
        except CommonplaceError as error:
            text = (error.sentence, error.hint) if owner else _NOT_NOW
            found.append(Problem("book", *text, severity="error"))
    rank = {"error": 0, "warning": 1, "notice": 2}
    return sorted(found, key=lambda problem: (rank[problem.severity], problem.where))


def _state(engine: Engine) -> list[Problem]:
    """Damaged files of this device; those that can be made again are, but for the model."""
    found = engine.examine_state() if engine.examine_state else []
    if engine.embedder is not None and engine.embedder.is_damaged():
        what = "The file of the embedding model is damaged; vectors made with it may be wrong."
        hint = f"Run `{reinstall_command()}`, then `commonplace sync --rebuild`."
        found.append(Problem(engine.embedder.model, what, hint))
    return found


def _index(engine: Engine) -> list[Problem]:
    """An index that does not say what the store says; it is built anew."""
    if "shared" in engine.index.capabilities | engine.store.capabilities or _unread(engine):
        return []  # The index of a damaged book may be the last to have a memory.
    seen: list[str] = []
    for stored in engine.store.changes(0, visible=EVERYTHING, look=False):
        changes = as_indexed(engine, stored)
        memories = {one.id: one for document in changes.documents for one in document.memories}
        indexed = _indexed(engine, memories)
        if indexed != memories:
            return [_index_built_anew(engine)]
        seen += indexed
    # Other ones each time, because the words of a large book take long to look up.
    if not engine.index.has_words(sample(seen, min(len(seen), MOST_LOOKED_UP))):
        return [_index_built_anew(engine)]
    return []


def _index_built_anew(engine: Engine) -> Problem:
    engine.index.reset()
    index_new_changes(engine, look=False)
    what = "The search index did not match the memories and was built anew."
    return Problem("index", what, "Nothing is to be done. Nothing is lost.")


def _unread(engine: Engine) -> list[Problem]:
    """Memories that the index has and a damaged store no longer gives."""
    if "files" in engine.store.capabilities or "shared" in engine.store.capabilities:
        return []  # Notes that are gone were deleted, and a server repairs its own files.
    found: list[Problem] = []
    offset = 0
    while page := engine.index.select(Where(), visible=EVERYTHING, limit=PAGE, offset=offset):
        offset += PAGE
        there = engine.store.read([one.id for one in page], visible=EVERYTHING)
        found += [_unread_problem(one) for one in page if one.id not in there]
    return found


def _unread_problem(memory: Memory) -> Problem:
    name = memory.slug or memory.id
    what = "cannot be read from the book; the search index still has it"
    hint = f"Copy it with `commonplace get {name}`, or restore the book from a backup."
    return Problem(name, what, hint, "error")


def _indexed(engine: Engine, memories: Mapping[str, Memory]) -> dict[str, Memory]:
    """The same memories as the index has them, but for the status that it works out itself."""
    where = Where(ids=tuple(memories))
    found = engine.index.select(where, visible=EVERYTHING, limit=len(memories))
    return {
        one.id: one.but(status=same.status, superseded_by=same.superseded_by)
        for one in found
        if (same := memories[one.id])
    }


def _store(engine: Engine) -> list[Problem]:
    with_index(engine, lambda: None)
    return engine.store.problems()


def _links(engine: Engine) -> list[Problem]:
    broken = broken_links(engine)
    sources = tuple({link.source for link in broken})
    found = engine.index.select(Where(ids=sources), visible=engine.visible, limit=MOST_NAMED)
    names = {memory.id: memory.slug or memory.id for memory in found}

    def problem(link: Link) -> Problem:
        name = names.get(link.source, link.source)
        what = f"links to [[{link.target}]], which does not exist"
        return Problem(name, what, f"Write that note, or `commonplace edit {name}`.", "notice")

    return [problem(link) for link in broken]


def _empty(engine: Engine) -> list[Problem]:
    """Notes without any text."""
    where = Where(content_hashes=(identity.content_hash(""),), statuses=LIVE)
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=MOST_NAMED)
    )
    hint = "Write something into the note, or delete it."
    return [Problem(one.slug or one.id, "is empty", hint, "notice") for one in found]


def _vectors(engine: Engine) -> list[Problem]:
    """A vector engine that cannot be reached, or memories that have no vector yet."""
    if failure := _vectors_failure(engine):
        return [Problem("vectors", failure.sentence, failure.hint, severity="warning")]
    if not (waiting := waiting_for_vectors(engine)):
        return []
    read = engine.index.unembedded(visible=EVERYTHING, limit=MOST_NAMED)
    found = [one for one in read.values() if one.status in LIVE]
    # Nobody misses a memory that recall never returns, such as a rejected proposal.
    waiting -= len(read) - len(found)
    if not waiting:
        return []
    names = ", ".join(one.slug or one.id for one in found[:SHOWN_WAITING])
    listed = f" ({names}{', …' if waiting > SHOWN_WAITING else ''})" if names else ""
    what = f"Memories without a vector, which recall finds by their words alone: {waiting}{listed}."
    hint = "Run `commonplace sync`; sessions of connected agents embed them bit by bit, too."
    return [Problem("vectors", what, hint, "notice")]


def _model(engine: Engine) -> list[Problem]:
    """A configured model that does not answer."""
    settings = engine.settings
    if settings.reasoner == "rules":
        return []
    name = engine.reasoner.name
    if not (settings.reasoner_budget or settings.reasoner_tokens):
        what = f"{name} is never used, because its spending limit is 0; the rules answer."
        return [Problem("reasoner", what, "Set reasoner_tokens or reasoner_budget.", "notice")]
    if reason := engine.ledger.spent(_month(engine)).last_failure:
        what = f"The last answer of {name} was not used, because {reason}; the rules answered."
        return [Problem("reasoner", what, "Check its address, its model and its key.")]
    return []


def _reader(engine: Engine) -> list[Problem]:
    return list(engine.reasoner.problems())


def _backups(engine: Engine) -> list[Problem]:
    from .backup import backup_problems

    return backup_problems(engine)


def _locked_out(engine: Engine) -> list[Problem]:
    """A server that needs a token when none exists."""
    if not engine.server_state.tokens_required() or engine.server_state.tokens():
        return []
    what = "Servers of this book need a token, but none exists."
    hint = "Run `commonplace token create`, or `commonplace token off` for a single user."
    return [Problem("tokens", what, hint)]


def _audit(engine: Engine) -> list[Problem]:
    return list(engine.ledger.verify().problems)


def version_cycles(engine: Engine) -> list[Problem]:
    """One problem for each cycle of versions, named by its smallest id."""
    where = Where(superseding=True)
    found = with_index(
        engine, lambda: engine.index.select(where, visible=engine.visible, limit=MOST_VERSIONS)
    )
    before = {memory.id: memory.supersedes for memory in found}
    names = {memory.id: memory.slug or memory.id for memory in found}
    problems: dict[str, Problem] = {}
    done: set[str] = set()
    for start in before:
        path: list[str] = []
        here: str | None = start
        while here in before and here not in done:
            done.add(here)
            path.append(here)
            here = before[here]
        if here in path:
            circle = path[path.index(here) :]
            first = min(circle)
            problems[first] = _cycle_problem(names[first], [names[id] for id in circle])
    return list(problems.values())


def _cycle_problem(where: str, circle: list[str]) -> Problem:
    if len(circle) == 1:
        what = "supersedes itself"
    else:
        what = f"is part of a cycle of versions: {' → '.join(circle)} → {circle[0]}"
    return Problem(where, what, "Remove one `supersedes` line from these notes by hand.")


def exposed_credentials(engine: Engine) -> list[Problem]:
    """Documents with credentials in plain text, by kind, without the credentials themselves."""
    problems: list[Problem] = []
    for changes in engine.store.changes(0, visible=EVERYTHING, look=False):
        for document in changes.documents:
            labels = dict.fromkeys(
                label for memory in document.memories for label in _credentials(memory)
            )
            if labels:
                problems.append(_credential_problem(document.locator, list(labels)))
    return problems


def _credentials(memory: Memory) -> list[str]:
    texts = [memory.title, *memory.aliases, *memory.tags]
    if not is_sealed(memory):
        texts += [memory.content, memory.value or ""]
    return [one.label for text in texts if text for one in screen(text) if one.kind == CREDENTIAL]


def _credential_problem(where: str, labels: list[str]) -> Problem:
    return Problem(
        where,
        f"holds a credential in plain text ({', '.join(labels)})",
        "Remove it by hand and replace it where it is used; `save --seal` stores one encrypted.",
    )
