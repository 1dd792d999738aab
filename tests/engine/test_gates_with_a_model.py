"""The gates ask a configured model before they take the lease, so that no other writer waits."""

from __future__ import annotations

from pathlib import Path

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings
from tests.backends.reasoners.endpoint import Endpoint, running

SHORT = "Use ruff for linting and formatting the code"
LONG = "Use ruff for linting and formatting the code of the server"
HARMLESS = {"kinds": []}
UNRELATED = {"relation": "unrelated", "sure": 0.9, "words": ""}
MERGED = {"text": f"{LONG}, please.", "changes": []}


class Interrupted(list[object]):
    """Model answers; another writer saves a memory during each of them."""

    def __init__(self, other: Commonplace, *answers: object) -> None:
        super().__init__(answers)
        self._other = other
        self.said: list[str] = []

    def pop(self, index: object = -1) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        text = f"Room {len(self.said)} is free"
        self.said.append(self._other.save(text).action)
        return super().pop(0)


def opened(endpoint: Endpoint, room: Path, **settings: object) -> Commonplace:
    return open_book(
        f"vault:{room / 'book'}",
        settings=Settings(
            state=str(room / "state"),
            embedder="none",
            reasoner=f"http:{endpoint.url}#tiny",
            **settings,  # pyright: ignore[reportArgumentType]
        ),
    )


def test_a_model_is_asked_while_others_go_on_saving(tmp_path: Path) -> None:
    rules = Settings(state=str(tmp_path / "state"), embedder="none")
    with (
        running() as endpoint,
        opened(endpoint, tmp_path, reasoner_tokens=100_000) as book,
        open_book(f"vault:{tmp_path / 'book'}", settings=rules) as other,
    ):
        answers = Interrupted(other, HARMLESS, HARMLESS, UNRELATED, MERGED)
        endpoint.answers = answers
        book.save(SHORT)
        merged = book.save(LONG)
        assert merged.action == "merged"
        assert merged.memory.content == MERGED["text"]
        assert answers.said == ["created"] * 4
        assert len(other.list()) == 5


def test_a_model_that_loses_a_statement_is_not_followed(tmp_path: Path) -> None:
    with running() as endpoint, opened(endpoint, tmp_path, reasoner_tokens=100_000) as book:
        lossy = {"text": "Use ruff.", "changes": []}
        endpoint.answers = [HARMLESS, HARMLESS, UNRELATED, lossy]
        book.save(SHORT)
        book.save(LONG)
        [merged] = book.list()
        assert SHORT in merged.content
        assert LONG in merged.content


def test_a_model_that_may_spend_nothing_is_not_asked(tmp_path: Path) -> None:
    with running() as endpoint, opened(endpoint, tmp_path) as book:
        book.save(SHORT)
        assert book.save(LONG).action == "merged"
        assert endpoint.requests == []
