package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether the Redis user may run every command that scripts run. It must be known before the first
 * of them does: Redis looks at each command only when a script comes to it, and keeps what the
 * script has done before the one that it refuses.
 */
public final class RequiredPermissions {

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
