-- The second wall between tenants (C7): the query service reads views as the role memstream_reader, for which every
-- table with a tenant shows the rows of one tenant only, the one that the connection names. Writers own the tables and
-- are not bound by it. Structured tables in tenants' spaces (schemas/storage/relations.py) are left out: the role has
-- no grant on them, and all in one transaction would take more locks than a server has.
DO $$ BEGIN
    CREATE ROLE memstream_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
    IF NOT pg_has_role(current_user, 'memstream_reader', 'MEMBER') THEN
        EXECUTE format('GRANT memstream_reader TO %I', current_user);
    END IF;
END $$;
GRANT USAGE ON SCHEMA ops TO memstream_reader;
GRANT SELECT ON ops.live_views, ops.heartbeats TO memstream_reader;

CREATE OR REPLACE FUNCTION ops.wall(in_schema text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE found record;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO memstream_reader', in_schema);
    FOR found IN
        SELECT c.relname AS name FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = in_schema AND c.relkind IN ('r', 'p', 'v', 'm') AND strpos(c.relname, '/') = 0
    LOOP
        EXECUTE format('GRANT SELECT ON %I.%I TO memstream_reader', in_schema, found.name);
    END LOOP;
    IF to_regprocedure(format('%I.led_to(text)', in_schema)) IS NOT NULL THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION %I.led_to(text) TO memstream_reader', in_schema);
    END IF;
    FOR found IN
        SELECT c.relname AS name FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
        WHERE n.nspname = in_schema AND c.relkind IN ('r', 'p') AND strpos(c.relname, '/') = 0
          AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'one_tenant')
    LOOP
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', in_schema, found.name);
        EXECUTE format(
            'CREATE POLICY one_tenant ON %I.%I FOR SELECT TO memstream_reader '
            'USING (tenant = current_setting(''memstream.tenant'', true))', in_schema, found.name);
    END LOOP;
END $$;
