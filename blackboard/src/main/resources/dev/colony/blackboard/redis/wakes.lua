-- Which agents a write wakes; scope.lua stands before it.
--
-- A glob is kept under what it begins with, up to its first wildcard, so that a write looks at few of them: the head's w
-- lists the lengths of these beginnings, and may list some that are not in use.
--   /wakers  a hash: recipient, its globs as given
--   /wakes   a hash: beginning, the first recipients with their patterns (see pattern()), and MORE where there are others
--   /wakes/BEGINNING  a hash: recipient, its patterns; of the others
--   /waking  a hash: recipient with a wake in the inbox, 'inbox-id position key' of the newest match
-- Lists are kept as MessagePack.

-- In place of a recipient, whose name is never empty.
local MORE = ''

-- Says that the bucket has got something.
local function hint(bucket)
  redis.call('PUBLISH', 'colony:inbox', string.match(bucket, '%d+'))
end

-- Puts a wake into the inbox.
local function put_wake(recipient, position, key)
  local bucket, path = bucket_and_path()
  local id = redis.call('XADD', bucket .. 'inbox', '*', 'w', recipient, 's', path, 'k', key, 'p', position)
  redis.call('HSET', scope .. '/waking', recipient, id .. ' ' .. position .. ' ' .. key)
  hint(bucket)
end

-- A glob as Lua patterns of what stands between its stars, in their order: the first is anchored at the key's beginning,
-- the last at its end. So matching needs no backtracking. A question mark is one character of UTF-8.
local function pattern(glob)
  local parts, from = {}, 1
  while from do
    local star = string.find(glob, '*', from, true)
    local part = string.sub(glob, from, star and star - 1)
    part = string.gsub(string.gsub(part, '[^%w?]', '%%%0'), '%?', '[^\128-\191][\128-\191]*')
    parts[#parts + 1] = part
    from = star and star + 1
  end
  parts[1] = '^' .. parts[1]
  parts[#parts] = parts[#parts] .. '$'
  return parts
end

local function matches(key, parts)
  local at = 1
  for _, part in ipairs(parts) do
    local from, to = string.find(key, part, at)
    if not from then
      return false
    end
    at = to + 1
  end
  return true
end

-- Wakes the agents that the write of a key concerns, but for its writer, each once until it has acknowledged.
local function wake(key, position, writer)
  local beginnings = {}
  for length in string.gmatch(log.wakes, '%d+') do
    if tonumber(length) <= #key then
      beginnings[#beginnings + 1] = string.sub(key, 1, length)
    end
  end
  if #beginnings == 0 then
    return
  end
  for i, list in ipairs(redis.call('HMGET', scope .. '/wakes', unpack(beginnings))) do
    local recipients = list and cmsgpack.unpack(list) or {}
    if recipients[MORE] then
      local others = redis.call('HGETALL', scope .. '/wakes/' .. beginnings[i])
      for other = 1, #others, 2 do
        recipients[others[other]] = cmsgpack.unpack(others[other + 1])
      end
    end
    for recipient, patterns in pairs(recipients) do
      local match = false
      for _, parts in ipairs(patterns) do
        match = match or matches(key, parts)
      end
      if match and recipient ~= writer then
        local waking = redis.call('HGET', scope .. '/waking', recipient)
        if waking then
          redis.call('HSET', scope .. '/waking', recipient, string.match(waking, '^%S+') .. ' ' .. position .. ' ' .. key)
        else
          put_wake(recipient, position, key)
        end
      end
    end
  end
end

