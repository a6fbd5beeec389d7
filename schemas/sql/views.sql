-- One generation of views, in a Postgres schema of its own ({schema}, e.g. views_g1), so that a rebuild
-- stands beside the live one (N1). Every primary key leads with the tenant.

CREATE SCHEMA {schema};

-- A1: history. Text columns hold what the profile lets the store read; `embedding` is float16 bytes.
CREATE TABLE {schema}.turns (
    tenant         text        NOT NULL,
    user_id        text        NOT NULL,
    turn_id        text        NOT NULL,
    revision       bigint      NOT NULL,
    session_id     text        NOT NULL,
    project_id     text,
    agent_id       text,
    interaction_id text,
    role           text        NOT NULL,
    speaker        text,
    content        text        NOT NULL,
    intent         text,
    language       text        NOT NULL,
    tokens         integer     NOT NULL,
    position       bigint      NOT NULL,   -- offset in conversation.turns: the order of the user's turns
    content_hash   text        NOT NULL,
    terms          text[]      NOT NULL,
    embedding      bytea       NOT NULL,
    model_id       text        NOT NULL,
    metadata       jsonb       NOT NULL,
    pii            jsonb       NOT NULL,
    refused        boolean     NOT NULL,
    profile        text        NOT NULL,
    profile_version integer    NOT NULL,
    occurred_at    timestamptz NOT NULL,
    accepted_at    timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    originals      jsonb,                  -- D5: what the policy `encrypt` took out, ciphertext under the user's key
    sealed         jsonb,                  -- the log's own sealed part (C7); the columns of text are empty then
    sealed_for     text,                   -- whose key it is under
    PRIMARY KEY (tenant, user_id, turn_id)
);
CREATE INDEX turns_session ON {schema}.turns (tenant, user_id, session_id, position);
CREATE INDEX turns_project ON {schema}.turns (tenant, project_id, accepted_at) WHERE project_id IS NOT NULL;
CREATE INDEX turns_expiry ON {schema}.turns (expires_at);

