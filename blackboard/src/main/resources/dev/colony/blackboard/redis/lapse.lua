-- Removes dead letters that are too old; frame.lua and lapsed.lua stand before it.
-- KEYS: the inbox
-- ARGV: for how many milliseconds a dead letter is kept
-- Returns how many there were, at most as many as one call removes.

return lapse(KEYS[1], tonumber(ARGV[1]))
