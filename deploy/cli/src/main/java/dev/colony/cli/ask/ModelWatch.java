package dev.colony.cli.ask;

import dev.colony.cli.local.WaitingCalls;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what is waited for while a model server gives no answer. */
public final class ModelWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ModelWatch.class);
  private static final int LOOKS_PER_NOTICE = 4;

  private final Supplier<List<WaitingCalls>> calls;
  private final Duration notice;
  private final Duration deadline;
  private final Consumer<String> person;
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("model-watch").factory());
  private Duration said = Duration.ZERO;

  /**
   * Begins to look; {@link #start} does so by itself from time to time.
   *
   * @param notice how long a server may be silent, and how much longer until it is said again
   * @param deadline after which a call is given up
   */
  ModelWatch(
      Supplier<List<WaitingCalls>> calls,
      Duration notice,
      Duration deadline,
      Consumer<String> person) {
    this.calls = calls;
    this.notice = notice;
    this.deadline = deadline;
    this.person = person;
  }

  /** One that looks until it is closed. */
  public static ModelWatch start(
      Supplier<List<WaitingCalls>> calls,
      Duration notice,
      Duration deadline,
      Consumer<String> person) {
    ModelWatch watch = new ModelWatch(calls, notice, deadline, person);
    long every = Math.max(1, notice.toMillis() / LOOKS_PER_NOTICE);
    watch.looks.scheduleWithFixedDelay(watch::safely, every, every, TimeUnit.MILLISECONDS);
    return watch;
  }

  private void safely() {
    try {
      look();
    } catch (RuntimeException unknown) {
      LOG.debug("what is waited for is not known", unknown);
    }
  }

  /** Says what is waited for, if it is time to. */
  void look() {
    List<WaitingCalls> waiting = calls.get();
    Optional<WaitingCalls> longest =
        waiting.stream().max(Comparator.comparing(WaitingCalls::oldest));
    Duration oldest = longest.map(WaitingCalls::oldest).orElse(Duration.ZERO);
    if (oldest.compareTo(said) < 0) {
      said = Duration.ZERO;
    }
    if (longest.isEmpty() || oldest.compareTo(said.plus(notice)) < 0) {
      return;
    }
    said = oldest;
    String server = longest.get().server();
    int calls =
        waiting.stream()
            .filter(one -> one.server().equals(server))
            .mapToInt(WaitingCalls::calls)
            .sum();
    person.accept(
        "waiting for %s: no answer to %d call%s for %d s, giving up after %d s"
            .formatted(
                server, calls, calls == 1 ? "" : "s", oldest.toSeconds(), deadline.toSeconds()));
  }

  @Override
  public void close() {
    looks.shutdownNow();
  }
}
