package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Hoard;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An agent with a long history or a large state: both outlast suspension, recovery and fork. */
class LargeStateTest extends ScaleFixture {

  private static final int LARGE = 8 * 1024 * 1024;
  private static final AgentBlueprint HOARDER =
      AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE), Blueprint.of(Hoard.TYPE));
  private static final ActionPolicyIterationResult ENDED =
      ActionPolicyIterationResult.terminated(
          new ErrorContext("test", "its work is done", Optional.empty(), false));

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
