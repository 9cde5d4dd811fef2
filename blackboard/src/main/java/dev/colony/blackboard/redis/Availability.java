package dev.colony.blackboard.redis;

import dev.colony.blackboard.clock.Stopwatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Whether Redis answers, found out by asking it every now and then. A lost connection alone is no
 * news: it is mostly back within milliseconds, while a server that hangs keeps its connections.
 */
final class Availability {

  private final Supplier<CompletionStage<?>> ping;
  private final Duration silentAfter;
  private final List<Consumer<Boolean>> listeners = new CopyOnWriteArrayList<>();
  private boolean asked;
  private Stopwatch silence;
  private boolean available = true;

  Availability(Supplier<CompletionStage<?>> ping, Duration silentAfter) {
    this.ping = ping;
    this.silentAfter = silentAfter;
    this.silence = Stopwatch.start();
  }

  AutoCloseable onChange(Consumer<Boolean> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Called at a steady pace, several times within the time after which silence counts. */
  void tick() {
    boolean ask;
    synchronized (this) {
      ask = !asked;
      asked = true;
      if (silence.isOver(silentAfter)) {
        change(false);
      }
    }
    if (ask) {
      ping.get().whenComplete((pong, failure) -> answered(failure == null));
    }
  }

  private synchronized void answered(boolean well) {
    asked = false;
    if (well) {
      silence = Stopwatch.start();
      change(true);
    }
  }

  /** Under the lock, so that listeners hear the changes in their order. */
  private void change(boolean now) {
    if (available != now) {
      available = now;
      listeners.forEach(listener -> listener.accept(now));
    }
  }
}
