package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Write;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.server.fixture.StoredAgents;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the agents commands print of agents of every sort. */
class AgentsCommandTest {

  private static final AgentId BOSS = new AgentId("acme", "lab", "boss");
  private static final AgentId WORKER = new AgentId("acme", "lab", "boss.w1");
  private static final String WORKER_ID = WORKER.persistenceId();
  private static final AgentId IDLER = new AgentId("acme", "lab", "boss.w2");
  private static final AgentId OTHER = new AgentId("other", "shop", "clerk");
  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  private static AgentsRig rig;

  @BeforeAll
  static void fill() {
    rig = new AgentsRig();
    Blueprint children = new Blueprint("agent.children", 1, JsonNodeFactory.instance.objectNode());
    Blueprint unknown = Blueprint.of("unknown.type");
    rig.spawn(
        BOSS,
        BLUEPRINT
            .capability(CapabilityBlueprint.of(children))
            .capability(CapabilityBlueprint.of(unknown)));
    rig.spawn(BOSS, "boss.w1", BLUEPRINT);
    rig.spawn(BOSS, "boss.w2", BLUEPRINT);
    rig.spawn(OTHER, BLUEPRINT);
    rig.born(BOSS, BLUEPRINT);
    rig.journal(
        BOSS, new AgentEvent.RunAccepted(StoredAgents.request(BOSS, "r1"), 1, StoredAgents.START));
    step(BOSS, 0, ActionResult.succeeded("a0", text("found\u001b[2J it")), Optional.empty());
    step(BOSS, 1, ActionResult.failed("a1", "no such page"), Optional.empty());
    step(
        BOSS,
        2,
        ActionResult.blocked("a2", "waits for its worker", List.of(WORKER)),
        Optional.of(
            new Blocked(
                false,
                "waits for its worker",
                List.of(WORKER),
                Optional.empty(),
                StoredAgents.START)));
    rig.born(WORKER, BLUEPRINT);
    rig.journal(
        WORKER,
        new AgentEvent.Transitioned(
            LifecycleCommand.SUSPEND,
            AgentState.IDLE,
            AgentState.SUSPENDED,
            "over night",
            Optional.of(
                new Suspension(
                    1,
                    SuspensionCause.EXPLICIT,
                    "over night",
                    Optional.empty(),
                    StoredAgents.START)),
            0,
            StoredAgents.START));
  }

  @AfterAll
  static void close() {
    rig.close();
  }

  private static void step(
      AgentId agent, int number, ActionResult result, Optional<Blocked> parked) {
    rig.journal(
        agent,
        new AgentEvent.ModelAnswered(
            "plan",
            InferenceReply.text("plan", "do it", new Usage(1_000, 0, 234), "replica", false),
            false,
            Optional.of(new BigDecimal("0.5")),
            StoredAgents.START),
        new AgentEvent.StepCompleted(
            number,
            Optional.of(
                new ActionCall(
                    Action.of("a" + number, "test.do", JsonNodeFactory.instance.objectNode()),
                    result)),
            StepDelta.NONE,
            Optional.empty(),
            parked,
            Optional.empty(),
            StoredAgents.START.plusMillis(250)));
  }

  @Test
  void agentsAreListedWithTheirStates() {
    assertThat(
            done().out().lines().map(line -> line.split("\\s+")[0] + " " + line.split("\\s+")[1]))
        .containsExactly(
            "agent state",
            "acme/lab/boss WAITING",
            "acme/lab/boss.w1 SUSPENDED",
            "acme/lab/boss.w2 INITIALIZED",
            "other/shop/clerk INITIALIZED");
    assertThat(done().out()).contains("over night");
    assertThat(ids(done("--tenant", "other", "--json").json())).containsExactly("other/shop/clerk");
    assertThat(ids(done("--colony", "lab", "--json").json())).hasSize(3);
    assertThat(done("--tenant", "absent").out()).isEqualTo("no agents\n");
  }

