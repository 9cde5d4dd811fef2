package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.agent.RunId;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.local.ChildNode.NodeEnvironment;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.Cluster.WaitingCalls;
import dev.colony.cli.local.CommandConfig.UpSettings;
import dev.colony.cli.local.LoopbackNodes.Life;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.local.UpRecord.SupervisorRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.LeftWork;
import dev.colony.server.node.NodeSettings;
import dev.colony.vcm.mapping.PageIndex;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Starts, finds and stops the cluster of a state directory. Its methods block. */
public final class ClusterLauncher {

  private static final Duration READY_TIMEOUT = Duration.ofSeconds(90);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

  private static final String API_PORT = "COLONY_HTTP_PORT";

  private final StateDirectory state;
  private final Optional<Path> configFile;
  private final Config config;
  private final Consumer<String> notice;

  /**
   * @param configFile overrides the defaults, also those of the nodes
   * @param notice told what a person should know while the cluster is used: a node that died, a
   *     Redis that does not answer
   */
  public ClusterLauncher(StateDirectory state, Optional<Path> configFile, Consumer<String> notice) {
    this(state, configFile, CommandConfig.base(configFile), notice);
  }

  /**
   * The same with what the file gives, where that is known: to read it takes a command a good part
   * of its start.
   */
  public ClusterLauncher(
      StateDirectory state, Optional<Path> configFile, Config config, Consumer<String> notice) {
    this.state = state;
    this.configFile = configFile;
    this.config = config;
    this.notice = notice;
  }

  /** The cluster that is up, as a client of it; empty if none is. */
  public Optional<Cluster> attach() {
    return UpRecord.find(state)
        .map(up -> {
          List<NodeRecord> living = up.living(state);
          return cluster(
              RedisServer.uriOf(up, state),
              Math.max(1, living.size()),
              () -> waiting(living),
              new Started());
        });
  }

  /**
   * A cluster for one command: with one node in this very process, with more as child processes.
   * Closing it ends it all, and so does the end of the process; what it did stays on the disk.
   * Waits while another command has its cluster in the state directory.
   *
   * @throws CommandFailure if a cluster is up or something does not start
   */
  public Cluster startForCommand(int nodes, Optional<URI> modelUrl, String purpose) {
    return startForCommand(redis -> new Wanted(nodes, modelUrl, Optional.empty()), purpose);
  }

  /**
   * How large a cluster for a command is to be, and on which model server.
   *
   * @param lone the one run that it is for; empty for one that goes on with everything
   */
  public record Wanted(int nodes, Optional<URI> modelUrl, Optional<Lone> lone) {}

  /** A run with a cluster of its own, by which its nodes know what of what is left waits there. */
  public record Lone(RunId run, LeftWork left) {}

  /**
   * The same of a cluster that Redis says more about.
   *
   * @param wanted is given the URL of Redis, before any node starts
   */
  public Cluster startForCommand(Function<String, Wanted> wanted, String purpose) {
    Started owned = new Started();
    owned.add(OnExit.run(owned::close));
    try {
      owned.add(state.awaitLock(purpose, notice));
      refuseIfUp();
      stopNodes();
      RedisServer redis = redis(owned);
      owned.unlessClosed(() -> owned.add(RedisServer.keep(state, config, redis.uri(), notice)));
      Wanted size = wanted.apply(redis.uri());
      int nodes = size.nodes();
      Optional<URI> modelUrl = size.modelUrl();
      List<ChildNode> children = List.of();
      Supplier<List<WaitingCalls>> waiting;
      if (nodes == 1) {
        PageIndex.keep(state.indexes());
        int port = LoopbackPorts.free(1).getFirst();
        Node node =
            owned.add(
                Node.start(
                    NodeOptions.alone("node-1", port, redis.uri(), modelUrl, configFile),
                    config,
                    size.lone().map(Lone::left).orElse(LeftWork.GOES_ON)));
        waiting = () -> WaitingCalls.in(node.replica(), node.metrics().text()).stream().toList();
      } else {
        NodeEnvironment.check(configFile);
        children =
            start(
                new LoopbackNodes(
                        0,
                        new LoopbackNodes.Api.None(),
                        List.of(),
                        redis.uri(),
                        modelUrl,
                        configFile)
                    .options(nodes),
                owned,
                new Life(false, size.lone().map(Lone::run)));
        ChildNode.awaitReady(children, READY_TIMEOUT);
        List<NodeRecord> records =
            children.stream()
                .flatMap(child -> NodeRecord.read(state.nodeRecord(child.name())).stream())
                .toList();
        waiting = () -> waiting(records);
      }
      Cluster cluster = cluster(redis.uri(), nodes, waiting, owned);
      AtomicBoolean needed = new AtomicBoolean(true);
      owned.add(() -> needed.set(false));
      children.forEach(child -> watch(child, needed));
      return cluster;
    } catch (RuntimeException failure) {
      owned.close();
      throw failure;
    }
  }

