package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.AgentSignal;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.capability.ChildrenCapability.Kinds;
import dev.colony.library.capability.ChildrenCapability.Outcome;
import dev.colony.library.capability.ChildrenCapability.Seen;
import dev.colony.library.capability.ChildrenCapability.Task;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a planner can do with children, and what it cannot. */
class ChildrenCapabilityTest {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final AgentBlueprint ANALYST = AgentBlueprint.of(Blueprint.of("test.analyst"));
  private static final AgentBlueprint CLERK = AgentBlueprint.of(Blueprint.of("test.clerk"));
  private static final Kinds KINDS = new Kinds(Map.of("analyst", ANALYST, "clerk", CLERK));
  private static final AgentId BOSS = new AgentId("acme", "lab", "boss");
  private static final ExecutionContext CONTEXT =
      ExecutionContext.of(BOSS, new RunId("r1")).session(new SessionId("s1"));

  private final Blackboards boards = new InMemoryBlackboards();
  private final ChildrenSettings settings = new ChildrenSettings(3, 2, 100);
  private final Colony colony =
      new BlackboardColony(
          boards,
          HomeResolver.byHash(1),
          Settings.read(ClientSettings.class, ConfigFactory.load()));
  private final ChildService families =
      new ChildService(boards, new ChildRegistry(boards, HomeResolver.byHash(1), settings), colony);
  private final TestAgent boss =
      new TestAgent(
              BOSS,
              boards,
              (call, what) -> "",
              NodePorts.none()
                  .with(
                      Children.class, families.of(BOSS, () -> CONTEXT, () -> WhileWaiting.NOTHING))
                  .with(Colony.class, colony),
              HookRegistry.NONE)
          .context(CONTEXT);
  private final ChildrenCapability capability =
      new ChildrenCapability(boss.capabilityContext("team"), KINDS);

  ChildrenCapabilityTest() {
    colony.spawn(BOSS, CLERK).toCompletableFuture().join();
    colony.sessions("acme", "lab").open(new SessionId("s1"), "test").toCompletableFuture().join();
  }

  @Test
  void itsActionsAreThoseOfTheTaxonomy() {
    assertThat(CapabilityType.of(ChildrenCapability.class).actions("team", Duration.ofMinutes(1)))
        .extracting(ActionDescription::key)
        .containsExactlyInAnyOrder(
            "agent_spawn", "agent_monitor", "agent_await", "agent_answer", "agent_terminate");
    assertThat(capability.summary().orElseThrow()).endsWith("analyst, clerk");
  }

