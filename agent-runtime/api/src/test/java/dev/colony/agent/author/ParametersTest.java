package dev.colony.agent.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.Param.Range;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ParametersTest {

  record Finding(String rule, @Range(min = 1) int line) {}

  @SuppressWarnings("unused")
  static final class Methods {
    void check(
        @Param("the page to check") String page,
        @Param(value = "what to look at first", name = "focus") Optional<String> where,
        @Range(min = 1, max = 10) int effort,
        IdempotencyKey key,
        List<Finding> known,
        Optional<Effect> effect,
        @Range(max = 5) OptionalInt depth,
        Optional<Finding> example) {}

    void wait(AgentId agent, Duration longest) {}

    void twice(@Param(value = "", name = "a") int one, @Param(value = "", name = "a") int two) {}

    void defaults(
        @Param(value = "", defaultValue = "newest") Optional<String> order,
        @Param(value = "", defaultValue = "10") Optional<Integer> limit,
        @Param(value = "", defaultValue = "[\"a\"]") Optional<List<String>> tags) {}

    void wrongDefault(@Param(value = "", defaultValue = "ten") Optional<Integer> limit) {}

    void thread(Thread thread) {}

    void nothing(IdempotencyKey key) {}
  }

  private final Parameters check = of("check");

  @Test
  void whatIsLeftOutIsItsDefault() {
    Parameters defaults = of("defaults");
    assertThat(defaults.schema().at("/properties/limit/default").asInt()).isEqualTo(10);
    assertThat(defaults.schema().at("/properties/order/default").asText()).isEqualTo("newest");
    assertThat(defaults.read(json("{\"limit\": 3}"), given -> null))
        .containsExactly(Optional.of("newest"), Optional.of(3), Optional.of(List.of("a")));
    assertThatThrownBy(() -> of("wrongDefault"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no Integer: ten");
  }

  @Test
  void everyParameterIsAProperty() {
    assertThat(check.schema())
        .isEqualTo(
            json(
                """
                {"type": "object",
                 "properties": {
                   "page": {"type": "string", "description": "the page to check"},
                   "focus": {"type": ["string", "null"], "description": "what to look at first"},
                   "effort": {"type": "integer", "minimum": 1, "maximum": 10},
                   "known": {"type": "array", "items": {"$ref": "#/$defs/Finding"}},
                   "effect": {"anyOf": [
                     {"type": "string", "enum": ["INTERNAL", "EXTERNAL"]}, {"type": "null"}]},
                   "depth": {"type": ["integer", "null"], "maximum": 5},
                   "example": {"anyOf": [{"$ref": "#/$defs/Finding"}, {"type": "null"}]}},
                 "required": ["page", "effort", "known"],
                 "additionalProperties": false,
                 "$defs": {"Finding": {
                   "type": "object",
                   "properties": {
                     "rule": {"type": "string"}, "line": {"type": "integer", "minimum": 1}},
                   "required": ["rule", "line"],
                   "additionalProperties": false}}}
                """));
  }

  @Test
  void theyAreReadInTheMethodsOrder() {
    JsonNode params =
        json("{'known': [{'rule': 'r', 'line': 3}], 'effort': 2, 'page': 'p', 'focus': null}");
    assertThat(check.violations(params)).isEmpty();
    assertThat(check.read(params, type -> new IdempotencyKey("k")))
        .containsExactly(
            "p",
            Optional.empty(),
            2,
            new IdempotencyKey("k"),
            List.of(new Finding("r", 3)),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty());
  }

  @Test
  void whatIsWrongIsToldInPlainLines() {
    assertThat(check.violations(json("{'effort': 11, 'page': 7, 'known': [], 'more': 1}")))
        .containsExactly(
            "$.effort: must have a maximum value of 10",
            "$.page: integer found, string expected",
            "property 'more' is not defined in the schema and the schema does not allow additional"
                + " properties");
    assertThat(check.violations(json("[]"))).containsExactly("array found, object expected");
    assertThat(check.violations(json("{}")))
        .containsExactly(
            "required property 'effort' not found",
            "required property 'known' not found",
            "required property 'page' not found");
  }

  @Test
  void whatATypesOwnConstructorRefusesIsToldToo() {
    assertThat(of("wait").violations(json("{'agent': 'a/b', 'longest': 'PT1S'}")))
        .containsExactly("agent: an agent's id is tenant/colony/name, not: a/b");
    assertThat(of("wait").violations(json("{'agent': 'a/b/c', 'longest': '1 minute'}")))
        .hasSize(1)
        .allMatch(line -> line.startsWith("$.longest: "));
    assertThat(of("wait").violations(json("{'agent': 'a/b/c', 'longest': 'P1Y'}")))
        .hasSize(1)
        .allMatch(line -> line.startsWith("longest: "));
    assertThat(check.violations(json("{'effort': 99999999999, 'page': '', 'known': []}")))
        .isNotEmpty();
  }

  @Test
  void aDeepValueIsRefusedUnread() {
    JsonNode deep = json("[".repeat(200) + "]".repeat(200));
    assertThat(check.violations(deep))
        .containsExactly("it is nested deeper than " + JsonSchemaCheck.MAX_DEPTH + " levels");
  }

  @Test
  void manyMistakesAreCounted() {
    String many = "{'more%d': 1}".formatted(1);
    StringBuilder text = new StringBuilder("{'page': 'p', 'effort': 1, 'known': [");
    text.append((many + ",").repeat(30)).append(many).append("]}");
    assertThat(check.violations(json(text.toString())))
        .hasSize(JsonSchemaCheck.MAX_LINES + 1)
        .last()
        .isEqualTo("and 83 more");
  }

  @Test
  void aMethodWithoutParametersTakesAnEmptyObject() {
    assertThat(of("nothing").violations(json("{}"))).isEmpty();
    assertThat(of("nothing").violations(json("{'a': 1}"))).hasSize(1);
  }

  @Test
  void aMethodThatCannotBeCalledFromJsonIsRefused() {
    assertThatThrownBy(() -> of("twice")).hasMessageContaining("two parameters of Methods.twice");
    assertThatThrownBy(() -> of("thread"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no schema for Methods.thread: java.lang.Thread cannot be read");
  }

  private static Parameters of(String name) {
    Method method =
        Arrays.stream(Methods.class.getDeclaredMethods())
            .filter(one -> one.getName().equals(name))
            .findFirst()
            .orElseThrow();
    return Parameters.of(method, Set.of(IdempotencyKey.class));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
