package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.node.Started;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Writes with events per second and event latency, through the public interface, on a Redis server
 * of the bench's own.
 */
@Command(
    name = "board",
    description = {
      "Writes with events per second, and how long an event takes to its subscriber.",
      "At full load, then at half of it; beside them the most that the same Redis takes of the same"
          + " script. Counts in the end that nothing was lost.",
    })
public final class BoardBench extends Bench {

  private static final int WARM_UP_ROUNDS = 3;

  /** Bench and ceiling take turns, so that whatever else the machine does meets both. */
  private static final int TURNS = 4;

  private static final int WARM_UP_OPS = 20_000;
  private static final int MOST_OPS = 5_000_000;
  private static final int LEAST_VALUE = 32;
  private static final int MOST_VALUE = 1024 * 1024;
  private static final long MOST_STORED_BYTES = 2L << 30;

  @Option(
      names = "--clients",
      paramLabel = "C",
      defaultValue = "64",
      description = "Each has one write under way (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--ops",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Writes in all, in each phase (default: ${DEFAULT-VALUE}).")
  private int ops;

  @Option(
      names = "--value",
      paramLabel = "BYTES",
      defaultValue = "512",
      description = "Of each write, as JSON (default: ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--keys",
      paramLabel = "K",
      defaultValue = "1000",
      description = "Over how many of each scope (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--scopes",
      paramLabel = "S",
      defaultValue = "1",
      description = "Over how many, each with a subscriber (default: ${DEFAULT-VALUE}).")
  private int scopes;

  @Option(
      names = "--fsync",
      defaultValue = "always",
      description = "When Redis syncs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Fsync fsync;

  @Option(
      names = "--figures",
      description = "Measures all figures of the documentation: the load under each fsync mode.")
  private boolean figures;

  @Override
  protected void check() {
    check("--clients", clients, 1, 10_000);
    check("--ops", ops, 1, MOST_OPS);
    check("--value", valueBytes, LEAST_VALUE, MOST_VALUE);
    check("--keys", keys, 1, 1_000_000);
    check("--scopes", scopes, 1, 100_000);
    long entries = Math.min(ops, (long) keys * scopes);
    if (entries * valueBytes > MOST_STORED_BYTES) {
      throw CommandFailure.badInput(
          "%,d entries of %,d bytes are more than 2 GiB: take fewer --keys"
              .formatted(entries, valueBytes));
    }
  }

  @Override
  protected String broken() {
    return "writes or events were lost or doubled";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    return figures ? all(directory) : one(directory, load(fsync));
  }

  private BoardLoad load(Fsync mode) {
    return new BoardLoad(clients, ops, valueBytes, keys, scopes, mode);
  }

  private ObjectNode one(Path directory, BoardLoad load) {
    try (Started started = new Started()) {
      BenchServer bench =
          started.add(
              new BenchServer(
                  redis(
                      started,
                      ServerSettings.fromConfig(config(), directory)
                          .withoutPassword()
                          .withFsync(load.fsync())),
                  config()));
      warmUp(bench, load);
      FullLoadRun full = started.add(new FullLoadRun(bench, "full", load));
      CommitCeiling ceiling = started.add(new CommitCeiling(bench, load));
      ObjectNode found = load.toJson();
      ArrayNode rows = found.putArray(Rounds.FIELD);
      double before = ceiling.run(0, ops / TURNS);
      for (int turn = 0; turn < TURNS; turn++) {
        int first = (int) ((long) ops * turn / TURNS);
        int end = (int) ((long) ops * (turn + 1) / TURNS);
        double reached = full.run(first, end);
        double behind = ceiling.run(first, end);
        rows.addObject()
            .put("writesPerSecond", Math.round(reached))
            .put("ceilingBefore", Math.round(before))
            .put("ceilingBehind", Math.round(behind))
            .put("ratio", Report.rounded(2 * reached / (before + behind)));
        before = behind;
      }
      double reached = full.writesPerSecond();
      Arrivals.Tally tally =
          full.addTo(found.putObject("full"))
              .plus(half(bench, load, reached / 2, found.putObject("half")));
      double most = ceiling.addTo(found.putObject("ceiling"));
      tally.addTo(found.put("ratio", Report.rounded(reached / most)));
      return found.put(WHOLE, tally.whole());
    }
  }

  /** How long events take at a given rate, from the instant at which a write was due. */
  private static Arrivals.Tally half(
      BenchServer bench, BoardLoad load, double perSecond, ObjectNode found) {
    try (LoadedScopes scopes = new LoadedScopes(bench.blackboards(), "half", load)) {
      new OpenLoop(perSecond).run(0, load.ops(), scopes::write);
      scopes.arrivals().await(load.ops(), FullLoadRun.PATIENCE);
      found.put("writesPerSecond", Math.round(perSecond)).put("fellBehind", scopes.fellBehind());
      scopes.arrivals().latency().addTo(found, "event");
      return scopes.tally();
    }
  }

  private ObjectNode all(Path directory) {
    ObjectNode found = Report.object();
    ArrayNode loads = found.putArray("loads");
    boolean whole = true;
    for (Fsync mode : Fsync.values()) {
      ObjectNode load = one(directory.resolve(mode.word()), load(mode));
      whole &= load.path(WHOLE).asBoolean();
      loads.add(load);
    }
    return found.put(WHOLE, whole);
  }

  private static void warmUp(BenchServer bench, BoardLoad load) {
    BoardLoad few = load.atMost(WARM_UP_OPS);
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try (FullLoadRun full = new FullLoadRun(bench, "warm-up-" + round, few)) {
        full.run(0, few.ops());
      }
    }
  }

  /**
   * What clients are to do.
   *
   * @param clients each has one write under way at full load
   * @param ops writes in all, in each phase
   * @param valueBytes of each write, as JSON
   * @param keys over how many of each scope the writes are spread
   * @param scopes over how many the writes are spread, each with a subscriber to all its events
   * @param fsync when Redis brings a write to the disk
   */
  record BoardLoad(int clients, int ops, int valueBytes, int keys, int scopes, Fsync fsync) {

    /** The same load of fewer writes, if it has more. */
    BoardLoad atMost(int most) {
      return new BoardLoad(clients, Math.min(ops, most), valueBytes, keys, scopes, fsync);
    }

    ObjectNode toJson() {
      return Report.object()
          .put("clients", clients)
          .put("ops", ops)
          .put("valueBytes", valueBytes)
          .put("keys", keys)
          .put("scopes", scopes)
          .put("fsync", fsync.word());
    }
  }

  /**
   * A Redis server and a blackboard on it; closing it ends the blackboard. The server rewrites its
   * file only when that has grown to gigabytes: a rewrite takes a processor for as long as it
   * lasts, and would fall into one phase and not into the other.
   */
  static final class BenchServer implements AutoCloseable {

    private static final String REWRITE_FROM_BYTES = Long.toString(4L << 30);

    private final Started started = new Started();
    private final RedisServerProcess server;
    private final RedisConnections redis;
    private final BlackboardSettings settings;
    private final Blackboards blackboards;

    BenchServer(RedisServerProcess server, Config config) {
      this.server = server;
      try {
        redis = started.add(new RedisConnections(server.uri(), RedisSettings.fromConfig(config)));
        redis
            .commands()
            .configSet("auto-aof-rewrite-min-size", REWRITE_FROM_BYTES)
            .toCompletableFuture()
            .join();
        settings = BlackboardSettings.fromConfig(config);
        blackboards = started.add(new RedisBlackboards(redis, settings));
      } catch (RuntimeException failure) {
        started.close();
        throw failure;
      }
    }

    RedisServerProcess server() {
      return server;
    }

    RedisConnections redis() {
      return redis;
    }

    BlackboardSettings settings() {
      return settings;
    }

    Blackboards blackboards() {
      return blackboards;
    }

    @Override
    public void close() {
      started.close();
    }
  }

  /**
   * What clients reach that each have one write under way, some writes at a time; closing it ends
   * its subscriptions.
   */
  static final class FullLoadRun implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final BoardLoad load;
    private final LoadedScopes scopes;
    private double writingSeconds;

    FullLoadRun(BenchServer bench, String phase, BoardLoad load) {
      this.load = load;
      this.scopes = new LoadedScopes(bench.blackboards(), phase, load);
    }

    /**
     * Makes some of the writes, all before them made already, and waits for their events.
     *
     * @return writes in a second
     */
    double run(int first, int end) {
      double seconds =
          new ClosedLoop(load.clients())
              .run(first, end, (client, number) -> scopes.write(number, System.nanoTime()));
      writingSeconds += seconds;
      scopes.arrivals().await(end, PATIENCE);
      return (end - first) / seconds;
    }

    double writesPerSecond() {
      return load.ops() / writingSeconds;
    }

    Arrivals.Tally addTo(ObjectNode json) {
      json.put("writesPerSecond", Math.round(writesPerSecond()))
          .put("fellBehind", scopes.fellBehind());
      scopes.arrivals().latency().addTo(json, "event");
      return scopes.tally();
    }

    @Override
    public void close() {
      scopes.close();
    }
  }
}
