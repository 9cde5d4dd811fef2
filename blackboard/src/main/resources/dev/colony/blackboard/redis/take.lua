-- Takes acknowledged requests out of an inbox; waiting.lua stands before it. A repeat finds them gone.
-- KEYS: the inbox
-- ARGV: for each its id, its recipient, the scope's path, 1 if it was offered or else 0

local bucket = string.match(KEYS[1], '^colony:%b{}:')
local counted = false
for i = 1, #ARGV, 4 do
  if redis.call('XDEL', KEYS[1], ARGV[i]) == 1 and ARGV[i + 3] == '1' then
    count_waiting(bucket, ARGV[i + 1], ARGV[i + 2], -1)
    counted = true
  end
  redis.call('HDEL', KEYS[1] .. '/failed', ARGV[i])
end
if counted and redis.call('XLEN', KEYS[1]) == 0 then
  -- Releases that count nothing take out what was counted: where nothing is left, nothing waits.
  redis.call('UNLINK', KEYS[1] .. '/waiting')
end
return 0
