-- Deletes an entry and stores the event.
-- KEYS: entry, index, expiring, stream, head, repeats
-- ARGV: call, repeat window, key, writer, events kept, channel
-- Returns 'D' or, where there was no entry, 'A'.
local call, window, key, writer, kept, channel = unpack(ARGV)
local entry, index, expiring, stream, head, repeats = unpack(KEYS)

local done = redis.call('HGET', repeats, call)
if done then
  return done
end

local version = redis.call('HGET', entry, 'n')
if not version then
  return 'A'
end

local now = millis()
forget_expired(index, expiring, now)
redis.call('DEL', entry)
redis.call('ZREM', index, key)
redis.call('ZREM', expiring, key)
store_event(stream, head, channel, kept, now, tonumber(version), key, writer, '', nil)
return remember(repeats, call, window, 'D')
