-- The cluster time that processes agree upon: the greatest that any of them has said. A repeat changes nothing.
-- KEYS: the clock, 'millis server-millis': cluster time, and what the server's clock showed when it was last agreed upon
-- ARGV: the caller's cluster time in milliseconds, '' where it has none yet
-- Returns 'millis server-millis'.
--
-- The server's clock counts only for those who have no time: it begins the cluster time, and says how much has gone by since
-- the last call. Where it has been set back, nothing has.

local time = redis.call('TIME')
local server = time[1] * 1000 + math.floor(time[2] / 1000)
local agreed, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
local mine = tonumber(ARGV[1])
local now
if not agreed then
  now = mine or server
elseif mine then
  now = math.max(tonumber(agreed), mine)
else
  now = tonumber(agreed) + math.max(0, server - tonumber(at))
end
local answer = string.format('%.0f %.0f', now, server)
local kept = redis.pcall('SET', KEYS[1], answer)
-- A server whose memory is full can be opened, to delete: the time is kept when there is room again.
if type(kept) == 'table' and kept.err and not string.find(kept.err, 'OOM', 1, true) then
  return kept
end
return answer
