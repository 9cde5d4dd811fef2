-- A node's tick on one server, by which it notices that the server has gone back to an older state.
-- KEYS: the hash of all nodes' last ticks. ARGV: the node, the number of its tick; '' stores none.
-- Gives the number of its tick before, as stored, then all nodes with theirs.
local before = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
return { before or '0', redis.call('HGETALL', KEYS[1]) }
