-- Stores a snapshot, in the place of an older one with the same sequence number.
-- KEYS: the index, the snapshots. ARGV: sequence number, timestamp, frame.
redis.call('ZREMRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1] .. ':' .. ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 1
