-- Removes all that is stored of a persistence id, unless it has work outstanding. Gives 1 if nothing is left, else 0.
-- KEYS: the stream, the meta hash, the index of snapshots, the snapshots, the slot's set of outstanding ids.
-- ARGV: the persistence id.
if redis.call('SISMEMBER', KEYS[5], ARGV[1]) == 1 then
  return 0
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return 1
