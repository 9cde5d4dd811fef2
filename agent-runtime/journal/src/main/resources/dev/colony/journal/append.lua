-- Appends to one log, if the append continues where the log ends.
-- KEYS: the stream, the meta hash, the slot's set of ids that have lost events, and with an index operation the slot's set
-- of outstanding ids.
-- ARGV: from, writer, index operation ('', 'SADD' or 'SREM'), persistence id, then the frames.
-- Gives the last sequence number stored; for a refusal the negative of where the log goes on; 0 where the store has lost
-- events of this log, which is remembered in 'lost' until an operator has decided.
local from = tonumber(ARGV[1])
local meta = redis.call('HMGET', KEYS[2], 'last', 'lost', 'removed', 'decision')
local last = tonumber(meta[1] or 0)
local count = #ARGV - 4
if from ~= last + 1 then
  -- Already stored, byte for byte: an exact repeat, which is success.
  local to = from + count - 1
  if to <= last then
    local stored = redis.call('XRANGE', KEYS[1], ARGV[1], string.format('%.0f', to))
    local same = #stored == count
    for i = 1, #stored do
      same = same and stored[i][2][2] == ARGV[4 + i]
    end
    if same then
      return to
    end
  end
end
if meta[2] then
  return 0
end
if from ~= last + 1 then
  -- Its writer was told that all before is stored. Nothing but a store that went back can have it otherwise.
  if from > last + 1 and not meta[3] then
    redis.call('HSET', KEYS[2], 'lost', string.format('%.0f', from - 1))
    redis.call('SADD', KEYS[3], ARGV[4])
    return 0
  end
  return -(last + 1)
end
for i = 1, count do
  redis.call('XADD', KEYS[1], string.format('%.0f-0', last + i), 'f', ARGV[4 + i])
end
redis.call('HSET', KEYS[2], 'last', string.format('%.0f', last + count), 'writer', ARGV[2])
if meta[3] then
  redis.call('HDEL', KEYS[2], 'removed')
  redis.call('PERSIST', KEYS[2])
end
if meta[4] then
  redis.call('HDEL', KEYS[2], 'decision')
end
if ARGV[3] ~= '' then
  redis.call(ARGV[3], KEYS[4], ARGV[4])
end
return last + count
