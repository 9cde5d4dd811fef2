package dev.colony.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.blackboard.redis.TenantRights.RequiredPermissions;
import dev.colony.server.node.LeaseClaim.LeaseState;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.setup.Setup;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.UniqueAddress;
import org.apache.pekko.coordination.lease.LeaseSettings;
import org.apache.pekko.coordination.lease.javadsl.Lease;

/**
 * Pekko's lease, kept by the Redis of the node. Its owner is the node's unique address, so that a
 * node that is started again at an address is another owner than the one that was there before.
 * Nothing blocks; thread-safe.
 *
 * <p>It is renewed from a thread of its own, so that busy dispatchers do not lose it, until it is
 * given back or the actor system has ended; then it is free when its time is over, not before,
 * because others may still have to be kept from it.
 */
public final class RedisLease extends Lease {

  private final LeaseSettings settings;
  private final LeaseClaim claim;

  /** As Pekko's {@code LeaseProvider} makes it. */
  public RedisLease(LeaseSettings settings, ExtendedActorSystem system) {
    this.settings = settings;
    LeaseParts parts =
        system
            .settings()
            .setup()
            .get(LeaseParts.class)
            .orElseThrow(() ->
                new IllegalStateException("the actor system was made without " + LeaseParts.class));
    LeaseTerms terms = LeaseTerms.fromConfig(system.settings().config());
    Cluster cluster = Cluster.get(system);
    String self = name(cluster.selfUniqueAddress());
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("lease").factory());
    this.claim =
        new LeaseClaim(
            new LeaseStore(parts.redis(), settings.leaseName(), self, terms.heartbeatTimeout()),
            self,
            owner -> reached(cluster.state(), owner),
            terms,
            parts.listener(),
            timer);
    system.registerOnTermination(() -> {
      claim.close();
      timer.shutdownNow();
    });
  }

  private static String name(UniqueAddress node) {
    return node.address().hostPort() + "#" + node.longUid();
  }

  private static boolean reached(ClusterEvent.CurrentClusterState state, String owner) {
    Set<UniqueAddress> unreachable =
        state.getUnreachable().stream().map(Member::uniqueAddress).collect(Collectors.toSet());
    return StreamSupport.stream(state.getMembers().spliterator(), false)
        .map(Member::uniqueAddress)
        .filter(node -> !unreachable.contains(node))
        .anyMatch(node -> name(node).equals(owner));
  }

  @Override
  public LeaseSettings getSettings() {
    return settings;
  }

  @Override
  public CompletionStage<Boolean> acquire() {
    return claim.acquire(failure -> {});
  }

  @Override
  public CompletionStage<Boolean> acquire(Consumer<Optional<Throwable>> leaseLostCallback) {
    return claim.acquire(leaseLostCallback);
  }

  @Override
  public CompletionStage<Boolean> release() {
    return claim.release();
  }

  @Override
  public boolean checkLease() {
    return claim.held();
  }

  /**
   * What a lease in Redis needs of its node. It travels in the actor system's setup, since Pekko
   * makes leases itself, by the name of their class.
   */
  public static final class LeaseParts extends Setup {

    private final RedisConnections redis;
    private final Consumer<LeaseOutcome> listener;

    /**
     * Looks at once whether the Redis user may use leases; blocks for a round trip.
     *
     * @param redis stays the caller's
     * @param listener told what becomes of the lease, by threads that must not be held up
     * @throws dev.colony.blackboard.BlackboardException naming what the user may not run
     */
    public LeaseParts(RedisConnections redis, Consumer<LeaseOutcome> listener) {
      LeaseStore.checkPermissions(redis);
      this.redis = redis;
      this.listener = listener;
    }

    RedisConnections redis() {
      return redis;
    }

    Consumer<LeaseOutcome> listener() {
      return listener;
    }
  }

  public sealed interface LeaseOutcome {

    /** Its side goes on. */
    record Won() implements LeaseOutcome {}

    /**
     * Another side goes on.
     *
     * @param holder which of its nodes has the lease, {@code system@host:port#uid}
     */
    record Denied(String holder) implements LeaseOutcome {}

    /** Redis has not said whose the lease is, for as long as this node was to wait for it. */
    record Unanswered(Duration waited) implements LeaseOutcome {}

    /**
     * The lease was this node's, and another side has got it since: the node was frozen, or did not
     * reach Redis, for longer than the lease is held without being renewed. Its side must end.
     *
     * @param holder who has it, empty where its time is over too
     */
    record Lost(String holder) implements LeaseOutcome {}
  }

  /**
   * A lease in Redis as one owner sees it. Each operation is one script call, may be carried out
   * twice without harm, and fails as Lettuce reports it; one that failed may have been carried out.
   * While Redis is away a call takes up to five seconds more than the command timeout. Thread-safe.
   */
  static final class LeaseStore {

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

  /**
   * The times of the lease, as {@code colony-node.conf} gives them to Pekko.
   *
   * @param heartbeatTimeout for how long it is held without being renewed
   * @param heartbeatInterval between two renewals
   * @param operationTimeout for how long Redis may leave a node without an answer
   * @param releaseAfter for how long it is held after the last decision by it
   */
  record LeaseTerms(
      Duration heartbeatTimeout,
      Duration heartbeatInterval,
      Duration operationTimeout,
      Duration releaseAfter) {

    private static final String RESOLVER = "pekko.cluster.split-brain-resolver.";
    private static final String STABLE_AFTER = RESOLVER + "stable-after";
    private static final String PAUSE = "pekko.cluster.failure-detector.acceptable-heartbeat-pause";
    private static final String PATH = "pekko.coordination.lease.redis.";

    static LeaseTerms fromConfig(Config config) {
      return new LeaseTerms(
          config.getDuration(PATH + "heartbeat-timeout"),
          config.getDuration(PATH + "heartbeat-interval"),
          config.getDuration(PATH + "lease-operation-timeout"),
          config.getDuration(RESOLVER + "lease-majority.release-after"));
    }

    /**
     * Looks whether they fit each other, and the times after which a side decides.
     *
     * @throws ConfigException naming the setting, its value and what is allowed
     */
    static void check(Config config) {
      LeaseTerms terms = fromConfig(config);
      if (terms.heartbeatInterval.multipliedBy(2).compareTo(terms.heartbeatTimeout) > 0) {
        throw bad(
            "heartbeat-interval",
            terms.heartbeatInterval,
            "at most half of heartbeat-timeout (" + terms.heartbeatTimeout + ")");
      }
      Duration undecided = config.getDuration(PAUSE).plus(config.getDuration(STABLE_AFTER));
      if (terms.heartbeatTimeout.compareTo(undecided) >= 0) {
        throw bad(
            "heartbeat-timeout",
            terms.heartbeatTimeout,
            "less than %s and %s together (%s), or who outlives its holder finds it held"
                .formatted(PAUSE, STABLE_AFTER, undecided));
      }
    }

    private static ConfigException bad(String key, Object value, String allowed) {
      return new ConfigException.BadValue(PATH + key, "is " + value + ", but must be " + allowed);
    }
  }
}
