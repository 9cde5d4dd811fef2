package dev.colony.library.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.JoinPoints;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.step.DurableMemory;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.core.hook.CapabilityHooks;
import dev.colony.core.hook.HookedAgent;
import dev.colony.core.lifecycle.SharedActionHistory;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.node.NodePorts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StockHooksTest {

  private static final RunId RUN = new RunId("r1");
  private static final SessionId SESSION = new SessionId("s1");

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final HookRegistry hooks = HookedAgent.registry();
  private final TestAgent agent = agent("counted", hooks);

  private TestAgent agent(String name, HookRegistry registry) {
    AgentId id = new AgentId("acme", "lab", name);
    return new TestAgent(id, blackboards, (call, what) -> "yes", NodePorts.none(), registry)
        .context(ExecutionContext.of(id, RUN).session(SESSION));
  }

  @AfterEach
  void close() {
    blackboards.close();
  }

  private static <C extends AgentCapability> C made(
      Class<C> type, TestAgent agent, Object args, JsonNode kept) {
    Blueprint blueprint = Blueprint.bind(type, args);
    CapabilityContext context = agent.capabilityContext(blueprint.type());
    C capability =
        type.cast(AgentTypes.installed().create(AgentCapability.class, blueprint, context));
    if (!kept.isNull()) {
      capability.restore(kept);
    }
    CapabilityHooks.add(capability, agent.hooks());
    agent.with(capability);
    return capability;
  }

  private static InferenceReply infer(TestAgent agent, long tokens) throws Exception {
    return agent
        .hooks()
        .call(
            JoinPoints.INFER,
            agent,
            agent,
            () -> InferenceReply.text("c", "yes", new Usage(tokens - 5, 0, 5), "test", false));
  }

  private static void iterate(TestAgent agent, int iteration, ActionPolicyIterationResult result)
      throws Exception {
    ActionPolicyExecutionState state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                new RunRequest(agent.context(), "test", NullNode.instance, "test", Instant.EPOCH),
                iteration,
                RunStats.NONE,
                SharedActionHistory.none(),
                JsonNodeFactory.instance.objectNode(),
                List.of(),
                agent.context().session(),
                DurableMemory.EMPTY,
                Map.of()));
    state.custom().put("at", iteration);
    agent.hooks().call(JoinPoints.ITERATION, agent, agent, () -> result, state);
  }

  private List<String> keys(TestAgent of, String glob) {
    return of.blackboard().query(Query.keys(glob)).toCompletableFuture().join().entries().stream()
        .map(entry -> entry.key())
        .toList();
  }

  @Test
  void tokensAreCountedPerRunAndOverASessionsAgents() throws Exception {
    TokenTrackingCapability tokens =
        made(
            TokenTrackingCapability.class,
            agent,
            TokenTrackingCapability.Args.DEFAULT,
            NullNode.instance);
    TestAgent other = agent("other", HookedAgent.registry());
    made(
        TokenTrackingCapability.class,
        other,
        TokenTrackingCapability.Args.DEFAULT,
        NullNode.instance);
    infer(agent, 100);
    infer(agent, 50);
    infer(other, 7);
    assertThat(tokens.ofRun(RUN)).isEqualTo(new TokenTotals(2, new Usage(140, 0, 10)));
    iterate(agent, 0, ActionPolicyIterationResult.skipped());
    iterate(agent, 1, ActionPolicyIterationResult.skipped());
    iterate(other, 0, ActionPolicyIterationResult.skipped());
    assertThat(tokens.ofSession(SESSION).tokens()).isEqualTo(157);
    assertThat(agent.blackboard().read("tokens:run:r1").toCompletableFuture().join().orElseThrow())
        .satisfies(entry -> assertThat(entry.version()).isEqualTo(1))
        .extracting(entry -> entry.as(TokenTotals.class).tokens())
        .isEqualTo(150L);
  }

  @Test
  void totalsGoOnFromTheSnapshotAndAStepThatIsRepeatedCountsOnce() throws Exception {
    TokenTrackingCapability tokens =
        made(
            TokenTrackingCapability.class,
            agent,
            TokenTrackingCapability.Args.DEFAULT,
            NullNode.instance);
    infer(agent, 100);
    JsonNode durable = tokens.snapshot();
    infer(agent, 50);
    TestAgent recovered = agent("counted", HookedAgent.registry());
    TokenTrackingCapability again =
        made(
            TokenTrackingCapability.class,
            recovered,
            TokenTrackingCapability.Args.DEFAULT,
            durable);
    infer(recovered, 50);
    assertThat(again.ofRun(RUN).tokens()).isEqualTo(150);
  }

  @Test
  void aWarningIsGivenOnceWhenTheLineIsCrossed() throws Exception {
    agent.blueprint(
        AgentBlueprint.of(Blueprint.of("test.none")).budget(RunBudget.OF_NODE.tokens(200)));
    made(
        TokenTrackingCapability.class,
        agent,
        new TokenTrackingCapability.Args(Optional.empty(), Optional.of(1000L), 0.5),
        NullNode.instance);
    infer(agent, 99);
    assertThat(keys(agent, "tokens:warning:*")).isEmpty();
    infer(agent, 10);
    infer(agent, 300);
    assertThat(keys(agent, "tokens:warning:*")).containsExactly("tokens:warning:run:r1");
    infer(agent, 100);
    assertThat(keys(agent, "tokens:warning:*"))
        .containsExactly("tokens:warning:run:r1", "tokens:warning:session:s1");
    assertThat(
            agent
                .blackboard()
                .read("tokens:warning:run:r1")
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .as(TokenTrackingCapability.Warning.class))
        .isEqualTo(new TokenTrackingCapability.Warning(109, 200));
  }

  private static RateLimitCapability.Args limit(
      String pointcut, Duration per, int burst, Duration maxWait) {
    return new RateLimitCapability.Args(
        List.of(new RateLimitCapability.Limit("few", pointcut, 1, per, burst, maxWait)));
  }

  @Test
  void aCallOverTheLimitIsRefusedAndMayBeTriedLater() throws Exception {
    RateLimitCapability limits =
        made(
            RateLimitCapability.class,
            agent,
            limit("Inference.infer", Duration.ofHours(1), 2, Duration.ofSeconds(1)),
            NullNode.instance);
    infer(agent, 10);
    infer(agent, 10);
    assertThatThrownBy(() -> infer(agent, 10))
        .isInstanceOfSatisfying(
            AgentException.class, refused -> assertThat(refused.retryable()).isTrue())
        .hasMessage(
            "the limit few allows 1 calls in PT1H: Inference.infer would wait longer than PT1S");
    TestAgent later = agent("counted", HookedAgent.registry());
    made(
        RateLimitCapability.class,
        later,
        limit("Inference.infer", Duration.ofHours(1), 2, Duration.ofSeconds(1)),
        limits.snapshot());
    assertThatThrownBy(() -> infer(later, 10)).hasMessageContaining("the limit few");
  }

  @Test
  void aCallWaitsForItsPermitOnItsOwnThread() throws Exception {
    made(
        RateLimitCapability.class,
        agent,
        new RateLimitCapability.Args(
            List.of(
                new RateLimitCapability.Limit(
                    "few", "*.infer", 50, Duration.ofSeconds(1), 1, Duration.ofMinutes(1)))),
        NullNode.instance);
    List<Thread> callers =
        IntStream.range(0, 10)
            .mapToObj(i ->
                Thread.startVirtualThread(() -> {
                  try {
                    infer(agent, 10);
                    agent
                        .blackboard()
                        .write(Write.value("done:" + i, i))
                        .toCompletableFuture()
                        .join();
                  } catch (Exception refused) {
                    throw new IllegalStateException(refused);
                  }
                }))
            .toList();
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(keys(agent, "done:*")).hasSize(10);
  }

  @Test
  void aLimitMayBeForSomeActionsOnly() throws Exception {
    made(
        RateLimitCapability.class,
        agent,
        limit("ActionDispatcher.dispatch and action(web.*)", Duration.ofHours(1), 1, Duration.ZERO),
        NullNode.instance);
    for (String key : List.of("web.fetch", "notes.write", "notes.write")) {
      dispatch(key);
    }
    assertThatThrownBy(() -> dispatch("web.find")).hasMessageContaining("the limit few");
  }

  private void dispatch(String key) throws Exception {
    Action action = Action.of("a1", key, null);
    ActionResult done = ActionResult.succeeded("a1", IntNode.valueOf(1));
    hooks.call(JoinPoints.DISPATCH, agent, agent, () -> done, action);
  }

  @Test
  void badLimitsAreRefusedWhenTheyAreBound() {
    assertThatThrownBy(() -> limit("Inference", Duration.ofHours(1), 2, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("character 10");
    assertThatThrownBy(() ->
            Blueprint.bind(
                RateLimitCapability.class, limit("a.b", Duration.ofHours(1), 0, Duration.ZERO)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("burst");
    assertThatThrownBy(() -> limit("a.b", Duration.ofDays(2), 1, Duration.ZERO))
        .hasMessage("per is PT48H, but must be PT0.000000001S to PT24H");
  }

  @Test
  void everyNthIterationIsStoredAndTheOldestGo() throws Exception {
    made(
        TokenTrackingCapability.class,
        agent,
        TokenTrackingCapability.Args.DEFAULT,
        NullNode.instance);
    CheckpointCapability checkpoints =
        made(
            CheckpointCapability.class,
            agent,
            new CheckpointCapability.Args(2, 3),
            NullNode.instance);
    infer(agent, 10);
    for (int iteration = 0; iteration < 10; iteration++) {
      iterate(agent, iteration, ActionPolicyIterationResult.skipped());
    }
    // Executed again after a crash.
    iterate(agent, 9, ActionPolicyIterationResult.skipped());
    assertThat(checkpoints.names()).containsExactly("r1-5", "r1-7", "r1-9");
    assertThat(keys(agent, "checkpoint:*")).hasSize(3);
    Checkpoint last = checkpoints.read("r1-9").orElseThrow();
    assertThat(last.run()).isEqualTo(RUN);
    assertThat(last.iteration()).isEqualTo(9);
    assertThat(last.custom().path("at").asInt()).isEqualTo(9);
    assertThat(last.capabilities()).containsOnlyKeys("hook.token_tracking");
    assertThat(checkpoints.read("r1-1")).isEmpty();
  }

  @Test
  void anIterationThatFailsStoresNoCheckpointAndAStoreThatFailsFailsNoIteration() throws Exception {
    CheckpointCapability checkpoints =
        made(
            CheckpointCapability.class,
            agent,
            new CheckpointCapability.Args(1, 3),
            NullNode.instance);
    assertThatThrownBy(() ->
            hooks.call(
                JoinPoints.ITERATION,
                agent,
                agent,
                () -> {
                  throw new IllegalStateException("policy");
                }))
        .hasMessage("policy");
    assertThat(checkpoints.names()).isEmpty();
    blackboards.close();
    iterate(agent, 0, ActionPolicyIterationResult.skipped());
  }
}
