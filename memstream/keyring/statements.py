"""What the keyring asks of `trust.data_keys`. Each statement is of one key, of an owner's, or of a bounded page."""

NEWEST = "SELECT generation, master_id, wrapped FROM trust.data_keys WHERE owner = %s ORDER BY generation DESC LIMIT 1"
ONE = "SELECT master_id, wrapped FROM trust.data_keys WHERE owner = %s AND generation = %s"
CHANGED = """
(SELECT owner, now() FROM trust.data_keys
WHERE greatest(made_at, coalesce(destroyed_at, made_at)) > coalesce(%s::timestamptz, now()) - interval '5 seconds'
LIMIT %s)
UNION ALL SELECT NULL, now()
"""
DESTROY_PAGE = """
WITH page AS (
  SELECT owner, generation FROM trust.data_keys
  WHERE split_part(owner, '/', 1) = %s AND (owner, generation) > (%s, %s) AND wrapped IS NOT NULL
  ORDER BY owner, generation LIMIT %s
), gone AS (
  UPDATE trust.data_keys k SET wrapped = NULL, destroyed_at = now() FROM page
  WHERE k.owner = page.owner AND k.generation = page.generation AND k.wrapped IS NOT NULL
)
SELECT owner, generation FROM page ORDER BY owner, generation
"""
"""By the index `data_keys_tenant`; data of a WITH is changed whether it is read or not."""
KEYS_PAGE = """
SELECT owner, generation, master_id, wrapped FROM trust.data_keys
WHERE (owner, generation) > (%s, %s) ORDER BY owner, generation LIMIT %s
"""
REWRAP = """
UPDATE trust.data_keys k SET master_id = %s, wrapped = n.wrapped
FROM unnest(%s::text[], %s::integer[], %s::bytea[]) AS n (owner, generation, wrapped)
WHERE k.owner = n.owner AND k.generation = n.generation AND k.wrapped IS NOT NULL
"""
DESTROY = """
UPDATE trust.data_keys k SET wrapped = NULL, destroyed_at = now() WHERE wrapped IS NOT NULL AND owner = %s
  AND generation < (SELECT max(generation) FROM trust.data_keys n WHERE n.owner = k.owner)
"""
MASTERS = "SELECT DISTINCT master_id FROM trust.data_keys WHERE wrapped IS NOT NULL ORDER BY 1"
OF_MASTER = """
SELECT owner, generation, wrapped FROM trust.data_keys WHERE wrapped IS NOT NULL AND master_id = %s LIMIT 1
"""
ADD = """
INSERT INTO trust.data_keys (owner, generation, master_id, wrapped) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING
"""
