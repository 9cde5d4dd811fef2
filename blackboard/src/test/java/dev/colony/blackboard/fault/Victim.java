package dev.colony.blackboard.fault;

import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.server.TestRedis;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What faults are done to.
 *
 * @param door through which the clients reach the server
 * @param available what the clients were last told of it
 */
record Victim(TestRedis redis, RedisDoor door, AtomicBoolean available) {}
