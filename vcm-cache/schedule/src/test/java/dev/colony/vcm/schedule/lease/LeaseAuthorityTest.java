package dev.colony.vcm.schedule.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Who is granted a lease when, at one replica that holds one agent's prompt of 300 tokens. */
class LeaseAuthorityTest {

  /** Tests that begin with the authority's grace. */
  private static final String BEGINNING = "beginning";

  private static final int BLOCK = 100;
  private static final PrefillSpeed SPEED = new PrefillSpeed(1e12, Double.POSITIVE_INFINITY);
  private static final int BOUND = 30;
  private static final LeaseTimes TIMES = new LeaseTimes(4, 1, 4, 15, 60);

  private final LeaseAuthority authority = authority();
  private double now;
  private long number;

  private static LeaseAuthority authority() {
    ClusterState cluster = new ClusterState(new ScheduleSettings(SPEED, 8, 30, 60, 4, 8));
    WorkingSetSettings settings =
        new WorkingSetSettings(BOUND, 0, 0, 0, 0, 1, 0.3, 0.1, 6, 4, 1, 16, 1e9);
    LeaseAuthority authority =
        new LeaseAuthority(
            TIMES,
            cluster,
            new WorkingSetScheduler(
                settings, cluster, id -> Access.OPEN, id -> EvictionControl.HINTS, BLOCK),
            1,
            0);
    authority.on(new LeaseEvent.ReplicaUp("r0", 4, SPEED), 0);
    return authority;
  }

  /** Of an agent whose blocks are no other's. */
  private static Ask prompt(String agent) {
    long first = agent.charAt(0) * 10L;
    return Ask.even(new long[] {first, first + 1, first + 2}, BLOCK, 3 * BLOCK);
  }

  private List<LeaseOrder> says(String holder, String agent, Report.Status status) {
    return authority.on(
        new LeaseEvent.Reported(new Report(holder, agent, ++number, now, status)), now);
  }

  private static Optional<Lease> granted(List<LeaseOrder> orders, String agent) {
    return orders.stream()
        .filter(LeaseOrder.Granted.class::isInstance)
        .map(order -> ((LeaseOrder.Granted) order).lease())
        .filter(lease -> lease.agent().equals(agent))
        .findFirst();
  }

  private static boolean woken(List<LeaseOrder> orders, String agent) {
    return orders.stream()
        .anyMatch(
            order -> order instanceof LeaseOrder.Woken one && one.lease().agent().equals(agent));
  }

  @BeforeEach
  void graceIsOver(TestInfo test) {
    if (!test.getTags().contains(BEGINNING)) {
      now = 4;
      authority.on(new LeaseEvent.Ticked(), now);
    }
  }

  @Test
  @Tag(BEGINNING)
  void whereNoneWasBeforeItItGrantsAtOnceToThoseThatHaveAsked() {
    now = 1;
    assertThat(granted(asks("h0", "A", 1, false), "A")).as("it waits for leases").isEmpty();
    assertThat(authority.counts(now).rebuilding()).isTrue();
    assertThat(granted(authority.on(new LeaseEvent.NoneBefore(), now), "A")).isPresent();
    assertThat(authority.counts(now).rebuilding()).isFalse();
    assertThat(granted(authority.on(new LeaseEvent.NoneBefore(), now), "A"))
        .as("said again")
        .isEmpty();
  }

  @Test
  void anAgentThatIsWokenElsewhereHoldsNoneUp() {
    Lease first = granted(asks("h0", "A", 1, false), "A").orElseThrow();
    assertThat(granted(asks("h0", "B", 1, true), "B")).isEmpty();
    now++;
    assertThat(woken(says("h0", "A", new Report.Released(true)), "B")).isTrue();
    assertThat(first.replica()).isEqualTo("r0");

    // It comes at another node than the one that it was put away at, and has its turn.
    now++;
    Lease own = granted(asks("h1", "B", 1, false), "B").orElseThrow();
    now++;
    asks("h0", "C", 1, false);
    now++;
    says("h1", "B", new Report.Running(own, 0, Optional.empty()));
    List<LeaseOrder> orders = says("h1", "B", new Report.Released(true));

    assertThat(granted(orders, "C")).as("no lease of B's stands before it any more").isPresent();
  }

