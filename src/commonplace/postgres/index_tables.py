"""The tables of the search index: all of them can be dropped and made again from the records.

A word has one list per scope, as in the embedded index: reading it costs what the caller can see.
Plain comparisons of numbers and texts are all that searching needs, because those are what the
server may do before it has checked a row against its walls.
"""

# ruff: noqa: S608 - every piece of SQL here is our own.

from __future__ import annotations

from . import walls

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

    {walls.of_scopes()}
    {walls.by_number("memories", "postings", "labels", "links", "signatures")}
    {walls.for_the_book("places")}
    """,
)

VECTORS = (
    f"""
    CREATE TABLE vector_models (
      model integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
      in_use boolean NOT NULL
    );
    CREATE TABLE memory_vectors (
      memory bigint NOT NULL, model integer NOT NULL, scope integer NOT NULL,
      vector halfvec NOT NULL, -- whole numbers of 8 bits, which it holds exactly
      passages bytea, PRIMARY KEY (memory, model)
    );
    CREATE INDEX memory_vectors_of_scope ON memory_vectors (scope, model);
    CREATE TABLE unembedded (
      memory bigint NOT NULL, model integer NOT NULL, scope integer NOT NULL,
      PRIMARY KEY (model, memory)
    );
    {walls.by_number("memory_vectors", "unembedded")}

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
"""What needs pgvector; a server without it has everything else."""
