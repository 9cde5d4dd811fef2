package dev.colony.server.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.blackboard.redis.RequiredPermissions;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * A lease in Redis as one owner sees it. Each operation is one script call, may be carried out
 * twice without harm, and fails as Lettuce reports it; one that failed may have been carried out.
 * While Redis is away a call takes up to five seconds more than the command timeout. Thread-safe.
 */
final class LeaseStore {

  private static final String PREFIX = "colony:lease:";

  private static final RedisScript SCRIPT =
      RedisScript.resource(LeaseStore.class, "lease.lua", ScriptOutputType.MULTI);

  private final RedisConnections redis;
  private final String[] key;
  private final String owner;
  private final String length;

  /**
   * @param name of the lease
   * @param length how long the lease is held without being renewed
   */
  LeaseStore(RedisConnections redis, String name, String owner, Duration length) {
    this.redis = redis;
    this.key = new String[] {PREFIX + name};
    this.owner = owner;
    this.length = Long.toString(length.toMillis());
  }

  /**
   * Looks whether the Redis user may use leases; blocks for a round trip. A lease is wanted when
   * something has gone wrong already.
   *
   * @throws BlackboardException naming what the user may not run
   */
  static void checkPermissions(RedisConnections redis) {
    String scratch = PREFIX + "permissions";
    RequiredPermissions.check(redis, scratch, scratch, SCRIPT.commands());
  }

  CompletionStage<LeaseState> look() {
    return run("look", "");
  }

  /**
   * Takes the lease if it is as it was seen.
   *
   * @param until a time of Redis' clock after which nothing is taken: a call that Redis comes to
   *     when its caller has given up must not take the lease from those who still want it
   */
  CompletionStage<LeaseState> take(LeaseState seen, String claim, long until) {
    return run("take", claim, seen.holder(), seen.claim(), Long.toString(until));
  }

  /**
   * Holds it for another while, also where its time was over and no other node has taken it.
   *
   * @param before the claim that the lease was taken after
   */
  CompletionStage<LeaseState> renew(String claim, String before) {
    return run("renew", claim, before);
  }

  /** Gives it back; not done where it is another's. */
  CompletionStage<LeaseState> release(String claim) {
    return run("release", claim);
  }

  private CompletionStage<LeaseState> run(String operation, String claim, String... more) {
    byte[][] arguments =
        Stream.concat(Stream.of(operation, length, owner, claim), Stream.of(more))
            .map(text -> text.getBytes(UTF_8))
            .toArray(byte[][]::new);
    return SCRIPT.<List<Object>>run(redis.commands(), key, arguments).thenApply(LeaseStore::seen);
  }

  private static LeaseState seen(List<Object> answer) {
    return new LeaseState(
        (Long) answer.get(0),
        new String((byte[]) answer.get(1), UTF_8),
        new String((byte[]) answer.get(2), UTF_8),
        (Long) answer.get(3) == 1);
  }
}
