"""Books with everything in them that a book can hold, and places to move them to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commonplace import Commonplace
from commonplace.books.open import open_book, open_move_target
from commonplace.model.results import Moved, Spend
from commonplace.settings import Settings
from commonplace.verbs.export import as_json_lines
from tests import as_person

STORES = ("vault", "sqlite", "postgresql")


class Places:
    """Where books are, by store and name; servers are given back at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._served: list[Path] = []

    def url(self, store: str, name: str) -> str:
        place = self.folder / name
        if store != "postgresql":
            return f"{store}:{place}{'.db' if store == 'sqlite' else ''}"
        from tests.backends.postgres import server

        self._served.append(place)
        return server.made(place)

    @property
    def settings(self) -> Settings:
        return Settings(state=str(self.folder / "state"), embedder="none")

    @contextmanager
    def book(self, url: str, **options: object) -> Iterator[Commonplace]:
        with open_book(url, settings=self.settings, background=False, **options) as opened:  # pyright: ignore[reportArgumentType]
            yield opened

    def move(self, source: str, target: str, *, anyway: bool = False) -> Moved:
        """Move a book as the command does."""
        with (
            self.book(source, create=False) as here,
            open_move_target(here, target, settings=self.settings) as there,
        ):
            return here.move(there, anyway=anyway)

    def close(self) -> None:
        for place in self._served:
            from tests.backends.postgres import server

            server.give_back(place)


def everything(book: Commonplace) -> bytes:
    """All that a book holds, old versions and forgotten memories as well."""
    return b"".join(as_json_lines(book.export(everything=True)))


def without(export: bytes, *fields: str) -> list[dict[str, Any]]:
    """What an export says, but for some fields."""
    read = [json.loads(line) for line in export.splitlines()]
    return [{name: one[name] for name in one if name not in fields} for one in read]


def furnish(book: Commonplace) -> None:
    """Fill a book by every verb that leaves something behind."""
    deploy = book.save("The deploy branch is main", tags=["deploy"], topic="shipping")
    book.save(
        f"Releases follow [[{deploy.memory.slug}]] on Fridays", scope="/project/Mech-Fighters"
    )
    oil = "# Ölwechsel\n\nFünf Liter, 0W-20.\n\n- im März"
    book.save(oil, title="Ölwechsel", kind="domain-reference")
    book.save("Ideen für später: Blitzableiter aufs Dach", kind="idea", scope={"user": "ada"})
    book.save("Always answer in metric units", always_load=True, owner="curated")
    book.fact_store("deploy.branch", "main")
    book.fact_store("deploy.branch", "trunk")
    book.fact_store("coffee", "black", namespace="drinks", scope="/user/Ada Lovelace")
    book.save("Speak plainly to the testers", kind="override", owner="curated",
              scope="/project/Mech-Fighters/agent/coding")  # fmt: skip
    book.profile_set("## About me\n\nI build robots.\n")
    _change(book)
    for position, said in enumerate(("ok", "Shall we ship on Friday?", "ok")):
        book.save(said, episode="standup", position=position, speaker="ada", kind="turn")
    with book.task("Paint the robots", plan=["sand", "prime", "paint"]) as task:
        task.observe("The primer dries in two hours", importance=0.9)
    book.save(long_text(), title="The long one")
    book.save("It works on my machine", expires=datetime(2030, 1, 1, tzinfo=UTC), confidence=0.7)
    for _ in range(3):
        book.recall("which branch do we deploy from?")


def _change(book: Commonplace) -> None:
    book.edit(book.save("Robots fight in threes").id, content="Robots fight in pairs")
    book.edit(book.save("Paint is kept in the shed").id, tags=["paint", "shed"])
    book.correct(book.save("The server is in Lisbon").id, "The server is in Porto")
    book.forget(book.save("The intern is called Bob").id)
    as_person(book).purge(book.save("The safe opens with a left turn").id)
    book.promote(book.save("Pin the build tools", scope="/project/a/agent/x").id, "/project/a")
    book.rename(book.save("The cellar key hangs behind the clock").id, "cellar-key")
    asked = book._engine.ledger
    asked.record_spend(Spend(datetime(2026, 1, 2, tzinfo=UTC), "merge", "m", "s", 10, 20, 0.5))


def long_text() -> str:
    sentence = "Part {0} of the manual says that lever {0} must be pulled before valve {0} opens. "
    return "".join(sentence.format(number) for number in range(60)).strip()


def by_hand(root: Path) -> None:
    """What a person writes into a vault with an editor."""
    house = root / "projects" / "House"
    house.mkdir(parents=True, exist_ok=True)
    (house / "facts.md").write_text(
        "# Facts\n\n- paint: white\n- roof: slate\n\n## garden\n\n- hedge: beech\n",
        encoding="utf-8",
    )
    (house / "profile.md").write_text("## Role\n\nKeep the house warm.\n", encoding="utf-8")
    (house / "overrides").mkdir()
    (house / "overrides" / "coding.md").write_text("Measure twice.\n", encoding="utf-8")
    (house / "My notes").mkdir()
    (house / "My notes" / "Chimney.md").write_text(
        "---\naliases: [flue]\nmine: 5\n---\n\nThe chimney is swept in May, see [[Roof]].\n",
        encoding="utf-8",
    )
    (house / "Roof.md").write_text("# Roof\r\n\r\nSlate from 1920.\r\n", encoding="utf-8")


def told(book: Commonplace) -> list[object]:
    """What a book says of itself besides its memories."""
    ledger = book._engine.ledger
    ids = sorted(one.id for one in book.export(everything=True))
    events = [one for one in book.audit(limit=100_000) if one.action != "moved"]
    return [
        sorted(events, key=lambda one: one.id),
        book.audit_verify().sound,
        dict(book.uses(ids)),
        [(one.id, one.query, one.results) for one in book.retrievals(limit=1_000)],
        ledger.spends(),
        [(link.source, link.target) for link in book.broken_links()],
        [(one.action, one.memory.id) for one in book.inbox()],
        [work.goal for work in book.tasks(finished=True)],
        book.profile().text,
    ]
