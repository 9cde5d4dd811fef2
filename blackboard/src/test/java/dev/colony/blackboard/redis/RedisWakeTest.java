package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What lies in Redis of wakes, and that each wakes once. */
class RedisWakeTest extends RedisTest {

  private final RedisBlackboards blackboards = blackboards(UNSWEPT);
  private final Blackboard board = blackboards.open(scope, "w");
  private final Inbox inbox = blackboards.inbox();

  @Test
  void manyWritesAreOneWake() {
    wakeOn("agent", "task:*");
    IntStream.range(0, 20).forEach(n -> written(board.write(text("task:" + n, "")), 1));
    assertThat(wakes()).hasSize(1);
  }

  @Test
  void acknowledgingWhatWasSeenEndsIt() {
    wakeOn("agent", "*");
    written(board.write(text("a", "")), 1);
    Position last = written(board.write(text("b", "")), 1);
    get(inbox.acknowledge(keys.bucket(), List.of(wakes().getFirst().seenUpTo(last))));
    assertThat(wakes()).isEmpty();
    assertThat(get(redis().exists(keys.base() + "/waking"))).isZero();
  }

  @Test
  void acknowledgingLessPutsInANewOneForTheNewestMatch() {
    wakeOn("agent", "*");
    written(board.write(text("a", "")), 1);
    InboxMessage.Wake first = wakes().getFirst();
    Position last = written(board.write(text("b", "")), 1);
    get(inbox.acknowledge(keys.bucket(), List.of(first)));
    InboxMessage.Wake second = wakes().getFirst();
    assertThat(second.id()).isNotEqualTo(first.id());
    assertThat(second.key()).isEqualTo("b");
    assertThat(second.position()).isEqualTo(last);
    // The copy of an acknowledgement, by a reconnecting client.
    get(inbox.acknowledge(keys.bucket(), List.of(first)));
    assertThat(wakes()).containsExactly(second);
  }

  @Test
  void recipientThatWantsNoMoreIsNotWokenAgain() {
    wakeOn("agent", "*");
    written(board.write(text("a", "")), 1);
    InboxMessage.Wake first = wakes().getFirst();
    written(board.write(text("b", "")), 1);
    wakeOn("agent");
    get(inbox.acknowledge(keys.bucket(), List.of(first)));
    assertThat(wakes()).isEmpty();
  }

  @Test
  void nothingIsLeftOfPatternsThatEnded() {
    wakeOn("one", "a:*", "b", "*");
    wakeOn("other", "a:*");
    assertThat(get(redis().hget(keys.base(), "w"))).isNotNull();
    wakeOn("one", "c*");
    wakeOn("one");
    written(board.write(text("b", "")), 1);
    assertThat(wakes()).isEmpty();
    written(board.write(text("a:1", "")), 1);
    assertThat(wakes()).extracting(InboxMessage::recipient).containsExactly("other");
    get(inbox.acknowledge(keys.bucket(), wakes()));
    wakeOn("other");
    assertThat(get(redis().hget(keys.base(), "w"))).isNull();
    assertThat(get(redis().keys(keys.base() + "/wak*"))).isEmpty();
  }

  @Test
  void patternsAreFoundUnderWhatTheyBeginWith() {
    List<String> globs = List.of("*", "?", "k", "k*", "ke?", "key", "key:*", "key:1:*", "*:1:*");
    globs.forEach(glob -> wakeOn("wants " + glob, glob));
    written(board.write(text("key:1:a", "")), 1);
    assertThat(wakes())
        .extracting(InboxMessage::recipient)
        .containsExactlyInAnyOrder(
            globs.stream()
                .filter(glob -> new KeyGlob(glob).matches("key:1:a"))
                .map(glob -> "wants " + glob)
                .toArray(String[]::new));
  }

  private void wakeOn(String recipient, String... globs) {
    get(board.wakeOn(recipient, Arrays.stream(globs).map(KeyGlob::new).toList()));
  }

  private List<InboxMessage.Wake> wakes() {
    return get(inbox.pending(keys.bucket(), 100_000)).stream()
        .filter(message -> message.scope().equals(scope))
        .map(InboxMessage.Wake.class::cast)
        .toList();
  }
}
