-- Which stubs stand in a log and its snapshots.
-- KEYS: the stream, the meta hash, the snapshots. ARGV: numbers, behind 'e' those of events, behind 's' those of snapshots.
-- Gives 1 where the store has lost events of the log and no operator has decided, else 0; then for each number the frame
-- that stands there if it is a stub, else ''.
local reply = { redis.call('HMGET', KEYS[2], 'lost')[1] and 1 or 0 }
for i, asked in ipairs(ARGV) do
  local number = string.sub(asked, 2)
  local frame
  if string.sub(asked, 1, 1) == 'e' then
    local stored = redis.call('XRANGE', KEYS[1], number .. '-0', number .. '-0')
    frame = stored[1] and stored[1][2][2]
  else
    frame = redis.call('HGET', KEYS[3], number)
  end
  reply[i + 1] = frame and string.sub(frame, 2, 2) == 'o' and frame or ''
end
return reply
