"""The step that finds what is said twice: by imports, by hand, or in other words.

What is saved one by one passes the gates of `save`; this looks at everything else.
"""

from __future__ import annotations

from datetime import timedelta

from ...errors import EmbedderUnavailable
from ...model import LIVE, TRUSTS
from ...ports.records import Put
from ...ports.searching import Where
from ...rules.comparing import clusters, duplicates, joining, telling, versions
from ...scope import EVERYTHING
from . import desk
from .merging import join
from .report import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Memory
    from ...rules.comparing.duplicates import Compared
    from .desk import Desk

LONGEST = 4_000
"""Longer texts are documents; two of them are not merged without a person."""
LEAST_SHARED = 0.7
"""Of their words; less alike are compared only if they mean the same."""
RECENT = timedelta(days=14)
MOST_ASKED, NEAREST = 500, 5
"""How many recent memories are looked up by meaning, and how many of their neighbours."""
MOST_ROUNDS = 10


def merge_duplicates(given: Desk) -> None:
    """Let one memory speak for several that say the same; again, until nothing is left."""
    _finish_merges(given)
    cosines = dict(_by_meaning(given))
    compared: set[str] = set()
    for _ in range(MOST_ROUNDS):
        before = len(given.planned)
        for pair in dict.fromkeys([*_by_words(given, compared), *cosines]):
            _settle(given, *pair, cosines.get(pair))
        cosines = {}  # What has been merged has no vector yet.
        given.tick()
        if len(given.planned) == before:
            return


def _finish_merges(given: Desk) -> None:
    """A merge that was interrupted left some of what it is made of in place: retire that."""
    for new in given.live(curated=False):
        if new.supersedes is None or new.supersedes not in new.derived_from:
            continue
        parts = [part for id in new.derived_from if (part := given.get(id)) is not None]
        left = [part for part in parts if part.status in LIVE and part.scope == new.scope]
        for part in given.not_put_back(left):
            write = Write(Put(versions.retired(part, new), expect=part), "superseded", (new.id,))
            words = f"{desk.name(part)} is part of {desk.name(new)}"
            given.change("duplicates", "retired", words, [write])


def _comparable(given: Desk) -> list[Memory]:
    return [
        memory
        for memory in given.live()
        if joining.family(memory)
        and memory.sensitivity != "sensitive"
        and len(memory.content) <= LONGEST
    ]


def _by_words(given: Desk, compared: set[str]) -> Iterator[tuple[str, str]]:
    """Pairs with mostly the same words, of which one at least was not `compared` before.

    Texts that differ in a number, a time or a no are never the same: they are not even paired.
    """
    groups: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}
    fresh: dict[tuple[object, ...], None] = {}
    for memory in _comparable(given):
        said = telling.read(memory.content)
        kind = (str(memory.scope), joining.family(memory))
        group = (*kind, said.numbers, said.times, said.negations)
        groups.setdefault(group, {})[memory.id] = frozenset(said.terms)
        if memory.id not in compared:
            fresh[group] = None
            compared.add(memory.id)
    given.tick()
    for group in fresh:
        yield from clusters.candidates(groups[group], least=LEAST_SHARED)
        given.tick()


def _by_meaning(given: Desk) -> Iterator[tuple[tuple[str, str], float]]:
    """Pairs of something recent and what is near it in meaning."""
    embedder = given.engine.embedder
    if embedder is None or not embedder.ready():
        return
    recent = [one for one in _comparable(given) if given.now - one.updated <= RECENT]
    newest = sorted(recent, key=lambda one: (one.updated, one.id), reverse=True)[:MOST_ASKED]
    for memory in newest:
        where = Where(scopes=(str(memory.scope),), statuses=LIVE, in_conversation=False)
        try:
            vector = embedder.embed([memory.content])[0]
        except EmbedderUnavailable:
            return  # Words alone have been compared; the next run has another chance.
        found = given.engine.index.gather(
            {}, vector, visible=EVERYTHING, where=where, pool=NEAREST, model=embedder.model
        )
        given.tick()
        for one in found.candidates:
            if one.id != memory.id and one.meaning is not None:
                yield (min(memory.id, one.id), max(memory.id, one.id)), one.meaning


def _settle(given: Desk, one: str, other: str, cosine: float | None) -> None:
    pair = [given.get(id) for id in (one, other)]
    live = [memory for memory in pair if memory is not None and memory.status in LIVE]
    if len(live) < 2 or not joining.comparable(*live):
        return
    older, newer = sorted(live, key=lambda memory: (memory.updated, memory.id))
    found = _compared(given, newer, older, cosine)
    if found.verdict == "apart" or len(given.not_put_back(live)) < 2:
        return
    if found.verdict == "same":
        _fold(given, newer, older)
    elif "external" not in {newer.trust, older.trust} or newer.trust == older.trust:
        _merge(given, newer, older)


def _compared(given: Desk, newer: Memory, older: Memory, cosine: float | None) -> Compared:
    gates = given.engine.settings.gates
    model = given.engine.embedder.model if given.engine.embedder else None
    scale = duplicates.scale(model, merge=gates.merge_cosine, same=gates.same_cosine)
    return duplicates.compared(
        newer.content,
        older.content,
        cosine=cosine,
        by=scale,
        same=gates.same,
        merge=gates.merge,
    )


def _fold(given: Desk, newer: Memory, older: Memory) -> None:
    """Both say the same: the more trusted, then the older, speaks for both."""
    kept, gone = sorted((older, newer), key=_worth)
    words = f"{desk.name(gone)} says the same as {desk.name(kept)}"
    if gone.owner != "agent":
        if not given.asked_together("supersede", kept, gone):
            given.propose("duplicates", "supersede", (kept, gone), f"One note for two? {words}")
        return
    fresh = versions.refreshed(kept, gone).but(updated=max(kept.updated, gone.updated))
    folded = gone.but(
        status="superseded", superseded_by=kept.id, updated=given.now, always_load=False
    )
    writes = [Write(Put(folded, expect=gone), "retired", (kept.id,))]
    if fresh != kept and kept.owner == "agent":
        writes.insert(0, Write(Put(fresh, expect=kept), "deduplicated", (gone.id,)))
    given.change("duplicates", "retired", words, writes, gone.id, kept.id)


def _merge(given: Desk, newer: Memory, older: Memory) -> None:
    """Both belong together: every statement of either is kept once."""
    made = given.engine.reasoner.merge(newer.content, older.content)
    if not joining.loses_nothing(made, newer.content, older.content):
        return
    text = made.text
    words = f"{desk.name(newer)} and {desk.name(older)} belong together"
    if newer.owner != "agent" or not joining.may_merge(newer, older):
        if not given.asked_together("merge", newer, older):
            given.propose("duplicates", "merge", (newer, older), f"Merge? {words}", text=text)
        return
    given.change("duplicates", "merged", words, join(given, newer, older, text))


def _worth(memory: Memory) -> tuple[object, ...]:
    return (
        -TRUSTS.index(memory.trust),
        memory.owner == "agent",
        not memory.always_load,
        memory.created,
        memory.id,
    )
