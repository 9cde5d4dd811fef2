package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings.Subscriber;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.SubscribeFrom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The feed over a log in which everything that can go wrong does, on one thread. */
class FeedTest {

  private TestLog log = new TestLog();

  private Feed feed(int buffer) {
    return new Feed(log, new Subscriber(buffer, 1_000), Runnable::run, empty -> {});
  }

  private static Recorder subscribe(Feed feed, SubscribeFrom from) {
    return subscribe(feed, EventFilter.all(), from, Recorder.eager());
  }

  private static Recorder subscribe(
      Feed feed, EventFilter filter, SubscribeFrom from, Recorder recorder) {
    feed.subscribe(filter, from, recorder, CompletableFuture.completedStage(null));
    return recorder;
  }

  private static Recorder patient(Feed feed, SubscribeFrom from) {
    return subscribe(feed, EventFilter.all(), from, Recorder.patient());
  }

  private void append(int count) {
    IntStream.range(0, count).forEach(n -> log.append());
  }

  private void push(Feed feed, int count) {
    IntStream.range(0, count).forEach(n -> feed.push(log.append()));
  }

  private static List<String> keys(long from, long to) {
    return IntStream.rangeClosed((int) from, (int) to).mapToObj(n -> "k" + n).toList();
  }

  /**
   * Each step appends an event and then, by its number: pushes it, loses the push, pushes it twice,
   * pushes it after the next one, pushes an old one, has the log away meanwhile, has the log keep
   * back its answers from then on, or until then.
   */
  @Property
  void whateverHappensToPushesEveryEventComesOnceAndInOrder(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(max = 7) Integer> steps,
      @ForAll @IntRange(min = 1, max = 5) int buffer,
      @ForAll @IntRange(min = 1, max = 9) int bufferBytes,
      @ForAll @IntRange(min = 1, max = 4) int page,
      @ForAll @IntRange(min = 0, max = 3) int demand) {
    log = new TestLog().pages(page);
    Feed feed = new Feed(log, new Subscriber(buffer, bufferBytes), Runnable::run, empty -> {});
    Recorder eager = subscribe(feed, SubscribeFrom.now());
    Recorder patient = patient(feed, SubscribeFrom.now());
    Recorder even = subscribe(feed, EventFilter.tag("even"), SubscribeFrom.now(), Recorder.eager());
    for (int step : steps) {
      TestLog.Logged event = log.append((int) log.next % 4);
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
        case 5 -> {
          log.away = true;
          feed.push(event);
          feed.check();
          log.away = false;
        }
        case 6 -> {
          log.slow = true;
          feed.check();
          feed.push(event);
        }
        default -> {
          feed.push(event);
          log.answer();
          log.slow = false;
        }
      }
      if (demand > 0) {
        patient.request(demand);
      }
    }
    log.slow = false;
    log.answer();
    feed.check();
    patient.request(Long.MAX_VALUE);
    assertThat(eager.keys()).isEqualTo(keys(1, log.next - 1));
    assertThat(patient.keys()).isEqualTo(eager.keys());
    assertThat(even.events())
        .isEqualTo(
            log.events.stream()
                .filter(event -> event.tags().contains("even"))
                .map(TestLog.Logged::event)
                .toList());
    assertThat(eager.end()).isNotDone();
    assertThat(patient.end()).isNotDone();
    assertTold(eager);
    assertTold(patient);
  }

  /**
   * Behind and caught up take turns, beginning with behind at the event before, ending caught up.
   */
  private static void assertTold(Recorder recorder) {
    String before = "behind 0-0";
    boolean behind = false;
    for (String each : recorder.story()) {
      if (each.equals("caught up")) {
        assertThat(behind).isTrue();
        behind = false;
      } else if (each.startsWith("behind")) {
        assertThat(behind).isFalse();
        assertThat(each).isEqualTo(before);
        behind = true;
      } else {
        before = "behind 0-" + each.substring(1);
      }
    }
    assertThat(behind).isFalse();
  }

  @Example
  void pushIsHandedOnWithoutReading() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    log.away = true;
    push(feed, 2);
    assertThat(recorder.story()).isEqualTo(keys(1, 2));
  }

  @Example
  void subscriberThatFallsBehindIsToldInOrderWithTheEvents() {
    Feed feed = feed(2);
    Recorder patient = patient(feed, SubscribeFrom.now());
    push(feed, 5);
    assertThat(patient.story()).isEmpty();
    patient.request(2);
    assertThat(patient.story()).containsExactly("k1", "k2", "behind 0-2");
    patient.request(3);
    assertThat(patient.story())
        .containsExactly("k1", "k2", "behind 0-2", "k3", "k4", "k5", "caught up");
    push(feed, 1);
    patient.request(1);
    assertThat(patient.story()).endsWith("k5", "caught up", "k6");
  }

  @Example
  void subscriberIsNotToldOfWhatWasStoredBeforeItBegan() {
    append(10);
    Feed feed = feed(2);
    Recorder patient = patient(feed, SubscribeFrom.beginning());
    IntStream.range(0, 12).forEach(n -> patient.request(1));
    push(feed, 2);
    assertThat(patient.story()).isEqualTo(keys(1, 12));
  }

  @Example
  void subscriberThatIsStillReadingTheOldIsToldOnceTheNewIsTooMuch() {
    append(4);
    Feed feed = feed(2);
    Recorder patient = patient(feed, SubscribeFrom.beginning());
    push(feed, 4);
    IntStream.range(0, 8).forEach(n -> patient.request(1));
    assertThat(patient.story()).containsSubsequence("k4", "k5", "k8", "caught up");
    assertThat(patient.story().indexOf("k4"))
        .isLessThanOrEqualTo(patient.story().indexOf("behind 0-4"));
  }

  @Example
  void readsAskForNoMoreThanHasRoom() {
    append(20);
    Feed feed = feed(4);
    Recorder patient = patient(feed, SubscribeFrom.beginning());
    IntStream.range(0, 20).forEach(n -> patient.request(1));
    assertThat(patient.keys()).isEqualTo(keys(1, 20));
    assertThat(log.reads).isNotEmpty().allMatch(limit -> limit >= 2 && limit <= 4);
  }

  @Example
  void bytesThatWaitAreBoundedAndOneEventMayBeLarger() {
    Feed feed = feed(100);
    Recorder patient = patient(feed, SubscribeFrom.now());
    feed.push(log.append(5_000));
    feed.push(log.append(1));
    patient.request(2);
    assertThat(patient.story()).containsExactly("k1", "behind 0-1", "k2", "caught up");

    IntStream.range(0, 4).forEach(n -> feed.push(log.append(400)));
    patient.request(10);
    assertThat(patient.story()).endsWith("k3", "k4", "behind 0-4", "k5", "k6", "caught up");
  }

  @Example
  void unwantedEventsTakeNoRoomAndAreNotDecoded() {
    Feed feed = feed(1);
    Recorder patient =
        subscribe(feed, EventFilter.keys("k1", "k9"), SubscribeFrom.now(), Recorder.patient());
    push(feed, 8);
    log.away = true;
    patient.request(1);
    push(feed, 1);
    patient.request(1);
    assertThat(patient.story()).containsExactly("k1", "k9");
    assertThat(log.events)
        .extracting(event -> event.decoded)
        .containsExactly(1, 0, 0, 0, 0, 0, 0, 0, 1);
  }

  @Example
  void durableSubscriptionBeginsAfterWhatWasAcknowledged() {
    append(4);
    assertThat(subscribe(feed(4), SubscribeFrom.durable("d")).story()).isEqualTo(keys(3, 4));
  }

  @Example
  void durableSubscriptionIsToldOfWhatWasTrimmed() {
    append(4);
    log.events.subList(0, 3).clear();
    assertLost(subscribe(feed(4), SubscribeFrom.durable("d")));
  }

  @Example
  void positionThatTheLogHasNotReachedIsLost() {
    append(4);
    assertLost(subscribe(feed(4), SubscribeFrom.after(new Position(0, 5))));
  }

  @Example
  void trimmedHistoryEndsTheSubscriptionAfterWhatItHas() {
    Feed feed = feed(2);
    Recorder patient = patient(feed, SubscribeFrom.now());
    push(feed, 6);
    log.events.subList(0, 4).clear();
    patient.request(10);
    assertThat(patient.keys()).isEqualTo(keys(1, 2));
    assertLost(patient);
  }

  /** Otherwise who fell behind once would read for as long as events come at a steady rate. */
  @Example
  void eventsPushedWhileAReadIsUnderWayFollowWhatItFinds() {
    Feed feed = feed(4);
    log.slow = true;
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    // Its head; the first read is under way from then on.
    log.answerOne();
    push(feed, 3);
    assertThat(recorder.keys()).isEmpty();
    log.answer();
    assertThat(recorder.story()).isEqualTo(keys(1, 3));
    assertThat(log.reads).hasSize(1);
  }

  @Example
  void eventsPushedBeyondTheLimitsWhileAReadIsUnderWayAreReadNext() {
    Feed feed = feed(4);
    log.slow = true;
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    log.answerOne();
    push(feed, 7);
    log.answer();
    assertThat(recorder.keys()).isEqualTo(keys(1, 7));
  }

  @Example
  void logThatHasNotGotWhatItPushedEndsTheSubscription() {
    Feed feed = feed(2);
    Recorder patient = patient(feed, SubscribeFrom.now());
    push(feed, 6);
    log.events.subList(4, 6).clear();
    patient.request(10);
    assertThat(patient.keys()).isEqualTo(keys(1, 4));
    assertLost(patient);
  }

  @Example
  void logThatLostItsTailEndsTheSubscription() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    push(feed, 3);
    log.events.removeLast();
    feed.check();
    assertLost(recorder);
  }

  @Example
  void logThatLostItsTailAndWentOnEndsTheSubscription() {
    Feed feed = feed(4);
    Recorder recorder = subscribe(feed, SubscribeFrom.now());
    push(feed, 3);
    log.events.removeLast();
    // The next event follows what the log still has, and not what the subscriber saw.
    TestLog.Logged other = new TestLog.Logged(10, 2, 1);
    log.events.add(other);
    feed.push(other);
    assertThat(recorder.keys()).isEqualTo(keys(1, 3));
    assertLost(recorder);
  }

  private static void assertLost(Recorder recorder) {
    assertFailed(recorder, Reason.EVENTS_LOST);
  }

  private static void assertFailed(Recorder recorder, Reason reason) {
    assertThat(recorder.end()).isCompletedExceptionally();
    assertThat(recorder.end().exceptionNow())
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }

  @Example
  void beginningTakesWhatIsLeft() {
    append(6);
    log.events.subList(0, 4).clear();
    assertThat(subscribe(feed(4), SubscribeFrom.beginning()).keys()).isEqualTo(keys(5, 6));
  }

  @Example
  void failedSubscriptionIsTold() {
    Recorder recorder = Recorder.eager();
    Feed feed = feed(4);
    feed.subscribe(
        EventFilter.all(),
        SubscribeFrom.now(),
        recorder,
        CompletableFuture.failedStage(new BlackboardException(Reason.FORBIDDEN, "no")));
    assertFailed(recorder, Reason.FORBIDDEN);
    assertThat(feed.isEmpty()).isTrue();
  }

  @Example
  void closedFeedCompletesItsSubscribersAndTakesNoMore() {
    Feed feed = feed(4);
    Recorder patient = patient(feed, SubscribeFrom.now());
    push(feed, 1);
    feed.close();
    assertThat(patient.end()).isCompleted();
    assertThat(patient.events()).isEmpty();
    assertFailed(subscribe(feed, SubscribeFrom.now()), Reason.CLOSED);
    assertThat(feed.isEmpty()).isTrue();
  }

  @Example
  void subscriberThatThrowsIsCancelled() {
    Feed feed = feed(4);
    Recorder other = subscribe(feed, SubscribeFrom.now());
    feed.subscribe(
        EventFilter.all(),
        SubscribeFrom.now(),
        new Throwing(),
        CompletableFuture.completedStage(null));
    push(feed, 2);
    assertThat(other.keys()).isEqualTo(keys(1, 2));
    feed.close();
    assertThat(feed.isEmpty()).isTrue();
  }

  private record Throwing() implements Flow.Subscriber<BlackboardEvent> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
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
