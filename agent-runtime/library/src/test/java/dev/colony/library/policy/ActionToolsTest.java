package dev.colony.library.policy;

import static dev.colony.library.policy.PlanningFormatTest.FORMAT;
import static dev.colony.library.policy.PlanningFormatTest.FULL;
import static dev.colony.library.policy.PlanningFormatTest.action;
import static dev.colony.library.policy.PlanningFormatTest.section;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.inference.Tool;
import dev.colony.library.policy.PromptSection.Part;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The actions that a model may choose, from few to very many. */
class ActionToolsTest {

  @Test
  void actionsAreToolsWithTheirWholeSchemaAndEndsBehindThem() {
    ActionTools actions = FORMAT.format(FULL).actions();
    assertThat(actions.tools())
        .extracting(Tool::name)
        .containsExactly("notes_write", "mail_send", "complete", "idle", "fail");
    assertThat(actions.tools().getFirst().parameters().at("/properties/text/description").asText())
        .isEqualTo("what it says");
    assertThat(actions.tools().get(1).description())
        .isEqualTo("Sends. [reaches the world outside]");
    assertThat(actions.action("mail_send").orElseThrow().key()).isEqualTo("mail.send");
  }

  @Test
  void namesOfToolsAreReadBackWhateverTheKeysAre() {
    List<String> keys = List.of("a.b", "a_b", "idle", "x".repeat(80), "x".repeat(81), "ä");
    ActionTools actions =
        ActionTools.of(
            List.of(new ActionGroup("odd", "", keys.stream().map(key -> action(key, "")).toList())),
            JsonNodeFactory.instance.objectNode(),
            10_000,
            100);
    List<Tool> tools = actions.tools().subList(0, keys.size());
    assertThat(tools).extracting(Tool::name).doesNotHaveDuplicates().doesNotContain("idle");
    assertThat(tools.stream().map(tool -> actions.action(tool.name()).orElseThrow().key()))
        .containsExactlyElementsOf(keys);
  }

  private static ActionGroup group(String name, int actions, String summary) {
    return new ActionGroup(
        name,
        "",
        IntStream.range(0, actions).mapToObj(i -> action(name + ".n" + i, summary)).toList());
  }

  private static PlanningContext with(ActionGroup... groups) {
    return FULL.with(next -> next.groups = List.of(groups));
  }

  @Test
  void manyActionsAreLinesAndOneToolTakesThem() {
    PlanningPrompt prompt = FORMAT.format(with(group("notes", 40, "Stores a note.")));
    assertThat(prompt.actions().tools())
        .extracting(Tool::name)
        .containsExactly("take", "complete", "idle", "fail");
    assertThat(section(prompt, "actions").text())
        .startsWith("## Your actions\n### notes\n- `notes_n0` Stores a note.")
        .endsWith("- `notes_n39` Stores a note.");
  }

  @Test
  void whereTheirLinesDoNotFitActionsAreNamedByTheirGroups() {
    PlanningPrompt prompt =
        FORMAT.format(
            with(group("notes", 3000, "Stores a note."), group("mail", 2, "Sends post.")));
    assertThat(prompt.actions().tools())
        .extracting(Tool::name)
        .containsExactly("take", "show_actions", "complete", "idle", "fail");
    assertThat(prompt.actions().offered()).hasSize(3002);
    PromptSection actions = section(prompt, "actions");
    assertThat(actions.cut()).isTrue();
    assertThat(actions.text())
        .startsWith("## Your actions\nThey are too many to be described here. `show_actions` ")
        .contains("### notes (3,000 actions)\nnotes_n0, notes_n1, ")
        .containsPattern(", notes_n\\d+ and [\\d,]+ more\n### mail")
        .endsWith("### mail (2 actions)\nmail_n0, mail_n1");
    assertThat(actions.sizeTokens()).isLessThanOrEqualTo(actions.budgetTokens());
  }

  @Test
  void toolsAndSystemMessageAreTheSameWhateverIsSought() {
    PlanningContext many =
        with(group("notes", 3000, "Stores a note."), group("mail", 2, "Sends post."));
    PlanningPrompt notes = FORMAT.format(many);
    PlanningPrompt post = FORMAT.format(many.with(next -> next.goals = List.of("Have post sent")));
    assertThat(post.system()).isEqualTo(notes.system());
    assertThat(post.text(Part.TOOLS)).isEqualTo(notes.text(Part.TOOLS));
    assertThat(section(post, "serving").text())
        .startsWith(
            "## Actions that may serve what you are to reach\n- `mail_n0` Sends post.\n"
                + "- `mail_n1` Sends post.");
    assertThat(section(notes, "serving").text()).contains("\n- `notes_n0` ").doesNotContain("mail");
  }

  @Test
  void actionsOfGroupsAreDescribedTheMostRelevantFirstAndTheOthersNamed() {
    ActionTools actions =
        FORMAT
            .format(with(group("notes", 3000, "Stores a note."), group("mail", 2, "Posts.")))
            .actions();
    String described = actions.described(Set.of("notes"), "n7", 400);
    assertThat(described)
        .startsWith("- `notes_n7` Stores a note.\n- `notes_n0` ")
        .contains("\nNot described here: notes_n")
        .doesNotContain("mail")
        .endsWith(" more");
  }

  @Test
  void actionsWhoseToolsDoNotFitAreLines() {
    ActionTools actions =
        ActionTools.of(
            List.of(
                new ActionGroup(
                    "notes", "", List.of(action("one", "x "), action("two", "word ".repeat(90))))),
            JsonNodeFactory.instance.objectNode(),
            120,
            10);
    assertThat(actions.many()).isTrue();
    assertThat(actions.grouped()).isFalse();
    assertThat(actions.offered()).extracting(ActionDescription::key).containsExactly("one", "two");
  }
}
