-- Primary data: erasures with their reports, and the keyring. No view; never rebuilt; backed up (docs/erasure.md,
-- docs/encryption.md).
CREATE SCHEMA IF NOT EXISTS trust;

CREATE TABLE IF NOT EXISTS trust.erasures (
    erasure_id   text        PRIMARY KEY,
    tenant       text        NOT NULL,
    scope        text        NOT NULL,           -- user, session, tenant
    user_id      text,
    session_id   text,
    accepted_at  timestamptz NOT NULL,           -- the cut-off
    state        text        NOT NULL DEFAULT 'under_way',   -- under_way, done
    step         text        NOT NULL DEFAULT 'stores',      -- what is waited for
    started_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    report       jsonb,                          -- signed (memstream erase verify)
    record_ids   text[]      NOT NULL DEFAULT '{}',   -- taken too, though they are dated behind the cut-off
    named_at     timestamptz                     -- when a store met those
);
CREATE INDEX IF NOT EXISTS erasures_tenant ON trust.erasures (tenant, accepted_at);
CREATE INDEX IF NOT EXISTS erasures_user ON trust.erasures (tenant, user_id);
CREATE INDEX IF NOT EXISTS erasures_begun ON trust.erasures (tenant, started_at, erasure_id);
CREATE INDEX IF NOT EXISTS erasures_open ON trust.erasures (started_at, erasure_id) WHERE state = 'under_way';

-- What a store or step found and removed, one row a place; a redelivery finds nothing and lowers no count.
CREATE TABLE IF NOT EXISTS trust.erasure_findings (
    erasure_id text        NOT NULL,
    owner      text        NOT NULL,
    place      text        NOT NULL,             -- store/generation/topic/stage/partition
    found      jsonb       NOT NULL,             -- kind -> count
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (erasure_id, owner, place)
);

-- Data keys of owners, wrapped by a master key. A destroyed key leaves its row without key bytes.
CREATE TABLE IF NOT EXISTS trust.data_keys (
    owner      text        NOT NULL,
    generation integer     NOT NULL,
    master_id  text        NOT NULL,
    wrapped    bytea,                            -- null: destroyed
    made_at    timestamptz NOT NULL DEFAULT now(),
    destroyed_at timestamptz,
    PRIMARY KEY (owner, generation)
);
CREATE INDEX IF NOT EXISTS data_keys_master ON trust.data_keys (master_id) WHERE wrapped IS NOT NULL;
CREATE INDEX IF NOT EXISTS data_keys_changed ON trust.data_keys (greatest(made_at, coalesce(destroyed_at, made_at)));
CREATE INDEX IF NOT EXISTS data_keys_tenant ON trust.data_keys (split_part(owner, '/', 1), owner, generation)
    WHERE wrapped IS NOT NULL;
