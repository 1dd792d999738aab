"""Texts without words are told apart: only equal ones are the same, whoever compares them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.books.audits import audit_store
from commonplace.books.imports import open_import
from commonplace.model.identity import normalized
from commonplace.model.results import Imported
from commonplace.rules.faults.rewordings import is_reworded
from commonplace.rules.relations import merge
from commonplace.rules.relations.contradiction import judge
from commonplace.rules.relations.duplicates import compare_texts
from commonplace.rules.relations.verdict import settle_by_words
from commonplace.settings import Settings
from tests.conftest import Clock, OpenBook

KEPT = (
    "🙂", "🙃", "👍", "👎", "👍🏻", "👍🏿", "✅", "❌", "❤️", "💔",
    "🇩🇪", "🇫🇷", "👨‍👩‍👧", "👨‍👩‍👦", "🙂🙂", "🙂 🙃",
    "水", "火", "あ", "い", "ㅋ", "ㅎ", "ก", "ж", "ش",
    "♂", "♀", "x", "y", "7", "8", "the", "you", "no", "yes",
)  # fmt: skip
"""Texts that a person may save."""
REFUSED = ("???", "!!!", "...", "…?", "~", "→", "←", "—", "***", "§", "%")
SENTENCES = ("We shipped the release 🙂", "The kanji of the week is 水", "Really??? Wait...")
PICTURES = (
    ("Nightly build: ✅", "Nightly build: ❌"),
    ("Feedback on the new menu 🙂", "Feedback on the new menu 🙃"),
    ("Team mood is 👍🏻", "Team mood is 👍🏿"),
    ("The lift goes ⬆ at night", "The lift goes ⬇ at night"),
)
EMBEDDERS = ("none", "hash", "bundled")


def live(book: Commonplace) -> list[str]:
    return sorted(one.content for one in book.list(limit=200))


def imported(book: Commonplace, file: Path) -> Imported:
    found = open_import(str(file))
    return book.take_in(found.drafts, kind=found.kind)


def test_no_rule_takes_one_for_another() -> None:
    for one, other in (*combinations((*KEPT, *REFUSED, *SENTENCES), 2), *PICTURES):
        assert normalized(one) != normalized(other)
        for newer, older in ((one, other), (other, one)):
            pair = f"{newer} | {older}"
            assert compare_texts(newer, older).verdict == "apart", pair
            assert compare_texts(newer, older, cosine=1.0).verdict == "apart", pair
            assert merge.compare_memories(newer, older, cosine=1.0).verdict == "apart", pair
            assert judge(newer, older).relation in ("unrelated", "refines"), pair
            assert merge.coverage(newer, older).left, pair
            assert not is_reworded(newer, older), pair


def test_a_reader_is_not_asked_about_them() -> None:
    for one, other in combinations((*KEPT, *REFUSED), 2):
        assert settle_by_words(judge(one, other), one, other) is not None


def test_a_picture_that_only_one_of_two_texts_has_is_an_ornament() -> None:
    assert compare_texts("The release went well 🎉", "The release went well").verdict == "same"


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_each_is_a_memory_of_its_own(url: str, open_at: OpenBook, embedder: str) -> None:
    book = open_at(url, source="cli", embedder=embedder)
    texts = [*SENTENCES, *KEPT, *(text for pair in PICTURES for text in pair)]
    saved = {text: book.save(text) for text in texts}
    assert {one.action for one in saved.values()} == {"created"}
    assert len({one.id for one in saved.values()}) == len(texts)
    again = [book.save(f" {text} ") for text in texts]
    assert {one.action for one in again} == {"deduplicated"}
    assert [one.id for one in again] == [one.id for one in saved.values()]
    book.maintain()
    assert live(book) == sorted(texts)


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_batch_keeps_each(url: str, open_at: OpenBook, embedder: str) -> None:
    book = open_at(url, source="cli", embedder=embedder)
    texts = [*KEPT, *(text for pair in PICTURES for text in pair)]
    book.save_many(texts)
    book.maintain()
    assert live(book) == sorted(texts)


def test_what_only_signs_say_is_refused_and_changes_nothing(book: Commonplace) -> None:
    from commonplace import Refused

    for text in REFUSED:
        with pytest.raises(Refused):
            book.save(text)
    assert live(book) == []


@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_an_import_brings_each(url: str, open_at: OpenBook, tmp_path: Path, embedder: str) -> None:
    book = open_at(url, source="cli", embedder=embedder)
    texts = [text for text in KEPT if text not in ("7", "8")]  # A number alone is nobody's memory.
    file = tmp_path / "memories.json"
    memories = [{"id": str(at), "memory": text} for at, text in enumerate(texts)]
    file.write_text(json.dumps({"results": memories}), encoding="utf-8")
    done = imported(book, file)
    assert done.saved == len(texts), done
    assert live(book) == sorted(texts)
    assert imported(book, file).saved == 0


def test_the_inbox_keeps_each_apart(url: str, open_at: OpenBook) -> None:
    agent, person = open_at(url), open_at(url, source="cli")
    waiting = [agent.save(text, kind="override").id for text in KEPT]
    assert len(set(waiting)) == len(KEPT)
    for id in waiting:
        assert person.accept(id).accepted
    said = "\n".join(live(person))
    for text in KEPT:
        assert text in said


def test_an_audit_finds_no_fault_between_them(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "memories.jsonl"
    texts = [*KEPT, *REFUSED, *(text for pair in PICTURES for text in pair)]
    rows = [json.dumps({"id": str(at), "memory": text}) for at, text in enumerate(texts)]
    file.write_text("\n".join(rows), encoding="utf-8")
    for embedder in ("none", "bundled"):
        settings = Settings(state=str(tmp_path / "state"), embedder=embedder)
        report = audit_store(str(file), settings=settings, now=clock()).report("", examples=200)
        pairs = [
            (share.kind, one.text, one.other)
            for share in report.faults
            for one in share.examples
            if share.kind in ("duplicates", "contradictions")
        ]
        assert pairs == []
