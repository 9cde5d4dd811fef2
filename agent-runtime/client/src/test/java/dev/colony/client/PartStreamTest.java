package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.client.ReplyTopics.PartStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a subscriber to the parts of answers has that does not take them as fast as they come. */
class PartStreamTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "ann");

  private final List<ReplyPart> seen = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger completed = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();
  private final PartStream stream = new PartStream(new Taker(), 2_000, left::incrementAndGet);

  private static ReplyPart part(ReplyPart.Kind kind, long index, String text) {
    return FollowingContract.part(AGENT, new RunId("r"), kind, text).from(index);
  }

  private static ReplyPart text(long index, String text) {
    return part(ReplyPart.Kind.TEXT, index, text);
  }

  @Test
  void partsThatFollowEachOtherAreJoinedAndOthersAreNot() {
    stream.add(text(0, "ab"));
    stream.add(text(2, "cd"));
    stream.add(part(ReplyPart.Kind.REASONING, 0, "hm"));
    stream.add(text(4, "ef"));
    stream.add(text(7, "after a gap"));
    stream.request(10);
    await().until(() -> seen.size() == 4);
    assertThat(seen)
        .containsExactly(
            text(0, "abcd"),
            part(ReplyPart.Kind.REASONING, 0, "hm"),
            text(4, "ef"),
            text(7, "after a gap"));
  }

  @Test
  void theOldestAreDroppedBeyondTheBoundAndTheGapShows() {
    String large = "x".repeat(700);
    stream.add(text(0, large));
    stream.add(part(ReplyPart.Kind.REASONING, 0, large));
    stream.add(text(700, large));
    stream.request(10);
    await().until(() -> seen.size() == 2);
    assertThat(seen).extracting(ReplyPart::index).containsExactly(0L, 700L);
    assertThat(seen.getFirst().kind()).isEqualTo(ReplyPart.Kind.REASONING);
  }

  @Test
  void itEndsBehindWhatIsHeld() {
    stream.add(text(0, "a"));
    stream.end(Optional.empty());
    stream.add(text(1, "late"));
    stream.request(10);
    await().until(() -> completed.get() == 1);
    assertThat(seen).containsExactly(text(0, "a"));
    assertThat(left).hasValue(1);
  }

  @Test
  void aSubscriberThatLeavesHearsNothingMore() {
    stream.request(10);
    stream.cancel();
    stream.cancel();
    stream.add(text(0, "a"));
    stream.end(Optional.of(new IllegalStateException("late")));
    assertThat(left).hasValue(1);
    assertThat(seen).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void aDemandOfNothingIsAFailure() {
    stream.request(0);
    await().until(() -> failures.size() == 1);
    assertThat(failures.getFirst()).isInstanceOf(IllegalArgumentException.class);
  }

  private final class Taker implements Flow.Subscriber<ReplyPart> {
    @Override
    public void onSubscribe(Flow.Subscription established) {}

    @Override
    public void onNext(ReplyPart part) {
      seen.add(part);
    }

    @Override
    public void onError(Throwable failure) {
      failures.add(failure);
    }

    @Override
    public void onComplete() {
      completed.incrementAndGet();
    }
  }
}
