-- E3: the seed's ai_message, a pair of question and answer a row, read from the turns, and a row for each checkpoint.
-- A pair begins with what the user says and takes all that is said before the user speaks again, by the order of the
-- log. With the rights of who asks: the wall between tenants stands here, too. Where text is sealed (C7) it is empty.
CREATE OR REPLACE VIEW {schema}.ai_message WITH (security_invoker = true) AS
WITH said AS (
    SELECT *, count(*) FILTER (WHERE role = 'user') OVER (
        PARTITION BY tenant, user_id, session_id ORDER BY position, turn_id) AS pair
    FROM {schema}.turns
)
SELECT tenant, user_id,
       (array_agg(turn_id ORDER BY position, turn_id))[1] AS message_id,
       session_id AS conversation_id,
       coalesce(string_agg(content, E'\n' ORDER BY position, turn_id) FILTER (WHERE role = 'user'), '') AS query,
       coalesce(string_agg(content, E'\n' ORDER BY position, turn_id) FILTER (WHERE role = 'assistant'), '') AS answer,
       min(occurred_at) AS create_time,
       user_id AS create_by,
       max(occurred_at) AS update_time,
       coalesce((array_agg(agent_id ORDER BY position DESC, turn_id DESC) FILTER (WHERE agent_id IS NOT NULL))[1],
                user_id) AS update_by
FROM said
GROUP BY tenant, user_id, session_id, pair
UNION ALL
SELECT tenant, user_id, message_id, session_id, '[MEMORY_CHECKPOINT]',
       CASE WHEN sealed IS NULL THEN '历史摘要: ' || summary ELSE '' END,
       created_at, 'memstream', created_at, 'memstream'
FROM {schema}.checkpoints;
