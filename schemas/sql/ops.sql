-- What the processes say of themselves, and which generation of views is read.
CREATE SCHEMA IF NOT EXISTS ops;

CREATE TABLE ops.live_views (
    store      text        PRIMARY KEY,          -- postgres, milvus, redis
    generation integer     NOT NULL,             -- the one that query reads; switched by this row (N1)
    switched_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ops.live_views (store, generation) VALUES ('postgres', 1), ('milvus', 1), ('redis', 1);

CREATE TABLE ops.heartbeats (
    process    text        PRIMARY KEY,          -- e.g. worker-screen, sink-milvus
    at         timestamptz NOT NULL,
    stats      jsonb       NOT NULL              -- counters and freshness digests; never content or ids of users
);
