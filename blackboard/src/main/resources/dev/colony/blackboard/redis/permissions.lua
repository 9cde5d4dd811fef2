-- Tries commands as a script runs them, and gives the names of those that the user may not run, or not with this key or
-- channel. Nothing stays: the first to write decides the scratch key's type, the others fail by it, and it is deleted.
-- KEYS: a scratch key. ARGV: a channel, then names of commands.
local arguments = {
  DEL = {}, EXISTS = {}, GET = {}, GETRANGE = {0, 0}, HDEL = {'f'}, HEXISTS = {'f'}, HGET = {'f'}, HGETALL = {},
  HINCRBY = {'f', 0}, HKEYS = {}, HLEN = {}, HMGET = {'f'}, HSET = {'f', 0}, HVALS = {}, PERSIST = {}, PEXPIRE = {0},
  PEXPIREAT = {0}, RENAME = {KEYS[1]}, SADD = {'m'}, SCARD = {}, SET = {0}, SMEMBERS = {}, SREM = {'m'},
  STRLEN = {}, UNLINK = {},
  XADD = {'1-0', 'f', 0}, XDEL = {'1-0'}, XLEN = {}, XRANGE = {'-', '+'}, XREVRANGE = {'+', '-'}, XTRIM = {'MAXLEN', 0},
  ZADD = {0, 'm'}, ZCARD = {}, ZINCRBY = {0, 'm'}, ZRANGE = {0, 0}, ZRANGEBYLEX = {'-', '+'}, ZRANGEBYSCORE = {0, 0},
  ZREM = {'m'}, ZREMRANGEBYSCORE = {0, 0}, ZREVRANGE = {0, 0}, ZREVRANGEBYSCORE = {0, 0}, ZSCORE = {'m'},
  ZUNIONSTORE = {1, KEYS[1]},
}
local refused = {}
for i = 2, #ARGV do
  local name = ARGV[i]
  local answer
  if name == 'TIME' then
    answer = redis.pcall('TIME')
  elseif name == 'PUBLISH' then
    answer = redis.pcall('PUBLISH', ARGV[1], '')
  elseif arguments[name] then
    answer = redis.pcall(name, KEYS[1], unpack(arguments[name]))
  else
    return redis.error_reply('ERR no way is known to try ' .. name)
  end
  local text = type(answer) == 'table' and answer.err or ''
  if string.find(text, "user executing the script can't", 1, true) then
    table.insert(refused, name)
  end
end
redis.pcall('DEL', KEYS[1])
return table.concat(refused, ' ')
