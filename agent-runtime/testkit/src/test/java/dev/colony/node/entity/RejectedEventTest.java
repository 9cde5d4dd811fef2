package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.fixture.Ears;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What an agent's code or another program makes cannot be journaled. Each case ends in a stated
 * failure, and what was done outside is done once.
 */
class RejectedEventTest {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String HALF = "ab\ud83d";
  private static final int LARGE = 60_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final JournaledAgents world =
      new JournaledAgents(
          """
          colony.agent.journal.max-event-bytes = 65536
          colony.agent.max-recoveries = 3
          """,
          boards,
          new InstantModel());

  @AfterEach
  void end() {
    world.close();
  }

  /** Pays once for each time that it is executed, and answers what the test says. */
  @Registered(Payer.TYPE)
  static final class Payer extends AgentCapability {

    static final String TYPE = "test.payer";
    static final ConcurrentMap<AgentId, AtomicInteger> PAID = new ConcurrentHashMap<>();
    static final ConcurrentMap<AgentId, Supplier<Object>> ANSWERS = new ConcurrentHashMap<>();
    static final ConcurrentMap<AgentId, JsonNode> SNAPSHOTS = new ConcurrentHashMap<>();

    Payer(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL)
    Object pay(ActionContext context) {
      PAID.computeIfAbsent(agent().id(), id -> new AtomicInteger()).incrementAndGet();
      return ANSWERS.get(agent().id()).get();
    }

