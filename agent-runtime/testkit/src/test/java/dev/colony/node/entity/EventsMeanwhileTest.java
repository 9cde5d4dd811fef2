package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EventReading;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is written between any two reads of an agent that looks at what woke it is not missed. */
class EventsMeanwhileTest {

  private static final int KEPT = 6;
  private static final Set<KeyGlob> GLOBS = Set.of(new KeyGlob("task:*"));

  /** By how much the process that writes is behind. */
  private Duration behind = Duration.ZERO;

  private final InMemoryBlackboards memory =
      new InMemoryBlackboards(
          BlackboardSettings.DEFAULTS.withEvents(
              new BlackboardSettings.Events(KEPT, KEPT, 1 << 20)),
          () -> Instant.now().minus(behind));

  private int agents;
  private AgentId agent;
  private Scope scope;

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void aWriteWhileTheAgentIsPutIntoTheIndexIsDueOrWakesIt() {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      begin();
      AtomicReference<Position> written = new AtomicReference<>();
      BetweenCalls between = new BetweenCalls().before(moment, () -> written.set(write("task:1")));
      AgentEffect.WatchScopes work =
          new AgentEffect.WatchScopes(Map.of(scope, GLOBS), List.of(), true);
      AgentCommand.WatchScopes said =
          (AgentCommand.WatchScopes) join(events(between.over(memory)).watch(agent, work));
      over = !between.finish();
      Watch watch = said.watches().getFirst();
      assertThat(watch.due().equals(written.get()) || wakes().contains(written.get()))
          .as("written before call %d: %s, wakes for %s", moment, watch, wakes())
          .isTrue();
    }
  }

  /** Its time may be behind that of the process that spawned the agent. */
  @Test
  void aWriteAfterTheSpawnByAProcessThatIsBehindIsDue() {
    begin();
    behind = ClusterClock.MOST_APART.dividedBy(2);
    AgentEffect.WatchScopes work =
        new AgentEffect.WatchScopes(Map.of(scope, GLOBS), List.of(), true);
    Position written = write("task:1");
    AgentCommand.WatchScopes said =
        (AgentCommand.WatchScopes) join(events(memory).watch(agent, work));
    assertThat(said.watches().getFirst().due()).isEqualTo(written);
  }

  @Test
  void aWriteWhileTheAgentReadsIsReadOrWakesIt() {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      Watch watch = woken();
      AtomicReference<Position> written = new AtomicReference<>();
      BetweenCalls between = new BetweenCalls().before(moment, () -> written.set(write("task:2")));
      AgentCommand.TakeEvents taken = read(between, watch);
      over = !between.finish();
      boolean read = batch(taken).events().stream().anyMatch(at(written.get()));
      boolean passed = taken.upTo().compareTo(written.get()) >= 0;
      assertThat(passed ? read : wakes().contains(written.get()))
          .as("written before call %d: %s", moment, taken)
          .isTrue();
    }
  }

  /** So much is written behind it that it is no longer stored. */
  @Test
  void aWriteThatIsGoneWhileTheAgentReadsIsReadOrSaidToBeMissed() {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      Watch watch = woken();
      BetweenCalls between = new BetweenCalls().before(moment, this::crowd);
      AgentCommand.TakeEvents taken = read(between, watch);
      over = !between.finish();
      EventBatch batch = batch(taken);
      assertThat(batch.missed() || batch.events().stream().anyMatch(at(watch.due())))
          .as("gone before call %d: %s", moment, taken)
          .isTrue();
    }
  }

  private void begin() {
    agent = new AgentId("acme", "races", "a-" + agents++);
    scope = agent.scope().namespace("desk");
    join(
        new AgentDirectory(memory).enter(agent, 1, AgentBlueprint.of(Blueprint.of("test.worker"))));
  }

  /** One that watches its scope, in which something has been written. */
  private Watch woken() {
    begin();
    AgentEffect.WatchScopes work =
        new AgentEffect.WatchScopes(Map.of(scope, GLOBS), List.of(), true);
    write("task:1");
    return ((AgentCommand.WatchScopes) join(events(memory).watch(agent, work)))
        .watches()
        .getFirst();
  }

  private AgentCommand.TakeEvents read(BetweenCalls between, Watch watch) {
    return (AgentCommand.TakeEvents)
        join(events(between.over(memory)).read(agent, new AgentEffect.ReadEvents(watch, true)));
  }

  private static EventBatch batch(AgentCommand.TakeEvents taken) {
    return taken.delivered().orElseThrow();
  }

  private static Predicate<EventBatch.Event> at(Position position) {
    return event -> event.position().equals(position);
  }

  private static ScopeEvents events(Blackboards boards) {
    return new ScopeEvents(boards, new AgentDirectory(boards), new EventReading(4, 10_000));
  }

  private Position write(String key) {
    return ((WriteResult.Written) join(memory.open(scope, "someone").write(Write.value(key, 1))))
        .position();
  }

  private void crowd() {
    for (int i = 0; i < KEPT; i++) {
      write("other");
    }
  }

  private List<Position> wakes() {
    int bucket = InboxBucket.of(scope, memory.inbox().buckets());
    return join(memory.inbox().pending(bucket, 1_000)).stream()
        .filter(message -> message.recipient().equals(agent.persistenceId()))
        .flatMap(message ->
            message instanceof InboxMessage.Wake wake
                ? Optional.of(wake.position()).stream()
                : Optional.<Position>empty().stream())
        .toList();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
