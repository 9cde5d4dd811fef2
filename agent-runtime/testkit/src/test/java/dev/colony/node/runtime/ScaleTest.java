package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunProgress;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.Follower;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Much of one thing on a node over Redis: nothing is lost or done twice, and all of it ends. */
class ScaleTest extends ScaleFixture {

  private static final ActionPolicyIterationResult ENDED =
      ActionPolicyIterationResult.terminated(
          new ErrorContext("test", "its work is done", Optional.empty(), false));

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
}
