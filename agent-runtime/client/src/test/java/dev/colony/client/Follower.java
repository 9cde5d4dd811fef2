package dev.colony.client;

import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Position;
import dev.colony.client.RunPlace.StreamToken;
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
public final class Follower implements Flow.Subscriber<RunProgress> {

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
  public static Follower all() {
    return new Follower(Long.MAX_VALUE);
  }

  /** One that asks for all. */
  public static Follower of(Flow.Publisher<RunProgress> events) {
    Follower follower = all();
    events.subscribe(follower);
    return follower;
  }

  /** One that has asked for nothing yet. */
  public static Follower slow(Flow.Publisher<RunProgress> events) {
    Follower follower = new Follower(0);
    events.subscribe(follower);
    return follower;
  }

  public void request(long n) {
    subscription.join().request(n);
  }

  public void cancel() {
    subscription.join().cancel();
  }

  /** Waits for the end of the stream; what it fails with is thrown. */
  public Follower ended() throws ExecutionException, InterruptedException, TimeoutException {
    done.get(30, TimeUnit.SECONDS);
    return this;
  }

  /** Waits until so many events were seen. */
  public List<RunProgress> seenAtLeast(int count) {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> seen.size() >= count);
    return List.copyOf(seen);
  }

  /** What has come. */
  public List<RunProgress> seen() {
    return List.copyOf(seen);
  }

  /** The token of an event of this run. */
  public static String tokenOf(RunPlace place) {
    return new StreamToken(new Position(1, 1), 1).text(place);
  }

  /** Why the stream failed. */
  public Throwable failure() throws Exception {
    return done.handle((end, failure) -> failure).get(30, TimeUnit.SECONDS);
  }

  public boolean isDone() {
    return done.isDone();
  }

  public List<String> names() {
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
