-- Moves a message to the dead letters; frame.lua, lapsed.lua and waiting.lua stand before it. A repeat finds it gone.
-- KEYS: the inbox
-- ARGV: its id, the reason, how many dead letters are kept, for how many milliseconds, how many failed deliveries it needs
-- A dead letter has what the message has, and y the reason, n how many deliveries failed, f and l when the first and the
-- last did, and t when it was moved. Returns 1 if it was moved.

local inbox = KEYS[1]
local message = redis.call('XRANGE', inbox, ARGV[1], ARGV[1])[1]
if not message then
  return 0
end
local count, first, last = string.match(redis.call('HGET', inbox .. '/failed', ARGV[1]) or '', '^(%d+) (%d+) (%d+)')
if tonumber(count or 0) < tonumber(ARGV[5]) then
  return 0
end
local fields = {}
for i = 1, #message[2], 2 do
  fields[message[2][i]] = message[2][i + 1]
end
redis.call('XADD', inbox .. '/dead', 'MAXLEN', ARGV[3], '*', 'r', fields.r, 's', fields.s, 'e', fields.e, 'c',
    fields.c or '0', 'y', ARGV[2], 'n', count or 0, 'f', first or now, 'l', last or now, 't', now)
lapse(inbox, tonumber(ARGV[4]))
redis.call('XDEL', inbox, ARGV[1])
redis.call('HDEL', inbox .. '/failed', ARGV[1])
if fields.c == '1' then
  count_waiting(string.match(inbox, '^colony:%b{}:'), fields.r, fields.s, -1)
end
return 1
