-- The records that an id leads to which a caller was told for the same said again. Of the tenant that the connection
-- names, as the policy of the reading role has it (wall.sql). As its owner: behind the policy the role cannot use the
-- index by `also`, whose operator might tell of rows that the policy hides, and would read the whole table.
CREATE OR REPLACE FUNCTION {schema}.led_to(told text) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT m.record_id FROM {schema}.memories m
    WHERE m.also @> ARRAY[told] AND m.also <> '{}' AND NOT m.deleted
      AND m.tenant = current_setting('memstream.tenant', true)
$$;
REVOKE ALL ON FUNCTION {schema}.led_to(text) FROM PUBLIC;
