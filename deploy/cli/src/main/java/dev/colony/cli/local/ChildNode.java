package dev.colony.cli.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A node in a JVM of its own on this machine. */
public final class ChildNode {

  /** How a command line begins its one line about what cannot be done. */
  private static final String REFUSAL = "colony: ";

  private static final Duration POLL = Duration.ofMillis(20);

  /** The program that nodes and supervisors run: the one that stands on everything here. */
  static final String MAIN = "dev.colony.cli.Main";

  private final NodeOptions options;
  private final StateDirectory state;
  private final Process process;

  private ChildNode(NodeOptions options, StateDirectory state, Process process) {
    this.options = options;
    this.state = state;
    this.process = process;
  }

  /**
   * Starts it and returns at once. It is told what it is by its environment: every process on the
   * machine may read the arguments of a process, and a URL of Redis may hold a password. The log of
   * the process before it is kept beside its own.
   *
   * @param detached whether it goes on when this process and its terminal are gone
   */
  public static ChildNode start(NodeOptions options, StateDirectory state, boolean detached) {
    return start(options, state, detached, jvmOptions());
  }

  /**
   * The same, with other options of the JVM than this one has.
   *
   * @param jvmOptions those of {@link #jvmOptions()} in the process that started the others
   */
  static ChildNode start(
      NodeOptions options, StateDirectory state, boolean detached, List<String> jvmOptions) {
    try {
      Files.deleteIfExists(state.nodeRecord(options.name()));
      Path log = state.log(options.name());
      putAside(log, state, options.name());
      List<String> logging =
          List.of("-Dcolony.log.file=" + log, "-Dlogback.configurationFile=logback-file.xml");
      ProcessBuilder builder =
          new ProcessBuilder(
                  commandLine(
                      state, detached, Stream.concat(jvmOptions.stream(), logging.stream())))
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .redirectErrorStream(true);
      builder.environment().putAll(NodeEnvironment.of(options));
      return new ChildNode(options, state, builder.start());
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot start node " + options.name(), failure);
    }
  }

