package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.library.context.ContextCapability;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a child exports reaches its parent, over HTTP. */
class ChildExportsTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2));
  private static final AgentBlueprint WRITER =
      AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private static AgentBlueprint lead(Blueprint policy) {
    return AgentBlueprint.of(policy)
        .capability(ContextCapability.bind())
        .capability(
            ChildrenCapability.class, new ChildrenCapability.Kinds(Map.of("writer", WRITER)));
  }

  private AgentRun run(Blueprint policy) {
    model
        .expect("## Goals\n- write a draft")
        .calls("complete", Map.of("result", "written", "exports", Map.of("draft", "Dear all")));
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      return colony.spawn("lead", lead(policy)).run("Have it written", OPTIONS).join();
    }
  }

  @Test
  void theExportsOfAChildAreShownAndReferredTo() {
    model
        .expect("Have it written", "\"$children.NAME.KEY\"", " more agents that work for you")
        .calls(
            "agent_spawn",
            Map.of("kind", "writer", "name", "w", "task", Map.of("goal", "write a draft")),
            "agent_await",
            Map.of("names", List.of("w")));
    model
        .expect("\"exported\":{\"draft\":\"Dear all\"}")
        .act("context_fetch", Map.of("value", "$children.w.lost"));
    model
        .expect("$children.w.lost cannot be resolved: there is no lost")
        .act("context_fetch", Map.of("value", "$children.w.draft", "chars", 4));
    model.expect("\"text\":\"Dear\"").complete("$children.w.draft");
    AgentRun run = run(Blueprint.bind(MinimalActionPolicy.class, PlannerArgs.NONE));
    assertThat(run.error()).isEmpty();
    assertThat(run.output().asText()).isEqualTo("Dear all");
  }

  @Test
  void aPlanRefersToTheExportsOfAPartThatAChildCarriesOut() {
    ObjectNode plan = JsonNodeFactory.instance.objectNode().put("result", "$results.read.text");
    ArrayNode actions = plan.putArray("actions");
    ObjectNode read = actions.addObject().put("name", "read").put("action", "context_fetch");
    read.putObject("parameters").put("value", "$children.letter.draft");
    actions
        .addObject()
        .put("name", "letter")
        .put("goal", "write a draft")
        .put("delegate", "writer");
    model.expect("Have it written", "\"$children.NAME.KEY\"", "\"$global.").calls("plan", plan);
    AgentRun run = run(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE));
    assertThat(run.error()).isEmpty();
    assertThat(run.output().asText()).isEqualTo("Dear all");
  }
}
