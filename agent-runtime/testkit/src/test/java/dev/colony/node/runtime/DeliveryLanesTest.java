package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.node.NodeBounds;
import dev.colony.node.NodeBounds.Pauses;
import dev.colony.node.runtime.DeliveryLanes.Kind;
import dev.colony.node.runtime.DeliveryLanes.LaneKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is sent when, by what became of what was sent before. */
class DeliveryLanesTest {

  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final Pauses BUSY = new Pauses(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final Pauses RETRY = new Pauses(Duration.ofSeconds(2), Duration.ofMinutes(2));

  private final DeliveryLanes lanes =
      new DeliveryLanes(new NodeBounds.Lanes(8, 4, 2, 2, 100, BUSY, RETRY));
  private long last;

  /** Adds some runs, whose ids count up from 1-1. */
  private void runs(String tenant, String agent, int count) {
    for (int i = 0; i < count; i++) {
      add(tenant, agent, Kind.RUN);
    }
  }

  private void add(String tenant, String agent, Kind kind) {
    LaneKey lane = new LaneKey(tenant + "/c/" + agent, kind);
    assertThat(lanes.add(lane, tenant, "1-" + ++last, false, NOW)).isTrue();
  }

  private static List<String> ids(List<DeliveryLanes.ToSend> sent) {
    return sent.stream().map(DeliveryLanes.ToSend::id).toList();
  }

  @Test
  void anAgentAndATenantHaveTheirShareAndOthersWhatIsLeft() {
    runs("a", "x", 10);
    runs("a", "y", 10);
    runs("a", "z", 10);
    assertThat(ids(lanes.take(NOW))).containsExactly("1-1", "1-11", "1-21", "1-2");
    runs("b", "x", 1);
    assertThat(ids(lanes.take(NOW))).containsExactly("1-31");
  }

  @Test
  void runsOfABusyAgentKeepTheirOrderAndGoOnAfterAHint() {
    runs("a", "x", 5);
    List<DeliveryLanes.ToSend> two = lanes.take(NOW);
    lanes.busy(two.get(1).id(), two.get(1).attempt(), NOW);
    lanes.busy(two.get(0).id(), two.get(0).attempt(), NOW);
    assertThat(lanes.take(NOW)).isEmpty();
    assertThat(lanes.nextDue()).contains(NOW.plus(BUSY.longest()));
    lanes.hinted(NOW);
    Instant soon = NOW.plus(BUSY.shortest());
    assertThat(lanes.nextDue()).contains(soon);
    List<DeliveryLanes.ToSend> one = lanes.take(soon);
    assertThat(ids(one)).containsExactly("1-1");
    lanes.done(one.getFirst().id(), one.getFirst().attempt(), soon);
    assertThat(ids(lanes.take(soon))).containsExactly("1-2", "1-3");
  }

  @Test
  void aHintThatIsFollowedInVainMakesTheNextPauseLonger() {
    runs("a", "x", 3);
    lanes.take(NOW).forEach(one -> lanes.busy(one.id(), one.attempt(), NOW));
    Instant now = NOW;
    for (int attempt = 1; attempt <= 8; attempt++) {
      lanes.hinted(now);
      Instant next = now.plus(BUSY.after(attempt));
      assertThat(lanes.nextDue()).contains(next);
      DeliveryLanes.ToSend again = lanes.take(next).getFirst();
      lanes.busy(again.id(), again.attempt(), next);
      now = next;
    }
    assertThat(BUSY.after(8)).isEqualTo(BUSY.longest());
    Instant later = now.plus(BUSY.longest());
    DeliveryLanes.ToSend taken = lanes.take(later).getFirst();
    lanes.done(taken.id(), taken.attempt(), later);
    lanes.take(later).forEach(one -> lanes.busy(one.id(), one.attempt(), later));
    lanes.hinted(later);
    assertThat(lanes.nextDue()).contains(later.plus(BUSY.shortest()));
  }

  @Test
  void afterAFailureTheSameRunIsTriedAloneAndLaterEachTime() {
    runs("a", "x", 3);
    List<DeliveryLanes.ToSend> two = lanes.take(NOW);
    lanes.failed(two.get(0).id(), two.get(0).attempt(), true, NOW);
    lanes.failed(two.get(1).id(), two.get(1).attempt(), true, NOW);
    Instant now = NOW.plus(RETRY.after(2));
    assertThat(lanes.take(now.minusMillis(1))).isEmpty();
    List<DeliveryLanes.ToSend> one = lanes.take(now);
    assertThat(ids(one)).containsExactly("1-1");
    lanes.failed("1-1", one.getFirst().attempt(), true, now);
    assertThat(lanes.nextDue()).contains(now.plus(RETRY.after(3)));
    assertThat(RETRY.after(30)).isEqualTo(RETRY.longest());
  }

  @Test
  void behindADeadLetterEachIsTriedOnceUntilTheAgentAnswers() {
    runs("a", "x", 4);
    List<DeliveryLanes.ToSend> two = lanes.take(NOW);
    lanes.buried(two.get(0).id(), two.get(0).attempt(), NOW);
    assertThat(two.get(0).lastTry()).isFalse();
    lanes.failed(two.get(1).id(), two.get(1).attempt(), true, NOW);
    Instant later = NOW.plus(RETRY.longest());
    List<DeliveryLanes.ToSend> one = lanes.take(later);
    assertThat(ids(one)).containsExactly("1-2");
    assertThat(one.getFirst().lastTry()).isTrue();
    lanes.done("1-2", one.getFirst().attempt(), later);
    assertThat(lanes.take(later)).hasSize(2).noneMatch(DeliveryLanes.ToSend::lastTry);
  }

  @Test
  void agentsThatFailTakeNoSlotOfThoseThatAnswer() {
    for (int agent = 0; agent < 20; agent++) {
      runs("a", "x" + agent, 1);
    }
    for (int round = 0; round < 5; round++) {
      lanes.take(NOW).forEach(one -> lanes.failed(one.id(), one.attempt(), true, NOW));
    }
    Instant later = NOW.plus(RETRY.longest());
    assertThat(lanes.take(later)).hasSize(1);
    runs("a", "y", 1);
    runs("b", "y", 1);
    assertThat(ids(lanes.take(later))).containsExactlyInAnyOrder("1-21", "1-22");
  }

  @Test
  void aSignalOvertakesTheRunsOfItsAgent() {
    runs("a", "x", 3);
    lanes.take(NOW);
    add("a", "x", Kind.OTHER);
    assertThat(ids(lanes.take(NOW))).containsExactly("1-4");
  }

  @Test
  void aCancellationThatIsTooEarlyHoldsUpNoOtherSignal() {
    add("a", "x", Kind.CANCELLATION);
    DeliveryLanes.ToSend early = lanes.take(NOW).getFirst();
    lanes.busy(early.id(), early.attempt(), NOW);
    add("a", "x", Kind.OTHER);
    add("a", "x", Kind.OTHER);
    assertThat(ids(lanes.take(NOW))).containsExactly("1-2", "1-3");
    assertThat(ids(lanes.take(NOW.plus(BUSY.longest())))).containsExactly("1-1");
  }

  @Test
  void aLaneThatIsEmptyTakesOneMoreHoweverManyAreHeld() {
    for (int agent = 0; agent < 10; agent++) {
      runs("a", "x" + agent, 10);
    }
    assertThat(lanes.held()).isEqualTo(100);
    LaneKey full = new LaneKey("a/c/x0", Kind.RUN);
    assertThat(lanes.add(full, "a", "1-101", false, NOW)).isFalse();
    assertThat(lanes.last(full)).isEqualTo("1-10");
    LaneKey empty = new LaneKey("a/c/y", Kind.RUN);
    assertThat(lanes.add(empty, "a", "1-101", false, NOW)).isTrue();
    assertThat(lanes.add(empty, "a", "1-102", false, NOW)).isFalse();
    assertThat(lanes.add(empty, "a", "1-102", true, NOW)).isTrue();
  }

  /** Takes a fraction of a second, or minutes where each new lane looks at all others. */
  @Test
  void aLaneCostsTheSameHoweverManyOthersWait() {
    int agents = 100_000;
    for (int agent = 0; agent < agents; agent++) {
      runs("tenant-" + agent % 1000, "x" + agent, 1);
    }
    int delivered = 0;
    List<DeliveryLanes.ToSend> sent = lanes.take(NOW);
    while (!sent.isEmpty()) {
      sent.forEach(one -> lanes.done(one.id(), one.attempt(), NOW));
      delivered += sent.size();
      sent = lanes.take(NOW);
    }
    assertThat(delivered).isEqualTo(agents);
    assertThat(lanes.held()).isZero();
  }

  @Test
  void whatIsUnderWayIsSentOnceMoreAndEarlierAnswersDoNotCount() {
    runs("a", "x", 2);
    List<DeliveryLanes.ToSend> first = lanes.take(NOW);
    lanes.resend(NOW);
    List<DeliveryLanes.ToSend> again = lanes.take(NOW);
    assertThat(ids(again)).isEqualTo(ids(first));
    lanes.failed("1-1", first.getFirst().attempt(), true, NOW);
    assertThat(lanes.underWay()).isEqualTo(2);
  }
}
