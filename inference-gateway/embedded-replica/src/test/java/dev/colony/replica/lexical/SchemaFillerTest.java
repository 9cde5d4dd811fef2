package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class SchemaFillerTest {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  @Property(tries = 500)
  void whateverTheSchemaTheReplySatisfiesIt(
      @ForAll("schemas") JsonNode schema, @ForAll("texts") String text) {
    JsonNode reply = reply(schema, "Facts: " + text, "Plan.\nQuestion: what about " + text + "?");
    assertThat(JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema).validate(reply))
        .as("%s for %s", reply, schema)
        .isEmpty();
  }

  @Test
  void anEnumerationTakesTheMemberThatTheQuestionNames() {
    JsonNode schema =
        json(
            "{\"properties\": {\"action\": {\"enum\": [\"wait\", \"merge_segments\", \"stop\"]}}}");
    assertThat(
            reply(schema, "Question: should the segments be merged now?").path("action").asText())
        .isEqualTo("merge_segments");
  }

  @Test
  void stringsAreSentencesOfThePrompt() {
    JsonNode schema = json("{\"properties\": {\"why\": {\"type\": \"string\"}}}");
    JsonNode reply =
        reply(schema, "Roses are red. Violets are blue.", "Question: why are violets so blue?");
    assertThat(reply.path("why").asText()).isEqualTo("Violets are blue.");
  }

  @Test
  void numbersAreTakenFromThePromptWithinTheirBounds() {
    JsonNode schema = json("{\"properties\": {\"n\": {\"type\": \"integer\", \"minimum\": 10}}}");
    JsonNode reply = reply(schema, "The queue holds 7 or 42 calls.", "Question: how many calls?");
    assertThat(reply.path("n").asInt()).isEqualTo(42);
  }

  @Test
  void aReferenceIntoTheSchemaIsFollowed() {
    JsonNode schema =
        json(
            """
            {"type": "object", "properties": {"step": {"$ref": "#/$defs/step"}},
             "required": ["step"],
             "$defs": {"step": {"type": "object", "properties": {"kind": {"const": "act"}}}}}
            """);
    assertThat(reply(schema, "Question: x?").at("/step/kind").asText()).isEqualTo("act");
  }

  @Test
  void aSchemaThatContainsItselfEnds() {
    JsonNode schema =
        json("{\"type\": \"object\", \"properties\": {\"child\": {\"$ref\": \"#\"}}}");
    assertThat(reply(schema, "Question: x?").isObject()).isTrue();
  }

  @Test
  void aTreeIsFilledOnceAndNotForEachOfItsBranches() {
    JsonNode schema =
        json(
            """
            {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"},
             "left": {"$ref": "#"}, "right": {"$ref": "#"},
             "kids": {"type": "array", "items": {"$ref": "#"}}}}
            """);
    JsonNode reply = reply(schema, "One. Two. Three.", "Question: which?");
    assertThat(JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema).validate(reply))
        .isEmpty();
    assertThat(reply.toString()).hasSizeLessThan(1_000);
    JsonNode endless =
        json(
            """
            {"type": "object", "required": ["l", "r"],
             "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}}
            """);
    assertThat(reply(endless, "Question: which?").isObject()).isTrue();
  }

  private static JsonNode reply(JsonNode schema, String... messages) {
    return json(new LexicalModel().reply(LexicalPrompt.of(List.of(messages), Optional.of(schema))));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("abcde 0123456789.\u00e4\ud83d\ude00").ofMaxLength(60);
  }

  @Provide
  Arbitrary<JsonNode> schemas() {
    return schema(2).list().ofMinSize(1).ofMaxSize(4).map(SchemaFillerTest::object);
  }

  private static Arbitrary<JsonNode> schema(int depth) {
    Arbitrary<JsonNode> leaf = Arbitraries.oneOf(strings(), numbers(), enums(), booleans());
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<JsonNode> inner = Arbitraries.lazy(() -> schema(depth - 1));
    return Arbitraries.oneOf(
        leaf, inner.list().ofMinSize(1).ofMaxSize(3).map(SchemaFillerTest::object), arrays(inner));
  }

  private static JsonNode object(List<JsonNode> properties) {
    ObjectNode schema = NODES.objectNode().put("type", "object").put("additionalProperties", false);
    for (int i = 0; i < properties.size(); i++) {
      schema.withObject("properties").set("p" + i, properties.get(i));
      schema.withArray("required").add("p" + i);
    }
    return schema;
  }

  private static Arbitrary<JsonNode> strings() {
    Arbitrary<Integer> bound = Arbitraries.integers().between(0, 10);
    return Combinators.combine(bound, bound)
        .as((least, more) ->
            NODES
                .objectNode()
                .put("type", "string")
                .put("minLength", least)
                .put("maxLength", least + more));
  }

  private static Arbitrary<JsonNode> numbers() {
    return Combinators.combine(
            Arbitraries.of("integer", "number"),
            Arbitraries.integers().between(-50, 50),
            Arbitraries.integers().between(0, 20))
        .as((type, least, more) ->
            NODES
                .objectNode()
                .put("type", type)
                .put("minimum", least)
                .put("maximum", least + more));
  }

  private static Arbitrary<JsonNode> enums() {
    return Arbitraries.strings()
        .alpha()
        .ofMinLength(1)
        .ofMaxLength(8)
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(members -> {
          ObjectNode schema = NODES.objectNode();
          members.stream().distinct().forEach(schema.withArray("enum")::add);
          return schema;
        });
  }

  private static Arbitrary<JsonNode> booleans() {
    return Arbitraries.just(NODES.objectNode().put("type", "boolean"));
  }

  private static Arbitrary<JsonNode> arrays(Arbitrary<JsonNode> items) {
    Arbitrary<Integer> bound = Arbitraries.integers().between(0, 4);
    return Combinators.combine(items, bound, bound)
        .as((item, least, more) -> {
          ObjectNode schema = NODES.objectNode().put("type", "array").put("minItems", least);
          schema.put("maxItems", least + more).set("items", item);
          return schema;
        });
  }
}
