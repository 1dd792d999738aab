"""Measure what a REST request costs a server, and how long reads and saves wait among many clients.

    python benchmarks/speed/many_clients.py [--memories 10000] [--seconds 10] [--rounds 3]

One request in ten is a save; the book is a vault without vectors. Clients that ask without a pause
always wait for each other: 50 of them wait at least 50 requests' time, whatever the server does.
Their throughput is therefore compared, and waiting is compared with pauses between the requests, so
that all clients together ask for half of what the server can answer. The phases take turns, so that
whatever else the machine does meets all alike.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import os
import random
import tempfile
import time
from threading import Thread
from typing import TYPE_CHECKING, Any

import psutil
from parts.making import short_words
from parts.serving import served
from parts.timing import row

import commonplace
from commonplace import Commonplace, Settings
from commonplace.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


USERS = 20
SAVE_EACH = 10
CROWD = 50
CLIENTS = (1, 10, CROWD)
BUSY = 0.5
"""The share of the greatest throughput that clients ask for who make pauses."""
MOST_CPU_MS = 7.0
MOST_WAIT = 8.0
WARM_UP = 200
LIBRARY_ROUNDS = 3


class Phase(Value):
    """A crowd of clients, and how they ask."""

    clients: int
    rate: float | None = None
    """Requests a second of all clients together; None if they ask without a pause."""
    burst: bool = False
    """Whether all clients but the first are the same caller."""


class Answers(Value):
    """The seconds that each request of a phase took, and what it cost the server."""

    reads: list[float]
    writes: list[float]
    first: list[float]
    """The requests of the first client."""
    seconds: float
    cost: float = math.inf
    """Processor seconds of the server for a request; of several rounds the fewest, since other
    programs on the same cores make every one dearer."""

    @property
    def count(self) -> int:
        """How many requests were answered."""
        return len(self.reads) + len(self.writes)

    def __add__(self, other: Answers) -> Answers:
        return Answers(
            self.reads + other.reads,
            self.writes + other.writes,
            self.first + other.first,
            self.seconds + other.seconds,
            min(self.cost, other.cost),
        )


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        alone_ms = _library(room, options.memories)
        row("processor time of the library alone", f"{alone_ms:.1f} ms")
        with (
            served(f"vault:{room}/notes", room) as server,
            multiprocessing.get_context("spawn").Pool(1) as pool,
        ):
            process = psutil.Process(server.process.pid)

            def run(phase: Phase, seconds: float) -> Answers:
                before = process.cpu_times()
                done = pool.apply(_crowd, (server.url, server.key, phase, seconds))
                after = process.cpu_times()
                spent = after.user + after.system - before.user - before.system
                return done.but(cost=spent / done.count)

            run(Phase(1), options.seconds)
            rate = BUSY * _rate(run(Phase(10), options.seconds))
            phases = [Phase(count) for count in CLIENTS]
            phases += [Phase(CROWD, rate), Phase(CROWD, burst=True)]
            found = {phase: Answers([], [], [], 0.0) for phase in phases}
            for phase in phases * options.rounds:
                found[phase] = found[phase] + run(phase, options.seconds)
        _print(found, phases, rate, alone_ms)


def _print(
    found: dict[Phase, Answers], phases: Sequence[Phase], rate: float, alone_ms: float
) -> None:
    one, ten, fifty, calm, burst = (found[phase] for phase in phases)
    for phase in phases[:3]:
        answers = found[phase]
        told = f"p95 {_p95(answers.reads):.0f} ms reads, {_p95(answers.writes):.0f} ms saves"
        row(f"{phase.clients} clients without a pause", f"{_rate(answers):.0f} /s", told)
    # Of the busiest phase, because a server that waits also looks for edits meanwhile.
    cpu_ms = fifty.cost * 1000
    row("processor time of a REST request", f"{cpu_ms:.1f} ms", f"at most {MOST_CPU_MS:g} ms")
    row("  against the library alone", f"{cpu_ms / alone_ms:.2f}")
    row("throughput of 50 clients against 10", f"{_rate(fifty) / _rate(ten):.2f}", "at least 1")
    told = f"p95 {_p95(calm.reads):.0f} ms reads, {_p95(calm.writes):.0f} ms saves"
    row(f"50 clients, {rate:.0f} requests a second", f"{_rate(calm):.0f} /s", told)
    for what, many, alone in (
        ("all", calm.reads + calm.writes, one.reads + one.writes),
        ("reads", calm.reads, one.reads),
        ("saves", calm.writes, one.writes),
    ):
        ratio = _p95(many) / _p95(alone)
        row(f"  p95 against 1 client, {what}", f"{ratio:.1f}", f"at most {MOST_WAIT:g}")
    ratio = _p95(burst.first) / _p95(one.reads + one.writes)
    row("p95 of one caller beside 49 requests of another", f"{ratio:.1f}", f"at most {MOST_WAIT:g}")


def _library(room: str, memories: int) -> float:
    """Make the book; returns the processor time of a request without a server, in ms."""
    language = short_words(20_000)
    settings = Settings(state=f"{room}/state", embedder="none")
    with commonplace.open(f"vault:{room}/notes", settings=settings) as book:
        book.save_many(
            {"content": language.text(6, 30), "scope": f"/user/{n % USERS}"}
            for n in range(memories)
        )
        book.recall("settle")
        requests = _requests(0, random.Random(0))
        for _ in range(WARM_UP):
            _call(book, *next(requests))
        costs: list[float] = []
        for _ in range(LIBRARY_ROUNDS):
            began = time.process_time()
            for _ in range(WARM_UP):
                _call(book, *next(requests))
            costs.append((time.process_time() - began) / WARM_UP)
        return min(costs) * 1000


def _call(book: Commonplace, verb: str, arguments: dict[str, Any]) -> None:
    getattr(book.watched().as_context({"user": "0"}), verb)(**arguments)


def _requests(client: int, chance: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    language = short_words(20_000, seed=chance.randrange(1_000_000))
    turn = client
    while True:
        turn += 1
        if turn % SAVE_EACH == 0:
            yield "save", {"content": f"{client} at {time.time_ns()}: {language.text(6, 30)}"}
        else:
            yield "recall", {"query": language.text(6, 8), "limit": 5}


def _crowd(url: str, key: str, phase: Phase, seconds: float) -> Answers:
    """Run the clients of a phase, in a process of their own."""
    own: list[list[tuple[str, float]]] = [[] for _ in range(phase.clients)]
    requests = [_requests(n, random.Random(os.urandom(8))) for n in range(phase.clients)]
    for one in requests:
        next(one)  # Makes its language before the time runs.
    began = time.perf_counter()
    threads = [
        Thread(target=_client, args=(url, key, phase, n, requests[n], began + seconds, own[n]))
        for n in range(phase.clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = [one for answered in own for one in answered]
    return Answers(
        [took for verb, took in answers if verb == "recall"],
        [took for verb, took in answers if verb == "save"],
        [took for _, took in own[0]],
        time.perf_counter() - began,
    )


def _client(
    url: str,
    key: str,
    phase: Phase,
    number: int,
    requests: Iterator[tuple[str, dict[str, Any]]],
    until: float,
    answered: list[tuple[str, float]],
) -> None:
    """Ask until the time is over; with a rate, at random moments."""
    chance = random.Random(number)
    user = min(number, 1) if phase.burst else number % USERS
    headers = {
        "authorization": f"Bearer {key}",
        "content-type": "application/json",
        "commonplace-context": f"/user/{user}",
    }
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    due = time.perf_counter()
    for verb, arguments in requests:
        if phase.rate is not None:
            due += chance.expovariate(phase.rate / phase.clients)
        now = time.perf_counter()
        if max(now, due) > until:
            return
        time.sleep(max(0.0, due - now))
        asked = time.perf_counter()
        connection.request("POST", f"/v1/{verb}", json.dumps(arguments), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        answered.append((verb, time.perf_counter() - asked))


def _rate(answers: Answers) -> float:
    return answers.count / answers.seconds


def _p95(times: Sequence[float]) -> float:
    """In milliseconds."""
    return sorted(times)[int(len(times) * 0.95)] * 1000


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