  @Test
  void aListComesInPages() {
    JsonNode first = done("--limit", "2", "--json").json();
    assertThat(ids(first)).containsExactly("acme/lab/boss", "acme/lab/boss.w1");
    assertThat(first.path("next").asText()).isEqualTo("acme/lab/boss.w1");
    JsonNode rest = done("--limit", "2", "--after", "acme/lab/boss.w1", "--json").json();
    assertThat(ids(rest)).containsExactly("acme/lab/boss.w2", "other/shop/clerk");
    assertThat(rest.has("next")).isFalse();
    assertThat(done("--limit", "2").out()).endsWith("there are more: --after acme/lab/boss.w1\n");
  }

  @Test
  void aListHasThoseToWhichAllFiltersApply() {
    assertThat(ids(done("--in-state", "suspended", "--json").json())).containsExactly(WORKER_ID);
    assertThat(ids(done("--cause", "explicit", "--json").json())).containsExactly(WORKER_ID);
    assertThat(ids(done("--in-state", "IDLE", "--cause", "EXPLICIT", "--json").json())).isEmpty();
    assertThat(ids(done("--prefix", "boss.", "--json").json()))
        .containsExactly(WORKER_ID, IDLER.persistenceId());
    assertThat(ids(done("--policy", "test.policy", "--json").json())).hasSize(4);
    assertThat(done("--policy", "test.other").out()).isEqualTo("no agents\n");
    JsonNode first = done("--in-state", "initialized", "--limit", "1", "--json").json();
    assertThat(ids(first)).containsExactly(IDLER.persistenceId());
    assertThat(first.path("next").asText()).isEqualTo(IDLER.persistenceId());
    assertThat(
            ids(
                done("--in-state", "initialized", "--after", IDLER.persistenceId(), "--json")
                    .json()))
        .containsExactly(OTHER.persistenceId());
    assertThat(rig.bad("agents", "--cause", "tired")).contains("cause is tired", "APPROVAL");
    assertThat(rig.bad("agents", "--prefix", "a*")).contains("prefix is up to 128 characters");
    assertThat(rig.bad("agents", "--in-state", "tired")).contains("SUSPENDED");
  }

  @Test
  void aTreeShowsWhoSpawnedWhom() {
    assertThat(done("tree").out())
        .isEqualTo(
            """
            acme/lab/boss  WAITING  1 open run
              boss.w1  SUSPENDED  over night
              boss.w2  INITIALIZED
            other/shop/clerk  INITIALIZED
            """);
    JsonNode tree = done("tree", "--json").json();
    assertThat(tree.path("complete").asBoolean()).isTrue();
    assertThat(tree.path("agents").path(0).path("children")).hasSize(2);
    assertThat(tree.path("agents").path(0).path("children").path(0).path("parent").asText())
        .isEqualTo("acme/lab/boss");
    assertThat(done("tree", "--limit", "2").out()).endsWith("there are more: raise --limit\n");
  }

  @Test
  void oneAgentIsShownWhole() {
    rig.blackboards()
        .open(FailedWokenRun.scope(BOSS), "boss")
        .write(
            Write.of(
                FailedWokenRun.KEY,
                JsonNodeFactory.instance.objectNode().put("runId", "w1").put("reason", "no model")))
        .toCompletableFuture()
        .join();
    assertThat(done().out()).contains("run w1 has failed: no model");
    assertThat(
            done("--prefix", "boss", "--json").json().at("/agents/0/lastFailure/reason").asText())
        .isEqualTo("no model");
    String shown = done("show", "acme/lab/boss").out();
    assertThat(shown)
        .containsPattern("failed +run w1, which events have started, at 2\\S+: no model");
    assertThat(shown)
        .startsWith("acme/lab/boss\n  state     WAITING\n")
        .contains("policy    test.policy v1")
        .contains("10 events, incarnation 1 on node-1")
        .contains("r1 in work, asked for by tester")
        .contains(
            "3 steps, 3 model calls, 3,702 tokens, cost 1.5; blocked: waits for its worker waits"
                + " for [")
        .contains("agent.children (agent.children v1)")
        .contains("agent_spawn  Spawns an agent")
        .contains("unknown.type v1): no AgentCapability unknown.type is registered here")
        .contains("last steps");
    JsonNode json = done("show", "acme/lab/boss", "--json").json();
    assertThat(json.path("lastFailure").path("reason").asText()).isEqualTo("no model");
    assertThat(json.path("runs").path(0).path("stats").path("steps").asInt()).isEqualTo(3);
    assertThat(json.path("runs").path(0).path("blocked").path("blockingAgentIds").path(0).asText())
        .isEqualTo("acme/lab/boss.w1");
    assertThat(json.path("capabilities").path(0).path("actions")).hasSize(5);
    assertThat(json.path("steps")).hasSize(3);

    assertThat(done("show", "acme/lab/boss.w2").out())
        .contains("parent    acme/lab/boss, at depth 1; stops with it")
        .contains("journal   not started yet");
  }

