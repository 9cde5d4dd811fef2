package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.InboxMessage.Wake;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Wakes: a write that matches an agent's pattern wakes it, once. */
abstract class WakeContract extends Contract {

  private static final String AGENT = "agent|1";

  private Blackboards blackboards;
  private Blackboard board;

  WakeContract(BlackboardContract backend) {
    super(backend);
  }

  @BeforeEach
  void open() {
    blackboards = blackboards();
    board = blackboards.open(scope, "writer");
  }

  private void wakeOn(String... globs) {
    get(board.wakeOn(AGENT, Stream.of(globs).map(KeyGlob::new).toList()));
  }

  private List<Wake> wakes() {
    return InboxContract.pending(blackboards.inbox(), scope).stream()
        .map(Wake.class::cast)
        .toList();
  }

  private Wake wake() {
    return assertThat(wakes()).singleElement().actual();
  }

  private void acknowledge(InboxMessage message) {
    InboxContract.acknowledge(blackboards.inbox(), message);
  }

  @Test
  void matchingWriteWakes() {
    wakeOn("finding:*", "note");
    writeKeys(board, "findings", "other", "notes");
    assertThat(wakes()).isEmpty();
    Position position = written(board.write(text("finding:1", "")), 1);
    Wake wake = wake();
    assertThat(wake.recipient()).isEqualTo(AGENT);
    assertThat(wake.scope()).isEqualTo(scope);
    assertThat(wake.key()).isEqualTo("finding:1");
    assertThat(wake.position()).isEqualTo(position);
  }

  @Test
  void everyGlobIsMatchedLikeAnyOther() {
    wakeOn("a?c", "x*y*z", "%.+-[]^$():?", "日*");
    for (String key : List.of("abc", "xyz", "x1y2y3z", "%.+-[]^$():1", "日本", "a日c", "a🎈c")) {
      get(board.write(text(key, "")));
      assertThat(wake().key()).isEqualTo(key);
      acknowledge(wake());
    }
    writeKeys(board, "abbc", "ac", "xy", "xyzz:a", "%.+-[]^$()", "x日");
    assertThat(wakes()).isEmpty();
  }

  @Test
  void thereIsOneWakeHoweverManyWritesMatch() {
    wakeOn("*");
    Position first = written(board.write(text("a", "")), 1);
    writeAll(board, 0, 20);
    assertThat(wake().key()).isEqualTo("a");
    assertThat(wake().position()).isEqualTo(first);
  }

  @Test
  void acknowledgedBeforeTheNewestMatchItWakesAgain() {
    wakeOn("k*");
    written(board.write(text("k1", "")), 1);
    Wake first = wake();
    Position second = written(board.write(text("k2", "")), 1);
    writeKeys(board, "other");
    acknowledge(first);
    Wake again = wake();
    assertThat(again.id()).isNotEqualTo(first.id());
    assertThat(again.key()).isEqualTo("k2");
    assertThat(again.position()).isEqualTo(second);
    assertThat(again.recipient()).isEqualTo(AGENT);

    acknowledge(first);
    assertThat(wake()).isEqualTo(again);
    acknowledge(again);
    assertThat(wakes()).isEmpty();
  }

  @Test
  void acknowledgedWithWhatTheAgentHasSeenItDoesNotWakeForIt() {
    wakeOn("k*");
    writeKeys(board, "k1", "k2");
    Position seen = get(board.statistics()).head();
    acknowledge(wake().seenUpTo(seen));
    assertThat(wakes()).isEmpty();
    Position third = written(board.write(text("k3", "")), 1);
    assertThat(wake().position()).isEqualTo(third);

    writeKeys(board, "k4");
    acknowledge(wake().seenUpTo(third));
    assertThat(wake().key()).isEqualTo("k4");
  }

  @Test
  void writesOfItsOwnDoNotWakeIt() {
    wakeOn("*");
    get(board.wakeOn("other", List.of(new KeyGlob("*"))));
    writeKeys(blackboards.open(scope, AGENT), "mine");
    assertThat(wake().recipient()).isEqualTo("other");
  }

  @Test
  void whatIsSaidLaterReplacesWhatWasSaidBefore() {
    wakeOn("a*");
    wakeOn("b*");
    writeKeys(board, "a1");
    assertThat(wakes()).isEmpty();
    writeKeys(board, "b1");
    acknowledge(wake());
    wakeOn();
    writeKeys(board, "a2", "b2");
    assertThat(wakes()).isEmpty();
  }

  @Test
  void whoIsNoLongerToBeWokenIsNotWokenAgain() {
    wakeOn("*");
    writeKeys(board, "a", "b");
    wakeOn();
    acknowledge(wake());
    assertThat(wakes()).isEmpty();
  }

  @Test
  void onlyWritesWake() {
    writeKeys(board, "a", "b");
    written(board.write(text("c", "").ttl(Duration.ofMillis(1))), 1);
    wakeOn("*");
    get(board.delete("a"));
    await().until(() -> get(board.read("c")).isEmpty());
    get(board.clear());
    assertThat(wakes()).isEmpty();
    assertThat(get(board.write(text("a", "").expectVersion(3))))
        .isEqualTo(new WriteResult.VersionConflict(0));
    assertThat(wakes()).isEmpty();
    // What was cleared are the entries: the patterns stay.
    writeKeys(board, "d");
    assertThat(wake().key()).isEqualTo("d");
  }

  @Test
  void agentIsWokenForEachOfItsScopes() {
    Blackboard other = blackboards.open(scope.namespace("n"), "writer");
    wakeOn("k");
    writeKeys(other, "k");
    assertThat(wakes()).isEmpty();
    get(other.wakeOn(AGENT, List.of(new KeyGlob("*"))));
    writeKeys(board, "k");
    writeKeys(other, "l");
    assertThat(wakes()).extracting(Wake::scope).containsExactly(scope, scope.namespace("n"));
    acknowledge(wakes().getFirst());
    assertThat(wake().scope()).isEqualTo(scope.namespace("n"));
  }

  @Test
  void severalAgentsAreWokenByOneCommit() {
    wakeOn("a", "b");
    get(board.wakeOn("agent|2", List.of(new KeyGlob("b"), new KeyGlob("c"))));
    committed(board.writeAll(List.of(text("a", ""), text("b", ""), text("d", ""))));
    assertThat(wakes())
        .extracting(Wake::recipient, Wake::key)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(AGENT, "a"),
            org.assertj.core.groups.Tuple.tuple("agent|2", "b"));
  }

  @Test
  void wakeIsHintedAtAndKeepsItsPlaceAmongRequests() throws Exception {
    int bucket = InboxBucket.of(scope, blackboards.inbox().buckets());
    Set<Integer> hinted = ConcurrentHashMap.newKeySet();
    try (AutoCloseable listening = blackboards.inbox().onHint(hinted::add)) {
      wakeOn("k");
      writeKeys(board, "k");
      await().until(() -> hinted.contains(bucket));
      assertThat(listening).isNotNull();
    }
    written(board.send(text("request:run:1", ""), AGENT), 1);
    assertThat(InboxContract.pending(blackboards.inbox(), scope))
        .extracting(InboxMessage::key)
        .containsExactly("k", "request:run:1");
  }

  @Test
  void tooManyOrTooDearPatternsAreRefusedAtOnce() {
    KeyGlob dear = new KeyGlob("*a*b*c*");
    get(board.wakeOn(AGENT, Collections.nCopies(16, dear)));
    assertThatThrownBy(() -> board.wakeOn(AGENT, Collections.nCopies(17, dear)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> board.wakeOn(AGENT, List.of(new KeyGlob("*a*b*c*d*"))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
