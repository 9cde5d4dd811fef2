package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.ModelCall;
import dev.colony.inference.Tool;
import dev.colony.library.policy.ActionTools;
import dev.colony.library.research.AnalystPolicy.Reading;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.Composing.AnswerPrompt;
import dev.colony.library.research.ReaderCapability.Place;
import dev.colony.library.research.ReaderPrompts.Passage;
import dev.colony.library.research.ReaderPrompts.Shape;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A model in a loop fills each text and list up to its bound: in our own schemas each has one. */
class BoundedSchemasTest {

  private static final Place PLACE =
      new Place("A.java", 1, 1, 1.0, "a".repeat(26), "A", "class A {}");

  @Test
  void textsAndListsHaveBounds() {
    PageId page = new PageId("a".repeat(26));
    List<Passage> passages = List.of(new Passage(PLACE, Map.of(1, "class A {}")));
    Assignment assignment = new Assignment("why?", List.of(), List.of(), "", "");
    Stream.of(
            CoordinatorPrompts.words("why?", Optional.empty()),
            CoordinatorPrompts.judge("why?", List.of(), true, 0),
            ReaderPrompts.select(new Question("why?", "m"), List.of(PLACE), true, 100),
            ReaderPrompts.read(
                new Question("why?", "m"), passages, true, Shape.within(passages, 100)),
            AnalystPrompt.of(page, assignment, Reading.NONE, ""),
            AnswerPrompt.from("why?", "", List.of()))
        .map(ModelCall::reply)
        .forEach(form -> {
          JsonNode schema = form.schema().orElseThrow();
          List<String> unbounded = unbounded(schema, "");
          unbounded.remove("/answer");
          assertThat(unbounded).as("%s", schema).isEmpty();
        });
    assertThat(LookTools.ALL)
        .hasSize(5)
        .allSatisfy(tool -> assertThat(unbounded(tool.parameters(), "")).as(tool.name()).isEmpty());
    List<Tool> ends =
        ActionTools.of(List.of(), JsonNodeFactory.instance.objectNode(), 1000, 10).tools();
    assertThat(ends).hasSize(3);
    assertThat(ends)
        .allSatisfy(tool -> assertThat(unbounded(tool.parameters(), "")).as(tool.name()).isEmpty());
  }

  private static List<String> unbounded(JsonNode schema, String at) {
    List<String> found = new ArrayList<>();
    String type = schema.path("type").asText();
    if (type.equals("integer") && at.matches(".*/(ids/\\*|n|grade)") && !schema.has("enum")) {
      found.add(at);
    }
    boolean string = type.equals("string") && !schema.has("enum") && !schema.has("maxLength");
    if (string || type.equals("array") && !schema.has("maxItems")) {
      found.add(at);
    }
    schema
        .path("properties")
        .properties()
        .forEach(one -> found.addAll(unbounded(one.getValue(), at + "/" + one.getKey())));
    if (schema.has("items")) {
      found.addAll(unbounded(schema.get("items"), at + "/*"));
    }
    return found;
  }
}
