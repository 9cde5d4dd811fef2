-- Whether a log still holds an event that its writer was told is stored; where it does not, that is remembered in 'lost'.
-- KEYS: the stream, the meta hash, the slot's set of ids that have lost events.
-- ARGV: the persistence id, the event's sequence number, the SHA-1 of its frame; '' for an event behind the last, of which
-- nothing is known.
-- Gives -1 if it is there, or went by retention or removal since, else the last sequence number that is.
local meta = redis.call('HMGET', KEYS[2], 'last', 'deleted', 'lost', 'removed')
local number = ARGV[2] ~= '' and ARGV[2] or string.format('%.0f', tonumber(meta[1] or 0) + 1)
if meta[4] or tonumber(meta[2] or 0) >= tonumber(number) then
  return -1
end
local stored = redis.call('XRANGE', KEYS[1], number, number)
if stored[1] and redis.sha1hex(stored[1][2][2]) == ARGV[3] then
  return -1
end
if tonumber(meta[3] or 0) < tonumber(number) then
  redis.call('HSET', KEYS[2], 'lost', number)
  redis.call('SADD', KEYS[3], ARGV[1])
end
return tonumber(meta[1] or 0)
