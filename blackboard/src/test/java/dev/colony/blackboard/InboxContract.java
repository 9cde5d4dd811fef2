package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.inbox.InboxBucket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The inbox: a request that was sent is there until it is acknowledged. */
abstract class InboxContract extends Contract {

  InboxContract(BlackboardContract backend) {
    super(backend);
  }

  /** What waits for the agents of this test, in the order of the bucket. */
  static List<InboxMessage> pending(Inbox inbox, Scope scope) {
    int bucket = InboxBucket.of(scope, inbox.buckets());
    return get(inbox.pending(bucket, 10_000)).stream()
        .filter(message -> message.scope().tenant().equals(scope.tenant()))
        .toList();
  }

  static void acknowledge(Inbox inbox, InboxMessage message) {
    get(inbox.acknowledge(InboxBucket.of(message.scope(), inbox.buckets()), List.of(message)));
  }

  @Test
  void sentEntryIsOnTheBoardAndInTheInbox() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope.namespace("n"), "client");
    written(board.send(Write.value("request:run:1", Map.of("n", 1)).tags("t"), "agent|1"), 1);

    assertThat(pending(inbox, scope))
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Request.class,
            request -> {
              assertThat(request.recipient()).isEqualTo("agent|1");
              assertThat(request.scope()).isEqualTo(scope.namespace("n"));
              assertThat(request.key()).isEqualTo("request:run:1");
              assertThat(request.value().get("n").asInt()).isEqualTo(1);
              ((ObjectNode) request.value()).put("n", 2);
            });
    assertThat(((InboxMessage.Request) pending(inbox, scope).getFirst()).value().get("n").asInt())
        .isEqualTo(1);
    Entry entry = get(board.read("request:run:1")).orElseThrow();
    assertThat(pending(inbox, scope).getFirst().position()).isEqualTo(entry.position());
    assertThat(entry.value().get("n").asInt()).isEqualTo(1);
    assertThat(entry.tags()).containsExactly("t");
    assertThat(history(board)).hasSize(1);
  }

  @Test
  void itsLengthIsThatOfAllBuckets() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    long before = get(inbox.length());
    for (int n = 0; n < 3; n++) {
      Scope other = scope.namespace("n" + n);
      written(blackboards.open(other, "client").send(text("r", ""), "agent|1"), 1);
    }
    assertThat(get(inbox.length())).isEqualTo(before + 3);
    acknowledge(inbox, pending(inbox, scope.namespace("n1")).getFirst());
    assertThat(get(inbox.length())).isEqualTo(before + 2);
  }

  @Test
  void versionConflictPutsNothingThere() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "client");
    written(board.write(text("request:run:1", "")), 1);
    assertThat(get(board.send(text("request:run:1", "again").ifAbsent(), "agent|1")))
        .isEqualTo(new WriteResult.VersionConflict(1));
    assertThat(pending(blackboards.inbox(), scope)).isEmpty();
  }

  @Test
  void messagesOfAScopeKeepTheirOrderUntilTheyAreAcknowledged() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "client");
    for (int n = 0; n < 12; n++) {
      written(board.send(text("r" + n, ""), "agent|" + n % 2), 1);
    }
    written(board.send(text("r3", "again"), "agent|1"), 2);
    List<InboxMessage> all = pending(inbox, scope);
    assertThat(all)
        .extracting(InboxMessage::key)
        .containsExactly(
            "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r3");
    assertThat(all).extracting(InboxMessage::id).doesNotHaveDuplicates();
    assertThat(all).extracting(InboxMessage::position).isSorted().doesNotHaveDuplicates();
    assertThat(pending(inbox, scope))
        .extracting(InboxMessage::position)
        .isEqualTo(all.stream().map(InboxMessage::position).toList());

    int bucket = InboxBucket.of(scope, inbox.buckets());
    get(inbox.acknowledge(bucket, List.of(all.get(3), all.get(0))));
    acknowledge(inbox, all.get(3));
    get(inbox.acknowledge(bucket, List.of()));
    assertThat(pending(inbox, scope))
        .extracting(InboxMessage::key)
        .containsExactly("r1", "r2", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r3");
    assertThat(get(inbox.pending(bucket, 2))).hasSize(2);
    get(board.clear());
    get(inbox.acknowledge(bucket, pending(inbox, scope).subList(1, 11)));
    assertThat(pending(inbox, scope)).containsExactly(all.get(1));
  }

  @Test
  void listenerIsHintedAtTheBucketUntilItLeaves() throws Exception {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "client");
    int bucket = InboxBucket.of(scope, inbox.buckets());
    Set<Integer> staying = ConcurrentHashMap.newKeySet();
    Set<Integer> leaving = ConcurrentHashMap.newKeySet();
    AutoCloseable stays = inbox.onHint(staying::add);
    AutoCloseable leaves = inbox.onHint(leaving::add);
    written(board.send(text("r", ""), "agent|1"), 1);
    await().until(() -> staying.contains(bucket) && leaving.contains(bucket));
    leaves.close();
    staying.clear();
    leaving.clear();
    written(board.send(text("r", ""), "agent|1"), 2);
    await().until(() -> staying.contains(bucket));
    assertThat(leaving).doesNotContain(bucket);
    stays.close();
  }

  @Test
  void thereAreItsBucketsAndNoOthers() {
    Inbox inbox = blackboards().inbox();
    assertThat(inbox.buckets()).isEqualTo(BlackboardSettings.DEFAULTS.buckets());
    for (int none : List.of(-1, inbox.buckets())) {
      assertThatThrownBy(() -> inbox.pending(none, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> inbox.acknowledge(none, List.of()))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
