package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Writes with events per second and event latency, through the public interface, on a Redis server
 * of the bench's own.
 */
@Command(
    name = "board",
    mixinStandardHelpOptions = true,
    description = {
      "Writes with events per second, and how long an event takes to its subscriber.",
      "At full load, then at half of it beside plain publish/subscribe; beside them the most that "
          + "the same Redis takes of the same script. Counts in the end that nothing was lost.",
    })
public final class BoardBench extends Bench {

  private static final int WARM_UP_ROUNDS = 3;
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
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "With replicas of the server, instead: the full load that waits for all of them beside"
              + " that which waits for none (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @ArgGroup(exclusive = false)
  private Sizes figures;

  /** All figures, and how large what is measured for them. */
  private static final class Sizes {

    @Option(
        names = "--figures",
        required = true,
        description = "Measures all figures of the documentation, the load under each fsync mode.")
    private boolean wanted;

    @Option(
        names = "--subscribed",
        paramLabel = "SCOPES",
        defaultValue = "10000",
        description = "With --figures: scopes with a subscriber each (default: ${DEFAULT-VALUE}).")
    private int scopes;

    @Option(
        names = "--fill",
        paramLabel = "KEYS",
        defaultValue = "100000",
        description = "With --figures: keys in one scope (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
        names = "--large",
        paramLabel = "BYTES",
        defaultValue = "16777216",
        description = "With --figures: a large value (default: ${DEFAULT-VALUE}).")
    private int valueBytes;
  }

  @Override
  protected void check() {
    check("--clients", clients, 1, 10_000);
    check("--ops", ops, 1, MOST_OPS);
    check("--value", valueBytes, LEAST_VALUE, MOST_VALUE);
    check("--keys", keys, 1, 1_000_000);
    check("--scopes", scopes, 1, 100_000);
    check("--replicas", replicas, 0, 5);
    long entries = Math.min(ops, (long) keys * scopes);
    if (entries * valueBytes > MOST_STORED_BYTES) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%,d entries of %,d bytes are more than 2 GiB: take fewer --keys"
              .formatted(entries, valueBytes));
    }
    if (figures != null) {
      check("--subscribed", figures.scopes, 1, 100_000);
      check("--fill", figures.keys, 1, 1_000_000);
      check("--large", figures.valueBytes, LEAST_VALUE, 16 * MOST_VALUE);
    }
  }

  @Override
  protected String broken() {
    return "writes or events were lost or doubled";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    if (figures != null) {
      return all(directory);
    }
    return replicas > 0 ? replicated(directory) : one(directory, load(fsync));
  }

  private BoardLoad load(Fsync mode) {
    return new BoardLoad(clients, ops, valueBytes, keys, scopes, mode);
  }

  private ObjectNode one(Path directory, BoardLoad load) {
    try (BenchServer bench = new BenchServer(directory, config(), load.fsync())) {
      warmUp(bench, load);
      try (FullLoadRun full = new FullLoadRun(bench, "full", load);
          CommitCeiling ceiling = new CommitCeiling(bench, load)) {
        load.inRounds((first, end) -> {
          ceiling.run(first, end);
          full.run(first, end);
        });
        double reached = full.writesPerSecond();
        ObjectNode found = load.toJson().put("redisVersion", bench.server().version());
        Arrivals.Tally tally =
            full.addTo(found.putObject("full"))
                .plus(half(bench, load, reached / 2, found.putObject("half")));
        double most = ceiling.addTo(found.putObject("ceiling"));
        tally.addTo(found.put("ratio", Report.rounded(reached / most)));
        return found.put(WHOLE, tally.whole());
      }
    }
  }

  /**
   * How long events take at a given rate, from the instant at which a write was due, beside what
   * messages of the same bytes take that are published plainly at the same rate. The two take
   * turns, so that whatever else the machine does meets both.
   */
  private static Arrivals.Tally half(
      BenchServer bench, BoardLoad load, double perSecond, ObjectNode found) {
    OpenLoop loop = new OpenLoop(perSecond);
    try (LoadedScopes scopes = LoadedScopes.durable(bench.blackboards(), "half", load);
        PlainMessages plain = new PlainMessages(bench.redis(), load)) {
      load.inRounds((first, end) -> {
        loop.run(first, end, plain::publish);
        loop.run(first, end, scopes::write);
      });
      plain.arrivals().await(load.ops(), FullLoadRun.PATIENCE);
      scopes.arrivals().await(load.ops(), FullLoadRun.PATIENCE);
      found.put("writesPerSecond", Math.round(perSecond)).put("fellBehind", scopes.fellBehind());
      scopes.arrivals().latency().addTo(found, "event");
      plain.arrivals().latency().addTo(found, "raw");
      found.put(
          "p99Ratio",
          Report.rounded(
              scopes.arrivals().latency().millis(99) / plain.arrivals().latency().millis(99)));
      return scopes.tally();
    }
  }

  /**
   * What waiting for replicas costs: the full load with and without, in turns, on one server with
   * replicas.
   */
  private ObjectNode replicated(Path directory) {
    BoardLoad load = load(fsync);
    try (BenchServer bench = new BenchServer(directory.resolve("master"), config(), fsync)) {
      for (int i = 0; i < replicas; i++) {
        bench.replicate(directory.resolve("replica-" + i), fsync);
      }
      try (BenchServer waiting = bench.waitingFor(replicas)) {
        warmUp(bench, load);
        warmUp(waiting, load);
        try (FullLoadRun alone = new FullLoadRun(bench, "alone", load);
            FullLoadRun waited = new FullLoadRun(waiting, "waited", load)) {
          load.inRounds((first, end) -> {
            alone.run(first, end);
            waited.run(first, end);
          });
          ObjectNode found =
              load.toJson().put("redisVersion", bench.server().version()).put("replicas", replicas);
          Arrivals.Tally tally =
              alone.addTo(found.putObject("alone")).plus(waited.addTo(found.putObject("waited")));
          return found
              .put("ratio", Report.rounded(waited.writesPerSecond() / alone.writesPerSecond()))
              .put(WHOLE, tally.whole());
        }
      }
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
    try (BenchServer bench = new BenchServer(directory.resolve("sizes"), config(), Fsync.ALWAYS)) {
      whole &= BoardSizes.subscriptions(bench, figures.scopes, found.putObject("subscriptions"));
      whole &= BoardSizes.keys(bench, figures.keys, found.putObject("keys"));
      BoardSizes.value(bench, figures.valueBytes, found.putObject("value"));
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
}
