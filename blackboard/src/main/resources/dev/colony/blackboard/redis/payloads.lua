-- What refers to the payloads of an entry.
-- KEYS: the scope. ARGV: the entry's key, then of each payload how stubs name it.
-- Gives the position of the oldest stored event of the scope, '' without one; then for each payload 1 if the entry refers to
-- it, else 0.
local oldest = redis.call('XRANGE', KEYS[1] .. '/events', '-', '+', 'COUNT', 1)
local entry = redis.call('GET', KEYS[1] .. '/entry/' .. ARGV[1]) or ''
local reply = { oldest[1] and oldest[1][1] or '' }
for i = 2, #ARGV do
  reply[i] = string.find(entry, ARGV[i], 1, true) and 1 or 0
end
return reply
