package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.JsonValues;
import dev.colony.code.Functions.TypeText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Actions as functions: their names, and how they are described. */
class FunctionsTest {

  private static final JsonNode NONE = JsonNodeFactory.instance.objectNode();

  private static ActionDescription action(String key, JsonNode parameters, boolean approval) {
    return new ActionDescription(
        key,
        "any",
        "Does it.\nNow.",
        Set.of(),
        parameters,
        NONE,
        List.of(),
        List.of(),
        true,
        Effect.INTERNAL,
        true,
        false,
        approval,
        Duration.ofMinutes(1));
  }

  private static Functions of(String group, String... keys) {
    return Functions.of(
        List.of(
            new ActionGroup(
                group, "", List.of(keys).stream().map(key -> action(key, NONE, false)).toList())));
  }

  @Test
  void theyHaveNamesThatProgramsCanSay() {
    assertThat(
            of("web-search", "web-search.open", "web-search.open!", "plan_act").keys().toString())
        .isEqualTo(
            "{\"web_search\":{\"open\":\"web-search.open\",\"open_\":\"web-search.open!\","
                + "\"plan_act\":\"plan_act\"}}");
    assertThat(of("a", "a.x-y", "a.x_y", "a.x.y").keys().toString())
        .isEqualTo("{\"a\":{\"x_y\":\"a.x-y\",\"x_y_2\":\"a.x_y\",\"x_y_3\":\"a.x.y\"}}");
    assertThat(of("1st", "1st.delete").keys().toString())
        .isEqualTo("{\"_1st\":{\"delete\":\"1st.delete\"}}");
    assertThat(of("JSON", "JSON.then").keys().toString())
        .isEqualTo("{\"JSON_2\":{\"then_2\":\"JSON.then\"}}");
  }

  @Test
  void onlyTheirKeysAreOffered() {
    Functions functions = of("notes", "notes.add");
    assertThat(functions.offers("notes.add")).isTrue();
    assertThat(functions.offers("add")).isFalse();
  }

  @Test
  void theyAreDescribedAsSignatures() throws Exception {
    JsonNode parameters =
        JsonValues.parse(
            """
            {"type": "object", "required": ["text", "kind"], "properties": {
              "text": {"type": "string", "description": "what it says */ x", "maxLength": 9},
              "kind": {"enum": ["a", 2]},
              "count": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
              "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
              "either": {"anyOf": [{"type": "number"}, {"type": "null"}]},
              "by-name": {"type": "object", "additionalProperties": {"type": "boolean"}}},
             "$defs": {"line": {"type": "object", "properties": {"n": {"type": ["number", "null"]}}}}}
            """);
    Functions functions =
        Functions.of(
            List.of(
                new ActionGroup(
                    "notes", "Keeps notes.", List.of(action("notes.add", parameters, true)))));
    assertThat(functions.text(10_000))
        .isEqualTo(
            """
            // notes: Keeps notes.
            notes.add({text: string /* maxLength 9; what it says * / x */, kind: "a" | 2, \
            count?: number /* integer; 1..5; default 3 */, lines?: ({n?: number | null})[], \
            either?: number | null, "by-name"?: {[name: string]: boolean}})  \
            // Does it. Now. A person has to approve it.
            """);
  }

  @Test
  void aSchemaThatRefersToItselfEnds() throws Exception {
    JsonNode schema =
        JsonValues.parse(
            """
            {"type": "object", "properties": {"next": {"$ref": "#"}, "self": {"$ref": "#/properties/self"}}}
            """);
    assertThat(TypeText.of(schema)).startsWith("{next?: {next?: ");
  }

  @Test
  void thoseWithoutRoomAreNamed() {
    Functions functions = of("notes", "notes.add", "notes.find");
    String all = functions.text(10_000);
    String some = functions.text(14);
    assertThat(all).contains("notes.add()", "notes.find()");
    assertThat(some).contains("notes.add()  // Does it.").endsWith(": notes.find\n");
  }
}
