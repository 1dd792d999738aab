"""Which reasoner a setting means, and what a person is told about it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace.backends.reasoners.rules import RulesReasoner
from commonplace.backends.reasoners.safeguards import SpendingCap
from commonplace.backends.sql.sqlite.ledger import SqliteLedger
from commonplace.books.services import open_reasoner
from commonplace.model.errors import BadInput
from commonplace.settings import Settings, load

from .conftest import Clock
from .endpoint import Endpoint


def opened(spec: str, ledger: SqliteLedger, key: str = "") -> object:
    environ = {"COMMONPLACE_REASONER_KEY": key}
    return open_reasoner(
        spec, cap=SpendingCap(), timeout_s=1, ledger=ledger, now=Clock(), environ=environ
    )


def test_rules_are_the_default(ledger: SqliteLedger) -> None:
    assert Settings().reasoner == "rules"
    assert isinstance(opened("rules", ledger), RulesReasoner)


@pytest.mark.parametrize(
    "spec", ["", "gpt", "openai:", "http:", "http:127.0.0.1#x", "http:http://127.0.0.1/v1"]
)
def test_a_setting_that_means_nothing_is_refused_with_an_example(
    ledger: SqliteLedger, spec: str
) -> None:
    with pytest.raises(BadInput) as caught:
        opened(spec, ledger)
    assert caught.value.hint


def test_a_key_of_several_lines_is_refused(ledger: SqliteLedger) -> None:
    with pytest.raises(BadInput, match="one line"):
        opened("openai:gpt-9", ledger, key="one\ntwo")


def test_money_and_time_come_from_the_environment(tmp_path: Path) -> None:
    environ = {
        "COMMONPLACE_STATE": str(tmp_path),
        "COMMONPLACE_CONFIG": str(tmp_path / "none.yaml"),
        "COMMONPLACE_REASONER": "openai:gpt-9",
        "COMMONPLACE_REASONER_BUDGET": "2.5",
        "COMMONPLACE_REASONER_TOKENS": "1000",
        "COMMONPLACE_REASONER_TIMEOUT_S": "3",
    }
    settings = load(environ)
    assert (settings.reasoner, settings.reasoner_budget) == ("openai:gpt-9", 2.5)
    assert (settings.reasoner_tokens, settings.reasoner_timeout_s) == (1000, 3.0)


def test_a_book_says_why_its_model_does_not_answer(tmp_path: Path, endpoint: Endpoint) -> None:
    settings = Settings(
        state=str(tmp_path / "state"), embedder="none", reasoner=f"http:{endpoint.url}#tiny"
    )
    url = f"sqlite:{tmp_path / 'book.db'}"
    with commonplace.open(url, settings=settings) as book:
        assert any("never used" in one.what for one in book.doctor())
    settings = settings.but(reasoner_tokens=100_000)
    endpoint.answers = ["<unauthorized>"]
    with commonplace.open(url, settings=settings) as book:
        assert book.doctor() == []
        engine = book._engine  # pyright: ignore[reportPrivateUsage]
        engine.reasoner.merge("Ada likes tea.", "Bob likes coffee.")
        (problem,) = book.doctor()
        assert "it answered 401" in problem.what
        assert "1 questions this month" in book.status().reasoner


def test_a_book_with_rules_has_nothing_to_say_about_models(tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with commonplace.open(f"sqlite:{tmp_path / 'book.db'}", settings=settings) as book:
        assert book.doctor() == []
        assert book.status().reasoner == "rules"


def test_reasoning_by_rules_loads_no_model_library() -> None:
    script = (
        "import sys; from commonplace.backends.reasoners.rules import RulesReasoner as R;"
        "R().merge('a', 'b'); R().judge('a', 'b'); R().lessons(()); R().patterns(());"
        "R().recap(());"
        "print([name for name in ('pydantic', 'pydantic_ai', 'openai', 'asyncio', 'numpy')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
