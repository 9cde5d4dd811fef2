-- Writes an entry and its event; with an inbox among the keys, puts the request there too.
-- KEYS: entry, index, expiring, stream, head, repeats [, inbox]
-- ARGV: call, repeat window, key, value, tags, metadata, ttl or '', expected version or '', writer, events kept, channel
--       [, recipient, scope, hint channel, bucket]
-- Returns 'W version position' or 'C actual-version'.
local call, window, key, value, tags, metadata = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local ttl, expected, writer, kept, channel = ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]
local entry, index, expiring, stream, head, repeats, inbox = unpack(KEYS)

local done = redis.call('HGET', repeats, call)
if done then
  return done
end

local found = redis.call('HMGET', entry, 'n', 'x')
local version = tonumber(found[1] or 0)
if expected ~= '' and tonumber(expected) ~= version then
  return 'C ' .. text(version)
end

local now = millis()
forget_expired(index, expiring, now)
version = version + 1
redis.call('HSET', entry, 'v', value, 'n', text(version), 'u', text(now), 'ub', writer, 't', tags, 'm', metadata)
if version == 1 then
  redis.call('HSET', entry, 'c', text(now), 'cb', writer)
  redis.call('ZADD', index, 0, key)
end
if ttl ~= '' then
  local expires = text(now + tonumber(ttl))
  redis.call('HSET', entry, 'x', expires)
  redis.call('PEXPIREAT', entry, expires)
  redis.call('ZADD', expiring, expires, key)
elseif found[2] or version == 1 then
  redis.call('HDEL', entry, 'x')
  redis.call('PERSIST', entry)
  redis.call('ZREM', expiring, key)
end

local position = store_event(stream, head, channel, kept, now, version, key, writer, tags, value)
if inbox then
  redis.call('XADD', inbox, '*', 'r', ARGV[12], 's', ARGV[13], 'k', key, 'v', value)
  redis.call('PUBLISH', ARGV[14], ARGV[15])
end
return remember(repeats, call, window, 'W ' .. text(version) .. ' ' .. position)
