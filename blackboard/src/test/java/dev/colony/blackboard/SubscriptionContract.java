package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every backend promises for subscriptions and the inbox. */
public abstract class SubscriptionContract extends BlackboardContract {

  @Test
  void subscriberSeesWhatIsWrittenAfterItSubscribed() {
    Blackboard board = board();
    written(board.write(text("before", "")), 1);
    Instant before = get(board.read("before")).orElseThrow().updatedAt();
    // Not awaited: a write made after subscribe() returned counts.
    Recorder events = Recorder.eager();
    board.subscribe("*", SubscribeFrom.now()).subscribe(events);
    Position first = written(board.write(text("k", "1").tags("x", "y")), 1);
    Position second = written(board.write(text("k", "2")), 2);
    get(board.delete("k"));

    events.awaitCount(3);
    assertThat(events.events())
        .satisfiesExactly(
            event -> {
              BlackboardEvent.Written written = (BlackboardEvent.Written) event;
              assertThat(written.scope()).isEqualTo(scope);
              assertThat(written.key()).isEqualTo("k");
              assertThat(written.position()).isEqualTo(first);
              assertThat(written.writer()).isEqualTo("writer");
              assertThat(written.value().asText()).isEqualTo("1");
              assertThat(written.version()).isEqualTo(1);
              assertThat(written.tags()).isEqualTo(Set.of("x", "y"));
              assertThat(written.at()).isBetween(before, before.plusSeconds(60));
            },
            event -> assertThat(event.position()).isEqualTo(second).isGreaterThan(first),
            event -> {
              BlackboardEvent.Deleted deleted = (BlackboardEvent.Deleted) event;
              assertThat(deleted.version()).isEqualTo(2);
              assertThat(deleted.position()).isGreaterThan(second);
            });
  }

  @Test
  void globChoosesWhatIsSeen() {
    Blackboard board = board();
    Recorder some = Recorder.eager().to(board.subscribe("a:*", SubscribeFrom.now()));
    Recorder one = Recorder.eager().to(board.subscribe("b", SubscribeFrom.now()));
    List.of("a:1", "b", "c", "a:2", "bb").forEach(key -> written(board.write(text(key, "")), 1));
    assertThat(some.awaitCount(2).keys()).containsExactly("a:1", "a:2");
    assertThat(one.awaitCount(1).keys()).containsExactly("b");
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
  void positionSurvivesItsText() {
    Blackboard board = board();
    Position position = written(board.write(text("k", "")), 1);
    assertThat(Position.parse(position.toString())).isEqualTo(position);
    assertThat(position).isGreaterThan(Position.BEGINNING);
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
    Blackboards blackboards =
        blackboards(
            BlackboardSettings.DEFAULTS.withSubscriber(
                new BlackboardSettings.Subscriber(4, 1 << 20)));
    Blackboard board = blackboards.open(scope, "w");
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
                .forEach(BlackboardContract::get));
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
    Blackboards blackboards =
        blackboards(
            BlackboardSettings.DEFAULTS
                .withEvents(new BlackboardSettings.Events(10, 10, 1L << 28))
                .withSubscriber(new BlackboardSettings.Subscriber(4, 1 << 20)));
    Blackboard board = blackboards.open(scope, "w");
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

  private static void assertLost(Recorder recorder) {
    await().until(() -> recorder.end().isDone());
    assertThat(recorder.end().exceptionNow())
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.retryable()).isFalse());
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
    assertLost(late);
  }

  @Test
  void demandOfNothingIsAnError() {
    Recorder recorder = Recorder.patient().to(board().subscribe("*", SubscribeFrom.now()));
    recorder.request(0);
    assertThatThrownBy(() -> get(recorder.end()))
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sentEntryIsOnTheBoardAndInTheInbox() throws Exception {
    Blackboards blackboards = blackboards(BlackboardSettings.DEFAULTS);
    Inbox inbox = blackboards.inbox();
    Set<Integer> hinted = java.util.concurrent.ConcurrentHashMap.newKeySet();
    AutoCloseable hints = inbox.onHint(hinted::add);
    try {
      Blackboard board = blackboards.open(scope.namespace("n"), "client");
      written(board.send(text("request:run:1", "please"), "agent|1"), 1);
      written(board.send(text("request:run:2", "please"), "agent|1"), 1);
      assertThat(get(board.send(text("request:run:1", "again").ifAbsent(), "agent|1")))
          .isEqualTo(new WriteResult.VersionConflict(1));

      int bucket = bucketOfMine(inbox);
      List<InboxMessage> mine = mine(inbox, bucket);
      assertThat(mine)
          .extracting(InboxMessage::key)
          .containsExactly("request:run:1", "request:run:2");
      assertThat(mine)
          .allSatisfy(message -> {
            assertThat(message.recipient()).isEqualTo("agent|1");
            assertThat(message.scope()).isEqualTo(scope.namespace("n"));
            assertThat(((InboxMessage.Request) message).value().asText()).isEqualTo("please");
          });
      assertThat(get(board.read("request:run:1")).orElseThrow().value().asText())
          .isEqualTo("please");
      await().until(() -> hinted.contains(bucket));

      get(inbox.acknowledge(bucket, List.of(mine.getFirst())));
      get(inbox.acknowledge(bucket, List.of(mine.getFirst())));
      get(inbox.acknowledge(bucket, List.of()));
      assertThat(mine(inbox, bucket)).containsExactly(mine.getLast());
      assertThat(get(inbox.pending(bucket, 1))).hasSize(1);
      get(inbox.acknowledge(bucket, List.of(mine.getLast())));
      assertThat(mine(inbox, bucket)).isEmpty();
    } finally {
      hints.close();
    }
  }

  @Test
  void inboxHasItsBucketsAndNoOthers() {
    Inbox inbox = blackboards(BlackboardSettings.DEFAULTS).inbox();
    assertThat(inbox.buckets()).isEqualTo(BlackboardSettings.DEFAULTS.buckets());
    assertThatThrownBy(() -> inbox.pending(inbox.buckets(), 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private int bucketOfMine(Inbox inbox) {
    return IntStream.range(0, inbox.buckets())
        .filter(bucket -> !mine(inbox, bucket).isEmpty())
        .findFirst()
        .orElseThrow();
  }

  private List<InboxMessage> mine(Inbox inbox, int bucket) {
    return get(inbox.pending(bucket, 10_000)).stream()
        .filter(message -> message.scope().tenant().equals(tenant))
        .toList();
  }

  /** Writes k{n} with the value n, all under way at once. */
  protected static void writeAll(Blackboard board, int from, int to) {
    List<CompletionStage<WriteResult>> writes = new ArrayList<>();
    for (int n = from; n < to; n++) {
      writes.add(board.write(Write.of("k" + n, IntNode.valueOf(n))));
    }
    writes.forEach(BlackboardContract::get);
  }

  protected static void assertSequence(Recorder recorder, int count) {
    assertThat(recorder.keys())
        .isEqualTo(IntStream.range(0, count).mapToObj(n -> "k" + n).toList());
    assertGrowing(recorder.events());
  }

  protected static void assertGrowing(List<BlackboardEvent> events) {
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).position()).isGreaterThan(events.get(i - 1).position());
    }
  }
}
