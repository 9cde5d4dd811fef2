-- The durable subscriptions of a scope, in a hash: name, position last acknowledged; frame.lua and scope.lua stand before it.
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
local subscriptions = scope .. '/durable'
local known = redis.call('HGET', subscriptions, name)
local result
if what == 'forget' then
  result = redis.call('HDEL', subscriptions, name) .. ''
elseif not known or (what == 'acknowledge' and later(position, known)) then
  result = position or redis.call('HGET', scope, 'p') or '0-0'
  if what == 'register' and result == '0-0' then
    local oldest = redis.call('XRANGE', scope .. '/events', '-', '+', 'COUNT', 1)[1]
    result = oldest and string.match(oldest[2][2], '^%u %S+ (%S+)') or result
  end
  redis.call('HSET', subscriptions, name, result)
else
  result = known
end

local slowest
for _, acknowledged in ipairs(redis.call('HVALS', subscriptions)) do
  local ordinal = tonumber(string.match(acknowledged, '%d+$'))
  slowest = math.min(slowest or ordinal, ordinal)
end
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
