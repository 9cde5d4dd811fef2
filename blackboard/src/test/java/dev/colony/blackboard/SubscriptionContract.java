package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.blackboard.BlackboardException.Reason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Subscriptions: every event once and in order, at the subscriber's own pace. */
abstract class SubscriptionContract extends Contract {

  SubscriptionContract(BlackboardContract backend) {
    super(backend);
  }

  @Test
  void subscriberSeesWhatIsWrittenAfterItSubscribed() {
    Blackboard board = board();
    writeKeys(board, "before");
    // Not awaited: a write made after subscribe() returned counts.
    Recorder events = Recorder.eager();
    board.subscribe("*", SubscribeFrom.now()).subscribe(events);
    writeKeys(board, "k1", "k2");
    assertThat(events.awaitCount(2).keys()).containsExactly("k1", "k2");
    assertThat(events.events()).isEqualTo(history(board).subList(1, 3));
  }

  @Test
  void subscriptionGoesOnRightAfterAPosition() {
    Blackboard board = board();
    List<Position> positions =
        IntStream.range(0, 5).mapToObj(n -> written(board.write(text("k" + n, "")), 1)).toList();
    Recorder all = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    Recorder rest =
        Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(positions.get(2))));
    Recorder none =
        Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(positions.get(4))));
    written(board.write(text("k5", "")), 1);
    assertThat(all.awaitCount(6).keys()).containsExactly("k0", "k1", "k2", "k3", "k4", "k5");
    assertThat(rest.awaitCount(3).keys()).containsExactly("k3", "k4", "k5");
    assertThat(none.awaitCount(1).keys()).containsExactly("k5");
  }

  @Test
  void demandIsHonoured() {
    Blackboard board = board();
    Recorder patient = Recorder.patient().to(board.subscribe("*", SubscribeFrom.now()));
    Recorder eager = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    IntStream.range(0, 10).forEach(n -> written(board.write(text("k" + n, "")), 1));
    eager.awaitCount(10);
    assertThat(patient.events()).isEmpty();
    patient.request(3);
    assertThat(patient.awaitCount(3).keys()).containsExactly("k0", "k1", "k2");
    patient.request(Long.MAX_VALUE);
    assertThat(patient.awaitCount(10).keys()).isEqualTo(eager.keys());
  }

  @Test
  void slowSubscriberStallsNobodyAndMissesNothing() {
    Blackboard board = boardWithBuffer(4, 1 << 20);
    Recorder slow = Recorder.patient().to(board.subscribe("*", SubscribeFrom.now()));
    Recorder fast = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    writeAll(board, 0, 200);
    fast.awaitCount(200);
    for (int n = 1; n <= 50; n++) {
      slow.request(1);
      slow.awaitCount(n);
    }
    assertThat(slow.events()).hasSize(50);
    slow.request(Long.MAX_VALUE);
    writeAll(board, 200, 300);
    assertThat(slow.awaitCount(300).events()).isEqualTo(fast.awaitCount(300).events());
    assertSequence(slow, 300);
  }

  @Test
  void slowSubscriberIsToldThatItFellBehindAndThatItCaughtUp() {
    Blackboard board = boardWithBuffer(4, 1 << 20);
    Recorder slow = Recorder.patient().to(board.subscribe("*", SubscribeFrom.now()));
    Recorder fast = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    writeAll(board, 0, 100);
    fast.awaitCount(100);
    assertThat(slow.story()).isEmpty();
    slow.request(Long.MAX_VALUE);
    assertSequence(slow.awaitCount(100), 100);
    assertTold(slow);
    written(board.write(text("last", "")), 1);
    slow.awaitCount(101);
    assertThat(slow.story()).endsWith("caught up", "last");
  }

  @Test
  void bytesThatWaitForASubscriberAreBounded() {
    assumeValuesAreHeld();
    Blackboard board = boardWithBuffer(1_000, 10_000);
    Recorder slow = Recorder.patient().to(board.subscribe("*", SubscribeFrom.now()));
    String value = "x".repeat(4_000);
    for (int n = 0; n < 20; n++) {
      // One of them is larger than all that may wait.
      written(board.write(text("k" + n, n == 9 ? value.repeat(5) : value)), 1);
    }
    Recorder all = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    all.awaitCount(20);
    slow.request(Long.MAX_VALUE);
    assertSequence(slow.awaitCount(20), 20);
    assertTold(slow);
    assertThat(slow.story().indexOf("k2")).isGreaterThan(1);
    assertThat(slow.story().subList(0, 3)).anyMatch(each -> each.startsWith("behind"));
  }

  @Test
  void subscriberIsNotToldOfReadingWhatWasStoredBeforeItBegan() {
    Blackboard board = boardWithBuffer(4, 1 << 20);
    writeAll(board, 0, 50);
    Recorder late = Recorder.patient().to(board.subscribe("*", SubscribeFrom.beginning()));
    for (int n = 1; n <= 50; n++) {
      late.request(1);
      late.awaitCount(n);
    }
    late.request(1);
    written(board.write(text("last", "")), 1);
    late.awaitCount(51);
    assertThat(late.story()).isEqualTo(late.keys());
  }

  private Blackboard boardWithBuffer(int events, long bytes) {
    return blackboards(
            BlackboardSettings.DEFAULTS.withSubscriber(
                new BlackboardSettings.Subscriber(events, bytes)))
        .open(scope, "w");
  }

  /** It fell behind at least once, each time right after the event named, and caught up again. */
  private static void assertTold(Recorder recorder) {
    await().until(() -> recorder.story().getLast().equals("caught up"));
    Map<String, String> positions = new HashMap<>();
    recorder
        .events()
        .forEach(event -> positions.put(event.entryKey().orElseThrow(), "" + event.position()));
    String behindAt = "";
    String before = "";
    for (String each : recorder.story()) {
      if (each.startsWith("behind ")) {
        assertThat(behindAt).isEmpty();
        assertThat(each).isEqualTo("behind " + positions.get(before));
        behindAt = before;
      } else if (each.equals("caught up")) {
        assertThat(behindAt).isNotEmpty();
        behindAt = "";
      }
      before = each;
    }
  }

  @Test
  void subscriberThatBlocksStallsNobody() throws Exception {
    Blackboard board = board();
    CountDownLatch release = new CountDownLatch(1);
    board
        .subscribe("*", SubscribeFrom.now())
        .subscribe(
            new Blocking(() -> {
              try {
                release.await();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            }));
    Recorder other = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    writeAll(board, 0, 50);
    assertSequence(other.awaitCount(50), 50);
    release.countDown();
  }

  @Test
  void concurrentWritersEventsComeOnceAndInOrder() {
    Blackboards blackboards =
        blackboards(
            BlackboardSettings.DEFAULTS.withSubscriber(
                new BlackboardSettings.Subscriber(16, 1 << 20)));
    Recorder events =
        Recorder.eager().to(blackboards.open(scope, "r").subscribe("*", SubscribeFrom.now()));
    int writers = 5;
    int each = 100;
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int w = 0; w < writers; w++) {
        Blackboard board = blackboards.open(scope, "w" + w);
        String key = "k" + w;
        threads.execute(() ->
            IntStream.rangeClosed(1, each)
                .mapToObj(n -> board.write(Write.of(key, IntNode.valueOf(n))))
                .toList()
                .forEach(Contract::get));
      }
    }
    events.awaitCount(writers * each);
    assertGrowing(events.events());
    Map<String, Integer> last = new HashMap<>();
    for (BlackboardEvent event : events.events()) {
      BlackboardEvent.Written written = (BlackboardEvent.Written) event;
      assertThat(written.value().asInt())
          .isEqualTo(last.merge(event.entryKey().orElseThrow(), 1, Integer::sum))
          .isEqualTo((int) written.version());
    }
    assertThat(last.values()).hasSize(writers).containsOnly(each);
  }

  @Test
  void historyThatIsGoneIsTold() {
    Blackboard board =
        blackboards(
                BlackboardSettings.DEFAULTS
                    .withEvents(new BlackboardSettings.Events(10, 10, 1L << 28))
                    .withSubscriber(new BlackboardSettings.Subscriber(4, 1 << 20)))
            .open(scope, "w");
    Position first = written(board.write(text("first", "")), 1);
    Recorder slow = Recorder.patient().to(board.subscribe("*", SubscribeFrom.after(first)));
    writeAll(board, 0, 500);

    Recorder late = Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(first)));
    assertLost(late);
    slow.request(Long.MAX_VALUE);
    assertLost(slow);
    assertThat(slow.events().size()).as("what it still had").isLessThanOrEqualTo(4);

    Recorder retained = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    retained.awaitEvent(event -> event.entryKey().orElse("").equals("k499"));
    assertThat(retained.end()).isNotDone();
    assertThat(retained.events()).hasSizeBetween(10, 490);
  }

  @Test
  void positionThatTheScopeHasNotReachedIsTold() {
    Blackboard board = board();
    Position position = written(board.write(text("k", "")), 1);
    Position never = new Position(position.millis() + 1_000_000_000L, 0);
    assertLost(Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(never))));
  }

  @Test
  void cancelledSubscriberIsNotCalledAgain() {
    Blackboard board = board();
    Recorder cancelled = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(text("k1", "")), 1);
    cancelled.awaitCount(1).cancel();
    Recorder other = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(text("k2", "")), 1);
    other.awaitCount(1);
    Recorder again = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    other.cancel();
    written(board.write(text("k3", "")), 1);
    again.awaitCount(1);
    assertThat(cancelled.keys()).containsExactly("k1");
    assertThat(cancelled.end()).isNotDone();
  }

  @Test
  void closedBackendCompletesItsSubscribers() {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
    Blackboard board = blackboards.open(scope, "w");
    Recorder recorder = Recorder.patient().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(text("k", "")), 1);
    blackboards.close();
    get(recorder.end());
    Recorder late = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    assertFailed(late, Reason.CLOSED);
  }

  @Test
  void demandOfNothingIsAnError() {
    Recorder recorder = Recorder.patient().to(board().subscribe("*", SubscribeFrom.now()));
    recorder.request(0);
    assertThatThrownBy(() -> get(recorder.end()))
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }
}
