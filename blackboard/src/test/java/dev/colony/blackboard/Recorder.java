package dev.colony.blackboard;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A subscriber that keeps what it was called with. */
public final class Recorder implements BlackboardSubscriber {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(3);

  private final long firstDemand;
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final List<BlackboardEvent> events = new CopyOnWriteArrayList<>();
  private final List<String> story = new CopyOnWriteArrayList<>();

  private Recorder(long firstDemand) {
    this.firstDemand = firstDemand;
  }

  /** Demands everything. */
  public static Recorder eager() {
    return new Recorder(Long.MAX_VALUE);
  }

  /** Demands nothing until {@link #request}. */
  public static Recorder patient() {
    return new Recorder(0);
  }

  /** Subscribes and waits until that is established. */
  public Recorder to(Flow.Publisher<BlackboardEvent> publisher) {
    publisher.subscribe(this);
    subscription.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    return this;
  }

  public void request(long n) {
    subscription.join().request(n);
  }

  public void cancel() {
    subscription.join().cancel();
  }

  public List<BlackboardEvent> events() {
    return List.copyOf(events);
  }

  public List<String> keys() {
    return events.stream().map(event -> event.entryKey().orElse("")).toList();
  }

  /** The keys of events, and between them "behind {position}" and "caught up". */
  public List<String> story() {
    return List.copyOf(story);
  }

  public Recorder awaitCount(int count) {
    await().pollInterval(POLL).atMost(PATIENCE).until(() -> events.size() >= count || end.isDone());
    return this;
  }

  public Recorder awaitEvent(Predicate<BlackboardEvent> wanted) {
    await()
        .pollInterval(POLL)
        .atMost(PATIENCE)
        .until(() -> events.stream().anyMatch(wanted) || end.isDone());
    return this;
  }

  /** Waits until it has failed. */
  public Throwable failure() {
    await().pollInterval(POLL).atMost(PATIENCE).until(end::isDone);
    return end.exceptionNow();
  }

  /** Completes with the subscription, fails as it does. */
  public CompletableFuture<Void> end() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    subscription.complete(established);
    if (firstDemand > 0) {
      established.request(firstDemand);
    }
  }

  @Override
  public void onNext(BlackboardEvent event) {
    // The story first: who waits for the event finds it complete.
    story.add(event.entryKey().orElse(""));
    events.add(event);
  }

  @Override
  public void onBehind(Position last) {
    story.add("behind " + last);
  }

  @Override
  public void onCaughtUp() {
    story.add("caught up");
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }
}
