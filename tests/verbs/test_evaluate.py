"""Evaluation on a set of conversations, on the book itself, and the explanation of one recall."""

from __future__ import annotations

import gzip
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from commonplace import BadInput, Commonplace, NotFound
from commonplace.verbs.evaluate import evaluate, read_turns
from commonplace.verbs.self_test import TREND_FILE
from tests.conftest import Clock, OpenBook
from tests.rules.test_self_questions import NOTES as TELLING

TALK = [
    ("a1", "anna-ben", "s1", "2026-03-01T10:00:00", "Anna", "I adopted a greyhound called Comet"),
    ("a2", "anna-ben", "s1", "2026-03-01T10:00:00", "Ben", "Lovely! My cat is called Ophelia"),
    ("a3", "anna-ben", "s2", "2026-04-02T10:00:00", "Anna", "Comet the greyhound won a ribbon"),
    ("c1", "cleo-dov", "s1", "2026-03-01T10:00:00", "Cleo", "My greyhound is called Nimbus"),
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "conversation": "anna-ben", "text": "What is Ben's cat called?",
     "time": "2026-05-01T09:00:00", "category": "pets", "evidence": ["a2"]},
    {"id": "q2", "conversation": "cleo-dov", "text": "What is the greyhound called?",
     "time": "2026-05-01T09:00:00", "category": "pets", "evidence": ["c1"]},
    {"id": "q3", "conversation": "anna-ben", "text": "Which greyhound?", "haystack": ["s2"],
     "time": "2026-05-01T09:00:00", "category": "dogs", "evidence": ["a3"]},
    {"id": "q4", "conversation": "anna-ben", "text": "Who won the regatta?",
     "time": "2026-05-01T09:00:00", "category": "pets", "evidence": []},
]  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A set of two conversations and four questions."""
    names = ("id", "conversation", "session", "time", "speaker", "text")
    place = tmp_path / "set"
    place.mkdir()
    write(place / "corpus.jsonl.gz", [dict(zip(names, turn, strict=True)) for turn in TALK])
    write(place / "queries.jsonl.gz", QUERIES)
    return str(place)


def test_a_set_is_saved_asked_and_scored(book: Commonplace, folder: str) -> None:
    done = evaluate(lambda: nullcontext(book), folder)
    assert list(done.run) == ["q1", "q2", "q3", "q4"]
    assert done.run["q1"][0] == "a2"
    assert (done.saved, done.scores.scored, done.scores.skipped) == (4, 3, 1)
    assert done.scores.results["pets"]["recall_all@1"] == 1.0
    assert done.embedder == "none"


def test_a_question_sees_its_own_conversation_only(book: Commonplace, folder: str) -> None:
    assert evaluate(lambda: nullcontext(book), folder).run["q2"] == ("c1",)


def test_with_haystacks_a_question_sees_only_the_sessions_named(
    book: Commonplace, folder: str
) -> None:
    done = evaluate(lambda: nullcontext(book), folder, haystack=True)
    assert done.run["q3"] == ("a3",)
    assert done.run["q1"][0] == "a2", "a question without a haystack sees everything"
    assert "a1" in evaluate(lambda: nullcontext(book), folder).run["q3"]


def test_turns_keep_their_place_speaker_and_time(book: Commonplace, folder: str) -> None:
    evaluate(lambda: nullcontext(book), folder)
    said = {memory.imported_id: memory for memory in book.list(include_archive=True)}
    assert (said["a2"].episode, said["a2"].position, said["a2"].speaker) == ("s1", 1, "Ben")
    assert f"{said['a3'].created:%Y-%m-%d}" == "2026-04-02"
    assert said["a1"].scope != said["c1"].scope


def test_an_answer_given_later_on_the_day_of_the_question_counts(
    book: Commonplace, folder: str
) -> None:
    row = {**QUERIES[0], "time": "2026-03-01T07:00:00"}
    early = {**QUERIES[0], "id": "early", "time": "2026-02-27T07:00:00"}
    write(Path(folder) / "queries.jsonl.gz", [row, early])
    done = evaluate(lambda: nullcontext(book), folder)
    assert done.run["q1"][0] == "a2"
    assert done.run["early"] == (), "but what was said days later was not known"


def test_a_quick_look_takes_questions_from_all_over_the_set(book: Commonplace, folder: str) -> None:
    told: list[tuple[str, int, int]] = []
    done = evaluate(
        lambda: nullcontext(book), folder, most_queries=2, progress=lambda *now: told.append(now)
    )
    assert list(done.run) == ["q1", "q3"]
    assert told == [("Saving", 4, 4), ("Asking", 1, 2), ("Asking", 2, 2)]


def test_silence_is_not_a_memory_but_keeps_its_place(folder: str) -> None:
    turn = {"conversation": "x", "session": "s", "time": "2026-03-01", "speaker": None}
    texts = ["Hello", "  ", "Good\x07bye"]
    rows = [{**turn, "id": str(number), "text": text} for number, text in enumerate(texts)]
    write(Path(folder) / "corpus.jsonl.gz", rows)
    said = [(turn.position, turn.text) for turn in read_turns(folder)]
    assert said == [(0, "Hello"), (2, "Goodbye")]


ASKED_AT_NOON = b'{"id": "1", "text": "?", "conversation": "x", "time": "noon"}'


@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [
        ("corpus", b'{"id": "1"', "cannot be read from line 1 on"),
        ("corpus", b"[1, 2]\n", "cannot be read from line 1 on"),
        ("corpus", b'{"id": "1"}\n', "no 'conversation' in line 1"),
        ("corpus", b"\xff\xfe\n", "cannot be read from line 1 on"),
        ("queries", b'{"id": 1}\n', "no 'id' in line 1"),
        ("queries", ASKED_AT_NOON, "'noon' is not a time"),
    ],
)
def test_a_line_that_is_wrong_is_named_before_a_book_is_opened(
    folder: str, name: str, lines: bytes, told: str
) -> None:
    (Path(folder) / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines))
    refused(folder, told)


def test_a_file_that_is_missing_cut_short_or_damaged_is_named(folder: str) -> None:
    path = Path(folder) / "corpus.jsonl.gz"
    whole = path.read_bytes()
    for damaged in (
        b"not gzipped",
        whole[: len(whole) // 2],
        whole[:20] + b"\xff" * 20 + whole[40:],
    ):
        path.write_bytes(damaged)
        refused(folder, "corpus.jsonl.gz cannot be read")
    path.unlink()
    refused(folder, "corpus.jsonl.gz does not exist")


def refused(folder: str, told: str) -> None:
    def never() -> nullcontext[Commonplace]:
        raise AssertionError("no book is needed to see that")

    with pytest.raises(BadInput, match=told):
        evaluate(never, folder)


NOTES = [*TELLING, "Tea"]


def test_the_book_finds_its_own_memories_and_is_not_sure_of_strangers(book: Commonplace) -> None:
    book.save_many(NOTES)
    checked = book.evaluate_own().checked
    assert (checked.memories, checked.asked) == (7, 6), "one note says too little to be asked about"
    assert checked.first == checked.top10 == 1.0
    assert checked.strangers["strong"] == 0
    assert sum(checked.strangers.values()) > 0


def test_checking_leaves_no_trace_in_counters_and_logs(book: Commonplace) -> None:
    saved = book.save_many(NOTES)
    book.evaluate_own()
    assert book.retrievals() == []
    assert not any(use.count for use in book.uses([one.id for one in saved]).values())


def test_each_check_adds_a_line_without_any_text_to_the_trend(
    book: Commonplace, clock: Clock
) -> None:
    book.save_many(NOTES)
    book.evaluate_own()
    log = Path(book.status().state) / TREND_FILE
    log.write_text(log.read_text() + '{"at": "2026-11-15T', encoding="utf-8")
    log.write_text(log.read_text() + "\n", encoding="utf-8")
    clock.pass_days(1)
    found = book.evaluate_own()
    assert [row["at"][:10] for row in found.trend] == ["2026-11-15", "2026-11-16"]
    assert "Reykjavik" not in log.read_text()


def test_a_memory_that_others_crowd_out_is_named(book: Commonplace) -> None:
    words = "walnut quartz zephyr obsidian marmalade"
    book.save_many([f"{words} {words}, said {n} times over" for n in ("two", "three", "many")])
    found = book.evaluate_own()
    assert found.checked.asked == 3
    assert all(one.place != 1 and one.question for one in found.worst)


def test_two_memories_with_one_text_are_either_the_right_answer(book: Commonplace) -> None:
    for scope in ("/project/a", "/project/b"):
        book.save(NOTES[0], scope=scope)
    assert book.evaluate_own().checked.first == 1.0


def test_an_empty_book_has_nothing_to_be_asked(book: Commonplace) -> None:
    checked = book.evaluate_own().checked
    assert (checked.asked, checked.first, checked.strong_right) == (0, 0.0, None)


def test_a_check_sees_only_what_its_caller_may_see(url: str, open_at: OpenBook) -> None:
    open_at(url).save_many([{"content": note, "scope": "/user/42"} for note in NOTES])
    stranger = open_at(url, context={"user": "43", "role": "member"})
    assert stranger.evaluate_own().checked.memories == 0


def test_why_explains_the_last_recall(book: Commonplace) -> None:
    book.save_many(NOTES)
    recalled = book.recall("who reboots the staging server?")
    told = book.why()
    assert told.retrieval.id == recalled.id
    assert told.sure == recalled.sure
    assert told.hits[0].memory == recalled[0].memory
    assert told.hits[0].parts["words"] > 0


def test_why_finds_a_recall_by_id_and_by_a_memory_it_returned(book: Commonplace) -> None:
    saved = book.save_many(NOTES)
    tea = book.recall("jasmine tea")
    book.recall("chess evenings")
    assert book.why(tea.id).retrieval.query == "jasmine tea"
    told = book.why(saved[1].memory.slug)
    assert told.retrieval.id == tea.id
    assert [hit.id for hit in told.hits] == [saved[1].id]


def test_why_says_what_is_not_logged(book: Commonplace) -> None:
    with pytest.raises(NotFound, match="No recall is logged yet"):
        book.why()
    saved = book.save(NOTES[0])
    book.recall("nothing of the kind, honestly")
    with pytest.raises(NotFound, match="No logged recall returned"):
        book.why(saved.id)
    with pytest.raises(NotFound, match="zebra"):
        book.why("zebra")
