package dev.colony.journal;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.JournalPersistFailed;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/**
 * Many actors that each persist the numbers from 0 up, one after the other, and after a failure go
 * on where their log ends: whatever happens, each log must come to hold each number once.
 */
final class PersistLoad {

  final List<String> ids;
  final AtomicInteger acknowledged = new AtomicInteger();
  final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  final CountDownLatch done;

  private final int events;

  private PersistLoad(int actors, int events) {
    this.events = events;
    this.ids = Stream.generate(() -> "load-" + UUID.randomUUID()).limit(actors).toList();
    this.done = new CountDownLatch(actors);
  }

  static PersistLoad start(ActorSystem system, int actors, int events) {
    PersistLoad load = new PersistLoad(actors, events);
    load.ids.forEach(id -> Adapter.spawnAnonymous(system, load.counter(id)));
    return load;
  }

  int total() {
    return ids.size() * events;
  }

  /** What each log must hold in the end. */
  List<String> expected() {
    return IntStream.range(0, events).mapToObj(i -> (i + 1) + "=" + i).toList();
  }

  private Behavior<Integer> counter(String id) {
    return Behaviors.setup(context -> new Counter(id, context.getSelf()));
  }

  private final class Counter extends EventSourcedBehavior<Integer, String, Integer> {

    private final ActorRef<Integer> self;

    Counter(String id, ActorRef<Integer> self) {
      super(
          PersistenceId.ofUniqueId(id),
          SupervisorStrategy.restartWithBackoff(Duration.ofMillis(50), Duration.ofSeconds(1), 0.2));
      this.self = self;
    }

    @Override
    public Integer emptyState() {
      return 0;
    }

    @Override
    public CommandHandler<Integer, String, Integer> commandHandler() {
      return (state, next) -> {
        if (next >= events) {
          done.countDown();
          return Effect().stop();
        }
        return Effect()
            .persist(next.toString())
            .thenRun(now -> {
              acknowledged.incrementAndGet();
              self.tell(now);
            });
      };
    }

    @Override
    public EventHandler<Integer, String> eventHandler() {
      return (state, event) -> {
        if (Integer.parseInt(event) != state) {
          throw new IllegalStateException("event " + event + " at " + state);
        }
        return state + 1;
      };
    }

    @Override
    public SignalHandler<Integer> signalHandler() {
      return newSignalHandlerBuilder()
          .onSignal(RecoveryCompleted.class, (state, signal) -> self.tell(state))
          .onSignal(JournalPersistFailed.class, (state, signal) -> failures.add(signal.failure()))
          .onSignal(RecoveryFailed.class, (state, signal) -> failures.add(signal.failure()))
          .build();
    }
  }
}
