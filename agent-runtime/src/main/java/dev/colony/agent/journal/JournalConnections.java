package dev.colony.agent.journal;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.redis.RequiredPermissions;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;

/**
 * The journal's connections to Redis, one set per actor system, shared by the journal, the snapshot
 * store and the index of outstanding work. Opened when first asked for, closed when the actor
 * system has ended.
 */
public final class JournalConnections implements Extension, EventLosses {

  /** Of the keys, the frames and the names of what is stored. */
  private static final String LAYOUT_VERSION = "2";

  private static final Id ID = new Id();

  private final JournalSettings settings;
  private final RedisConnections redis;
  private final JournalKeys keys;
  private final RedisRetry retry;
  private final EventLog log;
  private final StoreWatch watch;
  private final SnapshotArchive snapshots;

  private JournalConnections(ExtendedActorSystem system) {
    this.settings = JournalSettings.fromConfig(system.settings().config());
    this.keys = new JournalKeys(settings.slots());
    this.retry = new RedisRetry(settings.commandTimeout(), settings.retryDelay());
    this.redis =
        new RedisConnections(
            settings.redisUri(),
            RedisSettings.fromConfig(system.settings().config())
                .withCommandTimeout(settings.commandTimeout()));
    AppendPipeline appends;
    try {
      checkPermissions();
      claimLayout();
      appends = new AppendPipeline(redis, settings.connections(), retry);
    } catch (RuntimeException failure) {
      redis.close();
      throw failure;
    }
    Glimpses glimpses = new Glimpses();
    this.watch = new StoreWatch(redis, keys, settings.watch(), settings.commandTimeout());
    this.log = new EventLog(redis, keys, appends, retry, glimpses, watch);
    this.snapshots = new SnapshotArchive(redis, keys, retry, settings.retention(), glimpses);
    system.registerOnTermination(() -> {
      watch.close();
      appends.close();
      redis.close();
    });
  }

  /**
   * The connections of an actor system. A node calls this when it starts, so that a Redis that
   * cannot be reached stops the start and not its first agent.
   *
   * @throws dev.colony.blackboard.BlackboardException if no Redis at {@code redis-uri} can be used
   * @throws JournalException if the data there was laid out with another number of slots
   */
  public static JournalConnections get(ClassicActorSystemProvider system) {
    return ID.get(system);
  }

  /** Tells this listener what becomes of appends, from now on; one at a time is told. */
  public void listen(JournalListener listener) {
    log.listen(listener);
    watch.listen(listener);
  }

  /**
   * Begins to watch whether the store goes back to an older state. A node that writes calls it
   * once.
   *
   * @param node names this process among all that ever were, as in the claims of its agents
   */
  public void watch(String node) {
    watch.start(node, log::restore);
  }

  @Override
  public boolean diedUnknown(String node) {
    return watch.diedUnknown(node);
  }

  @Override
  public CompletionStage<Void> hold(String persistenceId) {
    return watch.hold(persistenceId);
  }

  @Override
  public Optional<LostLogs.Decided> takeDecision(String persistenceId) {
    return watch.takeDecision(persistenceId);
  }

  @Override
  public void written(String what, Supplier<? extends CompletionStage<?>> again) {
    watch.recent().add(what, again);
  }

  JournalSettings settings() {
    return settings;
  }

  RedisConnections redis() {
    return redis;
  }

  JournalKeys keys() {
    return keys;
  }

  RedisRetry retry() {
    return retry;
  }

  StoreWatch watch() {
    return watch;
  }

  EventLog log() {
    return log;
  }

  SnapshotArchive snapshots() {
    return snapshots;
  }

  private void checkPermissions() {
    Stream<String> ofScripts =
        Stream.of(
                AppendCall.SCRIPT,
                StoreWatch.TICK,
                StoreWatch.VERIFY,
                LostLogs.DECIDE,
                LostLogs.RESTORE,
                EventLog.DELETE,
                EventLog.REMOVE,
                SnapshotArchive.SAVE,
                SnapshotArchive.DELETE)
            .map(RedisScript::commands)
            .flatMap(Set::stream);
    Stream<String> ofIndex =
        Arrays.stream(AppendCall.IndexChange.values()).map(AppendCall.IndexChange::command);
    String scratch = JournalKeys.LAYOUT + ":permissions";
    RequiredPermissions.check(redis, scratch, scratch, Stream.concat(ofScripts, ofIndex).toList());
  }

  /** Another number of slots would make every log look empty, so the first one is binding. */
  private void claimLayout() {
    byte[] ours = (LAYOUT_VERSION + " slots=" + settings.slots()).getBytes(StandardCharsets.UTF_8);
    redis
        .commands()
        .set(JournalKeys.LAYOUT, ours, SetArgs.Builder.nx())
        .toCompletableFuture()
        .join();
    byte[] stored = redis.commands().get(JournalKeys.LAYOUT).toCompletableFuture().join();
    String layout = new String(stored, StandardCharsets.UTF_8);
    if (!layout.startsWith(LAYOUT_VERSION + " ")) {
      throw new JournalException(
          ("the journal at %s was written by a build of Colony with layout %s, this one has %s:"
                  + " start it with an empty Redis, or start the build that wrote it")
              .formatted(redis.address(), layout.split(" ")[0], LAYOUT_VERSION),
          null,
          false);
    }
    if (!Arrays.equals(ours, stored)) {
      throw new JournalException(
          "%s.slots is %d, the journal at %s was laid out as '%s'"
              .formatted(JournalSettings.PATH, settings.slots(), redis.address(), layout),
          null,
          false);
    }
  }

  private static final class Id extends AbstractExtensionId<JournalConnections> {
    @Override
    public JournalConnections createExtension(ExtendedActorSystem system) {
      return new JournalConnections(system);
    }
  }
}
