package dev.colony.blackboard.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueRulesTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Provide
  Arbitrary<JsonNode> values() {
    Arbitrary<JsonNode> texts = Texts.any().map(TextNode::valueOf);
    Arbitrary<JsonNode> numbers =
        Arbitraries.oneOf(
            Arbitraries.doubles().map(JsonNodeFactory.instance::numberNode),
            Arbitraries.longs().map(JsonNodeFactory.instance::numberNode),
            Arbitraries.bigIntegers().map(JsonNodeFactory.instance::numberNode),
            Arbitraries.of(-0.0, Double.MAX_VALUE, Double.MIN_VALUE, Double.NaN, 1 / 0.0)
                .map(JsonNodeFactory.instance::numberNode));
    Arbitrary<JsonNode> leaves = Arbitraries.oneOf(texts, numbers);
    return Arbitraries.oneOf(
        leaves,
        leaves.list().ofMaxSize(3).map(all -> JsonNodeFactory.instance.arrayNode().addAll(all)),
        Arbitraries.maps(Texts.any(), leaves).ofMaxSize(3).map(ValueRulesTest::object));
  }

  private static JsonNode object(Map<String, JsonNode> fields) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    fields.forEach(object::set);
    return object;
  }

  @Property
  void whatTheBlackboardTakesItGivesBackAndWhatItRefusesItNames(@ForAll("values") JsonNode value)
      throws Exception {
    ValueCodec codec = new ValueCodec(1_000_000);
    Optional<String> fault = ValueRules.fault("the input", value);
    if (fault.isPresent()) {
      assertThat(fault.get()).startsWith("the input cannot be stored: ").doesNotContain("\n");
      assertThat(Text.half(fault.get())).isEqualTo(-1);
      assertThatThrownBy(() -> codec.value("key", value))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"key\"")
          .hasMessageEndingWith(fault.get().substring("the input cannot be stored: ".length()));
    } else {
      // As it would be read from the text that was sent: whole numbers have no types there.
      assertThat(codec.value(codec.value("key", value)))
          .isEqualTo(JSON.readTree(JSON.writeValueAsBytes(value)));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'\"ab\\ud800\"'                 | $ holds half a surrogate pair at character 2",
        "'{\"a\":{\"b\":[1,\"\\udc00\"]}}' | $.a.b[1] holds half a surrogate pair at character 0",
        "'[1e999999999]' | $[0] is a number beyond what a double holds, which ends at about"
            + " 1.8e308",
        "'-1e999' | $ is a number beyond what a double holds, which ends at about 1.8e308",
      })
  void whatIsRefusedIsNamedByItsPath(String json, String fault) throws Exception {
    assertThat(ValueRules.fault("the input", JSON.readTree(json)))
        .contains("the input cannot be stored: " + fault);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-0.0",
        "9007199254740993",
        "1.7976931348623157e308",
        "4.9e-324",
        "1e-999",
        "\"\\u0000\"",
        "\"\\ufeff😀\"",
        "18446744073709551616",
        "null",
        "{\"\":[{}]}",
      })
  void whatCanBeStoredIsTaken(String json) throws Exception {
    assertThat(ValueRules.fault("the input", JSON.readTree(json))).isEmpty();
  }

  @Test
  void aNameIsNamedAsItCanBeShown() {
    ObjectNode inner = JsonNodeFactory.instance.objectNode().put("x\ud83d", 1);
    assertThat(ValueRules.fault("it", JsonNodeFactory.instance.objectNode().set("a", inner)))
        .contains(
            "it cannot be stored: the name x\uFFFD of a field of $.a holds half a surrogate pair at"
                + " character 1");
  }

  @Test
  void depthDigitsAndNamesAreBounded() {
    JsonNode nested = JsonNodeFactory.instance.numberNode(1);
    for (int depth = 0; depth < ValueRules.MAX_DEPTH; depth++) {
      nested = JsonNodeFactory.instance.arrayNode().add(nested);
    }
    assertThat(ValueRules.fault("it", nested)).isEmpty();
    assertThat(ValueRules.fault("it", JsonNodeFactory.instance.arrayNode().add(nested)))
        .contains("it cannot be stored: it nests deeper than 500");

    BigInteger most = BigInteger.TEN.pow(ValueRules.MAX_DIGITS).subtract(BigInteger.ONE);
    assertThat(ValueRules.fault("it", JsonNodeFactory.instance.numberNode(most))).isEmpty();
    assertThat(
            ValueRules.fault(
                "it", JsonNodeFactory.instance.numberNode(most.multiply(BigInteger.TEN))))
        .contains("it cannot be stored: $ is a whole number of more than 1000 digits");

    ObjectNode named = JsonNodeFactory.instance.objectNode().put("n".repeat(10_001), 1);
    assertThat(ValueRules.fault("it", named).orElseThrow())
        .contains("has 10001 characters, more than 10000");
  }
}
