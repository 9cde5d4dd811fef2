package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceDelta;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts in parts, JSON among prose, and schemas in the strict subset. */
class ReplyPartsTest {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int TRIES = 2_000;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          '<think>why</think>answer'      | why       | answer
          '  <think>\nwhy</think>\n\nok'  | '\nwhy'   | ok
          'no marks < here'               | ''        | 'no marks < here'
          '<thin ice'                     | ''        | '<thin ice'
          '<think>never ends'             | never ends| ''
          'why</think>answer'             | why       | answer
          'a 🚢 b'                        | ''        | 'a 🚢 b'
          """)
  void partsGiveTheSameHoweverTheyAreCut(String whole, String reasoning, String text) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      List<InferenceDelta> parts = new ArrayList<>();
      ReplyBuilder builder = new ReplyBuilder(parts::add);
      for (int at = 0; at < whole.length(); ) {
        int end = Math.min(whole.length(), at + 1 + random.nextInt(4));
        builder.text(whole.substring(at, end));
        at = end;
      }
      builder.end();
      assertThat(builder.text()).as("seed %d", seed).isEqualTo(text);
      assertThat(builder.reasoning()).as("seed %d", seed).isEqualTo(reasoning);
      parts.forEach(part -> assertThat(part.toString()).doesNotContain("\uFFFD"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          '{"n":1}'                                    | '[{"n":1}]'
          'Sure: {"n":1}. Anything else?'              | '[{"n":1}]'
          '```json\n{"n":1}\n```'                      | '[{"n":1}]'
          'first {"n":1} then [2,3] and {oops'         | '[{"n":1},[2,3]]'
          'a {brace} and {"n":{"m":[1]}} at the end'   | '[{"n":{"m":[1]}}]'
          'nothing at all'                             | '[]'
          '"text"'                                     | '["text"]'
          """)
  void jsonIsFoundInProse(String text, String values) {
    assertThat(JSON.arrayNode().addAll(JsonInText.values(text))).isEqualTo(json(values));
  }

  @Test
  void aReplyToTheStrictSchemaIsOneToTheOriginal() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < TRIES; i++) {
      ObjectNode schema = object(random, 3);
      JsonNode value = value(random, schema);
      assertThat(new ReplySchema(schema).errors(value)).as("the generator, %s", schema).isEmpty();
      StrictSchema strict = StrictSchema.tried(schema).orElseThrow();
      JsonNode sent = written(value, schema);
      assertThat(new ReplySchema(strict.schema()).errors(sent))
          .as("seed %d: %s of %s", seed, sent, strict.schema())
          .isEmpty();
      assertThat(strict.restore(sent)).as("seed %d: %s", seed, schema).isEqualTo(value);
      assertStrict(strict.schema());
    }
  }

  @Test
  void aTreeInTheStrictSubsetIsATree() {
    JsonNode tree =
        json(
            """
            {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"},
             "kids": {"type": "array", "items": {"$ref": "#"}}}}
            """);
    StrictSchema strict = StrictSchema.tried(tree).orElseThrow();
    JsonNode sent =
        json("{\"n\": 1, \"kids\": [{\"n\": 2, \"kids\": null}, {\"n\": 3, \"kids\": []}]}");
    assertThat(new ReplySchema(strict.schema()).errors(sent)).isEmpty();
    assertThat(strict.restore(sent))
        .isEqualTo(json("{\"n\": 1, \"kids\": [{\"n\": 2}, {\"n\": 3, \"kids\": []}]}"));
  }

  @Test
  void aSchemaThatMovesTakesItsPointersAlong() {
    JsonNode list =
        json(
            """
            {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"},
             {"$ref": "#/$defs/word"}]}, "$defs": {"word": {"type": "string"}}}
            """);
    ObjectNode around = JSON.objectNode().put("type", "object");
    around.putObject("properties").set("reply", ReplySchema.moved("/properties/reply", list));
    assertThat(new ReplySchema(around).errors(json("{\"reply\": [1, [2, \"three\"]]}"))).isEmpty();
    assertThat(new ReplySchema(around).errors(json("{\"reply\": [1, [true]]}"))).isNotEmpty();
    StrictSchema strict = StrictSchema.tried(around).orElseThrow();
    assertThat(new ReplySchema(strict.schema()).errors(json("{\"reply\": [1, [2, \"three\"]]}")))
        .isEmpty();
  }

  /** A program that asks the gateway itself may give any schema. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'$ref': '#'}",
        "{'allOf': [{'$ref': '#'}]}",
        "{'anyOf': [{'$ref': '#'}]}",
        "{'properties': {'a': {'$ref': '#/properties/a'}}}",
        "{'$ref': 'http://127.0.0.1:1/never-asked'}",
        "{'$ref': '#nowhere'}"
      })
  void aSchemaThatNeverEndsOrIsElsewhereIsAFaultAndNoFailure(String given) {
    JsonNode schema = json(given.replace('\'', '"'));
    JsonNode value = json("{\"a\": 1}");
    assertThat(new ReplySchema(schema).errors(value))
        .hasValueSatisfying(why -> assertThat(why).startsWith("it cannot be held against"));
    StrictSchema.tried(schema).ifPresent(strict -> strict.restore(value));
  }

  private static void assertStrict(JsonNode node) {
    assertThat(node.has("type") || node.has("anyOf") || node.has("enum")).as("%s", node).isTrue();
    if (node.path("properties").isObject()) {
      assertThat(node.path("required").size()).isEqualTo(node.path("properties").size());
      assertThat(node.path("additionalProperties").isBoolean()).isTrue();
      node.path("properties").forEach(ReplyPartsTest::assertStrict);
    }
    node.path("anyOf").forEach(ReplyPartsTest::assertStrict);
    if (node.has("items")) {
      assertStrict(node.get("items"));
    }
  }

  private static ObjectNode object(Random random, int depth) {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = schema.putArray("required");
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      properties.set("p" + i, schema(random, depth - 1));
      if (random.nextBoolean()) {
        required.add("p" + i);
      }
    }
    return schema.put("additionalProperties", false);
  }

  private static ObjectNode schema(Random random, int depth) {
    return switch (random.nextInt(depth <= 0 ? 4 : 8)) {
      case 0 -> JSON.objectNode().put("type", "string").put("maxLength", 8);
      case 1 -> JSON.objectNode().put("type", "integer").put("minimum", 0);
      case 2 -> JSON.objectNode().put("type", "boolean");
      case 3 -> {
        ObjectNode choice = JSON.objectNode();
        choice.putArray("enum").add("a").add("b");
        yield choice;
      }
      case 4 -> object(random, depth);
      case 5 -> {
        ObjectNode array = JSON.objectNode().put("type", "array");
        array.set("items", schema(random, depth - 1));
        yield array;
      }
      case 6 -> {
        ObjectNode map = JSON.objectNode().put("type", "object");
        map.set("additionalProperties", schema(random, depth - 1));
        yield map;
      }
      default -> {
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(tagged("x", random)).add(tagged("y", random));
        yield either;
      }
    };
  }

  private static ObjectNode tagged(String tag, Random random) {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    properties.putObject("tag").put("type", "string").put("const", tag);
    properties.set("of", schema(random, 0));
    schema.putArray("required").add("tag");
    return schema.put("additionalProperties", false);
  }

  /** One that satisfies the schema. */
  private static JsonNode value(Random random, JsonNode schema) {
    if (schema.has("const")) {
      return schema.get("const");
    }
    if (schema.has("enum")) {
      return schema.get("enum").get(random.nextInt(2));
    }
    if (schema.has("anyOf")) {
      return value(random, schema.get("anyOf").get(random.nextInt(2)));
    }
    return switch (schema.path("type").asText()) {
      case "string" -> JSON.textNode("t" + random.nextInt(100));
      case "integer" -> JSON.numberNode(random.nextInt(100));
      case "boolean" -> JSON.booleanNode(random.nextBoolean());
      case "array" -> {
        ArrayNode array = JSON.arrayNode();
        for (int i = random.nextInt(3); i > 0; i--) {
          array.add(value(random, schema.get("items")));
        }
        yield array;
      }
      default -> {
        ObjectNode object = JSON.objectNode();
        if (schema.path("additionalProperties").isObject()) {
          for (int i = random.nextInt(3); i > 0; i--) {
            object.set("k" + i, value(random, schema.get("additionalProperties")));
          }
        }
        schema
            .path("properties")
            .properties()
            .forEach(property -> {
              boolean required =
                  schema.path("required").toString().contains('"' + property.getKey() + '"');
              if (required || random.nextBoolean()) {
                object.set(property.getKey(), value(random, property.getValue()));
              }
            });
        yield object;
      }
    };
  }

  /** As a model writes it by the strict schema. */
  private static JsonNode written(JsonNode value, JsonNode schema) {
    if (schema.has("anyOf")) {
      for (JsonNode choice : schema.get("anyOf")) {
        if (choice.at("/properties/tag/const").equals(value.path("tag"))) {
          return written(value, choice);
        }
      }
    }
    if (value.isArray()) {
      ArrayNode array = JSON.arrayNode();
      value.forEach(item -> array.add(written(item, schema.get("items"))));
      return array;
    }
    if (schema.path("additionalProperties").isObject()) {
      ArrayNode entries = JSON.arrayNode();
      value
          .properties()
          .forEach(entry ->
              entries
                  .addObject()
                  .put("name", entry.getKey())
                  .set("value", written(entry.getValue(), schema.get("additionalProperties"))));
      return entries;
    }
    if (value.isObject()) {
      ObjectNode object = JSON.objectNode();
      schema
          .path("properties")
          .properties()
          .forEach(property -> {
            JsonNode of = value.path(property.getKey());
            object.set(
                property.getKey(),
                of.isMissingNode() ? JSON.nullNode() : written(of, property.getValue()));
          });
      return object;
    }
    return value;
  }
}
