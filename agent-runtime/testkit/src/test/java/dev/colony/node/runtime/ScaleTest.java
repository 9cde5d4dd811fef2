package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.ActionPolicyOutput;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Hoard;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.view.AgentView;
import dev.colony.agent.view.ForkReply;
import dev.colony.agent.view.StateAt;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.Follower;
import dev.colony.client.directory.AgentDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Much of one thing on a node over Redis: nothing is lost or done twice, and all of it ends. */
@Tag("faults")
@Timeout(600)
class ScaleTest {

  private static final int LARGE = 8 * 1024 * 1024;
  private static final AgentBlueprint HOARDER =
      AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE), Blueprint.of(Hoard.TYPE));
  private static final ActionPolicyIterationResult ENDED =
      ActionPolicyIterationResult.terminated(
          new ErrorContext("test", "its work is done", Optional.empty(), false));

  private final String colony = "s-" + UUID.randomUUID().toString().substring(0, 8);
  private final TestTypes types = new TestTypes();
  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final RedisConnections connections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  private RedisBlackboards boards;
  private LocalNode node;

  @AfterEach
  void stop() {
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }

  private void start(String settings) {
    start(settings, BlackboardSettings.DEFAULTS);
  }

  private void start(String settings, BlackboardSettings board) {
    boards = new RedisBlackboards(connections, board);
    node = LocalNode.onRedis(redis.uri(), boards, types, settings);
  }

  private AgentId id(String name) {
    return new AgentId("acme", colony, colony + name);
  }

  private AgentHandle spawn(String name, AgentBlueprint blueprint) {
    return now(node.colony().spawn(id(name), blueprint));
  }

  private static RunOptions options(String run) {
    return RunOptions.namespace("test").runId(new RunId(run));
  }

  private static RunHandle run(AgentHandle agent, String run) {
    return agent.run(JsonNodeFactory.instance.objectNode(), options(run));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(240, TimeUnit.SECONDS).join();
  }

  private static void completes(RunHandle run) {
    AgentRun ended = result(run);
    assertThat(ended.status()).as(ended.error().orElse("")).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(120, TimeUnit.SECONDS).join();
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(200)).until(condition);
  }

  private static ActionPolicyIterationResult done(JsonNode output) {
    return ActionPolicyIterationResult.completed(ActionPolicyOutput.of(output));
  }

  private static <T> T timed(String what, Callable<T> part) throws Exception {
    long began = System.nanoTime();
    T value = part.call();
    System.out.printf(
        "%s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    return value;
  }

  private Map<String, AgentState> states() {
    AgentDirectory directory = new AgentDirectory(boards);
    return now(directory.list("acme", colony, 100_000, Optional.empty())).stream()
        .collect(Collectors.toMap(one -> one.id().name(), one -> one.status().state()));
  }

  private long count(String prefix, AgentState state) {
    return states().entrySet().stream()
        .filter(one -> one.getKey().startsWith(colony + prefix) && one.getValue() == state)
        .count();
  }

  // Forks

  /** The past is kept whole, and a snapshot of it stands only near its end. */
  @Test
  void aForkOfALongHistoryHasJustThatPastAndGoesOn() throws Exception {
    int steps = 9_000;
    start("colony.agent { run.usual.iterations = 100000, passivate-after = 200ms }");
    AgentHandle origin = spawn("origin", TestTypes.BLUEPRINT);
    timed(
        steps + " steps",
        () -> {
          completes(origin.run(TestTypes.input(steps, "internal"), options("r1")));
          return null;
        });
    long last = now(origin.history(Optional.empty(), 1)).entries().getFirst().sequenceNr();
    assertThat(last).isGreaterThan(2 * steps);
    int begun = types.begun.size();
    for (long at : List.of(12L, last / 2, last)) {
      AgentView past = at(origin, at);
      int inherited =
          past.openRun()
              .filter(run -> run.result().isEmpty())
              .flatMap(run -> past.runs().getFirst().stats())
              .map(RunStats::steps)
              .orElse(0);
      AgentHandle fork =
          timed(
              "fork at " + at,
              () -> {
                String name = id("fork-" + at).name();
                assertThat(now(origin.fork(at, name))).isInstanceOf(ForkReply.Forked.class);
                AgentHandle made = node.colony().agent(new AgentId("acme", colony, name));
                AgentRun run =
                    result(made.run(TestTypes.input(inherited + 3, "internal"), options("f" + at)));
                assertThat(run.output().asText())
                    .isEqualTo(
                        IntStream.range(0, inherited + 3)
                            .mapToObj(i -> "a" + i + "=SUCCEEDED")
                            .collect(Collectors.joining(" ")));
                return made;
              });
      assertThat(at(fork, 3).memory()).isEqualTo(past.memory());
      begun += 3;
      assertThat(types.begun).as("only what is new is executed").hasSize(begun);
    }
  }

  private static AgentView at(AgentHandle agent, long sequenceNr) {
    StateAt state = now(agent.at(sequenceNr));
    assertThat(state).as(state.words()).isInstanceOf(StateAt.Known.class);
    return ((StateAt.Known) state).agent();
  }

  @Test
  void whatRetentionHasLetGoOfCannotBeForkedAndTheRestCan() throws Exception {
    int steps = 3_000;
    start(
        "colony.agent { run.usual.iterations = 100000, snapshot-every = 50,"
            + " history.keep-for = 300ms }");
    AgentHandle origin = spawn("origin", TestTypes.BLUEPRINT);
    for (int i = 0; i < 10; i++) {
      completes(origin.run(TestTypes.input(steps / 10, "internal"), options("r" + i)));
    }
    long last = now(origin.history(Optional.empty(), 1)).entries().getFirst().sequenceNr();
    assertThat(now(origin.fork(12, id("early").name())))
        .isInstanceOfSatisfying(
            ForkReply.NoSuchPast.class,
            gone -> assertThat(gone.past()).isInstanceOf(StateAt.Forgotten.class));
    assertThat(now(origin.fork(last, id("late").name()))).isInstanceOf(ForkReply.Forked.class);
    completes(node.colony().agent(id("late")).run(TestTypes.input(2, "internal"), options("f1")));
  }

  // Children

  @Test
  void twoThousandChildrenAreSpawnedListedAwaitedAndStopped() throws Exception {
    start(
        "colony.agent { children { max = 4000, max-tree = 10000 }, passivate-after = 2s,"
            + " suspension.after-waiting = 1s }");
    family(500);
    family(2_000);
  }

  @Test
  void oneChildTooManyIsRefusedAndTheRefusalNamesTheSetting() {
    start("");
    AgentHandle boss = spawn("boss", PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        boss.id().name(),
        (context, state) -> {
          Children children = context.agent().children();
          assertThatThrownBy(() -> children.spawnAll(brood("w", 0, 1_001), OnParentStop.STOP))
              .isInstanceOf(AgentException.class)
              .hasMessageContaining("colony.agent.children.max is 1000");
          return done(IntNode.valueOf(children.list().size()));
        });
    assertThat(result(run(boss, "r1")).output().asInt()).isZero();
  }

  private Map<String, AgentBlueprint> brood(String prefix, int from, int to) {
    Map<String, AgentBlueprint> brood = new LinkedHashMap<>();
    for (int i = from; i < to; i++) {
      String name = id(prefix + i).name();
      PlayedPolicy.play(name, (context, state) -> ENDED);
      brood.put(name, PlayedPolicy.BLUEPRINT);
    }
    return brood;
  }

  private void family(int count) throws Exception {
    String prefix = "-" + count + "-";
    AgentHandle boss = spawn("boss" + count, PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        boss.id().name(),
        (context, state) -> {
          Children children = context.agent().children();
          switch (state.iterationNum()) {
            case 0 -> {
              timed(
                  count / 2 + " at once",
                  () -> children.spawnAll(brood(prefix + "a", 0, count / 2), OnParentStop.STOP));
              timed(
                  count / 2 + " one by one",
                  () -> {
                    brood(prefix + "b", 0, count / 2)
                        .forEach((name, blueprint) ->
                            children.spawn(name, blueprint, OnParentStop.STOP));
                    return null;
                  });
              List<Child> all = timed("list", children::list);
              assertThat(all).hasSize(count);
              Set<AgentId> ids = all.stream().map(Child::id).collect(Collectors.toSet());
              timed(
                  count + " awaited in a step",
                  () -> {
                    order(context.agent().colony()::agent, ids);
                    assertThat(children.await(ids, Duration.ofMinutes(3)))
                        .hasSize(count)
                        .allMatch(child -> child.state() == AgentState.FAILED);
                    return null;
                  });
              return ActionPolicyIterationResult.skipped();
            }
            case 1 -> {
              List<AgentHandle> all =
                  children.spawnAll(brood(prefix + "c", 0, count), OnParentStop.STOP);
              List<AgentId> ids = all.stream().map(AgentHandle::id).toList();
              order(context.agent().colony()::agent, ids);
              return ActionPolicyIterationResult.blocked("its children", ids);
            }
            default -> {
              children.spawnAll(brood(prefix + "d", 0, count), OnParentStop.STOP);
              return done(IntNode.valueOf(children.list().size()));
            }
          }
        });
    AgentRun run = timed("a family of " + count, () -> result(run(boss, "r1")));
    assertThat(run.status()).as(run.error().orElse("")).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(run.stats().steps()).isEqualTo(3);
    assertThat(count(prefix + "c", AgentState.FAILED)).isEqualTo(count);
    timed(
        count + " stopped with their parent",
        () -> {
          now(boss.stop("it is late"));
          await(() -> count(prefix + "d", AgentState.STOPPED) == count);
          return null;
        });
  }

  private static void order(Function<AgentId, AgentHandle> reach, Collection<AgentId> children) {
    children.forEach(child -> run(reach.apply(child), "w1"));
  }

  // Room

  /** Four slots, and sixteen parents that wait: half of them in a step, half of them blocked. */
  @Test
  void parentsThatWaitForTheirChildrenHoldNoPlace() throws Exception {
    start("colony.agent { capacity.agents = 4, suspension.after-waiting = 200ms }");
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      boolean inAStep = i % 2 == 0;
      AgentHandle parent = spawn("p" + i, PlayedPolicy.BLUEPRINT);
      String prefix = "p" + i + "-";
      PlayedPolicy.play(
          parent.id().name(),
          (context, state) -> {
            if (state.iterationNum() > 0) {
              return done(IntNode.valueOf(3));
            }
            Children children = context.agent().children();
            List<AgentId> ids =
                children.spawnAll(brood(prefix, 0, 3), OnParentStop.STOP).stream()
                    .map(AgentHandle::id)
                    .toList();
            order(context.agent().colony()::agent, ids);
            if (!inAStep) {
              return ActionPolicyIterationResult.blocked("its children", ids);
            }
            children.await(Set.copyOf(ids), Duration.ofSeconds(60));
            return ActionPolicyIterationResult.skipped();
          });
      runs.add(run(parent, "r1"));
    }
    timed(
        "16 parents with 3 children each on 4 places",
        () -> {
          runs.forEach(ScaleTest::completes);
          return null;
        });
  }

  // Resumption

  @Test
  void aThousandSuspendedAgentsAreResumedAtOnceEachOnce() throws Exception {
    int agents = 1_000;
    start("colony.agent { passivate-after = 200ms }");
    Map<String, AtomicInteger> steps = new ConcurrentHashMap<>();
    Scope shared = Scope.colony("acme", colony).namespace("bell");
    List<AgentHandle> all = new ArrayList<>();
    for (int i = 0; i < agents; i++) {
      String name = id("s" + i).name();
      PlayedPolicy.play(
          name,
          (context, state) -> {
            steps.computeIfAbsent(name, key -> new AtomicInteger()).incrementAndGet();
            ResumptionCondition until =
                context.agent().context().run().value().equals("r1")
                    ? new ResumptionCondition.Event(shared, new KeyGlob("go"))
                    : new ResumptionCondition.Custom("never");
            return state.iterationNum() == 0
                ? ActionPolicyIterationResult.blocked("waits", until)
                : done(IntNode.valueOf(1));
          });
      all.add(spawn("s" + i, PlayedPolicy.BLUEPRINT));
    }
    List<RunHandle> first = suspended("r1", all);
    timed(
        agents + " resumed by one event",
        () -> {
          now(boards.open(shared, "someone").write(Write.value("go", 1)));
          first.forEach(ScaleTest::completes);
          return null;
        });
    List<RunHandle> second = suspended("r2", all);
    timed(
        agents + " resumed by as many calls",
        () -> {
          List<CompletableFuture<Void>> told =
              all.stream().map(agent -> agent.resume("go on")).toList();
          told.forEach(ScaleTest::now);
          second.forEach(ScaleTest::completes);
          return null;
        });
    assertThat(steps).hasSize(agents);
    assertThat(steps.values()).extracting(AtomicInteger::get).containsOnly(4);
  }

  private List<RunHandle> suspended(String run, List<AgentHandle> agents) throws Exception {
    return timed(
        agents.size() + " suspended",
        () -> {
          List<RunHandle> runs = agents.stream().map(agent -> run(agent, run)).toList();
          runs.forEach(one -> now(one.stored()));
          await(() -> count("s", AgentState.SUSPENDED) == agents.size());
          return runs;
        });
  }

  // Streams

  @Test
  void threeHundredStreamsOfRunsUnderWayBringEachEventOnceAndTheEnd() throws Exception {
    start("");
    List<Follower> followers = new ArrayList<>();
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      AgentHandle agent = spawn("t" + i, TestTypes.BLUEPRINT);
      RunHandle run = agent.run(TestTypes.input(10, "internal"), options("r1"));
      for (int reader = 0; reader < 3; reader++) {
        followers.add(Follower.of(run.events()));
      }
      runs.add(run);
    }
    timed(
        "100 runs with 300 streams",
        () -> {
          runs.forEach(ScaleTest::completes);
          for (Follower follower : followers) {
            follower.ended();
          }
          return null;
        });
    List<String> expected = new ArrayList<>(Collections.nCopies(10, "worked"));
    expected.add("completed");
    for (Follower follower : followers) {
      assertThat(follower.seen()).extracting(RunProgress::name).isEqualTo(expected);
      assertThat(new HashSet<>(follower.seen())).hasSize(11);
    }
  }

  /** One that stalls holds up no other, and is given all that is kept, or told what is lost. */
  @Test
  void aReaderThatStallsGetsEverythingOrIsToldWhatItHasLost() throws Exception {
    int kept = 1_000;
    start(
        "colony.agent.run.usual.iterations = 100000",
        BlackboardSettings.DEFAULTS
            .withEvents(new BlackboardSettings.Events(kept, kept, 1L << 28))
            .withSubscriber(new BlackboardSettings.Subscriber(64, 64 * 1024)));
    AgentHandle agent = spawn("talker", TestTypes.BLUEPRINT);
    RunHandle some = agent.run(TestTypes.input(kept / 2, "internal"), options("r1"));
    Follower stalled = Follower.slow(some.events());
    Follower quick = Follower.of(some.events());
    completes(some);
    assertThat(quick.ended().seen()).hasSize(kept / 2 + 1);
    assertThat(stalled.seen()).isEmpty();
    stalled.request(Long.MAX_VALUE);
    assertThat(stalled.ended().seen()).isEqualTo(quick.seen());

    RunHandle many = agent.run(TestTypes.input(4 * kept, "internal"), options("r2"));
    Follower lost = Follower.slow(many.events());
    lost.request(1);
    assertThat(lost.seenAtLeast(1)).hasSize(1);
    Follower all = Follower.of(many.events());
    completes(many);
    assertThat(all.ended().seen()).hasSize(4 * kept + 1);
    lost.request(Long.MAX_VALUE);
    assertThat(lost.failure())
        .isInstanceOfSatisfying(
            BlackboardException.class,
            failure -> {
              System.out.println(failure.getMessage());
              assertThat(failure.reason()).isEqualTo(BlackboardException.Reason.EVENTS_LOST);
            });
    Follower rest = Follower.of(many.retained());
    assertThat(rest.ended().seen()).hasSizeBetween(kept / 2, 4 * kept);
    assertThat(all.seen()).endsWith(rest.seen().toArray(RunProgress[]::new));
  }

  // Large snapshots

  @Test
  void aSnapshotThatIsTooLargeFailsItsRunAndNamesTheSetting() {
    start("");
    AgentHandle agent = spawn("hoarder", HOARDER);
    hoards(agent);
    assertThat(result(run(agent, "r1")).error().orElseThrow())
        .contains("test.hoard", "colony.agent.capability.max-snapshot");
    PlayedPolicy.play(agent.id().name(), (context, state) -> done(kept(context)));
    assertThat(result(run(agent, "r2")).output().asInt()).isZero();
  }

  @Test
  void aSnapshotOfEightMegabytesOutlastsSuspensionRecoveryAndFork() throws Exception {
    start(
        "colony.agent { passivate-after = 100ms, capability.max-snapshot = 9 MiB,"
            + " max-output = 10 MiB, journal.max-event-bytes = 12 MiB }");
    AgentHandle agent = spawn("hoarder", HOARDER);
    hoards(agent);
    RunHandle run = run(agent, "r1");
    await(() -> count("hoarder", AgentState.SUSPENDED) == 1 && !node.holds(agent.id()));
    now(agent.signal("go", "now"));
    assertThat(timed("resumed", () -> result(run)).output().asInt()).isEqualTo(LARGE);
    await(() -> !node.holds(agent.id()));
    PlayedPolicy.play(agent.id().name(), (context, state) -> done(kept(context)));
    assertThat(timed("recovered", () -> result(run(agent, "r2"))).output().asInt())
        .isEqualTo(LARGE);
    long last = now(agent.history(Optional.empty(), 1)).entries().getFirst().sequenceNr();
    AgentId fork = id("fork");
    PlayedPolicy.play(fork.name(), (context, state) -> done(kept(context)));
    assertThat(now(agent.fork(last, fork.name()))).isInstanceOf(ForkReply.Forked.class);
    assertThat(timed("forked", () -> result(run(node.colony().agent(fork), "f1"))).output().asInt())
        .isEqualTo(LARGE);
  }

  /** Three capabilities keep more together than a snapshot of the agent may take. */
  @Test
  void anAgentWhoseSnapshotIsTooLargeGoesOnFromItsEvents() throws Exception {
    start(
        "colony.agent { passivate-after = 100ms, capability.max-snapshot = 9 MiB,"
            + " journal.max-event-bytes = 30 MiB, max-output = 28 MiB }");
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE));
    for (int i = 0; i < 3; i++) {
      blueprint =
          blueprint.capability(CapabilityBlueprint.of(Blueprint.of(Hoard.TYPE)).key("h" + i));
    }
    AgentHandle agent = spawn("hoarder", blueprint);
    hoards(agent);
    RunHandle run = run(agent, "r1");
    await(() -> count("hoarder", AgentState.SUSPENDED) == 1 && !node.holds(agent.id()));
    now(agent.signal("go", "now"));
    assertThat(result(run).output().asInt()).isEqualTo(3 * LARGE);
    await(() -> !node.holds(agent.id()));
    PlayedPolicy.play(agent.id().name(), (context, state) -> done(kept(context)));
    assertThat(result(run(agent, "r2")).output().asInt()).isEqualTo(3 * LARGE);
  }

  /** Keeps much in its first step, waits until it is told to go on, and says what it still has. */
  private static void hoards(AgentHandle agent) {
    PlayedPolicy.play(
        agent.id().name(),
        (context, state) -> {
          if (state.iterationNum() > 0) {
            return done(kept(context));
          }
          context.agent().capabilities().forEach(one -> ((Hoard) one).keep(LARGE));
          return ActionPolicyIterationResult.blocked("waits", new ResumptionCondition.Custom("go"));
        });
  }

  private static JsonNode kept(PolicyContext context) {
    return IntNode.valueOf(
        context.agent().capabilities().stream().mapToInt(one -> ((Hoard) one).bytes()).sum());
  }
}
