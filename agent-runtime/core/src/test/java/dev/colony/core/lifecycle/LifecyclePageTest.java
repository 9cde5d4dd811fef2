package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the page about agents' lives to the table: its diagrams are made from it. */
class LifecyclePageTest {

  private static final Path PAGE = Path.of("../../docs/concepts/lifecycle.md");
  private static final Pattern DIAGRAM = Pattern.compile("(?ms)^```mermaid\\n(.*?)^```\\n");
  private static final Pattern NAMED = Pattern.compile("(?m)^\\| ([A-Z]+) \\|");

  @Test
  void theDiagramsShowTheTable() throws IOException {
    assertThat(DIAGRAM.matcher(Files.readString(PAGE)).results().map(found -> found.group(1)))
        .containsExactly(diagram(AgentKind.UNBOUND), diagram(AgentKind.VCM_BOUND));
  }

  @Test
  void everyStateAndEveryKindIsExplained() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(NAMED.matcher(page).results().map(found -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(names(AgentState.values()));
    assertThat(page)
        .contains(names(AgentKind.values()).stream().map("| `%s` |"::formatted).toList());
    assertThat(page)
        .contains(names(LifecycleCommand.values()).stream().map("`%s`"::formatted).toList());
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  /** The table in Mermaid: an arrow from state to state, with the commands that lead along it. */
  private static String diagram(AgentKind kind) {
    StringBuilder lines = new StringBuilder("stateDiagram-v2\n  [*] --> INITIALIZED\n");
    Transitions.of(kind)
        .rows()
        .forEach((from, row) -> {
          Map<AgentState, List<String>> arrows = new EnumMap<>(AgentState.class);
          row.forEach((command, to) -> {
            boolean same = to.resting() == to.working();
            arrow(arrows, to.resting(), command + (same ? "" : " (without work)"));
            if (!same) {
              arrow(arrows, to.working(), command + " (with work)");
            }
          });
          arrows.forEach((to, commands) ->
              lines.append("  %s --> %s: %s\n".formatted(from, to, String.join(", ", commands))));
        });
    for (AgentState state : AgentState.values()) {
      if (state.terminal()) {
        lines.append("  %s --> [*]\n".formatted(state));
      }
    }
    return lines.toString();
  }

  private static void arrow(Map<AgentState, List<String>> arrows, AgentState to, String command) {
    arrows.computeIfAbsent(to, state -> new ArrayList<>()).add(command);
  }
}
