package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Scope;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a Redis user needs to use the scopes of one tenant, and none of another's, as words of
 * {@code ACL SETUSER}.
 *
 * <p>Redis parts tenants by their keys and channels. What all scopes of an inbox bucket share, it
 * cannot part: such a user may also put requests into the inbox for any agent, read and remove
 * those that wait there, see which scopes there are and which runs are followed, and put the
 * cluster time ahead. Finer rights, a key for writing alone, exist from Redis 7 on only.
 */
public final class TenantRights {

  /** The commands that blackboard and journal use, as docs/concepts/blackboard.md lists them. */
  static final List<String> COMMANDS =
      List.of(
          "ping info subscribe unsubscribe eval evalsha",
          "del exists get getrange rename set strlen unlink time publish",
          "hdel hexists hget hgetall hincrby hkeys hlen hmget hset",
          "sadd smembers srem",
          "pexpire persist",
          "xadd xdel xlen xrange xrevrange xtrim",
          "zadd zcard zincrby zlexcount zrange zrangebylex zrangebyscore zrem",
          "zremrangebyscore zrevrangebyscore zunionstore");

  private static final String ANY_BUCKET = "colony:{inbox-*}:";

  private TenantRights() {}

  /**
   * The words, keys first, then channels, then commands; they add to what the user has.
   *
   * @throws IllegalArgumentException if there can be no such tenant
   */
  public static List<String> of(String tenant) {
    return Stream.of(keys(tenant), channels(tenant), commands()).flatMap(words -> words).toList();
  }

  private static Stream<String> keys(String tenant) {
    String own = ANY_BUCKET + Scope.tenant(tenant).path();
    return Stream.of(
            own,
            own + "/*",
            own + ":*",
            ANY_BUCKET + "inbox",
            ANY_BUCKET + "inbox/*",
            ANY_BUCKET + "scopes",
            ANY_BUCKET + "expiring",
            ANY_BUCKET + "lanes/*",
            ScopeKeys.CLOCK,
            ScopeKeys.LAYOUT,
            ScopeKeys.BUCKETS)
        .map("~"::concat);
  }

  private static Stream<String> channels(String tenant) {
    String own = ANY_BUCKET + Scope.tenant(tenant).path();
    return Stream.concat(
        Stream.of("resetchannels"),
        Stream.of(
                own,
                own + "/*",
                own + ":*",
                ScopeKeys.HINTS,
                ScopeKeys.HINTS + "/permissions",
                ScopeKeys.LISTENERS)
            .map("&"::concat));
  }

  private static Stream<String> commands() {
    return COMMANDS.stream().flatMap(line -> Stream.of(line.split(" "))).map("+"::concat);
  }

  /**
   * Whether the Redis user may run every command that scripts run. It must be known before the
   * first of them does: Redis looks at each command only when a script comes to it, and keeps what
   * the script has done before the one that it refuses.
   */
  public static final class RequiredPermissions {

    private static final RedisScript TRY =
        RedisScript.resource(RequiredPermissions.class, "permissions.lua", ScriptOutputType.VALUE);

    private RequiredPermissions() {}

    /**
     * Tries the commands; blocks for a round trip.
     *
     * @param scratchKey named like the keys that the scripts touch, and used for nothing else
     * @param channel where the scripts publish; one without listeners gets an empty message
     * @param commands in capitals
     * @throws BlackboardException naming what the user may not run
     */
    public static void check(
        RedisConnections redis, String scratchKey, String channel, Collection<String> commands) {
      byte[][] arguments =
          Stream.concat(Stream.of(channel), commands.stream().distinct().sorted())
              .map(text -> text.getBytes(StandardCharsets.UTF_8))
              .toArray(byte[][]::new);
      byte[] refused;
      try {
        refused =
            TRY.<byte[]>run(redis.commands(), new String[] {scratchKey}, arguments)
                .toCompletableFuture()
                .join();
      } catch (RuntimeException failure) {
        throw RedisFailure.of(failure);
      }
      if (refused.length > 0) {
        throw new BlackboardException(
            Reason.FORBIDDEN,
            "the Redis user of %s may not run %s, or not with keys and channels like %s and %s; grant"
                    .formatted(redis.address(), listed(refused), scratchKey, channel)
                + " it what docs/concepts/blackboard.md lists");
      }
    }

    private static String listed(byte[] names) {
      return String.join(", ", List.of(new String(names, StandardCharsets.US_ASCII).split(" ")));
    }
  }
}
