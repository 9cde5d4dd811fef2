-- Removes entries of a bucket whose time is over; frame.lua and scope.lua stand before it.
-- KEYS: the bucket's sorted set of scopes, by when the first of their entries expires, or earlier
-- ARGV, after those of scope.lua: how many entries at most
-- Returns in how many milliseconds it should be called again, -1 where nothing expires.

local bucket, left = string.match(KEYS[1], '^colony:%b{}:'), tonumber(ARGV[6])
while left > 0 do
  local path = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1)[1]
  if not path then
    break
  end
  scope = bucket .. path
  open_log()
  left = left - expire(left)
  close_log()
  local first = redis.call('ZRANGE', scope .. '/expiring', 0, 0, 'WITHSCORES')[2]
  if first then
    redis.call('ZADD', KEYS[1], first, path)
  else
    redis.call('ZREM', KEYS[1], path)
  end
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return next and math.max(0, next - now) or -1
