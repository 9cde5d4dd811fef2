-- Changes entries and stores their events, if all is as expected; frame.lua, scope.lua, wakes.lua
-- and waiting.lua stand before it.
-- ARGV, after those of scope.lua:
--   eviction ('' or the order, R, F or O, and the greatest number of entries)
--   how many expectations, and each: v key version, or p key position (0-0: absent), or b recipient and the greatest numbers
--     of requests offered that may wait for it, for its tenant and in the bucket
--   changes: w key sizes texts, or W key sizes texts tags ttl, or S key sizes texts tags ttl recipient (B where it is
--     offered, and so counts as waiting), or r key, or x key ttl
-- Returns 'D head' and for each change version:ordinal or '-'; 'F actual-version key'; 'B bound waiting recipient', the
-- bound being r, t or b; 'O' to a call overtaken.

local done = remembered()
if done then
  return done
end

-- The entry that is there for a reader.
local function visible(key)
  local entry = known(key)
  if entry and not expired(entry) and not cleared(entry.position, log.cleared) then
    return entry
  end
end

open_log()
local writer = ARGV[2]

-- Which bound the requests that wait have reached, and how many these are.
local function full(recipient, bounds)
  local bucket, path = bucket_and_path()
  local most = {string.match(bounds, '^(%d+) (%d+) (%d+)$')}
  for i, name in ipairs(waiting_names(recipient, path)) do
    local count = redis.call('HGET', bucket .. 'inbox/waiting', name) or '0'
    if tonumber(count) >= tonumber(most[i]) then
      if redis.call('XLEN', bucket .. 'inbox') == 0 then
        -- What was counted is gone by a release that counts nothing, see take.lua.
        redis.call('UNLINK', bucket .. 'inbox/waiting')
        return nil
      end
      return string.sub(name, 1, 1) .. ' ' .. count
    end
  end
end

local at = 8
for _ = 1, tonumber(ARGV[7]) do
  local kind, key, expected = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if kind == 'b' then
    local bound = full(key, expected)
    if bound then
      return remember('B ' .. bound .. ' ' .. key)
    end
  else
    local entry = visible(key)
    local actual = entry and (kind == 'v' and entry.version or entry.position) or (kind == 'v' and '0' or '0-0')
    if actual ~= expected then
      return remember('F ' .. (entry and entry.version or 0) .. ' ' .. key)
    end
  end
  at = at + 3
end

local order, most = string.match(ARGV[6], '^(%u) (%d+)$')
local written = {}

-- An entry that has expired and is touched goes first, with its event.
local function found(key)
  local entry = present(key)
  if entry and expired(entry) then
    remove('E', entry.writer, key, entry)
    return nil
  end
  return entry
end

-- Notes a use for the eviction.
local function use(key)
  if order == 'F' then
    redis.call('ZINCRBY', scope .. '/use', 1, key)
    if not log.uses then
      log.uses = redis.call('HSET', scope, 'u', 0)
    end
  else
    log.uses = redis.call('HINCRBY', scope, 'u', 1)
    redis.call('ZADD', scope .. '/use', log.uses, key)
  end
end

-- When the first of the entries that this call has written expires.
local first_expires

-- Notes when an entry expires.
local function expires_at(key, expires)
  redis.call('ZADD', scope .. '/expiring', expires, key)
  first_expires = math.min(first_expires or expires, expires)
end

local function put(key, sizes, texts, tags, ttl, recipient, offered)
  local entry = found(key)
  local old = entry and entry.version or 0
  local expires = ttl and now + ttl or 0
  -- Also where this call has taken it out.
  take_out()
  local frame = store('W', old, old + 1, expires, entry and entry.created or now, entry and entry.creator or writer, sizes,
      texts)
  redis.call('SET', scope .. '/entry/' .. key, frame)
  headers[scope .. '/entry/' .. key] = nil
  if not entry then
    redis.call('ZADD', scope .. '/keys', 0, key)
  end
  if tags ~= (entry and entry.tags or '') then
    retag(key, entry and entry.tags or '', tags)
  end
  if ttl then
    expires_at(key, expires)
  elseif entry and entry.expires ~= 0 then
    redis.call('ZREM', scope .. '/expiring', key)
  end
  if recipient then
    local bucket, path = bucket_and_path()
    if offered then
      redis.call('XADD', bucket .. 'inbox', '*', 'r', recipient, 's', path, 'e', frame, 'c', '1')
      count_waiting(bucket, recipient, path, 1)
    else
      redis.call('XADD', bucket .. 'inbox', '*', 'r', recipient, 's', path, 'e', frame)
    end
    hint(bucket)
  end
  if log.wakes then
    wake(key, log.head, writer)
  end
  if order then
    use(key)
    written[key] = true
    written[#written + 1] = key
  end
  return old + 1 .. ':' .. log.ordinal
end

local function delete(key)
  local entry = found(key)
  if entry then
    remove('D', writer, key, entry)
    return entry.version .. ':' .. log.ordinal
  end
  return '-'
end

-- Gives an entry a time to live from now on; all else of it stays as it is.
local function limit(key, ttl)
  if found(key) then
    local frame = redis.call('GET', scope .. '/entry/' .. key)
    local _, to = string.find(frame, '^W %S+ %S+ %d+ %d+ %d+ ')
    redis.call('SET', scope .. '/entry/' .. key,
        string.sub(frame, 1, to) .. now + ttl .. string.sub(frame, string.find(frame, ' ', to + 1, true), -1))
    headers[scope .. '/entry/' .. key] = nil
    expires_at(key, now + ttl)
  end
  return '-'
end

-- Lets go what is too much, the expired first, but nothing that was just written.
local function evict()
  take_out()
  local over = redis.call('ZCARD', scope .. '/keys') - most
  if over > 0 then
    over = over - expire(over)
  end
  if over > 0 then
    local keys, uses = scope .. '/keys', scope .. '/use'
    if redis.call('ZCARD', uses) < redis.call('ZCARD', keys) then
      -- Some were written without eviction: they count as never used.
      redis.call('ZUNIONSTORE', uses, 2, uses, keys, 'WEIGHTS', 1, 0, 'AGGREGATE', 'MAX')
    end
    for _, key in ipairs(redis.call('ZRANGE', uses, 0, over + #written - 1)) do
      local entry = over > 0 and not written[key] and present(key)
      if entry then
        remove('V', writer, key, entry)
        over = over - 1
      elseif not entry and not written[key] and over > 0 then
        redis.call('ZREM', uses, key)
      end
    end
  end
end

local changes = {}
while ARGV[at] do
  local kind, key = ARGV[at], ARGV[at + 1]
  local sizes, texts = ARGV[at + 2], ARGV[at + 3]
  local changed
  if kind == 'w' then
    changed = put(key, sizes, texts, '')
    at = at + 4
  elseif kind == 'W' then
    changed = put(key, sizes, texts, ARGV[at + 4], tonumber(ARGV[at + 5]))
    at = at + 6
  elseif kind == 'S' or kind == 'B' then
    changed = put(key, sizes, texts, ARGV[at + 4], tonumber(ARGV[at + 5]), ARGV[at + 6], kind == 'B')
    at = at + 7
  elseif kind == 'x' then
    changed = limit(key, tonumber(ARGV[at + 2]))
    at = at + 3
  else
    changed = delete(key)
    at = at + 2
  end
  changes[#changes + 1] = ' ' .. changed
end
if order then
  evict()
end
if first_expires then
  local bucket, path = bucket_and_path()
  redis.call('ZADD', bucket .. 'expiring', 'LT', first_expires, path)
end
close_log()
return remember('D ' .. log.head .. table.concat(changes))
