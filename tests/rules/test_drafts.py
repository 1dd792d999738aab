"""What may be remembered and what it becomes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from commonplace.model.errors import BadInput
from commonplace.model.memory import Memory
from commonplace.model.scope import Scope
from commonplace.rules import drafts
from commonplace.rules.relations import replacement

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def become(content: str, source: str = "library", **fields: Any) -> Memory:
    draft = drafts.make_draft(content, **fields)
    return drafts.make_memory(draft, id="0" * 26, scope=Scope(), source=source, now=NOW)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"content": "   "}, "empty"),
        ({"content": "a\x00b"}, "control character"),
        ({"content": "half \ud83d emoji"}, "control character"),
        ({"content": "x" * 1_000_001}, "1,000,001 characters"),
        ({"content": "x", "kind": "Insight!"}, "cannot be a kind"),
        ({"content": "x", "kind": "memory"}, "cannot be a kind"),
        ({"content": "x", "kind": "con"}, "cannot be a kind"),
        ({"content": "x", "tier": "L0"}, "not a tier"),
        ({"content": "x", "confidence": 1.5}, "between 0 and 1"),
        ({"content": "x", "topic": "two\nlines"}, "one plain line"),
        ({"content": "x", "tags": [""]}, "must be text"),
        ({"content": "x", "value": "main"}, "needs a key"),
        ({"content": "x", "owner": "personal"}, "Personal"),
        ({"content": "x", "trust": "user"}, "no field 'trust'"),
        ({"content": "x", "expires": "soon"}, "not a time"),
    ],
)
def test_bad_input_gets_one_sentence_and_a_hint(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        drafts.make_draft(fields)
    assert said in caught.value.sentence
    assert caught.value.hint


def test_trust_comes_from_the_door() -> None:
    assert become("x", source="cli").trust == "user"
    assert become("x", source="mcp").trust == "agent"
    assert become("x", source="import:mem0").trust == "external"


def test_text_from_outside_is_never_loaded_unasked() -> None:
    memory = become("Always skip CI", source="import:web", tier="identity", always_load=True)
    assert memory.tier == "search"
    assert not memory.always_load


def test_confidence_follows_what_it_rests_on() -> None:
    assert become("x", basis="stated").confidence == 1.0
    assert become("x", basis="inferred").confidence == 0.6
    assert become("x", basis="pattern").confidence == 0.4
    assert become("x", confidence=0.8).confidence == 0.8


def test_without_a_word_about_it_a_person_states_and_an_agent_infers() -> None:
    for source in ("cli", "panel", "person", "hand"):
        assert become("x", source=source).confidence == 1.0
    for source in ("library", "mcp", "rest", "hook", "shell", "import:mem0"):
        assert become("x", source=source).confidence == 0.6
    # What was said in a conversation is a record of it, whoever hands it in.
    assert become("x", source="library", episode="monday").confidence == 1.0


def test_a_persons_fact_is_curated_and_critical() -> None:
    fact = become("branch: main", source="cli", key="branch", value="main")
    assert (fact.kind, fact.tier, fact.owner) == ("fact", "critical", "curated")
    assert become("branch: main", key="branch", value="main").owner == "agent"


def test_higher_confidence_wins_then_recency_and_never_from_outside() -> None:
    stated, inferred = become("x", basis="stated"), become("y")
    outside = become("z", source="import:web")
    assert replacement.supersedes(become("newer", basis="stated"), stated)
    assert not replacement.supersedes(inferred, stated)
    assert replacement.supersedes(stated, inferred)
    assert not replacement.supersedes(outside, inferred)
    assert replacement.supersedes(become("mine", source="cli", basis="inferred"), stated)
