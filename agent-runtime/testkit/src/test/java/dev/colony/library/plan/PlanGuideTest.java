package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.author.JsonValues;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The blueprint that docs/guides/planning.md shows, run. */
class PlanGuideTest {

  private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```json\\n(.*?)^```\\n");

  private static JsonNode example() throws IOException {
    Matcher block = EXAMPLE.matcher(Files.readString(Path.of("../../docs/guides/planning.md")));
    assertThat(block.find()).isTrue();
    return JsonValues.parse(block.group(1));
  }

  @Test
  void theBlueprintOfThePageRuns() throws IOException {
    ObjectNode blueprint = JsonNodeFactory.instance.objectNode();
    blueprint.set("policy", example());
    blueprint.withArray("capabilities").addObject().put("type", "test.desk");
    try (FakeModel model = FakeModel.start()) {
      plans(
          model.expect("You keep the glossary.", "Keep the glossary complete", "`desk.write`"),
          plan(write("a", "bow: the front of a ship")).put("result", "$results.a.text"));
      AgentBlueprint read = AgentBlueprint.fromJson(blueprint);
      assertThat(AgentBlueprint.fromJson(read.toJson())).isEqualTo(read);
      try (TestAgent agent = TestAgent.of(read).types(TYPES).model(model).start()) {
        assertThat(agent.run("Add bow").output().asText()).isEqualTo("bow: the front of a ship");
      }
    }
  }
}
