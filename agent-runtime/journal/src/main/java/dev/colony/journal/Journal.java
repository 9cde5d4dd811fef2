package dev.colony.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadSweep;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.payload.PayloadVault.PayloadListener;
import dev.colony.blackboard.redis.BoundPayloads;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.redis.TenantRights.RequiredPermissions;
import dev.colony.blackboard.settings.Settings;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalReader.PayloadReader;
import dev.colony.journal.JournalReader.Reach;
import dev.colony.journal.JournalReader.Stored;
import dev.colony.journal.LogView.Glimpses;
import dev.colony.journal.LostLogs.EventLosses;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The event log and the snapshots on one Redis, over one set of connections, and the ways to read
 * it, to index what is outstanding, to decide about what was lost and to remove. Thread-safe.
 */
public final class Journal implements EventLosses, AutoCloseable {

  /** Of the keys, the frames and the names of what is stored. */
  private static final String LAYOUT_VERSION = "2";

  private final JournalSettings settings;
  private final RedisConnections redis;
  private final JournalKeys keys;
  private final RedisRetry retry;
  private final AppendPipeline appends;
  private final EventLog log;
  private final StoreWatch watch;
  private final SnapshotArchive snapshots;
  private final PayloadVault payloads;
  private final PayloadSweep sweep;

  private Journal(Config config) {
    this.settings = JournalSettings.fromConfig(config);
    this.keys = new JournalKeys(settings.slots());
    this.retry = new RedisRetry(settings.commandTimeout(), RedisRetry.DELAY);
    this.redis =
        new RedisConnections(
            settings.redisUri(),
            RedisSettings.fromConfig(config).withCommandTimeout(settings.commandTimeout()));
    try {
      checkPermissions();
      claimLayout();
      this.payloads =
          BoundPayloads.open(
              Settings.read(PayloadSettings.class, config), redis, settings.commandTimeout());
      this.appends = new AppendPipeline(redis, AppendPipeline.CONNECTIONS, retry);
    } catch (RuntimeException failure) {
      redis.close();
      throw failure;
    }
    Glimpses glimpses = new Glimpses();
    this.watch = new StoreWatch(redis, keys, StoreWatch.Bounds.USUAL, settings.commandTimeout());
    JournalPayloads large = new JournalPayloads(payloads);
    this.log = new EventLog(redis, keys, appends, retry, glimpses, watch, large);
    this.snapshots = new SnapshotArchive(redis, keys, retry, settings.retention(), glimpses, large);
    this.sweep =
        new PayloadSweep(payloads, JournalPayloads.AREA, this::references, PayloadSweep.PAGE);
  }

  /**
   * Connects.
   *
   * @param config with {@code colony.journal}, where Redis is among it
   * @throws dev.colony.blackboard.BlackboardException if no Redis at {@code redis-uri} can be used
   * @throws JournalException if the data there was laid out by another build, or with another
   *     number of slots
   */
  public static Journal open(Config config) {
    return new Journal(config);
  }

  /** The same on another Redis than the one that the configuration names. */
  public static Journal open(String redisUri, Config config) {
    return open(
        ConfigFactory.parseMap(Map.of(JournalSettings.PATH + ".redis-uri", redisUri), "the caller")
            .withFallback(config));
  }

  /**
   * The way to read it without writing anything.
   *
   * @param payloads reads what the serializers of the nodes wrote
   */
  public JournalReader reader(PayloadReader payloads) {
    return new JournalReader(this, payloads);
  }

  public LostLogs lostLogs() {
    return new LostLogs(this);
  }

  public JournalRemoval removal() {
    return new JournalRemoval(this);
  }

  /** The persistence ids with work outstanding. */
  public OutstandingIndex outstanding() {
    return new OutstandingIndex(this);
  }

  public JournalCount count() {
    return new JournalCount(this);
  }

  @Override
  public void close() {
    watch.close();
    appends.close();
    redis.close();
    payloads.close();
  }

  /** Tells this listener what becomes of appends, from now on; one at a time is told. */
  public void listen(JournalListener listener) {
    log.listen(listener);
    watch.listen(listener);
    payloads.listen(listener::payload);
  }

