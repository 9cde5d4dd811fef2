package dev.colony.cli.chaos;

import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * What {@link SteppedClocksTest} runs in a process whose clock, and those of its nodes and of
 * Redis, can be set: all of them are stepped while agents work under deadlines, wait for an
 * instant, and get signals before they wait for them. Prints a verdict; ends with 0 if nothing is
 * wrong.
 */
public final class ClockHavoc {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration SKEW = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofMinutes(4);
  private static final String BOUND =
      """
      colony.agent.run.usual.time = 3m
      colony.agent.resumption.early-signals = 30m
      """;

  private static final int STEPS = 6;
  private static final double RUNS_PER_SECOND = 2;

  /** How many runs end between two steps of clocks. */
  private static final int BETWEEN = 4;

  private static final int WAITERS = 4;
  private static final Duration WAIT = Duration.ofSeconds(40);

  /** What cluster time may gain on the time that has gone by. */
  private static final double FASTEST = 1.05;

  private static final Duration FAR = Duration.ofMinutes(2);
  private static final String SIGNAL = "go";

  /** Lines of the nodes, by which it is known that clocks were stepped. */
  private static final List<String> SAID =
      List.of("this machine's clock is +3", "this machine's clock is -3", "the clock of Redis is ");

  private final SteppedClock clocks = SteppedClock.inherited();
  private final List<String> wrong = new ArrayList<>();
  private final ChaosCluster cluster;
  private final DeedServer world;
  private final Load load;
  private final Random random;

  /** A clock that is stepped. */
  private record Stepped(String name, LongSupplier pid) {}

  /** An agent that waits until an instant, and the run that it begins with then. */
  private record Waiter(long begunNanos, CompletableFuture<Long> wentOnNanos, RunHandle run) {}

  private ClockHavoc(ChaosCluster cluster, DeedServer world, Load load, long seed) {
    this.cluster = cluster;
    this.world = world;
    this.load = load;
    this.random = new Random(seed);
  }

  /**
   * @param arguments a folder, and the seed of the order of steps
   */
  public static void main(String[] arguments) {
    int status = 1;
    try (DeedServer world = new DeedServer();
        ChaosCluster cluster = ChaosCluster.direct(Path.of(arguments[0]), BOUND);
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      List<String> wrong = new ClockHavoc(cluster, world, load, Long.parseLong(arguments[1])).run();
      wrong.forEach(System.out::println);
      status = wrong.isEmpty() ? 0 : 1;
    } catch (UncheckedIOException failure) {
      failure.printStackTrace(System.out);
    }
    System.exit(status);
  }

  private List<String> run() {
    Colony colony = cluster.colony();
    load.start(RUNS_PER_SECOND);
    pass();
    List<Waiter> waiters = waiters(colony);
    stepEach();
    List<RunHandle> signalled = waitForSignals(colony);
    for (String said : SAID) {
      if (cluster.nodes().names().stream().map(cluster::log).noneMatch(log -> log.contains(said))) {
        wrong.add("no node has said: " + said);
      }
    }
    handOver();
    load.stop();
    if (!load.await(LONGEST)) {
      wrong.add("%d of %d runs have ended".formatted(load.answered(), load.asked()));
    }
    waiters.forEach(this::check);
    signalled.forEach(run -> completed(run, "an agent that was signalled before it waited"));
    Verdict verdict = Verdict.of(load, cluster, world);
    System.out.println(verdict);
    wrong.addAll(verdict.violations());
    return wrong;
  }

  /**
   * Each clock by an hour ahead, an hour behind, and back, while the others stay. A node says only
   * once that its clock is wrong, so that they begin in turns with one and with the other.
   */
  private void stepEach() {
    List<Stepped> all = new ArrayList<>();
    all.add(new Stepped("redis", () -> cluster.redis().pid()));
    all.add(new Stepped("client", () -> ProcessHandle.current().pid()));
    cluster
        .nodes()
        .names()
        .forEach(name -> all.add(new Stepped(name, () -> cluster.nodes().process(name).pid())));
    boolean ahead = random.nextBoolean();
    List<Map.Entry<Stepped, Duration>> firsts = new ArrayList<>();
    for (Stepped one : all) {
      firsts.add(Map.entry(one, ahead ? HOUR : HOUR.negated()));
      ahead = !ahead;
    }
    Collections.shuffle(firsts, random);
    for (Map.Entry<Stepped, Duration> first : firsts) {
      Stepped one = first.getKey();
      for (Duration step : List.of(first.getValue(), first.getValue().negated())) {
        set(one, step);
        pass();
      }
      set(one, Duration.ZERO);
    }
  }

