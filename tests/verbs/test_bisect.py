"""The memory that makes a command fail is found, by real processes, and the book stays as it is."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings
from commonplace.verbs.bisect_log import BisectRun, line_ranges
from tests.conftest import OpenBook

WITHOUT = '! grep -q "{}" "$COMMONPLACE_DIGEST_FILE"'
"""A command that fails if the digest holds a text."""
PAIR = '! {{ grep -q "{}" "$COMMONPLACE_DIGEST_FILE" && grep -q "{}" "$COMMONPLACE_DIGEST_FILE"; }}'


@pytest.fixture
def crowded(book: Commonplace) -> Commonplace:
    book.save_many([f"Customer {name(n)} wants feature number {n}" for n in range(40)])
    return book


def name(n: int) -> str:
    return f"C{n:04d}x"


def test_the_one_memory_is_found_in_a_few_runs(crowded: Commonplace) -> None:
    told: list[BisectRun] = []
    found = crowded.bisect(WITHOUT.format(name(17)), progress=told.append)
    assert found.outcome == "found"
    assert [crowded.get(id).content for id in found.culprits] == [
        f"Customer {name(17)} wants feature number 17"
    ]
    assert name(17) in found.lines[0]
    assert not found.still_fails
    assert found.memories == 40
    # Four checks, the halves, the culprit alone twice, and all others.
    assert found.runs <= 4 + math.ceil(math.log2(40)) + 3
    assert [run.kept for run in told[:4]] == [40, 40, 0, 0]


def test_a_pair_that_only_fails_together_is_found_as_a_pair(crowded: Commonplace) -> None:
    found = crowded.bisect(PAIR.format(name(3), name(31)))
    assert {crowded.get(id).content.split()[1] for id in found.culprits} == {name(3), name(31)}
    assert "These 2 memories together make" in found.sentence


def test_the_lines_of_a_question_are_tried(book: Commonplace) -> None:
    book.save("The deploy branch is main")
    book.save("Deploys wait for the branch office")
    found = book.bisect(WITHOUT.format("office"), "which branch do we deploy from?")
    assert [book.get(id).content for id in found.culprits] == ["Deploys wait for the branch office"]
    assert found.memories == 2


def test_a_logged_digest_is_tried_as_it_was(book: Commonplace) -> None:
    wrong = book.save("The deploy branch is office").memory
    book.save("Deploys from a branch wait for Ada")
    made = book.digest("which branch do we deploy from?")
    book.correct(wrong.id, "The deploy branch is main")
    found = book.bisect(WITHOUT.format("office"), made.id)
    assert found.culprits == (wrong.id,)
    book.forget(book.get("The deploy branch is main").id)
    assert book.bisect(WITHOUT.format("office"), made.id).outcome == "passes"


def test_another_culprit_is_mentioned(crowded: Commonplace) -> None:
    found = crowded.bisect(WITHOUT.format(f"{name(3)}\\|{name(31)}"))
    assert len(found.culprits) == 1
    assert found.still_fails
    assert "It also fails without" in found.sentence


def test_memories_that_are_not_the_reason_are_not_blamed(crowded: Commonplace) -> None:
    anyway = crowded.bisect("exit 3")
    assert (anyway.outcome, anyway.culprits, anyway.runs) == ("fails_anyway", (), 4)
    assert "exit status 3" in anyway.sentence
    passes = crowded.bisect("true")
    assert (passes.outcome, passes.runs) == ("passes", 2)


def test_a_flaky_command_is_noticed(crowded: Commonplace, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    found = crowded.bisect(f"test ! -e {seen} || exit 0; touch {seen}; exit 1")
    assert (found.outcome, found.culprits) == ("flaky", ())
    seen.unlink()
    flip = f'test -s "$COMMONPLACE_DIGEST_FILE" && exit 1; test -e {seen} && exit 1; touch {seen}'
    assert crowded.bisect(flip).outcome == "flaky"


def test_a_command_that_hangs_is_stopped_with_its_children(book: Commonplace) -> None:
    book.save("The deploy branch hangs")
    began = time.monotonic()
    hangs = 'grep -q hangs "$COMMONPLACE_DIGEST_FILE" && { sleep 100 & sleep 100; }; true'
    found = book.bisect(hangs, timeout_s=0.5)
    assert found.outcome == "found"
    assert time.monotonic() - began < 60


def test_a_short_digest_is_in_the_environment_and_a_long_one_only_in_its_file(
    book: Commonplace,
) -> None:
    book.save("The deploy branch is main")
    asked = 'case "$COMMONPLACE_DIGEST_TEXT" in *"branch is main"*) exit 1;; esac'
    assert book.bisect(asked).outcome == "found"
    book.save_many([f"Customer {name(n)} " + "and so on, " * 60 for n in range(80)])
    assert (
        book.bisect('test -z "${COMMONPLACE_DIGEST_TEXT+set}" && exit 1; true').outcome != "passes"
    )


def test_the_file_is_what_would_be_handed_over(book: Commonplace, tmp_path: Path) -> None:
    book.save("The deploy branch is main")
    made = book.digest("which branch do we deploy from?")
    book.bisect(f'cp "$COMMONPLACE_DIGEST_FILE" {tmp_path}/copy; exit 0', made.id)
    assert (tmp_path / "copy").read_text() == made.text


def test_nothing_in_the_book_is_changed(crowded: Commonplace) -> None:
    before = (crowded.revision, crowded.audit(), crowded.retrievals(), crowded.digests())
    ids = [one.id for one in crowded.list()]
    uses = crowded.uses(ids)
    crowded.bisect(WITHOUT.format(name(5)))
    crowded.bisect(WITHOUT.format(name(5)), "what does customer C0005x want?")
    after = (crowded.revision, crowded.audit(), crowded.retrievals(), crowded.digests())
    assert after == before
    assert crowded.uses(ids) == uses


def test_every_run_is_logged_and_no_text_stays_behind(crowded: Commonplace) -> None:
    found = crowded.bisect(WITHOUT.format(name(5)))
    first, *runs, last = map(json.loads, Path(found.log).read_text().splitlines())
    assert first["command"] == WITHOUT.format(name(5))
    assert len(runs) == found.runs
    assert last["culprits"] == list(found.culprits)
    left = os.listdir(os.path.dirname(found.log))
    assert [name for name in left if not name.endswith(".jsonl")] == []
    assert "wants feature" not in Path(found.log).read_text()


def test_a_finished_bisection_starts_anew(crowded: Commonplace) -> None:
    first = crowded.bisect(WITHOUT.format(name(5)))
    again = crowded.bisect(WITHOUT.format(name(5)))
    assert (again.runs, again.resumed) == (first.runs, 0)


class Interrupted(Exception):
    pass


def test_an_interrupted_bisection_goes_on_and_restart_does_not(crowded: Commonplace) -> None:
    def interrupt(run: BisectRun) -> None:
        if run.number == 7:
            raise Interrupted

    command = WITHOUT.format(name(23))
    for restart in (False, True):
        with pytest.raises(Interrupted):
            crowded.bisect(command, progress=interrupt, restart=True)
        found = crowded.bisect(command, restart=restart)
        assert crowded.get(found.culprits[0]).content.split()[1] == name(23)
        assert found.resumed == (0 if restart else 7)


KILLED = """
import sys
from commonplace.books.open import open_book
from commonplace.settings import Settings

