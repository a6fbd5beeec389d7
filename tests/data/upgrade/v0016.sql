SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA audit;
CREATE SCHEMA auth;
CREATE SCHEMA ops;
CREATE SCHEMA stream;
CREATE SCHEMA trust;
CREATE SCHEMA views_g1;
CREATE SCHEMA views_g2;
CREATE FUNCTION ops.wall(in_schema text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE found record;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO memstream_reader', in_schema);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO memstream_reader', in_schema);
    FOR found IN
        SELECT c.relname AS name FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
        WHERE n.nspname = in_schema AND c.relkind IN ('r', 'p')
          AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'one_tenant')
    LOOP
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', in_schema, found.name);
        EXECUTE format(
            'CREATE POLICY one_tenant ON %I.%I FOR SELECT TO memstream_reader '
            'USING (tenant = current_setting(''memstream.tenant'', true))', in_schema, found.name);
    END LOOP;
END $$;
CREATE FUNCTION views_g1.move_to_archive() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM views_g1.archive
    WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    IF NEW.state = 'archived' AND NOT NEW.deleted THEN
        INSERT INTO views_g1.archive VALUES (
            NEW.tenant, NEW.record_id, NEW.version, NEW.owner_kind, NEW.owner_id, NEW.session_id, NEW.kind,
            NEW.namespace, NEW.known_at, NEW.expires_at, to_jsonb(NEW) - 'terms' - 'embedding');
        UPDATE views_g1.memories
        SET text = '', value = NULL, attributes = '{}', terms = '{}', embedding = '', sources = '[]', sealed = NULL,
            sealed_for = NULL
        WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION views_g2.move_to_archive() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM views_g2.archive
    WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    IF NEW.state = 'archived' AND NOT NEW.deleted THEN
        INSERT INTO views_g2.archive VALUES (
            NEW.tenant, NEW.record_id, NEW.version, NEW.owner_kind, NEW.owner_id, NEW.session_id, NEW.kind,
            NEW.namespace, NEW.known_at, NEW.expires_at, to_jsonb(NEW) - 'terms' - 'embedding');
        UPDATE views_g2.memories
        SET text = '', value = NULL, attributes = '{}', terms = '{}', embedding = '', sources = '[]', sealed = NULL,
            sealed_for = NULL
        WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    END IF;
    RETURN NULL;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE audit.accesses (
    chain integer NOT NULL,
    seq bigint NOT NULL,
    access_id text NOT NULL,
    tenant text NOT NULL,
    at timestamp with time zone NOT NULL,
    action text NOT NULL,
    operation text NOT NULL,
    subject text NOT NULL,
    principal text NOT NULL,
    who_salt bytea,
    who_digest bytea NOT NULL,
    owner text,
    record_ids text[],
    context_id text,
    what_salt bytea,
    what_digest bytea NOT NULL,
    hash bytea NOT NULL,
    who_gone bytea,
    what_gone bytea
);
CREATE TABLE audit.chains (
    chain integer NOT NULL,
    first_seq bigint NOT NULL,
    first_hash bytea NOT NULL,
    swept_to timestamp with time zone,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    seal bytea NOT NULL
);
CREATE TABLE audit.subjects (
    owner text NOT NULL,
    subject text NOT NULL
);
CREATE TABLE auth.keys (
    key_id text NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    scopes text[] NOT NULL,
    users text[],
    projects text[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    replaces text
);
CREATE TABLE ops.generations (
    store text NOT NULL,
    generation integer NOT NULL,
    state text NOT NULL,
    embedder text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    report jsonb,
    CONSTRAINT generations_state_check CHECK ((state = ANY (ARRAY['building'::text, 'standing'::text, 'dropping'::text, 'dropped'::text])))
);
CREATE TABLE ops.heartbeats (
    process text NOT NULL,
    at timestamp with time zone NOT NULL,
    stats jsonb NOT NULL
);
CREATE TABLE ops.live_views (
    store text NOT NULL,
    generation integer NOT NULL,
    switched_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE ops.log_losses (
    topic text NOT NULL,
    partition integer NOT NULL,
    first_offset bigint NOT NULL,
    next_offset bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.memstream_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE views_g1.visits (
    tenant text NOT NULL,
    record_id text NOT NULL,
    user_id text NOT NULL,
    key text NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    rooms bigint
);
CREATE VIEW public.my_visits AS
 SELECT tenant,
    rooms
   FROM views_g1.visits;
CREATE TABLE stream.positions (
    step text NOT NULL,
    partition integer NOT NULL,
    next_offset bigint NOT NULL,
    progress jsonb NOT NULL,
    seen jsonb NOT NULL,
    outbox bytea NOT NULL,
    no_erasure_at bigint,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE stream.state (
    step text NOT NULL,
    partition integer NOT NULL,
    owner text NOT NULL,
    key text NOT NULL,
    value bytea NOT NULL,
    expires_at timestamp with time zone
);
CREATE TABLE stream.suspects (
    step text NOT NULL,
    topic text NOT NULL,
    partition integer NOT NULL,
    record_offset bigint NOT NULL,
    timestamp_ms bigint NOT NULL,
    times integer DEFAULT 1 NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE trust.data_keys (
    owner text NOT NULL,
    generation integer NOT NULL,
    master_id text NOT NULL,
    wrapped bytea,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    destroyed_at timestamp with time zone
);
CREATE TABLE trust.erasure_findings (
    erasure_id text NOT NULL,
    owner text NOT NULL,
    place text NOT NULL,
    found jsonb NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE trust.erasures (
    erasure_id text NOT NULL,
    tenant text NOT NULL,
    scope text NOT NULL,
    user_id text,
    session_id text,
    accepted_at timestamp with time zone NOT NULL,
    state text DEFAULT 'under_way'::text NOT NULL,
    step text DEFAULT 'stores'::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    report jsonb,
    record_ids text[] DEFAULT '{}'::text[] NOT NULL,
    named_at timestamp with time zone
);
CREATE TABLE views_g1.checkpoints (
    tenant text NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    message_id text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    segment integer NOT NULL,
    "position" bigint NOT NULL,
    summary text NOT NULL,
    extractive boolean NOT NULL,
    model text,
    created_at timestamp with time zone NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE TABLE views_g1.turns (
    tenant text NOT NULL,
    user_id text NOT NULL,
    turn_id text NOT NULL,
    revision bigint NOT NULL,
    session_id text NOT NULL,
    project_id text,
    agent_id text,
    interaction_id text,
    role text NOT NULL,
    speaker text,
    content text NOT NULL,
    intent text,
    language text NOT NULL,
    tokens integer NOT NULL,
    "position" bigint NOT NULL,
    content_hash text NOT NULL,
    terms text[] NOT NULL,
    embedding bytea NOT NULL,
    model_id text NOT NULL,
    metadata jsonb NOT NULL,
    pii jsonb NOT NULL,
    refused boolean NOT NULL,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    originals jsonb,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g1.ai_message WITH (security_invoker='true') AS
 WITH said AS (
         SELECT turns.tenant,
            turns.user_id,
            turns.turn_id,
            turns.revision,
            turns.session_id,
            turns.project_id,
            turns.agent_id,
            turns.interaction_id,
            turns.role,
            turns.speaker,
            turns.content,
            turns.intent,
            turns.language,
            turns.tokens,
            turns."position",
            turns.content_hash,
            turns.terms,
            turns.embedding,
            turns.model_id,
            turns.metadata,
            turns.pii,
            turns.refused,
            turns.profile,
            turns.profile_version,
            turns.occurred_at,
            turns.accepted_at,
            turns.expires_at,
            turns.originals,
            turns.sealed,
            turns.sealed_for,
            count(*) FILTER (WHERE (turns.role = 'user'::text)) OVER (PARTITION BY turns.tenant, turns.user_id, turns.session_id ORDER BY turns."position", turns.turn_id) AS pair
           FROM views_g1.turns
        )
 SELECT said.tenant,
    said.user_id,
    (array_agg(said.turn_id ORDER BY said."position", said.turn_id))[1] AS message_id,
    said.session_id AS conversation_id,
    COALESCE(string_agg(said.content, '
'::text ORDER BY said."position", said.turn_id) FILTER (WHERE (said.role = 'user'::text)), ''::text) AS query,
    COALESCE(string_agg(said.content, '
'::text ORDER BY said."position", said.turn_id) FILTER (WHERE (said.role = 'assistant'::text)), ''::text) AS answer,
    min(said.occurred_at) AS create_time,
    said.user_id AS create_by,
    max(said.occurred_at) AS update_time,
    COALESCE((array_agg(said.agent_id ORDER BY said."position" DESC, said.turn_id DESC) FILTER (WHERE (said.agent_id IS NOT NULL)))[1], said.user_id) AS update_by
   FROM said
  GROUP BY said.tenant, said.user_id, said.session_id, said.pair
UNION ALL
 SELECT checkpoints.tenant,
    checkpoints.user_id,
    checkpoints.message_id,
    checkpoints.session_id AS conversation_id,
    '[MEMORY_CHECKPOINT]'::text AS query,
        CASE
            WHEN (checkpoints.sealed IS NULL) THEN ('历史摘要: '::text || checkpoints.summary)
            ELSE ''::text
        END AS answer,
    checkpoints.created_at AS create_time,
    'memstream'::text AS create_by,
    checkpoints.created_at AS update_time,
    'memstream'::text AS update_by
   FROM views_g1.checkpoints;
CREATE TABLE views_g1.archive (
    tenant text NOT NULL,
    record_id text NOT NULL,
    version integer NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    session_id text,
    kind text NOT NULL,
    namespace text[] NOT NULL,
    known_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    record jsonb NOT NULL
);
CREATE VIEW views_g1.conversation_history WITH (security_invoker='true') AS
 SELECT tenant,
    turn_id AS id,
    project_id,
    user_id,
    role,
    content,
    intent,
    embedding,
    accepted_at AS created_at,
    expires_at
   FROM views_g1.turns
  WHERE (expires_at > now());
CREATE TABLE views_g1.decisions (
    tenant text NOT NULL,
    decision_id text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    turn_id text,
    session_id text,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    field text,
    fields text[] NOT NULL,
    category text,
    record_id text,
    version integer NOT NULL,
    text text NOT NULL,
    value jsonb,
    outcome text NOT NULL,
    gate text NOT NULL,
    rule text NOT NULL,
    score double precision,
    extractor text,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE TABLE views_g1.memories (
    tenant text NOT NULL,
    record_id text NOT NULL,
    version integer NOT NULL,
    revision bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    field text,
    fields text[] NOT NULL,
    scope text NOT NULL,
    category text,
    episode_type text,
    namespace text[] NOT NULL,
    key text,
    text text NOT NULL,
    value jsonb,
    attributes jsonb NOT NULL,
    importance real NOT NULL,
    confidence numeric(5,4) NOT NULL,
    source text NOT NULL,
    priority integer NOT NULL,
    negated boolean NOT NULL,
    approximate boolean NOT NULL,
    user_id text,
    session_id text,
    project_id text,
    interaction_id text,
    language text NOT NULL,
    sources jsonb NOT NULL,
    reason jsonb NOT NULL,
    conflicts_with text[] NOT NULL,
    also text[] DEFAULT '{}'::text[] NOT NULL,
    terms text[] NOT NULL,
    embedding bytea NOT NULL,
    model_id text NOT NULL,
    extractor text,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    valid_from timestamp with time zone,
    valid_to timestamp with time zone,
    known_at timestamp with time zone NOT NULL,
    last_accessed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    deleted boolean DEFAULT false NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g1.episodic_events WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS event_id,
    owner_id AS user_id,
    session_id,
    occurred_at AS created_at,
    last_accessed_at,
    episode_type AS event_type,
    text AS content_text,
    ((record_id || '/'::text) || version) AS content_embedding_id,
    importance AS importance_score,
    jsonb_build_object('project_id', project_id, 'tags', to_jsonb(array_remove(ARRAY[category], NULL::text))) AS metadata,
    interaction_id AS source_interaction_id
   FROM views_g1.memories
  WHERE ((kind = 'episode'::text) AND (state = 'active'::text) AND (NOT deleted) AND ((expires_at IS NULL) OR (expires_at > now())));
CREATE VIEW views_g1.knowledge_chunks WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS chunk_id,
    owner_id AS document_id,
    key AS document_version,
    text AS chunk_text,
    ((record_id || '/'::text) || version) AS chunk_embedding_id,
    (attributes -> 'source_metadata'::text) AS source_metadata,
    (attributes -> 'hierarchy_info'::text) AS hierarchy_info,
    state AS status
   FROM views_g1.memories
  WHERE ((kind = 'chunk'::text) AND (state = ANY (ARRAY['active'::text, 'archived'::text])) AND (NOT deleted));
CREATE TABLE views_g1.plans (
    tenant text NOT NULL,
    record_id text NOT NULL,
    user_id text NOT NULL,
    key text NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    goal text
);
CREATE TABLE views_g1.progress (
    stage text NOT NULL,
    partition integer NOT NULL,
    root text NOT NULL,
    next_offset bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE VIEW views_g1.project_memory WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS project_id,
    category AS type,
    key,
    value,
    priority,
    valid_from AS created_at,
    known_at AS updated_at
   FROM views_g1.memories
  WHERE ((kind = 'hot'::text) AND (state = 'active'::text) AND (NOT deleted));
CREATE TABLE views_g1.sessions (
    tenant text NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    revision bigint NOT NULL,
    status text NOT NULL,
    mode text NOT NULL,
    checkpoint_message_id text,
    segment integer NOT NULL,
    segment_start bigint NOT NULL,
    turn_count integer NOT NULL,
    segment_tokens integer NOT NULL,
    current_agent_key text,
    project_id text,
    updated_at timestamp with time zone NOT NULL,
    body jsonb NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g1.user_preferences WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS user_id,
    field AS preference_key,
    COALESCE(value, to_jsonb(NULLIF(text, ''::text))) AS preference_value,
    scope,
    source,
    confidence,
    COALESCE(valid_from, occurred_at) AS created_at,
    known_at AS last_updated_at
   FROM views_g1.memories
  WHERE ((kind = 'preference'::text) AND (state = 'active'::text) AND (NOT deleted) AND ((expires_at IS NULL) OR (expires_at > now())));
CREATE VIEW views_g1.weekly_reports WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS project_id,
    (key)::date AS week_start,
    ((key)::date + 6) AS week_end,
    text AS summary,
    (value -> 'key_events'::text) AS key_events,
    (value -> 'metrics'::text) AS metrics,
    embedding,
    known_at AS created_at
   FROM views_g1.memories
  WHERE ((kind = 'report'::text) AND (state = 'active'::text) AND (NOT deleted));
CREATE TABLE views_g2.checkpoints (
    tenant text NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    message_id text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    segment integer NOT NULL,
    "position" bigint NOT NULL,
    summary text NOT NULL,
    extractive boolean NOT NULL,
    model text,
    created_at timestamp with time zone NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE TABLE views_g2.turns (
    tenant text NOT NULL,
    user_id text NOT NULL,
    turn_id text NOT NULL,
    revision bigint NOT NULL,
    session_id text NOT NULL,
    project_id text,
    agent_id text,
    interaction_id text,
    role text NOT NULL,
    speaker text,
    content text NOT NULL,
    intent text,
    language text NOT NULL,
    tokens integer NOT NULL,
    "position" bigint NOT NULL,
    content_hash text NOT NULL,
    terms text[] NOT NULL,
    embedding bytea NOT NULL,
    model_id text NOT NULL,
    metadata jsonb NOT NULL,
    pii jsonb NOT NULL,
    refused boolean NOT NULL,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    originals jsonb,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g2.ai_message WITH (security_invoker='true') AS
 WITH said AS (
         SELECT turns.tenant,
            turns.user_id,
            turns.turn_id,
            turns.revision,
            turns.session_id,
            turns.project_id,
            turns.agent_id,
            turns.interaction_id,
            turns.role,
            turns.speaker,
            turns.content,
            turns.intent,
            turns.language,
            turns.tokens,
            turns."position",
            turns.content_hash,
            turns.terms,
            turns.embedding,
            turns.model_id,
            turns.metadata,
            turns.pii,
            turns.refused,
            turns.profile,
            turns.profile_version,
            turns.occurred_at,
            turns.accepted_at,
            turns.expires_at,
            turns.originals,
            turns.sealed,
            turns.sealed_for,
            count(*) FILTER (WHERE (turns.role = 'user'::text)) OVER (PARTITION BY turns.tenant, turns.user_id, turns.session_id ORDER BY turns."position", turns.turn_id) AS pair
           FROM views_g2.turns
        )
 SELECT said.tenant,
    said.user_id,
    (array_agg(said.turn_id ORDER BY said."position", said.turn_id))[1] AS message_id,
    said.session_id AS conversation_id,
    COALESCE(string_agg(said.content, '
'::text ORDER BY said."position", said.turn_id) FILTER (WHERE (said.role = 'user'::text)), ''::text) AS query,
    COALESCE(string_agg(said.content, '
'::text ORDER BY said."position", said.turn_id) FILTER (WHERE (said.role = 'assistant'::text)), ''::text) AS answer,
    min(said.occurred_at) AS create_time,
    said.user_id AS create_by,
    max(said.occurred_at) AS update_time,
    COALESCE((array_agg(said.agent_id ORDER BY said."position" DESC, said.turn_id DESC) FILTER (WHERE (said.agent_id IS NOT NULL)))[1], said.user_id) AS update_by
   FROM said
  GROUP BY said.tenant, said.user_id, said.session_id, said.pair
UNION ALL
 SELECT checkpoints.tenant,
    checkpoints.user_id,
    checkpoints.message_id,
    checkpoints.session_id AS conversation_id,
    '[MEMORY_CHECKPOINT]'::text AS query,
        CASE
            WHEN (checkpoints.sealed IS NULL) THEN ('历史摘要: '::text || checkpoints.summary)
            ELSE ''::text
        END AS answer,
    checkpoints.created_at AS create_time,
    'memstream'::text AS create_by,
    checkpoints.created_at AS update_time,
    'memstream'::text AS update_by
   FROM views_g2.checkpoints;
CREATE TABLE views_g2.archive (
    tenant text NOT NULL,
    record_id text NOT NULL,
    version integer NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    session_id text,
    kind text NOT NULL,
    namespace text[] NOT NULL,
    known_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    record jsonb NOT NULL
);
CREATE VIEW views_g2.conversation_history WITH (security_invoker='true') AS
 SELECT tenant,
    turn_id AS id,
    project_id,
    user_id,
    role,
    content,
    intent,
    embedding,
    accepted_at AS created_at,
    expires_at
   FROM views_g2.turns
  WHERE (expires_at > now());
CREATE TABLE views_g2.decisions (
    tenant text NOT NULL,
    decision_id text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    turn_id text,
    session_id text,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    field text,
    fields text[] NOT NULL,
    category text,
    record_id text,
    version integer NOT NULL,
    text text NOT NULL,
    value jsonb,
    outcome text NOT NULL,
    gate text NOT NULL,
    rule text NOT NULL,
    score double precision,
    extractor text,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE TABLE views_g2.memories (
    tenant text NOT NULL,
    record_id text NOT NULL,
    version integer NOT NULL,
    revision bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    field text,
    fields text[] NOT NULL,
    scope text NOT NULL,
    category text,
    episode_type text,
    namespace text[] NOT NULL,
    key text,
    text text NOT NULL,
    value jsonb,
    attributes jsonb NOT NULL,
    importance real NOT NULL,
    confidence numeric(5,4) NOT NULL,
    source text NOT NULL,
    priority integer NOT NULL,
    negated boolean NOT NULL,
    approximate boolean NOT NULL,
    user_id text,
    session_id text,
    project_id text,
    interaction_id text,
    language text NOT NULL,
    sources jsonb NOT NULL,
    reason jsonb NOT NULL,
    conflicts_with text[] NOT NULL,
    also text[] DEFAULT '{}'::text[] NOT NULL,
    terms text[] NOT NULL,
    embedding bytea NOT NULL,
    model_id text NOT NULL,
    extractor text,
    profile text NOT NULL,
    profile_version integer NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    valid_from timestamp with time zone,
    valid_to timestamp with time zone,
    known_at timestamp with time zone NOT NULL,
    last_accessed_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    deleted boolean DEFAULT false NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g2.episodic_events WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS event_id,
    owner_id AS user_id,
    session_id,
    occurred_at AS created_at,
    last_accessed_at,
    episode_type AS event_type,
    text AS content_text,
    ((record_id || '/'::text) || version) AS content_embedding_id,
    importance AS importance_score,
    jsonb_build_object('project_id', project_id, 'tags', to_jsonb(array_remove(ARRAY[category], NULL::text))) AS metadata,
    interaction_id AS source_interaction_id
   FROM views_g2.memories
  WHERE ((kind = 'episode'::text) AND (state = 'active'::text) AND (NOT deleted) AND ((expires_at IS NULL) OR (expires_at > now())));
CREATE VIEW views_g2.knowledge_chunks WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS chunk_id,
    owner_id AS document_id,
    key AS document_version,
    text AS chunk_text,
    ((record_id || '/'::text) || version) AS chunk_embedding_id,
    (attributes -> 'source_metadata'::text) AS source_metadata,
    (attributes -> 'hierarchy_info'::text) AS hierarchy_info,
    state AS status
   FROM views_g2.memories
  WHERE ((kind = 'chunk'::text) AND (state = ANY (ARRAY['active'::text, 'archived'::text])) AND (NOT deleted));
CREATE TABLE views_g2.plans (
    tenant text NOT NULL,
    record_id text NOT NULL,
    user_id text NOT NULL,
    key text NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    goal text
);
CREATE TABLE views_g2.progress (
    stage text NOT NULL,
    partition integer NOT NULL,
    root text NOT NULL,
    next_offset bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE VIEW views_g2.project_memory WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS project_id,
    category AS type,
    key,
    value,
    priority,
    valid_from AS created_at,
    known_at AS updated_at
   FROM views_g2.memories
  WHERE ((kind = 'hot'::text) AND (state = 'active'::text) AND (NOT deleted));
CREATE TABLE views_g2.sessions (
    tenant text NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    revision bigint NOT NULL,
    status text NOT NULL,
    mode text NOT NULL,
    checkpoint_message_id text,
    segment integer NOT NULL,
    segment_start bigint NOT NULL,
    turn_count integer NOT NULL,
    segment_tokens integer NOT NULL,
    current_agent_key text,
    project_id text,
    updated_at timestamp with time zone NOT NULL,
    body jsonb NOT NULL,
    sealed jsonb,
    sealed_for text
);
CREATE VIEW views_g2.user_preferences WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS user_id,
    field AS preference_key,
    COALESCE(value, to_jsonb(NULLIF(text, ''::text))) AS preference_value,
    scope,
    source,
    confidence,
    COALESCE(valid_from, occurred_at) AS created_at,
    known_at AS last_updated_at
   FROM views_g2.memories
  WHERE ((kind = 'preference'::text) AND (state = 'active'::text) AND (NOT deleted) AND ((expires_at IS NULL) OR (expires_at > now())));
CREATE TABLE views_g2.visits (
    tenant text NOT NULL,
    record_id text NOT NULL,
    user_id text NOT NULL,
    key text NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    rooms bigint
);
CREATE VIEW views_g2.weekly_reports WITH (security_invoker='true') AS
 SELECT tenant,
    record_id AS id,
    owner_id AS project_id,
    (key)::date AS week_start,
    ((key)::date + 6) AS week_end,
    text AS summary,
    (value -> 'key_events'::text) AS key_events,
    (value -> 'metrics'::text) AS metrics,
    embedding,
    known_at AS created_at
   FROM views_g2.memories
  WHERE ((kind = 'report'::text) AND (state = 'active'::text) AND (NOT deleted));
INSERT INTO audit.accesses VALUES (0, 1, 'a0', 'acme', '2026-11-21 08:00:00+00', 'read', 'POST /v1/context', 'b77a676f4bfc4865', 'key:k1', '\x7ac6ea00370620f551a8ce76bdcffbab', '\xe7be7b7e879faa119db052e3adb5e658fa594560de40b2371d89a4ef65947703', 'acme/user/ann', '{m1}', 'ctx-0', '\x05e8451ee7bc6bb662571b36d836b59d', '\xdebb59435506567eeb58abcdd921852acb4b1dfbf1d048126250c2c30b674542', '\x719b2e8f4a63508b6615de3cdfb8c019410030c70d243e7328108a44ada19a6b', NULL, NULL);
INSERT INTO audit.accesses VALUES (0, 2, 'a2', 'acme', '2026-11-21 08:00:00+00', 'read', 'POST /v1/context', 'b77a676f4bfc4865', 'key:k1', '\xf6c8f10d97d40dcb8d283eb86d40b0f2', '\x7647b72442cc1b55c5f9b6f258eaac6b6bfbf354b399259d959a2a125117064f', 'acme/user/ann', '{m1}', 'ctx-2', '\x878247646f8da1bc5ff2652756e09b38', '\xf063252d3c236c27857beaacb1ea7517fb101616bf8bc2b82315b9b122983dd5', '\xdee31d0f3ad6d19b3eebfffcab6696ec18783b46e0dacfeb7fa1afec347b62ec', NULL, NULL);
INSERT INTO audit.accesses VALUES (1, 1, 'a1', 'acme', '2026-11-21 08:00:00+00', 'read', 'POST /v1/context', '8bc17b0192501171', 'key:k1', '\xacf5859dac5fcefd931bc67ada3c015d', '\x3f0e9ab523cf13c00f638e844744d024ec099a35316fdd4ab5afb8ca7ef5d1bd', 'acme/user/bob', '{m1}', 'ctx-1', '\xf492df1c0caf1ddd56799d4225d6dcca', '\x743391daf8c5b21e7b24768e0e62d915536ddff4542a46c8f06f60a8214ee69f', '\xaa670c49c179ff3503c89b65bc6367e417db3acde74224471e7270355cb25e97', NULL, NULL);
INSERT INTO audit.chains VALUES (0, 0, '\x08c5882496170fdbb8afa44e88b52cc6ab05b54d92eeed21010a7d5be5611093', NULL, 2, '\xdee31d0f3ad6d19b3eebfffcab6696ec18783b46e0dacfeb7fa1afec347b62ec', '\xa38d7261a1b5554268e0efc14dcabd41fe8105f5e7197df4014e9e8918062330');
INSERT INTO audit.chains VALUES (1, 0, '\x08c5882496170fdbb8afa44e88b52cc6ab05b54d92eeed21010a7d5be5611093', NULL, 1, '\xaa670c49c179ff3503c89b65bc6367e417db3acde74224471e7270355cb25e97', '\x416beb18464fc4b9cc9e2d30ed9f6e4c2055759f6f05e4149f8185dfec91e2cf');
INSERT INTO audit.subjects VALUES ('acme/user/ann', 'b77a676f4bfc4865');
INSERT INTO audit.subjects VALUES ('acme/user/bob', '8bc17b0192501171');
INSERT INTO auth.keys VALUES ('7l4bwtiabaha', 'acme', 'whole', '\xaa110c6a63cce67338745b71b0ad0fc835b266645c983ee545bf3db03db62ce1', '{read,write}', NULL, NULL, '2026-11-30 04:50:06.789066+00', NULL, NULL, NULL);
INSERT INTO auth.keys VALUES ('knlvwg6pstyr', 'acme', 'bound', '\x1963ffcb7c46f8382a7e1aede53ad5fd6c96f996459dd6dc755df03a342e1521', '{read,write}', '{ann}', NULL, '2026-11-30 04:50:06.798732+00', NULL, NULL, NULL);
INSERT INTO auth.keys VALUES ('ode773agvxwi', 'beta', 'reads', '\x7b53c88ce317566a9877c2179ca51ead399c89f0f683055a60bccdf03102ac59', '{read}', NULL, NULL, '2026-11-30 04:50:06.805917+00', NULL, NULL, NULL);
INSERT INTO auth.keys VALUES ('fyxqkufvzpzt', 'acme', 'revoked', '\x036187e643c33fad01c92e424db71018adf9c051588c966e560c4f5b347d2ffb', '{read}', NULL, NULL, '2026-11-30 04:50:06.814388+00', NULL, '2026-11-30 04:50:06.821684+00', NULL);
INSERT INTO ops.generations VALUES ('postgres', 1, 'standing', '', '2026-11-30 04:50:06.291545+00', '2026-11-30 04:50:06.291545+00', NULL);
INSERT INTO ops.generations VALUES ('milvus', 1, 'standing', '', '2026-11-30 04:50:06.291545+00', '2026-11-30 04:50:06.291545+00', NULL);
INSERT INTO ops.generations VALUES ('redis', 1, 'standing', '', '2026-11-30 04:50:06.291545+00', '2026-11-30 04:50:06.291545+00', NULL);
INSERT INTO ops.generations VALUES ('postgres', 2, 'standing', '', '2026-11-30 04:50:06.841732+00', '2026-11-30 04:50:06.841732+00', NULL);
INSERT INTO ops.live_views VALUES ('postgres', 1, '2026-11-30 04:50:06.291545+00');
INSERT INTO ops.live_views VALUES ('milvus', 1, '2026-11-30 04:50:06.291545+00');
INSERT INTO ops.live_views VALUES ('redis', 1, '2026-11-30 04:50:06.291545+00');
INSERT INTO public.memstream_version VALUES ('0016');
INSERT INTO stream.positions VALUES ('gate', 0, 42, '{}', '{}', '\x', 42, '2026-11-21 08:00:00+00');
INSERT INTO stream.state VALUES ('gate', 0, 'acme/user/ann', 'm/acme-ann-fact', '\x78', NULL);
INSERT INTO trust.data_keys VALUES ('acme/user/eve', 1, 'f3f678370e87', '\xd70635f4c18251f696ab1e8e5b2ebb323ebad38cdf705d1c06cb6862862b7f6d95394a940888b5ac3d86a218a76df01522c0397db35941a2c133bcb5', '2026-11-30 04:50:06.511597+00', NULL);
INSERT INTO trust.data_keys VALUES ('beta/user/gil', 1, 'f3f678370e87', '\xdd3577f3315903222d2e56ab9e45f3e69a78589335560998cf0d3f8e29b435a4b3a87799e78da672ca2dc48010c82525046fea0cfccbcc87880b235c', '2026-11-30 04:50:06.531758+00', NULL);
INSERT INTO trust.data_keys VALUES ('beta/user/fay', 2, 'f3f678370e87', '\x53998017f1cc2e53e88e40ea155c19bc75e8f27563d004f5846c717f4111fe6973f2bb502eef626dd756f2a3a28b7f0dbe199a1eb19c4f66d05ea209', '2026-11-30 04:50:06.535607+00', NULL);
INSERT INTO trust.data_keys VALUES ('beta/user/fay', 1, 'f3f678370e87', NULL, '2026-11-30 04:50:06.521724+00', '2026-11-30 04:50:06.539203+00');
INSERT INTO trust.erasure_findings VALUES ('done-1', 'beta/user/zoe', 'postgres/1/memory.updates.v1/gate/0', '{"memories": 3}', '2026-11-30 04:50:06.841732+00');
INSERT INTO trust.erasure_findings VALUES ('open-1', 'beta/user/yan', 'postgres/1/memory.updates.v1/gate/0', '{"memories": 3}', '2026-11-30 04:50:06.841732+00');
INSERT INTO trust.erasures VALUES ('done-1', 'beta', 'user', 'zoe', NULL, '2026-11-21 08:00:00+00', 'done', 'stores', '2026-11-21 08:00:00+00', NULL, NULL, '{}', NULL);
INSERT INTO trust.erasures VALUES ('open-1', 'beta', 'user', 'yan', NULL, '2026-11-21 08:00:00+00', 'under_way', 'stores', '2026-11-21 08:00:00+00', NULL, NULL, '{}', NULL);
INSERT INTO views_g1.archive VALUES ('default', 'default-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of default lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "default", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "default-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('default', 'default-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of default lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "default", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "default-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('acme', 'acme-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of acme lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "acme", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "acme-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('acme', 'acme-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of acme lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "acme", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "acme-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('beta', 'beta-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of beta lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "beta", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "beta-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('beta', 'beta-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of beta lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "beta", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "beta-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('诊所', '诊所-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of 诊所 lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "诊所", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "诊所-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.archive VALUES ('诊所', '诊所-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of 诊所 lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "诊所", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "诊所-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g1.checkpoints VALUES ('default', 'ann', 's1', 'm0', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('default', 'bob', 's1', 'm1', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('acme', 'ann', 's1', 'm10', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('acme', 'bob', 's1', 'm11', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('beta', 'ann', 's1', 'm20', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('beta', 'bob', 's1', 'm21', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('诊所', 'ann', 's1', 'm30', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.checkpoints VALUES ('诊所', 'bob', 's1', 'm31', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('default', 'default-ann-d', 1, 'user', 'ann', 'turn-default-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('default', 'default-bob-d', 1, 'user', 'bob', 'turn-default-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('acme', 'acme-ann-d', 1, 'user', 'ann', 'turn-acme-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('acme', 'acme-bob-d', 1, 'user', 'bob', 'turn-acme-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('beta', 'beta-ann-d', 1, 'user', 'ann', 'turn-beta-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('beta', 'beta-bob-d', 1, 'user', 'bob', 'turn-beta-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('诊所', '诊所-ann-d', 1, 'user', 'ann', 'turn-诊所-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.decisions VALUES ('诊所', '诊所-bob-d', 1, 'user', 'bob', 'turn-诊所-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of default lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xdb3213388e3277ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of default runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x2035533837ba5fa9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 0}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x2615e2347bb448bb', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of default lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x86b6e52fbbba5535', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of default runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x4d3270b421b7a0ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 1}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x40ba17b8e23294b4', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k0', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x98b5ef35e338d938', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of acme lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xcdb319b91436ffb8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of acme runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x6533d12d33a6bfbb', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 10}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xec39043219b990ae', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of acme lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x90b7eeb989342336', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of acme runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x19b5ce32d43745ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 11}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x65397538d9a4be37', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k1', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x0637f6b83139f029', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of beta lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xb3b85e36c0381336', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of beta runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xcfb880b860b67936', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 20}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x44bb4d323b9dea35', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of beta lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x04322d3836b798b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of beta runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xf7b07239392ead39', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 21}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x41342839202faab9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k2', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x9f3489b45c3697ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of 诊所 lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x9cbb7834b5acf5ae', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of 诊所 runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xfd30ed32db390439', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 30}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x15b3892881ba4db8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of 诊所 lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x85b83ab2fb3662b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of 诊所 runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xc1b7732d533876b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 31}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x333630b6a5b512ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k3', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x99ba13272bb154b8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-ann-plans-3', 0, 2, 'user', 'ann', 'table', 'deleted', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_3', '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, true, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-eve-fact', 0, 1, 'user', 'eve', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'eve', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, '{"ct": "z3tQahRlM3CQfuo6lya59rWFTEUXXvzCfoLJfhVPX4lcs+MNUd2VtFAuWJSieKt251ZvLSK+0yJ0M72aTXDNFj6InKube9lO4ZKVfdW+m+06KkFuVlaFXypQl0nXzeqUDAHy4pc00y7vX4IvBZNwkM8GfaTbtc0FBc6pVqovFcqPyk3SyfcL8O0910ZruUNiaDDpoKqRYJf0Q/nil1aV86IwSEI0/igJu1x/R8TLPHL1Inm6", "alg": "A256GCM", "kid": "1"}', 'acme/user/eve');
INSERT INTO views_g1.memories VALUES ('default', 'default-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('default', 'default-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('acme', 'acme-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('beta', 'beta-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.memories VALUES ('诊所', '诊所-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g1.plans VALUES ('default', 'default-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of default runs');
INSERT INTO views_g1.plans VALUES ('default', 'default-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of default runs');
INSERT INTO views_g1.plans VALUES ('acme', 'acme-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of acme runs');
INSERT INTO views_g1.plans VALUES ('acme', 'acme-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of acme runs');
INSERT INTO views_g1.plans VALUES ('beta', 'beta-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of beta runs');
INSERT INTO views_g1.plans VALUES ('beta', 'beta-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of beta runs');
INSERT INTO views_g1.plans VALUES ('诊所', '诊所-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of 诊所 runs');
INSERT INTO views_g1.plans VALUES ('诊所', '诊所-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of 诊所 runs');
INSERT INTO views_g1.sessions VALUES ('default', 'ann', 's0', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('default', 'bob', 's1', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('acme', 'ann', 's10', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('acme', 'bob', 's11', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('beta', 'ann', 's20', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('beta', 'bob', 's21', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('诊所', 'ann', 's30', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.sessions VALUES ('诊所', 'bob', 's31', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('default', 'ann', 'turn-default-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 0, 'h', '{move,lisbon}', '\xf83145b29a3bfb30', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('default', 'bob', 'turn-default-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 1, 'h', '{move,lisbon}', '\x57b91bb82eb852b0', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:01+00', '2026-11-21 08:00:01+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('acme', 'ann', 'turn-acme-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 10, 'h', '{move,lisbon}', '\xeb380c32d3b4a1b9', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:10+00', '2026-11-21 08:00:10+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('acme', 'bob', 'turn-acme-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 11, 'h', '{move,lisbon}', '\xcb304d9832b3b4bb', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:11+00', '2026-11-21 08:00:11+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('beta', 'ann', 'turn-beta-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 20, 'h', '{move,lisbon}', '\x09a3edb6163b4e31', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:20+00', '2026-11-21 08:00:20+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('beta', 'bob', 'turn-beta-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 21, 'h', '{move,lisbon}', '\x063223b96a37a638', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:21+00', '2026-11-21 08:00:21+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('诊所', 'ann', 'turn-诊所-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 30, 'h', '{move,lisbon}', '\x14b693b6c92a9e3a', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:30+00', '2026-11-21 08:00:30+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('诊所', 'bob', 'turn-诊所-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 31, 'h', '{move,lisbon}', '\xf9b5c138b339299e', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:31+00', '2026-11-21 08:00:31+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.turns VALUES ('acme', 'eve', 'turn-acme-eve', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 91, 'h', '{move,lisbon}', '\xf22c4d379dba20b5', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:01:31+00', '2026-11-21 08:01:31+00', '2026-12-21 08:00:00+00', '[{"ct": "Evd/L8LG1ICb/14Me4km/Dt+K50vLUxHAk9NUD4KxIdw6sF/hI2RCF3Sxkml9Ul1xn3WUQ==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g1.visits VALUES ('acme', 'acme-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 10);
INSERT INTO views_g1.visits VALUES ('acme', 'acme-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 11);
INSERT INTO views_g1.visits VALUES ('beta', 'beta-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 20);
INSERT INTO views_g1.visits VALUES ('beta', 'beta-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 21);
INSERT INTO views_g1.visits VALUES ('default', 'default-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 0);
INSERT INTO views_g1.visits VALUES ('default', 'default-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 1);
INSERT INTO views_g1.visits VALUES ('诊所', '诊所-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 30);
INSERT INTO views_g1.visits VALUES ('诊所', '诊所-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 31);
INSERT INTO views_g2.archive VALUES ('default', 'default-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of default lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "default", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "default-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('default', 'default-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of default lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "default", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "default-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('acme', 'acme-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of acme lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "acme", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "acme-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('acme', 'acme-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of acme lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "acme", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "acme-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('beta', 'beta-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of beta lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "beta", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "beta-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('beta', 'beta-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of beta lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "beta", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "beta-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('诊所', '诊所-ann-old', 0, 'user', 'ann', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "ann of 诊所 lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "诊所", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "ann", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "ann", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "诊所-ann-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.archive VALUES ('诊所', '诊所-bob-old', 0, 'user', 'bob', NULL, 'fact', '{}', '2026-11-21 08:00:00+00', NULL, '{"key": null, "also": [], "kind": "fact", "text": "bob of 诊所 lived in Faro", "field": "city", "scope": "global", "state": "archived", "value": "Lisbon", "fields": [], "reason": {"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}, "sealed": null, "source": "explicit", "tenant": "诊所", "deleted": false, "negated": false, "profile": "", "sources": [{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}], "user_id": "bob", "version": 0, "category": null, "known_at": "2026-11-21T08:00:00+00:00", "language": "und", "model_id": "", "owner_id": "bob", "priority": 0, "revision": 2, "valid_to": null, "extractor": null, "namespace": [], "record_id": "诊所-bob-old", "attributes": {"since": 2024}, "confidence": 1.0000, "expires_at": null, "importance": 0.5, "owner_kind": "user", "project_id": null, "sealed_for": null, "session_id": null, "valid_from": null, "approximate": false, "occurred_at": "2026-11-21T08:00:00+00:00", "episode_type": null, "conflicts_with": [], "interaction_id": null, "profile_version": 0, "last_accessed_at": "2026-11-21T08:00:00+00:00"}');
INSERT INTO views_g2.checkpoints VALUES ('default', 'ann', 's1', 'm0', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('default', 'bob', 's1', 'm1', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('acme', 'ann', 's1', 'm10', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('acme', 'bob', 's1', 'm11', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('beta', 'ann', 's1', 'm20', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('beta', 'bob', 's1', 'm21', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('诊所', 'ann', 's1', 'm30', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.checkpoints VALUES ('诊所', 'bob', 's1', 'm31', 1, 1, 9, '我 2024 年搬到了里斯本。', true, NULL, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('default', 'default-ann-d', 1, 'user', 'ann', 'turn-default-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('default', 'default-bob-d', 1, 'user', 'bob', 'turn-default-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('acme', 'acme-ann-d', 1, 'user', 'ann', 'turn-acme-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('acme', 'acme-bob-d', 1, 'user', 'bob', 'turn-acme-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('beta', 'beta-ann-d', 1, 'user', 'ann', 'turn-beta-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('beta', 'beta-bob-d', 1, 'user', 'bob', 'turn-beta-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('诊所', '诊所-ann-d', 1, 'user', 'ann', 'turn-诊所-ann', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.decisions VALUES ('诊所', '诊所-bob-d', 1, 'user', 'bob', 'turn-诊所-bob', NULL, 0, 'fact', NULL, '{}', NULL, NULL, 0, '我 2024 年搬到了里斯本。', 'true', 'kept', 'confidence', 'explicit', NULL, NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of default lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xdb3213388e3277ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of default runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x2035533837ba5fa9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 0}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x2615e2347bb448bb', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of default lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x86b6e52fbbba5535', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of default runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x4d3270b421b7a0ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 1}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x40ba17b8e23294b4', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k0', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x98b5ef35e338d938', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of acme lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xcdb319b91436ffb8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of acme runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x6533d12d33a6bfbb', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 10}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xec39043219b990ae', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of acme lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x90b7eeb989342336', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of acme runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x19b5ce32d43745ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 11}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x65397538d9a4be37', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k1', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x0637f6b83139f029', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of beta lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\xb3b85e36c0381336', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of beta runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xcfb880b860b67936', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 20}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x44bb4d323b9dea35', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of beta lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x04322d3836b798b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of beta runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xf7b07239392ead39', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 21}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x41342839202faab9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k2', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x9f3489b45c3697ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-ann-fact', 0, 1, 'user', 'ann', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'ann of 诊所 lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x9cbb7834b5acf5ae', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-ann-plans-1', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "ann of 诊所 runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xfd30ed32db390439', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-ann-visits-2', 0, 1, 'user', 'ann', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 30}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x15b3892881ba4db8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-bob-fact', 0, 1, 'user', 'bob', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, 'bob of 诊所 lives in Lisbon', '"Lisbon"', '{"since": 2024}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{move,lisbon}', '\x85b83ab2fb3662b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-bob-plans-1', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_1', '', '{"goal": "bob of 诊所 runs"}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\xc1b7732d533876b9', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-bob-visits-2', 0, 1, 'user', 'bob', 'table', 'active', NULL, '{}', 'global', 'visits', NULL, '{}', 'v_2', '', '{"rooms": 31}', '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x333630b6a5b512ba', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-hot', 0, 1, 'project', 'p1', 'hot', 'active', NULL, '{}', 'global', 'decision', NULL, '{}', 'k3', 'I moved to Lisbon in 2024.', '"I moved to Lisbon in 2024."', '{}', 0.5, 1.0000, 'explicit', 0, false, false, NULL, NULL, 'p1', NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x99ba13272bb154b8', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-ann-plans-3', 0, 2, 'user', 'ann', 'table', 'deleted', NULL, '{}', 'global', 'plans', NULL, '{}', 'p_3', '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, true, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-eve-fact', 0, 1, 'user', 'eve', 'fact', 'active', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'eve', NULL, NULL, NULL, 'und', '[{"turn_id": "turn-1", "session_id": "s1", "occurred_at": "2026-11-21T08:00:00Z", "content_hash": "h"}]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, '{"ct": "z3tQahRlM3CQfuo6lya59rWFTEUXXvzCfoLJfhVPX4lcs+MNUd2VtFAuWJSieKt251ZvLSK+0yJ0M72aTXDNFj6InKube9lO4ZKVfdW+m+06KkFuVlaFXypQl0nXzeqUDAHy4pc00y7vX4IvBZNwkM8GfaTbtc0FBc6pVqovFcqPyk3SyfcL8O0910ZruUNiaDDpoKqRYJf0Q/nil1aV86IwSEI0/igJu1x/R8TLPHL1Inm6", "alg": "A256GCM", "kid": "1"}', 'acme/user/eve');
INSERT INTO views_g2.memories VALUES ('default', 'default-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('default', 'default-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('acme', 'acme-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('beta', 'beta-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-ann-old', 0, 2, 'user', 'ann', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'ann', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.memories VALUES ('诊所', '诊所-bob-old', 0, 2, 'user', 'bob', 'fact', 'archived', 'city', '{}', 'global', NULL, NULL, '{}', NULL, '', NULL, '{}', 0.5, 1.0000, 'explicit', 0, false, false, 'bob', NULL, NULL, NULL, 'und', '[]', '{"gate": "confidence", "rule": "explicit", "score": 0.9, "outcome": "kept"}', '{}', '{}', '{}', '\x', '', NULL, '', 0, '2026-11-21 08:00:00+00', NULL, NULL, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', NULL, false, NULL, NULL);
INSERT INTO views_g2.plans VALUES ('default', 'default-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of default runs');
INSERT INTO views_g2.plans VALUES ('default', 'default-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of default runs');
INSERT INTO views_g2.plans VALUES ('acme', 'acme-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of acme runs');
INSERT INTO views_g2.plans VALUES ('acme', 'acme-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of acme runs');
INSERT INTO views_g2.plans VALUES ('beta', 'beta-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of beta runs');
INSERT INTO views_g2.plans VALUES ('beta', 'beta-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of beta runs');
INSERT INTO views_g2.plans VALUES ('诊所', '诊所-ann-plans-1', 'ann', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'ann of 诊所 runs');
INSERT INTO views_g2.plans VALUES ('诊所', '诊所-bob-plans-1', 'bob', 'p_1', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 'bob of 诊所 runs');
INSERT INTO views_g2.sessions VALUES ('default', 'ann', 's0', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('default', 'bob', 's1', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('acme', 'ann', 's10', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('acme', 'bob', 's11', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('beta', 'ann', 's20', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('beta', 'bob', 's21', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('诊所', 'ann', 's30', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.sessions VALUES ('诊所', 'bob', 's31', 1, 'open', 'FULL_HISTORY', NULL, 0, 0, 3, 0, 'guide', NULL, '2026-11-21 08:00:00+00', '{"window": [{"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 0", "speaker": null, "turn_id": "turn-0", "timestamp": "2026-11-21T08:00:00Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 1", "speaker": null, "turn_id": "turn-1", "timestamp": "2026-11-21T08:00:01Z"}, {"role": "user", "tokens": 0, "content": "I moved to Lisbon in 2024. 2", "speaker": null, "turn_id": "turn-2", "timestamp": "2026-11-21T08:00:02Z"}], "anchors": {"language": "german"}, "summary": "I moved to Lisbon in 2024.", "summaries": ["I moved to Lisbon in 2024."], "carried_from": null, "global_state": {}, "user_snapshot": {}, "last_bot_message": "I moved to Lisbon in 2024."}', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('default', 'ann', 'turn-default-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 0, 'h', '{move,lisbon}', '\xf83145b29a3bfb30', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('default', 'bob', 'turn-default-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 1, 'h', '{move,lisbon}', '\x57b91bb82eb852b0', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:01+00', '2026-11-21 08:00:01+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('acme', 'ann', 'turn-acme-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 10, 'h', '{move,lisbon}', '\xeb380c32d3b4a1b9', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:10+00', '2026-11-21 08:00:10+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('acme', 'bob', 'turn-acme-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 11, 'h', '{move,lisbon}', '\xcb304d9832b3b4bb', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:11+00', '2026-11-21 08:00:11+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('beta', 'ann', 'turn-beta-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 20, 'h', '{move,lisbon}', '\x09a3edb6163b4e31', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:20+00', '2026-11-21 08:00:20+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('beta', 'bob', 'turn-beta-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 21, 'h', '{move,lisbon}', '\x063223b96a37a638', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:21+00', '2026-11-21 08:00:21+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('诊所', 'ann', 'turn-诊所-ann', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 30, 'h', '{move,lisbon}', '\x14b693b6c92a9e3a', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:30+00', '2026-11-21 08:00:30+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('诊所', 'bob', 'turn-诊所-bob', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 31, 'h', '{move,lisbon}', '\xf9b5c138b339299e', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:00:31+00', '2026-11-21 08:00:31+00', '2026-12-21 08:00:00+00', '[{"ct": "3q2+7w==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.turns VALUES ('acme', 'eve', 'turn-acme-eve', 1, 's1', NULL, NULL, NULL, 'user', NULL, 'I moved to Lisbon in 2024.', NULL, 'en', 7, 91, 'h', '{move,lisbon}', '\xf22c4d379dba20b5', '', '{"action": "visit"}', '{"PERSON:mask": 1}', false, 'p', 1, '2026-11-21 08:01:31+00', '2026-11-21 08:01:31+00', '2026-12-21 08:00:00+00', '[{"ct": "Evd/L8LG1ICb/14Me4km/Dt+K50vLUxHAk9NUD4KxIdw6sF/hI2RCF3Sxkml9Ul1xn3WUQ==", "alg": "A256SIV", "kid": "1", "entity": "PHONE_NUMBER"}]', NULL, NULL);
INSERT INTO views_g2.visits VALUES ('acme', 'acme-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 10);
INSERT INTO views_g2.visits VALUES ('acme', 'acme-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 11);
INSERT INTO views_g2.visits VALUES ('beta', 'beta-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 20);
INSERT INTO views_g2.visits VALUES ('beta', 'beta-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 21);
INSERT INTO views_g2.visits VALUES ('default', 'default-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 0);
INSERT INTO views_g2.visits VALUES ('default', 'default-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 1);
INSERT INTO views_g2.visits VALUES ('诊所', '诊所-ann-visits-2', 'ann', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 30);
INSERT INTO views_g2.visits VALUES ('诊所', '诊所-bob-visits-2', 'bob', 'v_2', 1, '2026-11-21 08:00:00+00', '2026-11-21 08:00:00+00', 31);
ALTER TABLE ONLY audit.accesses
    ADD CONSTRAINT accesses_access_id_key UNIQUE (access_id);
ALTER TABLE ONLY audit.accesses
    ADD CONSTRAINT accesses_pkey PRIMARY KEY (chain, seq);
ALTER TABLE ONLY audit.chains
    ADD CONSTRAINT chains_pkey PRIMARY KEY (chain);
ALTER TABLE ONLY audit.subjects
    ADD CONSTRAINT subjects_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY audit.subjects
    ADD CONSTRAINT subjects_subject_key UNIQUE (subject);
ALTER TABLE ONLY auth.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY ops.generations
    ADD CONSTRAINT generations_pkey PRIMARY KEY (store, generation);
ALTER TABLE ONLY ops.heartbeats
    ADD CONSTRAINT heartbeats_pkey PRIMARY KEY (process);
ALTER TABLE ONLY ops.live_views
    ADD CONSTRAINT live_views_pkey PRIMARY KEY (store);
ALTER TABLE ONLY ops.log_losses
    ADD CONSTRAINT log_losses_pkey PRIMARY KEY (topic, partition, next_offset);
ALTER TABLE ONLY public.memstream_version
    ADD CONSTRAINT memstream_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY stream.positions
    ADD CONSTRAINT positions_pkey PRIMARY KEY (step, partition);
ALTER TABLE ONLY stream.state
    ADD CONSTRAINT state_pkey PRIMARY KEY (step, partition, owner, key);
ALTER TABLE ONLY stream.suspects
    ADD CONSTRAINT suspects_pkey PRIMARY KEY (step, topic, partition, record_offset);
ALTER TABLE ONLY trust.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (owner, generation);
ALTER TABLE ONLY trust.erasure_findings
    ADD CONSTRAINT erasure_findings_pkey PRIMARY KEY (erasure_id, owner, place);
ALTER TABLE ONLY trust.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (erasure_id);
ALTER TABLE ONLY views_g1.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (tenant, record_id, version);
ALTER TABLE ONLY views_g1.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (tenant, user_id, session_id, message_id);
ALTER TABLE ONLY views_g1.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (tenant, decision_id);
ALTER TABLE ONLY views_g1.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (tenant, record_id, version);
ALTER TABLE ONLY views_g1.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (tenant, record_id);
ALTER TABLE ONLY views_g1.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (stage, partition, root);
ALTER TABLE ONLY views_g1.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant, user_id, session_id);
ALTER TABLE ONLY views_g1.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (tenant, user_id, turn_id);
ALTER TABLE ONLY views_g1.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (tenant, record_id);
ALTER TABLE ONLY views_g2.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (tenant, record_id, version);
ALTER TABLE ONLY views_g2.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (tenant, user_id, session_id, message_id);
ALTER TABLE ONLY views_g2.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (tenant, decision_id);
ALTER TABLE ONLY views_g2.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (tenant, record_id, version);
ALTER TABLE ONLY views_g2.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (tenant, record_id);
ALTER TABLE ONLY views_g2.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (stage, partition, root);
ALTER TABLE ONLY views_g2.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant, user_id, session_id);
ALTER TABLE ONLY views_g2.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (tenant, user_id, turn_id);
ALTER TABLE ONLY views_g2.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (tenant, record_id);
CREATE INDEX accesses_context ON audit.accesses USING btree (tenant, context_id) WHERE (context_id IS NOT NULL);
CREATE INDEX accesses_owner ON audit.accesses USING btree (owner, at) WHERE (owner IS NOT NULL);
CREATE INDEX accesses_principal ON audit.accesses USING btree (principal);
CREATE INDEX accesses_tenant ON audit.accesses USING btree (tenant, at);
CREATE INDEX accesses_time ON audit.accesses USING btree (chain, at);
CREATE INDEX keys_tenant ON auth.keys USING btree (tenant);
CREATE UNIQUE INDEX generations_building ON ops.generations USING btree (store) WHERE (state = 'building'::text);
CREATE INDEX state_expiry ON stream.state USING btree (step, partition, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX data_keys_changed ON trust.data_keys USING btree (GREATEST(made_at, COALESCE(destroyed_at, made_at)));
CREATE INDEX data_keys_master ON trust.data_keys USING btree (master_id) WHERE (wrapped IS NOT NULL);
CREATE INDEX erasures_begun ON trust.erasures USING btree (tenant, started_at, erasure_id);
CREATE INDEX erasures_open ON trust.erasures USING btree (started_at, erasure_id) WHERE (state = 'under_way'::text);
CREATE INDEX erasures_tenant ON trust.erasures USING btree (tenant, accepted_at);
CREATE INDEX erasures_user ON trust.erasures USING btree (tenant, user_id);
CREATE INDEX archive_owner ON views_g1.archive USING btree (tenant, owner_kind, owner_id);
CREATE INDEX decisions_record ON views_g1.decisions USING btree (tenant, record_id) WHERE (record_id IS NOT NULL);
CREATE INDEX decisions_time ON views_g1.decisions USING btree (accepted_at);
CREATE INDEX decisions_turn ON views_g1.decisions USING btree (tenant, owner_id, turn_id) WHERE (turn_id IS NOT NULL);
CREATE INDEX memories_also ON views_g1.memories USING gin (also) WHERE (also <> '{}'::text[]);
CREATE INDEX memories_expiry ON views_g1.memories USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX memories_owner ON views_g1.memories USING btree (tenant, owner_kind, owner_id, kind, state);
CREATE INDEX memories_project_items ON views_g1.memories USING btree (tenant, project_id) WHERE ((kind = 'item'::text) AND (project_id IS NOT NULL));
CREATE INDEX memories_user ON views_g1.memories USING btree (tenant, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX plans_goal ON views_g1.plans USING btree (tenant, goal);
CREATE INDEX plans_user ON views_g1.plans USING btree (tenant, user_id);
CREATE INDEX sessions_updated ON views_g1.sessions USING btree (updated_at);
CREATE INDEX turns_expiry ON views_g1.turns USING btree (expires_at);
CREATE INDEX turns_project ON views_g1.turns USING btree (tenant, project_id, accepted_at) WHERE (project_id IS NOT NULL);
CREATE INDEX turns_session ON views_g1.turns USING btree (tenant, user_id, session_id, "position");
CREATE INDEX visits_user ON views_g1.visits USING btree (tenant, user_id);
CREATE INDEX archive_owner ON views_g2.archive USING btree (tenant, owner_kind, owner_id);
CREATE INDEX decisions_record ON views_g2.decisions USING btree (tenant, record_id) WHERE (record_id IS NOT NULL);
CREATE INDEX decisions_time ON views_g2.decisions USING btree (accepted_at);
CREATE INDEX decisions_turn ON views_g2.decisions USING btree (tenant, owner_id, turn_id) WHERE (turn_id IS NOT NULL);
CREATE INDEX memories_also ON views_g2.memories USING gin (also) WHERE (also <> '{}'::text[]);
CREATE INDEX memories_expiry ON views_g2.memories USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX memories_owner ON views_g2.memories USING btree (tenant, owner_kind, owner_id, kind, state);
CREATE INDEX memories_project_items ON views_g2.memories USING btree (tenant, project_id) WHERE ((kind = 'item'::text) AND (project_id IS NOT NULL));
CREATE INDEX memories_user ON views_g2.memories USING btree (tenant, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX plans_goal ON views_g2.plans USING btree (tenant, goal);
CREATE INDEX plans_user ON views_g2.plans USING btree (tenant, user_id);
CREATE INDEX sessions_updated ON views_g2.sessions USING btree (updated_at);
CREATE INDEX turns_expiry ON views_g2.turns USING btree (expires_at);
CREATE INDEX turns_project ON views_g2.turns USING btree (tenant, project_id, accepted_at) WHERE (project_id IS NOT NULL);
CREATE INDEX turns_session ON views_g2.turns USING btree (tenant, user_id, session_id, "position");
CREATE INDEX visits_user ON views_g2.visits USING btree (tenant, user_id);
CREATE TRIGGER archive_changed AFTER UPDATE ON views_g1.memories FOR EACH ROW WHEN ((((new.state = 'archived'::text) OR (old.state = 'archived'::text)) AND (new.owner_kind = 'user'::text) AND (new.revision > old.revision))) EXECUTE FUNCTION views_g1.move_to_archive();
CREATE TRIGGER archive_new AFTER INSERT ON views_g1.memories FOR EACH ROW WHEN (((new.state = 'archived'::text) AND (new.owner_kind = 'user'::text))) EXECUTE FUNCTION views_g1.move_to_archive();
CREATE TRIGGER archive_changed AFTER UPDATE ON views_g2.memories FOR EACH ROW WHEN ((((new.state = 'archived'::text) OR (old.state = 'archived'::text)) AND (new.owner_kind = 'user'::text) AND (new.revision > old.revision))) EXECUTE FUNCTION views_g2.move_to_archive();
CREATE TRIGGER archive_new AFTER INSERT ON views_g2.memories FOR EACH ROW WHEN (((new.state = 'archived'::text) AND (new.owner_kind = 'user'::text))) EXECUTE FUNCTION views_g2.move_to_archive();
ALTER TABLE ONLY auth.keys
    ADD CONSTRAINT keys_replaces_fkey FOREIGN KEY (replaces) REFERENCES auth.keys(key_id);
ALTER TABLE views_g1.archive ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g1.checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g1.decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g1.memories ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON views_g1.archive FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g1.checkpoints FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g1.decisions FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g1.memories FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g1.sessions FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g1.turns FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
ALTER TABLE views_g1.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g1.turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g2.archive ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g2.checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g2.decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g2.memories ENABLE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON views_g2.archive FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g2.checkpoints FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g2.decisions FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g2.memories FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g2.sessions FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
CREATE POLICY one_tenant ON views_g2.turns FOR SELECT TO memstream_reader USING ((tenant = current_setting('memstream.tenant'::text, true)));
ALTER TABLE views_g2.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE views_g2.turns ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA ops TO memstream_reader;
GRANT USAGE ON SCHEMA views_g1 TO memstream_reader;
GRANT USAGE ON SCHEMA views_g2 TO memstream_reader;
GRANT SELECT ON TABLE ops.heartbeats TO memstream_reader;
GRANT SELECT ON TABLE ops.live_views TO memstream_reader;
GRANT SELECT ON TABLE views_g1.checkpoints TO memstream_reader;
GRANT SELECT ON TABLE views_g1.turns TO memstream_reader;
GRANT SELECT ON TABLE views_g1.ai_message TO memstream_reader;
GRANT SELECT ON TABLE views_g1.archive TO memstream_reader;
GRANT SELECT ON TABLE views_g1.conversation_history TO memstream_reader;
GRANT SELECT ON TABLE views_g1.decisions TO memstream_reader;
GRANT SELECT ON TABLE views_g1.memories TO memstream_reader;
GRANT SELECT ON TABLE views_g1.episodic_events TO memstream_reader;
GRANT SELECT ON TABLE views_g1.knowledge_chunks TO memstream_reader;
GRANT SELECT ON TABLE views_g1.progress TO memstream_reader;
GRANT SELECT ON TABLE views_g1.project_memory TO memstream_reader;
GRANT SELECT ON TABLE views_g1.sessions TO memstream_reader;
GRANT SELECT ON TABLE views_g1.user_preferences TO memstream_reader;
GRANT SELECT ON TABLE views_g1.weekly_reports TO memstream_reader;
GRANT SELECT ON TABLE views_g2.checkpoints TO memstream_reader;
GRANT SELECT ON TABLE views_g2.turns TO memstream_reader;
GRANT SELECT ON TABLE views_g2.ai_message TO memstream_reader;
GRANT SELECT ON TABLE views_g2.archive TO memstream_reader;
GRANT SELECT ON TABLE views_g2.conversation_history TO memstream_reader;
GRANT SELECT ON TABLE views_g2.decisions TO memstream_reader;
GRANT SELECT ON TABLE views_g2.memories TO memstream_reader;
GRANT SELECT ON TABLE views_g2.episodic_events TO memstream_reader;
GRANT SELECT ON TABLE views_g2.knowledge_chunks TO memstream_reader;
GRANT SELECT ON TABLE views_g2.progress TO memstream_reader;
GRANT SELECT ON TABLE views_g2.project_memory TO memstream_reader;
GRANT SELECT ON TABLE views_g2.sessions TO memstream_reader;
GRANT SELECT ON TABLE views_g2.user_preferences TO memstream_reader;
GRANT SELECT ON TABLE views_g2.weekly_reports TO memstream_reader;
