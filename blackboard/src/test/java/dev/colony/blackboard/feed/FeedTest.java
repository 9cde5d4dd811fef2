package dev.colony.blackboard.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The feed over a log in which everything that can go wrong does, on one thread. */
class FeedTest {

  private static final KeyGlob ALL = new KeyGlob("*");

  /** Events 1, 2, 3 ...; what was trimmed or lost is taken off its ends. */
  private static final class Log implements EventLog {

    final List<Logged> events = new ArrayList<>();
    long next = 1;
    boolean away;

    Logged append() {
      Logged event = new Logged(next, next - 1);
      next++;
      events.add(event);
      return event;
    }

    @Override
    public CompletionStage<Position> head() {
      return away
          ? CompletableFuture.failedStage(new BlackboardException("away", null, true))
          : CompletableFuture.completedStage(
              events.isEmpty() ? Position.BEGINNING : events.getLast().position());
    }

    @Override
    public CompletionStage<List<LoggedEvent>> read(Position after, int limit) {
      return away
          ? CompletableFuture.failedStage(new BlackboardException("away", null, true))
          : CompletableFuture.completedStage(
              events.stream()
                  .filter(event -> event.position().compareTo(after) > 0)
                  .limit(limit)
                  .<LoggedEvent>map(event -> event)
                  .toList());
    }
  }

  private record Logged(long number, long before) implements LoggedEvent {

    @Override
    public Position position() {
      return new Position(number, 0);
    }

    @Override
    public Position previous() {
      return new Position(before, 0);
    }

    @Override
    public String key() {
      return "k" + number;
    }

    @Override
    public BlackboardEvent event() {
      return new BlackboardEvent.Written(
          Scope.tenant("t"),
          key(),
          position(),
          Instant.EPOCH,
          "w",
          NullNode.getInstance(),
          1,
          Set.of());
    }
  }

  private Log log = new Log();

  private Feed feed(int buffer) {
    return new Feed(log, buffer, Runnable::run, empty -> {});
  }

  private static Recorder subscribe(Feed feed, SubscribeFrom from) {
    Recorder recorder = Recorder.eager();
    feed.subscribe(ALL, from, recorder, CompletableFuture.completedStage(null));
    return recorder;
  }

  private static List<String> keys(long from, long to) {
    return IntStream.rangeClosed((int) from, (int) to).mapToObj(n -> "k" + n).toList();
  }

  /**
   * Each step appends an event and then, by its number: pushes it, loses the push, pushes it twice,
   * pushes it after the next one, pushes an old one, or has the log away meanwhile.
   */
  @Property
  void whateverHappensToPushesEveryEventComesOnceAndInOrder(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(max = 5) Integer> steps,
      @ForAll @IntRange(min = 1, max = 5) int buffer,
      @ForAll @IntRange(min = 0, max = 3) int demand) {
    log = new Log();
    Feed feed = feed(buffer);
    Recorder eager = subscribe(feed, SubscribeFrom.now());
    Recorder patient = Recorder.patient();
    feed.subscribe(ALL, SubscribeFrom.now(), patient, CompletableFuture.completedStage(null));
    for (int step : steps) {
      Logged event = log.append();
      switch (step) {
        case 0 -> feed.push(event);
        case 1 -> {}
        case 2 -> {
          feed.push(event);
          feed.push(event);
        }
        case 3 -> {
          feed.push(log.append());
          feed.push(event);
        }
        case 4 -> feed.push(log.events.get(log.events.size() / 2));
        default -> {
          log.away = true;
          feed.push(event);
          feed.check();
          log.away = false;
        }
      }
      if (demand > 0) {
        patient.request(demand);
      }
    }
    feed.check();
    patient.request(Long.MAX_VALUE);
    assertThat(eager.keys()).isEqualTo(keys(1, log.next - 1));
    assertThat(patient.keys()).isEqualTo(eager.keys());
    assertThat(eager.end()).isNotDone();
    assertThat(patient.end()).isNotDone();
  }

  @Example
  void pushIsHandedOnWithoutReading() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    log.away = true;
    feed.push(log.append());
    feed.push(log.append());
    assertThat(recorder.keys()).isEqualTo(keys(1, 2));
  }

  @Example
  void trimmedHistoryEndsTheSubscriptionAfterWhatItHas() {
    Feed feed = feed(2);
    Recorder patient = Recorder.patient();
    feed.subscribe(ALL, SubscribeFrom.now(), patient, CompletableFuture.completedStage(null));
    IntStream.range(0, 6).forEach(n -> feed.push(log.append()));
    log.events.subList(0, 4).clear();
    patient.request(10);
    assertThat(patient.keys()).isEqualTo(keys(1, 2));
    assertThat(patient.end()).isCompletedExceptionally();
  }

  @Example
  void logThatLostItsTailEndsTheSubscription() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    IntStream.range(0, 3).forEach(n -> feed.push(log.append()));
    log.events.removeLast();
    feed.check();
    assertThat(recorder.end()).isCompletedExceptionally();
  }

  @Example
  void logThatLostItsTailAndWentOnEndsTheSubscription() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    IntStream.range(0, 3).forEach(n -> feed.push(log.append()));
    log.events.removeLast();
    // The next event follows what the log still has, and not what the subscriber saw.
    Logged other = new Logged(10, 2);
    log.events.add(other);
    feed.push(other);
    assertThat(recorder.keys()).isEqualTo(keys(1, 3));
    assertThat(recorder.end()).isCompletedExceptionally();
  }

  @Example
  void beginningTakesWhatIsLeft() {
    IntStream.range(0, 6).forEach(n -> log.append());
    log.events.subList(0, 4).clear();
    assertThat(subscribe(feed(4), SubscribeFrom.beginning()).keys()).isEqualTo(keys(5, 6));
  }

  @Example
  void failedSubscriptionIsTold() {
    Recorder recorder = Recorder.eager();
    Feed feed = feed(4);
    feed.subscribe(
        ALL,
        SubscribeFrom.now(),
        recorder,
        CompletableFuture.failedStage(new BlackboardException("no", null, true)));
    assertThat(recorder.end()).isCompletedExceptionally();
    assertThat(feed.isEmpty()).isTrue();
  }

  @Example
  void subscriberThatThrowsIsCancelled() {
    Feed feed = feed(4);
    Recorder other = subscribe(feed, SubscribeFrom.now());
    feed.subscribe(
        ALL, SubscribeFrom.now(), new Throwing(), CompletableFuture.completedStage(null));
    feed.push(log.append());
    feed.push(log.append());
    assertThat(other.keys()).isEqualTo(keys(1, 2));
    feed.close();
    assertThat(feed.isEmpty()).isTrue();
  }

  private record Throwing() implements java.util.concurrent.Flow.Subscriber<BlackboardEvent> {

    @Override
    public void onSubscribe(java.util.concurrent.Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      throw new IllegalStateException("on purpose");
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError("must not be called", failure);
    }

    @Override
    public void onComplete() {
      throw new AssertionError("must not be called");
    }
  }
}