with open_book(sys.argv[1], settings=Settings(state=sys.argv[2], embedder="none")) as book:
    found = book.bisect(sys.argv[3])
    print(found.resumed, found.culprits[0])
"""


def test_a_killed_bisection_goes_on_in_another_process(tmp_path: Path) -> None:
    place, state, runs = f"sqlite:{tmp_path}/b.db", str(tmp_path / "state"), tmp_path / "runs"
    with open_book(place, settings=Settings(state=state, embedder="none")) as book:
        book.save_many([f"Customer {name(n)} wants feature number {n}" for n in range(40)])
        culprit = book.get(f"Customer {name(9)} wants feature number 9").id
    command = f"echo x >> {runs}; sleep 0.2; {WITHOUT.format(name(9))}"
    arguments = [sys.executable, "-c", KILLED, place, state, command]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    while not runs.exists() or len(runs.read_text().split()) < 5:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True)
    resumed, found = done.stdout.split()
    assert found == culprit
    assert int(resumed) >= 4
    assert not list(Path(state).rglob("*.digest"))


def test_bad_input_is_refused(book: Commonplace) -> None:
    with pytest.raises(BadInput, match="no memory"):
        book.bisect("false")
    book.save("The deploy branch is main")
    for command, timeout_s in (("  ", None), ("true", 0), ("true", -1)):
        with pytest.raises(BadInput):
            book.bisect(command, timeout_s=timeout_s)
    with pytest.raises(BadInput, match="no memory"):
        book.bisect("false", "what do walruses eat?")


def test_lines_are_written_as_ranges() -> None:
    assert line_ranges([]) == ""
    assert line_ranges([0, 1, 2, 6]) == "1-3,7"


@pytest.mark.slow
def test_two_hundred_culprits_among_a_thousand_memories_are_all_found(
    tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"sqlite:{tmp_path / 'book.db'}")  # The store makes no difference.
    book.save_many([f"Customer {name(n)} wants feature number {n}" for n in range(1_000)])
    chosen = random.Random(20).sample(range(1_000), 200)
    most = 0
    for n in chosen:
        found = book.bisect(WITHOUT.format(name(n)))
        assert [book.get(id).content.split()[1] for id in found.culprits] == [name(n)]
        assert found.memories == 1_000
        most = max(most, found.runs)
    assert most <= 2 * math.log2(1_000)
