-- The entries among some keys that fit, so that the others do not travel; frame.lua stands before it.
-- KEYS: the scope
-- ARGV: how many at most, of how many bytes at most (the first has any size), written since when, then three times how many
--       tags and the tags (all of these, any of these, none of these), then keys of entries
-- Returns how many keys were looked at, and the frames.

local scope, most, bytes, since = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local at = 4

local function some()
  local tags = {}
  for i = 1, tonumber(ARGV[at]) do
    tags[i] = '\n' .. ARGV[at + i] .. '\n'
  end
  at = at + 1 + #tags
  return tags
end
local all, any, none = some(), some(), some()

-- How many of the wanted tags are there.
local function count(wanted, tags)
  local n = 0
  for _, tag in ipairs(wanted) do
    if string.find(tags, tag, 1, true) then
      n = n + 1
    end
  end
  return n
end

local clearing = redis.call('HGET', scope, 'c')

local function fits(entry)
  local tags = '\n' .. entry.tags .. '\n'
  return not expired(entry) and not cleared(entry.position, clearing) and tonumber(entry.millis) >= since and count(all, tags) == #all
      and (#any == 0 or count(any, tags) > 0) and count(none, tags) == 0
end

local found = { 0 }
for i = at, #ARGV do
  local key = scope .. '/entry/' .. ARGV[i]
  local entry = header(key)
  if entry and fits(entry) then
    local size = redis.call('STRLEN', key)
    if #found > 1 and size > bytes then
      break
    end
    bytes = bytes - size
    found[#found + 1] = redis.call('GET', key)
  end
  found[1] = i - at + 1
  if #found > most then
    break
  end
end
return found
