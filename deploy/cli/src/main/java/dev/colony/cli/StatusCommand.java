package dev.colony.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.RunSource.RunModel;
import dev.colony.cli.ask.AskRecord.LeftRuns;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.NodeSupervisor;
import dev.colony.cli.local.RedisServer;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.local.UpRecord.SupervisorRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.node.Started;
import dev.colony.server.StoreStatus.StoreView;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.LeftWork;
import dev.colony.server.node.NodeSettings;
import dev.colony.vcm.mapping.PageIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    description = {
      "Says what is up in the state directory, and how the store fares: what waits in the inbox,"
          + " when Redis last went back to an older state, how many agents have lost events, and"
          + " which tenants, colonies and trees of agents are suspended."
    })
final class StatusCommand extends StoreCommand {

  /**
   * What {@code --json} prints.
   *
   * @param redis without its password
   * @param model which model answers, or its server's URL; empty where nothing is up
   * @param store absent where nothing is up
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Shown(
      String state,
      boolean up,
      Optional<String> redis,
      Optional<String> model,
      List<ShownNode> nodes,
      Optional<String> supervisorLog,
      Optional<StoreView> store) {}

  /**
   * A node of the cluster.
   *
   * @param up whether its process runs
   * @param record what it says of itself; absent where it does not run
   * @param log where its log is
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record ShownNode(String name, boolean up, @JsonUnwrapped NodeRecord record, String log) {}

  @Override
  public Integer call() {
    StateDirectory state = board.state();
    Optional<UpRecord> record = UpRecord.find(state);
    boolean any = record.isPresent() || board.elsewhere();
    if (json.given()) {
      Optional<StoreView> store =
          any ? Optional.of(board.withAgents(view -> view.store())) : Optional.empty();
      System.out.println(
          Printable.line(
              WireJson.write(shown(state, record.or(() -> UpRecord.read(state)), store))));
    } else if (any) {
      record.ifPresent(up -> print(state, up));
      board.withAgents(view -> view.store().lines(view.now())).stream()
          .map(Printable::of)
          .forEach(System.out::println);
    } else {
      System.out.println("nothing is up in " + state.root());
      UpRecord.read(state).ifPresent(last -> dead(state, last, List.of()));
    }
    return (any ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private static Shown shown(
      StateDirectory state, Optional<UpRecord> record, Optional<StoreView> store) {
    List<ShownNode> nodes =
        record.stream()
            .flatMap(up -> up.nodes().stream())
            .map(name -> {
              Optional<NodeRecord> living =
                  NodeRecord.read(state.nodeRecord(name)).filter(one -> one.process().isPresent());
              return new ShownNode(
                  name, living.isPresent(), living.orElse(null), state.log(name).toString());
            })
            .toList();
    return new Shown(
        state.root().toString(),
        nodes.stream().anyMatch(ShownNode::up),
        record.map(up -> withoutPassword(up.redisUri())),
        record.map(up -> up.model().orElse(up.modelUrl())),
        nodes,
        Optional.of(state.log("colony-supervisor")).filter(Files::exists).map(Path::toString),
        store);
  }

  static void print(StateDirectory state, UpRecord record) {
    List<NodeRecord> living = record.living(state);
    System.out.printf(
        "%d of %d nodes are up · redis %s · model %s · state %s%n",
        living.size(),
        record.nodes().size(),
        withoutPassword(record.redisUri()),
        record.modelUrl().isEmpty()
            ? record
                .model()
                .filter(model -> !model.equals(ModelCheck.EMBEDDED))
                .orElse("embedded replica (lexical, no neural network)")
            : record.modelUrl(),
        state.root());
    for (NodeRecord node : living) {
      System.out.printf(
          "  %s  %s  pid %d  model server %s%s%s  log %s%n",
          node.name(),
          node.address(),
          node.pid(),
          node.replica(),
          node.management().isEmpty() ? "" : "  management http://" + node.management(),
          node.api().isEmpty() ? "" : "  API " + node.api(),
          state.log(node.name()));
    }
    living.stream()
        .map(NodeRecord::api)
        .filter(api -> !api.isEmpty())
        .findFirst()
        .ifPresent(api -> System.out.printf("  dashboard %s/dashboard%n", api));
    dead(state, record, living.stream().map(NodeRecord::name).toList());
  }

  private static void dead(StateDirectory state, UpRecord record, List<String> living) {
    Optional<SupervisorRecord> last = SupervisorRecord.read(state);
    boolean watched = SupervisorRecord.living(state).isPresent();
    for (String name : record.nodes()) {
      if (!living.contains(name)) {
        boolean givenUp = last.filter(said -> said.givenUp().contains(name)).isPresent();
        System.out.printf(
            "  %s  has ended%s, see %s%n",
            name,
            givenUp
                ? " too often: call colony up to start it again"
                : watched ? ": it is started again" : ": call colony up to start it again",
            state.log(name));
      }
    }
    if (last.isPresent() && !watched) {
      System.out.println(
          "  no supervisor runs, so nodes that end are not started again: call colony up");
    }
  }

  /** What is printed ends up in tickets and logs. */
  private static String withoutPassword(String redisUri) {
    return redisUri.replaceFirst("://[^/]*@", "://");
  }

