package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.blackboard.server.ProcessState;
import dev.colony.cli.local.CommandConfig.UpSettings;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.local.UpRecord.SupervisorRecord;
import dev.colony.cli.terminal.OnExit;
import dev.colony.node.Started;
import dev.colony.server.node.NodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the nodes of a state directory again that have died, at the addresses that they had, as
 * often as {@code colony.up.restarts} allows, and keeps their Redis. It is a small process of its
 * own, which {@code colony up} leaves behind: were it one of the nodes, all of them could die at
 * once.
 *
 * <p>It takes no lock. {@code up} and {@code down} end it before they do anything, and with it the
 * nodes that it has started and that are not ready yet; so what {@code down} has stopped stays so.
 */
public final class NodeSupervisor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeSupervisor.class);

  /**
   * Of the nodes' options those that a small JVM has too. Their AOT cache is not among them: it
   * would take more memory than all else here.
   */
  private static final List<String> KEPT =
      List.of(
          "-XX:+UseCompactObjectHeaders",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:ArchiveRelocationMode",
          "-Xlog",
          "-Dcolony.",
          "--");

  private static final String NAME = "supervisor";
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final Duration READY_POLL = Duration.ofMillis(50);
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  /** More than the nodes that are not ready have. */
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private static final Duration UNREADY_PATIENCE = Duration.ofSeconds(10);

  private final StateDirectory state;
  private final UpSettings settings;
  private final List<String> jvmOptions;
  private final List<Watched> nodes = new ArrayList<>();
  private final List<String> givenUp = new ArrayList<>();
  private boolean closed;

  private static final class Watched {
    final NodeOptions options;
    final NodeRestarts restarts;
    Life life;

    Watched(NodeOptions options, NodeRestarts restarts, Life life) {
      this.options = options;
      this.restarts = restarts;
      this.life = life;
    }
  }

  private sealed interface Life {

    /** As far as is known. */
    record Runs(Optional<ProcessHandle> process) implements Life {
      boolean over() {
        return process.filter(one -> ProcessState.running(one.pid())).isEmpty();
      }
    }

    /** It has died and is to be started again. */
    record Pauses(Deadline until) implements Life {}

    record Over() implements Life {}
  }

  /**
   * @param nodes all of them, with the addresses that they have
   * @param jvmOptions of the nodes
   */
  NodeSupervisor(
      StateDirectory state, UpSettings settings, List<NodeOptions> nodes, List<String> jvmOptions) {
    this.state = state;
    this.settings = settings;
    this.jvmOptions = jvmOptions;
    nodes.forEach(node ->
        this.nodes.add(
            new Watched(
                node,
                new NodeRestarts(settings),
                new Life.Runs(
                    NodeRecord.read(state.nodeRecord(node.name())).flatMap(NodeRecord::process)))));
  }

  /** Watches until {@code colony down}, or until there is nothing left to start again. Blocks. */
  void run() {
    SupervisorRecord.own(givenUp).write(state);
    while (look()) {
      pause(LOOK_EVERY);
    }
  }

  private synchronized boolean look() {
    if (closed || UpRecord.read(state).isEmpty()) {
      return false;
    }
    nodes.forEach(this::look);
    return nodes.stream().anyMatch(node -> !(node.life instanceof Life.Over));
  }

  private void look(Watched node) {
    switch (node.life) {
      case Life.Runs runs when runs.over() -> node.life = died(node);
      case Life.Runs living -> {}
      case Life.Pauses(Deadline until) when until.passed() -> node.life = again(node);
      case Life.Pauses pauses -> {}
      case Life.Over over -> {}
    }
  }

  private Life died(Watched node) {
    String name = node.options.name();
    String last = ChildNode.lastWords(state.log(name));
    return switch (node.restarts.died(MonotonicClock.SYSTEM.nanos())) {
      case NodeRestarts.Next.After(Duration pause, int number) -> {
        LOG.warn(
            "{} has ended and is started again after {} s, {} of {} times within {} s; the last"
                + " that it said: {}",
            name,
            pause.toMillis() / 1e3,
            number,
            settings.most(),
            NodeRestarts.WITHIN.toSeconds(),
            last);
        yield new Life.Pauses(Deadline.in(pause));
      }
      case NodeRestarts.Next.Never never -> {
        LOG.error(
            "{} has ended more than {} times within {} s and is not started again; see {}, then"
                + " call colony up; the last that it said: {}",
            name,
            settings.most(),
            NodeRestarts.WITHIN.toSeconds(),
            state.log(name),
            last);
        givenUp.add(name);
        SupervisorRecord.own(givenUp).write(state);
        yield new Life.Over();
      }
    };
  }

  private Life again(Watched node) {
    try {
      return new Life.Runs(
          Optional.of(
              ChildNode.start(node.options, state, LoopbackNodes.Life.DETACHED, jvmOptions)
                  .process()));
    } catch (UncheckedIOException failure) {
      LOG.warn("{} cannot be started", node.options.name(), failure);
      return new Life.Runs(Optional.empty());
    }
  }

  /** Starts nothing any more, and ends what is not ready yet: no record says that it runs. */
  @Override
  public synchronized void close() {
    closed = true;
    ChildNode.stop(
        nodes.stream()
            .filter(node -> NodeRecord.read(state.nodeRecord(node.options.name())).isEmpty())
            .flatMap(node ->
                node.life instanceof Life.Runs runs ? runs.process().stream() : Stream.empty())
            .toList(),
        UNREADY_PATIENCE);
  }

  private static void pause(Duration length) {
    try {
      TimeUnit.NANOSECONDS.sleep(length.toNanos());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Is the supervisor of a directory until that is over.
   *
   * @param configFile what the nodes were started with
   * @param jvmOptions of the nodes
   */
  public static void supervise(
      StateDirectory state, Optional<Path> configFile, List<String> jvmOptions) {
    Config config = CommandConfig.base(configFile);
    UpRecord up =
        UpRecord.read(state)
            .orElseThrow(() -> new IllegalStateException("nothing is up in " + state.root()));
    List<NodeOptions> nodes = new ClusterLauncher(state, configFile, LOG::warn).nodesOf(up);
    try (Started started = new Started()) {
      started.add(RedisServer.keep(state, config, RedisServer.uriOf(up, state), LOG::warn));
      NodeSupervisor supervisor =
          started.add(new NodeSupervisor(state, UpSettings.fromConfig(config), nodes, jvmOptions));
      started.add(OnExit.run(supervisor::close));
      supervisor.run();
    }
  }

  /** Starts one in a process of its own that goes on when this one ends. */
  static void start(StateDirectory state, Optional<Path> configFile) {
    try {
      Process process =
          new ProcessBuilder(commandLine(state, configFile))
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(state.log(NAME).toFile())
              .redirectErrorStream(true)
              .start();
      await(process, () -> SupervisorRecord.living(state).isPresent());
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot start the supervisor", failure);
    }
  }

  private static void await(Process process, BooleanSupplier ready) {
    Deadline deadline = Deadline.in(START_PATIENCE);
    while (!ready.getAsBoolean() && !deadline.passed() && process.isAlive()) {
      pause(READY_POLL);
    }
  }

  private static List<String> commandLine(StateDirectory state, Optional<Path> configFile) {
    List<String> line = new ArrayList<>();
    line.add("nohup");
    line.add(ChildNode.java());
    ChildNode.jvmOptions().stream()
        .filter(option -> KEPT.stream().anyMatch(option::startsWith))
        .forEach(line::add);
    line.addAll(List.of("-Xmx32m", "-Xmn4m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildNode.MAIN, "supervise"));
    line.addAll(List.of("--state", state.root().toString()));
    configFile.ifPresent(file -> line.addAll(List.of("--config", file.toString())));
    ChildNode.jvmOptions().forEach(option -> line.add("--jvm-option=" + option));
    return line;
  }

  /** Ends the one of a directory, if there is one, and what it has started and is not ready. */
  static void stop(StateDirectory state) {
    ChildNode.stop(SupervisorRecord.living(state).stream().toList(), STOP_PATIENCE);
    SupervisorRecord.delete(state);
  }

  /** Whether and when one node that dies is started again. Not thread-safe. */
  static final class NodeRestarts {

    sealed interface Next {

      /**
       * It is started again.
       *
       * @param number of the starts within the window, this one included
       */
      record After(Duration pause, int number) implements Next {}

      /** It has been started as often as may be, and died again. */
      record Never() implements Next {}
    }

    /** Starts count for so long. */
    static final Duration WITHIN = Duration.ofMinutes(10);

    private final UpSettings settings;
    private final Deque<Long> deaths = new ArrayDeque<>();

    NodeRestarts(UpSettings settings) {
      this.settings = settings;
    }

    /** Before the first start; doubles with each. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /**
     * @param nanos when it died, by a monotonic clock, not before any death before it
     */
    Next died(long nanos) {
      while (!deaths.isEmpty() && nanos - deaths.peekFirst() > WITHIN.toNanos()) {
        deaths.removeFirst();
      }
      if (deaths.size() >= settings.most()) {
        return new Next.Never();
      }
      Duration pause = FIRST_PAUSE;
      for (int i = 0; i < deaths.size() && pause.compareTo(LONGEST_PAUSE) < 0; i++) {
        pause = pause.multipliedBy(2);
      }
      deaths.addLast(nanos);
      return new Next.After(
          pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE, deaths.size());
    }
  }
}
