"""The texts and questions that every system gets."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonplace.rules.ranking.measures import Query
from commonplace.verbs.evaluate import read_queries, read_turns

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / "training" / "corpus"
PARTS, FINAL, DEVELOPMENT = 10, 1, 0
FACTS, NOTES = "facts", "notes"
"""Scopes of the made facts and of the notes that speed is measured with."""

Item = dict[str, Any]


@dataclass(frozen=True)
class Questions:
    """Turns to save, and questions about them."""

    name: str
    items: list[Item]
    queries: list[Query]
    """Only those that something answers."""


def final_tenth() -> Questions:
    """The part of our own corpus that no model of ours has seen."""
    items: list[Item] = []
    queries: list[Query] = []
    for talk in _talks(lambda part: part == FINAL):
        items += _turns(talk, talk["id"])
        for number, asked in enumerate(talk["questions"]):
            if asked["evidence"]:
                evidence = tuple(f"{talk['id']}-{turn}" for turn in asked["evidence"])
                id = f"{talk['id']}-q{number}"
                query = Query(id, asked["text"], talk["id"], evidence=evidence)
                queries.append(query)
    return Questions("the final tenth of training/corpus", items, queries)


def labelled_set(folder: str) -> Questions:
    """A set in the form that `commonplace eval` reads, such as LoCoMo or LongMemEval."""
    turns, queries = read_turns(folder), read_queries(folder)
    places = {
        name: f"talk-{n}" for n, name in enumerate(dict.fromkeys(t.conversation for t in turns))
    }
    # Ids become names of files and entities, so they are numbered.
    ids = {turn.id: f"turn-{number}" for number, turn in enumerate(turns)}
    items = [
        _item(
            ids[turn.id],
            places[turn.conversation],
            turn.text,
            turn.speaker,
            turn.time.isoformat() if turn.time else None,
            episode=turn.session,
            position=turn.position,
        )
        for turn in turns
    ]
    asked = [
        Query(
            query.id,
            query.text,
            places[query.conversation],
            time=query.time,
            evidence=tuple(ids.get(one, one) for one in query.evidence),
        )
        for query in queries
        if query.evidence and query.conversation in places
    ]
    return Questions(Path(folder).name, items, asked)


def notes(count: int) -> Questions:
    """Turns of the training part in one scope, for speed; the questions are about some of them."""
    items: list[Item] = []
    queries: list[Query] = []
    for talk in _talks(lambda part: part not in (FINAL, DEVELOPMENT)):
        items += _turns(talk, NOTES)
        queries += [
            Query(f"{talk['id']}-q{n}", asked["text"], NOTES)
            for n, asked in enumerate(talk["questions"])
        ]
        if len(items) >= count:
            break
    step = max(1, len(queries) // 100)
    return Questions("notes", items[:count], queries[::step][:100])


def changes() -> list[dict[str, str]]:
    """Facts that changed: `old`, `new` and a `question`."""
    return _lines(HERE / "changes.jsonl")


def look_alikes() -> list[dict[str, str]]:
    """Two facts that look alike and both hold: `one` and `other`."""
    return _lines(HERE / "look_alikes.jsonl")


def fact(id: str, text: str, time: str) -> Item:
    """A made fact as an item."""
    return _item(id, FACTS, text, None, time)


def _talks(wanted: Any) -> list[dict[str, Any]]:
    talks = [talk for path in sorted(CORPUS.glob("*.jsonl")) for talk in _lines(path)]
    return [talk for talk in talks if wanted(zlib.crc32(talk["id"].encode()) % PARTS)]


def _turns(talk: dict[str, Any], scope: str) -> list[Item]:
    return [
        _item(
            f"{talk['id']}-{turn['n']}",
            scope,
            turn["text"],
            turn.get("speaker"),
            turn["time"],
            episode=talk["id"],
            position=position,
        )
        for position, turn in enumerate(talk["turns"])
    ]


def _item(
    id: str, scope: str, text: str, speaker: str | None, time: str | None, **more: Any
) -> Item:
    named = f"{speaker}: {text}" if speaker else text
    given = {
        "id": id,
        "scope": scope,
        "text": named,
        "said": text,
        "speaker": speaker,
        "time": time,
    }
    return {**given, **more}


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
