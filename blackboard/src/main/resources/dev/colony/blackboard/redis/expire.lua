-- Removes entries of a bucket whose time is over, and what clearings have left; frame.lua and scope.lua stand before it.
-- KEYS: the bucket's sorted set of scopes, by when the first of their entries expires or was cleared, or earlier
-- ARGV, after those of scope.lua: how many entries at most
-- Returns in how many milliseconds it should be called again, -1 where nothing expires.

-- Removes what clearings have left of up to so many entries; returns how many.
local function sweep(most)
  local clearings, swept = scope .. '/clearings', 0
  local clearing = redis.call('ZRANGE', clearings, 0, 0)[1]
  while clearing and swept < most do
    local index = clearings .. '/' .. clearing
    local keys = redis.call('ZRANGE', index, 0, most - swept - 1)
    for _, key in ipairs(keys) do
      present(key)
    end
    if #keys > 0 then
      redis.call('ZREM', index, unpack(keys))
      swept = swept + #keys
    end
    if redis.call('EXISTS', index) == 0 then
      redis.call('ZREM', clearings, clearing)
      clearing = redis.call('ZRANGE', clearings, 0, 0)[1]
      if not clearing then
        redis.call('HDEL', scope, 'c')
      end
    end
  end
  return swept
end

local bucket, left = string.match(KEYS[1], '^colony:%b{}:'), tonumber(ARGV[6])
while left > 0 do
  local path = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1)[1]
  if not path then
    break
  end
  scope = bucket .. path
  open_log()
  left = left - expire(left)
  if log.cleared then
    left = left - sweep(left)
  end
  close_log()
  local first = redis.call('EXISTS', scope .. '/clearings') == 1 and now
      or redis.call('ZRANGE', scope .. '/expiring', 0, 0, 'WITHSCORES')[2]
  if first then
    redis.call('ZADD', KEYS[1], first, path)
  else
    redis.call('ZREM', KEYS[1], path)
  end
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return next and math.max(0, next - now) or -1
