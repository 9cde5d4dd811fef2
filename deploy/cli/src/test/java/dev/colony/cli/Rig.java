package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.local.UpRecord.SupervisorRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the tests of the command line work with: a small tree of which every file is a page, a
 * scripted model server and a state directory. Closing it ends whatever was left running.
 */
public final class Rig implements AutoCloseable {

  static final String QUESTION = "Which class decides on which node a shard is placed?";
  static final int FILES = 4;

  private static String undisturbed;

  private final Path folder;
  private final Path tree;
  private final Path config;
  private final ScriptedModel model = new ScriptedModel();
  private final List<RunningCommand> started = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();

  public Rig() {
    try {
      folder = Files.createTempDirectory("colony-rig");
      tree = Files.createDirectory(folder.resolve("tree"));
      for (int i = 1; i <= FILES; i++) {
        Files.writeString(tree.resolve(file(i)), source(i));
      }
      config = folder.resolve("test.conf");
      Files.writeString(
          config,
          """
          colony.vcm.grouping { page-size-tokens = 256, pages-per-group = 1 }
          """);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static String file(int number) {
    return "Placement" + number + ".java";
  }

  /** The line of a file that the scripted model quotes. */
  static String clue(int number) {
    return "/** Decides on which node a shard is placed, clue " + number + ". */";
  }

  /** A file that the question finds and that fills a page. */
  private static String source(int number) {
    StringBuilder source = new StringBuilder("package demo;\n\n");
    source.append(clue(number)).append("\nfinal class Placement").append(number).append(" {\n");
    for (int i = 0; i < 8; i++) {
      source.append("  int weight%d%d(int shard, int node) {\n".formatted(number, i));
      source.append("    return shard * %d + node;\n  }\n".formatted(i));
    }
    return source.append("}\n").toString();
  }

  ScriptedModel model() {
    return model;
  }

  Path tree() {
    return tree;
  }

  Path config() {
    return config;
  }

  public Path state() {
    return folder.resolve("state");
  }

  /** Lets the commands from here on use a Redis server that is not theirs. */
  void useRedis(String uri) {
    set("COLONY_REDIS_URL", uri);
  }

  /** A variable that the commands from here on have. */
  void set(String variable, String value) {
    environment.put(variable, value);
  }

  /** The process that starts nodes again, if it runs. */
  Optional<ProcessHandle> supervisor() {
    return SupervisorRecord.living(StateDirectory.open(state()));
  }

  /** In a process of its own. */
  public ColonyProcess start(String... arguments) {
    return kept(ColonyProcess.start(state(), environment, arguments));
  }

  /**
   * In this JVM, where it may: a process of its own is what has variables of its own, what hands
   * its options on to nodes, and what other modules add.
   */
  public Finished run(String... arguments) {
    return List.of("up", "bench").contains(arguments[0]) || !environment.isEmpty()
        ? start(arguments).await()
        : runHere(arguments);
  }

  /** In this JVM, also where it would start something if it were not refused. */
  Finished runHere(String... arguments) {
    return CommandLineRun.of(here(arguments));
  }

  /** {@code colony up} on the scripted model, which succeeds. */
  Finished up(String... more) {
    Finished up = run(with(List.of("up"), List.of(onModel()), List.of(more)));
    assertThat(up.status()).as(up.err()).isZero();
    return up;
  }

  /**
   * {@code colony run} of the tree with the scripted model and JSON output, in this JVM; by
   * analysts where no other policy is given.
   */
  RunningCommand ask(String... more) {
    return kept(CommandLineRun.start(here(asking(more))));
  }

  /** The same in a process of its own. */
  ColonyProcess askApart(String... more) {
    return start(asking(more));
  }

  private String[] asking(String... more) {
    List<String> all = List.of(more);
    return with(
        List.of("run", tree.toString(), "--ask", QUESTION, "--json"),
        all.contains("--policy") ? List.of() : List.of("--policy", "research"),
        List.of(onModel()),
        all);
  }

  /** {@code colony run} of the tree by analysts, with the model that the settings configure. */
  String[] configured(String... more) {
    return with(
        List.of("run", tree.toString(), "--ask", QUESTION, "--policy", "research"),
        List.of("--config", config().toString()),
        List.of(more));
  }

  /** {@code colony run --resume} with the scripted model and JSON output, in this JVM. */
  Finished resume(String runId, String... more) {
    return run(
        with(List.of("run", "--resume", runId, "--json"), List.of(onModel()), List.of(more)));
  }

  /** The options of a command that asks the scripted model. */
  String[] onModel() {
    return new String[] {"--model-url", model.uri().toString(), "--config", config.toString()};
  }

  @SafeVarargs
  static String[] with(List<String>... parts) {
    List<String> line = new ArrayList<>();
    for (List<String> part : parts) {
      line.addAll(part);
    }
    return line.toArray(String[]::new);
  }

  private String[] here(String... arguments) {
    return with(List.of(arguments), List.of("--state", state().toString()));
  }

  private <C extends RunningCommand> C kept(C command) {
    started.add(command);
    return command;
  }

  /** The node with a name or an address, as it has described itself. */
  public NodeRecord node(String nameOrAddress) {
    return nodes().stream()
        .filter(node -> node.name().equals(nameOrAddress) || node.address().equals(nameOrAddress))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no node " + nameOrAddress + " in " + nodes()));
  }

  /** The nodes in processes of their own that have ever been ready. */
  List<NodeRecord> nodes() {
    Path records = state().resolve("nodes");
    if (!Files.isDirectory(records)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(records)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .flatMap(file -> NodeRecord.read(file).stream())
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The Redis server of the state directory, if it runs. */
  public Optional<RedisServerProcess> redis() {
    return RedisServerProcess.find(redisSettings());
  }

  ServerSettings redisSettings() {
    return ServerSettings.in(state().resolve("redis"));
  }

  /** SIGKILL; returns when the process is gone. */
  public static void kill(long pid) {
    ProcessHandle process =
        ProcessHandle.of(pid).orElseThrow(() -> new AssertionError("no process " + pid));
    process.destroyForcibly();
    await().atMost(ColonyProcess.LONGEST).until(() -> !ProcessState.running(pid));
  }

  /** That neither a node nor the Redis server runs any more. */
  void assertNothingRuns() {
    await()
        .atMost(ColonyProcess.LONGEST)
        .untilAsserted(() -> {
          assertThat(supervisor()).isEmpty();
          assertThat(nodes()).noneMatch(node -> node.process().isPresent());
          assertThat(redis()).isEmpty();
        });
  }

  /** The {@link #essence} of a run that nothing disturbs, the same in every rig. */
  static synchronized String undisturbed() {
    if (undisturbed == null) {
      try (Rig rig = new Rig()) {
        undisturbed = essence(rig.ask().await());
      }
    }
    return undisturbed;
  }

  /** What must be equal between two runs of the same question. */
  static String essence(Finished finished) {
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    StringBuilder essence = new StringBuilder(report.path("answer").asText()).append('\n');
    for (JsonNode one : report.path("citations")) {
      essence.append(
          "%s:%d %s %s%n"
              .formatted(
                  one.path("file").asText(),
                  one.path("firstLine").asInt(),
                  one.path("text").asText(),
                  one.path("page").asText()));
    }
    assertThat(report.path("citations")).isNotEmpty();
    return essence.toString();
  }

  /** One line, ours, and no stack trace. */
  public static void assertOneLine(Finished finished, int status, String... parts) {
    List<String> ours =
        finished.err().lines().filter(line -> !line.matches("(mapping|asking): .*")).toList();
    assertThat(ours)
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("colony: ").contains(parts));
    assertThat(finished.status()).isEqualTo(status);
    assertThat(finished.out()).isEmpty();
  }

  @Override
  public void close() {
    started.forEach(RunningCommand::close);
    supervisor().ifPresent(process -> kill(process.pid()));
    nodes().forEach(node -> node.process().ifPresent(ProcessHandle::destroyForcibly));
    redis().ifPresent(RedisServerProcess::stop);
    model.close();
    try {
      StateFolder.deleteTree(folder);
    } catch (IOException leftBehind) {
      System.err.println("left behind: " + folder + ": " + leftBehind);
    }
  }
}
