package dev.colony.core.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.Cascade.WaitingAgent;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.Candidate;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SlotSchedulerTest {

  private static final NodeAddress A = new NodeAddress("a:1");
  private static final NodeAddress B = new NodeAddress("b:1");
  private static final Preemption RULE =
      new Preemption(new Aging(10), 20, Duration.ofSeconds(10), Duration.ofSeconds(30));
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final int AHEAD = 2;

  private final SlotScheduler scheduler = new SlotScheduler(RULE, 16, Shares.EQUAL, GRACE, AHEAD);

  private static CapacityReport room(NodeAddress node, int free, int visitors, long arrived) {
    return new CapacityReport(
        node, 1, free, Long.MAX_VALUE, 10, visitors, arrived, Map.of(), Optional.empty());
  }

  private static Candidate waits(String name, NodeAddress home) {
    return waits(Requests.of("acme", name, 50, Requests.at(0)), home, false);
  }

  private static Candidate waits(SlotRequest request, NodeAddress home, boolean movable) {
    return new Candidate(new WaitingAgent(request, Optional.of(home), Map.of(), 0, movable), 1);
  }

  private static List<String> names(List<SlotScheduler.Assignment> assignments) {
    return assignments.stream()
        .map(assignment -> assignment.who().request().agent().name())
        .toList();
  }

  @Test
  void wakesAsManyAsThereIsRoomForAndAFewAheadAndNobodyTwice() {
    scheduler.reported(room(A, 3, 0, 0));
    List<Candidate> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(waits("a%02d".formatted(i), A));
    }
    assertThat(names(scheduler.assignments(waiting, Requests.at(1))))
        .containsExactly("a00", "a01", "a02", "a03", "a04");
    assertThat(scheduler.assignments(waiting, Requests.at(2))).isEmpty();
    // Four have come, two of them have no slot yet.
    scheduler.reported(room(A, 0, 2, 4));
    assertThat(scheduler.assignments(waiting, Requests.at(3))).isEmpty();
    scheduler.reported(room(A, 1, 0, 5));
    assertThat(names(scheduler.assignments(waiting.subList(5, 100), Requests.at(4))))
        .containsExactly("a05", "a06", "a07");
  }

  @Test
  void whoWasWokenAndIsNotSeenCountsForAWhileOnly() {
    scheduler.reported(room(A, 0, 0, 0));
    assertThat(scheduler.assignments(List.of(waits("x", A), waits("y", A)), Requests.at(0)))
        .hasSize(2);
    assertThat(scheduler.assignments(List.of(waits("z", A)), Requests.at(20))).isEmpty();
    assertThat(names(scheduler.assignments(List.of(waits("z", A)), Requests.at(21))))
        .containsExactly("z");
  }

  @Test
  void aNodeThatHasStartedAgainHasNobodyOnTheWay() {
    scheduler.reported(room(A, 0, 0, 7));
    scheduler.assignments(List.of(waits("x", A), waits("y", A)), Requests.at(0));
    scheduler.reported(new CapacityReport(A, 2, 0, 0, 10, 0, 0, Map.of(), Optional.empty()));
    assertThat(scheduler.assignments(List.of(waits("z", A)), Requests.at(1))).hasSize(1);
  }

  @Test
  void whoCannotBeMovedWaitsForItsHomeAndHoldsUpNobody() {
    SlotScheduler strict = new SlotScheduler(RULE, 1, Shares.EQUAL, GRACE, AHEAD);
    strict.reported(room(A, 5, 0, 0));
    assertThat(names(strict.assignments(List.of(waits("b", B), waits("a", A)), Requests.at(0))))
        .containsExactly("a");
  }

  @Test
  void oneThatMayMoveGoesWhereItsPagesAreThenWhereRoomIs() {
    scheduler.reported(room(A, 0, 0, 0));
    scheduler.reported(room(B, 4, 0, 0));
    SlotRequest request = Requests.of("acme", "x", 50, Requests.at(0));
    assertThat(scheduler.assignments(List.of(waits(request, A, true)), Requests.at(0)))
        .extracting(SlotScheduler.Assignment::how)
        .containsExactly(new Cascade.SoftAffinity(B));
  }

  @Test
  void aBoundOneRunsOnlyWhereAllItsPagesAre() {
    SlotRequest bound =
        new SlotRequest(
            new AgentId("acme", "c", "bound"), AgentKind.VCM_BOUND, 50, 0, Requests.at(0));
    List<CapacityReport> rooms = List.of(room(A, 5, 0, 0), room(B, 1, 0, 0));
    Map<NodeAddress, Integer> resident = Map.of(A, 99, B, 100);
    WaitingAgent agent = new WaitingAgent(bound, Optional.of(A), resident, 100, true);
    assertThat(Cascade.decide(agent, rooms, RULE, Requests.at(0)))
        .isEqualTo(new Cascade.HardAffinity(B));
    assertThat(Cascade.decide(agent, rooms.subList(0, 1), RULE, Requests.at(0)))
        .isEqualTo(new Cascade.Queue(new ResourceExhausted(Resource.AGENTS, 1, 0)));
  }

  @Test
  void afterItHasWaitedOneOfLowerPriorityGivesWay() {
    AdmittedAgent low =
        new AdmittedAgent(Requests.of("acme", "low", 10, Requests.at(0)), Requests.at(0));
    CapacityReport full =
        new CapacityReport(A, 1, 0, 0, 10, 0, 0, Map.of("acme", 10), Optional.of(low));
    Candidate urgent = waits(Requests.of("acme", "urgent", 90, Requests.at(50)), A, false);
    assertThat(Cascade.decide(urgent.agent(), List.of(full), RULE, Requests.at(59)))
        .isInstanceOf(Cascade.Queue.class);
    assertThat(Cascade.decide(urgent.agent(), List.of(full), RULE, Requests.at(60)))
        .isEqualTo(new Cascade.SuspendLower(A, low.request().agent()));
    scheduler.reported(full);
    Candidate second = waits(Requests.of("acme", "second", 90, Requests.at(50)), A, false);
    assertThat(scheduler.assignments(List.of(urgent, second), Requests.at(60)))
        .as("one agent gives way to one")
        .extracting(assignment -> assignment.how().getClass().getSimpleName())
        .containsExactly("SuspendLower", "Queue");
  }

  /**
   * A cluster of three nodes whose agents come, run and go, whose admission scheduler forgets all
   * now and then, and whose wakes get lost: every agent runs, and no more than there is capacity
   * for are on the way.
   */
  @Property(tries = 100)
  void everybodyRunsWhateverIsLost(@ForAll long seed) {
    Random random = new Random(seed);
    Map<NodeAddress, Integer> running = new HashMap<>();
    List<NodeAddress> nodes = List.of(A, B, new NodeAddress("c:1"));
    List<Candidate> waiting = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      SlotRequest request =
          Requests.of(
              "t" + random.nextInt(3),
              "a" + i,
              random.nextInt(101),
              Requests.at(random.nextInt(9)));
      waiting.add(waits(request, nodes.get(random.nextInt(3)), random.nextBoolean()));
    }
    SlotScheduler slots = scheduler;
    Map<NodeAddress, Long> arrived = new HashMap<>();
    long now = 10;
    while (!waiting.isEmpty() && now < 100_000) {
      if (random.nextInt(10) == 0) {
        slots = new SlotScheduler(RULE, 4, Shares.EQUAL, GRACE, AHEAD);
      }
      for (NodeAddress node : nodes) {
        int busy = Math.max(0, running.getOrDefault(node, 0) - random.nextInt(3));
        running.put(node, busy);
        slots.reported(
            new CapacityReport(
                node,
                1,
                Math.max(0, 4 - busy),
                Long.MAX_VALUE,
                4,
                Math.max(0, busy - 4),
                arrived.getOrDefault(node, 0L),
                Map.of(),
                Optional.empty()));
      }
      Instant time = Requests.at(now);
      int most = slots.wakeable(time);
      List<SlotScheduler.Assignment> assignments = slots.assignments(waiting, time);
      assertThat(assignments.size()).isLessThanOrEqualTo(most);
      for (SlotScheduler.Assignment assignment : assignments) {
        if (random.nextInt(4) > 0) {
          waiting.remove(assignment.who());
          running.merge(assignment.node(), 1, Integer::sum);
          arrived.merge(assignment.node(), 1L, Long::sum);
        }
      }
      slots.only(Set.copyOf(nodes));
      now++;
    }
    assertThat(waiting).as("seed %d", seed).isEmpty();
  }
}
