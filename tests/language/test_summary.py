"""A shorter text that says what matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import statements, tokens
from commonplace.language.statements import summarize

from .scripts_of_the_world import SAMPLES

POSTMORTEM = """# Outage of 3 March

The shop was down for 47 minutes because the certificate of pay.example.org had expired.
We looked at many things first. It was raining. Somebody made coffee.
Nobody had been told, since the reminder went to Bob, who left in January.
We decided that certificates are renewed by a job, every 60 days.
The weather was better afterwards. We went home late. The coffee was fine.
There were some more meetings about it. They took a while.

```
openssl s_client -connect pay.example.org:443
```
"""


def test_summary_keeps_the_cause_the_numbers_and_the_decision() -> None:
    short = summarize(POSTMORTEM, budget_tokens=95)
    assert "47 minutes" in short
    assert "60 days" in short
    assert "coffee" not in short
    assert "openssl" not in short
    assert tokens.estimate(short) <= 95


def test_summary_keeps_the_order_of_what_it_keeps() -> None:
    short = summarize(POSTMORTEM, budget_tokens=120)
    places = [POSTMORTEM.index(one.text) for one in statements.split(short)]
    assert places == sorted(places)
    assert len(places) >= 2


def test_what_fits_stays_as_it_is() -> None:
    assert summarize(" We ship on Fridays.\n", budget_tokens=50) == " We ship on Fridays.\n"


def test_a_single_endless_sentence_is_cut() -> None:
    short = summarize("tea and " * 500, budget_tokens=30)
    assert short.startswith("tea and")
    assert short.endswith(tokens.MARK)
    assert tokens.estimate(short) <= 30


def test_what_is_said_twice_is_kept_once() -> None:
    text = "The build needs Java 21. " * 30 + "Ada owns the release process in Berlin."
    assert summarize(text, budget_tokens=45).count("Java 21") == 1


@pytest.mark.parametrize("text", [text for _, text in SAMPLES.values()], ids=SAMPLES.keys())
def test_every_script_is_summarized_from_its_own_sentences(text: str) -> None:
    long = f"{text} " * 8
    budget = max(12, tokens.estimate(long) // 3)
    short = summarize(long, budget_tokens=budget)
    assert short
    assert tokens.estimate(short) <= budget


@given(st.text(max_size=400), st.integers(min_value=0, max_value=120))
def test_never_longer_than_the_original_nor_than_the_budget(text: str, budget: int) -> None:
    short = summarize(text, budget_tokens=budget)
    assert len(short) <= len(text)
    assert short == text or tokens.estimate(short) <= budget
