"""Fifty agents and many faults, for an hour, at one server: what grows, and what is lost?

    python benchmarks/reliability/soak.py [--minutes 60 | --requests N] [--agents 50] [--think 8]
        [--faults 180] [--store vault|sqlite|postgres] [--folder FOLDER] [--seed 0]

Each agent is a user with a token of its own, half of them over REST and half over MCP. They save,
correct, forget, set facts, recall, begin and end sessions, and pause for `--think` seconds on
average between two requests. Some of their requests go through a client that is killed, or over a
connection that is dropped. Meanwhile a person edits notes by hand, and one fault follows the other:
the disk of the server is full for a moment, its index is damaged, or the server is killed and begun
again. It is killed only in the first quarter and at the end, so that in between one process lives
long enough to show what grows. At the end the server stops, and the book is held to the law of
`commonplace torture`: every acknowledged write is there, and nothing is there twice or in part.

It exits with 1 if anything was lost or refused without need, if the server failed or ended by
itself, or if its memory, files or connections grew beyond `Limits`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import httpx
import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.doors.machines import Machine

from commonplace import Context
from commonplace.doors.server.callers import Tokens
from commonplace.doors.torture.process import WriterServer
from commonplace.doors.torture.promises import RETIRED, Promise, Promises
from commonplace.doors.torture.texts import FORMS, text_of
from commonplace.doors.torture.tortured import TorturedBook
from commonplace.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SHARED = "/project/soak"
"""A project that every agent may write to."""
ACTS = {
    "save": 24, "recall": 30, "get": 8, "correct": 8, "fact": 8, "forget": 5,
    "session start": 8, "session end": 4,
}  # fmt: skip
"""What agents do, and how often."""
VANISHING = 0.03
"""The share of changes whose client is killed, or whose connection is dropped."""
LATEST_MOMENT_S = 0.3
"""A client vanishes at a random moment up to this one."""
KEYS = ("editor", "branch", "standup")
FULL_FOR_S, EDIT_EVERY_S, SAMPLE_EVERY_S = 2.0, 7.0, 5.0
LONG_LIFE = (0.25, 0.95)
"""The share of the time in which the server is not killed."""
WINDOW = 0.15
"""The share of that life at its start and end whose figures are compared."""
TIMEOUT_S, STOPS_WITHIN_S = 60.0, 180.0
MCP_VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOOLS = {
    "save": "memory_append", "correct": "memory_append", "forget": "memory_forget",
    "fact": "memory_fact_store", "recall": "memory_search", "get": "memory_get",
}  # fmt: skip
VERBS = {"fact": "fact_store", "session start": "session_start"}
READS = ("recall", "get", "session start")
UNAVAILABLE = ("store_unavailable", "ledger_unavailable", "unavailable")
IN_MCP = {
    "unavailable": "The book cannot do this right now", "refused": "holds a credential",
    "not_found": "No memory",
}  # fmt: skip
"""Words of refusals over MCP, which has no codes."""
MAY_REFUSE = ("refused", "busy")
_KILLED_CLIENT = """\
import socket, sys
request = sys.stdin.buffer.read()
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as to:
    to.sendall(request)
    print("sent", flush=True)
    to.recv(1)
    sys.stdin.close()
    import time; time.sleep(60)
