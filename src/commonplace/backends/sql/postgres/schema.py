"""The tables of a book and the row-level policies on them, as migration steps.

`BOOK` holds records and ledger; `INDEX` and `VECTORS` can be dropped and made again from
the records; `SERVERS` is what the servers of a book share.
"""

# ruff: noqa: S608 - every piece of SQL here is our own.

from __future__ import annotations

_SETTING = "current_setting('commonplace.{}', true)"
_EVERYTHING = f"{_SETTING.format('visible')} = '*'"
_LISTED = f"string_to_array({_SETTING}, E'\\n')"
_SCOPED = (
    f"{_EVERYTHING} OR scope = ANY ({_LISTED.format('visible')})"
    f" OR task_parent = ANY ({_LISTED.format('parents')})"
)


def by_scope(*tables: str) -> str:
    """Policies for tables whose rows name their scope and, in a task, its parent scope."""
    return "".join(_row_policy(table, _SCOPED) for table in tables)


def for_the_book(*tables: str) -> str:
    """Policies for tables of no tenant: only work on the whole book sees them."""
    return "".join(_row_policy(table, _EVERYTHING) for table in tables)


def by_number(*tables: str) -> str:
    """Policies for tables whose rows name their scope by its number in the table `scopes`."""
    numbered = f"{_EVERYTHING} OR scope IN (SELECT visible_scopes())"
    return "".join(_row_policy(table, numbered) for table in tables)


def of_scopes() -> str:
    """The policy for `scopes`, and the function that lists the numbers of the visible ones."""
    own = (
        f"{_EVERYTHING} OR path = ANY ({_LISTED.format('visible')})"
        f" OR task_parent = ANY ({_LISTED.format('parents')})"
    )
    # Two lookups instead of an OR with the whole, so that both use their index.
    return f"""
    {_row_policy("scopes", own)}
    CREATE FUNCTION visible_scopes() RETURNS SETOF integer LANGUAGE sql STABLE AS $$
      SELECT scope FROM scopes WHERE path = ANY ({_LISTED.format("visible")})
      UNION SELECT scope FROM scopes WHERE task_parent = ANY ({_LISTED.format("parents")})
    $$;
    """


def _row_policy(table: str, condition: str) -> str:
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        f"CREATE POLICY visible ON {table} USING ({condition});"
    )


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
    {by_scope("records")}

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
    {by_scope("events", "event_memories", "retrievals")}
    {for_the_book("tombstones", "uses", "spend")}
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
    f"""
    CREATE TABLE outcomes(
      scope text PRIMARY KEY, task_parent text, used double precision NOT NULL,
      ignored double precision NOT NULL, corrected double precision NOT NULL
    );
    {by_scope("outcomes")}
    """,
    f"""
    CREATE TABLE digests(
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL, at text NOT NULL, scope text NOT NULL, task_parent text,
      memories text NOT NULL, door text NOT NULL, said text NOT NULL
    );
    CREATE INDEX digests_by_id ON digests(id);
    CREATE INDEX digests_of_scope ON digests(scope, number);
    {by_scope("digests")}
    """,
    # Leases are advisory locks. Without the table a server of an earlier version, which would not
    # see them, can take none.
    "DROP TABLE leases",
)
"""Each step runs once per book; new ones are added at the end."""

APPENDED = ("events", "event_memories", "tombstones")
"""Tables that the server's role may add to, and neither change nor empty."""


_TEXT = 'text COLLATE "C"'

