package dev.colony.node.entity;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentHistory.Forking;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.inference.InferenceGateway;
import dev.colony.journal.LostLogs;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.NodeBounds;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;

/** Agents' actors without a cluster, on the journal in Redis. */
final class JournaledAgents implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final NodeBounds BOUNDS =
      Bounds.journal(new Backoff(Duration.ofMillis(20), Duration.ofMillis(300)));

  final TestTypes types = new TestTypes();
  final Unsharded agents;
  final AgentDirectory directory;
  final AgentHistory history;
  final Forking forking;
  private final Blackboards boards;
  private final ActorTestKit kit;
  private final String colony = "c-" + UUID.randomUUID();

  /**
   * @param more settings
   */
  JournaledAgents(String more) {
    this(more, new InMemoryBlackboards(), new InstantModel());
  }

  JournaledAgents(String more, Blackboards boards, InferenceGateway model) {
    this.boards = boards;
    kit =
        ActorTestKit.create(
            ConfigFactory.parseString(
                    """
                    pekko.actor.provider = local
                    pekko.actor.serialize-messages = off
                    pekko.persistence.journal.plugin = "colony.agent.journal"
                    pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
                    colony.agent.journal.redis-uri = "%s"
                    """
                            .formatted(TestRedis.shared().uri())
                        + more)
                .withFallback(LocalNode.config("")));
    agents = new Unsharded(kit, boards, types, model, BOUNDS);
    directory = new AgentDirectory(boards);
    history =
        new AgentHistory(
            JournalExtension.reader(kit.system()),
            new Lifecycle(RunLimits.fromConfig(kit.system().settings().config())));
    forking = new Forking(directory, history, HomeResolver.byHash(1));
  }

  /** What the store has lost. */
  LostLogs losses() {
    return JournalExtension.journal(kit.system()).lostLogs();
  }

  /** Has the node watch the store. */
  void watch(String node) {
    JournalExtension.journal(kit.system()).watch(node);
  }

  AgentId id(String name) {
    return new AgentId("acme", colony, name);
  }

  /** Starts an agent on a node with all types of this module's tests. */
  ActorRef<AgentMessage> start(AgentId agent) {
    return agents.incarnation(agent, "node");
  }

  /** Starts it on a node of another release. */
  ActorRef<AgentMessage> start(AgentId agent, String node, TypeProvider release) {
    return agents.incarnation(agent, node, release);
  }

  /** Ends an agent's actor. */
  void stop(ActorRef<AgentMessage> agent) {
    TestProbe<Void> probe = kit.createTestProbe();
    agent.tell(new AgentMessage.LeaveNow());
    probe.expectTerminated(agent, PATIENCE);
  }

  /** What the agent answers. */
  AcceptReply told(
      ActorRef<AgentMessage> agent, Function<ActorRef<AcceptReply>, AgentMessage> message) {
    return told(agent, PATIENCE, message);
  }

  /** What it answers within a time. */
  AcceptReply told(
      ActorRef<AgentMessage> agent,
      Duration patience,
      Function<ActorRef<AcceptReply>, AgentMessage> message) {
    TestProbe<AcceptReply> probe = kit.createTestProbe(AcceptReply.class);
    agent.tell(message.apply(probe.getRef()));
    return probe.receiveMessage(patience);
  }

  /** Sends a request and waits for nothing. */
  void ask(ActorRef<AgentMessage> agent, AgentId id, String run, JsonNode input) {
    agent.tell(
        new AgentMessage.Accept(
            request(id, run, input), kit.createTestProbe(AcceptReply.class).getRef()));
  }

  /** What the agent answers to a request. */
  AcceptReply accept(ActorRef<AgentMessage> agent, AgentId id, String run, JsonNode input) {
    return told(agent, replyTo -> new AgentMessage.Accept(request(id, run, input), replyTo));
  }

  private static RunRequest request(AgentId id, String run, JsonNode input) {
    return new RunRequest(
        ExecutionContext.of(id, new RunId(run)), "test", input, "me", Instant.now());
  }

  /** What the agent answers where it is told of a write. */
  WakeReply noticed(ActorRef<AgentMessage> agent, Scope scope, Position position) {
    TestProbe<WakeReply> probe = kit.createTestProbe(WakeReply.class);
    agent.tell(new AgentMessage.Notice(scope, position, probe.getRef()));
    return probe.receiveMessage(PATIENCE);
  }

  /** A run's result, once it is there. */
  AgentRun result(AgentId id, String run) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> join(agents.colony.agent(id).ended(new RunId(run), RunOptions.namespace("test"))),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Has the blackboard lose all that the agent's runs left. */
  void forget(AgentId id) {
    join(boards.open(id.scope().namespace("test"), "test").clear());
  }

  /** How an agent stands by its journal. */
  AgentView look(AgentId id) {
    long last =
        join(history.older(id, Optional.empty(), 1, AgentHistory.Wanted.ALL)).newer().sequenceNr();
    return at(id, last);
  }

  /** How it stood. */
  AgentView at(AgentId id, long sequenceNr) {
    return ((StateAt.Known) join(history.at(id, sequenceNr))).agent();
  }

  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    types.releaseAll();
    kit.shutdownTestKit();
    boards.close();
  }
}