    @Override
    public JsonNode snapshot() {
      return SNAPSHOTS.getOrDefault(agent().id(), JSON.nullNode());
    }
  }

  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE), Blueprint.of(Payer.TYPE));

  /** Pays in its first step and completes with what came of it in its second. */
  private AgentId paying(String name, Supplier<Object> answer) {
    return paying(name, JSON.objectNode(), answer);
  }

  private AgentId paying(String name, ObjectNode params, Supplier<Object> answer) {
    AgentId id = world.id(name + "-" + System.nanoTime());
    Payer.ANSWERS.put(id, answer);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() > 0) {
            ActionResult last = state.history().getLast().result();
            return ActionPolicyIterationResult.completed(
                ActionPolicyOutput.of(JSON.textNode(last.status() + " " + last.error())));
          }
          Action action = Action.of("p", Payer.TYPE + ".pay", params);
          return ActionPolicyIterationResult.acted(action, context.dispatcher().dispatch(action));
        });
    return id;
  }

  private ActorRef<AgentMessage> start(AgentId id) {
    return start(id, "node");
  }

  private ActorRef<AgentMessage> start(AgentId id, String node) {
    return world.start(
        id,
        node,
        types -> {
          world.types.register(types);
          types.add(Payer.class);
        });
  }

  private AgentRun run(AgentId id) {
    return run(id, JSON.nullNode());
  }

  private AgentRun run(AgentId id, JsonNode input) {
    join(world.agents.colony.spawn(id, BLUEPRINT));
    ActorRef<AgentMessage> agent = start(id);
    assertThat(world.accept(agent, id, "r1", input)).isEqualTo(new AcceptReply.Accepted());
    AgentRun run = world.result(id, "r1");
    // It lives on.
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.completed(ActionPolicyOutput.of(JSON.textNode("next"))));
    Payer.SNAPSHOTS.remove(id);
    assertThat(world.accept(agent, id, "r2", input)).isEqualTo(new AcceptReply.Accepted());
    assertThat(world.result(id, "r2").output().asText()).isEqualTo("next");
    return run;
  }

  private static int paid(AgentId id) {
    return Payer.PAID.getOrDefault(id, new AtomicInteger()).get();
  }

  @Test
  void anActionThatReturnsHalfAPairHasFailedAndIsNotRepeated() {
    AgentId id = paying("returns", () -> Map.of("a", Map.of("b", HALF)));
    assertThat(run(id).output().asText())
        .startsWith("FAILED the output cannot be stored: $.a.b")
        .contains("half a surrogate pair at character 2");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void aMessageThatIsCutWithinAPairIsWhole() {
    AgentId id =
        paying(
            "throws",
            () -> {
              throw new IllegalStateException("x".repeat(996) + "😀".repeat(20));
            });
    String output = run(id).output().asText();
    assertThat(output).isEqualTo("FAILED " + "x".repeat(996) + "...");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void aMessageWithHalfAPairIsTold() {
    AgentId id =
        paying(
            "message",
            () -> {
              throw new IllegalStateException("no " + HALF);
            });
    assertThat(run(id).output().asText()).isEqualTo("FAILED no ab\uFFFD");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void parametersWithHalfAPairAreRefusedBeforeAnythingIsDone() {
    AgentId id = paying("params", JSON.objectNode().put("to", HALF), () -> "paid");
    AgentRun run = run(id);
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow())
        .contains("the parameters of action p", "$.to holds half a surrogate pair at character 2");
    assertThat(paid(id)).isZero();
  }

  @Test
  void aResultOfThePolicyWithHalfAPairEndsTheRun() {
    AgentId id = paying("policy", () -> "paid");
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.completed(
                ActionPolicyOutput.of(JSON.objectNode().put("answer", HALF))));
    AgentRun run = run(id);
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error())
        .contains(
            "the output cannot be stored: $.answer holds half a surrogate pair at character 2");
  }

  @Test
  void aSnapshotWithHalfAPairEndsTheRunAndThePaymentIsNotRepeated() {
    AgentId id = paying("snapshot", () -> "paid");
    Payer.SNAPSHOTS.put(id, JSON.arrayNode().add(HALF));
    AgentRun run = run(id);
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow())
        .contains("the snapshot of", "$[0] holds half a surrogate pair at character 2");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void whatTheJournalRefusesAsTooLargeEndsTheRunAndThePaymentIsNotRepeated() {
    AgentId id = paying("large", () -> "paid");
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          Action action = Action.of("p", Payer.TYPE + ".pay", JSON.objectNode());
          ActionResult result = context.dispatcher().dispatch(action);
          state.custom().put("large", "ü".repeat(LARGE));
          return ActionPolicyIterationResult.acted(action, result);
        });
    AgentRun run = run(id);
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow())
        .contains(
            "the journal refuses what came of the step", "colony.agent.journal.max-event-bytes");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void aRequestThatTheJournalRefusesIsAnsweredSoAndTheAgentGoesOn() {
    AgentId id = paying("request", () -> "paid");
    join(world.agents.colony.spawn(id, BLUEPRINT));
    ActorRef<AgentMessage> agent = start(id);
    for (String tooMuch : new String[] {HALF, "ü".repeat(LARGE)}) {
      assertThat(world.accept(agent, id, "r0", JSON.textNode(tooMuch)))
          .isInstanceOfSatisfying(
              AcceptReply.Rejected.class,
              rejected -> assertThat(rejected.reason()).startsWith("the journal refuses it: "));
    }
    assertThat(world.accept(agent, id, "r1", JSON.nullNode()))
        .isEqualTo(new AcceptReply.Accepted());
    assertThat(world.result(id, "r1").output().asText()).isEqualTo("SUCCEEDED ");
    assertThat(paid(id)).isEqualTo(1);
  }

  @Test
  void whoeverAsksAnAgentWhoseFirstEventIsRefusedIsToldThatItCannotBeRecovered() {
    AgentId id = paying("born", () -> "paid");
    ObjectNode much = JSON.objectNode().put("text", "ü".repeat(LARGE / 2 - 100));
    AgentBlueprint large =
        AgentBlueprint.of(new Blueprint(PlayedPolicy.TYPE, much))
            .capability(CapabilityBlueprint.of(new Blueprint(Payer.TYPE, much)));
    join(world.agents.colony.spawn(id, large));
    ActorRef<AgentMessage> agent = start(id);
    for (int i = 0; i < 3; i++) {
      assertThat(world.accept(agent, id, "r1", JSON.nullNode()))
          .isInstanceOfSatisfying(
              AcceptReply.Rejected.class,
              rejected ->
                  assertThat(rejected.reason())
                      .startsWith("the agent cannot be recovered: ")
                      .contains("colony.agent.journal.max-event-bytes"));
    }
    assertThat(world.directory.look(id))
        .succeedsWithin(PATIENCE)
        .satisfies(found -> assertThat(found).isPresent());
  }

  @Test
  void eventsThatTheJournalRefusesLeaveTheAgentAtWorkWithoutEvents() {
    AgentId id = world.id("hears-" + System.nanoTime());
    Scope scope = id.scope().namespace("desk");
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.completed(ActionPolicyOutput.of(JSON.textNode("done"))));
    join(
        world.agents.colony.spawn(
            id,
            AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE))
                .capability(CapabilityBlueprint.of(Blueprint.of(Ears.TYPE)).scope(scope))));
    ActorRef<AgentMessage> agent = start(id);

    Position taken = write(scope, "alarm:1", "small");
    notice(agent, scope, taken);
    await().atMost(PATIENCE).until(() -> taken(id).equals(taken));

    notice(agent, scope, write(scope, "alarm:2", "ü".repeat(LARGE)));
    await().atMost(PATIENCE).until(() -> world.look(id).incarnation() == 2);
    assertThat(world.accept(agent, id, "r1", JSON.nullNode()))
        .isEqualTo(new AcceptReply.Accepted());
    assertThat(world.result(id, "r1").output().asText()).isEqualTo("done");

    notice(agent, scope, write(scope, "alarm:3", "small"));
    assertThat(world.accept(agent, id, "r2", JSON.nullNode()))
        .isEqualTo(new AcceptReply.Accepted());
    assertThat(world.result(id, "r2").output().asText()).isEqualTo("done");
    assertThat(taken(id)).as("what was taken of the scope").isEqualTo(taken);
    assertThat(world.look(id).incarnation()).isEqualTo(2);
  }

  private Position write(Scope scope, String key, String text) {
    return ((WriteResult.Written) join(boards.open(scope, "someone").write(Write.value(key, text))))
        .position();
  }

  /** Told once the agent has journaled it. */
  private void notice(ActorRef<AgentMessage> agent, Scope scope, Position position) {
    assertThat(world.noticed(agent, scope, position))
        .isInstanceOfSatisfying(
            WakeReply.Noticed.class,
            noticed -> assertThat(noticed.upTo()).isGreaterThanOrEqualTo(position));
  }

  private Position taken(AgentId id) {
    return world.look(id).watches().getFirst().taken();
  }

  @Test
  void anAgentThatIsRecoveredOverAndOverInOneStepEndsItsRun() throws Exception {
    AgentId id = world.id("again-" + System.nanoTime());
    join(world.agents.colony.spawn(id, TestTypes.BLUEPRINT));
    world.types.hold("a0");
    ActorRef<AgentMessage> first = world.start(id);
    world.accept(first, id, "r1", TestTypes.input(1, "retryable"));
    for (int node = 1; node <= 4; node++) {
      assertThat(world.types.begun.poll(20, TimeUnit.SECONDS)).as("try %d", node).isNotNull();
      start(id, "node-" + node);
    }
    AgentRun run = world.result(id, "r1");
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error())
        .contains("the agent was recovered 4 times in a row without the end of a step");
    assertThat(world.types.begun.poll()).isNull();
  }
}
