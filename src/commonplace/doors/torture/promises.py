"""Acknowledged changes, which must be in the book, and unanswered ones, which may be in it."""

from __future__ import annotations

from ...model.memory import LIVE
from ...model.value import Value
from .texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ...model.memory import Memory

CURRENT, RETIRED, FORGOTTEN, PURGED = "live", "retired", "forgotten", "purged"


def state_of(status: str) -> str:
    """How a promise calls a memory's status."""
    if status in LIVE:
        return CURRENT
    return FORGOTTEN if status == "deleted" else RETIRED


class Promise(Value):
    """A memory that was acknowledged: its text, and the states that it may be in."""

    text: str
    states: frozenset[str] = frozenset({CURRENT})


class Unanswered(Value):
    """A change without an answer: it was made as a whole, or not at all."""

    text: str
    of: str = ""
    """The memory that it would replace."""


class Promises:
    """Everything acknowledged so far in one book."""

    def __init__(self) -> None:
        self.kept: dict[str, Promise] = {}
        self.given: frozenset[str] = frozenset()
        """Ids of memories that were in the book before any writer of ours."""
        self.unanswered: list[Unanswered] = []
        self.values: dict[str, dict[str, set[str]]] = {}
        """For each key, the texts that may be its value after each writer's last change."""
        self.valued: set[str] = set()
        """Keys with a value that was acknowledged or seen."""
        self._keys: set[str] = set()
        """Keys that anybody ever tried to set."""
        self.sides: set[str] = set()
        """Texts of a conflict between devices: each is read, under whatever id."""
        self.known: set[str] = set()
        """Every text that anybody ever tried to write."""
        self.purged: set[str] = set()
        """Texts that were purged: no file holds them."""
        self._replaceable: dict[str, None] = {}
        self._replaced: dict[str, str] = {}
        """The memory that another one replaced, which a purge removes as well."""
        self.acknowledged = 0
        self.refused = 0

    def give(self, found: Sequence[Memory]) -> None:
        """Promise the memories that nobody of ours wrote."""
        self.settle(found)
        self.given = frozenset(self.kept)

    def hear(self, writer: str, lines: Iterable[Mapping[str, Any]]) -> None:
        """Read what one writer tried and what was acknowledged to it, in its order."""
        tried: Mapping[str, Any] | None = None
        for line in lines:
            if "try" in line:
                tried = line["try"]
                self._try(writer, line["try"])
            elif tried is not None and "done" in line:
                self.acknowledged += 1
                self._keep(writer, tried, line["done"])
                tried = None
            elif "edited" in line:
                self.divide(line["edited"], text_of(line["tag"]))
            elif tried is not None and "refused" in line:
                self.refused += 1
                if line.get("late"):
                    self._not_made(writer, tried)
                tried = None

    def _try(self, writer: str, change: Mapping[str, Any]) -> None:
        text, of = text_of(change["tag"]) if "tag" in change else "", change.get("of", "")
        self.known.add(text)
        if change["act"] == "forget":
            self._may(of, FORGOTTEN)
        elif change["act"] == "purge":
            for version in self._versions(of):
                self._may(version, PURGED)
        elif change["act"] == "fact":
            # A writer's own changes are in order: only its last value, or the one before, stays.
            self._keys.add(change["key"])
            self.known.add(value := f"{change['key']}: {text}")
            self.values.setdefault(change["key"], {}).setdefault(writer, set()).add(value)
        else:
            self.unanswered.append(Unanswered(text, of))
            if of:
                self._may(of, RETIRED)

    def _not_made(self, writer: str, change: Mapping[str, Any]) -> None:
        """Note that a change was not made: its writer got no turn, or lost it."""
        text, of = text_of(change["tag"]) if "tag" in change else "", change.get("of", "")
        if change["act"] == "fact":
            self.values[change["key"]][writer].discard(f"{change['key']}: {text}")
        elif change["act"] in ("save", "correct"):
            self.unanswered.remove(Unanswered(text, of))
            self.known.discard(text)

    def _keep(self, writer: str, change: Mapping[str, Any], id: str) -> None:
        text, of = text_of(change["tag"]) if "tag" in change else "", change.get("of", "")
        if change["act"] == "purge":
            for version in self._versions(of):
                self.purged.add(self.kept.pop(version).text)
            return
        if change["act"] == "forget":
            self._must(of, FORGOTTEN)
            return
        if change["act"] == "fact":
            text = f"{change['key']}: {text}"
            self.valued.add(change["key"])
            self.values[change["key"]].pop("", None)
            self.values[change["key"]][writer] = {text}
            # Another writer may have replaced it since.
            self.kept[id] = Promise(text, frozenset({CURRENT, RETIRED}))
            return
        self.unanswered.remove(Unanswered(text, of))
        self.kept[id] = Promise(text)
        if change["act"] != "same":
            self._replaceable[id] = None
        if of:
            self._replaced[id] = of
            self._must(of, RETIRED)

    def replaceable(self) -> list[str]:
        """Ids of memories that one writer may correct or forget, since no other one saves them."""
        alone = frozenset({CURRENT})
        return [
            id for id, one in self.kept.items() if one.states == alone and id in self._replaceable
        ]

    def divide(self, id: str, *texts: str) -> None:
        """A memory was edited on several devices: each text must be read, under whatever id."""
        del self.kept[id]
        self._replaceable.pop(id, None)
        self.known.update(texts)
        self.sides.update(texts)
        self.acknowledged += len(texts)

    def purges(self) -> list[str]:
        """Ids of memories whose purge has no answer: whoever asked for it asks again."""
        return [id for id, one in self.kept.items() if PURGED in one.states]

    def purge(self, id: str) -> None:
        """A purge was asked for again and is complete now."""
        self.purged.add(self.kept.pop(id).text)

    def _versions(self, id: str) -> list[str]:
        """A memory and those that it replaced."""
        found = [id]
        while (id := self._replaced.get(id, "")) in self.kept:
            found.append(id)
        return found

    def _may(self, id: str, state: str) -> None:
        self.kept[id] = self.kept[id].but(states=self.kept[id].states | {state})

    def _must(self, id: str, state: str) -> None:
        # The fate of a memory that a person edited meanwhile is another promise.
        if id in self.kept:
            self.kept[id] = self.kept[id].but(states=frozenset({state}))

    def settle(self, found: Iterable[Memory]) -> None:
        """Hold the book to what it shows now: nothing that was seen may change by itself."""
        self.unanswered, self.values, self.sides = [], {}, set()
        found = list(found)
        purging = {*self.purges()}.difference(one.id for one in found)
        # A power cut may take the end of a purge: who asks again purges these versions as well.
        purging = {version for id in purging for version in self._versions(id)}
        for memory in found:
            states = frozenset({state_of(memory.status)})
            if memory.id in purging:
                states |= {PURGED}
            if memory.key in self._keys and CURRENT in states:
                # A writer that was killed may have set it without an answer.
                self.valued.add(memory.key)
                self.values[memory.key] = {"": {memory.content}}
                # Every writer may set a new value, which retires this one.
                states |= {RETIRED}
            self.kept[memory.id] = Promise(memory.content, states)
