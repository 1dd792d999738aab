"""Guessing tokens is slow and logged; right tokens pass, wherever a guesser is."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType

import httpx
import pytest

from commonplace import Context
from commonplace.backends.common.server_state import LocalServerState
from commonplace.doors.server.callers import Tokens
from commonplace.doors.server.wrong_tokens import ALL_ADDRESSES, ONE_ADDRESS, PAUSE_S, WrongTokens
from tests.doors.serving import Served, book_in, serving

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ADA = Context(user="ada", role="member")
WRONG = "cpt_0123456789ab_heron-in-the-safe"


class Guesses:
    """Guesses at a time that the test sets; counts the pauses instead of pausing."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.paused: list[float] = []
        self._wrong = WrongTokens(clock=lambda: self.now, pause=self._pause)

    async def _pause(self, seconds: float) -> None:
        self.paused.append(seconds)

    def guess(self, address: str = "203.0.113.9") -> int:
        return asyncio.run(self._wrong.slow_down({"type": "http", "client": (address, 40_000)}))


@pytest.fixture
def guesses() -> Guesses:
    return Guesses()


def test_a_few_wrong_tokens_are_answered_at_once_and_more_are_slow(guesses: Guesses) -> None:
    found = [guesses.guess() for _ in range(ONE_ADDRESS.at_once)]
    assert found == [0] * ONE_ADDRESS.at_once
    assert guesses.paused == []
    assert guesses.guess() == 10
    assert guesses.paused == [PAUSE_S]
    guesses.now += 10
    assert guesses.guess() == 0
    assert guesses.guess() == 10


def test_another_address_is_not_slowed(guesses: Guesses) -> None:
    for _ in range(20):
        guesses.guess()
    slowed = len(guesses.paused)
    assert guesses.guess("198.51.100.7") == 0
    assert guesses.guess("2001:db8:1:2::1") == 0
    assert len(guesses.paused) == slowed


def test_the_addresses_of_one_network_count_together(guesses: Guesses) -> None:
    found = [guesses.guess(f"2001:db8:1:2::{number:x}") for number in range(12)]
    assert found == [0] * ONE_ADDRESS.at_once + [10, 10]
    assert guesses.guess("2001:db8:1:3::1") == 0


def test_guesses_from_everywhere_are_slowed_together_and_forgotten(guesses: Guesses) -> None:
    found = [guesses.guess(f"10.0.{number // 200}.{number % 200}") for number in range(3_000)]
    assert found[: ALL_ADDRESSES.at_once] == [0] * ALL_ADDRESSES.at_once
    assert all(found[ALL_ADDRESSES.at_once :])
    assert len(guesses._wrong._levels) <= 1_000


def test_a_burst_is_one_line_and_the_next_burst_another(
    guesses: Guesses, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(30):
        guesses.guess()
        guesses.now += 1
    assert [one.getMessage() for one in caplog.records] == [
        "Too many wrong tokens from 203.0.113.9; further ones are answered slowly."
    ]
    guesses.now += 3_600
    for _ in range(30):
        guesses.guess()
    assert len(caplog.records) == 2


def test_text_in_place_of_an_address_is_not_logged(
    guesses: Guesses, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(12):
        guesses.guess(WRONG)
    assert "heron" not in caplog.text
    assert "this machine" in caplog.text


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    # A busy machine may take longer for ten guesses than the server gives for a further one.
    stopped = partial(WrongTokens, clock=lambda: 1_000.0)
    monkeypatch.setattr("commonplace.doors.server.app.WrongTokens", stopped)
    with book_in(tmp_path) as book, serving(book, panel=True) as one:
        yield one


def test_a_guesser_is_slowed_and_its_neighbours_are_let_in(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    right = served.token(user="ada")

    def tried(token: str, path: str = "/v1/list") -> httpx.Response:
        return httpx.get(served.url + path, headers={"authorization": f"Bearer {token}"})

    with caplog.at_level(logging.WARNING):
        answers = [tried(f"{WRONG}{number}").status_code for number in range(10)]
        refused = tried(WRONG)
    assert answers == [401] * ONE_ADDRESS.at_once
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
    assert 1 <= int(refused.headers["retry-after"]) <= 10
    # Those who show a right token from the same address, or none at all, do not notice.
    assert tried(right).status_code == 200
    assert httpx.get(f"{served.url}/v1/list").status_code == 401
    assert httpx.get(f"{served.url}/health").status_code == 200
    # MCP, the panel's form and its cookie count the same guesses.
    assert tried(WRONG, "/mcp").status_code == 429
    own = {"origin": served.url}
    form = httpx.post(f"{served.url}/login", data={"token": WRONG}, headers=own)
    assert form.status_code == 429
    assert int(form.headers["retry-after"]) >= 1
    signed_in = httpx.post(f"{served.url}/login", data={"token": right}, headers=own)
    assert signed_in.status_code == 303
    told = [one.getMessage() for one in caplog.records if one.name == "commonplace.server"]
    assert told == ["Too many wrong tokens from 127.0.0.1; further ones are answered slowly."]
    assert "heron" not in caplog.text
    assert "0123456789ab" not in caplog.text


def work_of(tokens: Tokens, secret: str) -> list[str]:
    """Every function, of Python's and of C, that looking for a token calls, in their order."""
    called: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)
        elif event == "c_call":
            called.append(getattr(argument, "__name__", ""))

    sys.setprofile(note)
    try:
        tokens.find(secret, NOW)
    finally:
        sys.setprofile(None)
    return called


class Kept(LocalServerState):
    """Tokens in memory, so that the work of the file system does not differ."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._texts: dict[str, str] = {}

    def put_token(self, id: str, text: str) -> None:
        self._texts[id] = text

    def token(self, id: str) -> str | None:
        return self._texts.get(id)


def test_known_and_unknown_ids_are_the_same_work(tmp_path: Path) -> None:
    tokens = Tokens(Kept(str(tmp_path)))
    made = tokens.create(ADA, now=NOW)
    known = work_of(tokens, f"cpt_{made.token.id}_wrong")
    unknown = work_of(tokens, "cpt_000000000000_wrong")
    assert known == unknown
    assert known.count(hashlib.sha256.__name__) == 1
    assert known.count(hmac.compare_digest.__name__) == 1
    # Also where no id is given at all.
    for secret in ("", "x", "cpt_", "cpt_../../../etc/passwd_x"):
        called = work_of(tokens, secret)
        assert called.count(hashlib.sha256.__name__) == 1
        assert called.count(hmac.compare_digest.__name__) == 1
    assert tokens.find(made.secret, NOW) == made.token
