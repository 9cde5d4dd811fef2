-- Puts a dead letter into the inbox again, as a new message; a repeat finds it gone.
-- KEYS: the inbox
-- ARGV: the dead letter's id
-- Returns 1 if it was there. It does not count as waiting: it was let in before.

local dead = KEYS[1] .. '/dead'
local letter = redis.call('XRANGE', dead, ARGV[1], ARGV[1])[1]
if not letter then
  return 0
end
local fields = {}
for i = 1, #letter[2], 2 do
  fields[letter[2][i]] = letter[2][i + 1]
end
redis.call('XADD', KEYS[1], '*', 'r', fields.r, 's', fields.s, 'e', fields.e)
redis.call('XDEL', dead, ARGV[1])
redis.call('PUBLISH', 'colony:inbox', string.match(KEYS[1], '%d+'))
return 1
