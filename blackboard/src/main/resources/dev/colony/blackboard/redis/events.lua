-- The oldest stored events after a position.
-- KEYS: the scope
-- ARGV: the position, how many at most, of how many bytes at most (the first has any size)
-- Returns 1 if there are no more, else 0, and the frames.

local after, left, bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local found, read = { 1 }, 0
-- Values are of any size: each step takes no more than the ones before it make likely to fit.
local step = 1
while left > 0 do
  local count = math.min(left, step)
  local page = redis.call('XRANGE', KEYS[1] .. '/events', '(' .. after, '+', 'COUNT', count)
  for _, event in ipairs(page) do
    local frame = event[2][2]
    if #found > 1 and read + #frame > bytes then
      found[1] = 0
      return found
    end
    found[#found + 1] = frame
    read = read + #frame
    after = event[1]
    left = left - 1
  end
  if #page < count then
    return found
  end
  local mean = read / (#found - 1)
  step = math.max(1, math.min(step * 4, math.floor((bytes - read) / mean)))
end
found[1] = redis.call('HGET', KEYS[1], 'p') == after and 1 or 0
return found
