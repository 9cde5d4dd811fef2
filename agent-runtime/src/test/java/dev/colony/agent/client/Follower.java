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
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/** Keeps what a run's events bring, and asks for no more than a test says. */
final class Follower implements Flow.Subscriber<RunProgress> {

  final List<RunProgress> seen = new CopyOnWriteArrayList<>();

  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
  private final Consumer<RunProgress> each;

  private Follower(Consumer<RunProgress> each) {
    this.each = each;
  }

  /** One that asks for all. */
  static Follower of(Flow.Publisher<RunProgress> events) {
    Follower follower = slow(events);
    follower.request(Long.MAX_VALUE);
    return follower;
  }

  /** One that has asked for nothing yet. */
  static Follower slow(Flow.Publisher<RunProgress> events) {
    return slow(events, event -> {});
  }

  /**
   * @param each is called with each event
   */
  static Follower slow(Flow.Publisher<RunProgress> events, Consumer<RunProgress> each) {
    Follower follower = new Follower(each);
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
  }

  @Override
  public void onNext(RunProgress event) {
    if (done.isDone()) {
      throw new AssertionError("an event after the end: " + event);
    }
    seen.add(event);
    each.accept(event);
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
