-- The durable subscriptions of a scope, in a hash: name, position last acknowledged; frame.lua and scope.lua stand before it.
-- A sorted set, /acknowledged, has their names by the ordinals of these positions, so that the slowest is its first.
-- ARGV, after those of scope.lua: what to do, name [, position]
--   register: makes it if it is not known, at the position (0-0: before the oldest event stored) or, without one, at the
--     newest event; returns its position
--   acknowledge: moves it forward, makes it if it is not known; returns its position
--   forget: removes it; returns 1 if it was known, else 0

local done = remembered()
if done then
  return done
end

local what, name, position = ARGV[6], ARGV[7], ARGV[8]
local subscriptions, acknowledged = scope .. '/durable', scope .. '/acknowledged'
local known = redis.call('HGET', subscriptions, name)
local result
if what == 'forget' then
  result = redis.call('HDEL', subscriptions, name) .. ''
  redis.call('ZREM', acknowledged, name)
elseif not known or (what == 'acknowledge' and later(position, known)) then
  result = position or redis.call('HGET', scope, 'p') or '0-0'
  if what == 'register' and result == '0-0' then
    local oldest = redis.call('XRANGE', scope .. '/events', '-', '+', 'COUNT', 1)[1]
    result = oldest and string.match(oldest[2][2], '^%u %S+ (%S+)') or result
  end
  redis.call('HSET', subscriptions, name, result)
  redis.call('ZADD', acknowledged, string.match(result, '%d+$'), name)
else
  result = known
end

if redis.call('HLEN', subscriptions) ~= redis.call('ZCARD', acknowledged) then
  -- Releases that know of no such set have made or forgotten some of them: it is made anew.
  redis.call('UNLINK', acknowledged)
  local known = redis.call('HGETALL', subscriptions)
  for i = 1, #known, 2 do
    redis.call('ZADD', acknowledged, string.match(known[i + 1], '%d+$'), known[i])
  end
end
local slowest = redis.call('ZRANGE', acknowledged, 0, 0, 'WITHSCORES')[2]
if slowest then
  redis.call('HSET', scope, 'd', slowest)
else
  redis.call('HDEL', scope, 'd')
end
-- What was retained for it alone goes now, not only with the next event.
open_log()
if log.ordinal > 0 then
  redis.call('XTRIM', scope .. '/events', 'MAXLEN', '~', retained(log.ordinal))
end
return remember(result)
