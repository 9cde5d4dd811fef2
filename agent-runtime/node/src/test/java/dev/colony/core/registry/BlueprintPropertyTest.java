package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.lifecycle.StoredTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds for every blueprint, and for whatever is taken for one. */
class BlueprintPropertyTest {

  private static final ObjectMapper TEXT = new ObjectMapper();
  private static final ObjectMapper JOURNAL = StoredTypes.cbor();

  private final AgentTypes types = TestTypes.ALL;
  private final CapabilityContext context = TestAgent.named("a").capabilityContext("counted");

  @Property
  void everyBlueprintComesBackAsItWas(@ForAll long seed) throws Exception {
    AgentBlueprint agent = new RandomBlueprints(seed).agent();
    String text = TEXT.writeValueAsString(agent);
    assertThat(TEXT.readValue(text, AgentBlueprint.class)).isEqualTo(agent);
    assertThat(AgentBlueprint.fromJson(TEXT.readTree(text))).isEqualTo(agent);
    byte[] journaled = JOURNAL.writeValueAsBytes(agent);
    assertThat(JOURNAL.readValue(journaled, AgentBlueprint.class)).isEqualTo(agent);
  }

  @Property
  void anyArgumentsTravelAsTheyAreOrNotAtAll(@ForAll long seed) throws Exception {
    JsonNode args = new RandomBlueprints(seed).json();
    Blueprint blueprint;
    try {
      blueprint = new Blueprint("any", args);
    } catch (IllegalArgumentException refused) {
      assertThat(refused).message().doesNotContain("\n");
      return;
    }
    assertThat(TEXT.readValue(TEXT.writeValueAsBytes(blueprint), Blueprint.class))
        .isEqualTo(blueprint);
    assertThat(JOURNAL.readValue(JOURNAL.writeValueAsBytes(blueprint), Blueprint.class))
        .isEqualTo(blueprint);
  }

  @Property
  void theOrderOfFieldsDoesNotCount(@ForAll long seed) {
    AgentBlueprint agent = new RandomBlueprints(seed).agent();
    AgentBlueprint other = AgentBlueprint.fromJson(shuffled(agent.toJson(), new Random(seed)));
    assertThat(other).isEqualTo(agent).hasSameHashCodeAs(agent);
  }

  @Property
  void whateverIsTakenForABlueprintIsRefusedInWordsAndMakesNothing(@ForAll long seed) {
    RandomBlueprints random = new RandomBlueprints(seed);
    JsonNode hostile = Mutation.of(random.agent().toJson(), random.json(), new Random(seed));
    int before = Counted.MADE.get();
    AgentBlueprint read;
    try {
      read = AgentBlueprint.fromJson(hostile);
      types.check(read);
    } catch (IllegalArgumentException | AgentException refused) {
      assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n");
      assertThat(Counted.MADE).hasValue(before);
      return;
    }
    assertThat(AgentBlueprint.fromJson(read.toJson())).isEqualTo(read);
  }

  @Property
  void argumentsAreCheckedBeforeAnythingIsMade(@ForAll long seed) {
    JsonNode other = new RandomBlueprints(seed).json();
    Blueprint good = types.bind(Counted.class, Counted.Rules.of("owasp", 20));
    Blueprint hostile;
    int before = Counted.MADE.get();
    try {
      hostile = Blueprint.fromJson(Mutation.of(good.toJson(), other, new Random(seed)));
      types.check(AgentCapability.class, hostile);
    } catch (IllegalArgumentException | AgentException refused) {
      assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n");
      assertThat(Counted.MADE).hasValue(before);
      return;
    }
    assertThat(types.create(AgentCapability.class, hostile, context)).isNotNull();
  }

  private static JsonNode shuffled(JsonNode json, Random random) {
    if (json instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      Collections.shuffle(names, random);
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      names.forEach(name -> copy.set(name, shuffled(object.get(name), random)));
      return copy;
    }
    if (json instanceof ArrayNode array) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      array.forEach(element -> copy.add(shuffled(element, random)));
      return copy;
    }
    return json;
  }
}
