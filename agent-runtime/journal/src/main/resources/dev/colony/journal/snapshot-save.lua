-- Stores a snapshot, in the place of an older one with the same sequence number, and lets go of what
-- is not to be kept: older snapshots, and perhaps the events that the oldest one left holds.
-- KEYS: the index, the snapshots, the stream, the meta hash of the log.
-- ARGV: sequence number, timestamp, frame, how many snapshots are kept, of which age events go (0: whatever the oldest of
--   these snapshots holds goes).
redis.call('ZREMRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1] .. ':' .. ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])

local function drop(member)
  redis.call('ZREM', KEYS[1], member)
  redis.call('HDEL', KEYS[2], string.match(member, '^(%d+):'))
end

-- Lets the events go that a snapshot holds.
local function let_go(member)
  local meta = redis.call('HMGET', KEYS[4], 'last', 'deleted')
  local to = math.min(tonumber(string.match(member, '^(%d+):')), tonumber(meta[1] or 0))
  if to > tonumber(meta[2] or 0) then
    redis.call('HSET', KEYS[4], 'deleted', string.format('%.0f', to))
    redis.call('XTRIM', KEYS[3], 'MINID', string.format('%.0f-0', to + 1))
  end
end

local kept, age = tonumber(ARGV[4]), tonumber(ARGV[5])
local over = redis.call('ZCARD', KEYS[1]) - kept
if age == 0 then
  if over > 0 then
    for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do
      drop(member)
    end
  end
  if over >= 0 then
    let_go(redis.call('ZRANGE', KEYS[1], 0, 0)[1])
  end
elseif over > 0 then
  local members = redis.call('ZRANGE', KEYS[1], 0, -1)
  local times, first = {}, nil
  for i, member in ipairs(members) do
    times[i] = tonumber(string.match(member, ':(%d+)$'))
    -- The newest that is old enough: what can be read begins with it.
    if i < #members and times[i] <= tonumber(ARGV[2]) - age then
      first = i
    end
  end
  local stays
  for i = 1, #members - kept do
    if first and i < first or stays and i ~= first and times[i] < stays + age / 8 then
      drop(members[i])
    else
      stays = times[i]
    end
  end
  if first then
    for i = #members - kept + 1, first - 1 do
      drop(members[i])
    end
    let_go(members[first])
  end
end
return 1
