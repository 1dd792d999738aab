"""Whose turn it is: no caller waits behind the many requests of another, no read behind changes."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from commonplace.doors.server.rest import LONG_VERBS, VERBS
from commonplace.doors.server.turns import TurnQueue
from tests.doors.serving import Served, book_in, serving

WAITING_SAVES = 50
"""More than a server has threads."""


def served_in_turn(requests: str, *, places: int = 1) -> str:
    """The order in which requests that arrive together are served; a letter is a caller."""
    order: list[str] = []

    async def request(queue: TurnQueue, caller: str) -> None:
        await queue.take(caller)
        order.append(caller)
        await asyncio.sleep(0)
        queue.give_back()

    async def all_together() -> None:
        queue = TurnQueue(places)
        await asyncio.gather(*(request(queue, caller) for caller in requests))

    asyncio.run(all_together())
    return "".join(order)


def test_a_callers_many_requests_delay_no_other_callers_only_one() -> None:
    assert served_in_turn("aaaaaabc") == "aabcaaaa"
    assert served_in_turn("aaaaaabc", places=2) == "aaabcaaa"


def test_requests_of_one_caller_are_served_as_they_came() -> None:
    order: list[int] = []

    async def several() -> None:
        queue = TurnQueue(1)
        await queue.take("ada")

        async def request(number: int) -> None:
            await queue.take("ada")
            order.append(number)
            queue.give_back()

        waiting = [asyncio.ensure_future(request(number)) for number in range(5)]
        await asyncio.sleep(0)
        queue.give_back()
        await asyncio.gather(*waiting)

    asyncio.run(several())
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(20))
def test_nobody_starves(seed: int) -> None:
    chance = random.Random(seed)
    requests = "".join(chance.choices("abcde", weights=(90, 5, 2, 2, 1), k=200))
    order = served_in_turn(requests)
    assert sorted(order) == sorted(requests)
    # The first request ran before any other waited.
    waiting = order[1:]
    for place, caller in enumerate(waiting):
        later = waiting[place + 1 :]
        until_next = later[: later.find(caller)] if caller in later else ""
        assert len(set(until_next)) == len(until_next), "others have one turn each meanwhile"


def test_a_caller_that_goes_away_leaves_its_place_to_the_next() -> None:
    async def one_leaves(*, already_served: bool) -> bool:
        queue = TurnQueue(1)
        await queue.take("ada")
        leaving = asyncio.ensure_future(queue.take("grace"))
        staying = asyncio.ensure_future(queue.take("alan"))
        await asyncio.sleep(0)
        if already_served:
            queue.give_back()
        leaving.cancel()
        if not already_served:
            queue.give_back()
        await asyncio.wait_for(staying, 5)
        queue.give_back()
        await asyncio.wait_for(queue.take("anybody"), 5)
        return leaving.cancelled()

    assert asyncio.run(one_leaves(already_served=False))
    assert asyncio.run(one_leaves(already_served=True))


def test_reads_and_long_calls_are_answered_while_many_saves_wait(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book) as served:
        book.save("Tea is at four")
        with ThreadPoolExecutor(WAITING_SAVES) as clients:
            with book._engine.store.lease():  # pyright: ignore[reportPrivateUsage]
                saves = [clients.submit(save, served, n) for n in range(WAITING_SAVES)]
                with served.http() as client:
                    found = client.post("/v1/recall", json={"query": "when is tea?"}).json()
                    assert client.get("/v1/report").status_code == 200
                assert asyncio.run(searched(served)) == found["hits"][0]["memory"]["id"]
                # One after the other gives up after ten seconds, on a machine that is very slow.
                assert sum(save.done() for save in saves) < WAITING_SAVES / 5
            assert {save.result().status_code for save in saves} <= {200, 503}
            assert saves[-1].result().status_code == 200


def save(served: Served, number: int) -> httpx.Response:
    with served.http() as client:
        guest = {"content": f"Guest {number} takes {number} biscuits"}
        return client.post("/v1/save", json=guest, timeout=300)


async def searched(served: Served) -> str:
    async with served.mcp() as client:
        found = await client.call_tool("memory_search", {"query": "when is tea?"})
    assert found.structured_content is not None
    return found.structured_content["hits"][0]["memory"]["id"]


def test_every_long_verb_is_served() -> None:
    assert set(VERBS) >= LONG_VERBS
