package dev.colony.cli.chaos;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Asks agents for runs at an even rate, in turn, whether the earlier ones have ended or not. A
 * request that could not be stored is made again under its id until it is: the client cannot know
 * whether the first one came through.
 */
final class Load implements AutoCloseable {

  private static final int AGENTS = 12;

  private final List<AgentHandle> agents;
  private final int steps;
  private final int port;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  private final Map<Integer, AgentRun> answered = new ConcurrentHashMap<>();

  /**
   * Spawns the agents.
   *
   * @param port of the {@link DeedServer}
   */
  Load(Colony colony, int steps, int port) {
    this.steps = steps;
    this.port = port;
    this.agents =
        IntStream.range(0, AGENTS)
            .mapToObj(i -> new AgentId("acme", "chaos", "runner-" + i))
            .map(id -> colony.spawn(id, Errand.BLUEPRINT).toCompletableFuture().join())
            .toList();
  }

  void start(double perSecond) {
    clock.scheduleAtFixedRate(
        () -> {
          int number = asked.getAndIncrement();
          callers.execute(() -> call(number));
        },
        0,
        (long) (TimeUnit.SECONDS.toNanos(1) / perSecond),
        TimeUnit.NANOSECONDS);
  }

  /** Asks for no more runs. */
  void stop() {
    clock.shutdown();
  }

  int asked() {
    return asked.get();
  }

  int answered() {
    return answered.size();
  }

  /** Whether every agent has answered a request that was made after so many. */
  boolean allAnsweredAfter(int requests) {
    return IntStream.range(requests, requests + agents.size()).allMatch(answered::containsKey);
  }

  /** How many requests had to be made again. */
  int repeated() {
    return repeated.get();
  }

  private void call(int number) {
    while (!callers.isShutdown()) {
      RunHandle run =
          agent(number)
              .run(
                  Errand.input(id(number).value(), steps, port),
                  RunOptions.namespace(Errand.NAMESPACE).runId(id(number)));
      try {
        answered.put(number, run.result().toCompletableFuture().get());
        return;
      } catch (InterruptedException over) {
        return;
      } catch (java.util.concurrent.ExecutionException notStored) {
        repeated.incrementAndGet();
      }
    }
  }

  private AgentHandle agent(int number) {
    return agents.get(number % agents.size());
  }

  private static RunId id(int number) {
    return new RunId("c-" + number);
  }

  /** All runs that were asked for, by agent; each was asked for until it was stored. */
  Map<AgentId, List<RunId>> accepted() {
    Map<AgentId, List<RunId>> accepted = new LinkedHashMap<>();
    for (int number = 0; number < asked.get(); number++) {
      accepted.computeIfAbsent(agent(number).id(), any -> new ArrayList<>()).add(id(number));
    }
    return accepted;
  }

  /** What the callers were told. */
  Map<RunId, AgentRun> answers() {
    Map<RunId, AgentRun> answers = new LinkedHashMap<>();
    answered.forEach((number, run) -> answers.put(id(number), run));
    return answers;
  }

  int steps() {
    return steps;
  }

  /** Waits until all have been answered; false if that takes too long. */
  boolean await(Duration longest) {
    long deadline = System.nanoTime() + longest.toNanos();
    while (answered() < asked() && System.nanoTime() < deadline) {
      java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return answered() == asked();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    callers.shutdownNow();
  }
}
