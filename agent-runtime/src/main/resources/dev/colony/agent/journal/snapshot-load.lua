-- The newest snapshot within bounds: its sequence number, timestamp and frame; nothing if none is.
-- KEYS: the index, the snapshots. ARGV: lowest and highest sequence number, lowest and highest timestamp.
local low, high = tonumber(ARGV[3]), tonumber(ARGV[4])
for _, member in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[2], ARGV[1])) do
  local number, timestamp = string.match(member, '^(%d+):(%d+)$')
  if tonumber(timestamp) >= low and tonumber(timestamp) <= high then
    return {number, timestamp, redis.call('HGET', KEYS[2], number)}
  end
end
return {}
