"""Sessions on a Redis or Valkey server, shared by every machine that works on them.

Each write goes to a file on this device first and then to the server, so that an acknowledged write
survives a loss of the server. While the server is out of reach the device works alone; once the
server answers again, the device sends it the missing entries.
"""

from __future__ import annotations

import json
import time
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ...model.errors import BadInput, Unavailable
from ...rules.server_address import address_fault
from ...rules.session_limits import (
    HeldEntry,
    SessionLimits,
    best_entries,
    checked_entry,
    entries_within_limits,
    session_scope,
)

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
"""Pause before the server is tried again after a failure."""
ATTEMPTS = 3


class RedisSessions:
    """A server that devices share, with a local store as fallback."""

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
        self._out_of_sync, self._retry_at, self._failure = True, 0.0, ""
        self._ended: dict[str, float] = {}
        """Ended sessions that the server still has to delete, with their last use here."""
        example = "Write it like redis://localhost:6379/0, or use `local`."
        # A unix socket has a path instead of a host; of another scheme the driver names its own.
        if fault := url.startswith(("redis:", "rediss:")) and address_fault(
            url, ("redis", "rediss")
        ):
            raise BadInput(f"The address of the sessions {fault}.", hint=example)
        try:
            parts = urlsplit(url)
            # Without the user and password.
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
                "The setting `sessions` is not the address of a server.",
                hint=example,
            ) from error

    @property
    def status(self) -> str:
        """The location of the sessions and whether the server answers, for a person."""
        self._with_server(self._client.ping, lambda: None)
        if not self._failure:
            return self._address
        return f"{self._address} (out of reach: {self._failure}; this device stores them meanwhile)"

    def append(self, session: str, entries: Sequence[SessionEntry], *, now: datetime) -> None:
        """Add or replace entries durably, and evict entries past the limits."""
        new = [checked_entry(entry) for entry in entries]
        self._local.append(session, new, now=now)
        at = now.timestamp()
        held = [HeldEntry(entry, number, at, at) for number, entry in enumerate(new)]
        staying = entries_within_limits(held, self.limits, at)
        self._with_server(lambda: self._add(session, staying, at), lambda: None)

    def entries(
        self, session: str, *, now: datetime, limit: int | None = None
    ) -> list[SessionEntry]:
        """The entries of a session, oldest first; with a limit, the newest ones."""
        at = now.timestamp()
        found = self._with_server(
            lambda: [one.entry for one in self._live(session, at)],
            lambda: self._local.entries(session, now=now),
        )
        return found if limit is None else found[max(0, len(found) - limit) :]

    def search(
        self, session: str, query: str, *, now: datetime, limit: int = 10
    ) -> list[SessionEntry]:
        """The entries that match a query best, best first."""
        at = now.timestamp()

        def ask() -> list[SessionEntry]:
            best = best_entries(self._live(session, at), query, limit=limit)
            if best:
                self._touch(session, best, at)
            return [one.entry for one in best]

        return self._with_server(
            ask, lambda: self._local.search(session, query, now=now, limit=limit)
        )

    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Store a named text with the session, such as a task's plan."""
        self._local.put_state(session, name, value, now=now)
        at = now.timestamp()
        self._with_server(lambda: self._put_states(session, {name: (value, at)}, at), lambda: None)

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text of the session."""

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
        """Delete a session."""
        newest = self._local.last_used()
        self._ended[session] = newest.timestamp() if newest else 0.0
        self._local.end(session)
        self._with_server(self._delete_ended, lambda: None)

    def sweep(self, *, now: datetime) -> int:
        """Delete expired sessions on this device; the server does so itself."""
        return self._local.sweep(now=now)

    def wipe(self, tenant: Tenant) -> int:
        """Delete every session of a tenant permanently, here and on the server.

        Raises Unavailable while the server cannot be reached, because its copies would come back.
        """
        gone = self._local.wipe(tenant)
        found = self._with_server(lambda: self._wipe(tenant), lambda: None)
        if found is None:
            raise Unavailable(
                f"The sessions on {self._address} cannot be deleted: {self._failure}.",
                hint="Erase the user again when the server can be reached.",
            )
        return max(gone, found)

    def _wipe(self, tenant: Tenant) -> int:
        """Delete a tenant's sessions on the server, including ended ones that have not expired."""
        rows = self._client.zrange(self._index, 0, -1, withscores=True)
        used = {name.decode(): at for name, at in rows}
        for key in self._client.scan_iter(f"{self._prefix}*", count=1000):
            part, _, name = key.decode().removeprefix(self._prefix).partition(":")
            if part in ("entries", "states"):
                used.setdefault(name, 0.0)
        gone = [name for name in used if tenant.has(session_scope(name))]
        # Also tells other devices not to send their copies again.
        self._ended |= {name: used[name] for name in gone}
        self._delete_ended()
        return len(gone)

    def close(self) -> None:
        """Close the file and the connections."""
        self._client.close()
        self._local.close()

    # Connection

    def _with_server(self, work: Callable[[], T], instead: Callable[[], T]) -> T:
        """Run `work` with the server, or `instead` while it does not answer."""
        if time.monotonic() < self._retry_at:
            return instead()
        try:
            for _ in range(ATTEMPTS):
                if self._out_of_sync:
                    self._catch_up()
                result = work()
                # A new connection may lead to a restarted server without data.
                if not self._out_of_sync:
                    break
            else:
                return instead()
        except redis.RedisError as error:
            self._out_of_sync, self._failure = True, _reason(error)
            self._retry_at = time.monotonic() + self._pause_s
            return instead()
        self._failure = ""
        return result

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        self._out_of_sync = True

    def _catch_up(self) -> None:
        """Send the server the entries and states that it lacks."""
        self._client.ping()
        self._out_of_sync = False
        self._delete_ended()
        newest = self._local.last_used()
        if newest is None:
            return
        for session in self._local.sessions(now=newest):
            # Skip entries from before another device ended the session.
            ended = float(self._client.get(self._key(session, "ended")) or 0.0)
            held = [
                one for one in self._local.timed_entries(session, now=newest) if one.written > ended
            ]
            known = self._client.hkeys(self._key(session, "entries"))
            lacking = [one for one in held if one.entry.id.encode() not in known]
            last = max((one.written for one in held), default=0.0)
            states = self._newer_states(session, newest, since=ended)
            last = max([last, *(written for _, written in states.values())])
            if lacking:
                self._add(session, lacking, last)
            if states:
                self._put_states(session, states, last)

    def _newer_states(
        self, session: str, now: datetime, *, since: float
    ) -> dict[str, tuple[str, float]]:
        theirs = self._client.hgetall(self._key(session, "states"))
        kept = {name.decode(): json.loads(text)["at"] for name, text in theirs.items()}
        ours = self._local.states(session, now=now)
        return {name: one for name, one in ours.items() if one[1] > kept.get(name, since)}

    # Data on the server

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
            staying = {
                one.entry.id: one for one in entries_within_limits(held.values(), self.limits, at)
            }
            gone = [id for id in held if id not in staying]
            pipe.multi()
            if not alive:
                pipe.delete(key, self._key(session, "states"))
            changed = [staying[one.entry.id] for one in new if one.entry.id in staying]
            if changed:
                pipe.hset(key, mapping={one.entry.id: one.to_json() for one in changed})
            if gone:
                pipe.hdel(key, *gone)
            self._mark_used(pipe, session, at)

        self._client.transaction(change, key)

    def _put_states(self, session: str, states: dict[str, tuple[str, float]], at: float) -> None:
        fields = {
            name: json.dumps({"value": value, "at": written}, ensure_ascii=False)
            for name, (value, written) in states.items()
        }
        with self._client.pipeline() as pipe:
            if not self._is_alive(self._client.zscore(self._index, session), at):
                pipe.delete(self._key(session, "entries"), self._key(session, "states"))
            pipe.hset(self._key(session, "states"), mapping=fields)
            self._mark_used(pipe, session, at)
            pipe.execute()

    def _touch(self, session: str, best: Sequence[HeldEntry], at: float) -> None:
        with self._client.pipeline() as pipe:
            used = {one.entry.id: one.but(used=at).to_json() for one in best}
            pipe.hset(self._key(session, "entries"), mapping=used)
            self._mark_used(pipe, session, at)
            pipe.execute()

    def _mark_used(self, pipe: Any, session: str, at: float) -> None:
        """Note the use and renew the expiry."""
        pipe.zadd(self._index, {session: at}, gt=True)
        pipe.zremrangebyscore(self._index, "-inf", at - self.limits.ttl_s)
        for part in ("entries", "states"):
            pipe.pexpire(self._key(session, part), int(self.limits.ttl_s * 1000) + 1000)

    def _live(self, session: str, at: float) -> list[HeldEntry]:
        if not self._is_alive(self._client.zscore(self._index, session), at):
            return []
        held = _read(self._client.hvals(self._key(session, "entries")))
        return entries_within_limits(held, self.limits, at)

    def _delete_ended(self) -> None:
        for session, at in list(self._ended.items()):
            last = max(at, self._client.zscore(self._index, session) or 0.0)
            with self._client.pipeline() as pipe:
                pipe.delete(self._key(session, "entries"), self._key(session, "states"))
                pipe.zrem(self._index, session)
                # Tells other devices not to send their copies again.
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
    """The reason of a failure, without anything that could hold a password."""
    if isinstance(error, redis.AuthenticationError):
        return "wrong password"
    if isinstance(error, redis.TimeoutError):
        return "no answer in time"
    if isinstance(error, redis.ConnectionError):
        return "no connection"
    return type(error).__name__
