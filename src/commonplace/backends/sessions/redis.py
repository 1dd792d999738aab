"""Sessions on a Redis or Valkey server, shared by every machine that works on them.

Each write goes to a file of this device first and to the server next. So a write that was
acknowledged is never lost with the server: while it is out of reach the device goes on by itself,
and once it answers again it is handed whatever it lacks.
"""

from __future__ import annotations

import json
import time
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ...model.errors import BadInput, Unavailable
from ...rules import limits as rules
from ...rules.limits import HeldEntry, SessionLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from typing import Any, TypeVar

    from ...model.scope import Tenant
    from ...ports.session_store import SessionEntry
    from .local import LocalSessions

    T = TypeVar("T")

CONNECT_S, ANSWER_S = 1.0, 2.0
PAUSE_S = 1.0
"""How long the server is left alone after it failed to answer."""
ATTEMPTS = 3


class RedisSessions:
    """A server for sharing, a local store for keeping."""

    capabilities = frozenset({"durable", "shared"})

    def __init__(
        self,
        url: str,
        local: LocalSessions,
        *,
        book: str,
        limits: SessionLimits | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self.limits = limits or SessionLimits()
        self._local, self._pause_s = local, pause_s
        self._prefix = f"commonplace:{book}:"
        self._index = f"{self._prefix}sessions"
        self._behind, self._silent_until, self._failure = True, 0.0, ""
        self._ended: dict[str, float] = {}
        """Sessions that the server still has to release, and when this device last knew of use."""
        try:
            parts = urlsplit(url)
            # Never the user and password that may stand before the host.
            host = f"{parts.hostname}:{parts.port or 6379}" if parts.hostname else parts.path
            self._address = f"{parts.scheme}://{host}"
            self._client: Any = redis.Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
                url,
                retry=Retry(NoBackoff(), 0),
                socket_connect_timeout=CONNECT_S,
                socket_timeout=ANSWER_S,
                redis_connect_func=self._connected,
            )
        except ValueError as error:
            raise BadInput(
                "The setting sessions is not an address of a server.",
                hint="Write it like redis://localhost:6379/0, or use `local`.",
            ) from error

    @property
    def status(self) -> str:
        """Where sessions are and whether the server answers, for a person."""
        self._with_server(self._client.ping, lambda: None)
        if not self._failure:
            return self._address
        return f"{self._address} (out of reach: {self._failure}; this device keeps them meanwhile)"

    def append(self, session: str, entries: Sequence[SessionEntry], *, now: datetime) -> None:
        """Add entries durably; an id that is there already is replaced. Evicts past the limits."""
        new = [rules.checked(entry) for entry in entries]
        self._local.append(session, new, now=now)
        at = now.timestamp()
        held = [HeldEntry(entry, number, at, at) for number, entry in enumerate(new)]
        staying = rules.kept(held, self.limits, at)
        self._with_server(lambda: self._add(session, staying, at), lambda: None)

    def entries(
        self, session: str, *, now: datetime, limit: int | None = None
    ) -> list[SessionEntry]:
        """What the session holds, oldest first; with a limit, the newest so many."""
        at = now.timestamp()
        found = self._with_server(
            lambda: [one.entry for one in self._live(session, at)],
            lambda: self._local.entries(session, now=now),
        )
        return found if limit is None else found[max(0, len(found) - limit) :]

    def search(
        self, session: str, query: str, *, now: datetime, limit: int = 10
    ) -> list[SessionEntry]:
        """The entries that share the most telling words with a query, best first."""
        at = now.timestamp()

        def ask() -> list[SessionEntry]:
            best = rules.best(self._live(session, at), query, limit=limit)
            if best:
                self._touch(session, best, at)
            return [one.entry for one in best]

        return self._with_server(
            ask, lambda: self._local.search(session, query, now=now, limit=limit)
        )

    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Keep a named text with the session: working memory, a task's plan."""
        self._local.put_state(session, name, value, now=now)
        at = now.timestamp()
        self._with_server(lambda: self._keep(session, {name: (value, at)}, at), lambda: None)

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text as it was last kept."""

        def ask() -> str | None:
            alive = self._is_alive(self._client.zscore(self._index, session), now.timestamp())
            kept = self._client.hget(self._key(session, "states"), name) if alive else None
            return json.loads(kept)["value"] if kept else None

        return self._with_server(ask, lambda: self._local.state(session, name, now=now))

    def sessions(self, prefix: str = "", *, now: datetime) -> list[str]:
        """The names of live sessions, the most recently used first."""
        oldest = now.timestamp() - self.limits.ttl_s

        def ask() -> list[str]:
            rows = self._client.zrangebyscore(self._index, f"({oldest}", "+inf", withscores=True)
            named = sorted((-score, name.decode()) for name, score in rows)
            return [name for _, name in named if name.startswith(prefix)]

        return self._with_server(ask, lambda: self._local.sessions(prefix, now=now))

    def end(self, session: str) -> None:
        """Release everything that a session holds."""
        newest = self._local.newest()
        self._ended[session] = newest.timestamp() if newest else 0.0
        self._local.end(session)
        self._with_server(self._release_ended, lambda: None)

    def sweep(self, *, now: datetime) -> int:
        """Remove what has expired on this device; the server does so by itself."""
        return self._local.sweep(now=now)

    def wipe(self, tenant: Tenant) -> int:
        """Remove every session of a tenant for good, here and on the server.

        Raises Unavailable while the server cannot be reached: what it holds would come back.
        """
        gone = self._local.wipe(tenant)
        found = self._with_server(lambda: self._wipe(tenant), lambda: None)
        if found is None:
            raise Unavailable(
                f"The sessions on {self._address} are still there: {self._failure}.",
                hint="Erase the user again when it can be reached.",
            )
        return max(gone, found)

    def _wipe(self, tenant: Tenant) -> int:
        """Remove what is on the server, also of sessions that are over but not yet forgotten."""
        rows = self._client.zrange(self._index, 0, -1, withscores=True)
        used = {name.decode(): at for name, at in rows}
        for key in self._client.scan_iter(f"{self._prefix}*", count=1000):
            part, _, name = key.decode().removeprefix(self._prefix).partition(":")
            if part in ("entries", "states"):
                used.setdefault(name, 0.0)
        gone = [name for name in used if tenant.has(rules.scope_of(name))]
        # Also tells other devices, which may hold a copy, not to hand it over again.
        self._ended |= {name: used[name] for name in gone}
        self._release_ended()
        return len(gone)

    def close(self) -> None:
        """Let go of file and connections."""
        self._client.close()
        self._local.close()

    # Reaching the server

    def _with_server(self, work: Callable[[], T], instead: Callable[[], T]) -> T:
        """Work with the server, or without it for as long as it does not answer."""
        if time.monotonic() < self._silent_until:
            return instead()
        try:
            for _ in range(ATTEMPTS):
                if self._behind:
                    self._catch_up()
                result = work()
                # A new connection may be one to a server that came back with nothing.
                if not self._behind:
                    break
            else:
                return instead()
        except redis.RedisError as error:
            self._behind, self._failure = True, _reason(error)
            self._silent_until = time.monotonic() + self._pause_s
            return instead()
        self._failure = ""
        return result

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        self._behind = True

    def _catch_up(self) -> None:
        """Hand the server what this device holds and the server does not."""
        self._client.ping()
        self._behind = False
        self._release_ended()
        newest = self._local.newest()
        if newest is None:
            return
        for session in self._local.sessions(now=newest):
            # What another device has ended since is over, even if its id was taken again.
            ended = float(self._client.get(self._key(session, "ended")) or 0.0)
            held = [one for one in self._local.held(session, now=newest) if one.written > ended]
            known = self._client.hkeys(self._key(session, "entries"))
            lacking = [one for one in held if one.entry.id.encode() not in known]
            last = max((one.written for one in held), default=0.0)
            states = self._newer_states(session, newest, since=ended)
            last = max([last, *(written for _, written in states.values())])
            if lacking:
                self._add(session, lacking, last)
            if states:
                self._keep(session, states, last)

    def _newer_states(
        self, session: str, now: datetime, *, since: float
    ) -> dict[str, tuple[str, float]]:
        theirs = self._client.hgetall(self._key(session, "states"))
        kept = {name.decode(): json.loads(text)["at"] for name, text in theirs.items()}
        ours = self._local.states(session, now=now)
        return {name: one for name, one in ours.items() if one[1] > kept.get(name, since)}

    # What is on the server

    def _add(self, session: str, new: Sequence[HeldEntry], at: float) -> None:
        key = self._key(session, "entries")

        def change(pipe: Any) -> None:
            alive = self._is_alive(pipe.zscore(self._index, session), at)
            before = _read(pipe.hvals(key)) if alive else []
            held = {one.entry.id: one for one in before}
            number = max((one.number for one in before), default=0)
            for place, one in enumerate(new, start=1):
                known = held.get(one.entry.id)
                held[one.entry.id] = one.but(number=known.number if known else number + place)
            staying = {one.entry.id: one for one in rules.kept(held.values(), self.limits, at)}
            gone = [id for id in held if id not in staying]
            pipe.multi()
            if not alive:
                pipe.delete(key, self._key(session, "states"))
            changed = [staying[one.entry.id] for one in new if one.entry.id in staying]
            if changed:
                pipe.hset(key, mapping={one.entry.id: one.to_json() for one in changed})
            if gone:
                pipe.hdel(key, *gone)
            self._use(pipe, session, at)

        self._client.transaction(change, key)

    def _keep(self, session: str, states: dict[str, tuple[str, float]], at: float) -> None:
        told = {
            name: json.dumps({"value": value, "at": written}, ensure_ascii=False)
            for name, (value, written) in states.items()
        }
        with self._client.pipeline() as pipe:
            if not self._is_alive(self._client.zscore(self._index, session), at):
                pipe.delete(self._key(session, "entries"), self._key(session, "states"))
            pipe.hset(self._key(session, "states"), mapping=told)
            self._use(pipe, session, at)
            pipe.execute()

    def _touch(self, session: str, best: Sequence[HeldEntry], at: float) -> None:
        with self._client.pipeline() as pipe:
            used = {one.entry.id: one.but(used=at).to_json() for one in best}
            pipe.hset(self._key(session, "entries"), mapping=used)
            self._use(pipe, session, at)
            pipe.execute()

    def _use(self, pipe: Any, session: str, at: float) -> None:
        """Note the use; the server forgets by itself what nobody comes back to."""
        pipe.zadd(self._index, {session: at}, gt=True)
        pipe.zremrangebyscore(self._index, "-inf", at - self.limits.ttl_s)
        for part in ("entries", "states"):
            pipe.pexpire(self._key(session, part), int(self.limits.ttl_s * 1000) + 1000)

    def _live(self, session: str, at: float) -> list[HeldEntry]:
        if not self._is_alive(self._client.zscore(self._index, session), at):
            return []
        held = _read(self._client.hvals(self._key(session, "entries")))
        return rules.kept(held, self.limits, at)

    def _release_ended(self) -> None:
        for session, at in list(self._ended.items()):
            last = max(at, self._client.zscore(self._index, session) or 0.0)
            with self._client.pipeline() as pipe:
                pipe.delete(self._key(session, "entries"), self._key(session, "states"))
                pipe.zrem(self._index, session)
                # Another device that still holds a copy must not hand it over again.
                pipe.set(self._key(session, "ended"), last, px=int(self.limits.ttl_s * 1000) + 1000)
                pipe.execute()
            self._ended.pop(session, None)

    def _is_alive(self, used: float | None, at: float) -> bool:
        return used is not None and used > at - self.limits.ttl_s

    def _key(self, session: str, part: str) -> str:
        return f"{self._prefix}{part}:{session}"


def _read(texts: Iterable[bytes]) -> list[HeldEntry]:
    return [HeldEntry.from_json(text) for text in texts]


def _reason(error: redis.RedisError) -> str:
    """What is wrong, without repeating anything that could hold a password."""
    if isinstance(error, redis.AuthenticationError):
        return "it refuses the password"
    if isinstance(error, redis.TimeoutError):
        return "it does not answer in time"
    if isinstance(error, redis.ConnectionError):
        return "nobody answers there"
    return type(error).__name__
