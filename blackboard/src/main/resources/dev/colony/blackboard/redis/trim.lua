-- Lets go of old events of a bucket's scopes, and of scopes in which nothing is left; frame.lua and scope.lua stand before
-- it.
-- KEYS: the bucket's sorted set of scopes
-- ARGV, after those of scope.lua: the path to begin behind ('' for the first), how many scopes at most, how old in
--   milliseconds
-- Returns the last path that was looked at ('' where there are no more) and how many scopes are gone.

local bucket, after = string.match(KEYS[1], '^colony:%b{}:'), ARGV[6]
local before = now - tonumber(ARGV[8])
local paths = redis.call('ZRANGEBYLEX', KEYS[1], after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, ARGV[7])
local gone = 0
for _, path in ipairs(paths) do
  scope = bucket .. path
  open_log()
  -- What a durable subscription has not acknowledged is kept for it.
  if not log.durable then
    local newest = tonumber((string.match(log.head, '^%d+')))
    -- What a clearing has left is told from an entry by the head.
    if newest < before
        and redis.call('EXISTS', scope .. '/keys', scope .. '/wakers', scope .. '/waking', scope .. '/clearings') == 0 then
      -- /tags is of releases that kept the names of tags.
      redis.call('UNLINK', scope, scope .. '/events', scope .. '/marks', scope .. '/use', scope .. '/tags')
      redis.call('ZREM', KEYS[1], path)
      gone = gone + 1
    elseif before > 0 then
      -- The newest event stays: it shows where the log ends.
      redis.call('XTRIM', scope .. '/events', 'MINID', newest < before and log.head or string.format('%.0f', before))
    end
  end
end
return { #paths < tonumber(ARGV[7]) and '' or paths[#paths], gone }
