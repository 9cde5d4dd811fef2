package dev.colony.cli.chaos;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.server.fixture.TellerTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Asks agents for runs at an even rate, whether the earlier ones have ended or not, and follows the
 * events of each. Most runs are short; every {@value #SLOW_EVERY}th lasts for seconds, so that it
 * is under way while nodes come and go. Nothing is asked for twice: what fails has failed.
 */
final class FollowedLoad implements AutoCloseable {

  static final String NAMESPACE = "work";

  private static final int AGENTS = 40;
  private static final int SLOW_EVERY = 25;
  private static final int SHORT_STEPS = 2;
  private static final int SLOW_STEPS = 20;
  private static final int SLOW_MILLIS = 400;

  /** Where nodes do not keep up, each run that is followed holds connections. */
  private static final int MOST_UNDER_WAY = 400;

  private final List<AgentHandle> quick;
  private final List<AgentHandle> slow;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger asked = new AtomicInteger();
  private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
  private final Map<Integer, Followed> runs = new ConcurrentHashMap<>();

  /** Spawns the agents. */
  FollowedLoad(Colony colony) {
    quick = spawned(colony, "quick-");
    slow = spawned(colony, "slow-");
  }

  private static List<AgentHandle> spawned(Colony colony, String name) {
    return IntStream.range(0, AGENTS)
        .mapToObj(i -> new AgentId("acme", "rolling", name + i))
        .map(id -> colony.spawn(id, TellerTypes.BLUEPRINT).toCompletableFuture().join())
        .toList();
  }

  /** Asks for so many runs each second, fewer where as many as may be are under way. */
  void start(double perSecond) {
    clock.scheduleAtFixedRate(
        () -> {
          if (underWay.tryAcquire()) {
            ask(asked.getAndIncrement());
          }
        },
        0,
        (long) (TimeUnit.SECONDS.toNanos(1) / perSecond),
        TimeUnit.NANOSECONDS);
  }

  private void ask(int number) {
    boolean lasts = number % SLOW_EVERY == 0;
    int steps = lasts ? SLOW_STEPS : SHORT_STEPS;
    List<AgentHandle> agents = lasts ? slow : quick;
    int turn = lasts ? number / SLOW_EVERY : number;
    AgentHandle agent = agents.get(turn % agents.size());
    RunHandle run =
        agent.run(
            TellerTypes.input(steps, lasts ? SLOW_MILLIS : 0),
            RunOptions.namespace(NAMESPACE).runId(new RunId("l-" + number)));
    Followed followed = new Followed(agent.id(), run, steps);
    runs.put(number, followed);
    followed.ended().whenComplete((end, failure) -> underWay.release());
    run.events().subscribe(followed);
  }

  /** Asks for no more runs, and waits until all have ended. */
  void stop(Duration longest) throws InterruptedException, TimeoutException {
    clock.shutdown();
    if (!clock.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the load does not stop");
    }
    CompletableFuture<?>[] ends =
        runs.values().stream().map(Followed::ended).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends)
          .handle((done, failure) -> done)
          .get(longest.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** How many runs were asked for and have ended, well or badly. */
  long ended() {
    return runs.values().stream().filter(run -> run.ended().isDone()).count();
  }

  Collection<Followed> runs() {
    return runs.values();
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }

  /** A run, and what its follower has had. */
  static final class Followed implements Flow.Subscriber<RunProgress> {

    final AgentId agent;
    final RunHandle run;
    final int steps;
    private final List<RunProgress> had = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<Void> streamed = new CompletableFuture<>();
    private final CompletableFuture<AgentRun> ended;

    Followed(AgentId agent, RunHandle run, int steps) {
      this.agent = agent;
      this.run = run;
      this.steps = steps;
      this.ended = streamed.thenCompose(end -> run.result());
    }

    List<RunProgress> had() {
      return List.copyOf(had);
    }

    /** Fails as the events or the result do. */
    CompletableFuture<AgentRun> ended() {
      return ended;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(RunProgress event) {
      had.add(event);
    }

    @Override
    public void onError(Throwable failure) {
      streamed.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      streamed.complete(null);
    }
  }
}