  /** As the log does itself when it has grown: logback-file.xml. */
  private static void putAside(Path log, StateDirectory state, String node) throws IOException {
    for (int number = StateDirectory.PREVIOUS_LOGS; number > 0 && Files.exists(log); number--) {
      Path younger = number == 1 ? log : state.previousLog(node, number - 1);
      if (Files.exists(younger)) {
        Files.move(younger, state.previousLog(node, number), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  public String name() {
    return options.name();
  }

  public NodeOptions options() {
    return options;
  }

  public ProcessHandle process() {
    return process.toHandle();
  }

  /**
   * Waits until all are members and host agents. They become members together, so the end of one is
   * the end of the start.
   *
   * @throws CommandFailure if one ends before, or the time is over; with the last line it printed
   */
  static void awaitReady(List<ChildNode> nodes, Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    List<ChildNode> waiting = new ArrayList<>(nodes);
    while (!waiting.isEmpty()) {
      for (ChildNode node : waiting) {
        if (node.ended(POLL)) {
          throw node.refusal();
        }
      }
      waiting.removeIf(ChildNode::ready);
      if (!waiting.isEmpty() && deadline.passed()) {
        throw waiting.getFirst().late(timeout);
      }
    }
  }

  private boolean ready() {
    return NodeRecord.read(state.nodeRecord(options.name())).isPresent();
  }

  private CommandFailure late(Duration timeout) {
    return new CommandFailure(
        ExitCode.NODE_FAILED,
        "node %s is not ready after %d s: see %s"
            .formatted(options.name(), timeout.toSeconds(), state.log(options.name())));
  }

  /** SIGTERM to all at once, and SIGKILL to those that it does not end in time. */
  static void stop(List<ProcessHandle> processes, Duration patience) {
    processes.forEach(ProcessHandle::destroy);
    Deadline deadline = Deadline.in(patience);
    for (ProcessHandle process : processes) {
      while (ProcessState.running(process.pid())) {
        if (deadline.passed() || Thread.currentThread().isInterrupted()) {
          process.destroyForcibly();
          break;
        }
        LockSupport.parkNanos(POLL.toNanos());
      }
    }
  }

  /** What the node's command line found to be wrong is this one's failure too. */
  private CommandFailure refusal() {
    String last = lastWords(state.log(options.name()));
    return Arrays.stream(ExitCode.values())
        .filter(code -> code.status() == process.exitValue() && last.startsWith(REFUSAL))
        .findFirst()
        .map(code -> new CommandFailure(code, last.substring(REFUSAL.length())))
        .orElseGet(() ->
            new CommandFailure(
                ExitCode.NODE_FAILED, "node %s ended: %s".formatted(options.name(), last)));
  }

  private boolean ended(Duration within) {
    try {
      return process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted");
    }
  }

  /**
   * Why a node says that it has ended, else its last line, or what keeps its log from being read.
   */
  static String lastWords(Path log) {
    List<String> lines = new ArrayList<>();
    try {
      Files.readAllLines(log, StandardCharsets.UTF_8).stream()
          .filter(line -> !line.isBlank())
          .forEach(lines::add);
    } catch (IOException unreadable) {
      return "its log cannot be read: " + unreadable.getMessage();
    }
    return lines.reversed().stream()
        .filter(line -> line.startsWith(REFUSAL) || line.contains(Node.ENDS))
        .findFirst()
        .orElseGet(() -> lines.isEmpty() ? "it printed nothing" : lines.getLast());
  }

  /** The program that runs this JVM. */
  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> commandLine(
      StateDirectory state, boolean detached, Stream<String> jvmOptions) {
    List<String> line = new ArrayList<>();
    if (detached) {
      line.add("nohup");
    }
    line.add(java());
    jvmOptions.forEach(line::add);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "node"));
    line.addAll(List.of("--state", state.root().toString()));
    if (!detached) {
      line.addAll(List.of("--parent", Long.toString(ProcessHandle.current().pid())));
    }
    return line;
  }

  /** The options of this JVM that its nodes are to have too. */
  public static List<String> jvmOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(ChildNode::inherited)
        .toList();
  }

  /** An agent or a debugger port is not; where this process logs is another place. */
  private static boolean inherited(String option) {
    return option.startsWith("-X")
        || option.startsWith("-Dcolony.")
        || option.startsWith("--sun-misc")
        || option.startsWith("--enable-native");
  }

  /**
   * What a node of this machine is told by its environment. Names and meanings stand in {@code
   * reference.conf}. Every variable is set, so that none is inherited that was meant for others.
   */
  static final class NodeEnvironment {

    /** What is decided for each node; a file, which goes for all of them, must leave it open. */
    private static final List<String> DECIDED =
        List.of(
            "colony.node.name",
            "colony.node.host",
            "colony.node.bind-host",
            "colony.node.port",
            "colony.node.redis-url",
            "colony.node.model-url",
            "colony.node.cluster-size",
            "colony.node.discovery",
            "colony.node.contact-points",
            "colony.node.management",
            "colony.http.port");

    /** Weaker than a file. */
    private static final String GRACE = "COLONY_AGENT_MODEL_CALL_GRACE";

    private NodeEnvironment() {}

    static Map<String, String> of(NodeOptions options) {
      Map<String, String> variables = new HashMap<>();
      variables.put("COLONY_NODE_NAME", options.name());
      variables.put("COLONY_NODE_HOST", options.remoting().address().host());
      variables.put("COLONY_NODE_BIND_HOST", options.remoting().bindHost());
      variables.put("COLONY_NODE_PORT", Integer.toString(options.remoting().address().port()));
      variables.put("COLONY_REDIS_URL", options.redisUri());
      variables.put("COLONY_MODEL_URL", options.modelUrl().map(URI::toString).orElse(""));
      variables.put("COLONY_CLUSTER_SIZE", Integer.toString(options.clusterSize()));
      variables.put("COLONY_HTTP_ENABLED", Boolean.toString(options.api().isPresent()));
      options.api().ifPresent(port -> variables.put("COLONY_HTTP_PORT", Integer.toString(port)));
      variables.put("COLONY_CONFIG", options.configFile().map(Path::toString).orElse(""));
      variables.put(GRACE, System.getenv().getOrDefault(GRACE, "0s"));
      variables.putAll(joining(options.joining()));
      return variables;
    }

    private static Map<String, String> joining(Joining joining) {
      return switch (joining) {
        case Joining.ContactPoints known -> {
          Map<String, String> variables = new HashMap<>(management(known.own()));
          variables.put("COLONY_NODE_DISCOVERY", "config");
          variables.put(
              "COLONY_NODE_CONTACT_POINTS",
              known.contactPoints().stream()
                  .map(HostPort::toString)
                  .collect(Collectors.joining(",")));
          yield variables;
        }
        case Joining.KubernetesApi pods -> {
          Map<String, String> variables = new HashMap<>(management(pods.own()));
          variables.put("COLONY_NODE_DISCOVERY", "kubernetes-api");
          yield variables;
        }
        case Joining.Alone alone ->
            throw new IllegalArgumentException("a node of a process of its own has a management");
      };
    }

    private static Map<String, String> management(Listening own) {
      return Map.of(
          "COLONY_MANAGEMENT_HOST", own.address().host(),
          "COLONY_MANAGEMENT_BIND_HOST", own.bindHost(),
          "COLONY_MANAGEMENT_PORT", Integer.toString(own.address().port()));
    }

    /**
     * Refuses a file that would give all nodes the same name or port.
     *
     * @throws CommandFailure naming the first such key
     */
    static void check(Optional<Path> configFile) {
      configFile.ifPresent(file -> {
        Config given = parsed(file);
        DECIDED.stream()
            .filter(given::hasPathOrNull)
            .findFirst()
            .ifPresent(key -> {
              throw CommandFailure.badInput(
                  "%s sets %s, which is decided for each node that is started here: leave it out"
                      .formatted(file, key));
            });
      });
    }

    private static Config parsed(Path file) {
      try {
        return NodeConfig.parsed(file);
      } catch (ConfigException bad) {
        throw CommandFailure.badInput("configuration: " + bad.getMessage(), bad);
      }
    }
  }
}
