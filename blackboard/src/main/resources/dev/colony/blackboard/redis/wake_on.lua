-- Says for which writes a recipient is woken; frame.lua, scope.lua and wakes.lua stand before it.
-- ARGV, after those of scope.lua: recipient, then globs

local done = remembered()
if done then
  return done
end

-- How many recipients the list of a beginning has at most, and of how many beginnings all lengths are looked at.
local FIRST = 128

local recipient = ARGV[6]
local wakers, wakes = scope .. '/wakers', scope .. '/wakes'

local function beginning(glob)
  return string.match(glob, '^[^*?]*')
end

local function count(recipients)
  local n = 0
  for _ in pairs(recipients) do
    n = n + 1
  end
  return n
end

-- Sets the patterns that the recipient has under a beginning, or removes them. The list of the first recipients stays
-- short: it is read and written whole.
local function change(start, patterns)
  local list = redis.call('HGET', wakes, start)
  local recipients = list and cmsgpack.unpack(list) or {}
  local others = wakes .. '/' .. start
  if recipients[recipient] or not patterns and not recipients[MORE] or patterns and count(recipients) < FIRST then
    recipients[recipient] = patterns
  elseif patterns then
    redis.call('HSET', others, recipient, cmsgpack.pack(patterns))
    recipients[MORE] = {}
  else
    redis.call('HDEL', others, recipient)
  end
  if recipients[MORE] and redis.call('EXISTS', others) == 0 then
    recipients[MORE] = nil
  end
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
local function add(length)
  if not seen[length] then
    seen[length] = true
    lengths[#lengths + 1] = length
  end
end
if redis.call('HLEN', wakes) <= FIRST then
  for _, start in ipairs(redis.call('HKEYS', wakes)) do
    add(#start)
  end
else
  -- Among many, a length that is no longer in use stays: it makes each write look at one beginning more.
  for length in string.gmatch(redis.call('HGET', scope, 'w') or '', '%d+') do
    add(tonumber(length))
  end
  for start in pairs(patterns) do
    add(#start)
  end
end
if #lengths > 0 then
  redis.call('HSET', scope, 'w', table.concat(lengths, ' '))
else
  redis.call('HDEL', scope, 'w')
end
return remember('')
