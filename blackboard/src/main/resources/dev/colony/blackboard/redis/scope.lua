-- What the scripts that change a scope have in common; frame.lua stands before it.
-- KEYS: the scope [, the call's lane]
-- ARGV: the call's number, writer, events kept, events kept for durable subscriptions, bytes of events kept
--
-- The scope's key is a hash, the head of its log: p position of the newest event, b bytes of all events ever, d ordinal
-- of the event that the slowest durable subscription acknowledged, w what wakes (wakes.lua), u a clock of use, which is there
-- where uses are noted, c ordinal of the last clearing as long as something of one is left (clear.lua).

-- By the server's own clock: a day, so that one that is stepped by hours forgets no call that may still come again.
local REMEMBERED_MILLIS = 86400000

local scope = KEYS[1]
local kept, kept_for_durable, kept_bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local log

-- Headers of entries that this call has read: false where there is none, nil where they are to be read again.
local headers = {}

-- Keys of the scope whose entries go at the end of the call, or before an entry is stored.
local removed = {}

local REMOVED_AT_ONCE = 1000

-- What is answered to a call whose lane has seen it already, or has seen a later one: then its caller has given up.
local function remembered()
  local done = KEYS[2] and redis.call('GET', KEYS[2])
  if done then
    local number, result = string.match(done, '^(%d+) (.*)$')
    if tonumber(number) == tonumber(ARGV[1]) then
      return result
    elseif tonumber(number) > tonumber(ARGV[1]) then
      return 'O'
    end
  end
end

local function remember(result)
  if KEYS[2] then
    redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. result, 'PX', REMEMBERED_MILLIS)
  end
  return result
end

-- What the keys of the scope's bucket begin with, and the scope's path.
local function bucket_and_path()
  local bucket = string.match(scope, '^colony:%b{}:')
  return bucket, string.sub(scope, #bucket + 1)
end

local function open_log()
  local head = redis.call('HMGET', scope, 'p', 'b', 'd', 'w', 'c', 'u')
  local millis, ordinal = string.match(head[1] or '0-0', '^(%d+)-(%d+)$')
  log = {
    first = not head[1],
    head = head[1] or '0-0',
    -- Callers' times differ by some milliseconds, and by more while one has lost sight of the others; positions only grow.
    millis = math.max(now, tonumber(millis)) .. '',
    ordinal = tonumber(ordinal),
    bytes = tonumber(head[2] or 0),
    bytes_before = tonumber(head[2] or 0),
    durable = tonumber(head[3]),
    wakes = head[4],
    cleared = head[5],
    uses = head[6],
  }
end

-- How many events stay, with one of this ordinal as the newest.
local function retained(ordinal)
  if log.durable then
    return math.min(kept_for_durable, math.max(kept, ordinal - log.durable))
  end
  return kept
end

-- Stores and publishes an event, and returns its frame. The sizes are those of tags, writer, key and metadata; the texts
-- are these, and the value.
local function store(type, old_version, version, expires, created, creator, sizes, texts)
  local ordinal = log.ordinal + 1
  local position = log.millis .. '-' .. ordinal
  local frame = type .. ' ' .. position .. ' ' .. log.head .. ' ' .. now .. ' ' .. old_version .. ' ' .. version .. ' '
      .. expires .. ' ' .. created .. ' ' .. #creator .. ' ' .. sizes .. '\n' .. creator .. texts
  redis.call('XADD', scope .. '/events', 'MAXLEN', '~', retained(ordinal), position, 'e', frame)
  redis.call('PUBLISH', scope, frame)
  log.ordinal, log.head, log.bytes = ordinal, position, log.bytes + #frame
  return frame
end

-- Every eighth part of the bytes kept, the position is marked; events before a mark that lies too far back go.
local function trim_bytes()
  local part = kept_bytes / 8
  if math.floor(log.bytes / part) > math.floor(log.bytes_before / part) then
    local marks = scope .. '/marks'
    redis.call('ZADD', marks, log.bytes, log.head)
    local past = redis.call('ZREVRANGEBYSCORE', marks, log.bytes - kept_bytes, '-inf', 'LIMIT', 0, 1)[1]
    if past then
      redis.call('XTRIM', scope .. '/events', 'MINID', '~', past)
      redis.call('ZREMRANGEBYSCORE', marks, '-inf', log.bytes - kept_bytes)
    end
  end
end

-- Takes out what remove() has told of.
local function take_out()
  if #removed > 0 then
    local entries = {}
    for i, key in ipairs(removed) do
      entries[i] = scope .. '/entry/' .. key
    end
    redis.call('DEL', unpack(entries))
    redis.call('ZREM', scope .. '/keys', unpack(removed))
    if log.uses then
      redis.call('ZREM', scope .. '/use', unpack(removed))
    end
    removed = {}
  end
end

-- Keeps what store() changed of the log.
local function close_log()
  take_out()
  if log.bytes > log.bytes_before then
    redis.call('HSET', scope, 'p', log.head, 'b', log.bytes)
    if log.first then
      local bucket, path = bucket_and_path()
      redis.call('ZADD', bucket .. 'scopes', 0, path)
    end
    trim_bytes()
  end
end

-- Takes a key off the indexes of tags that its entry had and has no more, and puts it on those it has now.
local function retag(key, before, after)
  local had, has = {}, {}
  for tag in string.gmatch(before, '[^\n]+') do
    had[tag] = true
  end
  for tag in string.gmatch(after, '[^\n]+') do
    has[tag] = true
    if not had[tag] then
      redis.call('ZADD', scope .. '/tag/' .. tag, 0, key)
    end
  end
  for tag in pairs(had) do
    if not has[tag] then
      redis.call('ZREM', scope .. '/tag/' .. tag, key)
    end
  end
end

-- What stands before the key in an entry's frame; nil where there is no entry. Read once.
local function known(key)
  local name = scope .. '/entry/' .. key
  if headers[name] == nil then
    headers[name] = header(name) or false
  end
  return headers[name] or nil
end

-- The entry of a key. Of one that was cleared the rest goes: there is none, and its clearing has had its event.
local function present(key)
  local entry = known(key)
  if entry and cleared(entry.position, log.cleared) then
    redis.call('UNLINK', scope .. '/entry/' .. key)
    headers[scope .. '/entry/' .. key] = false
    retag(key, entry.tags, '')
    return nil
  end
  return entry
end

-- Removes an entry and stores the event of it.
local function remove(type, writer, key, entry)
  headers[scope .. '/entry/' .. key] = false
  removed[#removed + 1] = key
  if #removed == REMOVED_AT_ONCE then
    take_out()
  end
  if entry.expires ~= 0 then
    redis.call('ZREM', scope .. '/expiring', key)
  end
  if entry.tags ~= '' then
    retag(key, entry.tags, '')
  end
  store(type, entry.version, 0, 0, 0, '', #entry.tags .. ' ' .. #writer .. ' ' .. #key .. ' 0', entry.tags .. writer .. key)
end

-- Removes up to so many entries whose time is over, for those who wrote them; returns how many.
local function expire(most)
  local due = redis.call('ZRANGEBYSCORE', scope .. '/expiring', '-inf', now, 'LIMIT', 0, most)
  for _, key in ipairs(due) do
    local entry = present(key)
    if entry then
      remove('E', entry.writer, key, entry)
    else
      -- A server with maxmemory-policy allkeys-* has thrown it away.
      redis.call('ZREM', scope .. '/expiring', key)
    end
  end
  take_out()
  return #due
end