  /**
   * Begins to watch whether the store goes back to an older state. A node that writes calls it
   * once.
   *
   * @param node names this process among all that ever were, as in the claims of its agents
   * @throws JournalException where large events lie in a store that the settings do not name
   */
  public void watch(String node) {
    if (payloads.off() && BoundPayloads.exist(redis)) {
      throw new JournalException(
          "Redis at %s has payloads in a store: colony.payloads.store has to name it"
              .formatted(redis.address()),
          null,
          false);
    }
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

  public JournalSettings settings() {
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

  private PayloadSweep.References references(String owner, List<PayloadSweep.Item> items) {
    return JournalPayloads.references(redis, keys, retry, owner, items);
  }

  PayloadSweep sweep() {
    return sweep;
  }

  public EventLog log() {
    return log;
  }

  public SnapshotArchive snapshots() {
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

  /**
   * Counts the events that stand in the journal, without waking their agents: for tests and benches
   * that have to show that none is missing and none is there twice.
   */
  public static final class JournalCount {

    private static final Executor HANDLER = ForkJoinPool.commonPool();

    private final Journal journal;

    JournalCount(Journal journal) {
      this.journal = journal;
    }

    /**
     * How many events of each manifest a log holds; deleted ones are not counted, gap markers
     * neither. Reads the whole log.
     *
     * @return fails with {@link DamagedLogException} over a hole, as a recovery would
     */
    public CompletionStage<Map<String, Long>> byManifest(String persistenceId) {
      Map<String, Long> counts = new ConcurrentHashMap<>();
      return journal
          .log()
          .highest(persistenceId, 0)
          .thenCompose(last ->
              journal
                  .log()
                  .replay(
                      new ReplayCursor(persistenceId, 1, last, Long.MAX_VALUE),
                      EventLog.REPLAY_BATCH,
                      HANDLER,
                      replayed -> counts.merge(replayed.event().manifest(), 1L, Long::sum)))
          .thenApply(done -> counts);
    }
  }

  /**
   * Is told how long the journal takes; called on the threads of its connections, so it must be
   * quick. Thread-safe.
   */
  public interface JournalListener {

    JournalListener NONE = new JournalListener() {};

    enum Outcome {
      STORED,
      /** Another writer has gone on with the log, or it is not where this one believed it to be. */
      FENCED,
      /** The store has lost events of the log that it had acknowledged. */
      LOST,
      /** It is unknown whether it was stored. */
      FAILED
    }

    /**
     * Redis has answered an append, or will not.
     *
     * @param took from the call to the answer, with its sync to the disk and all repeats
     */
    default void appended(Duration took, Outcome outcome) {}

    /**
     * The store has gone back to an older state, as far as this node's ticks tell.
     *
     * @param since when the last tick was stored that is there; what was acknowledged since may be
     *     gone
     */
    default void rolledBack(Instant since) {}

    /**
     * The store has lost events of a log that it had acknowledged; told once for each log and node.
     *
     * @param stored the sequence number of the last event that is there
     * @param acknowledged that of the last that was acknowledged, as far as is known
     */
    default void lost(String persistenceId, long stored, long acknowledged) {}

    /**
     * A large event or snapshot went outside Redis, or came from there.
     *
     * @param bytes of it; 0 where none was moved
     */
    default void payload(PayloadListener.Outcome outcome, long bytes) {}
  }

  /**
   * The events and snapshots that are kept of agents, read without waking them. Thread-safe; stages
   * fail with {@link JournalException}.
   */
  public interface PastEvents {

    /** How far a log reaches. */
    CompletionStage<Reach> reach(String persistenceId);

    /**
     * The newest snapshot that holds no event beyond a number.
     *
     * @param upTo at least 0
     */
    CompletionStage<Optional<Stored>> snapshot(String persistenceId, long upTo);

    /**
     * The events from one number to another, both included, in order, each handed over as it is
     * read, so that no more than some are in memory at once; deleted ones are left out.
     *
     * @param each is called for one at a time, on one thread or another
     * @return fails with {@link DamagedLogException} over a hole, as a recovery would
     */
    CompletionStage<Void> events(String persistenceId, long from, long to, Consumer<Stored> each);

    /** The same as a list. */
    default CompletionStage<List<Stored>> events(String persistenceId, long from, long to) {
      List<Stored> events = Collections.synchronizedList(new ArrayList<>());
      return events(persistenceId, from, to, events::add).thenApply(done -> List.copyOf(events));
    }

    /**
     * Those of journals in memory that keep each event, and no snapshots.
     *
     * @param journals all events of a journal so far, numbered from 1
     */
    static PastEvents of(Function<String, List<Stored>> journals) {
      return new PastEvents() {

        @Override
        public CompletionStage<Reach> reach(String persistenceId) {
          return CompletableFuture.completedStage(
              new Reach(1, journals.apply(persistenceId).size(), Optional.empty()));
        }

        @Override
        public CompletionStage<Optional<Stored>> snapshot(String persistenceId, long upTo) {
          return CompletableFuture.completedStage(Optional.empty());
        }

        @Override
        public CompletionStage<Void> events(
            String persistenceId, long from, long to, Consumer<Stored> each) {
          journals.apply(persistenceId).stream()
              .filter(one -> one.sequenceNr() >= from && one.sequenceNr() <= to)
              .forEach(each);
          return CompletableFuture.completedStage(null);
        }
      };
    }
  }

  /**
   * What a Redis user needs to read the journals of one tenant's agents, and none of another's, as
   * words of {@code ACL SETUSER}, beside the commands that the blackboard needs too. Redis 6.2
   * cannot let it read alone.
   */
  public static final class JournalRights {

    private static final String ANY_SLOT = "colony:{j-*}:";
    private static final String LAYOUT_PERMISSIONS = JournalKeys.LAYOUT + ":permissions";

    private JournalRights() {}

    /**
     * @throws IllegalArgumentException if there can be no such tenant
     */
    public static List<String> of(String tenant) {
      String own = ":" + Scope.tenant(tenant).tenant() + "/*";
      return Stream.concat(
              Stream.of("e", "m", "s", "si").map(kind -> "~" + ANY_SLOT + kind + own),
              Stream.of(
                  "~" + JournalKeys.LAYOUT, "~" + LAYOUT_PERMISSIONS, "&" + LAYOUT_PERMISSIONS))
          .toList();
    }
  }
}
