-- Removes all that is stored of a persistence id, unless it has work outstanding. Gives 1 if nothing is left, else 0.
-- KEYS: the stream, the meta hash, the index of snapshots, the snapshots, the slot's set of outstanding ids.
-- ARGV: the persistence id, for how many milliseconds the removal is remembered: until then a writer that is still there is
-- refused as one whose log has gone, not as one whose events the store has lost.
-- By commands that the journal's other scripts run, too, so that its user needs no more rights.
if redis.call('SADD', KEYS[5], ARGV[1]) == 0 then
  return 0
end
redis.call('SREM', KEYS[5], ARGV[1])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[2], 'removed', '1')
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
