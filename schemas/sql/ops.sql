-- What the processes say of themselves, and which generation of views is read.
CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE ops.live_views (
    store      text        PRIMARY KEY,          -- postgres, milvus, redis
    generation integer     NOT NULL,             -- the one that query reads; switched by this row (N1)
    switched_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ops.live_views (store, generation) VALUES ('postgres', 1), ('milvus', 1), ('redis', 1);

CREATE TABLE ops.generations (
    store      text        NOT NULL,
    generation integer     NOT NULL,             -- never used twice: its consumer group has committed offsets
    state      text        NOT NULL CHECK (state IN ('building', 'standing', 'dropping', 'dropped')),
    embedder   text        NOT NULL DEFAULT '',  -- whose vectors it holds; empty: as the records bring them
    made_at    timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    report     jsonb,                            -- the last comparison: counts, never content or ids of users
    PRIMARY KEY (store, generation)
);
INSERT INTO ops.generations (store, generation, state)
VALUES ('postgres', 1, 'standing'), ('milvus', 1, 'standing'), ('redis', 1, 'standing');
CREATE UNIQUE INDEX generations_building ON ops.generations (store) WHERE state = 'building';  -- one at a time

CREATE TABLE ops.heartbeats (
    process    text        PRIMARY KEY,          -- e.g. worker-screen, sink-milvus
    at         timestamptz NOT NULL,
    stats      jsonb       NOT NULL              -- counters and freshness digests; never content or ids of users
);