  @Test
  void whatItMaySpawnIsCheckedWithItself() {
    assertThatThrownBy(() -> AgentTypes.installed().bind(ChildrenCapability.class, KINDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.");
    Kinds known = new Kinds(Map.of("clerk", AgentBlueprint.of(Blueprint.of("test.idle"))));
    Blueprint bound =
        AgentTypes.of(
                List.<TypeProvider>of(new CapabilityTypes(), types -> types.add(IdlePolicy.class)))
            .bind(ChildrenCapability.class, known);
    assertThat(bound.type()).isEqualTo("agent.children");
  }

  /** Stands in the blueprint of a child that is never made. */
  @Registered("test.idle")
  static class IdlePolicy implements ActionPolicy {
    @Override
    public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state) {
      return ActionPolicyIterationResult.awaitingEvents();
    }
  }

  @Test
  void onlyTheKindsOfItsBlueprintCanBeSpawned() {
    assertThatThrownBy(() -> spawn("hacker", "w", "task", "k1"))
        .isInstanceOf(AgentException.class)
        .hasMessage("there is no kind hacker, only [analyst, clerk]");
    assertThatThrownBy(() -> new Kinds(Map.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> spawn("clerk", "../x", "task", "k1"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTaskIsARunOfTheChildInTheSessionOfItsParent() throws Exception {
    Seen seen = spawn("analyst", "w1", "read this", "k1");
    assertThat(seen.name()).isEqualTo("boss.w1");
    assertThat(
            new AgentDirectory(boards)
                .find(child("w1"))
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .blueprint())
        .isEqualTo(ANALYST);
    List<RunRequest> requests = requests("w1");
    assertThat(requests).hasSize(1);
    assertThat(requests.getFirst().input())
        .isEqualTo(JsonNodeFactory.instance.objectNode().put("goals", "read this"));
    assertThat(requests.getFirst().context()).isEqualTo(CONTEXT.sets(requests.getFirst().runId()));

    spawn("analyst", "w1", "read this", "k1");
    assertThat(requests("w1")).as("the same action once more").hasSize(1);
    spawn("analyst", "w1", "and that", "k2");
    assertThat(requests("w1")).as("another task for the same child").hasSize(2);
    assertThat(capability.monitor())
        .containsExactly(new Seen("boss.w1", AgentState.INITIALIZED, "UNDER_WAY", ""));
  }

  @Test
  void awaitingGivesWhatTheTasksCameTo() throws Exception {
    spawn("analyst", "w1", "a", "k1");
    spawn("analyst", "w2", "b", "k2");
    spawn("clerk", "idler", null, "k3");
    answer("w1", id -> AgentRun.completed(id, text("forty-two"), RunStats.NONE));
    answer("w2", id -> AgentRun.failed(id, "no such page", RunStats.NONE));
    families
        .announce(child("idler"), AgentState.STOPPED, Optional.empty())
        .toCompletableFuture()
        .join();

    ChildrenCapability again = new ChildrenCapability(boss.capabilityContext("team"), KINDS);
    assertThat(again.await(List.of(), Optional.empty()))
        .containsExactlyInAnyOrder(
            new Outcome("boss.w1", "COMPLETED", text("forty-two"), ""),
            new Outcome("boss.w2", "FAILED", JsonNodeFactory.instance.nullNode(), "no such page"),
            new Outcome("boss.idler", "STOPPED", null, ""));
    assertThat(again.monitor())
        .containsExactlyInAnyOrder(
            new Seen("boss.w1", AgentState.INITIALIZED, "COMPLETED", ""),
            new Seen("boss.w2", AgentState.INITIALIZED, "FAILED", "no such page"),
            new Seen("boss.idler", AgentState.STOPPED, "", ""));
  }

  @Test
  void whoFollowsTheRunHearsWhomItWaitsFor() throws Exception {
    spawn("analyst", "w1", "a", "k1");
    List<Object> said = new ArrayList<>();
    ActionContext context =
        (ActionContext)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ActionContext.class},
                (proxy, method, arguments) ->
                    method.getName().equals("progress") ? said.add(arguments[1]) : "await-1");
    capability.await(List.of("w1"), Optional.of(1), Optional.empty(), Optional.empty(), context);
    assertThat(said).containsExactly("waits for boss.w1");
  }

  @Test
  void awaitingEndsWhenItsTimeIsOver() throws Exception {
    spawn("analyst", "w1", "a", "k1");
    assertThat(capability.await(List.of("w1"), Optional.of(1)))
        .singleElement()
        .satisfies(left -> {
          assertThat(left.status()).isEqualTo("UNDER_WAY");
          assertThat(left.error()).contains("has not ended within");
        });
    assertThatThrownBy(() -> capability.await(List.of("w1"), Optional.of(0)))
        .hasMessage("seconds must be 1 to 3500, but is 0");
    assertThatThrownBy(() -> capability.await(List.of("nobody"), Optional.of(1)))
        .hasMessage("no agent nobody works for this one, only [boss.w1]");
  }

  @Test
  void aChildIsStopped() throws Exception {
    spawn("clerk", "w1", null, "k1");
    capability.terminate("w1");
    assertThat(messages("w1"))
        .anyMatch(message ->
            AgentSignal.of(message)
                .filter(signal -> signal instanceof AgentSignal.Wanted)
                .isPresent());
  }

  @Test
  void theBoundsAreToldToThePlanner() throws Exception {
    for (int i = 0; i < 3; i++) {
      capability.spawn("clerk", Optional.empty(), Optional.empty(), new IdempotencyKey("k" + i));
    }
    assertThat(capability.monitor()).hasSize(3);
    assertThatThrownBy(() -> spawn("clerk", "one-more", null, "k9"))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("colony.agent.children.max is 3");
  }

  @Test
  void aTaskIsTheGoalAndTheInputOfTheChildsRun() {
    ObjectNode page = JsonNodeFactory.instance.objectNode().put("page", 3);
    assertThat(new Task("read", Optional.of(page)).runInput())
        .isEqualTo(JsonNodeFactory.instance.objectNode().put("page", 3).put("goals", "read"));
    assertThat(new Task("add", Optional.of(text("x"))).runInput())
        .isEqualTo(JsonNodeFactory.instance.objectNode().put("input", "x").put("goals", "add"));
  }

  private Seen spawn(String kind, String name, String task, String key) throws Exception {
    return capability.spawn(
        kind,
        Optional.of(name),
        Optional.ofNullable(task).map(goal -> new Task(goal, Optional.empty())),
        new IdempotencyKey(key));
  }

  private void answer(String name, Function<RunId, AgentRun> run) {
    RunId id = requests(name).getFirst().runId();
    boards
        .open(child(name).scope().namespace(ChildrenCapability.NAMESPACE), name)
        .write(Write.of(PROTOCOL.resultKey(id.value()), run.apply(id).toJson()))
        .toCompletableFuture()
        .join();
  }

  private List<RunRequest> requests(String name) {
    return messages(name).stream()
        .filter(message -> PROTOCOL.requestId(message.key()).isPresent())
        .map(message -> RunRequest.fromJson(message.value()))
        .toList();
  }

  private List<InboxMessage.Request> messages(String name) {
    return IntStream.range(0, boards.inbox().buckets())
        .mapToObj(bucket -> boards.inbox().pending(bucket, 100).toCompletableFuture().join())
        .flatMap(List::stream)
        .filter(message -> message.recipient().equals(child(name).persistenceId()))
        .map(InboxMessage.Request.class::cast)
        .toList();
  }

  private static AgentId child(String name) {
    return new AgentId("acme", "lab", "boss." + name);
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.textNode(text);
  }
}
