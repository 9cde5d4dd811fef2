package dev.colony.node.runtime;

import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.lifecycle.AgentEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A node over some backend of the blackboard, and a client that reaches the same blackboard. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InboxFixture {

  /** How many events a scope keeps in these tests, about. */
  static final int KEPT_EVENTS = 500;

  static final BlackboardSettings.Events EVENTS =
      new BlackboardSettings.Events(KEPT_EVENTS, KEPT_EVENTS, 1 << 20);

  final TestTypes types = new TestTypes();
  InboxSpy boards;
  Blackboards foreign;
  LocalNode node;

  /** The client's way to agents. */
  BlackboardColony outside;

  PersistenceTestKit journal;
  AgentId id;
  Scope scope;

  /** A way to the blackboard; all ways that are opened lead to the same one. */
  abstract Blackboards connect();

  @BeforeAll
  void start() {
    boards = new InboxSpy(connect());
    foreign = connect();
    outside =
        new BlackboardColony(
            foreign,
            HomeResolver.byHash(8),
            Settings.read(ClientSettings.class, LocalNode.config("")));
    node =
        LocalNode.of(boards, types)
            .settings(
                """
                colony.agent {
                  passivate-after = 50ms
                  # what one test keeps from its agent is not to become a dead letter
                  inbox.max-deliveries = 1000
                }
                """)
            .bounds(Bounds.inbox(Duration.ofSeconds(1), Duration.ofMillis(300), 128))
            .start();
    journal = PersistenceTestKit.create(node.system());
  }

  @AfterAll
  void stop() {
    node.close();
    boards.close();
    foreign.close();
  }

  @AfterEach
  void mend() {
    boards.losesHints = false;
    boards.arrives = UnaryOperator.identity();
    boards.losesAcknowledgements = false;
    boards.acknowledges = CompletableFuture.completedFuture(null);
    types.releaseAll();
  }

  void fresh() {
    String name = "a-" + UUID.randomUUID();
    id = new AgentId("acme", "waking", name);
    scope = Scope.session("acme", "waking", name);
  }

  void spawnAndPassivate() {
    fresh();
    spawn(hearing());
    await().until(() -> !journaled(AgentEvent.ScopesWatched.class).isEmpty());
    await().until(() -> !node.holds(id));
  }

  AgentBlueprint hearing() {
    return TestTypes.hearing(scope);
  }

  AgentHandle spawn(AgentBlueprint blueprint) {
    return node.colony().spawn(id, blueprint).toCompletableFuture().join();
  }

  static RunId runId() {
    return RunId.random();
  }

  Position write(String key) {
    return write(foreign, "someone", key);
  }

  Position write(Blackboards by, String writer, String key) {
    Blackboard board = by.open(scope, writer);
    return position(board.write(Write.value(key, "value of " + key)).toCompletableFuture().join());
  }

  static Position position(WriteResult result) {
    return ((WriteResult.Written) result).position();
  }

  /** How many runs that events started have ended. */
  long runs() {
    return batches().size();
  }

  List<Position> handled() {
    return batches().stream()
        .flatMap(batch -> batch.events().stream())
        .map(EventBatch.Event::position)
        .toList();
  }

  /** What the runs that have ended were given, in their order. */
  List<EventBatch> batches() {
    List<RunId> published =
        journaled(AgentEvent.ResultPublished.class).stream()
            .map(AgentEvent.ResultPublished::runId)
            .toList();
    return journaled(AgentEvent.RunAccepted.class).stream()
        .map(AgentEvent.RunAccepted::request)
        .filter(request -> published.contains(request.runId()))
        .flatMap(request -> EventBatch.of(request).stream())
        .toList();
  }

  long claims() {
    return journaled(AgentEvent.Claimed.class).size();
  }

  long wakes(AgentId agent) {
    return boards.seen.stream()
        .filter(InboxMessage.Wake.class::isInstance)
        .filter(wake -> wake.recipient().equals(agent.persistenceId()))
        .count();
  }

  List<Object> pending() {
    List<Object> all = new ArrayList<>();
    for (int bucket = 0; bucket < foreign.inbox().buckets(); bucket++) {
      all.addAll(foreign.inbox().pending(bucket, 100).toCompletableFuture().join());
    }
    return all;
  }

  <E> List<E> journaled(Class<E> type) {
    return journal.persistedInStorage(id.persistenceId()).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }
}
