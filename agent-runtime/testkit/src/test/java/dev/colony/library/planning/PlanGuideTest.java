package dev.colony.library.planning;

import static dev.colony.library.planning.PlanScript.TYPES;
import static dev.colony.library.planning.PlanScript.action;
import static dev.colony.library.planning.PlanScript.plan;
import static dev.colony.library.planning.PlanScript.plans;
import static dev.colony.library.planning.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.schema.JsonValues;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The blueprint that docs/planning.md shows, run. */
class PlanGuideTest {

  private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```json\\n(.*?)^```\\n");

  /** What the example's guardrail stands before. */
  @Registered(value = "test.files", summary = "Files.")
  public static final class FileShelf extends AgentCapability {

    public FileShelf(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "fs.remove", summary = "Removes a file.")
    String remove(@Param("which") String file) {
      throw new AssertionError("was removed: " + file);
    }
  }

  private static JsonNode example() throws IOException {
    Matcher block = EXAMPLE.matcher(Files.readString(Path.of("../../docs/planning.md")));
    assertThat(block.find()).isTrue();
    return JsonValues.parse(block.group(1));
  }

  @Test
  void theBlueprintOfThePageRuns() throws IOException {
    ObjectNode blueprint = JsonNodeFactory.instance.objectNode();
    blueprint.set("policy", example());
    blueprint.withArray("capabilities").addObject().put("type", "test.desk");
    blueprint.withArray("capabilities").addObject().put("type", "test.files");
    try (FakeModel model = FakeModel.start()) {
      plans(
          model.expect("You keep the glossary.", "Keep the glossary complete", "`desk.write`"),
          plan(
                  write("a", "bow: the front of a ship"),
                  action("b", "fs.remove", Map.of("file", "glossary")))
              .put("result", "$results.a.text"));
      model
          .expect("failed: `b` failed: fs.remove is not allowed to this agent")
          .calls("go_on", Map.of());
      model
          .expect("every term has an example", "the front of a ship")
          .answer(Map.of("holds", true, "reason", ""));
      AgentBlueprint read = AgentBlueprint.fromJson(blueprint);
      assertThat(AgentBlueprint.fromJson(read.toJson())).isEqualTo(read);
      try (TestAgent agent =
          TestAgent.of(read)
              .types(TYPES, types -> types.add(FileShelf.class))
              .model(model)
              .start()) {
        assertThat(agent.run("Add bow").output().asText()).isEqualTo("bow: the front of a ship");
      }
    }
  }
}
