-- A lease, as one hash: owner, who holds it, empty where it was given back; claim, which names the acquisition that it is
-- of, and stays when it has ended; until, when it ends by the clock of this server, in milliseconds.
-- KEYS: the lease
-- ARGV: the operation, how long the lease is held without being renewed in milliseconds, the caller, the caller's claim
--   look
--   take: the owner and the claim that were seen, and the time after which the caller has given up
--   renew: the claim that was there before the caller's
--   release
-- Returns the time, who holds it, empty where none does, the last claim, and whether the operation was done: 0 or 1.
-- Each of them, repeated, answers as the first time and does nothing more.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local operation, length, caller, callers = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local stored = redis.call('HMGET', KEYS[1], 'owner', 'claim', 'until')
local owner, claim, left = stored[1] or '', stored[2] or '', tonumber(stored[3] or 0) - now
if left > length then
  -- The clock was set back. How much of the time is over is not known, so it begins anew.
  redis.call('HSET', KEYS[1], 'until', now + length)
  left = length
end
local holder = left > 0 and owner or ''
local done = 0

local function hold()
  redis.call('HSET', KEYS[1], 'owner', caller, 'claim', callers, 'until', now + length)
  owner, holder, claim, done = caller, caller, callers, 1
end

if operation == 'take' then
  local seen, seen_claim, latest = ARGV[5], ARGV[6], tonumber(ARGV[7])
  if owner == caller and claim == callers or now <= latest and holder == seen and claim == seen_claim then
    hold()
  end
elseif operation == 'renew' then
  -- What an asynchronous failover has lost is written again, unless another has come since.
  local lost = holder == '' and (claim == ARGV[5] or claim == '')
  if claim == callers and owner == caller or lost then
    hold()
  end
elseif operation == 'release' and claim == callers and (owner == caller or owner == '') then
  redis.call('HSET', KEYS[1], 'owner', '', 'until', 0)
  holder, done = '', 1
end
return {now, holder, claim, done}
