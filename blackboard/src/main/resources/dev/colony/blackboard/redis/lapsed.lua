-- How dead letters are let go of; frame.lua stands before it.

local AT_ONCE = 100

-- Removes dead letters of an inbox, the oldest first, that were moved there more than so many milliseconds ago; returns how
-- many. One of a release that did not say when was moved at the server's time in its id.
local function lapse(inbox, millis)
  local dead, gone = inbox .. '/dead', {}
  for _, letter in ipairs(redis.call('XRANGE', dead, '-', '+', 'COUNT', AT_ONCE)) do
    local at = string.match(letter[1], '^%d+')
    for i = 1, #letter[2], 2 do
      if letter[2][i] == 't' then
        at = letter[2][i + 1]
      end
    end
    if tonumber(at) >= now - millis then
      break
    end
    gone[#gone + 1] = letter[1]
  end
  if #gone > 0 then
    redis.call('XDEL', dead, unpack(gone))
  end
  return #gone
end

