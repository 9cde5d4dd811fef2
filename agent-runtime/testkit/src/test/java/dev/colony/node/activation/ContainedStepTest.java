package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunBudget;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Workbench;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Policies that misbehave, and what waits for others. */
@Timeout(60)
class ContainedStepTest extends PlayedAgentFixture {

  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void aThreadThatWasLeftBehindTakesNothingFromTheNextRun() {
    AtomicReference<Thread> left = new AtomicReference<>();
    CountDownLatch next = new CountDownLatch(1);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.request().runId().value().equals("first")) {
            left.set(Thread.currentThread());
            awaitWhateverComes(next);
            throw new IllegalStateException("too late");
          }
          next.countDown();
          left.get().join();
          Action late = Action.of("late", Workbench.INTERNAL, null);
          return ActionPolicyIterationResult.completed(
              ActionPolicyOutput.of(context.dispatcher().dispatch(late).output()));
        });
    AgentHandle agent =
        spawn(PlayedPolicy.BLUEPRINT.budget(RunBudget.OF_NODE.time(Duration.ofMillis(300))));
    RunHandle first = run(agent, "first");
    assertThat(result(first).error().orElseThrow()).contains("took longer than");
    RunHandle second = run(agent, "second");
    assertThat(result(second).output().asText()).isEqualTo("late");
  }

  @Test
  void anErrorThatIsNoExceptionEndsTheRun() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          throw new AssertionError("as it should not be");
        });
    AgentRun run = result(run(spawn(PlayedPolicy.BLUEPRINT), "r1"));
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow()).contains("as it should not be");
  }

  @Test
  void anActionIdThatIsUsedTwiceEndsTheRun() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          Action same = Action.of("same", Workbench.INTERNAL, null);
          return ActionPolicyIterationResult.acted(same, context.dispatcher().dispatch(same));
        });
    AgentRun run = result(run(spawn(PlayedPolicy.BLUEPRINT), "r1"));
    assertThat(run.error()).contains("the policy chose the action id same twice");
    assertThat(run.stats().steps()).isEqualTo(2);
  }

  @Test
  void anActionOfWhichThePolicySaysNothingIsStillInTheHistory() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() == 0) {
            context.dispatcher().dispatch(Action.of("quiet", Workbench.INTERNAL, null));
            return ActionPolicyIterationResult.skipped();
          }
          return ActionPolicyIterationResult.completed(
              ActionPolicyOutput.of(state.result("quiet").orElseThrow().output()));
        });
    assertThat(result(run(spawn(PlayedPolicy.BLUEPRINT), "r1")).output().asText())
        .isEqualTo("quiet");
  }

  @Test
  void theRawBlackboardsAreOutOfAnAgentsReach() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          context.agent().service(Blackboards.class);
          return DONE;
        });
    assertThat(result(run(spawn(PlayedPolicy.BLUEPRINT), "r1")).error().orElseThrow())
        .contains("blackboard(scope)");
  }

  @Test
  void aRunThatWaitsForAgentsThatHaveEndedGoesOn() {
    AgentId gone = new AgentId("acme", "tests", "gone");
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            state.iterationNum() == 0
                ? ActionPolicyIterationResult.blocked("waits", List.of(gone))
                : DONE);
    assertThat(result(run(spawn(PlayedPolicy.BLUEPRINT), "r1")).output().asText())
        .isEqualTo("done");
  }

  @Test
  void aRunThatWaitsForAnAgentGoesOnAtItsEndAndAtNoOthers() {
    AgentId other = new AgentId("acme", "tests", "b-" + UUID.randomUUID());
    AgentId stranger = new AgentId("acme", "tests", "c-" + UUID.randomUUID());
    node.colony().spawn(other, TestTypes.BLUEPRINT).toCompletableFuture().join();
    CountDownLatch waits = new CountDownLatch(1);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          waits.countDown();
          return state.iterationNum() == 0
              ? ActionPolicyIterationResult.blocked("waits", List.of(other))
              : DONE;
        });
    RunHandle run = run(spawn(PlayedPolicy.BLUEPRINT), "r1");
    EntityClient door = new EntityClient(ClusterSharding.get(node.system()), SOON);
    int unit = HomeResolver.byHash(node.settings.placementUnits()).homeOf(id, null);
    await().until(() -> waits.getCount() == 0);
    assertThat(door.childEnded(unit, id, stranger, "ended").toCompletableFuture().join())
        .isInstanceOf(AcceptReply.Rejected.class);
    await()
        .until(() ->
            door.childEnded(unit, id, other, "ended").toCompletableFuture().join()
                instanceof AcceptReply.Accepted);
    assertThat(result(run).stats().steps()).isEqualTo(2);
  }

  @Test
  void whoAsksLearnsThatAnAgentIsSuspendedAndThatItGoesOn() {
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    agent.suspend("for now").toCompletableFuture().join();
    await().until(() -> state(agent).equals(Optional.of(AgentState.SUSPENDED)));
    agent.resume("again").toCompletableFuture().join();
    await().until(() -> state(agent).equals(Optional.of(AgentState.IDLE)));
  }

  private static Optional<AgentState> state(AgentHandle agent) {
    return agent.state().toCompletableFuture().join().map(status -> status.state());
  }

  private static void awaitWhateverComes(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        // This is what it does: it does not heed the interruption.
      }
    }
  }
}
