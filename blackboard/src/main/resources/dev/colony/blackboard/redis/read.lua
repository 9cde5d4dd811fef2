-- Entries of one moment; frame.lua stands before it.
-- KEYS: the scope
-- ARGV: whether reading counts as use ('' no, R by its time, F by its number), then keys of entries
-- Returns a frame for each, nothing where it is absent or expired.

local scope, order = KEYS[1], ARGV[1]
local frames = {}
for i = 2, #ARGV do
  local frame = redis.call('GET', scope .. '/entry/' .. ARGV[i])
  local expires = frame and tonumber(string.match(frame, '^%u %S+ %S+ %d+ %d+ %d+ (%d+)'))
  if not frame or (expires ~= 0 and expires <= now) then
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
