"""The tables of a book: its records, its leases, and its ledger."""

from __future__ import annotations

from . import walls

BOOK = (
    f"""
    CREATE TABLE book(
      id text NOT NULL,
      revision bigint NOT NULL -- the newest; its row is locked by whoever takes the next ones
    );
    CREATE TABLE records(
      id text COLLATE "C" PRIMARY KEY,
      revision bigint NOT NULL UNIQUE,
      scope text NOT NULL,
      task_parent text, -- the scope without its task, for those who may read its tasks
      json text -- NULL once erased: the row stays so that an index learns of it
    );
    {walls.by_scope("records")}

    -- Not in the server's log: a lease need not outlive a crash of the server, and is quick so.
    CREATE UNLOGGED TABLE leases(
      name text PRIMARY KEY, token text NOT NULL, holder text NOT NULL, expires timestamptz NOT NULL
    );

    CREATE TABLE events(
      number bigint PRIMARY KEY,
      id text NOT NULL, at text NOT NULL, memory text NOT NULL, scope text NOT NULL,
      task_parent text, line text NOT NULL
    );
    CREATE INDEX events_by_id ON events(id);
    CREATE INDEX events_by_time ON events(at, number);
    CREATE TABLE event_memories(
      memory text NOT NULL, event bigint NOT NULL, scope text NOT NULL, task_parent text,
      PRIMARY KEY(memory, event)
    );
    CREATE TABLE tombstones(number bigint PRIMARY KEY, key text NOT NULL UNIQUE);
    CREATE TABLE uses(
      memory text PRIMARY KEY, count bigint NOT NULL, last text NOT NULL
    );
    CREATE TABLE retrievals(
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      scope text NOT NULL, task_parent text,
      said text NOT NULL -- as JSON, since a question may hold what no column of text can
    );
    CREATE INDEX retrievals_of_scope ON retrievals(scope, number);
    CREATE TABLE spend(
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at text NOT NULL, operation text NOT NULL, model text NOT NULL, subject text NOT NULL,
      input_tokens bigint NOT NULL, output_tokens bigint NOT NULL,
      cost double precision NOT NULL, failure text NOT NULL
    );
    CREATE INDEX spend_by_time ON spend(at);
    {walls.by_scope("events", "event_memories", "retrievals")}
    {walls.for_the_book("tombstones", "uses", "spend")}
    """,
    """
    CREATE INDEX records_of_tenant ON records (scope COLLATE "C") WHERE json IS NOT NULL;

    -- The one change to an event that the server may make: taking out its words for an erasure
    -- that the chain tells of. What the event was, when, and its hash stay as they are.
    CREATE FUNCTION empty_event(place bigint, scope_now text, line_now text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      UPDATE events SET line = line_now, scope = scope_now, task_parent = NULL
      WHERE number = place
      AND line::jsonb - 'before' - 'scope' = line_now::jsonb - 'before' - 'scope'
      AND EXISTS (
        SELECT 1 FROM events AS erasure
        WHERE erasure.id = (line_now::jsonb ->> 'before')::jsonb ->> 'erased'
        AND erasure.line::jsonb ->> 'action' = 'erased'
      );
      IF NOT FOUND THEN
        RAISE EXCEPTION 'No erasure allows this change.' USING ERRCODE = '42501';
      END IF;
      UPDATE event_memories SET scope = scope_now, task_parent = NULL WHERE event = place;
    END $$;
    """,
)
"""Each step runs once per book, whoever comes first; new ones are added at the end."""

APPENDED = ("events", "event_memories", "tombstones")
"""Tables that the server's role may add to, and neither change nor empty."""
