package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.mcp.McpSettings.Server;
import dev.colony.mcp.McpSettings.Server.Approval;
import dev.colony.mcp.ServerAction.Allowed;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server says of its tools, as descriptions of actions. */
class ServerActionTest {

  private final List<String> leftOut = new ArrayList<>();

  private Map<String, ServerAction> actions(Server spec, Tool... tools) {
    return ServerAction.of(
        new McpConnection.Listed("", List.of(tools), List.of(), Set.of("task"), false),
        "capability",
        "p",
        spec,
        new Allowed(List.of()),
        leftOut::add);
  }

  private static Server server(boolean trustHints, Approval approval) {
    return new Server(
        List.of(),
        Optional.of("http://localhost/mcp"),
        Map.of(),
        Map.of(),
        List.of(),
        false,
        trustHints,
        approval,
        3,
        Duration.ofMinutes(1));
  }

  private static final Server SPEC = server(true, Approval.NEVER);

  private static Tool tool(String name, Boolean readOnly, Boolean idempotent, Boolean destroys) {
    return Tool.builder(name, Map.of("type", "object"))
        .annotations(
            ToolAnnotations.builder()
                .readOnlyHint(readOnly)
                .idempotentHint(idempotent)
                .destructiveHint(destroys)
                .build())
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    // hints: read only, idempotent, destructive; trusted; effect, repeated, approved
    "true,,,true,INTERNAL,true,false",
    ",true,,true,EXTERNAL,true,true",
    ",true,false,true,EXTERNAL,true,false",
    ",,,true,EXTERNAL,false,true",
    ",,false,true,EXTERNAL,false,false",
    "true,true,false,false,EXTERNAL,false,true"
  })
  void hintsSayWhatMayBeRepeatedAndWhatIsApproved(
      Boolean readOnly,
      Boolean idempotent,
      Boolean destroys,
      boolean trusted,
      Effect effect,
      boolean repeated,
      boolean approved) {
    ActionDescription action =
        actions(server(trusted, Approval.DESTRUCTIVE), tool("t", readOnly, idempotent, destroys))
            .get("p.t")
            .description();
    assertThat(action.effect()).isEqualTo(effect);
    assertThat(action.retryable()).isEqualTo(repeated);
    assertThat(action.approval()).isEqualTo(approved);
  }

  @Test
  void namesBecomeFitAndStayDifferent() {
    assertThat(actions(SPEC, tool("a b", null, null, null), tool("a/b", null, null, null)))
        .containsOnlyKeys("p.a_b", "p.a_b_2");
  }

  @Test
  void aToolWithoutAUsableSchemaIsLeftOutAndNamed() {
    assertThat(
            actions(
                SPEC,
                Tool.builder("list", Map.of("type", "array")).build(),
                Tool.builder("odd", Map.of("type", "object", "properties", 7)).build()))
        .isEmpty();
    assertThat(leftOut).hasSize(2);
    assertThat(leftOut.getFirst()).startsWith("list: ");
  }

  /** Each is callable, or left out with a line that says why. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'$ref': '#'} | refers to itself",
        "{'type': 'object', 'allOf': [{'$ref': '#'}]} | refers to itself",
        "{'properties': {'a': {'$ref': '#/properties/a'}}} | #/properties/a: it refers to itself",
        "{'properties': {'a': {'$ref': 'http://127.0.0.1:1/never-asked'}}} | never-asked",
        "{'properties': {'a': {'$ref': '#/$defs/none'}}} | #/$defs/none",
        "{'properties': {'a': {'pattern': '(?<broken'}}} | #/properties/a: the pattern (?<broken",
        "{'properties': {'kids': {'type': 'array', 'items': {'$ref': '#'}}}} |",
        "{'type': 'object', 'patternProperties': {'^x-': {'type': 'string'}}} |",
        "{'patternProperties': {'^x-': {}}, 'additionalProperties': false} |",
        "{'properties': {'a': {'pattern': '^\\\\p{Script=Greek}+$'}}} |",
        "{'properties': {'a': {'pattern': '^(?<first_name>[a-z]+)$'}}} |",
        "{'properties': {'a': {'pattern': '^\\\\p{Extended_Pictographic}$'}}} |"
      })
  void aToolsSchemaIsUsableOrSaysWhyItIsNot(String schema, String why) throws Exception {
    Tool tool = Tool.builder("t", ProtocolJson.INSTANCE, schema.replace('\'', '"')).build();
    Map<String, ServerAction> actions = actions(SPEC, tool);
    if (why == null) {
      assertThat(leftOut).isEmpty();
      assertThat(actions).containsOnlyKeys("p.t");
    } else {
      assertThat(actions).isEmpty();
      assertThat(leftOut).singleElement().asString().startsWith("t: ").contains(why);
    }
  }

  @Test
  void aToolThatHasToBeATaskIsLeftOutAndNamed() {
    assertThat(actions(SPEC, tool("task", null, null, null), tool("t", null, null, null)))
        .containsOnlyKeys("p.t");
    assertThat(leftOut)
        .containsExactly("task: it has to be called as a task, which is not supported");
  }

  @Test
  void anOutputSchemaThatIsNoneCostsNoTool() {
    Tool tool =
        Tool.builder("t", Map.of("type", "object")).outputSchema(Map.of("$ref", "#")).build();
    assertThat(actions(SPEC, tool).get("p.t").description().output()).isEmpty();
    assertThat(leftOut).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "read_*, read_file, true",
    "read_*, read_, true",
    "read_*, reads, false",
    "*_file, read_file, true",
    "a*b*c, abc, true",
    "a*b*c, axxbyyc, true",
    "a*b*c, acb, false",
    "ab*ba, aba, false",
    "*, anything, true",
    "exact, exact, true",
    "exact, exactly, false"
  })
  void aStarStandsForAnyText(String pattern, String name, boolean allowed) {
    assertThat(new Allowed(List.of(pattern)).allows(name)).isEqualTo(allowed);
  }
}
