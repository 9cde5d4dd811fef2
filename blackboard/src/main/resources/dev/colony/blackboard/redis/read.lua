-- Entries of one moment; frame.lua stands before it.
-- KEYS: the scope
-- ARGV: whether reading counts as use ('' no, R by its time, F by its number), then keys of entries
-- Returns a frame for each, nothing where it is absent, expired or cleared.

local scope, order = KEYS[1], ARGV[1]
local clearing = redis.call('HGET', scope, 'c')
local frames = {}
for i = 2, #ARGV do
  local frame = redis.call('GET', scope .. '/entry/' .. ARGV[i])
  local position, expires
  if frame then
    position, expires = string.match(frame, '^%u (%S+) %S+ %d+ %d+ %d+ (%d+)')
    expires = tonumber(expires)
  end
  if not frame or (expires ~= 0 and expires <= now) or cleared(position, clearing) then
    frames[i - 1] = false
  else
    frames[i - 1] = frame
    if order == 'F' then
      redis.call('ZINCRBY', scope .. '/use', 1, ARGV[i])
    elseif order == 'R' then
      redis.call('ZADD', scope .. '/use', redis.call('HINCRBY', scope, 'u', 1), ARGV[i])
    end
  end
end
return frames