  @Test
  void stepsShowActionsResultsTokensAndErrors() {
    assertThat(done("steps", "acme/lab/boss").out().lines())
        .containsExactly(
            "6  2026-11-22T04:00:00.250Z  r1 #0  250 ms  1,234 tokens  test.do SUCCEEDED"
                + "  \"found\\u001B[2J it\"",
            "8  2026-11-22T04:00:00.250Z  r1 #1  250 ms  1,234 tokens  test.do FAILED  no such"
                + " page",
            "10  2026-11-22T04:00:00.250Z  r1 #2  250 ms  1,234 tokens  test.do BLOCKED"
                + "  waits for its worker  waits for"
                + " [acme/lab/boss.w1]");
    List<String> last = done("steps", "acme/lab/boss", "-n", "1").out().lines().toList();
    assertThat(last).hasSize(2);
    String place = last.get(1).substring("there are earlier ones: --before ".length());
    assertThat(done("steps", "acme/lab/boss", "--before", place).out().lines())
        .extracting(line -> line.split(" ")[0])
        .containsExactly("6", "8");
    Rig.assertOneLine(rig.agents("steps", "acme/lab/boss", "--before", "x"), 2, "no position");
    assertThat(done("show", "acme/lab/boss", "--at", "6").out())
        .contains("state     RUNNING", "1 step,");
    Rig.assertOneLine(rig.agents("show", "acme/lab/boss", "--at", "99"), 1, "has come to 10");
    JsonNode steps = done("steps", "acme/lab/boss", "--json").json().path("steps");
    assertThat(steps.path(0).path("actions").path(0).path("output").asText())
        .isEqualTo("found\u001b[2J it");
    assertThat(steps.path(0).path("usage").path("promptTokens").asInt()).isEqualTo(1_000);
    assertThat(steps.path(1).path("actions").path(0).path("error").asText())
        .isEqualTo("no such page");
    assertThat(done("steps", "other/shop/clerk").out()).isEqualTo("no steps\n");
  }

  @Test
  void anAgentThatIsNotThere() {
    Rig.assertOneLine(rig.agents("show", "acme/lab/ghost"), 1, "there is no agent acme/lab/ghost");
    Rig.assertOneLine(rig.agents("steps", "acme/lab/ghost"), 1, "no agent acme/lab/ghost");
  }

  @Test
  void whatCannotBeUsedIsRefusedInOneLine() {
    Rig.assertOneLine(rig.agents("show", "boss"), 2, "tenant/colony/name");
    Rig.assertOneLine(rig.agents("show", "a/b/c d"), 2, "c d");
    Rig.assertOneLine(rig.agents("show"), 2, "AGENT");
    Rig.assertOneLine(rig.agents("steps", "a/b/c", "-n", "0"), 2, "-n is 0, but must be 1 to 1000");
    Rig.assertOneLine(rig.agents("steps", "a/b/c", "-n", "many"), 2, "-n");
    Rig.assertOneLine(rig.agents("--limit", "0"), 2, "--limit is 0");
    Rig.assertOneLine(rig.agents("tree", "--limit", "10001"), 2, "--limit is 10001");
    Rig.assertOneLine(rig.agents("--tenant", "a b"), 2, "a b");
    Rig.assertOneLine(rig.agents("--after", "x"), 2, "--after");
    Rig.assertOneLine(rig.agents("forest"), 2, "forest");
  }

  private static Finished done(String... arguments) {
    Finished finished = rig.agents(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  private static List<String> ids(JsonNode page) {
    return StreamSupport.stream(page.path("agents").spliterator(), false)
        .map(agent -> agent.path("agentId").asText())
        .toList();
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.textNode(text);
  }
}
