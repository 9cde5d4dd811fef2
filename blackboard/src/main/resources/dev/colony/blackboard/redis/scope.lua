-- What the scripts that change a scope have in common; it stands before each of them.
--
-- An event is stored and pushed as a frame, a line of numbers and then the texts they measure:
--   previous-position millis version key-bytes writer-bytes tags-bytes value-bytes(-1: deleted) LF key writer tags value

local function text(number)
  return string.format('%.0f', number)
end

local function millis()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Stores an event at the end of the scope's stream, pushes it, and returns its position.
local function store_event(stream, head, channel, kept, now, version, key, writer, tags, value)
  local previous = redis.call('GET', head) or '0-0'
  local frame = previous .. ' ' .. text(now) .. ' ' .. text(version) .. ' ' .. #key .. ' ' .. #writer
      .. ' ' .. #tags .. ' ' .. (value and #value or -1) .. '\n' .. key .. writer .. tags .. (value or '')
  local position = redis.call('XADD', stream, 'MAXLEN', '~', kept, '*', 'e', frame)
  redis.call('SET', head, position)
  redis.call('PUBLISH', channel, position .. '\n' .. frame)
  return position
end

-- Remembers what a call did, so that its repeat by a reconnecting client is answered and not done again.
local function remember(repeats, call, window, result)
  redis.call('HSET', repeats, call, result)
  if redis.call('HLEN', repeats) == 1 then
    redis.call('PEXPIRE', repeats, window)
  end
  return result
end

-- Takes some keys that expired more than a second ago off the index. Redis has removed their entries by then, in the
-- time of the script's beginning too, which is what counts for it.
local function forget_expired(index, expiring, now)
  local gone = redis.call('ZRANGEBYSCORE', expiring, '-inf', text(now - 1000), 'LIMIT', 0, 16)
  if #gone > 0 then
    redis.call('ZREM', index, unpack(gone))
    redis.call('ZREM', expiring, unpack(gone))
  end
end
