package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.core.registry.ReviewTypes.ComplianceCapability;
import dev.colony.core.registry.ReviewTypes.ComplianceCapability.Finding;
import dev.colony.core.registry.ReviewTypes.ComplianceCapability.Rules;
import dev.colony.core.registry.ReviewTypes.ReviewPolicy;
import dev.colony.inference.ModelChoice;
import dev.colony.library.policy.JSONStreamFormatter;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A user's first agent: one class and ten lines, as docs/guides/blueprints.md shows them. */
class FirstAgentTest {

  private static final AgentTypes TYPES = AgentTypes.installed();

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/blueprints.md", FirstAgentTest.class, ReviewTypes.class);
  }

  @Test
  void oneClassAndTenLinesAreAnAgent() throws Exception {
    // guide: agent
    StreamBlueprint findings =
        ConsciousnessStream.bind("findings", JSONStreamFormatter.bind("## Findings"))
            .actions(ActionKeySubstringFilter.bind("compliance"));

    AgentBlueprint reviewer =
        AgentBlueprint.of(ReviewPolicy.class)
            .capability(ComplianceCapability.class, new Rules("owasp", 20))
            .stream(findings)
            .budget(RunBudget.OF_NODE.iterations(50).time(Duration.ofMinutes(5)))
            .resources(new AgentResources(60, 40_000, 1));
    // guide end
    String travels = reviewer.toJson().toString();
    AgentBlueprint arrived = AgentBlueprint.fromJson(new ObjectMapper().readTree(travels));
    assertThat(arrived).isEqualTo(reviewer);
    TYPES.check(arrived);
    CapabilityBlueprint capability = arrived.capabilities().get(0);
    ComplianceCapability made =
        (ComplianceCapability)
            TYPES.create(
                AgentCapability.class,
                capability.what(),
                TestAgent.named("reviewer").capabilityContext(capability.capabilityKey()));
    assertThat(made.check("Login.java", Optional.of("auth")))
        .containsExactly(new Finding("Login.java", "owasp/auth"));
  }

  @Test
  void oneTypeServesTwice() {
    // guide: capabilities
    AgentBlueprint reviewer =
        AgentBlueprint.of(ReviewPolicy.class)
            .capability(ComplianceCapability.class, new Rules("owasp", 20))
            .capability(
                CapabilityBlueprint.of(ComplianceCapability.class, new Rules("licences", 5))
                    .key("licences")
                    .exclude("licences.open_ticket"));
    // guide end
    TYPES.check(reviewer);
    assertThat(reviewer.capabilities())
        .extracting(CapabilityBlueprint::capabilityKey)
        .containsExactly("review.compliance", "licences");
  }

  @Test
  void anAgentSaysWhichModelAnswersIt() {
    AgentBlueprint reviewer = AgentBlueprint.of(ReviewPolicy.class);
    // guide: model
    AgentBlueprint careful = reviewer.model(ModelChoice.named("large"));
    AgentBlueprint quick = reviewer.model(ModelChoice.tagged("fast", "cheap"));
    // guide end
    assertThat(careful.toJson().path("model").toString()).isEqualTo("{\"name\":\"large\"}");
    assertThat(quick.toJson().path("model").toString())
        .isEqualTo("{\"tags\":[\"cheap\",\"fast\"]}");
    TYPES.check(quick);
  }

  @Test
  void whatCannotTravelIsRefusedWhereItIsWritten() {
    String told = "";
    // guide: refused
    try {
      Blueprint.bind(ComplianceCapability.class, new Rules("owasp", 1000));
    } catch (IllegalArgumentException refused) {
      told = refused.getMessage();
    }
    // guide end
    assertThat(told)
        .isEqualTo(
            "the arguments of review.compliance do not fit: $.maxFindings: must have a maximum"
                + " value of 100");
  }

  @Test
  void anActionThatIsNotThereIsRefusedWhereItIsNamed() {
    CapabilityBlueprint second =
        CapabilityBlueprint.of(ComplianceCapability.class, new Rules("licences", 5)).key("second");
    for (CapabilityBlueprint wrong :
        List.of(
            second.include("second.open"),
            second.exclude("second.open"),
            second.approve("second.open"))) {
      assertThatThrownBy(() -> AgentBlueprint.of(ReviewPolicy.class).capability(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("the capability second is refused: it ")
          .hasMessageContaining("the action second.open, which it does not have; it has [second.");
    }
    CapabilityBlueprint elsewhere =
        CapabilityBlueprint.of(Blueprint.of("of.another.release")).exclude("any");
    assertThat(AgentBlueprint.of(ReviewPolicy.class).capability(elsewhere).capabilities())
        .containsExactly(elsewhere);
  }

  @Test
  void anOldBlueprintStillServes() throws Exception {
    JsonNode old =
        new ObjectMapper()
            .readTree("{\"type\": \"review.compliance\", \"args\": {\"rules\": \"owasp\"}}");
    TYPES.check(AgentCapability.class, Blueprint.fromJson(old));
    Blueprint tomorrow = new Blueprint("review.compliance", 4, old.path("args"));
    assertThatThrownBy(() -> TYPES.check(AgentCapability.class, tomorrow))
        .isInstanceOf(AgentException.class)
        .hasMessage(
            "review.compliance is known here up to version 3, not 4: it was bound by a newer"
                + " release");
  }

  @Test
  void aStrangersBlueprintIsChecked() throws Exception {
    JsonNode json =
        new ObjectMapper().readTree("{\"policy\": {\"type\": \"java.lang.ProcessBuilder\"}}");
    String why = "";
    // guide: check
    try {
      AgentBlueprint stranger = AgentBlueprint.fromJson(json); // shape and sizes
      AgentTypes.installed().check(stranger); // types, versions, arguments, actions
    } catch (IllegalArgumentException | AgentException refused) {
      why = refused.getMessage();
    }
    // guide end
    assertThat(why)
        .startsWith(
            "the policy is refused: no ActionPolicy java.lang.ProcessBuilder is registered here;"
                + " there are [");
  }
}
