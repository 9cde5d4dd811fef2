package dev.colony.agent.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.entity.InboxBounds;
import dev.colony.agent.entity.InboxBounds.Pauses;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is sent when, by what became of what was sent before. */
class BucketWindowTest {

  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final Pauses BUSY = new Pauses(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final Pauses RETRY = new Pauses(Duration.ofSeconds(2), Duration.ofMinutes(2));

  private final BucketWindow window =
      new BucketWindow(new InboxBounds(8, 4, 2, 2, 100, BUSY, RETRY));
  private long last;

  private InboxMessage run(String tenant, String agent) {
    return message(tenant, agent, "request:run:r" + (last + 1));
  }

  private InboxMessage message(String tenant, String agent, String key) {
    String id = "1-" + ++last;
    return new InboxMessage.Request(
        id,
        tenant + "/c/" + agent,
        Scope.agent(tenant, "c", agent),
        key,
        new Position(1, last),
        NullNode.instance,
        true);
  }

  private List<InboxMessage> runs(String tenant, String agent, int count) {
    List<InboxMessage> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(run(tenant, agent));
    }
    return all;
  }

  private static List<String> ids(List<BucketWindow.ToSend> sent) {
    return sent.stream().map(BucketWindow.ToSend::id).toList();
  }

  @Test
  void anAgentAndATenantHaveTheirShareAndOthersWhatIsLeft() {
    window.read(runs("a", "x", 10), NOW);
    window.read(runs("a", "y", 10), NOW);
    window.read(runs("a", "z", 10), NOW);
    assertThat(ids(window.take(NOW))).containsExactly("1-1", "1-11", "1-21", "1-2");
    window.read(runs("b", "x", 1), NOW);
    assertThat(ids(window.take(NOW))).containsExactly("1-31");
  }

  @Test
  void runsOfABusyAgentKeepTheirOrderAndGoOnAfterAHint() {
    window.read(runs("a", "x", 5), NOW);
    List<BucketWindow.ToSend> two = window.take(NOW);
    window.busy(two.get(1).id(), two.get(1).attempt(), NOW);
    window.busy(two.get(0).id(), two.get(0).attempt(), NOW);
    assertThat(window.take(NOW)).isEmpty();
    assertThat(window.nextDue()).contains(NOW.plus(BUSY.longest()));
    window.hinted(NOW);
    Instant soon = NOW.plus(BUSY.shortest());
    assertThat(window.nextDue()).contains(soon);
    List<BucketWindow.ToSend> one = window.take(soon);
    assertThat(ids(one)).containsExactly("1-1");
    window.done(one.getFirst().id(), one.getFirst().attempt(), soon);
    assertThat(ids(window.take(soon))).containsExactly("1-2", "1-3");
  }

  @Test
  void afterAFailureTheSameRunIsTriedAloneAndLaterEachTime() {
    window.read(runs("a", "x", 3), NOW);
    List<BucketWindow.ToSend> two = window.take(NOW);
    window.failed(two.get(0).id(), two.get(0).attempt(), true, NOW);
    window.failed(two.get(1).id(), two.get(1).attempt(), true, NOW);
    Instant now = NOW.plus(RETRY.after(2));
    assertThat(window.take(now.minusMillis(1))).isEmpty();
    List<BucketWindow.ToSend> one = window.take(now);
    assertThat(ids(one)).containsExactly("1-1");
    window.failed("1-1", one.getFirst().attempt(), true, now);
    assertThat(window.nextDue()).contains(now.plus(RETRY.after(3)));
    assertThat(RETRY.after(30)).isEqualTo(RETRY.longest());
  }

