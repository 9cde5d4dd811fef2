package dev.colony.blackboard.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompiledSchemaTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'$ref': '#'} | #",
        "{'allOf': [{'$ref': '#'}]} | #",
        "{'anyOf': [{'type': 'string'}, {'$ref': '#'}]} | #",
        "{'oneOf': [{'$ref': '#'}]} | #",
        "{'not': {'$ref': '#'}} | #",
        "{'if': {'$ref': '#'}} | #",
        "{'if': true, 'then': {'$ref': '#'}} | #",
        "{'if': true, 'else': {'$ref': '#'}} | #",
        "{'dependentSchemas': {'a': {'$ref': '#'}}} | #",
        "{'dependencies': {'a': {'$ref': '#'}}} | #",
        "{'type': 'object', 'properties': {'a': {'$ref': '#/properties/a'}}} | #/properties/a",
        "{'properties': {'a/b': {'$ref': '#/properties/a~1b'}}} | #/properties/a~1b",
        "{'properties': {'a b': {'$ref': '#/properties/a%20b'}}} | #/properties/a b",
        "{'items': {'anyOf': [{'$ref': '#/items'}]}} | #/items",
        "{'$ref': '#/$defs/a', '$defs': {'a': {'$ref': '#/$defs/b'}, 'b': {'allOf': [{'$ref':"
            + " '#/$defs/a'}]}}} | #/$defs/",
        "{'$defs': {'a': {'$ref': '#/$defs/a'}}} | #/$defs/a",
        "{'definitions': {'a': {'$ref': '#/definitions/a'}}} | #/definitions/a",
        "{'$anchor': 'me', 'allOf': [{'$ref': '#me'}]} | #",
        "{'$id': 'https://example.com/me', '$ref': 'https://example.com/me'} | #",
        "{'$id': 'https://example.com/me', 'allOf': [{'$ref': 'me'}]} | #",
        "{'properties': {'a': {'$id': 'inner', '$ref': '#'}}} | #/properties/a",
        "{'properties': {'a': {'$id': 'inner', '$ref': 'inner'}}} | #/properties/a",
        "{'$dynamicRef': '#'} | #",
        "{'$dynamicAnchor': 'me', 'allOf': [{'$dynamicRef': '#me'}]} | #",
        "{'$ref': '#/odd/place', 'odd': {'place': {'$ref': '#'}}} | #"
      })
  void aSchemaThatComesBackToItselfWithTheSameValueIsRefusedWithItsPlace(
      String schema, String place) {
    assertThatThrownBy(() -> CompiledSchema.of(json(schema), true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(place)
        .hasMessageContaining("refers to itself without going deeper into the value")
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type': 'object', 'required': ['n'], 'properties': {'n': {'type': 'integer'},"
            + " 'kids': {'type': 'array', 'items': {'$ref': '#'}}}}",
        "{'$ref': '#/$defs/node', '$defs': {'node': {'required': ['n'], 'properties': {'n':"
            + " {'type': 'integer'}, 'kids': {'items': {'anyOf': [{'$ref': '#/$defs/node'},"
            + " {'type': 'null'}]}}}}}}",
        "{'$anchor': 'node', 'required': ['n'], 'properties': {'n': {'type': 'integer'}, 'kids':"
            + " {'contains': {'$ref': '#node'}, 'items': {'$ref': '#node'}}}}",
        "{'$id': 'https://example.com/node', 'required': ['n'], 'properties': {'n': {'type':"
            + " 'integer'}, 'kids': {'items': {'$ref': 'https://example.com/node'}}}}",
        "{'$dynamicAnchor': 'node', 'required': ['n'], 'properties': {'n': {'type': 'integer'},"
            + " 'kids': {'items': {'$dynamicRef': '#node'}}}}",
        "{'$ref': '#/odd/node', 'odd': {'node': {'required': ['n'], 'properties': {'n': {'type':"
            + " 'integer'}, 'kids': {'items': {'$ref': '#/odd/node'}}}}}}"
      })
  void aTreeIsHeldAtEachLevel(String schema) {
    CompiledSchema tree = CompiledSchema.of(json(schema), true);
    assertThat(tree.validate(json("{'n': 1, 'kids': [{'n': 2, 'kids': [{'n': 3}]}]}"))).isEmpty();
    assertThat(tree.validate(json("{'n': 1, 'kids': [{'n': 2, 'kids': [{'n': 'three'}]}]}")))
        .isNotEmpty();
    assertThat(tree.validate(json("{'n': 1, 'kids': [{'n': 2, 'kids': [{}]}]}"))).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'$ref': '#/$defs/none'}",
        "{'properties': {'a': {'items': {'$ref': '#nowhere'}}}}",
        "{'$ref': 'https://example.com/other'}",
        "{'$defs': {'unused': {'$ref': 'file:///etc/passwd'}}}",
        "{'$dynamicRef': '#nowhere'}",
        "{'$ref': '#/required', 'required': ['a']}",
        "{'$ref': 'not a uri'}",
        "{'$ref': '#/odd', 'odd': {'type': 'strang'}}",
        "{'$schema': 'https://example.com/dialect'}",
        "{'properties': {'a': {'$schema': 'https://example.com/dialect'}}}",
        "{'properties': {'a': {'pattern': '('}}}",
        "{'$defs': {'unused': {'patternProperties': {'[': {}}}}}"
      })
  void whatIsNotThereOrCannotBeReadIsRefused(String schema) {
    assertThatThrownBy(() -> CompiledSchema.of(json(schema), true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("\n");
  }

  @Test
  void aSchemaThatIsNestedTooDeepIsRefused() {
    JsonNode deep = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < 10_000; i++) {
      ObjectNode around = JsonNodeFactory.instance.objectNode();
      around.putObject("properties").set("a", deep);
      deep = around;
    }
    JsonNode schema = deep;
    assertThatThrownBy(() -> CompiledSchema.of(schema, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nested deeper than " + SchemaStructure.MAX_DEPTH);
  }

  @Test
  void aChainOfReferencesIsBounded() {
    assertThatThrownBy(() -> CompiledSchema.of(definitions(10_000, "allOf", 1), true))
        .hasMessageContaining("more than " + SchemaStructure.MAX_STEPS);
    assertThat(CompiledSchema.of(definitions(20, "allOf", 1), true).validate(json("1"))).isEmpty();
  }

  /** Each schema refers twice to the next one. */
  @Test
  void schemasThatDoubleAreRefusedForOneValueAndCostNothingForItsParts() {
    assertThatThrownBy(() -> CompiledSchema.of(definitions(25, "allOf", 2), true))
        .hasMessageContaining("one value against more than " + SchemaStructure.MAX_APPLIED);
    CompiledSchema deeper = CompiledSchema.of(definitions(40, "properties", 2), true);
    assertThat(deeper.validate(json("{'p0': {'p1': {'p0': 7}}}"))).isEmpty();
  }

  private static JsonNode definitions(int number, String keyword, int references) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("$ref", "#/$defs/d0");
    ObjectNode all = schema.putObject("$defs");
    for (int i = 0; i < number; i++) {
      ObjectNode one = all.putObject("d" + i);
      if (i < number - 1) {
        for (int j = 0; j < references; j++) {
          ObjectNode to = JsonNodeFactory.instance.objectNode().put("$ref", "#/$defs/d" + (i + 1));
          if (keyword.equals("allOf")) {
            one.withArray(keyword).add(to);
          } else {
            one.withObject("/" + keyword).set("p" + j, to);
          }
        }
      }
    }
    return schema;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "^\\p{Script=Greek}+$ | αβγ | abc",
        "^\\p{Script_Extensions=Greek}+$ | αβγ | abc",
        "^\\p{Letter}+$ | Äb | 1",
        "^\\p{General_Category=Decimal_Number}$ | 7 | x",
        "^\\p{Lu}\\p{Alphabetic}*$ | Abc | abc",
        "^\\p{Emoji}$ | 😀 | a",
        "^(?<first_name>a)\\k<first_name>$ | aa | ab",
        "^(?<$x>a)b$ | ab | b",
        "^\\u{1F600}$ | 😀 | x",
        "^[[]$ | [ | a",
        "^[a&&b]$ | & | c",
        "^[^]$ | x | xy",
        "^a{b}$ | a{b} | ab",
        "^[^\\0/]+$ | name | a/b",
        "^\\d{3}$ | 123 | 12"
      })
  void aPatternIsReadAsEcmaScriptHasIt(String pattern, String fits, String unfit) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("pattern", pattern);
    CompiledSchema compiled = CompiledSchema.of(schema, true);
    assertThat(compiled.validate(JsonNodeFactory.instance.textNode(fits))).isEmpty();
    assertThat(compiled.validate(JsonNodeFactory.instance.textNode(unfit))).isNotEmpty();
  }

  @Test
  void aSearchThatWouldNeverEndFindsNothing() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("pattern", "^(a|a)*b$");
    String text = "a".repeat(100_000);
    assertThat(CompiledSchema.of(schema, true).validate(JsonNodeFactory.instance.textNode(text)))
        .isNotEmpty();
    ObjectNode nested = JsonNodeFactory.instance.objectNode().put("pattern", "^(a+)+b$");
    assertThat(
            CompiledSchema.of(nested, true)
                .validate(JsonNodeFactory.instance.textNode("a".repeat(60))))
        .isNotEmpty();
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
