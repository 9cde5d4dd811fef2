-- Gives a log back the events that it has lost.
-- KEYS: the stream, the meta hash, the slot's set of ids that have lost events, that of outstanding ids.
-- ARGV: the persistence id, the sequence number of the first frame, the writer of the last, the frames.
-- Gives 1; 0 where the log has lost nothing, 2 where the frames do not continue it or do not reach as far as it once did.
local meta = redis.call('HMGET', KEYS[2], 'last', 'lost')
if not meta[2] then
  redis.call('SREM', KEYS[3], ARGV[1])
  return 0
end
local last, from, count = tonumber(meta[1] or 0), tonumber(ARGV[2]), #ARGV - 3
if from ~= last + 1 or last + count < tonumber(meta[2]) then
  return 2
end
for i = 1, count do
  redis.call('XADD', KEYS[1], string.format('%.0f-0', last + i), 'f', ARGV[3 + i])
end
-- What the events led to on the blackboard may be gone, too: the next writer sees to that.
redis.call('HSET', KEYS[2], 'last', string.format('%.0f', last + count), 'writer', ARGV[3],
  'decision', 'restored ' .. string.format('%.0f', last))
redis.call('HDEL', KEYS[2], 'lost')
redis.call('SREM', KEYS[3], ARGV[1])
-- Whether there is work outstanding is known by the agent: it is started to look.
redis.call('SADD', KEYS[4], ARGV[1])
return 1
