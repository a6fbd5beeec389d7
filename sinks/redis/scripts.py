"""The Lua scripts of the Redis sink: each writes one owner's keys whole, in one atomic step."""

SESSION = """
-- KEYS: session, history, summary, anchors, revision
-- ARGV: revision, ttl ms (0: not held), guard ttl ms, value, n, n messages, m, m summaries, anchors (field, value)*
local held = tonumber(redis.call('GET', KEYS[5]) or '-1')
if tonumber(ARGV[1]) < held then return 0 end
-- The SET comes first: a server without memory refuses a script at its first write that needs some, and none behind it.
redis.call('SET', KEYS[5], ARGV[1], 'PX', ARGV[3])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
local ttl = tonumber(ARGV[2])
if ttl <= 0 then return 1 end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ttl)
local at = 5
for list = 2, 3 do
  local n = tonumber(ARGV[at])
  for i = at + 1, at + n do redis.call('RPUSH', KEYS[list], ARGV[i]) end
  if n > 0 then redis.call('PEXPIRE', KEYS[list], ttl) end
  at = at + n + 1
end
for i = at, #ARGV, 2 do redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1]) end
if at <= #ARGV then redis.call('PEXPIRE', KEYS[4], ttl) end
return 1
"""

SESSION_GONE = """
-- KEYS: session, history, summary, anchors, revision
return redis.call('DEL', unpack(KEYS))
"""

HOT_CHANGED = """
-- KEYS: snapshot, guard. ARGV: (record id, revision)*
for i = 1, #ARGV, 2 do
  local held = tonumber(redis.call('HGET', KEYS[2], ARGV[i]) or '0')
  if tonumber(ARGV[i + 1]) > held then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
redis.call('DEL', KEYS[1])
return 1
"""

HOT_FILL = """
-- KEYS: snapshot, guard. ARGV: ttl ms, value, (record id, revision)* of all rows that the value was made of
local have = {}
for i = 3, #ARGV, 2 do have[ARGV[i]] = tonumber(ARGV[i + 1]) end
local guard = redis.call('HGETALL', KEYS[2])
for i = 1, #guard, 2 do
  if (have[guard[i]] or 0) < tonumber(guard[i + 1]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
redis.call('DEL', KEYS[2])
return 1
"""

PROGRESS = """
-- KEYS: progress hash. ARGV: (root, next offset)*
for i = 1, #ARGV, 2 do
  local held = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '-1')
  if tonumber(ARGV[i + 1]) > held then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
"""
