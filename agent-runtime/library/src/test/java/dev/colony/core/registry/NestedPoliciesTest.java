package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.core.registry.BlueprintFile.NestedPolicies;
import org.junit.jupiter.api.Test;

class NestedPoliciesTest {

  private static final Blueprint POLICY = Blueprint.of("colony.minimal");

  @Test
  void aPolicyIsNoArgumentOfAPolicyHoweverDeep() {
    Blueprint outer =
        new Blueprint("test.outer", json("{\"then\": [{\"inner\": " + POLICY.toJson() + "}]}"));
    assertThatThrownBy(() -> NestedPolicies.refuse(AgentTypes.installed(), outer))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.outer is given the policy colony.minimal")
        .hasMessageContaining("spawn a child agent");
  }

  @Test
  void theBlueprintOfAChildAgentIsAnArgumentLikeAnyOther() {
    AgentBlueprint child = AgentBlueprint.of(POLICY);
    Blueprint outer = new Blueprint("test.outer", json("{\"child\": " + child.toJson() + "}"));
    assertThatCode(() -> NestedPolicies.refuse(AgentTypes.installed(), outer))
        .doesNotThrowAnyException();
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(malformed);
    }
  }
}
