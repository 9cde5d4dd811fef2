-- A view of the log as in read.lua, without entries, and the newest snapshot within bounds: its sequence number, timestamp
-- and frame; nothing if none is.
-- KEYS: the index, the snapshots, the stream, the meta hash of the log.
-- ARGV: lowest and highest sequence number, lowest and highest timestamp.
local low, high = tonumber(ARGV[3]), tonumber(ARGV[4])
local meta = redis.call('HMGET', KEYS[4], 'last', 'deleted', 'writer', 'lost', 'decision')
local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
local snapshot = {}
for _, member in ipairs(redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[2], ARGV[1])) do
  local number, timestamp = string.match(member, '^(%d+):(%d+)$')
  if tonumber(timestamp) >= low and tonumber(timestamp) <= high then
    snapshot = { number, timestamp, redis.call('HGET', KEYS[2], number) }
    break
  end
end
return {
  meta[1] or '0',
  meta[2] or '0',
  meta[3] or '',
  newest[1] and newest[1][1] or '0-0',
  {},
  meta[4] or '0',
  meta[5] or '',
  snapshot
}
