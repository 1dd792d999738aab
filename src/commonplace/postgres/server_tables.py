"""The tables that the servers of one book share."""

from __future__ import annotations

from . import walls

SERVERS = (
    f"""
    CREATE TABLE tokens(
      id text PRIMARY KEY,
      said text -- NULL once revoked: that there was one is what says that callers need one
    );
    CREATE TABLE turns(job text PRIMARY KEY, done timestamptz NOT NULL);

    -- Not in the server's log: after a crash everybody has a full share again.
    CREATE UNLOGGED TABLE shares(
      name text PRIMARY KEY, level double precision NOT NULL, seen timestamptz NOT NULL
    );
    {walls.for_the_book("tokens", "turns", "shares")}
    """,
)
"""Each step runs once per book; new ones are added at the end."""
