"""A scripted year of saves with nightly maintenance, and the state of the book at its end."""

from __future__ import annotations

import random
import string
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest

from commonplace import Commonplace, Refused
from commonplace.books.open import open_book
from commonplace.model import identity
from commonplace.model.memory import LIVE, Memory
from commonplace.rules.relations import duplicates, merge
from commonplace.settings import Settings
from tests.on_disk import all_bytes

DAYS, SAVES_A_DAY = 365, 6
BEGIN = datetime(2026, 1, 1, 8, tzinfo=UTC)
PEOPLE = ("Ada", "Ben", "Cleo")
THINGS = ("editor", "shell", "keyboard", "framework", "database", "browser", "colour", "font")
CHOICES = (
    "Vim", "Emacs", "Helix", "Kakoune", "Nano", "Zed", "Sublime", "Micro", "Neovim", "Kate",
)  # fmt: skip
PLACES = ("Oslo", "Lima", "Cairo", "Kyoto", "Quito", "Tunis", "Porto", "Delhi", "Accra", "Turin")
PARTS = ("parser", "scheduler", "importer", "cache", "queue", "gateway", "mailer", "indexer")
ACTS = ("retries", "logs", "drops", "signs", "rotates", "batches", "mirrors", "throttles")
OBJECTS = (
    "invoices", "tokens", "uploads", "sessions", "webhooks", "thumbnails", "receipts", "exports",
    "previews", "digests", "invites", "refunds",
)  # fmt: skip
WHYS = ("for audits", "on weekends", "under load", "after deploys", "for partners", "in staging")


class Year:
    """One book, its clock, and the statements of a person and an agent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.chance = random.Random(2026)
        self.now = BEGIN
        settings = Settings(state=str(folder / "state"), embedder="none")
        url = f"sqlite:{folder / 'book.db'}"
        self.agent = open_book(url, settings=settings, now=self.clock)
        self.person = open_book(url, settings=settings, now=self.clock, source="cli")
        self.said: list[tuple[str, str]] = []
        """Statements, and the scope they were made in."""
        self.today: list[dict[str, object]] = []
        self.chosen: dict[tuple[str, str], str] = {}
        self.facts: dict[str, str] = {}
        self.written: dict[str, str] = {}
        """The person's texts, by memory id."""
        self.over: dict[str, datetime] = {}
        self.secrets: list[str] = []

    def clock(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def live_through(self, days: int) -> None:
        for day in range(days):
            self.now = BEGIN + timedelta(days=day)
            for _ in range(SAVES_A_DAY):
                self.chance.choice(
                    (self.learn, self.learn, self.repeat, self.rephrase, self.prefer, self.announce,
                     self.state, self.leak, self.ask)
                )()  # fmt: skip
            self.write_down()
            self.now = BEGIN + timedelta(days=day, hours=15)
            assert self.agent.maintain().ran

    def write_down(self) -> None:
        """Save the statements of one day, in order."""
        for draft, saved in zip(self.today, self.person.save_many(self.today), strict=True):
            if saved.action != "deduplicated" and "key" not in draft:
                self.written[saved.id] = str(draft["content"])
        self.today.clear()

    def statement(self) -> str:
        pick = self.chance.choice
        return f"The {pick(PARTS)} {pick(ACTS)} {pick(OBJECTS)} {pick(WHYS)}"

    def tell(self, text: str, **fields: object) -> None:
        self.today.append({"content": text, **fields})

    def learn(self) -> None:
        self.said.append((self.statement(), f"/project/{self.chance.choice('abc')}"))
        self.tell(self.said[-1][0], scope=self.said[-1][1])

    def repeat(self) -> None:
        if self.said:
            text, scope = self.chance.choice(self.said)
            self.tell(self.chance.choice((text, text.upper(), f"  {text}. ")), scope=scope)

    def rephrase(self) -> None:
        if self.said:
            text, scope = self.chance.choice(self.said)
            added = self.chance.choice(("as agreed", "it seems", "by design"))
            self.tell(f"{text}, {added}", scope=scope)

    def prefer(self) -> None:
        person, thing = self.chance.choice(PEOPLE), self.chance.choice(THINGS)
        choice = self.chance.choice(CHOICES)
        text = f"{person}'s favourite {thing} is {choice}"
        about = text.partition(" is ")[0]
        if any(str(draft["content"]).startswith(about) for draft in self.today):
            return  # At most one change of mind a day.
        self.chosen[person, thing] = choice
        self.tell(text, kind="preference", scope="/user/team")

    def state(self) -> None:
        key, value = f"office.{self.chance.choice(THINGS)}", self.chance.choice(PLACES)
        self.tell(f"{key}: {value}", key=key, value=value)
        self.facts[key] = value

    def announce(self) -> None:
        ends = self.now + timedelta(days=self.chance.randint(2, 30))
        what = f"The {self.chance.choice(PLACES)} meeting number {len(self.over)} is at noon"
        self.over[self.agent.save(what, expires=ends).id] = ends

    def leak(self) -> None:
        letters = string.ascii_uppercase + "234567"
        secret = "AKIA" + "".join(self.chance.choices(letters, k=16))
        self.secrets.append(secret)
        with pytest.raises(Refused) as caught:
            self.agent.save(f"The deploy job signs in with {secret}")
        assert secret not in str(caught.value)

    def ask(self) -> None:
        if self.said:
            self.agent.recall(self.chance.choice(self.said)[0], limit=3)


def everything(book: Commonplace, *statuses: str) -> list[Memory]:
    found: list[Memory] = []
    while page := book.list(statuses=statuses, limit=1_000, offset=len(found)):
        found += page
    return found


def doubled(memories: list[Memory]) -> list[tuple[str, str]]:
    """Pairs of live memories that say the same, or nearly."""
    return [
        (one.content, other.content)
        for one, other in combinations(memories, 2)
        if one.scope == other.scope
        and merge.comparable(one, other)
        and (
            identity.content_hash(one.content) == identity.content_hash(other.content)
            or duplicates.compare_texts(one.content, other.content).verdict != "apart"
        )
    ]


def test_a_year_of_saves_with_tidying_every_night(tmp_path: Path) -> None:
    year = Year(tmp_path)
    year.live_through(DAYS)
    book = year.person
    for (person, thing), choice in year.chosen.items():
        about = f"{person}'s favourite {thing}"
        hits = book.recall(f"What is {about}?", limit=50)
        answers = [h.memory.content for h in hits if h.memory.content.startswith(about)]
        assert answers == [f"{about} is {choice}"]
    for key, value in year.facts.items():
        fact = book.fact_recall(key)
        assert fact is not None
        assert fact.value == value
    live = everything(book, *LIVE)
    assert doubled(live) == []
    ended = {id for id, ends in year.over.items() if ends < year.now}
    assert len(ended) > 100
    assert not ended & {memory.id for memory in live}
    assert not ended & {hit.memory.id for hit in book.recall("meeting at noon", limit=200)}
    assert len(year.secrets) > 100
    on_disk = all_bytes(tmp_path)
    assert not any(secret.encode() in on_disk for secret in year.secrets)
    assert book.audit_verify().sound

    undone = book.undo_automatic(BEGIN - timedelta(days=1))
    assert undone.left_alone == ()
    # A text that was repeated in capitals meanwhile stands once.
    standing = {identity.content_hash(memory.content) for memory in everything(book, *LIVE)}
    lost = [text for text in year.written.values() if identity.content_hash(text) not in standing]
    assert lost == []
    for key, value in year.facts.items():
        fact = book.fact_recall(key)
        assert fact is not None
        assert fact.value == value
    assert book.audit_verify().sound
