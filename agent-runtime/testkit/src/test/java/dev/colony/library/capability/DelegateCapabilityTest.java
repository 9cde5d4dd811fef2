package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.TestColony;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A task is handed to a worker once, and waited for durably. */
class DelegateCapabilityTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2));
  private static final AgentBlueprint ADDER =
      AgentBlueprint.of(
          ScriptedActionPolicy.class, Script.of(ScriptedRule.first().complete("$numbers.1")));
  private static final AgentBlueprint LOSER =
      AgentBlueprint.of(
          ScriptedActionPolicy.class, Script.of(ScriptedRule.first().fail("cannot be done")));

  private static AgentBlueprint lead(String to) {
    Object[] task = {"to", to, "task", Map.of("numbers", List.of(1, 2))};
    return AgentBlueprint.of(
            ScriptedActionPolicy.class,
            Script.of(
                ScriptedRule.first().act("delegate", task),
                ScriptedRule.after("delegate").succeeded().complete("$delegated"),
                ScriptedRule.after("delegate").where("again", true).complete("in vain"),
                ScriptedRule.after("delegate").set("again", true).act("delegate", task)))
        .capability(
            DelegateCapability.class,
            new DelegateCapability.Workers(Map.of("adder", ADDER, "loser", LOSER)));
  }

  @Test
  void theResultOfAWorkerIsThatOfTheAction() {
    try (TestColony colony = TestColony.inMemory().start()) {
      AgentHandle lead = colony.spawn("lead", lead("adder"));
      assertThat(lead.run(Map.of(), OPTIONS).join().output().asInt()).isEqualTo(2);
      AgentHandle other = colony.spawn("other", lead("loser"));
      assertThat(other.run(Map.of(), OPTIONS).join().output().asText()).isEqualTo("in vain");
    }
  }

  @Test
  void aWorkerIsStoppedWhenItsResultIsTaken() {
    try (TestColony colony = TestColony.inMemory().start()) {
      AgentHandle lead = colony.spawn("lead", lead("adder"));
      AgentRun run = lead.run(Map.of(), OPTIONS.runId(new RunId("r1"))).join();
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
      String words = "r1/delegate/adder/{\"numbers\":[1,2]}";
      AgentId worker =
          new AgentId(
              TestColony.NAME,
              TestColony.NAME,
              "lead.adder-" + UUID.nameUUIDFromBytes(words.getBytes(StandardCharsets.UTF_8)));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  colony
                      .colony()
                      .agent(worker)
                      .state()
                      .join()
                      .map(AgentStatus::state)
                      .orElseThrow(),
              AgentState::terminal);
    }
  }

  @Test
  void whoHasDelegatedIsSuspendedAndGoesOnWhereItWas() {
    try (TestAgent lead = TestAgent.of(lead("adder")).start()) {
      RunId run = lead.ask(Map.of());
      lead.settle();
      assertThat(lead.state()).isEqualTo(AgentState.SUSPENDED);
      lead.crash();
      assertThat(lead.state()).isEqualTo(AgentState.SUSPENDED);
      assertThat(lead.result(run)).isEmpty();
      assertThat(lead.steps().actions("delegate")).hasSize(1);
    }
  }

  @Test
  void onlyWorkersOfTheBlueprintAreThere() {
    try (TestAgent lead = TestAgent.of(lead("hacker")).start()) {
      assertThat(lead.run(Map.of()).output().asText()).isEqualTo("in vain");
      assertThat(lead.steps().actions("delegate").getFirst().error().orElseThrow())
          .isEqualTo("there is no worker hacker, only [adder, loser]");
    }
  }
}
