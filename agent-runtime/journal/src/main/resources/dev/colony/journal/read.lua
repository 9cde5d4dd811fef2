-- One consistent view of a log: last, deleted-to, last writer, newest entry's id, a batch of entries, how far it once
-- reached if the store has lost the events since.
-- KEYS: the stream, the meta hash. ARGV: from, to, how many entries at most (0: none).
local meta = redis.call('HMGET', KEYS[2], 'last', 'deleted', 'writer', 'lost', 'decision')
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local entries = {}
if ARGV[3] ~= '0' then
  entries = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])
end
return {
  meta[1] or '0',
  meta[2] or '0',
  meta[3] or '',
  newest[1] and newest[1][1] or '0-0',
  entries,
  meta[4] or '0',
  meta[5] or ''
}
