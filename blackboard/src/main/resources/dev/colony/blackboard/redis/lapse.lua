-- Removes dead letters that are too old by the clock that gave them their ids; frame.lua stands before it.
-- KEYS: the inbox
-- ARGV: for how many milliseconds a dead letter is kept
-- Returns how many there were.

return redis.call('XTRIM', KEYS[1] .. '/dead', 'MINID', math.max(0, now - tonumber(ARGV[1])) .. '-0')
