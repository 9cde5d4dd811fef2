-- Deletes the snapshots within bounds and gives how many there were.
-- KEYS: the index, the snapshots. ARGV: lowest and highest sequence number, lowest and highest timestamp.
local low, high = tonumber(ARGV[3]), tonumber(ARGV[4])
local deleted = 0
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2])) do
  local number, timestamp = string.match(member, '^(%d+):(%d+)$')
  if tonumber(timestamp) >= low and tonumber(timestamp) <= high then
    redis.call('ZREM', KEYS[1], member)
    redis.call('HDEL', KEYS[2], number)
    deleted = deleted + 1
  end
end
return deleted
