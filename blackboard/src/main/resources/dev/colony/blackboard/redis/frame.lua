-- What all scripts know: the time, and the frame of an event.
--
-- The time is the cluster's (clock.lua), in milliseconds since 1970: the caller's last argument, which is taken off here, so
-- that the scripts behind this find theirs alone.
--
-- A frame is one text, which is stored in the scope's stream and published as it is; the frame of a write is the entry
-- too, until the next one. It is a line of numbers and then the texts that they measure:
--   type position previous millis old-version version expires created
--   creator-bytes tags-bytes writer-bytes key-bytes metadata-bytes LF creator tags writer key metadata value
-- type: W written, D deleted, V evicted, E expired, C cleared, with the number of entries for the old version.
-- expires is 0 for never; tags are sorted and joined by LF; the value takes the rest.
--
-- Numbers become text by '..', which is exact up to 99,999,999,999,999; what may be greater goes to Redis as a number.

local now = tonumber(table.remove(ARGV))

-- What is before the key in an entry's frame; nil where there is no entry. The line of numbers has less than 256 bytes.
local function header(entry)
  local begin = redis.call('GETRANGE', entry, 0, 255)
  if begin == '' then
    return nil
  end
  local _, line, position, millis, version, expires, created, creator, tags, writer =
      string.find(begin, '^W (%S+) %S+ (%d+) %d+ (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)[^\n]*\n')
  local tags_at, writer_at = line + creator, line + creator + tags
  if writer_at + writer > 256 then
    begin = redis.call('GETRANGE', entry, 0, writer_at + writer - 1)
  end
  return {
    position = position,
    millis = millis,
    version = version,
    expires = tonumber(expires),
    created = created,
    creator = string.sub(begin, line + 1, tags_at),
    tags = string.sub(begin, tags_at + 1, writer_at),
    writer = string.sub(begin, writer_at + 1, writer_at + writer),
  }
end

local function expired(entry)
  return entry.expires ~= 0 and entry.expires <= now
end

-- Whether an entry of this position was there at the scope's last clearing, whose ordinal is given where something of it is
-- left: then it is absent, and its memory goes with a sweep.
local function cleared(position, clearing)
  return clearing and tonumber(string.match(position, '%d+$')) <= tonumber(clearing)
end

-- Whether one position of a scope comes after another.
local function later(one, other)
  local millis, ordinal = string.match(one, '^(%d+)-(%d+)$')
  local others, others_ordinal = string.match(other, '^(%d+)-(%d+)$')
  if millis == others then
    return tonumber(ordinal) > tonumber(others_ordinal)
  end
  return tonumber(millis) > tonumber(others)
end

