package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.NodeBounds;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Suspended agents on a blackboard, a world in which things happen, and a look at who is woken. */
final class ResumptionFixture {

  /** Not far from the blackboard's own clock. */
  static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  static final Duration EARLY_SIGNALS = Duration.ofMinutes(1);
  static final NodeBounds.Resumption BOUNDS =
      new NodeBounds.Resumption(
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          10,
          Duration.ofMillis(1),
          4,
          Duration.ofHours(1),
          Duration.ofMinutes(1));

  final String colony = "c-" + UUID.randomUUID();
  final Scope scope = Scope.colony("acme", colony);
  final FailingBlackboards boards;
  final Blackboards sound;
  final Set<PageId> resident = ConcurrentHashMap.newKeySet();
  final List<Instant> timed = new CopyOnWriteArrayList<>();
  volatile Instant now = NOW;
  final BlackboardResumptions resumptions;
  final ResumptionRounds rounds;
  private final ChildRegistry nursery;

  ResumptionFixture(Blackboards sound) {
    this.sound = sound;
    this.boards = new FailingBlackboards(sound);
    this.resumptions = node(boards.boards(), () -> now);
    this.rounds = resumptions.rounds();
    this.nursery =
        new ChildRegistry(sound, HomeResolver.byHash(8), new ChildrenSettings(1_000, 8, 10_000));
  }

  /** What a node of this world has, with its own way to the blackboard and its own clock. */
  BlackboardResumptions node(Blackboards over, InstantSource clock) {
    return new BlackboardResumptions(
        over,
        BOUNDS,
        EARLY_SIGNALS,
        resident::contains,
        CapacityQueue.WaitOrder.BY_AGE,
        clock,
        timed::add);
  }

  AgentId agent(String name) {
    return new AgentId("acme", colony, name);
  }

  static PageId page(int number) {
    return new PageId(
        "abcdefghijklmnopqrstuvwx" + (char) ('a' + number / 26) + (char) ('a' + number % 26));
  }

  static Suspension suspension(long number, ResumptionCondition until) {
    return new Suspension(number, SuspensionCause.BLOCKED, "test", Optional.of(until), NOW);
  }

  void enter(AgentId agent, long number, ResumptionCondition until) {
    join(resumptions.enter(agent, suspension(number, until)));
  }

  int happened(Trigger trigger) {
    return join(resumptions.happened(trigger));
  }

  OptionalLong due(Trigger.Told told) {
    return join(resumptions.due(told));
  }

  /** Known to the directory, without any node being told. */
  void isIn(AgentId agent, AgentState state) {
    join(nursery.announce(agent, state, Optional.empty()));
  }

  int ends(AgentId agent) {
    isIn(agent, AgentState.STOPPED);
    return happened(new Trigger.AgentEnded(agent));
  }

  int arrives(PageId... pages) {
    resident.addAll(List.of(pages));
    return happened(new Trigger.PagesArrived(Set.of(pages)));
  }

  Position write(String writer, String key) {
    return write(scope, writer, key);
  }

  Position write(Scope scope, String writer, String key) {
    WriteResult result = join(sound.open(scope, writer).write(Write.value(key, key)));
    return ((WriteResult.Written) result).position();
  }

  /**
   * Does with the wakes in the inbox what its reader does with them; how many agents were woken.
   * Other tests of the same server have wakes in the same bucket.
   */
  int deliverWakes() {
    return deliverWakes(resumptions);
  }

  /** The same by a reader on another node. */
  int deliverWakes(Resumptions told) {
    int woken = 0;
    int bucket = InboxBucket.of(scope, sound.inbox().buckets());
    for (InboxMessage message : join(sound.inbox().pending(bucket, 1_000))) {
      Optional<Trigger.Wrote> wrote =
          message instanceof InboxMessage.Wake wake && wake.scope().path().contains(colony)
              ? Trigger.Wrote.of(wake)
              : Optional.empty();
      if (wrote.isPresent()) {
        woken += join(told.happened(wrote.get()));
        join(sound.inbox().acknowledge(bucket, List.of(message)));
      }
    }
    return woken;
  }

  /** All rounds of one sweep. */
  void sweep() {
    Optional<ResumptionRounds.Place> at = Optional.of(ResumptionRounds.Place.BEGINNING);
    while (at.isPresent()) {
      at = join(rounds.sweep(at.get()));
    }
  }

  /** The numbers of the suspensions that the agent's inbox says are over. */
  List<Long> met(AgentId agent) {
    List<Long> met = new ArrayList<>();
    int bucket = InboxBucket.of(agent.scope(), sound.inbox().buckets());
    for (InboxMessage message : join(sound.inbox().pending(bucket, 10_000))) {
      if (message instanceof InboxMessage.Request request
          && AgentSignal.of(request).orElse(null) instanceof AgentSignal.ConditionMet one
          && one.agent().equals(agent)) {
        met.add(one.suspension());
      }
    }
    return met;
  }

  /** Keys of the index that speak of agents of this test's colony, but for those that expire. */
  List<String> left() {
    List<String> left = new ArrayList<>();
    for (int bucket = 0; bucket < WaitIndexKeys.BUCKETS; bucket++) {
      join(
              sound
                  .open(WaitIndexKeys.scope(bucket), "test")
                  .query(Query.keys("*" + colony + "*").limit(1_000)))
          .entries()
          .stream()
          .filter(entry -> entry.expiresAt().isEmpty())
          .forEach(entry -> left.add(entry.key()));
    }
    return left;
  }

  void assertWoken(AgentId agent, Long... numbers) {
    assertThat(met(agent)).as("wake-ups of " + agent).containsExactly(numbers);
  }

  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