  @Test
  void behindADeadLetterEachIsTriedOnceUntilTheAgentAnswers() {
    window.read(runs("a", "x", 4), NOW);
    List<BucketWindow.ToSend> two = window.take(NOW);
    window.buried(two.get(0).id(), two.get(0).attempt(), NOW);
    assertThat(two.get(0).lastTry()).isFalse();
    window.failed(two.get(1).id(), two.get(1).attempt(), true, NOW);
    Instant later = NOW.plus(RETRY.longest());
    List<BucketWindow.ToSend> one = window.take(later);
    assertThat(ids(one)).containsExactly("1-2");
    assertThat(one.getFirst().lastTry()).isTrue();
    window.done("1-2", one.getFirst().attempt(), later);
    assertThat(window.take(later)).hasSize(2).noneMatch(BucketWindow.ToSend::lastTry);
  }

  @Test
  void agentsThatFailTakeNoSlotOfThoseThatAnswer() {
    for (int agent = 0; agent < 20; agent++) {
      window.read(runs("a", "x" + agent, 1), NOW);
    }
    for (int round = 0; round < 5; round++) {
      window.take(NOW).forEach(one -> window.failed(one.id(), one.attempt(), true, NOW));
    }
    Instant later = NOW.plus(RETRY.longest());
    assertThat(window.take(later)).hasSize(1);
    window.read(runs("a", "y", 1), later);
    window.read(runs("b", "y", 1), later);
    assertThat(ids(window.take(later))).containsExactlyInAnyOrder("1-21", "1-22");
  }

  @Test
  void aSignalOvertakesTheRunsOfItsAgent() {
    window.read(runs("a", "x", 3), NOW);
    window.take(NOW);
    window.read(List.of(message("a", "x", "signal:resume")), NOW);
    assertThat(ids(window.take(NOW))).containsExactly("1-4");
  }

  @Test
  void whatIsUnderWayIsSentOnceMoreAndEarlierAnswersDoNotCount() {
    window.read(runs("a", "x", 2), NOW);
    List<BucketWindow.ToSend> first = window.take(NOW);
    window.resend(NOW);
    List<BucketWindow.ToSend> again = window.take(NOW);
    assertThat(ids(again)).isEqualTo(ids(first));
    window.failed("1-1", first.getFirst().attempt(), true, NOW);
    assertThat(window.underWay()).isEqualTo(2);
  }

  /** The owner of a window over a stream, with agents that answer, are busy or fail by chance. */
  @Test
  void everyMessageIsDeliveredOnceWithBoundedMemory() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    TreeMap<Long, InboxMessage> stream = new TreeMap<>();
    for (int i = 0; i < 3_000; i++) {
      int agent = random.nextInt(3) == 0 ? random.nextInt(20) : 0;
      InboxMessage message = run("t" + agent % 3, "x" + agent);
      stream.put(last, message);
    }
    Set<String> through = new HashSet<>();
    Instant now = NOW;
    List<BucketWindow.ToSend> underWay = new ArrayList<>();
    while (!stream.isEmpty()) {
      now = now.plusMillis(random.nextInt(500));
      window.read(page(stream, window.cursor()), now);
      Instant at = now;
      window
          .restFrom()
          .ifPresent(from -> window.readRest(from, page(stream, Optional.of(from)), at));
      underWay.addAll(window.take(now));
      assertThat(window.held()).isLessThanOrEqualTo(100 + 20);
      assertThat(window.underWay()).isLessThanOrEqualTo(8 + 2);
      for (BucketWindow.ToSend one : List.copyOf(underWay)) {
        long number = Long.parseLong(one.id().substring(2));
        switch (random.nextInt(6)) {
          case 0 -> window.busy(one.id(), one.attempt(), now);
          case 1 -> window.failed(one.id(), one.attempt(), random.nextBoolean(), now);
          case 2 -> {
            continue;
          }
          default -> {
            assertThat(through.add(one.id())).isTrue();
            stream.remove(number);
            window.done(one.id(), one.attempt(), now);
          }
        }
        underWay.remove(one);
      }
    }
    assertThat(through).hasSize(3_000);
    assertThat(window.held()).isZero();
  }

  private static List<InboxMessage> page(
      TreeMap<Long, InboxMessage> stream, Optional<String> after) {
    long from = after.map(id -> Long.parseLong(id.substring(2))).orElse(0L);
    return stream.tailMap(from, false).values().stream().limit(8).toList();
  }
}
