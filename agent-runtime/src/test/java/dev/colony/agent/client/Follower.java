package dev.colony.agent.client;

import dev.colony.agent.RunProgress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/** Keeps what a run's events bring, and asks for no more than a test says. */
final class Follower implements Flow.Subscriber<RunProgress> {

  final List<RunProgress> seen = new CopyOnWriteArrayList<>();

  private final long first;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

  /**
   * @param first how many events it asks for at once
   */
  private Follower(long first) {
    this.first = first;
  }

  /** One that will ask for all. */
  static Follower all() {
    return new Follower(Long.MAX_VALUE);
  }

  /** One that asks for all. */
  static Follower of(Flow.Publisher<RunProgress> events) {
    Follower follower = all();
    events.subscribe(follower);
    return follower;
  }

  /** One that has asked for nothing yet. */
  static Follower slow(Flow.Publisher<RunProgress> events) {
    Follower follower = new Follower(0);
    events.subscribe(follower);
    return follower;
  }

  void request(long n) {
    subscription.join().request(n);
  }

  void cancel() {
    subscription.join().cancel();
  }

  /** Waits for the end of the stream; what it fails with is thrown. */
  Follower ended() throws ExecutionException, InterruptedException, TimeoutException {
    done.get(30, TimeUnit.SECONDS);
    return this;
  }

  /** Waits until so many events were seen. */
  List<RunProgress> seenAtLeast(int count) {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> seen.size() >= count);
    return List.copyOf(seen);
  }

  /** Why the stream failed. */
  Throwable failure() throws Exception {
    return done.handle((end, failure) -> failure).get(30, TimeUnit.SECONDS);
  }

  boolean isDone() {
    return done.isDone();
  }

  List<String> names() {
    return seen.stream().map(RunProgress::name).toList();
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    subscription.complete(established);
    if (first > 0) {
      established.request(first);
    }
  }

  @Override
  public void onNext(RunProgress event) {
    if (done.isDone()) {
      throw new AssertionError("an event after the end: " + event);
    }
    seen.add(event);
  }

  @Override
  public void onError(Throwable failure) {
    done.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    done.complete(null);
  }
}
