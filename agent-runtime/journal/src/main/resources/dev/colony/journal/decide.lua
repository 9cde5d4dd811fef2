-- Lets a log that has lost events go on from what is there.
-- KEYS: the stream, the meta hash, the slot's set of ids that have lost events.
-- ARGV: the persistence id, the decision, which the next append takes away.
-- Gives 1; 0 where the log has lost nothing, or has been decided about.
redis.call('SREM', KEYS[3], ARGV[1])
local lost = redis.call('HGET', KEYS[2], 'lost')
if not lost then
  return 0
end
redis.call('HSET', KEYS[2], 'decision', ARGV[2] .. ' ' .. lost)
redis.call('HDEL', KEYS[2], 'lost')
return 1
