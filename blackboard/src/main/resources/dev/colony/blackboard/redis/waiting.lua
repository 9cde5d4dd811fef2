-- How many requests that were offered wait in a bucket: the hash inbox/waiting, with r and the recipient, t and its tenant,
-- and b for all.

local function waiting_names(recipient, path)
  return {'r:' .. recipient, 't:' .. string.match(path, '^tenant:([^:]+)'), 'b'}
end

local function count_waiting(bucket, recipient, path, change)
  for _, name in ipairs(waiting_names(recipient, path)) do
    if redis.call('HINCRBY', bucket .. 'inbox/waiting', name, change) <= 0 then
      redis.call('HDEL', bucket .. 'inbox/waiting', name)
    end
  end
end