  /**
   * Starts a cluster that outlives this process, on the ports that its nodes had the last time
   * where these are free, and a {@link NodeSupervisor} for it. Where one is up, its nodes that have
   * died are started again, and as many are added as it lacks. One that is interrupted before it is
   * ready leaves nothing running that it has started.
   *
   * @param nodes how many it is to have; empty for as many as the one that is up has, else one
   * @param basePort of the first node's remoting, the others' follow; 0 for those they had, or free
   *     ones
   * @param modelUrl empty for the model server of the one that is up, else embedded replicas
   * @throws CommandFailure if one is up that lacks nothing, has more nodes or another model server,
   *     or something does not start
   */
  public UpRecord up(OptionalInt nodes, int basePort, Optional<URI> modelUrl, String model) {
    return state.locked(
        "colony up",
        () ->
            UpRecord.find(state)
                .map(up -> startLacking(up, nodes.orElse(up.nodes().size()), basePort, modelUrl))
                .orElseGet(() -> startUp(nodes.orElse(1), basePort, modelUrl, model)));
  }

  /** All nodes of the cluster that is up, where they are. */
  List<NodeOptions> nodesOf(UpRecord up) {
    return loopback(
            0,
            RedisServer.uriOf(up, state),
            Optional.of(up.modelUrl()).filter(url -> !url.isEmpty()).map(URI::create))
        .options(up.nodes().size());
  }

  /** A supervisor watches over the nodes from here on. */
  private void supervise(Started begun) {
    if (UpSettings.fromConfig(config).most() > 0) {
      begun.unlessClosed(() -> {
        begun.add(() -> NodeSupervisor.stop(state));
        NodeSupervisor.start(state, configFile);
        return null;
      });
    }
  }

  private boolean supervised() {
    return UpSettings.fromConfig(config).most() == 0 || SupervisorRecord.living(state).isPresent();
  }

  private UpRecord startLacking(UpRecord up, int nodes, int basePort, Optional<URI> modelUrl) {
    Set<String> living =
        up.living(state).stream().map(NodeRecord::name).collect(Collectors.toSet());
    int had = up.nodes().size();
    boolean sameModel = modelUrl.map(url -> url.toString().equals(up.modelUrl())).orElse(true);
    if (nodes < had || !sameModel) {
      throw new CommandFailure(
          ExitCode.IN_USE,
          "a cluster of %d nodes with %s is up in %s, of which %d have died: colony up starts these again and adds nodes; for fewer nodes or another model call colony down first, what agents did stays"
              .formatted(
                  had,
                  up.modelUrl().isEmpty() ? "the embedded replica" : "--model-url " + up.modelUrl(),
                  state.root(),
                  had - living.size()));
    }
    if (living.size() == nodes && supervised()) {
      refuseIfUp();
    }
    Optional<URI> server =
        Optional.of(up.modelUrl()).filter(url -> !url.isEmpty()).map(URI::create);
    List<NodeOptions> options =
        loopback(basePort, RedisServer.uriOf(up, state), server).options(nodes);
    List<NodeOptions> lacking =
        options.stream().filter(node -> !living.contains(node.name())).toList();
    UpRecord larger =
        new UpRecord(
            up.redisUri(),
            up.ownRedis(),
            options.stream().map(NodeOptions::name).toList(),
            up.modelUrl(),
            up.model(),
            up.unpriced());
    NodeEnvironment.check(configFile);
    NodeSupervisor.stop(state);
    if (up.ownRedis()) {
      RedisServer.ensure(state, config).cutOff().ifPresent(notice);
    }
    Started begun = new Started();
    OnExit interrupted = undone(begun);
    try {
      ChildNode.awaitReady(start(lacking, begun, Life.DETACHED), READY_TIMEOUT);
      begun.unlessClosed(() -> {
        begun.add(() -> up.write(state));
        return larger.write(state);
      });
      supervise(begun);
      return larger;
    } catch (RuntimeException failure) {
      begun.close();
      if (!living.isEmpty() && !OnExit.begun()) {
        supervise(new Started());
      }
      throw failure;
    } finally {
      interrupted.close();
    }
  }

  private LoopbackNodes loopback(int basePort, String redisUri, Optional<URI> modelUrl) {
    return new LoopbackNodes(
        basePort, api(), NodeRecord.all(state), redisUri, modelUrl, configFile);
  }

