-- Stores a snapshot, in the place of an older one with the same sequence number, and lets go of what
-- is not to be kept: older snapshots, and perhaps the events that the oldest one left holds.
-- KEYS: the index, the snapshots, the stream, the meta hash of the log.
-- ARGV: sequence number, timestamp, frame, how many snapshots are kept, whether all events are ('1').
redis.call('ZREMRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1] .. ':' .. ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
local kept = tonumber(ARGV[4])
local over = redis.call('ZCARD', KEYS[1]) - kept
if over > 0 then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do
    redis.call('ZREM', KEYS[1], member)
    redis.call('HDEL', KEYS[2], string.match(member, '^(%d+):'))
  end
end
if over >= 0 and ARGV[5] ~= '1' then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  local meta = redis.call('HMGET', KEYS[4], 'last', 'deleted')
  local to = math.min(tonumber(string.match(oldest, '^(%d+):')), tonumber(meta[1] or 0))
  if to > tonumber(meta[2] or 0) then
    redis.call('HSET', KEYS[4], 'deleted', string.format('%.0f', to))
    redis.call('XTRIM', KEYS[3], 'MINID', string.format('%.0f-0', to + 1))
  end
end
return 1
