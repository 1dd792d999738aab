"""What a server tells Prometheus: right, cheap, the same from every server, and no secrets."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from commonplace import Commonplace, Refused
from commonplace.books.open import open_book
from commonplace.doors.server.event_metrics import EventMetrics
from commonplace.doors.server.metrics import BookGauges
from commonplace.model.memory import Draft
from commonplace.rules.parameters import BackupPlan
from commonplace.rules.screening.credential_formats import FORMATS
from commonplace.settings import Settings
from commonplace.verbs.health import BookFigures
from tests import ROOT, as_person
from tests.backends.postgres import server
from tests.doors.machines import machines
from tests.doors.serving import KEY, Served, book_in, serving
from tests.rules import made_credentials as made

MONITORING = ROOT / "monitoring"
TOKEN = made.credential(
    next(form for form in FORMATS if form.label == "GitHub token"), random.Random(7)
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with book_in(tmp_path) as book, serving(book) as one:
        yield one


def figures(url: str, key: str = KEY) -> dict[str, float]:
    """Every series by its name and labels."""
    answer = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 200, answer.text
    return {
        f"{one.name}{{{','.join(f'{k}={v}' for k, v in sorted(one.labels.items()))}}}": one.value
        for family in text_string_to_metric_families(answer.text)
        for one in family.samples
    }


def blocked(book: Commonplace) -> None:
    with pytest.raises(Refused):
        book.save(f"The deploy token is {TOKEN}")


def test_what_happens_to_the_book_is_counted_whoever_does_it(
    served: Served, tmp_path: Path
) -> None:
    assert figures(served.url)["commonplace_writes_total{outcome=new}"] == 0
    served.book.save("We deploy from main every Friday")
    served.book.save("We deploy from main every Friday")
    # As a command or a hook would, in a process that is soon over.
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_book(f"vault:{tmp_path / 'book'}", settings=settings, source="cli") as command:
        command.save("The lighthouse keeper prefers rye bread")
        command.recall("what bread does the keeper prefer?")
        command.prompt("Bake the lighthouse keeper some rye bread")
        command.recall("zymurgy quokka")
        blocked(command)
    told = figures(served.url)
    assert told["commonplace_writes_total{outcome=new}"] == 2
    assert told["commonplace_writes_total{outcome=repeated}"] == 1
    assert told["commonplace_refused_writes_total{reason=credential}"] == 1
    asked = {name: value for name, value in told.items() if "questions_total" in name and value}
    assert asked["commonplace_questions_total{sure=none,way=recall}"] == 1
    assert sum(asked.values()) == 3
    assert sum(value for name, value in asked.items() if "way=handed" in name) == 1
    assert told["commonplace_recall_seconds_count{way=recall}"] == 2
    assert told["commonplace_recall_seconds_count{way=handed}"] == 1
    # Looking again counts nothing twice.
    assert figures(served.url)["commonplace_writes_total{outcome=new}"] == 2


def test_an_erasure_is_counted_by_its_name(served: Served) -> None:
    served.book.save("Ada keeps bees", scope="/user/ada")
    as_person(served.book).erase_user("ada")
    told = {name: value for name, value in figures(served.url).items() if "changes_total" in name}
    assert told["commonplace_changes_total{action=erased}"] == 1
    assert "commonplace_changes_total{action=other}" not in told


def test_two_servers_of_one_book_tell_the_same(tmp_path: Path) -> None:
    with (
        book_in(tmp_path) as one,
        book_in(tmp_path) as two,
        serving(one) as first,
        serving(two) as second,
    ):
        one.save("The ferry leaves at nine")
        two.save("The harbour crane is painted every seventh year")
        two.recall("when does the ferry leave?")
        blocked(two)
        told = [figures(served.url) for served in (first, second)]
    same = {"writes_total", "refused_writes_total", "questions_total", "memories", "staleness"}
    for name, value in told[0].items():
        if name.split("{")[0].removeprefix("commonplace_") in same:
            assert told[1][name] == pytest.approx(value, abs=1e-3), name
    assert told[0]["commonplace_writes_total{outcome=new}"] == 2
    assert told[0]["commonplace_memories{status=active}"] == 2


def test_processes_of_one_server_go_on_from_each_others_counts(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        one = EventMetrics(book, folder=str(tmp_path))
        book.save("The ferry leaves at nine")
        assert writes(one) == 1
        # Begun later, and asked in between: to Prometheus both are one server.
        two = EventMetrics(book, folder=str(tmp_path))
        assert writes(two) == 1
        book.save("The orchard gate is blue")
        assert writes(two) == 2
        assert writes(one) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="processes at one port are for POSIX")
@pytest.mark.slow
def test_whichever_process_of_a_server_is_asked_tells_what_all_did(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with machines(server.made(place), tmp_path, 1, "--workers", "2") as [many]:
        for n in range(12):
            many.post("save", content=f"Stork {n} nests on chimney {n * 7}").raise_for_status()
        told = [figures(many.url, many.key) for _ in range(10)]
    server.give_back(place)
    requests = "commonplace_http_requests_total{door=rest,status=200}"
    assert {one[requests] for one in told} == {12}
    assert {one["commonplace_rest_calls_total{verb=save}"] for one in told} == {12}
    assert {one["commonplace_writes_total{outcome=new}"] for one in told} == {12}


def writes(happenings: EventMetrics) -> float:
    return sum(
        sample.value
        for family in happenings.collect()
        for sample in family.samples
        if sample.name == "commonplace_writes_total"
    )


def test_a_contradiction_is_counted_once_and_waits(served: Served, tmp_path: Path) -> None:
    insights = tmp_path / "book" / "system" / "memory" / "insight"
    insights.mkdir(parents=True, exist_ok=True)
    for port in (8080, 9090):
        text = f"The staging server listens on port {port}\n"
        (insights / f"port-{port}.md").write_text(text, encoding="utf-8")
    served.book.maintain()
    told = figures(served.url)
    assert told["commonplace_contradictions_total{}"] >= 1
    assert told["commonplace_contradictions_waiting{}"] == 1
    assert told["commonplace_inbox_waiting{}"] == 1
    assert told["commonplace_inbox_overdue{}"] == 0


def test_an_import_is_counted_apart_so_that_it_sets_off_nothing(served: Served) -> None:
    texts = ["The ferry leaves at nine", "Ada keeps bees", f"Key: {TOKEN}"]
    served.book.take_in(lambda: [Draft(text) for text in texts], kind="mem0")
    told = figures(served.url)
    assert told["commonplace_writes_total{outcome=imported}"] == 2
    assert told["commonplace_refused_writes_total{reason=imported}"] == 1
    assert told["commonplace_writes_total{outcome=new}"] == 0
    assert told["commonplace_refused_writes_total{reason=credential}"] == 0


def opened_at(tmp_path: Path, now: list[datetime]) -> Commonplace:
    """A book whose clock the test moves by hand."""
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    url = f"vault:{tmp_path / 'book'}"
    return open_book(url, settings=settings, now=lambda: now[0], background=False)


def test_gauges_tell_how_the_book_stands(tmp_path: Path) -> None:
    now = [datetime.now(UTC) - timedelta(days=400)]
    with opened_at(tmp_path, now) as book:
        for project in ("mech", "tea"):
            book.save(f"The {project} plan is old", scope=f"/user/ada/project/{project}")
        now[0] += timedelta(days=400)
        for user in ("ada", "grace"):
            book.save(f"{user} keeps bees in the garden", scope=f"/user/{user}")
        with serving(book) as served:
            told = figures(served.url)
    assert told["commonplace_scopes_per_user{of=max}"] == 3
    assert told["commonplace_scopes_per_user{of=mean}"] == 2
    assert told["commonplace_memories{status=active}"] == 4
    assert told["commonplace_staleness{quantile=0.5}"] > 0.5
    assert told["commonplace_staleness{quantile=0.95}"] <= 1
    assert told["commonplace_storage_bytes{part=records}"] > 100
    assert told["commonplace_storage_bytes{part=local}"] > 100
    assert told["commonplace_index_behind{}"] == 0
    assert told["commonplace_book_readable{}"] == 1


def test_the_age_of_backups_is_told_where_they_are_wanted(tmp_path: Path) -> None:
    settings = Settings(
        state=str(tmp_path / "state"),
        embedder="none",
        backup=BackupPlan(place=str(tmp_path / "safe")),
    )
    with (
        open_book(f"vault:{tmp_path / 'book'}", settings=settings) as book,
        serving(book) as served,
    ):
        name = "commonplace_backup_timestamp_seconds{}"
        book.save("The ferry leaves at nine")
        never = {one.name: one for one in BookGauges(book).collect()}
        assert never["commonplace_backup_timestamp_seconds"].samples[0].value == 0
        before = datetime.now(UTC).timestamp() - 1
        book.backup()
        assert before <= figures(served.url)[name] <= datetime.now(UTC).timestamp()


def test_no_name_of_a_tenant_and_no_text_is_told(served: Served) -> None:
    with served.http(KEY) as client:
        client.get("/v1/recall", params={"query": "Where does Grace keep her violins?"})
        client.get("/v1/no-such-verb-violins")
        client.get("/violins/violins")
    served.book.save("Grace keeps nine violins", scope="/org/acme/user/grace", topic="violins")
    with pytest.raises(Refused):
        served.book.as_context({"user": "grace"}).save(f"violins {TOKEN}")
    answer = httpx.get(f"{served.url}/metrics", headers={"Authorization": f"Bearer {KEY}"})
    for secret in ("violin", "grace", "acme", TOKEN.lower(), "no-such-verb"):
        assert secret not in answer.text.lower()


def test_looking_often_does_not_look_through_the_book_often(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        looks: list[float] = []
        now = [0.0]

        class Slow(Commonplace):
            def standing(self) -> BookFigures:
                looks.append(now[0])
                now[0] += 2.0  # As a very large book takes.
                return super().standing()

        gauges = BookGauges(Slow(book._engine), interval_s=15, clock=lambda: now[0])
        for _ in range(100):
            list(gauges.collect())
            now[0] += 15
    # Two seconds of every 202: the scrapes in between are told what was seen.
    assert len(looks) > 5
    assert min(after - before for before, after in pairwise(looks)) >= 200


def test_staleness_of_a_large_book_is_measured_at_every_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.verbs.health.SAMPLE", 40)
    now = [datetime.now(UTC) - timedelta(days=400)]
    with opened_at(tmp_path, now) as book:
        for day in range(0, 400, 10):
            book.save_many([f"Buoy number {day + n} is painted red" for n in range(10)])
            now[0] += timedelta(days=10)
        sampled = book.standing()
        monkeypatch.setattr("commonplace.verbs.health.SAMPLE", 1_000)
        whole = book.standing()
    assert len(sampled.stale) == 40
    assert len(whole.stale) == 400
    for share in (0.05, 0.5, 0.95):
        assert abs(sampled.stale_at(share) - whole.stale_at(share)) < 0.06
    assert whole.stale_at(0.95) - whole.stale_at(0.05) > 0.4


def test_a_book_that_cannot_be_read_is_told_as_such(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book) as served:
        assert figures(served.url)["commonplace_book_readable{}"] == 1
        gauges = BookGauges(book, interval_s=0, clock=lambda: 0.0)
        (tmp_path / "book").rename(tmp_path / "elsewhere")
        told = {one.name: one for one in gauges.collect()}
        assert told["commonplace_book_readable"].samples[0].value == 0
        (tmp_path / "elsewhere").rename(tmp_path / "book")
        told = {one.name: one for one in gauges.collect()}
        assert told["commonplace_book_readable"].samples[0].value == 1


def test_only_watchers_may_look(served: Served) -> None:
    member, admin = served.token(user="ada"), served.token(role="admin", user="root")
    for token, status in ((member, 403), (admin, 200), ("wrong", 401)):
        answer = httpx.get(f"{served.url}/metrics", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == status


def test_rules_dashboard_and_docs_name_only_what_is_told(served: Served) -> None:
    served.book.save("We deploy from main")
    served.book.recall("what do we deploy from?")
    with served.http(KEY) as client:
        client.get("/v1/status")
    told = {name.split("{")[0] for name in figures(served.url)}
    families = {re.sub(r"_(total|bucket|count|sum|created)$", "", name) for name in told}
    told_by_backups = {"commonplace_backup_timestamp_seconds"}
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    named = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"commonplace_\w+", target["expr"])
    }
    named |= set(re.findall(r"commonplace_\w+", (MONITORING / "alerts.yml").read_text()))
    assert named - told - told_by_backups == set()
    documented = set(
        re.findall(r"`(commonplace_\w+)`", (MONITORING.parent / "docs/monitoring.md").read_text())
    )
    documented = {re.sub(r"_total$", "", name) for name in documented}
    assert documented - told_by_backups == families
