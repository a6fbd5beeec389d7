-- C8: what a retention class moves out of the view before it is gone from there. A user's record whose newest revision
-- has state 'archived' stands here whole (`record`: its row, without terms and vector), and in `memories` only with its
-- ids, times and revision, under which nothing older comes back. Both change in the statement that brings the revision,
-- whoever writes it; a later revision (the record comes back, or is deleted) takes the row out of here again, so a
-- rebuild ends with the same rows. `expires_at` is when the class ended it.

CREATE TABLE IF NOT EXISTS {schema}.archive (
    tenant     text        NOT NULL,
    record_id  text        NOT NULL,
    version    integer     NOT NULL,
    owner_kind text        NOT NULL,
    owner_id   text        NOT NULL,
    session_id text,
    kind       text        NOT NULL,
    namespace  text[]      NOT NULL,
    known_at   timestamptz NOT NULL,
    expires_at timestamptz,
    record     jsonb       NOT NULL,
    PRIMARY KEY (tenant, record_id, version)
);
CREATE INDEX IF NOT EXISTS archive_owner ON {schema}.archive (tenant, owner_kind, owner_id);

CREATE OR REPLACE FUNCTION {schema}.move_to_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM {schema}.archive
    WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    IF NEW.state = 'archived' AND NOT NEW.deleted THEN
        INSERT INTO {schema}.archive VALUES (
            NEW.tenant, NEW.record_id, NEW.version, NEW.owner_kind, NEW.owner_id, NEW.session_id, NEW.kind,
            NEW.namespace, NEW.known_at, NEW.expires_at, to_jsonb(NEW) - 'terms' - 'embedding');
        UPDATE {schema}.memories
        SET text = '', value = NULL, attributes = '{}', terms = '{}', embedding = '', sources = '[]', sealed = NULL,
            sealed_for = NULL
        WHERE tenant = NEW.tenant AND record_id = NEW.record_id AND version = NEW.version;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER archive_new AFTER INSERT ON {schema}.memories
FOR EACH ROW WHEN (NEW.state = 'archived' AND NEW.owner_kind = 'user')
EXECUTE FUNCTION {schema}.move_to_archive();
CREATE OR REPLACE TRIGGER archive_changed AFTER UPDATE ON {schema}.memories
FOR EACH ROW WHEN ((NEW.state = 'archived' OR OLD.state = 'archived') AND NEW.owner_kind = 'user'
                   AND NEW.revision > OLD.revision)
EXECUTE FUNCTION {schema}.move_to_archive();

-- What stood archived in the view before there was an archive.
WITH moved AS (
    INSERT INTO {schema}.archive
    SELECT tenant, record_id, version, owner_kind, owner_id, session_id, kind, namespace, known_at, expires_at,
           to_jsonb(m) - 'terms' - 'embedding'
    FROM {schema}.memories m WHERE state = 'archived' AND owner_kind = 'user' AND NOT deleted
    ON CONFLICT DO NOTHING RETURNING tenant, record_id, version
)
UPDATE {schema}.memories m
SET text = '', value = NULL, attributes = '{}', terms = '{}', embedding = '', sources = '[]', sealed = NULL,
    sealed_for = NULL
FROM moved WHERE (m.tenant, m.record_id, m.version) = (moved.tenant, moved.record_id, moved.version);
