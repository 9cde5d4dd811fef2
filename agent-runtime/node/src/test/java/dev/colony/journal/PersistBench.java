package dev.colony.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/**
 * Measures persists per second end to end through Pekko Persistence: so many actors that each
 * persist one event after the other. Not a test; run its main. Arguments: fsync, actors, events per
 * actor, payload bytes, rounds, and settings as {@code key=value}.
 */
final class PersistBench {

  private PersistBench() {}

  public static void main(String[] arguments) throws Exception {
    Fsync fsync = Fsync.valueOf(arguments[0].toUpperCase(java.util.Locale.ROOT));
    int actors = Integer.parseInt(arguments[1]);
    int events = Integer.parseInt(arguments[2]);
    int payload = Integer.parseInt(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    String more = String.join("\n", Arrays.copyOfRange(arguments, 5, arguments.length));
    try (TestRedis redis = TestRedis.start(fsync)) {
      Config config = ConfigFactory.parseString(more).withFallback(JournalConfig.on(redis.uri()));
      ActorSystem system = ActorSystem.create("bench", config);
      for (int round = 0; round < rounds; round++) {
        CountDownLatch done = new CountDownLatch(actors);
        long from = System.nanoTime();
        Cpu before = Cpu.now(redis);
        for (int i = 0; i < actors; i++) {
          Adapter.spawnAnonymous(
              system,
              Behaviors.<Next>setup(self -> new Writer(self.getSelf(), payload, events, done)));
        }
        done.await();
        double seconds = (System.nanoTime() - from) / 1e9;
        double total = (double) actors * events;
        Cpu after = Cpu.now(redis);
        System.out.printf(
            "%s actors=%d events=%d payload=%d: %.0f events/s, cpu per event: %.1f us here, %.1f us"
                + " in redis%n",
            fsync,
            actors,
            events,
            payload,
            total / seconds,
            (after.jvmNanos - before.jvmNanos) / total / 1e3,
            (after.redisSeconds - before.redisSeconds) / total * 1e6);
      }
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().join();
    }
  }

  /** CPU time spent so far; steadier than throughput on a machine that others use too. */
  private record Cpu(long jvmNanos, double redisSeconds) {
    static Cpu now(TestRedis redis) {
      ProcessHandle server = ProcessHandle.of(redis.server().pid()).orElseThrow();
      return new Cpu(
          ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos(),
          server.info().totalCpuDuration().orElseThrow().toNanos() / 1e9);
    }
  }

  private enum Next {
    INSTANCE
  }

  /** Persists its events one after the other, each once the one before is acknowledged. */
  private static final class Writer extends EventSourcedBehavior<Next, byte[], Integer> {

    private final ActorRef<Next> self;
    private final byte[] payload;
    private final int events;
    private final CountDownLatch done;

    Writer(ActorRef<Next> self, int payload, int events, CountDownLatch done) {
      super(PersistenceId.ofUniqueId("bench-" + UUID.randomUUID()));
      this.self = self;
      this.payload = new byte[payload];
      this.events = events;
      this.done = done;
      self.tell(Next.INSTANCE);
    }

    @Override
    public Integer emptyState() {
      return 0;
    }

    @Override
    public CommandHandler<Next, byte[], Integer> commandHandler() {
      return (state, next) -> {
        if (state == events) {
          done.countDown();
          return Effect().stop();
        }
        return Effect().persist(payload).thenRun(stored -> self.tell(Next.INSTANCE));
      };
    }

    @Override
    public EventHandler<Integer, byte[]> eventHandler() {
      return (state, event) -> state + 1;
    }
  }
}
