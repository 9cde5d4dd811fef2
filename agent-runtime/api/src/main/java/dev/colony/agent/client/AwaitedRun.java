package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A run that the calling thread waits for. What fails has the caller's trace, and its cause. */
record AwaitedRun(RunHandle run) {

  /** The end of a run that completes; fails with the run's error where it does not. */
  AgentRun completed() {
    AgentRun end = end();
    end.error()
        .ifPresent(why -> {
          throw AgentException.refused(why);
        });
    return end;
  }

  /** The end of the run, whatever it is. */
  AgentRun end() {
    try {
      return run.result().get();
    } catch (InterruptedException interrupted) {
      throw interrupted(interrupted);
    } catch (ExecutionException failed) {
      throw failure(failed.getCause());
    }
  }

  /** Its events, one asked for at a time. */
  Stream<RunProgress> events() {
    Events events = new Events();
    run.events().subscribe(events);
    return StreamSupport.stream(events.each, false)
        .onClose(() -> events.subscription.thenAccept(Flow.Subscription::cancel));
  }

  private final class Events implements Flow.Subscriber<RunProgress> {

    private sealed interface Heard {

      record Event(RunProgress event) implements Heard {}

      record End(Optional<Throwable> failure) implements Heard {}
    }

    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

    /** Holds one event at most, and the end. */
    private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();

    private final Spliterator<RunProgress> each =
        new AbstractSpliterator<>(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL) {
          @Override
          public boolean tryAdvance(Consumer<? super RunProgress> action) {
            return switch (take()) {
              case Heard.Event(RunProgress event) -> {
                action.accept(event);
                yield true;
              }
              case Heard.End(Optional<Throwable> failure) -> {
                if (failure.isPresent()) {
                  throw failure(failure.get());
                }
                yield false;
              }
            };
          }
        };

    private Heard take() {
      try {
        subscription.thenAccept(one -> one.request(1));
        return heard.take();
      } catch (InterruptedException interrupted) {
        throw interrupted(interrupted);
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription.complete(established);
    }

    @Override
    public void onNext(RunProgress event) {
      heard.add(new Heard.Event(event));
    }

    @Override
    public void onError(Throwable failure) {
      heard.add(new Heard.End(Optional.of(failure)));
    }

    @Override
    public void onComplete() {
      heard.add(new Heard.End(Optional.empty()));
    }
  }

  private AgentException interrupted(InterruptedException why) {
    Thread.currentThread().interrupt();
    return new AgentException(
        "interrupted while run " + run.runId() + " goes on: attach to it", why, true);
  }

  private static RuntimeException failure(Throwable failure) {
    return switch (failure) {
      case AgentException told -> new AgentException(told.getMessage(), told, told.retryable());
      case RuntimeException other -> other;
      default -> new IllegalStateException(failure);
    };
  }
}
