-- Deletes the entries of a log up to a sequence number; the last one stays remembered.
-- KEYS: the stream, the meta hash. ARGV: to. Gives the deleted-to that holds now.
local meta = redis.call('HMGET', KEYS[2], 'last', 'deleted')
local deleted = tonumber(meta[2] or 0)
local to = math.min(tonumber(ARGV[1]), tonumber(meta[1] or 0))
if to > deleted then
  redis.call('HSET', KEYS[2], 'deleted', string.format('%.0f', to))
  redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f-0', to + 1))
  deleted = to
end
return deleted
