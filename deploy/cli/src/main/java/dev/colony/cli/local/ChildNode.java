package dev.colony.cli.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.cli.local.LoopbackNodes.Life;
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
import java.util.LinkedHashMap;
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

  /**
   * Has the heap begin small and an idle node give back what it does not use: by itself a JVM takes
   * a share of the machine's memory, and keeps it. The user's own options stand behind these.
   */
  private static final List<String> SMALL_HEAP =
      List.of(
          "-Xms32m",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=30",
          "-XX:G1PeriodicGCInterval=60000");

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
   */
  static ChildNode start(NodeOptions options, StateDirectory state, Life life) {
    return start(options, state, life, jvmOptions());
  }

  /**
   * The same, with other options of the JVM than this one has.
   *
   * @param jvmOptions those of {@link #jvmOptions()} in the process that started the others
   */
  static ChildNode start(
      NodeOptions options, StateDirectory state, Life life, List<String> jvmOptions) {
    try {
      Files.deleteIfExists(state.nodeRecord(options.name()));
      Path log = state.log(options.name());
      putAside(log, state, options.name());
      List<String> logging =
          List.of("-Dcolony.log.file=" + log, "-Dlogback.configurationFile=logback-file.xml");
      ProcessBuilder builder =
          new ProcessBuilder(
                  commandLine(state, life, Stream.concat(jvmOptions.stream(), logging.stream())))
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

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> commandLine(
      StateDirectory state, Life life, Stream<String> jvmOptions) {
    List<String> line = new ArrayList<>();
    if (life.detached()) {
      line.add("nohup");
    }
    line.add(java());
    line.addAll(SMALL_HEAP);
    jvmOptions.forEach(line::add);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "node"));
    line.addAll(List.of("--state", state.root().toString()));
    if (!life.detached()) {
      line.addAll(List.of("--parent", Long.toString(ProcessHandle.current().pid())));
    }
    life.lone().ifPresent(run -> line.addAll(List.of("--run", run.value())));
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
      Listening own =
          options
              .joining()
              .management()
              .orElseThrow(() ->
                  new IllegalArgumentException("a node of a process of its own has a management"));
      variables.put("COLONY_MANAGEMENT_HOST", own.address().host());
      variables.put("COLONY_MANAGEMENT_BIND_HOST", own.bindHost());
      variables.put("COLONY_MANAGEMENT_PORT", Integer.toString(own.address().port()));
      variables.put("COLONY_NODE_DISCOVERY", "kubernetes-api");
      if (options.joining() instanceof Joining.ContactPoints known) {
        variables.put("COLONY_NODE_DISCOVERY", "config");
        variables.put(
            "COLONY_NODE_CONTACT_POINTS",
            known.contactPoints().stream()
                .map(HostPort::toString)
                .collect(Collectors.joining(",")));
      }
      return variables;
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

  /**
   * Nodes in JVMs of their own that are ended and started again one by one, as the operator of a
   * cluster does it. Thread-safe, as long as each node is treated by one thread at a time. The
   * methods block.
   */
  public static final class RestartableNodes implements AutoCloseable {

    private static final Duration READY_TIMEOUT = Duration.ofMinutes(4);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

    private final StateDirectory state;
    private final Map<String, NodeOptions> options = new LinkedHashMap<>();
    private final Map<String, ChildNode> nodes = new LinkedHashMap<>();

    private RestartableNodes(StateDirectory state) {
      this.state = state;
    }

    /**
     * Starts them all and waits until all are members; they end with this process.
     *
     * @param state where they say that they are ready, and where their logs are
     * @throws dev.colony.cli.terminal.CommandFailure if one does not start; none is left then
     */
    public static RestartableNodes start(StateDirectory state, List<NodeOptions> options) {
      RestartableNodes started = new RestartableNodes(state);
      try {
        for (NodeOptions one : options) {
          started.options.put(one.name(), one);
          started.nodes.put(one.name(), ChildNode.start(one, state, Life.ATTACHED));
        }
        ChildNode.awaitReady(List.copyOf(started.nodes.values()), READY_TIMEOUT);
        return started;
      } catch (RuntimeException failure) {
        started.close();
        throw failure;
      }
    }

    public synchronized List<String> names() {
      return List.copyOf(options.keySet());
    }

    /** Starts one more node, of a name that none of them has; returns at once. */
    public synchronized void add(NodeOptions more) {
      if (options.containsKey(more.name())) {
        throw new IllegalArgumentException("there is a node " + more.name() + " already");
      }
      options.put(more.name(), more);
      nodes.put(more.name(), ChildNode.start(more, state, Life.ATTACHED));
    }

    /** The process of a node, which may have ended. */
    public synchronized ProcessHandle process(String name) {
      return nodes.get(name).process();
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill(String name) {
      ProcessHandle process = process(name);
      process.destroyForcibly();
      process.onExit().join();
    }

    /** SIGTERM, which lets it leave the cluster; returns at once. */
    public void terminate(String name) {
      process(name).destroy();
    }

    /**
     * Starts a node whose process has ended, at the address that it had. Returns at once. It joins
     * the others, and as long as it reaches none of them it is no member of anything.
     */
    public synchronized void restart(String name) {
      nodes.put(name, ChildNode.start(options.get(name), state, Life.ATTACHED));
    }

    /**
     * Waits until a node that was restarted is a member and hosts agents.
     *
     * @throws dev.colony.cli.terminal.CommandFailure if it ends before that, or does not get there
     *     in time
     */
    public void awaitReady(String name) {
      ChildNode node;
      synchronized (this) {
        node = nodes.get(name);
      }
      ChildNode.awaitReady(List.of(node), READY_TIMEOUT);
    }

    @Override
    public void close() {
      List<ProcessHandle> left;
      synchronized (this) {
        left = nodes.values().stream().map(ChildNode::process).toList();
      }
      ChildNode.stop(left, STOP_PATIENCE);
    }
  }
}