INDEX = (
    f"""
    CREATE TABLE meta (name text PRIMARY KEY, value bigint NOT NULL);
    INSERT INTO meta VALUES ('revision', 0);
    CREATE SEQUENCE memory_rows; -- never used twice: an old number must not meet another text

    CREATE TABLE places (place bigint PRIMARY KEY, revision bigint NOT NULL);

    CREATE TABLE scopes (
      scope integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path {_TEXT} NOT NULL UNIQUE,
      parent integer, task_parent {_TEXT},
      documents bigint NOT NULL DEFAULT 0, length bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX scopes_of_parent ON scopes (parent) WHERE parent IS NOT NULL;
    CREATE INDEX scopes_of_task_parent ON scopes (task_parent) WHERE task_parent IS NOT NULL;

    CREATE TABLE memories (
      memory bigint PRIMARY KEY, id {_TEXT} NOT NULL UNIQUE, place bigint NOT NULL,
      names bigint NOT NULL, scope integer NOT NULL, parent integer,
      status {_TEXT} NOT NULL, own_status {_TEXT} NOT NULL, kind {_TEXT} NOT NULL,
      tier {_TEXT} NOT NULL, owner {_TEXT} NOT NULL, sensitivity {_TEXT} NOT NULL,
      trust {_TEXT} NOT NULL, topic {_TEXT}, key {_TEXT}, namespace {_TEXT},
      content_hash {_TEXT} NOT NULL, episode {_TEXT}, position bigint,
      always_load boolean NOT NULL, supersedes {_TEXT}, superseded_by {_TEXT}, imported_id {_TEXT},
      created double precision NOT NULL, updated double precision NOT NULL,
      valid_from double precision, valid_until double precision, expires double precision,
      name {_TEXT} NOT NULL, source {_TEXT} NOT NULL, confidence double precision NOT NULL,
      speaker {_TEXT}, words integer NOT NULL, asks boolean NOT NULL, has_time boolean NOT NULL,
      has_number boolean NOT NULL,
      json bytea NOT NULL
    );
    CREATE INDEX memories_of_place ON memories (place);
    CREATE INDEX memories_of_scope ON memories (scope, created);
    CREATE INDEX memories_of_parent ON memories (parent, created) WHERE parent IS NOT NULL;
    CREATE INDEX memories_of_hash ON memories (content_hash);
    CREATE INDEX memories_of_key ON memories (key) WHERE key IS NOT NULL;
    CREATE INDEX memories_of_episode ON memories (episode, position) WHERE episode IS NOT NULL;
    CREATE INDEX memories_of_old ON memories (supersedes) WHERE supersedes IS NOT NULL;
    CREATE INDEX memories_of_new ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
    CREATE INDEX memories_of_import ON memories (imported_id) WHERE imported_id IS NOT NULL;
    CREATE INDEX memories_of_speaker ON memories (scope, speaker) WHERE speaker IS NOT NULL;
    CREATE INDEX memories_of_topic ON memories (scope, topic) WHERE topic IS NOT NULL;
    CREATE INDEX memories_always ON memories (scope) WHERE always_load;

    CREATE TABLE postings (
      memory bigint NOT NULL, scope integer NOT NULL, parent integer,
      head integer NOT NULL, body integer NOT NULL, -- how often its names, and its text, say it
      term {_TEXT} NOT NULL,
      halves integer[], -- where a long text says it: a number for each time
      PRIMARY KEY (scope, term, memory)
    );
    CREATE INDEX postings_of_parent ON postings (parent, term) WHERE parent IS NOT NULL;

    CREATE TABLE labels (
      what {_TEXT} NOT NULL, value {_TEXT} NOT NULL, memory bigint NOT NULL,
      scope integer NOT NULL, PRIMARY KEY (what, value, memory)
    );
    CREATE INDEX labels_of_memory ON labels (memory);

    CREATE TABLE links (
      source bigint NOT NULL, position integer NOT NULL, target {_TEXT} NOT NULL,
      ending {_TEXT} NOT NULL, text text NOT NULL, heading text, alias text,
      embed boolean NOT NULL, scope integer NOT NULL, PRIMARY KEY (source, position)
    );
    CREATE INDEX links_by_ending ON links (ending);

    CREATE TABLE signatures (
      scope integer NOT NULL, signature bigint NOT NULL, memory bigint NOT NULL,
      PRIMARY KEY (scope, signature, memory)
    );

    {of_scopes()}
    {by_number("memories", "postings", "labels", "links", "signatures")}
    {for_the_book("places")}
    """,
    # Needed without pgvector, too, where vectors are in an engine outside the database. Where
    # pgvector was there first, its tables included the first two.
    f"""
    DO $do$ BEGIN
      IF to_regclass('vector_models') IS NULL THEN
        CREATE TABLE vector_models (
          model integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
          in_use boolean NOT NULL
        );
        CREATE TABLE unembedded (
          memory bigint NOT NULL, model integer NOT NULL, scope integer NOT NULL,
          PRIMARY KEY (model, memory)
        );
        {by_number("unembedded")}
      END IF;
    END $do$;
    CREATE TABLE removed_vectors (
      model integer NOT NULL, memory bigint NOT NULL, PRIMARY KEY (model, memory)
    );
    {for_the_book("removed_vectors")}
    """,
    # No memory had one before, so that no row has to be written again.
    "ALTER TABLE memories ADD COLUMN importance double precision",
)

VECTORS = (
    f"""
    CREATE TABLE memory_vectors (
      memory bigint NOT NULL, model integer NOT NULL, scope integer NOT NULL,
      vector halfvec NOT NULL, -- whole numbers of 8 bits, which it holds exactly
      passages bytea, PRIMARY KEY (memory, model)
    );
    CREATE INDEX memory_vectors_of_scope ON memory_vectors (scope, model);
    {by_number("memory_vectors")}

    -- Only their owner may add an index to tables; the server asks for these when a scope is large.
    CREATE FUNCTION make_graph(model integer, dimensions integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      EXECUTE format('CREATE INDEX IF NOT EXISTS memory_vectors_graph_%s ON memory_vectors'
        ' USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE model = %s',
        model, dimensions, model);
    END $$;
    CREATE FUNCTION drop_graph(model integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      EXECUTE format('DROP INDEX IF EXISTS memory_vectors_graph_%s', model);
    END $$;
    """,
)
"""The tables that need pgvector; a server without it has all others."""


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
    {for_the_book("tokens", "turns", "shares")}
    """,
)
"""Each step runs once per book; new ones are added at the end."""
