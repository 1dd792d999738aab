"""Compare the throughput of two server processes on one PostgreSQL with that of one.

    python benchmarks/speed/two_servers.py [--memories 10000] [--users 10] [--clients 8]

Clients recall, and save once in ten requests. Prints the requests per second of one and two
processes, their ratio, and the processor use of each part: a second process cannot help where
clients, database and one process already use all cores.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import psutil
from postgres_scale import NOUNS, VERBS, note
from tests.backends.postgres import server
from tests.doors.machines import Machine, machines

from commonplace.books.open import open_book
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

READS_PER_WRITE = 9
ROUNDS = 3
LIMIT = 1.6


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-") as name, ExitStack() as stack:
        room = Path(name)
        url = server.made(room / "book")
        fill(url, room, options.memories, options.users)
        both = stack.enter_context(machines(url, room))
        warm(both, options.users)
        answered: dict[int, list[float]] = {1: [], 2: []}
        # In turn, so that whatever else the machine does meets both alike.
        for count in [1, 2] * ROUNDS:
            rate, shares = crowd(both[:count], options)
            answered[count].append(rate)
            told = ", ".join(f"{part} {share:.2f}" for part, share in shares.items())
            print(f"{count} process(es): {rate:,.0f} requests a second; cores used: {told}")
    ratio = max(answered[2]) / max(answered[1])
    print(f"two against one: {ratio:.2f} × on {os.cpu_count()} cores (limit {LIMIT}, where cores")
    print("allow: client, database and two servers keep four cores busy)")


def fill(url: str, room: Path, memories: int, users: int) -> None:
    settings = Settings(state=str(room / "filling"), embedder="none")
    with open_book(url, settings=settings, background=False) as book:
        for start in range(0, memories, 1000):
            notes = (note(n, users) for n in range(start, min(start + 1000, memories)))
            book.save_many([{"content": one.content, "scope": str(one.scope)} for one in notes])


def warm(both: list[Machine], users: int) -> None:
    for one, user in itertools.product(both, range(users)):
        with one.http() as client:
            client.post("/v1/recall", json={"query": "warm"}, headers=context_header(user))


def crowd(servers: list[Machine], options: Any) -> tuple[float, dict[str, float]]:
    """Run the clients; returns requests per second, and the cores that each part used."""
    known = [(one.url, one.key) for one in servers]
    until = time.time() + options.seconds + 1.0
    tasks = [(*known[n % len(known)], n, options.users, until) for n in range(options.clients)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(os.getpid)  # Its imports are not part of what is measured.
        before, began = used(servers), time.time()
        done = pool.apply(ask_together, (tasks,))
        seconds = time.time() - began
        after = used(servers)
    shares = {part: (after[part] - before[part]) / seconds for part in before}
    shares["client"] = done["cpu"] / seconds
    return done["answers"] / seconds, shares


def ask_together(tasks: list[tuple[str, str, int, int, float]]) -> dict[str, float]:
    from threading import Thread

    answers: Counter[int] = Counter()
    began = time.process_time()
    threads = [Thread(target=ask, args=(*task, answers)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {200}, answers
    return {"answers": float(answers[200]), "cpu": time.process_time() - began}


def ask(url: str, key: str, who: int, users: int, until: float, answers: Counter[int]) -> None:
    chance = random.Random(who)
    headers = {"authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for verb, given in requests_of(chance, who):
            if time.time() > until:
                return
            said = client.post(
                f"/v1/{verb}", json=given, headers=context_header(chance.randrange(users))
            )
            answers[said.status_code] += 1


def requests_of(chance: random.Random, who: int) -> Iterator[tuple[str, dict[str, Any]]]:
    for turn in itertools.count():
        here, done, there = chance.choice(NOUNS), chance.choice(VERBS), chance.choice(NOUNS)
        if turn % (READS_PER_WRITE + 1) == READS_PER_WRITE:
            text = f"Client {who} saw {here} {done} {there} at {time.time_ns()}"
            yield "save", {"content": text}
        else:
            yield "recall", {"query": f"when was {here} {done} at {there}", "limit": 5}


def context_header(user: int) -> dict[str, str]:
    return {"commonplace-context": f"/org/acme/user/u{user}"}


def used(servers: list[Machine]) -> dict[str, float]:
    """Processor seconds that each part has used so far."""
    with open(server_pid_file(), encoding="ascii") as file:
        postmaster = psutil.Process(int(file.readline()))
    return {
        "servers": sum(seconds(psutil.Process(one.process.pid)) for one in servers),
        "database": sum(map(seconds, [postmaster, *postmaster.children(recursive=True)])),
    }


def seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def server_pid_file() -> str:
    from urllib.parse import parse_qs, urlsplit

    [folder] = parse_qs(urlsplit(server.superuser()).query)["host"]
    return os.path.join(folder, "postmaster.pid")


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--clients", type=int, default=8)
    return parser.parse_args()


if __name__ == "__main__":
    main()
