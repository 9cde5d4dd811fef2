package dev.colony.agent.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.Param.Range;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonSchemasTest {

  record Rules(String ruleset, @Range(min = 1, max = 100) int maxFindings) {}

  record Everything(
      @Param("who it is about") AgentId agent,
      RunId run,
      Effect effect,
      Optional<String> focus,
      OptionalInt depth,
      @Range(min = 0.5) double weight,
      @Range(max = 3) List<Rules> rules,
      Map<String, Duration> limits,
      Set<String> names,
      Instant at,
      ObjectNode extra) {}

  record Maybe(
      Optional<Effect> effect, Optional<Rules> rules, Optional<AgentId> id, Optional<Object> any) {}

  record Tree(String name, List<Tree> branches) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "shape")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Circle.class, name = "circle"),
    @JsonSubTypes.Type(value = Square.class, name = "square")
  })
  sealed interface Shape {}

  record Circle(double radius) implements Shape {}

  record Square(double side) implements Shape {}

  record Drawing(List<Shape> shapes) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface Named {}

  record ByClass(Named named) {}

  record Loads(Class<?> type) {}

  record LooksUp(InetAddress host) {}

  record Runs(Runnable code) {}

  record Endless<T>(Endless<List<T>> next) {}

  record Unranged(@Range(min = 1) boolean flag) {}

  static class Bean {
    public String name;
  }

  @Test
  void aRecordIsAnObjectOfItsComponents() {
    assertThat(JsonSchemas.input(Rules.class))
        .isEqualTo(
            json(
                """
                {"type": "object",
                 "properties": {
                   "ruleset": {"type": "string"},
                   "maxFindings": {"type": "integer", "minimum": 1, "maximum": 100}},
                 "required": ["ruleset", "maxFindings"],
                 "additionalProperties": false}
                """));
  }

  @Test
  void everyKindOfTypeHasItsSchema() {
    assertThat(JsonSchemas.input(Everything.class))
        .isEqualTo(
            json(
                """
                {"type": "object",
                 "properties": {
                   "agent": {"type": "string", "description": "who it is about"},
                   "run": {"type": "string"},
                   "effect": {"type": "string", "enum": ["INTERNAL", "EXTERNAL"]},
                   "focus": {"type": ["string", "null"]},
                   "depth": {"type": ["integer", "null"]},
                   "weight": {"type": "number", "minimum": 0.5},
                   "rules": {"type": "array", "maxItems": 3, "items": {
                      "type": "object",
                      "properties": {
                        "ruleset": {"type": "string"},
                        "maxFindings": {"type": "integer", "minimum": 1, "maximum": 100}},
                      "required": ["ruleset", "maxFindings"],
                      "additionalProperties": false}},
                   "limits": {"type": "object",
                     "additionalProperties": {"type": "string", "format": "duration"}},
                   "names": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
                   "at": {"type": "string", "format": "date-time"},
                   "extra": {"type": "object"}},
                 "required": ["agent", "run", "effect", "weight", "rules", "limits", "names", "at",
                   "extra"],
                 "additionalProperties": false}
                """));
  }

  @Test
  void whatIsOptionalMayBeAbsentOrNull() {
    JsonSchemaCheck check = JsonSchemaCheck.of(JsonSchemas.input(Maybe.class));
    Maybe nothing =
        new Maybe(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    for (String none : List.of("{}", "{'effect': null, 'rules': null, 'id': null, 'any': null}")) {
      assertThat(check.violations(json(none))).isEmpty();
      assertThat(JsonValues.read(json(none), Maybe.class)).isEqualTo(nothing);
    }
    assertThat(JsonValues.toJson(nothing)).isEqualTo(json("{}"));
    assertThat(check.violations(json("{'effect': 'OTHER', 'rules': 1, 'id': 2}"))).isNotEmpty();
  }

  @Test
  void aTypeThatHoldsItselfRefersToItself() {
    JsonSchemaCheck check = JsonSchemaCheck.of(JsonSchemas.input(Tree.class));
    assertThat(check.violations(json("{'name': 'a', 'branches': [{'name': 'b', 'branches': []}]}")))
        .isEmpty();
    assertThat(check.violations(json("{'name': 'a', 'branches': [{'name': 1, 'branches': []}]}")))
        .containsExactly("$.branches[0].name: integer found, string expected");
  }

  @Test
  void variantsAreToldApartByTheirName() {
    JsonNode schema = JsonSchemas.input(Drawing.class);
    JsonSchemaCheck check = JsonSchemaCheck.of(schema);
    JsonNode drawing =
        JsonValues.toJson(new Drawing(List.of(new Circle(1.5), new Square(2), new Circle(3))));
    assertThat(check.violations(drawing)).isEmpty();
    assertThat(JsonValues.read(drawing, Drawing.class))
        .isEqualTo(new Drawing(List.of(new Circle(1.5), new Square(2), new Circle(3))));
    assertThat(check.violations(json("{'shapes': [{'shape': 'line', 'radius': 1}]}"))).isNotEmpty();
    assertThat(check.violations(json("{'shapes': [{'shape': 'circle', 'side': 1}]}"))).isNotEmpty();
    JsonNode circle = JsonValues.toJson(new Circle(1));
    assertThat(JsonSchemaCheck.of(JsonSchemas.input(Circle.class)).violations(circle)).isEmpty();
    assertThat(JsonSchemaCheck.of(JsonSchemas.input(Square.class)).violations(circle)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        ByClass.class,
        Loads.class,
        LooksUp.class,
        Runs.class,
        Endless.class,
        Unranged.class,
        Bean.class,
        Thread.class
      })
  void aTypeThatCannotBeReadSafelyIsRefusedOnOneLine(Class<?> type) {
    assertThatThrownBy(() -> JsonSchemas.input(type))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .startsWith("no schema for ")
        .doesNotContain("\n");
  }

  @Test
  void noClassIsChosenByANameInTheJson() {
    record ThatOne() implements Named {}
    JsonNode json = json("{'named': {'@class': '%s'}}".formatted(ThatOne.class.getName()));
    assertThatThrownBy(() -> JsonValues.read(json, ByClass.class))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void anOutputIsWhatAMethodGives() throws Exception {
    assertThat(JsonSchemas.output(void.class)).isEqualTo(json("{'type': 'null'}"));
    assertThat(JsonSchemas.output(Bean.class).at("/properties/name/type").asText())
        .isEqualTo("string");
    assertThat(
            JsonSchemas.output(new TypeReference<CompletionStage<Optional<Rules>>>() {}.getType())
                .at("/anyOf/0"))
        .isEqualTo(JsonSchemas.output(Rules.class));
    assertThat(JsonSchemas.output(CompletionStage.class)).isEqualTo(json("{}"));
  }

  @Test
  void anOutputOfEveryKindSatisfiesItsSchema() {
    Everything all =
        new Everything(
            new AgentId("t", "c", "n"),
            new RunId("r"),
            Effect.INTERNAL,
            Optional.empty(),
            OptionalInt.of(3),
            0.75,
            List.of(new Rules("owasp", 3)),
            Map.of("a", Duration.ofMinutes(90)),
            Set.of("x", "y"),
            Instant.parse("2026-01-02T03:04:05.678Z"),
            new ObjectMapper().createObjectNode().put("k", 1));
    JsonNode written = JsonValues.toJson(all);
    for (JsonNode schema :
        List.of(JsonSchemas.input(Everything.class), JsonSchemas.output(Everything.class))) {
      assertThat(JsonSchemaCheck.of(schema).violations(written)).isEmpty();
    }
    assertThat(JsonValues.read(written, Everything.class)).isEqualTo(all);
  }

  @Test
  void aDeclaredFieldThatNeverEndsIsRefusedWhereItIsRead() {
    JsonNode io =
        json("{'inputs': {'a': {'schema': {'$ref': '#'}, 'required': true}}, 'outputs': {}}");
    assertThatThrownBy(() -> JsonValues.read(io, ActionPolicyIO.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("refers to itself");
    JsonNode tree = json("{'properties': {'kids': {'type': 'array', 'items': {'$ref': '#'}}}}");
    JsonNode result = ActionPolicyIO.builder().output("tree", tree).build().resultSchema();
    assertThat(result.at("/properties/tree/properties/kids/items/$ref").asText())
        .isEqualTo("#/properties/tree");
    assertThat(JsonSchemaCheck.of(result).violations(json("{'tree': {'kids': [{'kids': 1}]}}")))
        .hasSize(1);
  }

  @Test
  void theSameValueMakesTheSameJson() {
    List<String> names = IntStream.range(0, 1000).mapToObj(i -> "name-" + i).toList();
    Set<String> other = new HashSet<>(4);
    names.reversed().forEach(other::add);
    assertThat(JsonValues.toJson(other)).isEqualTo(JsonValues.toJson(Set.copyOf(names)));
  }

  @Test
  void oneSchemaIsInferredHoweverManyAsk() {
    assertThat(
            Stream.generate(() -> JsonSchemas.input(Everything.class))
                .parallel()
                .limit(200)
                .map(System::identityHashCode)
                .distinct())
        .hasSize(1);
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
