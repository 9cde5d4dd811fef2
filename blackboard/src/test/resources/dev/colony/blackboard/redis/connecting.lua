redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', 'connecting', KEYS[1])
return KEYS[1]