  @Test
  void anAgentThatIsPagedOutBeforeItHasComeHoldsNoneUp() {
    asks("h0", "A", 1, false);
    asks("h0", "B", 1, true);
    assertThat(woken(says("h0", "A", new Report.Released(true)), "B")).isTrue();
    asks("h0", "C", 1, false);

    List<LeaseOrder> gone = authority.on(new LeaseEvent.ReplicaGone("r0"), ++now);
    List<LeaseOrder> back = authority.on(new LeaseEvent.ReplicaUp("r0", 4, SPEED), ++now);

    assertThat(gone)
        .as("no holder has heard of it")
        .noneMatch(LeaseOrder.Recalled.class::isInstance);
    assertThat(granted(back, "C")).isPresent();
  }

  @Test
  void anAgentThatNeverRestsGoesForOneThatHasWaitedBeyondTheBound() {
    Lease lease = granted(asks("h0", "A", 1, false), "A").orElseThrow();
    asks("h0", "B", 1, false);
    List<LeaseOrder> orders = List.of();
    long turn = 0;
    while (orders.stream().noneMatch(LeaseOrder.Recalled.class::isInstance)) {
      assertThat(now).as("when A is told to leave").isLessThan(4 + BOUND + 3);
      now++;
      turn++;
      asks("h0", "B", 1, false);
      orders = says("h0", "A", new Report.Running(lease, turn, Optional.of(prompt("A"))));
      authority.on(new LeaseEvent.Ticked(), now);
    }
    assertThat(now).as("and not before").isGreaterThan(4 + BOUND);
    now++;
    // Its last turn has ended.
    assertThat(granted(says("h0", "A", new Report.Released(false)), "B")).isPresent();
  }

  @Test
  void whatIsDeclaredAfterATurnHasEndedCountsToo() {
    Lease lease = granted(asks("h0", "A", 1, false), "A").orElseThrow();
    assertThat(granted(asks("h0", "B", 1, false), "B")).isEmpty();
    now++;
    assertThat(rests(lease, OptionalDouble.of(0)))
        .as("it is back at once")
        .noneMatch(LeaseOrder.Recalled.class::isInstance);
    now++;
    // An action has begun, of which it is known that such take long.
    assertThat(rests(lease, OptionalDouble.of(600)))
        .as("it stays away")
        .anyMatch(LeaseOrder.Recalled.class::isInstance);
  }

  private List<LeaseOrder> rests(Lease lease, OptionalDouble returnsIn) {
    return says(
        "h0",
        lease.agent(),
        new Report.Idle(lease, 0, Optional.empty(), returnsIn, OptionalInt.empty()));
  }

  private List<LeaseOrder> asks(String holder, String agent, long ask, boolean parked) {
    return says(holder, agent, new Report.Asking(ask, prompt(agent), 0, parked));
  }

  @Test
  void anAgentThatMayNotGoWhereItWasResidentIsGrantedALeaseElsewhere() {
    assertThat(granted(asks("h0", "A", 1, false), "A").orElseThrow().replica()).isEqualTo("r0");
    authority.on(new LeaseEvent.ReplicaUp("r1", 4, SPEED), now);
    now++;
    Ask elsewhere = prompt("A").excluding(Set.of("r0"));
    Optional<Lease> lease =
        granted(says("h0", "A", new Report.Asking(2, elsewhere, 0, false)), "A");
    assertThat(lease.orElseThrow().replica()).isEqualTo("r1");
    assertThat(granted(asks("h0", "B", 1, false), "B").orElseThrow().replica())
        .as("what it has left is free")
        .isEqualTo("r0");
  }

  @Test
  void anAgentThatRestsIsNotToldToLeaveBeforeTheBound() {
    Lease lease = granted(asks("h0", "A", 1, false), "A").orElseThrow();
    asks("h0", "B", 1, false);
    for (int i = 1; i < BOUND; i++) {
      now++;
      List<LeaseOrder> orders =
          says(
              "h0",
              "A",
              new Report.Idle(
                  lease, 0, Optional.empty(), OptionalDouble.of(0), OptionalInt.empty()));
      assertThat(orders).noneMatch(LeaseOrder.Recalled.class::isInstance);
    }
  }
}