"""


class Limits(Value):
    """How much a server may grow between the start and the end of its long life.

    In an hour a leak of 8 KiB in each request is beyond them, or of a file in a hundred requests.
    """

    memory_mib: float = 48.0
    """For caches that fill, and memory that Python keeps in pieces."""
    memory_kib_a_memory: float = 4.0
    """For each memory that was added meanwhile: the server knows the files of a vault."""
    files: int = 24
    """For connections to databases, one for each thread that answers (they are at most 40)."""
    connections_an_agent: float = 2.0
    """At any time, for each agent: its own one, and one that has been dropped a moment ago."""


class Sample(Value):
    """What one process of the server used at a moment."""

    at: float
    pid: int
    memory_mib: float
    files: int
    connections: int
    state_mib: float
    memories: int


class Answered(Value):
    """One request that was answered."""

    at: float
    act: str
    took_s: float


class Refused(Exception):
    """The server answered, with a problem."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class Soak:
    """The server, what happened to it, and what its callers were promised."""

    def __init__(self, options: argparse.Namespace, room: Path, url: str | None) -> None:
        self.options, self.room = options, room
        self.chance = random.Random(options.seed)
        self.book = SoakedBook(str(room), options.store, self.chance, WriterServer(), url)
        self.answered: list[Answered] = []
        self.samples: list[Sample] = []
        self.refused: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.broken: list[str] = []
        self.disk_full = self.ended = False
        self.times_full = 0
        """How often the disk was full and has room again."""
        self.missed = 0
        """Recalls that did not find a memory while the disk was full."""
        self.said: deque[str] = deque(maxlen=400)
        """The last lines that the server complained with."""
        self.agents: list[Agent] = []
        self.began = 0.0
        self.port = 0
        self.up = asyncio.Event()
        self._machine: Machine | None = None

    @property
    def promises(self) -> Promises:
        """What was acknowledged."""
        return self.book.promises

    @property
    def share(self) -> float:
        """How much of the time is over, 0 to 1, or of the requests if their number is given."""
        if self.options.requests:
            refused, failed = self.refused.total(), self.failed.total()
            return (len(self.answered) + refused + failed) / self.options.requests
        return (time.monotonic() - self.began) / (60 * self.options.minutes)

    @property
    def machine(self) -> Machine:
        """The server."""
        assert self._machine is not None
        return self._machine

    def corrected(self, id: str) -> None:
        """A conversation corrected a memory, which nobody corrects or forgets any more."""
        if old := self.promises.kept.get(id):
            self.promises.kept[id] = Promise(old.text, frozenset({RETIRED}))
        for agent in self.agents:
            with suppress(ValueError):
                agent.mine.remove(id)

    def tokens(self) -> list[str]:
        """A token for each agent, and one for the person, who edits notes by hand."""
        names = [*(f"agent-{n}" for n in range(self.options.agents)), "person"]
        with self.book.open() as book:
            made = Tokens(book.server_state)
            return [
                made.create(
                    Context.of({"role": "member", "user": name, "grants": frozenset({SHARED})}),
                    now=datetime.now(UTC),
                    person=name == "person",
                ).secret
                for name in names
            ]

    async def start(self) -> None:
        """Start the server, at the port that it had before."""
        options = ("--no-panel", "--tools=all", "--rate=50", f"--port={self.port}")
        machine = await asyncio.to_thread(
            # Python itself would leave a damaged file of a module first imported on a full disk.
            lambda: Machine(self.book.url, self.room, *options, PYTHONDONTWRITEBYTECODE="1").begun()
        )
        self._machine, self.port = machine, int(machine.url.rpartition(":")[2])
        threading.Thread(target=self._listen, args=(machine,), daemon=True).start()
        self.up.set()

    def _listen(self, machine: Machine) -> None:
        assert machine.process.stderr is not None
        self.said.extend(machine.process.stderr)

    async def stop(self) -> None:
        """Tell the server to stop; it has to end well."""
        self.up.clear()
        self.machine.process.send_signal(signal.SIGTERM)
        try:
            code: object = await asyncio.to_thread(self.machine.process.wait, STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            code = f"nothing, {STOPS_WITHIN_S:.0f} s after it was told to stop"
            self.machine.process.kill()
        if code:
            self.broken.append(f"The server ended with {code}: {self._complaints()}")

    async def kill(self) -> None:
        """Kill the server with SIGKILL, and start it again on what it left."""
        self.faults["server killed"] += 1
        self.up.clear()
        self.machine.process.kill()
        await asyncio.to_thread(self.machine.process.wait)
        await asyncio.sleep(self.chance.random())
        await self.start()

    async def fill_disk(self) -> None:
        """Let no file of the server grow for a moment, as on a disk that is full."""
        self.faults["disk full"] += 1
        pid, largest = self.machine.process.pid, self.chance.choice((0, 4096, 1 << 18))
        hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest, hard))
        self.disk_full = True
        await asyncio.sleep(FULL_FOR_S)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
        self.disk_full, self.times_full = False, self.times_full + 1

    async def damage_index(self) -> None:
        """Overwrite, zero, cut or remove the index while the server has it open."""
        found = [path for path in self.book.derived_files() if path.endswith("index.db")]
        if not found:
            return
        path, way = found[0], self.chance.choice(("overwritten", "zeroed", "cut", "gone"))
        self.faults[f"index {way}"] += 1
        size = os.path.getsize(path)
        if way == "gone":
            os.unlink(path)
        elif way == "cut":
            os.truncate(path, self.chance.randrange(size + 1))
        else:
            with open(path, "r+b") as file:
                for _ in range(8):
                    file.seek(self.chance.randrange(size // 4096 + 1) * 4096)
                    file.write(bytes(4096) if way == "zeroed" else self.chance.randbytes(64))

    async def meet_faults(self) -> None:
        """One fault after the other, evenly spread over the time."""
        faults: list[Callable[[], Any]] = [self.kill, self.fill_disk]
        if self.options.store == "vault":
            faults.append(self.damage_index)
        turns = itertools.cycle(faults)
        for number in range(1, self.options.faults + 1):
            while self.share < number / (self.options.faults + 1):
                await asyncio.sleep(0.02)
            fault = next(turns)
            if fault == self.kill and LONG_LIFE[0] < self.share < LONG_LIFE[1]:
                fault = next(turns)
            await fault()

    async def watch(self) -> None:
        """Look at what the server uses, and whether it still runs."""
        while True:
            await asyncio.sleep(0.1 if self.options.requests else SAMPLE_EVERY_S)
            if not self.up.is_set():
                continue
            if (code := self.machine.process.poll()) is not None:
                self.broken.append(f"The server ended by itself with {code}: {self._complaints()}")
                self.up.clear()
                await self.start()
            elif self._has_room():
                self.samples.append(await asyncio.to_thread(self._look))

    def _complaints(self) -> str:
        return "".join(self.said)[-2000:]

    def _look(self) -> Sample:
        process = psutil.Process(self.machine.process.pid)
        sockets = [one for one in process.net_connections("all") if one.status != "LISTEN"]
        return Sample(
            at=self.share, pid=process.pid, memory_mib=process.memory_info().rss / 2**20,
            files=process.num_fds() - len(sockets),
            connections=sum(one.status == "ESTABLISHED" for one in sockets),
            state_mib=_size_below(self.book.state) / 2**20, memories=len(self.promises.kept),
        )  # fmt: skip

    def _has_room(self) -> bool:
        """Whether a look is worth it: not in the moment in which the process ends."""
        return psutil.pid_exists(self.machine.process.pid)

    async def edit_by_hand(self, person: Agent) -> None:
        """A person saves notes, and edits their files."""
        for number in itertools.count():
            await asyncio.sleep(EDIT_EVERY_S)
            await self.up.wait()
            if self.ended:
                return
            await person.change("save", tag=f"person-{number}-plain")
            if len(person.mine) < 3:
                continue
            id = person.mine.pop(0)
            old, new = self.promises.kept[id].text, text_of(f"person-{number}-edited-plain")
            found = list(Path(self.book.root).glob(f"users/person/**/*-{id[-6:]}.md"))
            if len(found) == 1 and old in (whole := found[0].read_text(encoding="utf-8")):
                self.faults["note edited by hand"] += 1
                found[0].write_text(whole.replace(old, new), encoding="utf-8")
                self.promises.divide(id, new)
            else:
                self.broken.append(f"No note has the text of {id}: {found}")

    async def run(self) -> None:
        """Everything at once, until the time is over; then the server stops."""
        tokens = self.tokens()
        await self.start()
        self.agents = agents = [Agent(self, number, token) for number, token in enumerate(tokens)]
        *working, person = agents
        self.began = time.monotonic()
        tasks = [asyncio.create_task(one.work()) for one in working]
        others = [asyncio.create_task(one) for one in (self.meet_faults(), self.watch())]
        if self.options.store == "vault":
            tasks.append(asyncio.create_task(self.edit_by_hand(person)))
        try:
            while self.share < 1:
                done, _ = await asyncio.wait(
                    [*tasks, *others], timeout=1, return_when="FIRST_EXCEPTION"
                )
                for one in done:
                    one.result()
            self.ended = True
            await asyncio.gather(*tasks)
        finally:
            for one in [*tasks, *others]:
                one.cancel()
            await asyncio.gather(*tasks, *others, return_exceptions=True)
            for agent in agents:
                await agent.client.aclose()
            if not self.up.is_set():
                await self.start()
        await asyncio.sleep(2)
        self.samples.append(self._look())
        await self.stop()


class SoakedBook(TorturedBook):
    """The book of a soak, which may be in a database."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given[:-1])
        self._url = given[-1]

    @property
    def url(self) -> str:
        """The book's address."""
        return self._url or super().url


class Agent:
    """One user's agent, over REST or MCP."""

    def __init__(self, soak: Soak, number: int, token: str) -> None:
        self.soak, self.number = soak, number
        self.name = f"agent-{number}"
        self.chance = random.Random(f"{soak.options.seed}-{number}")
        self.mine: list[str] = []
        """Memories of its own that it may still correct or forget."""
        self._over_mcp = number % 2 == 1
        self._headers = {"authorization": f"Bearer {token}"}
        self.client = httpx.AsyncClient(headers=self._headers, timeout=TIMEOUT_S)

    async def work(self) -> None:
        """Do one thing after the other, with a pause after each."""
        mean = self.soak.options.think
        for number in itertools.count():
            await asyncio.sleep(self.chance.expovariate(1 / mean))
            await self.soak.up.wait()
            if self.soak.ended:
                return
            (act,) = self.chance.choices(list(ACTS), list(ACTS.values()))
            await self._do(act, f"{self.name}-{number}")

    async def _do(self, act: str, tag: str) -> None:
        if act in ("correct", "forget", "get", "recall") and not self.mine:
            act = "save"
        if act == "save":
            await self.change("save", tag=f"{tag}-{self.chance.choice(FORMS)}")
        elif act in ("correct", "forget"):
            of = self.mine.pop(self.chance.randrange(len(self.mine)))
            await self.change(act, tag=f"{tag}-plain", of=of)
        elif act == "fact":
            key = f"{self.name}-{self.chance.choice(KEYS)}"
            await self.change(act, tag=f"{tag}-plain", key=key)
        elif act in ("get", "recall"):
            await self._read(act, self.chance.choice(self.mine))
        elif act == "session start":
            with suppress(Refused):  # Which is counted, and excused or not.
                await self._ask(act)
        else:
            await self._session(tag)

    async def change(self, act: str, **given: str) -> None:
        """Make a change, now and then with a client that vanishes; what is acknowledged is kept."""
        change = {"act": act, **given}
        arguments = self._arguments(change)
        if self.chance.random() < VANISHING:
            self._hear([{"try": change}])
            await self._vanish(act, arguments)
            return
        try:
            said = await self._ask(act, **arguments)
        except Refused as error:
            self._hear([{"try": change}, {"refused": error.code}])
            said = None
        if said is None:
            self._hear([{"try": change}])
            if act == "save" and self.chance.random() < 0.5:
                await self.change(act, **given)  # As a person would who got no answer.
            return
        id = said["memory"]["id"]
        self._hear([{"try": change}, {"done": id}])
        if act in ("save", "correct"):
            self.mine.append(id)

    def _hear(self, lines: Iterable[dict[str, Any]]) -> None:
        self.soak.promises.hear(self.name, lines)

    def _arguments(self, change: dict[str, str]) -> dict[str, str]:
        """The arguments of a change, which the two doors name alike but for one."""
        act, text = change["act"], text_of(change["tag"])
        if act == "forget":
            return {"ref": change["of"]}
        if act == "fact":
            return {"key": change["key"], "value": text}
        if act == "correct":
            if self._over_mcp:
                return {"content": text, "replaces": change["of"]}
            return {"wrong": change["of"], "right": text}
        shared = self.number < self.soak.options.agents and self.number % 5 == 0
        return {"content": text, **({"scope": SHARED} if shared else {})}

    async def _read(self, act: str, id: str) -> None:
        """Read a memory of its own, or find it by its words."""
        text = self.soak.promises.kept[id].text
        if act == "get":
            asked: dict[str, Any] = {"ref": id}
        else:
            asked = {"query": " ".join(text.split()[:12]), "limit": 10}
        full = self._full_since()
        try:
            said = await self._ask(act, **asked)
        except Refused:
            return
        if said is None:
            return
        if id not in json.dumps(said):
            # A full disk keeps the index from learning what was saved.
            if self.soak.times_full + self.soak.disk_full > full:
                self.soak.missed += 1
            else:
                when = f"{self.soak.share:.1%} of the time"
                self.soak.broken.append(f"Not found by {act} at {when}: {id} ({text[:60]!r})")

    async def _session(self, tag: str) -> None:
        """A conversation with something to remember, and its end."""
        # With an article: a made-up word such as `haha` or `sure` is left out at the beginning.
        words = f"the {text_of(f'{tag}-short').rstrip('.')}"
        lesson = f"{words.capitalize()} hangs in the barn."
        self.soak.promises.known.add(lesson)
        with suppress(Refused):
            await self._rest(
                "session_add", id=tag, role="user", text=f"Remember: {words} hangs in the barn."
            )
            said = await self._rest("session_end", id=tag)
            for change in [*said["added"], *said["corrected"]] if said else ():
                one = change["memory"]
                self.soak.promises.kept[one["id"]] = Promise(one["content"])
                self.soak.promises.acknowledged += 1
            for change in said["corrected"] if said else ():
                # Made-up words mean nothing: a judge may take them for a change of what is known.
                self.soak.corrected(change["replaced"]["id"])

    async def _ask(self, act: str, **given: Any) -> Any:
        """The answer to a request; None if there was none."""
        if self._over_mcp and act in TOOLS:
            return await self._answer(act, "/mcp", *_mcp_request(TOOLS[act], given))
        return await self._rest(act, **given)

    async def _rest(self, act: str, **given: Any) -> Any:
        return await self._answer(act, f"/v1/{VERBS.get(act, act)}", given, {})

    async def _answer(self, act: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        began, full = time.monotonic(), self._full_since()
        url = f"http://127.0.0.1:{self.soak.port}{path}"
        try:
            response = await self.client.post(url, json=body, headers=headers)
            said = response.json()
        except httpx.HTTPError as error:
            self.soak.failed[type(error).__name__] += 1
            return None
        took = time.monotonic() - began
        if not response.is_success:
            self._refuse(act, said.get("code", str(response.status_code)), said["detail"], full)
        self.soak.answered.append(Answered(self.soak.share, act, took))
        if path != "/mcp":
            return said
        result = said.get("result", {})
        if result.get("isError") or "result" not in said:
            text = str(result.get("content", said))
            found = next((code for code, words in IN_MCP.items() if words in text), "mcp")
            self._refuse(act, found, text, full)
        return result.get("structuredContent", result)

    def _full_since(self) -> int:
        """How often the disk had been full, and over, before a request that begins now."""
        return self.soak.times_full

    def _refuse(self, act: str, code: str, text: str, full: int) -> NoReturn:
        """Count a refusal. Only a full disk excuses one, or a made-up text like a credential."""
        excused = self.soak.times_full + self.soak.disk_full > full
        what = "reads" if act in READS else "changes"
        when = "while the disk was full" if excused else "at other times"
        self.soak.refused[f"{what} {when}: {code}"] += 1
        if code not in MAY_REFUSE and not (excused and code in UNAVAILABLE):
            self.soak.broken.append(f"Refused without need ({act}, {code}): {text}")
        raise Refused(code, text)

    async def _vanish(self, act: str, given: dict[str, str]) -> None:
        """Send a request with a client that is killed, or whose connection is dropped."""
        body: Any = given
        path, headers = f"/v1/{VERBS.get(act, act)}", dict(self._headers)
        if self._over_mcp:
            path = "/mcp"
            body, more = _mcp_request(TOOLS[act], given)
            headers |= more
        request = _raw(path, body, headers, self.soak.port)
        with suppress(OSError):
            if self.chance.random() < 0.5:
                await self._drop_connection(request)
            else:
                await self._kill_client(request)

    async def _drop_connection(self, request: bytes) -> None:
        self.soak.faults["connection dropped"] += 1
        _, writer = await asyncio.open_connection("127.0.0.1", self.soak.port)
        whole = self.chance.random() < 0.7
        writer.write(request if whole else request[: self.chance.randrange(len(request))])
        await asyncio.sleep(self.chance.uniform(0, LATEST_MOMENT_S))
        writer.transport.abort()

    async def _kill_client(self, request: bytes) -> None:
        self.soak.faults["client killed"] += 1
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-c", _KILLED_CLIENT, str(self.soak.port),
            stdin=-1, stdout=-1, stderr=-3,
        )  # fmt: skip
        assert client.stdin
        assert client.stdout
        client.stdin.write(request)
        client.stdin.close()
        await client.stdout.readline()
        await asyncio.sleep(self.chance.uniform(0, LATEST_MOMENT_S))
        with suppress(ProcessLookupError):
            client.kill()
        await client.wait()


def _mcp_request(tool: str, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MCP_VERSION, "mcp-method": "tools/call", "mcp-name": tool,
    }  # fmt: skip
    params = {"name": tool, "arguments": given, "_meta": META}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers


def _raw(path: str, body: Any, headers: dict[str, str], port: int) -> bytes:
    data = json.dumps(body).encode()
    headers = {
        **headers, "host": f"127.0.0.1:{port}", "content-type": "application/json",
        "content-length": str(len(data)),
    }  # fmt: skip
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + data


def grown(samples: Sequence[Sample], agents: int, limits: Limits) -> list[str]:
    """Sentences about what grew beyond its limits in the life that the samples are of."""
    start, end = first_and_last(samples)
    if not start or not end:
        return ["The server did not live long enough to be measured"]
    added = max(one.memories for one in end) - max(one.memories for one in start)
    allowed = {
        "memory_mib": limits.memory_mib + added * limits.memory_kib_a_memory / 1024,
        "files": limits.files,
    }
    found: list[str] = []
    for name, most in allowed.items():
        before, after = (max(getattr(one, name) for one in part) for part in (start, end))
        if after - before > most:
            found.append(f"Grown: {name} from {before:.0f} to {after:.0f}, by more than {most:.0f}")
    most_open = max(one.connections for one in samples)
    if most_open > agents * limits.connections_an_agent:
        found.append(f"Grown: {most_open} connections of {agents} agents")
    return found


def first_and_last(samples: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What was measured at the start, and at the end of the long life."""
    begin, end = LONG_LIFE
    width = WINDOW * (end - begin)
    return (
        [one for one in samples if begin < one.at <= begin + width],
        [one for one in samples if end - width < one.at <= end],
    )


def print_figures(soak: Soak, long_life: Sequence[Sample]) -> None:
    """A table of what the server used, did and refused."""
    start, end = first_and_last(long_life)
    print(f"\n{'':34}{'start':>12}{'end':>12}{'most':>12}")
    for name in ("memory_mib", "files", "connections", "state_mib", "memories"):
        parts = (_most(part, name) for part in (start, end, soak.samples))
        print(f"{name.replace('_', ' '):34}" + "".join(f"{one:>12,.0f}" for one in parts))
    started, ended = first_and_last(soak.answered)
    print(
        f"\n{'ms, of requests':34}{'p50 start':>12}{'p95 start':>12}{'p50 end':>12}{'p95 end':>12}"
    )
    for act in sorted({one.act for one in soak.answered}):
        shown = [
            _share([one.took_s for one in part if one.act == act], share)
            for part in (started, ended)
            for share in (0.5, 0.95)
        ]
        print(f"{act:34}" + "".join(f"{1000 * one:>12,.0f}" for one in shown))
    print(f"\n{len(soak.answered):,} requests answered")
    print(f"{soak.promises.acknowledged:,} acknowledged writes")
    print(f"{soak.missed:,} recalls without their memory while the disk was full")
    for what, counts in (
        ("faults", soak.faults),
        ("refused", soak.refused),
        ("failed", soak.failed),
    ):
        print(f"{what}: {sum(counts.values()):,}")
        for name, count in counts.most_common():
            print(f"    {count:>6,}  {name}")


def _most(samples: Sequence[Sample], name: str) -> float:
    return max((getattr(one, name) for one in samples), default=0.0)


def _share(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)] if times else float("nan")


def _size_below(folder: str) -> int:
    total = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.path.getsize(os.path.join(inside, name))
    return total


def checked(soak: Soak) -> list[str]:
    """Every way in which the book breaks its law, now that the server has stopped."""
    # The summaries of sessions are in nobody's words.
    soak.promises.known.update(
        one.content for one in soak.book.shown() if one.kind == "session-summary"
    )
    return soak.book.check(mended_later=True)


def main() -> None:
    options = _options()
    folder = options.folder or tempfile.mkdtemp(prefix="commonplace-soak-")
    room = Path(folder)
    room.mkdir(exist_ok=True)
    url = None
    if options.store == "postgres":
        from tests.backends.postgres import server

        room.chmod(0o755)
        start = server.start(room / "data", durable=True)
        os.environ["COMMONPLACE_TEST_POSTGRES"] = start
        url = server.made(room / "book")
    soak = Soak(options, room, url)
    try:
        asyncio.run(soak.run())
    finally:
        soak.machine.end()
    long_life = [one for one in soak.samples if LONG_LIFE[0] < one.at < LONG_LIFE[1]]
    lost = checked(soak)
    print_figures(soak, long_life)
    left = soak.samples[-1].connections
    bad = [*soak.broken, *lost, *grown(long_life, options.agents, Limits())]
    if left:
        bad.append(f"Left open: {left} connections, although every client has gone")
    print(f"\nlost: {len(lost)}")
    for one in [*lost, *(one for one in bad if one not in lost)]:
        print(one)
    if bad:
        print(f"The book is left in {room}.")
        sys.exit(1)
    if not options.folder:
        shutil.rmtree(room)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--think", type=float, default=8, help="seconds between two requests")
    parser.add_argument("--requests", type=int, help="how many, instead of minutes")
    parser.add_argument("--faults", type=int, default=180, help="how many, beside lost clients")
    parser.add_argument("--store", default="vault", choices=("vault", "sqlite", "postgres"))
    parser.add_argument("--folder", help="where the book is made; it stays there")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
