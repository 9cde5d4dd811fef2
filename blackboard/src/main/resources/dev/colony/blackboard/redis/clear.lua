-- Takes all entries out of sight and stores one event; frame.lua and scope.lua stand before it.
-- Returns how many there were; 'M' where more have expired than one call tells of: call again.
--
-- What is cleared is told from what is written after it by its position: the head's c is the ordinal of the clearing. So it
-- costs the same for any number of entries. What is left of them is swept some at a time (expire.lua):
--   /clearings           a sorted set: the ordinals of clearings of which something is left
--   /clearings/ORDINAL   what was the index of all keys

local EXPIRED_AT_ONCE = 100

local done = remembered()
if done then
  return done
end

open_log()
if expire(EXPIRED_AT_ONCE) == EXPIRED_AT_ONCE then
  close_log()
  return remember('M')
end
local count = redis.call('ZCARD', scope .. '/keys')
if count > 0 then
  store('C', count, 0, 0, 0, '', '0 ' .. #ARGV[2] .. ' 0 0', ARGV[2])
  local bucket, path = bucket_and_path()
  redis.call('HSET', scope, 'c', log.ordinal)
  redis.call('ZADD', scope .. '/clearings', log.ordinal, log.ordinal)
  redis.call('RENAME', scope .. '/keys', scope .. '/clearings/' .. log.ordinal)
  redis.call('UNLINK', scope .. '/expiring', scope .. '/use')
  redis.call('ZADD', bucket .. 'expiring', 'LT', now, path)
end
close_log()
return remember(count .. '')
