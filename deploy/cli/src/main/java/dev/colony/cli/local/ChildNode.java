package dev.colony.cli.local;

import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
}
