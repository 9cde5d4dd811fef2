/**
 * The Redis backend, through Lettuce: one pipelined connection, one Lua function per atomic
 * operation. Whoever keeps other data in the same Redis (the journal) uses {@link
 * dev.colony.blackboard.redis.RedisConnections} and {@link dev.colony.blackboard.redis.RedisScript}
 * from here.
 */
package dev.colony.blackboard.redis;
