-- API keys (C7): what is kept of a key cannot be turned back into it. Rows are never removed: a door that was closed
-- by a first key does not open again when the last one is revoked.
CREATE SCHEMA IF NOT EXISTS auth;

CREATE TABLE IF NOT EXISTS auth.keys (
    key_id     text        PRIMARY KEY,           -- the part of the key that may be shown
    tenant     text        NOT NULL,
    name       text        NOT NULL,
    digest     bytea       NOT NULL,              -- SHA-256 of the whole key
    scopes     text[]      NOT NULL,              -- read, write, pii, operator, admin
    documents  boolean,                           -- the scope `documents`; NULL: made before there was one
    users      text[],                            -- NULL: all of the tenant
    projects   text[],
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    replaces   text        REFERENCES auth.keys   -- the key that this one was rotated from
);
CREATE INDEX IF NOT EXISTS keys_tenant ON auth.keys (tenant);
