package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Ears;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.fixture.GuideDesk;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.Reactive;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.library.policy.MinimalActionPolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What docs/guides/suspension.md shows, run on a node. */
class SuspensionGuideTest extends LiveFixture {

  private static final AgentBlueprint DESK =
      AgentBlueprint.of(Blueprint.of(Reactive.TYPE), Blueprint.of(GuideDesk.TYPE));

  @Override
  protected String settings() {
    return "colony.agent { passivate-after = 50ms, suspension.after-waiting = 50ms }";
  }

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/suspension.md", SuspensionGuideTest.class, GuideDesk.class);
  }

  @Test
  void byHand() {
    spawn(TestTypes.BLUEPRINT);
    // guide: suspend
    agent.suspend("no work at night");
    // guide end
    awaitMoved(AgentState.SUSPENDED);
    now(agent.resume("good morning"));
    awaitMoved(AgentState.IDLE);
  }

  @Test
  void untilSomethingHasHappened() {
    spawn(TestTypes.BLUEPRINT);
    Instant morning = Instant.now().plus(Duration.ofHours(8));
    // guide: until
    agent.suspend(
        "the import runs",
        ResumptionCondition.any(
            new ResumptionCondition.Custom("imported"), new ResumptionCondition.At(morning)));
    // guide end
    await().until(() -> !journaled(AgentEvent.SuspensionEntered.class).isEmpty());
    // guide: signal
    agent.signal("imported", "412 files");
    // guide end
    await().until(() -> journaled(AgentEvent.Transitioned.class).getLast().to() == AgentState.IDLE);
  }

  @Test
  void aTenantAsAWhole() {
    Colony colony = node.colony();
    // guide: scope
    colony.suspensions().suspend(Scope.tenant("acme"), "too dear").join();
    colony.suspensions().resume(Scope.tenant("acme")).join();
    // guide end
    assertThat(now(colony.suspensions().list("acme"))).isEmpty();
  }

  @Test
  void untilOthersHaveEnded() {
    String name = id.name() + "-reviewer";
    AgentId reviewer = new AgentId("acme", "lives", name);
    now(node.colony().spawn(reviewer, TestTypes.BLUEPRINT));
    spawn(DESK);
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.putArray("reviewers").add(name);
    run("r1", acting("guide.desk.await_reviews", params));
    awaitBlocked();
    now(node.colony().agent(reviewer).stop("it is done"));
    await()
        .until(() -> journaled(AgentEvent.Transitioned.class).getLast().to() == AgentState.RUNNING);
  }

  private static ObjectNode acting(String key, ObjectNode params) {
    return input("act", key).set("params", params);
  }

  @Test
  void aPersonApprovesAnAction() {
    spawn(DESK.capability(CapabilityBlueprint.of(Blueprint.of(Ears.TYPE)).scope(scope)));
    RunHandle run =
        run(
            "r1",
            acting("guide.desk.pay", JsonNodeFactory.instance.objectNode().put("invoice", "i-7")));
    awaitMoved(AgentState.SUSPENDED);
    String request =
        journaled(AgentEvent.StepCompleted.class).getFirst().blocked().orElseThrow().reason();
    assertThat(request).contains("guide.desk.pay {\"invoice\":\"i-7\"}");
    request = request.substring("a person has to approve ".length(), request.indexOf(':'));
    // guide: approve
    agent.approve(request, "lead", "the budget allows it");
    // guide end
    await().until(() -> journaled(AgentEvent.StepCompleted.class).size() > 1);
    alarm("done");
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    assertThat(
            journaled(AgentEvent.StepCompleted.class).stream()
                .flatMap(step -> step.call().stream())
                .map(call -> call.result().output().asText())
                .toList())
        .isEqualTo(List.of("null", "paid i-7"));
  }

  @Test
  void aBudgetThatMayBeRaised() {
    // guide: budget
    AgentBlueprint careful =
        AgentBlueprint.of(MinimalActionPolicy.class)
            .budget(RunBudget.OF_NODE.tokens(200_000).whenSpent(RunBudget.WhenSpent.SUSPEND));
    // guide end
    assertThat(careful.budget().whenSpent()).isEqualTo(RunBudget.WhenSpent.SUSPEND);
  }
}
