-- Says for which writes a recipient is woken; frame.lua, scope.lua and wakes.lua stand before it.
-- ARGV, after those of scope.lua: recipient, then globs

local done = remembered()
if done then
  return done
end

local recipient = ARGV[6]
local wakers, wakes = scope .. '/wakers', scope .. '/wakes'

local function beginning(glob)
  return string.match(glob, '^[^*?]*')
end

local function change(start, patterns)
  local list = redis.call('HGET', wakes, start)
  local recipients = list and cmsgpack.unpack(list) or {}
  recipients[recipient] = patterns
  if next(recipients) then
    redis.call('HSET', wakes, start, cmsgpack.pack(recipients))
  else
    redis.call('HDEL', wakes, start)
  end
end

local before = redis.call('HGET', wakers, recipient)
for _, glob in ipairs(before and cmsgpack.unpack(before) or {}) do
  change(beginning(glob), nil)
end

local globs, patterns = {}, {}
for i = 7, #ARGV do
  local glob = ARGV[i]
  local start = beginning(glob)
  globs[#globs + 1] = glob
  patterns[start] = patterns[start] or {}
  table.insert(patterns[start], pattern(glob))
end
for start, list in pairs(patterns) do
  change(start, list)
end
if #globs > 0 then
  redis.call('HSET', wakers, recipient, cmsgpack.pack(globs))
else
  redis.call('HDEL', wakers, recipient)
end

local seen, lengths = {}, {}
for _, start in ipairs(redis.call('HKEYS', wakes)) do
  if not seen[#start] then
    seen[#start] = true
    lengths[#lengths + 1] = #start
  end
end
if #lengths > 0 then
  redis.call('HSET', scope, 'w', table.concat(lengths, ' '))
else
  redis.call('HDEL', scope, 'w')
end
return remember('')
