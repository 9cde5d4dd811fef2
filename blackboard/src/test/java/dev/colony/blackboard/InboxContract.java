package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.board.InboxBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
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
  void itsStatisticsAreThoseOfAllBuckets() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    long before = get(inbox.statistics()).messages();
    for (int n = 0; n < 3; n++) {
      Scope other = scope.namespace("n" + n);
      written(blackboards.open(other, "client").send(text("r", ""), "agent|1"), 1);
    }
    assertThat(get(inbox.statistics()).messages()).isEqualTo(before + 3);
    assertThat(get(inbox.statistics()).oldest()).isPresent();
    long dead = get(inbox.statistics()).deadLetters();
    acknowledge(inbox, pending(inbox, scope.namespace("n1")).getFirst());
    assertThat(get(inbox.statistics()).messages()).isEqualTo(before + 2);
    bury(inbox, pending(inbox, scope.namespace("n2")).getFirst(), "why");
    assertThat(get(inbox.statistics()).messages()).isEqualTo(before + 1);
    assertThat(get(inbox.statistics()).deadLetters()).isEqualTo(dead + 1);
  }

  private boolean bury(Inbox inbox, InboxMessage message, String reason) {
    return get(inbox.bury(bucket(inbox), (InboxMessage.Request) message, 0, reason));
  }

  private int bucket(Inbox inbox) {
    return InboxBucket.of(scope, inbox.buckets());
  }

  private List<DeadLetter> dead(Inbox inbox) {
    return get(inbox.deadLetters(bucket(inbox), Optional.empty(), 10_000)).stream()
        .filter(letter -> letter.request().scope().tenant().equals(scope.tenant()))
        .toList();
  }

  @Test
  void readingGoesOnBehindAMessageAndFindsThoseThatAreNamed() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "client");
    for (int n = 0; n < 5; n++) {
      written(board.send(text("r" + n, ""), "agent|1"), 1);
    }
    List<InboxMessage> all = pending(inbox, scope);
    Optional<String> second = Optional.of(all.get(1).id());
    acknowledge(inbox, all.get(1));
    assertThat(get(inbox.pending(bucket(inbox), second, 2)))
        .extracting(InboxMessage::key)
        .containsExactly("r2", "r3");
    assertThat(get(inbox.pending(bucket(inbox), Optional.of(all.get(4).id()), 2))).isEmpty();
    List<String> ids = List.of(all.get(3).id(), all.get(1).id(), all.get(0).id());
    assertThat(get(inbox.read(bucket(inbox), ids)))
        .extracting(InboxMessage::key)
        .containsExactly("r3", "r0");
  }

  @Test
  void failedDeliveriesAreCountedOnceEachUntilTheMessageIsGone() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    written(blackboards.open(scope, "client").send(text("r", ""), "agent|1"), 1);
    InboxMessage message = pending(inbox, scope).getFirst();
    int bucket = bucket(inbox);
    assertThat(get(inbox.failed(bucket, message.id(), "a")).count()).isEqualTo(1);
    assertThat(get(inbox.failed(bucket, message.id(), "a")).count()).isEqualTo(1);
    Inbox.Failures twice = get(inbox.failed(bucket, message.id(), "b"));
    assertThat(twice.count()).isEqualTo(2);
    assertThat(twice.first()).isBeforeOrEqualTo(twice.last());
    acknowledge(inbox, message);
    assertThat(get(inbox.failed(bucket, message.id(), "c")).count()).isZero();
  }

  @Test
  void buriedRequestIsADeadLetterUntilItIsRevivedOrDropped() {
    Blackboards blackboards = blackboards();
    Inbox inbox = blackboards.inbox();
    int bucket = bucket(inbox);
    Blackboard board = blackboards.open(scope.namespace("n"), "client");
    written(board.send(Write.value("r0", Map.of("n", 1)), "agent|1"), 1);
    written(board.send(text("r1", ""), "agent|1"), 1);
    List<InboxMessage> sent = pending(inbox, scope);
    get(inbox.failed(bucket, sent.getFirst().id(), "a"));
    assertThat(get(inbox.bury(bucket, (InboxMessage.Request) sent.getFirst(), 2, "too soon")))
        .isFalse();
    assertThat(bury(inbox, sent.getFirst(), "no \"answer\"")).isTrue();
    assertThat(bury(inbox, sent.getFirst(), "again")).isFalse();
    assertThat(bury(inbox, sent.getLast(), "other")).isTrue();
    assertThat(pending(inbox, scope)).isEmpty();

    DeadLetter letter = dead(inbox).getFirst();
    assertThat(letter.bucket()).isEqualTo(bucket);
    assertThat(letter.reason()).isEqualTo("no \"answer\"");
    assertThat(letter.deliveries()).isEqualTo(1);
    assertThat(letter.first()).isEqualTo(letter.last()).isBeforeOrEqualTo(letter.at());
    assertThat(letter.request().recipient()).isEqualTo("agent|1");
    assertThat(letter.request().scope()).isEqualTo(scope.namespace("n"));
    assertThat(letter.request().value().get("n").asInt()).isEqualTo(1);
    assertThat(get(inbox.deadLetter(bucket, letter.id()))).contains(letter);
    assertThat(get(inbox.deadLetters(bucket, Optional.of(letter.id()), 1)))
        .extracting(DeadLetter::reason)
        .containsExactly("other");

    Set<Integer> hinted = ConcurrentHashMap.newKeySet();
    inbox.onHint(hinted::add);
    assertThat(get(inbox.revive(bucket, letter.id()))).isTrue();
    assertThat(get(inbox.revive(bucket, letter.id()))).isFalse();
    await().until(() -> hinted.contains(bucket));
    assertThat(pending(inbox, scope))
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Request.class,
            request -> {
              assertThat(request.key()).isEqualTo("r0");
              assertThat(request.position()).isEqualTo(sent.getFirst().position());
              assertThat(request.value().get("n").asInt()).isEqualTo(1);
            });
    String other = dead(inbox).getFirst().id();
    assertThat(get(inbox.drop(bucket, other))).isTrue();
    assertThat(get(inbox.drop(bucket, other))).isFalse();
    assertThat(dead(inbox)).isEmpty();
    assertThat(get(inbox.deadLetter(bucket, other))).isEmpty();
    get(inbox.trim(bucket));
  }

  @Test
  void whatIsOfferedBeyondABoundIsRefusedAndNotStored() {
    BlackboardSettings settings =
        BlackboardSettings.DEFAULTS.withInbox(
            new BlackboardSettings.Inbox(2, 3, 1_000_000, 1, Duration.ofDays(1)));
    Blackboards blackboards = blackboards(settings);
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "client");
    for (int n = 0; n < 2; n++) {
      written(board.offer(text("r" + n, "").ifAbsent(), "agent|1"), 1);
    }
    assertFull(board.offer(text("r2", "").ifAbsent(), "agent|1"), Reason.RECIPIENT_FULL);
    assertThat(get(board.read("r2"))).isEmpty();
    assertThat(get(board.offer(text("r1", "").ifAbsent(), "agent|1")))
        .isEqualTo(new WriteResult.VersionConflict(1));
    written(board.send(text("signal", ""), "agent|1"), 1);
    written(board.offer(text("r3", ""), "agent|2"), 1);
    assertFull(board.offer(text("r4", ""), "agent|3"), Reason.TENANT_FULL);
    assertThat(pending(inbox, scope)).hasSize(4);

    acknowledge(inbox, pending(inbox, scope).getFirst());
    written(board.offer(text("r2", "").ifAbsent(), "agent|1"), 1);
    bury(inbox, pending(inbox, scope).getFirst(), "why");
    get(board.transaction(tx -> tx.offer(text("r5", ""), "agent|1")));
    assertFull(board.transaction(tx -> tx.offer(text("r6", ""), "agent|1")), Reason.RECIPIENT_FULL);
    bury(inbox, pending(inbox, scope).getFirst(), "newer");
    assertThat(dead(inbox)).extracting(DeadLetter::reason).containsExactly("newer");
    get(inbox.acknowledge(bucket(inbox), pending(inbox, scope)));
  }

  @Test
  void aFullBucketRefusesAllTenants() {
    BlackboardSettings settings =
        BlackboardSettings.DEFAULTS.withInbox(
            new BlackboardSettings.Inbox(9, 9, 1, 1, Duration.ofDays(1)));
    Blackboards blackboards = blackboards(settings);
    Blackboard board = blackboards.open(scope, "client");
    written(board.offer(text("r0", ""), "agent|1"), 1);
    assertFull(board.offer(text("r1", ""), "agent|2"), Reason.INBOX_FULL);
    acknowledge(blackboards.inbox(), pending(blackboards.inbox(), scope).getFirst());
    written(board.offer(text("r1", ""), "agent|2"), 1);
    acknowledge(blackboards.inbox(), pending(blackboards.inbox(), scope).getFirst());
  }

  private static void assertFull(CompletionStage<?> offered, Reason reason) {
    assertThatThrownBy(() -> get(offered))
        .satisfies(failure -> {
          Throwable cause = failure instanceof BlackboardException ? failure : failure.getCause();
          assertThat(cause).isInstanceOf(BlackboardException.class);
          assertThat(((BlackboardException) cause).reason()).isEqualTo(reason);
          assertThat(((BlackboardException) cause).full()).isTrue();
        });
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
