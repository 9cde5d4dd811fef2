-- Removes all entries and stores one event; frame.lua and scope.lua stand before it.
-- Returns how many there were.

local UNLINKED_AT_ONCE = 4000

local done = remembered()
if done then
  return done
end

open_log()
while expire(UNLINKED_AT_ONCE) > 0 do
end
local keys = redis.call('ZRANGE', scope .. '/keys', 0, -1)
for first = 1, #keys, UNLINKED_AT_ONCE do
  local entries = {}
  for i = first, math.min(#keys, first + UNLINKED_AT_ONCE - 1) do
    entries[#entries + 1] = scope .. '/entry/' .. keys[i]
  end
  redis.call('UNLINK', unpack(entries))
end
if #keys > 0 then
  for _, tag in ipairs(redis.call('SMEMBERS', scope .. '/tags')) do
    redis.call('UNLINK', scope .. '/tag/' .. tag)
  end
  redis.call('UNLINK', scope .. '/keys', scope .. '/tags', scope .. '/expiring', scope .. '/use')
  store('C', #keys, 0, 0, 0, '', '0 ' .. #ARGV[2] .. ' 0 0', ARGV[2])
end
close_log()
return remember(#keys .. '')
