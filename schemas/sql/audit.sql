-- The access log (C10): append-only, a chain of keyed hashes a partition of memory.accesses. `who` and `what` stand in
-- the chain as salted digests, so that an erasure can take the words out and the chain still verifies. Primary data: no
-- view, never rebuilt.
CREATE SCHEMA IF NOT EXISTS audit;

CREATE TABLE IF NOT EXISTS audit.chains (
    chain      integer     PRIMARY KEY,           -- partition of memory.accesses
    first_seq  bigint      NOT NULL,              -- the oldest entry kept is first_seq + 1
    first_hash bytea       NOT NULL,              -- hash of entry first_seq
    swept_to   timestamptz,                       -- entries before this time are over their retention
    seq        bigint      NOT NULL,              -- the newest entry
    hash       bytea       NOT NULL,
    seal       bytea       NOT NULL               -- keyed hash of this row
);

CREATE TABLE IF NOT EXISTS audit.roster (
    one      boolean     PRIMARY KEY DEFAULT true CHECK (one),
    begun_at timestamptz NOT NULL,                -- when the first list was made
    chains   integer[]   NOT NULL,                -- every chain there is
    seqs     bigint[]    NOT NULL,                -- its newest entry
    seal     bytea       NOT NULL                 -- keyed hash of this row
);

CREATE TABLE IF NOT EXISTS audit.accesses (
    chain       integer     NOT NULL,
    seq         bigint      NOT NULL,
    access_id   text        NOT NULL UNIQUE,
    tenant      text        NOT NULL,
    at          timestamptz NOT NULL,
    action      text        NOT NULL,             -- read, write, cite
    operation   text        NOT NULL,             -- method and route pattern
    subject     text        NOT NULL,             -- pseudonym of the owner; stays when the owner is erased
    principal   text        NOT NULL,             -- key:ID, jwt:SUBJECT; a pseudonym once that person is erased
    who_salt    bytea,                            -- NULL once erased
    who_digest  bytea       NOT NULL,
    owner       text,                             -- NULL once erased; so are record_ids and context_id
    record_ids  text[],
    context_id  text,
    what_salt   bytea,
    what_digest bytea       NOT NULL,
    hash        bytea       NOT NULL,
    who_gone    bytea,                            -- keyed marks of the erasure that took words out
    what_gone   bytea,
    PRIMARY KEY (chain, seq)
);
CREATE INDEX IF NOT EXISTS accesses_owner ON audit.accesses (owner, at) WHERE owner IS NOT NULL;
CREATE INDEX IF NOT EXISTS accesses_tenant ON audit.accesses (tenant, at);
CREATE INDEX IF NOT EXISTS accesses_context ON audit.accesses (tenant, context_id) WHERE context_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS accesses_principal ON audit.accesses (principal);
CREATE INDEX IF NOT EXISTS accesses_time ON audit.accesses (chain, at);

CREATE TABLE IF NOT EXISTS audit.subjects (
    owner   text PRIMARY KEY,
    subject text NOT NULL UNIQUE                  -- random; the row goes with the owner's erasure
);
