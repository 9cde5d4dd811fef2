-- Counts a failed delivery; frame.lua stands before it. A repeat is known by the attempt's name.
-- KEYS: the inbox
-- ARGV: the message's id, the attempt's name
-- The hash /failed has for each id 'count first-millis last-millis attempt'.
-- Returns 'count first-millis last-millis', or 0 where the message is gone.

local failed = KEYS[1] .. '/failed'
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then
  redis.call('HDEL', failed, ARGV[1])
  return '0 0 0'
end
local count, first, last, attempt = string.match(redis.call('HGET', failed, ARGV[1]) or '', '^(%d+) (%d+) (%d+) (.*)$')
if attempt ~= ARGV[2] then
  count, first, last = (count or 0) + 1, first or now, now
  redis.call('HSET', failed, ARGV[1], count .. ' ' .. first .. ' ' .. last .. ' ' .. ARGV[2])
end
return count .. ' ' .. first .. ' ' .. last