  private void set(Stepped one, Duration ahead) {
    System.out.printf("%s: %s%n", one.name(), ahead);
    clocks.set(one.pid().getAsLong(), ahead);
  }

  /** Nodes that are ten minutes apart, of which one dies with its runs. */
  private void handOver() {
    List<String> names = new ArrayList<>(cluster.nodes().names());
    Collections.shuffle(names, random);
    clocks.set(cluster.nodes().process(names.get(0)).pid(), SKEW);
    clocks.set(cluster.nodes().process(names.get(1)).pid(), SKEW.negated());
    pass();
    System.out.printf("%s is killed%n", names.get(2));
    cluster.nodes().kill(names.get(2));
    pass();
    cluster.nodes().restart(names.get(2));
    cluster.nodes().awaitReady(names.get(2));
    System.out.printf("%s is killed%n", names.get(0));
    cluster.nodes().kill(names.get(0));
    pass();
    cluster.nodes().restart(names.get(0));
    pass();
  }

  private void pass() {
    int then = load.answered();
    await().atMost(LONGEST).until(() -> load.answered() >= then + BETWEEN);
  }

  /** The signal is there first; clocks are stepped before the agents wait for it. */
  private List<RunHandle> waitForSignals(Colony colony) {
    List<AgentHandle> agents = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      AgentHandle agent = spawned(colony, "signalled-" + i);
      agent.signal(SIGNAL, "early").toCompletableFuture().join();
      agents.add(agent);
    }
    pass();
    List<String> names = cluster.nodes().names();
    names.forEach(name -> clocks.set(cluster.nodes().process(name).pid(), HOUR));
    pass();
    List<RunHandle> runs = new ArrayList<>();
    for (AgentHandle agent : agents) {
      agent
          .suspend("until a signal", new ResumptionCondition.Custom(SIGNAL))
          .toCompletableFuture()
          .join();
      runs.add(ask(agent));
    }
    pass();
    names.forEach(name -> clocks.set(cluster.nodes().process(name).pid(), Duration.ZERO));
    return runs;
  }

  private List<Waiter> waiters(Colony colony) {
    InstantSource now = cluster.blackboards().clock();
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      AgentHandle agent = spawned(colony, "waiter-" + i);
      long begun = System.nanoTime();
      Instant until = now.instant().plus(WAIT);
      agent.suspend("for a while", new ResumptionCondition.At(until)).toCompletableFuture().join();
      RunHandle run = ask(agent);
      CompletableFuture<Long> wentOn =
          run.result().thenApply(done -> System.nanoTime()).toCompletableFuture();
      waiters.add(new Waiter(begun, wentOn, run));
    }
    return waiters;
  }

  private void check(Waiter waiter) {
    completed(waiter.run(), "an agent that waited until an instant");
    Duration waited = Duration.ofNanos(waiter.wentOnNanos().join() - waiter.begunNanos());
    System.out.printf("waited %s of %s%n", waited, WAIT);
    if (waited.toNanos() * FASTEST < WAIT.toNanos() || waited.compareTo(WAIT.plus(FAR)) > 0) {
      wrong.add("a wait of %s lasted %s".formatted(WAIT, waited));
    }
  }

  private void completed(RunHandle run, String what) {
    try {
      AgentRun done =
          run.result()
              .toCompletableFuture()
              .orTimeout(LONGEST.toSeconds(), java.util.concurrent.TimeUnit.SECONDS)
              .join();
      if (done.status() != AgentRun.Status.COMPLETED) {
        wrong.add(what + " has not completed its run: " + done);
      }
    } catch (java.util.concurrent.CompletionException failure) {
      wrong.add(what + " has not ended its run: " + failure.getCause());
    }
  }

  private static AgentHandle spawned(Colony colony, String name) {
    return colony
        .spawn(new AgentId("acme", "clocks", name), Errand.BLUEPRINT)
        .toCompletableFuture()
        .join();
  }

  private RunHandle ask(AgentHandle agent) {
    return agent.run(
        Errand.input("waited", 1, world.port()),
        RunOptions.namespace(Errand.NAMESPACE).runId(new RunId("after-the-wait")));
  }
}
