package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.Effect;
import dev.colony.mcp.McpServerSpec.Approval;
import dev.colony.mcp.ServerAction.Allowed;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server says of its tools, as descriptions of actions. */
class ServerActionTest {

  private final List<String> leftOut = new ArrayList<>();

  private Map<String, ServerAction> actions(McpServerSpec spec, Tool... tools) {
    return ServerAction.of(
        new McpConnection.Listed("", List.of(tools), List.of(), false),
        "capability",
        "p",
        spec,
        new Allowed(List.of()),
        leftOut::add);
  }

  private static final McpServerSpec SPEC = McpServerSpec.http("http://localhost/mcp");

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
        actions(
                SPEC.trustHints(trusted).approval(Approval.DESTRUCTIVE),
                tool("t", readOnly, idempotent, destroys))
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
