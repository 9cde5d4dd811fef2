/**
 * The Redis backend, through Lettuce: one pipelined connection for commands and one for pushes, one
 * Lua script per atomic operation. The scripts lie beside this package's classes among the
 * resources; {@code frame.lua} says how entries and events are kept, {@code scope.lua} and {@link
 * dev.colony.blackboard.redis.ScopeKeys} under which keys. An operator who keeps other data in the
 * same Redis (the journal) uses {@link dev.colony.blackboard.redis.RedisConnections} and {@link
 * dev.colony.blackboard.redis.RedisScript} from here.
 */
package dev.colony.blackboard.redis;
