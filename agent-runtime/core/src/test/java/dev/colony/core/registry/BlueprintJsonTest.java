package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.inference.ModelChoice;
import java.math.BigDecimal;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is no blueprint of an agent, and why. */
class BlueprintJsonTest {

  private static final String POLICY = "'policy': {'type': 'p'}";

  @Test
  void whatIsAbsentIsAsUsual() {
    assertThat(AgentBlueprint.fromJson(json("{" + POLICY + "}")))
        .isEqualTo(AgentBlueprint.of(Blueprint.of("p")));
    assertThat(AgentBlueprint.fromJson(json("{" + POLICY + ", 'pages': null, 'budget': null}")))
        .isEqualTo(AgentBlueprint.of(Blueprint.of("p")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          [] | an agent's blueprint is a JSON object, not: a list
          {} | an agent's blueprint needs the field policy
          {'policy': 'p'} | a blueprint is a JSON object, not: p
          {'policy': {'type': 5}} | the field type of a blueprint is text, not: 5
          {'policy': {'type': '../p'}} | a blueprint's type is 1 to 128 characters of A-Z a-z 0-9
          {'policy': {'type': 'p', 'version': 1.5}} | the field version of a blueprint is a whole
          {'policy': {'type': 'p', 'version': '1'}} | the field version of a blueprint is a whole
          {'policy': {'type': 'p', 'version': 0}} | the version of p is 0, below 1
          {'policy': {'type': 'p', 'class': 'x'}} | a blueprint has no field class; it has [args,
          {P, 'kind': 'VCM_BOUND'} | an agent that is VCM-bound needs a group of pages
          {P, 'kind': 'SPY'} | the field kind of an agent's blueprint is a kind of agent, not: SPY
          {P, 'capabilities': {}} | the field capabilities of an agent's blueprint is a list, not:
          {P, 'capabilities': [{'type': 'c'}, {'type': 'c'}]} | two capabilities of an agent are named
          {P, 'capabilities': [{'type': 'c', 'key': 'a b'}]} | a capability's key is 1 to 128 char
          {P, 'capabilities': [{'type': 'c', 'scope': 'x'}]} | the field scope of a capability's
          {P, 'capabilities': [{'type': 'c', 'includeActions': [1]}]} | the field includeActions of
          {P, 'streams': [{'name': 's'}]} | a stream's blueprint needs the field formatter
          {P, 'streams': [{'name': '', 'formatter': {'type': 'f'}}]} | a stream's name is 1 to 128
          {P, 'streams': [{'name': 's', 'formatter': {'type': 'f'}, 'maxEntries': 0}]} | maxEntries is 0
          {P, 'pages': 'x'} | the field pages of an agent's blueprint is a group of pages, not: x
          {P, 'budget': {'time': 'soon'}} | the field time of a run's budget is a duration
          {P, 'budget': {'iterations': 0}} | a run's budget of iterations must be positive
          {P, 'budget': {'cost': '1e999999999'}} | the field cost of a run's budget is an amount
          {P, 'budget': {'cost': 1}} | the field cost of a run's budget is text, not: 1
          {P, 'resources': {'priority': 101}} | priority is 101, but must be 0 to 100
          {P, 'model': 'large'} | a choice of a model is a JSON object, not: large
          {P, 'model': {}} | a choice of a model has either a name or tags
          {P, 'model': {'name': 'a', 'tags': ['b']}} | a choice of a model has either a name or tags
          {P, 'model': {'tags': 'b'}} | the field tags of a choice of a model is a list, not: b
          {P, 'model': {'name': ' '}} | the field name of a choice of a model is the name of a model
          {P, 'model': {'temperature': 0}} | a choice of a model has no field temperature
          {P, 'extra': 1} | an agent's blueprint has no field extra
          """)
  void whatIsNoBlueprintIsRefusedOnOneLine(String text, String why) {
    assertThatThrownBy(() -> AgentBlueprint.fromJson(json(text.replace("P,", POLICY + ","))))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .startsWith(why)
        .doesNotContain("\n");
  }

  @Test
  void anAgentsModelIsChosenByNameOrByTags() {
    AgentBlueprint agent = AgentBlueprint.of(Blueprint.of("p"));
    assertThat(agent.toJson().has("model")).isFalse();
    assertThat(AgentBlueprint.fromJson(json("{" + POLICY + ", 'model': {'name': 'large'}}")))
        .isEqualTo(agent.model(ModelChoice.named("large")))
        .isNotEqualTo(agent);
    AgentBlueprint tagged = agent.model(ModelChoice.tagged("fast", "cheap"));
    assertThat(tagged.toJson().path("model")).isEqualTo(json("{'tags': ['cheap', 'fast']}"));
    assertThat(AgentBlueprint.fromJson(tagged.toJson())).isEqualTo(tagged);
  }

  @Test
  void aBlueprintDoesNotChangeWithWhatItWasMadeOf() {
    ObjectNode args = JsonNodeFactory.instance.objectNode().put("a", 1);
    Blueprint blueprint = new Blueprint("p", args);
    args.put("a", 2);
    assertThat(blueprint.args().path("a").asInt()).isEqualTo(1);
  }

  @Test
  void aBlueprintIsNoLargerThanAMessage() {
    ObjectNode half = JsonNodeFactory.instance.objectNode().put("text", "x".repeat(50_000));
    AgentBlueprint two = AgentBlueprint.of(new Blueprint("p", half), new Blueprint("c", half));
    assertThatThrownBy(() -> two.capability(CapabilityBlueprint.of(new Blueprint("d", half))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("an agent's blueprint has 1501")
        .hasMessageEndingWith(" bytes, more than 131072");
    assertThatThrownBy(() ->
            AgentBlueprint.of(
                Blueprint.of("p"),
                IntStream.range(0, AgentBlueprint.MAX_CAPABILITIES + 1)
                    .mapToObj(i -> Blueprint.of("c" + i))
                    .toArray(Blueprint[]::new)))
        .hasMessage("an agent's blueprint has 101 capabilities, more than 100");
    assertThatThrownBy(() -> RunBudget.OF_NODE.cost(new BigDecimal("1e41")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