-- Every version of every memory (N8): key (record_id, version). What is read now has state 'active'.
CREATE TABLE {schema}.memories (
    tenant         text        NOT NULL,
    record_id      text        NOT NULL,
    version        integer     NOT NULL,
    revision       bigint      NOT NULL,
    owner_kind     text        NOT NULL,
    owner_id       text        NOT NULL,
    kind           text        NOT NULL,
    state          text        NOT NULL,
    field          text,
    fields         text[]      NOT NULL,
    scope          text        NOT NULL,
    category       text,
    episode_type   text,
    namespace      text[]      NOT NULL,
    key            text,
    text           text        NOT NULL,
    value          jsonb,
    attributes     jsonb       NOT NULL,
    importance     real        NOT NULL,
    confidence     numeric(5,4) NOT NULL,
    source         text        NOT NULL,
    priority       integer     NOT NULL,
    negated        boolean     NOT NULL,
    approximate    boolean     NOT NULL,
    user_id        text,
    session_id     text,
    project_id     text,
    interaction_id text,
    language       text        NOT NULL,
    sources        jsonb       NOT NULL,   -- [{turn_id, session_id, occurred_at, content_hash}] (N5)
    reason         jsonb       NOT NULL,   -- {outcome, gate, rule, score}
    conflicts_with text[]      NOT NULL,
    also           text[]      NOT NULL DEFAULT '{}',   -- ids told for the same said again
    terms          text[]      NOT NULL,
    embedding      bytea       NOT NULL,
    model_id       text        NOT NULL,
    extractor      text,
    profile        text        NOT NULL,
    profile_version integer    NOT NULL,
    occurred_at    timestamptz NOT NULL,
    valid_from     timestamptz,
    valid_to       timestamptz,
    known_at       timestamptz NOT NULL,
    last_accessed_at timestamptz NOT NULL,
    expires_at     timestamptz,
    deleted        boolean     NOT NULL DEFAULT false,   -- the non-null marker: ids and revision stay, content is gone
    sealed         jsonb,
    sealed_for     text,
    PRIMARY KEY (tenant, record_id, version)
);
CREATE INDEX memories_owner ON {schema}.memories (tenant, owner_kind, owner_id, kind, state);
CREATE INDEX memories_user ON {schema}.memories (tenant, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX memories_project_items ON {schema}.memories (tenant, project_id)
    WHERE kind = 'item' AND project_id IS NOT NULL;
CREATE INDEX memories_tables ON {schema}.memories (tenant, category)
    WHERE kind = 'table' AND state = 'active' AND NOT deleted;
CREATE INDEX memories_also ON {schema}.memories USING gin (also) WHERE also <> '{}';
CREATE INDEX memories_expiry ON {schema}.memories (expires_at) WHERE expires_at IS NOT NULL;

-- Why each candidate ended as it did (N5, B3).
CREATE TABLE {schema}.decisions (
    tenant      text        NOT NULL,
    decision_id text        NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    owner_kind  text        NOT NULL,
    owner_id    text        NOT NULL,
    turn_id     text,
    session_id  text,
    ordinal     integer     NOT NULL,
    kind        text        NOT NULL,
    field       text,
    fields      text[]      NOT NULL,
    category    text,
    record_id   text,
    version     integer     NOT NULL,
    text        text        NOT NULL,
    value       jsonb,
    outcome     text        NOT NULL,
    gate        text        NOT NULL,
    rule        text        NOT NULL,
    score       double precision,
    extractor   text,
    profile     text        NOT NULL,
    profile_version integer NOT NULL,
    accepted_at timestamptz NOT NULL,
    sealed      jsonb,
    sealed_for  text,
    PRIMARY KEY (tenant, decision_id)
);
CREATE INDEX decisions_turn ON {schema}.decisions (tenant, owner_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX decisions_record ON {schema}.decisions (tenant, record_id) WHERE record_id IS NOT NULL;
CREATE INDEX decisions_time ON {schema}.decisions (accepted_at);

-- E: the newest revision of each session, whole; and the checkpoints of the seed's ai_message.
CREATE TABLE {schema}.sessions (
    tenant         text        NOT NULL,
    user_id        text        NOT NULL,
    session_id     text        NOT NULL,
    revision       bigint      NOT NULL,
    status         text        NOT NULL,
    mode           text        NOT NULL,
    checkpoint_message_id text,
    segment        integer     NOT NULL,
    segment_start  bigint      NOT NULL,
    turn_count     integer     NOT NULL,
    segment_tokens integer     NOT NULL,
    current_agent_key text,
    project_id     text,
    updated_at     timestamptz NOT NULL,
    body           jsonb       NOT NULL,   -- window, summaries, anchors, global_state, user_snapshot
    sealed         jsonb,
    sealed_for     text,
    PRIMARY KEY (tenant, user_id, session_id)
);
CREATE INDEX sessions_updated ON {schema}.sessions (updated_at);

CREATE TABLE {schema}.checkpoints (
    tenant     text        NOT NULL,
    user_id    text        NOT NULL,
    session_id text        NOT NULL,
    message_id text        NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    segment    integer     NOT NULL,
    position   bigint      NOT NULL,
    summary    text        NOT NULL,
    extractive boolean     NOT NULL,
    model      text,
    created_at timestamptz NOT NULL,
    sealed     jsonb,
    sealed_for text,
    PRIMARY KEY (tenant, user_id, session_id, message_id)
);

-- Freshness (N3): written in the same transaction as the rows. `stage`: schemas.stores.stage(step, topic).
CREATE TABLE {schema}.progress (
    stage      text        NOT NULL,
    partition  integer     NOT NULL,
    root       text        NOT NULL,       -- topic/partition
    next_offset bigint     NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stage, partition, root)
);
