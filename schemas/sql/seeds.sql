-- The seeds' own tables by their names and columns, read from the two views that hold them (A1, A3, A6, D7, D8, D9), for
-- queries in SQL. What stands now: no earlier values, nothing observed, nothing past its day. With the rights of who
-- asks: the wall between tenants stands here, too. Where text is sealed (C7) it is empty, and so are values.
-- A vector's id in Milvus is made of tenant, record id and version; here it is named by the last two.

CREATE OR REPLACE VIEW {schema}.conversation_history WITH (security_invoker = true) AS
SELECT tenant, turn_id AS id, project_id, user_id, role, content, intent, embedding, accepted_at AS created_at,
       expires_at
FROM {schema}.turns
WHERE expires_at > now();

-- `created_at`: since when the value holds.
CREATE OR REPLACE VIEW {schema}.project_memory WITH (security_invoker = true) AS
SELECT tenant, record_id AS id, owner_id AS project_id, category AS type, key, value, priority,
       valid_from AS created_at, known_at AS updated_at
FROM {schema}.memories
WHERE kind = 'hot' AND state = 'active' AND NOT deleted;

CREATE OR REPLACE VIEW {schema}.weekly_reports WITH (security_invoker = true) AS
SELECT tenant, record_id AS id, owner_id AS project_id, key::date AS week_start, key::date + 6 AS week_end,
       text AS summary, value -> 'key_events' AS key_events, value -> 'metrics' AS metrics, embedding,
       known_at AS created_at
FROM {schema}.memories
WHERE kind = 'report' AND state = 'active' AND NOT deleted;

CREATE OR REPLACE VIEW {schema}.episodic_events WITH (security_invoker = true) AS
SELECT tenant, record_id AS event_id, owner_id AS user_id, session_id, occurred_at AS created_at, last_accessed_at,
       episode_type AS event_type, text AS content_text, record_id || '/' || version AS content_embedding_id,
       importance AS importance_score,
       jsonb_build_object('project_id', project_id, 'tags', to_jsonb(array_remove(ARRAY[category], NULL))) AS metadata,
       interaction_id AS source_interaction_id
FROM {schema}.memories
WHERE kind = 'episode' AND state = 'active' AND NOT deleted AND (expires_at IS NULL OR expires_at > now());

-- Active and archived versions.
CREATE OR REPLACE VIEW {schema}.knowledge_chunks WITH (security_invoker = true) AS
SELECT tenant, record_id AS chunk_id, owner_id AS document_id, key AS document_version, text AS chunk_text,
       record_id || '/' || version AS chunk_embedding_id, attributes -> 'source_metadata' AS source_metadata,
       attributes -> 'hierarchy_info' AS hierarchy_info, state AS status
FROM {schema}.memories
WHERE kind = 'chunk' AND state IN ('active', 'archived') AND NOT deleted;

-- `created_at`: since when the value holds; `last_updated_at`: when it was learned.
CREATE OR REPLACE VIEW {schema}.user_preferences WITH (security_invoker = true) AS
SELECT tenant, record_id AS id, owner_id AS user_id, field AS preference_key,
       coalesce(value, to_jsonb(nullif(text, ''))) AS preference_value, scope, source, confidence,
       coalesce(valid_from, occurred_at) AS created_at, known_at AS last_updated_at
FROM {schema}.memories
WHERE kind = 'preference' AND state = 'active' AND NOT deleted AND (expires_at IS NULL OR expires_at > now());
