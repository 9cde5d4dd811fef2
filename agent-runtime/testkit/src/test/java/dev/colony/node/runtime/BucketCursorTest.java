package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodeBounds.Pauses;
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

/** What is read of a bucket, and read again. */
class BucketCursorTest {

  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final Pauses BUSY = new Pauses(Duration.ofMillis(50), Duration.ofSeconds(2));
  private static final Pauses RETRY = new Pauses(Duration.ofSeconds(2), Duration.ofMinutes(2));

  private final DeliveryLanes lanes =
      new DeliveryLanes(new NodeBounds.Lanes(8, 4, 2, 2, 100, BUSY, RETRY));
  private final BucketCursor cursor = new BucketCursor(lanes);
  private final TreeMap<Long, InboxMessage> stream = new TreeMap<>();
  private long last;

  private void add(String tenant, String agent) {
    put(tenant, agent, Scope.agent(tenant, "c", agent), "request:run:r" + last);
  }

  private void put(String tenant, String agent, Scope scope, String key) {
    String recipient = tenant + "/c/" + agent;
    Position position = new Position(1, ++last);
    stream.put(
        last,
        new InboxMessage.Request(
            "1-" + last, recipient, scope, key, position, NullNode.instance, true));
  }

  private List<String> sent() {
    return lanes.take(NOW).stream().map(DeliveryLanes.ToSend::id).toList();
  }

  @Test
  void aLaneHoldsItsShareAndWhatIsBeyondIsReadWhenItIsEmpty() {
    for (int i = 0; i < 50; i++) {
      add("a", "x");
    }
    add("b", "y");
    while (!page(cursor.last()).isEmpty()) {
      cursor.read(page(cursor.last()), NOW);
    }
    assertThat(lanes.held()).isEqualTo(32 + 1);
    assertThat(cursor.restFrom()).isEmpty();
    List<DeliveryLanes.ToSend> due = lanes.take(NOW);
    assertThat(due).extracting(DeliveryLanes.ToSend::id).containsExactly("1-1", "1-51", "1-2");
    while (!due.isEmpty()) {
      due.forEach(one -> lanes.done(one.id(), one.attempt(), NOW));
      due = lanes.take(NOW);
    }
    assertThat(cursor.restFrom()).contains("1-32");
    cursor.readRest("1-32", page(Optional.of("1-32")), NOW);
    assertThat(lanes.held()).isEqualTo(8);
    assertThat(sent()).containsExactly("1-33", "1-34");
  }

  @Test
  void afterARestartEverythingIsReadAnewButWhatIsUnderWay() {
    for (int i = 0; i < 5; i++) {
      add("a", "x");
    }
    cursor.read(page(cursor.last()), NOW);
    assertThat(sent()).containsExactly("1-1", "1-2");
    cursor.restart();
    assertThat(cursor.last()).isEmpty();
    assertThat(lanes.held()).isZero();
    cursor.read(page(cursor.last()), NOW);
    assertThat(lanes.held()).isEqualTo(3);
  }

  /** Only runs keep an order, and a cancellation that waits for its run stands apart. */
  @Test
  void runsCancellationsAndOtherSignalsOfAnAgentAreLanesOfTheirOwn() {
    Scope own = Scope.agent("a", "c", "x");
    for (int i = 0; i < 2; i++) {
      add("a", "x");
      put("a", "x", own.namespace("work"), "cancel:run:r" + i);
      put("a", "x", own, "signal:resume:x");
    }
    cursor.read(page(cursor.last()), NOW);
    assertThat(sent()).containsExactly("1-1", "1-2", "1-3", "1-4");
    assertThat(lanes.held()).isEqualTo(2);
  }

  /** A reader of the stream, with agents that answer, are busy or fail by chance. */
  @Test
  void everyMessageIsDeliveredOnceWithBoundedMemory() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      int agent = random.nextInt(3) == 0 ? random.nextInt(20) : 0;
      add("t" + agent % 3, "x" + agent);
    }
    Set<String> through = new HashSet<>();
    Instant now = NOW;
    List<DeliveryLanes.ToSend> underWay = new ArrayList<>();
    for (int round = 0; !stream.isEmpty(); round++) {
      assertThat(round).as("rounds").isLessThan(100_000);
      now = now.plusMillis(random.nextInt(500));
      cursor.read(page(cursor.last()), now);
      Instant at = now;
      cursor.restFrom().ifPresent(from -> cursor.readRest(from, page(Optional.of(from)), at));
      underWay.addAll(lanes.take(now));
      assertThat(lanes.held()).isLessThanOrEqualTo(100 + 20);
      assertThat(lanes.underWay()).isLessThanOrEqualTo(8 + 2);
      for (DeliveryLanes.ToSend one : List.copyOf(underWay)) {
        long number = Long.parseLong(one.id().substring(2));
        switch (random.nextInt(6)) {
          case 0 -> lanes.busy(one.id(), one.attempt(), now);
          case 1 -> lanes.failed(one.id(), one.attempt(), random.nextBoolean(), now);
          case 2 -> {
            continue;
          }
          default -> {
            assertThat(through.add(one.id())).isTrue();
            stream.remove(number);
            lanes.done(one.id(), one.attempt(), now);
          }
        }
        underWay.remove(one);
      }
    }
    assertThat(through).hasSize(3_000);
    assertThat(lanes.held()).isZero();
  }

  /** What a read of the stream gives. */
  private List<InboxMessage> page(Optional<String> after) {
    long from = after.map(id -> Long.parseLong(id.substring(2))).orElse(0L);
    return stream.tailMap(from, false).values().stream().limit(8).toList();
  }
}
