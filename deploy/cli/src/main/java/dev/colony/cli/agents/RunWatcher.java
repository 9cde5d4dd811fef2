package dev.colony.cli.agents;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** Prints what a run makes known, one event at a time, to its end. */
public final class RunWatcher implements Flow.Subscriber<RunProgress> {

  private final Function<RunProgress, String> form;
  private final PrintStream out;
  private final Runnable before;
  private final CompletableFuture<Optional<AgentRun>> ended = new CompletableFuture<>();
  private volatile Flow.Subscription subscription;
  private volatile Optional<String> token = Optional.empty();

  /**
   * @param before is run before each event is printed
   */
  public RunWatcher(Function<RunProgress, String> form, PrintStream out, Runnable before) {
    this.before = before;
    this.form = form;
    this.out = out;
  }

  /**
   * Completes with what became of the run, empty if that was printed in an earlier life or {@code
   * out} takes no more; fails as the events do.
   */
  public CompletableFuture<Optional<AgentRun>> ended() {
    return ended;
  }

  /** Of the last event that stands in {@code out}. */
  public Optional<String> token() {
    return token;
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    subscription = newSubscription;
    subscription.request(1);
  }

  @Override
  public void onNext(RunProgress event) {
    before.run();
    out.println(form.apply(event));
    if (out.checkError()) {
      subscription.cancel();
      ended.complete(Optional.empty());
      return;
    }
    token = Optional.of(event.token());
    event.end().ifPresent(run -> ended.complete(Optional.of(run)));
    subscription.request(1);
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    ended.complete(Optional.empty());
  }
}
