-- Takes acknowledged wakes out of an inbox; frame.lua, scope.lua and wakes.lua stand before it.
-- KEYS: the inbox
-- ARGV: for each its id, the scope's path, recipient, position up to which the recipient has seen the scope

local bucket = string.match(KEYS[1], '^colony:%b{}:')
for i = 1, #ARGV, 4 do
  local id, recipient, seen = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  scope = bucket .. ARGV[i + 1]
  redis.call('XDEL', KEYS[1], id)
  local waking = redis.call('HGET', scope .. '/waking', recipient) or ''
  local pending, position, key = string.match(waking, '^(%S+) (%S+) (.*)$')
  -- Another id: it was settled before, and this is a repeat.
  if pending == id then
    redis.call('HDEL', scope .. '/waking', recipient)
    if later(position, seen) and redis.call('HEXISTS', scope .. '/wakers', recipient) == 1 then
      put_wake(recipient, position, key)
    end
  end
end
return 0