  private UpRecord startUp(int nodes, int basePort, Optional<URI> modelUrl, String model) {
    NodeEnvironment.check(configFile);
    Started begun = new Started();
    OnExit interrupted = undone(begun);
    try {
      RedisServer redis = redis(begun);
      begun.add(() -> UpRecord.delete(state));
      List<ChildNode> children =
          start(loopback(basePort, redis.uri(), modelUrl).options(nodes), begun, Life.DETACHED);
      UpRecord record =
          new UpRecord(
              redis.recorded(),
              redis.isOwn(),
              children.stream().map(ChildNode::name).toList(),
              modelUrl.map(URI::toString).orElse(""),
              Optional.of(model),
              ModelCatalog.fromConfig(config).unpriced());
      begun.unlessClosed(() -> record.write(state));
      ChildNode.awaitReady(children, READY_TIMEOUT);
      supervise(begun);
      return record;
    } catch (RuntimeException failure) {
      begun.close();
      throw failure;
    } finally {
      interrupted.close();
    }
  }

  private OnExit undone(Started begun) {
    return OnExit.run(() -> {
      begun.close();
      OnExit.say("interrupted; what this command had started is stopped");
    });
  }

  private RedisServer redis(Started owner) {
    return owner.unlessClosed(() -> {
      owner.add(OnExit.atOnce(() -> RedisServer.kill(state)));
      RedisServer redis = RedisServer.ensure(state, config);
      owner.add(redis::stop);
      redis.cutOff().ifPresent(notice);
      return redis;
    });
  }

  /** Nodes that are ended at once, also where not all of them could be started. */
  private List<ChildNode> start(List<NodeOptions> nodes, Started owner, Life life) {
    List<ChildNode> children = new ArrayList<>();
    return owner.unlessClosed(() -> {
      owner.add(() -> stop(children));
      nodes.forEach(one -> children.add(ChildNode.start(one, state, life)));
      return children;
    });
  }

  private LoopbackNodes.Api api() {
    OptionalInt port = NodeSettings.fromConfig(config, configFile).options().api();
    if (port.isEmpty()) {
      return new LoopbackNodes.Api.None();
    }
    return System.getenv().getOrDefault(API_PORT, "").isBlank()
        ? new LoopbackNodes.Api.Usual(port.getAsInt())
        : new LoopbackNodes.Api.Asked(port.getAsInt());
  }

  private static void stop(List<ChildNode> children) {
    ChildNode.stop(children.stream().map(ChildNode::process).toList(), STOP_PATIENCE);
  }

  private void refuseIfUp() {
    if (UpRecord.find(state).isPresent()) {
      throw new CommandFailure(
          ExitCode.IN_USE, "a cluster is up in " + state.root() + ": see colony status");
    }
  }

  /** Stops the nodes, then the Redis server if it is ours; false if nothing was running. */
  public boolean down() {
    return state.locked("colony down", this::stopAll);
  }

  /** Also what a killed command left behind: the lock says that none is running. */
  private boolean stopAll() {
    NodeSupervisor.stop(state);
    Optional<UpRecord> record = UpRecord.read(state);
    boolean nodes = stopNodes();
    boolean redis =
        record.map(UpRecord::ownRedis).orElse(true)
            && RedisServerProcess.stop(ServerSettings.fromConfig(config, state.redis()));
    UpRecord.delete(state);
    return nodes || redis;
  }

  /** Stops every node that has said in this directory that it runs; false if there was none. */
  private boolean stopNodes() {
    List<ProcessHandle> living =
        NodeRecord.all(state).stream().flatMap(node -> node.process().stream()).toList();
    ChildNode.stop(living, STOP_PATIENCE);
    return !living.isEmpty();
  }

  private static List<WaitingCalls> waiting(List<NodeRecord> nodes) {
    return nodes.stream()
        .filter(node -> !node.management().isEmpty())
        .flatMap(node -> WaitingCalls.of(node).stream())
        .toList();
  }

  private Cluster cluster(
      String redisUri, int nodes, Supplier<List<WaitingCalls>> waiting, Started owned) {
    BlackboardClient client = owned.add(BlackboardClient.connect(redisUri, config, notice));
    return new Cluster(client.blackboards(), config, redisUri, nodes, waiting, owned);
  }

  /** Says that a node has died; that one has ended with the cluster is not reported. */
  private void watch(ChildNode child, AtomicBoolean needed) {
    child
        .process()
        .onExit()
        .thenRun(() -> {
          if (needed.get()) {
            notice.accept(child.name() + " is gone; the others take over its agents");
          }
        });
  }
}