  @Command(
      name = "up",
      description = {
        "Starts a cluster on this machine that stays until colony down; nodes that die are started"
            + " again.",
        "Where one is up, --nodes adds nodes to it.",
      })
  static final class UpCommand implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;

    @Option(
        names = "--port",
        paramLabel = "PORT",
        defaultValue = "0",
        description = "Remoting port of the first node, the others' follow (default: free ones).")
    private int port;

    @Mixin private ClusterOptions clusterOptions;
    @Mixin private StateOption stateOption;

    @Override
    public Integer call() {
      int nodes = clusterOptions.nodes();
      if (port < 0 || port + nodes - 1 > HIGHEST_PORT) {
        throw CommandFailure.badInput(
            "--port is %d, but must be 0 to %d".formatted(port, HIGHEST_PORT - nodes + 1));
      }
      StateDirectory state = stateOption.open();
      CommandLog.into(state, "up");
      Consumer<String> notice = BoardOptions::note;
      Config plain = CommandConfig.base(clusterOptions.config());
      Optional<String> named = clusterOptions.settle(state, plain, Optional.empty());
      RunModel choice = new RunModel(state, plain, clusterOptions, named);
      Optional<Path> file = UpRecord.find(state).map(choice::same).orElseGet(choice::settings);
      Config config = file.equals(clusterOptions.config()) ? plain : CommandConfig.base(file);
      String model = ModelCheck.asked(clusterOptions.modelUrl(), config, "--model-url:", notice);
      UpRecord record =
          new ClusterLauncher(state, file, config, notice)
              .up(
                  clusterOptions.nodesGiven() ? OptionalInt.of(nodes) : OptionalInt.empty(),
                  port,
                  clusterOptions.modelUrl(),
                  model);
      StatusCommand.print(state, record);
      return ExitCode.OK.status();
    }
  }

  /** Stops the cluster that {@code up} started. */
  @Command(
      name = "down",
      description = "Stops the cluster of the state directory; what it did stays on the disk.")
  static final class DownCommand implements Callable<Integer> {

    @Mixin private StateOption stateOption;

    @Override
    public Integer call() {
      StateDirectory state = stateOption.open();
      CommandLog.into(state, "down");
      boolean stopped = new ClusterLauncher(state, Optional.empty(), BoardOptions::note).down();
      System.out.println(stopped ? "stopped" : "nothing is up in " + state.root());
      return ExitCode.OK.status();
    }
  }

  /** Starts the nodes of {@code up} again that die. */
  @Command(
      name = "supervise",
      hidden = true,
      description = "Starts the nodes of a state directory again that die; up leaves it behind.")
  static final class SuperviseCommand implements Callable<Integer> {

    @Mixin private StateOption stateOption;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "What the nodes are started with.")
    private Path config;

    @Option(names = "--jvm-option", paramLabel = "OPTION", description = "Of the nodes' JVMs.")
    private List<String> jvmOptions = List.of();

    @Override
    public Integer call() {
      StateDirectory state = stateOption.open();
      CommandLog.into(state, "supervisor");
      NodeSupervisor.supervise(state, Optional.ofNullable(config), jvmOptions);
      return ExitCode.OK.status();
    }
  }

  @Command(
      name = "node",
      description = {
        "Runs one node in the foreground until SIGTERM; up and run start nodes so.",
        "It is told by its environment (COLONY_NODE_...) and its configuration file, see"
            + " docs/reference/configuration.md."
      })
  static final class NodeCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(NodeCommand.class);

    @Option(
        names = "--config",
        paramLabel = "FILE",
        defaultValue = "${env:COLONY_CONFIG}",
        description =
            "HOCON whose keys override environment and defaults (default: COLONY_CONFIG).")
    private String config;

    @Option(
        names = "--state",
        paramLabel = "DIR",
        description = "Where the node says that it is ready; up and run read it there.")
    private Path stateDirectory;

    @Option(
        names = "--parent",
        paramLabel = "PID",
        description = "Ends the node when that process ends, however it does.")
    private Long parent;

    @Option(
        names = "--run",
        paramLabel = "RUN",
        description = "Has what is left of other questions wait until it is resumed.")
    private String run;

    @Override
    public Integer call() {
      Optional<Path> file = file();
      Config base = CommandConfig.base(file);
      NodeOptions options = NodeSettings.fromConfig(base, file).options();
      Optional<StateDirectory> state =
          Optional.ofNullable(stateDirectory).map(StateDirectory::open);
      state.map(StateDirectory::indexes).ifPresent(PageIndex::keep);
      try (Started started = new Started()) {
        Node node = started.add(Node.start(options, base, left()));
        state.ifPresent(directory -> {
          started.add(RedisServer.keep(directory, base, options.redisUri(), LOG::warn));
          record(options, node).write(directory.nodeRecord(options.name()));
        });
        if (parent != null) {
          endWith(parent, node);
        }
        return (node.awaitTermination() ? ExitCode.OK : ExitCode.NODE_ENDED).status();
      }
    }

    /** A node that no command line has started goes on with everything. */
    private LeftWork left() {
      if (run != null) {
        return LeftRuns.of(new RunId(run));
      }
      return parent == null && stateDirectory != null ? LeftRuns.ofLone() : LeftWork.GOES_ON;
    }

    private Optional<Path> file() {
      if (config == null || config.isBlank()) {
        return Optional.empty();
      }
      Path file = Path.of(config);
      if (!Files.isReadable(file)) {
        throw CommandFailure.badInput(
            "configuration: " + file + " cannot be read: see --config and COLONY_CONFIG");
      }
      return Optional.of(file);
    }

    private static NodeRecord record(NodeOptions options, Node node) {
      ProcessHandle self = ProcessHandle.current();
      return new NodeRecord(
          options.name(),
          self.pid(),
          NodeRecord.startMillis(self),
          options.address(),
          node.replica(),
          options.joining().management().map(own -> own.address().toString()).orElse(""),
          node.api());
    }

    /** A node that outlived its command would contend for the agents with the next command's. */
    private static void endWith(long pid, Node node) {
      ProcessHandle.of(pid)
          .map(ProcessHandle::onExit)
          .orElseGet(() -> CompletableFuture.completedFuture(null))
          .thenRun(() -> {
            LOG.warn("the command that started this node is gone; leaving");
            node.close();
          });
    }
  }
}
