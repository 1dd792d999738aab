"""Whether requests should be sent to a server, and what it tells those who are there already."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

from commonplace.doors.server.app import CACHE_S, ENDING, Readiness
from commonplace.model.errors import StoreUnavailable
from tests.doors.serving import KEY, book_in, serving


def test_a_server_about_to_end_still_answers_and_asks_callers_to_move_on(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        readiness = Readiness(book.server_state.check)
        with serving(book, readiness=readiness) as served, served.http() as client:
            assert client.get("/health/ready").json() == {"status": "ready", "why": ""}
            assert "connection" not in client.get("/v1/list").headers
            readiness.ending = True
            told = client.get("/health/ready")
            assert (told.status_code, told.json()["why"]) == (503, ENDING)
            answer = client.post("/v1/save", json={"content": "Just in time"})
            assert (answer.status_code, answer.headers["connection"]) == (200, "close")


def test_strangers_hear_that_a_book_is_away_and_not_where_it_is(tmp_path: Path) -> None:
    asked: list[float] = []

    def check() -> None:
        asked.append(time.monotonic())
        raise StoreUnavailable("db.internal does not answer.", hint="Check db.internal.")

    with book_in(tmp_path) as book, serving(book, readiness=Readiness(check)) as served:
        with served.http() as client:
            answers = [client.get("/health/ready") for _ in range(20)]
            assert client.head("/health/ready").status_code == 503
            assert client.get("/health").status_code == 200
        assert {one.status_code for one in answers} == {503}
        assert "db.internal" not in answers[0].text
        gaps = [later - earlier for earlier, later in pairwise(asked)]
        assert all(gap > CACHE_S / 2 for gap in gaps), "nobody keeps the database busy by asking"


def test_beyond_this_machine_nobody_is_the_owner_without_saying_so(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book, strict=True) as served:
        with served.http() as client:
            assert client.get("/v1/list").status_code == 401
        with served.http(KEY) as client:
            assert client.get("/v1/list").status_code == 200
