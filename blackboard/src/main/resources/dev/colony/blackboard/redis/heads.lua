-- The positions of the newest events of scopes of one bucket.
-- KEYS: the scopes

local heads = {}
for i, scope in ipairs(KEYS) do
  heads[i] = redis.call('HGET', scope, 'p')
end
return heads
