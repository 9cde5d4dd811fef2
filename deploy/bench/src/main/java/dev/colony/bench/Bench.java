package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.CommandLog;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.testkit.InstantModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A bench as a command: checks its options, measures, prints what it found below the machine and
 * its load, and deletes what it has kept; where what it found is not whole, the data and the logs
 * stay. Of a report with {@link Rounds} it prints each figure's median and range, and in JSON the
 * medians beside every round.
 */
public abstract class Bench implements Callable<Integer> {

  /**
   * The field of a report that says whether all is as it has to be; absent where nothing can be
   * otherwise.
   */
  protected static final String WHOLE = "whole";

  private static final String COMMAND = "command";
  private static final String LOAD = "loadAverage";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path config;

  @Option(
      names = "--compare",
      paramLabel = "FILE",
      description = {
        "What an earlier run has printed with --json: each figure is shown beside it.",
        "A change within the range of the rounds is called noise.",
      })
  private Path compare;

  @Mixin private JsonOption json;

  @Mixin private StateOption state;

  @Spec private CommandSpec spec;

  private final ObjectNode machine = Machine.described();

  /**
   * Refuses options that cannot be.
   *
   * @throws CommandFailure in one line
   */
  protected abstract void check();

  /**
   * Measures. Blocks.
   *
   * @param directory for data and logs, which does not exist
   * @return the figures, in the order in which they are shown
   */
  protected abstract ObjectNode measure(Path directory, Progress progress) throws IOException;

  /** What is said where what was found is not whole. */
  protected String broken() {
    return "what was found is not whole";
  }

  protected Path directory(Path benches) {
    return benches.resolve(RunNames.next().value());
  }

  @Override
  public Integer call() throws IOException {
    check();
    configFile();
    Optional<JsonNode> earlier = earlier();
    StateDirectory opened = state.open();
    CommandLog.into(opened, "bench");
    Path directory = directory(opened.root().resolve("bench"));
    ObjectNode report =
        Report.object()
            .put(COMMAND, String.join(" ", spec.commandLine().getParseResult().originalArgs()));
    report.set("machine", machine);
    report.putArray(LOAD).add(Machine.loadAverage());
    ObjectNode found;
    try (Progress progress = Progress.onStandardError()) {
      found = measure(directory, progress);
    }
    report.withArray("/" + LOAD).add(Machine.loadAverage());
    System.out.println(said(report, found, earlier));
    if (!found.path(WHOLE).asBoolean(true)) {
      throw CommandFailure.unsuccessful(broken() + "; data and logs are kept in " + directory);
    }
    delete(directory);
    return ExitCode.OK.status();
  }

  private String said(ObjectNode head, ObjectNode found, Optional<JsonNode> earlier) {
    Rounds rounds = Rounds.of(found);
    boolean given = Rounds.given(found);
    boolean several = given && found.path(Rounds.FIELD).size() > 1;
    earlier.ifPresent(before -> {
      ObjectNode beside = head.putObject("earlier");
      List.of(COMMAND, "machine", LOAD).forEach(name -> beside.set(name, before.path(name)));
    });
    head.setAll(found);
    if (given && (json.given() || !several)) {
      found
          .path(Rounds.FIELD)
          .path(0)
          .fieldNames()
          .forEachRemaining(
              figure -> head.putIfAbsent(figure, DoubleNode.valueOf(rounds.median(figure))));
    }
    if (given && !json.given()) {
      head.remove(Rounds.FIELD);
    }
    if (several || earlier.isPresent()) {
      head.set("figures", rounds.table(earlier.map(Rounds::of)));
    }
    return json.given() ? head.toString() : Report.text(head);
  }

  private Optional<JsonNode> earlier() {
    if (compare == null) {
      return Optional.empty();
    }
    String bench = "bench " + spec.name();
    try {
      JsonNode read = JsonMapper.builder().build().readTree(Files.readString(compare));
      if (read.path(COMMAND).asText().contains(bench)) {
        return Optional.of(read);
      }
    } catch (IOException unreadable) {
      // refused as another file is
    }
    throw CommandFailure.badInput(
        "--compare %s: is no file that holds what %s has printed with --json"
            .formatted(compare, bench));
  }

  /** A Redis server of this bench's own, which stops with what is started. */
  protected final RedisServerProcess redis(Started started, ServerSettings settings) {
    RedisServerProcess redis = RedisServerProcess.ensure(settings);
    started.add(redis::stop);
    machine.put("redis", redis.version());
    return redis;
  }

  /** A node alone, whose model answers at once. */
  static Node node(RedisServerProcess redis, Config config, StepListener listener) {
    return node(alone(redis.uri()), config, listener);
  }

  static NodeOptions alone(String redisUri) {
    int port = LoopbackPorts.free(1).getFirst();
    return NodeOptions.alone("bench-" + port, port, redisUri, Optional.empty(), Optional.empty());
  }

  static Node node(NodeOptions options, Config config, StepListener listener) {
    return Node.start(options, config, Optional.of(new InstantModel()), listener);
  }

  /** They become members together, so each is started by a thread of its own. */
  static List<Node> nodes(
      Started started, List<NodeOptions> options, Function<NodeOptions, Node> start) {
    List<CompletableFuture<Node>> starting = new ArrayList<>();
    for (NodeOptions one : options) {
      CompletableFuture<Node> node = new CompletableFuture<>();
      starting.add(node);
      Thread.ofPlatform()
          .name("start-" + one.name())
          .start(() -> {
            try {
              node.complete(started.add(start.apply(one)));
            } catch (RuntimeException failure) {
              node.completeExceptionally(failure);
            }
          });
    }
    CompletableFuture.allOf(starting.toArray(CompletableFuture[]::new))
        .exceptionally(any -> null)
        .join();
    return starting.stream().map(Bench::started).toList();
  }

  private static Node started(CompletableFuture<Node> node) {
    try {
      return node.join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }

  /**
   * The file of settings, if one is given.
   *
   * @throws CommandFailure if it cannot be read
   */
  protected final Optional<Path> configFile() {
    if (config != null && !Files.isReadable(config)) {
      throw CommandFailure.badInput("--config " + config + ": cannot be read");
    }
    return Optional.ofNullable(config);
  }

  protected final Config config() {
    return CommandConfig.base(configFile());
  }

  public static void check(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw CommandFailure.badInput(
          "%s is %d, but must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Refuses another number out of its range, or none at all. */
  public static void check(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw CommandFailure.badInput(
          "%s is %s, but must be %s to %s".formatted(option, value, least, most));
    }
  }

  /** Deletes what a bench that is done with it has kept, if anything. */
  public static void delete(Path directory) {
    if (Files.notExists(directory)) {
      return;
    }
    try {
      StateFolder.deleteTree(directory);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + directory, failure);
    }
  }
}
