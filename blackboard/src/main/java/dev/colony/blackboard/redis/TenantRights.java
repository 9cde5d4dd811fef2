package dev.colony.blackboard.redis;

import dev.colony.blackboard.Scope;
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
}
