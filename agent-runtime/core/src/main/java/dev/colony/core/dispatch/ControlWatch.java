package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import dev.colony.core.dispatch.Attempts.Failure;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol.ActionControl;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what a caller tells one action that is running. It begins late, because most actions end
 * before a caller could want to control them, and a subscription for each of them would cost more
 * than the action. Without the blackboard nothing is heard and the action goes on.
 */
final class ControlWatch implements Flow.Subscriber<BlackboardEvent> {

  private static final Logger LOG = LoggerFactory.getLogger(ControlWatch.class);

  private final Blackboard board;
  private final String key;
  private final Consumer<ActionControl> listener;
  private final CompletableFuture<Void> established = new CompletableFuture<>();
  private CompletableFuture<Void> begun;
  private Flow.Subscription subscription;
  private Position heard = Position.BEGINNING;
  private boolean ended;

  ControlWatch(Blackboard board, String key, Consumer<ActionControl> listener) {
    this.board = board;
    this.key = key;
    this.listener = listener;
  }

  /** Begins to listen, if it has not; completes when what was said before has been heard. */
  synchronized CompletionStage<Void> begin() {
    if (begun == null) {
      board.subscribe(key, SubscribeFrom.now()).subscribe(this);
      // Read before it is established, a message of another process could fall in between.
      begun =
          established
              .thenCompose(listening -> board.read(key))
              .thenAccept(found -> found.ifPresent(entry -> hear(entry.position(), entry.value())))
              .exceptionally(ControlWatch::unheard);
    }
    return begun;
  }

  synchronized void end() {
    ended = true;
    if (subscription != null) {
      subscription.cancel();
    }
    if (!heard.equals(Position.BEGINNING)) {
      board.delete(key).exceptionally(failure -> unheard(failure) == null);
    }
  }

  private synchronized void hear(Position position, JsonNode value) {
    if (!ended && position.compareTo(heard) > 0) {
      heard = position;
      ActionControl.of(value).ifPresent(listener);
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription begins) {
    synchronized (this) {
      subscription = begins;
      if (ended) {
        begins.cancel();
      } else {
        begins.request(Long.MAX_VALUE);
      }
    }
    established.complete(null);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Written written) {
      hear(written.position(), written.value());
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!established.completeExceptionally(failure)) {
      unheard(failure);
    }
  }

  @Override
  public void onComplete() {
    LOG.debug("the blackboard has been closed");
    established.complete(null);
  }

  private static Void unheard(Throwable failure) {
    LOG.debug("an action's controls cannot be read: {}", Failure.line(failure));
    return null;
  }

  /** Where an action waits while it is paused, and how long it has waited there. Thread-safe. */
  static final class PauseGate {

    private final MonotonicClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed;
    private boolean opened;
    private int waiting;
    private long since;
    private long waitedNanos;

    PauseGate(MonotonicClock clock) {
      this.clock = clock;
    }

    /** A thread that comes waits. */
    void close() {
      set(true, opened);
    }

    void open() {
      set(false, opened);
    }

    /** Threads that wait go on, and no thread waits any more. */
    void openForGood() {
      set(false, true);
    }

    private void set(boolean nowClosed, boolean forGood) {
      lock.lock();
      try {
        closed = nowClosed && !forGood;
        opened = forGood;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    void pass() throws InterruptedException {
      lock.lockInterruptibly();
      try {
        if (waiting++ == 0) {
          since = clock.nanos();
        }
        try {
          while (closed) {
            changed.await();
          }
        } finally {
          if (--waiting == 0) {
            waitedNanos += clock.nanos() - since;
          }
        }
      } finally {
        lock.unlock();
      }
    }

    /** How long it has been waited for so far, in nanoseconds; one who waits now included. */
    long waitedNanos() {
      lock.lock();
      try {
        return waitedNanos + (waiting > 0 ? clock.nanos() - since : 0);
      } finally {
        lock.unlock();
      }
    }

    /** What is left of a time that began at a moment, not counting what was waited here. */
    long leftNanos(long begunNanos, long allowedNanos) {
      return allowedNanos - (clock.nanos() - begunNanos - waitedNanos());
    }
  }

  /**
   * How a running action is paused, resumed and cancelled from outside: the entry {@code
   * control:action:{run}:{action}} in the agent's own scope, with the control's word as its value.
   * The last write counts. It reaches an action that has run for two seconds or has come to a pause
   * point; an action that has ended passes it over.
   */
  public static final class ActionControlProtocol implements Protocol {

    private static final String RUN = "run";
    private static final String ACTION = "action";

    /** An entry whose action never reads it goes by itself. */
    private static final Duration KEPT = Duration.ofDays(1);

    private static final KeyTemplate TEMPLATE = KeyTemplate.of("control:action:{run}:{action}");

    public String controlKey(RunId run, String actionId) {
      return TEMPLATE.format(Map.of(RUN, run.value(), ACTION, actionId));
    }

    /** What is to be written in the agent's scope. */
    public Write give(RunId run, String actionId, ActionControl control) {
      return Write.value(controlKey(run, actionId), control.word()).ttl(KEPT);
    }

    /** The controls of all actions: they are the agent's own, whatever its name is. */
    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of(TEMPLATE.pattern());
    }

    /** What a caller may tell an action that is running. */
    public enum ActionControl {
      /** Stop at your next pause point and wait there; the time until you go on is not counted. */
      PAUSE,
      RESUME,
      /** End; what you have done until now stays done. */
      CANCEL;

      public String word() {
        return name().toLowerCase(Locale.ROOT);
      }

      /** Reads {@link #word} back; empty for anything else. */
      static Optional<ActionControl> of(JsonNode value) {
        return Arrays.stream(values())
            .filter(control -> control.word().equals(value.asText()))
            .findFirst();
      }
    }
  }
}
